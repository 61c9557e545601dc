"""Playing oneself: what is shown and what is not, taking back, hints, and whatever agents do."""

import contextlib
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ludarium.agents import Agent, make_agent
from ludarium.agents.agent import Reason
from ludarium.agents.genetic.gaia.original import Original
from ludarium.agents.learning.run import train
from ludarium.envs.episodes import viewer
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import OVER
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv
from ludarium.evaluation.cli import app
from ludarium.evaluation.play.sitting import Sitting

FIRST = "def agent(observation, action_mask, info):\n    return int(action_mask.argmax())\n"


def sit(*arguments, lines=()):
    """Run the command on lines of input; its output."""
    done = CliRunner().invoke(app, ["play", *arguments], input="".join(f"{line}\n" for line in lines))
    if done.exception is not None:
        raise done.exception
    assert done.exit_code == 0
    return done.output


@pytest.fixture
def bot(tmp_path):
    """`bot(text)`: spec of a file that holds the text."""

    def write(text):
        path = tmp_path / f"bot{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return str(path)

    return write


def told_moves(out):
    """The moves of the last transcript, without what chance did."""
    line = [line for line in out.splitlines() if line.startswith("moves: ")][-1]
    return [word for word in line.removeprefix("moves: ").split(", ") if not word.startswith("(")]


def game_of_first_moves(spec, seat, opponent, seed):
    """How one seat that always plays its first legal action writes its moves, and the finished environment."""
    env = GameEnv(spec, seat=seat, opponent=opponent)
    _, info = env.reset(seed=seed)
    lines, done = [], False
    while not done:
        action = int(info["action_mask"].argmax())
        lines.append(env.game.action_to_str(env.position, action))
        _, _, terminated, truncated, info = env.step(action)
        done = terminated or truncated
    return lines, env


@pytest.mark.parametrize(
    ("spec", "seat", "number"),
    [
        ("hexapawn?rows=4", "black", 1),
        ("tictactoe", "second", 1),
        ("othello?size=4", "Black", 0),
        ("backgammon?variant=hypergammon", "random", "random"),
        ("hanabi?seats=3&preset=small", "bob", 1),
    ],
)
def test_a_whole_game_and_its_transcript(spec, seat, number):
    """The game is that of the environment with the same seed, and what is told at the end plays it again."""
    lines, env = game_of_first_moves(spec, number, "random", 5)
    out = sit(spec, "--against", "random", "--seat", seat, "--seed", "5", lines=lines)
    assert env.game.side_text(env.position, viewer(env._run, env._actor)) in out
    assert env.game.result_text(env.position) in out
    again = GameEnv(spec, self_play=True)
    again.reset(seed=5)
    for text in told_moves(out):
        again.step(again.game.str_to_action(again.position, text))
    assert again.position == env.position
    assert f"again: ludarium play {shlex.quote(env.game.spec)} --against random --seat {seat} --seed 5" in out


def test_the_board_the_mover_and_the_last_move_are_shown():
    out = sit("tictactoe", "--against", "perfect", "--seed", "1", lines=["b2"])
    assert out.startswith("Tic-tac-toe: x (you), o (perfect); seed 1; ? for help\n   a b c\n 1 . . .\n 2 . . .\n")
    assert "x (you) to move> b2\n\nx (you): b2\n   a b c\n 1 . . .\n 2 . x .\n 3 . . .\n\no (perfect): " in out
    assert "not finished\nmoves: b2, " in out


def test_in_hanabi_the_own_cards_are_never_shown():
    lines, _ = game_of_first_moves("hanabi", 0, "greedy", 7)
    out = sit("hanabi", "--against", "greedy", "--seed", "7", lines=["hint", "moves", *lines, "back"])
    hands = [line for line in out.splitlines() if re.match("[> ] alice ", line)]
    assert len(hands) > 4
    assert all(set(line[9:].split()) <= {"??"} for line in hands)
    assert any(re.match("[> ] bob +[RYGWB][1-5]", line) for line in out.splitlines())
    assert "(" not in next(line for line in out.splitlines() if line.startswith("moves: "))


def test_who_needs_the_position_may_not_play_where_it_is_hidden(bot):
    spec = bot(FIRST + "agent.needs_state = True\n")
    for option in ("--against", "--hint"):
        with pytest.raises(ValueError, match=r"needs the position, which a game with hidden information withholds"):
            sit("hanabi", option, spec)


def test_a_hint_sees_what_the_person_sees():
    seen = []

    def adviser(observation, action_mask, info):
        seen.append((observation.copy(), info))
        return int(action_mask.argmax())

    game = make_game("hanabi?preset=small")
    sitting = Sitting(game, 0, [make_agent("random", game)], 3)
    first = game.action_to_str(sitting.episode.position, sitting.episode.position.legal_actions()[0])
    assert sitting.advice(make_agent(adviser, game)) == (f"adviser would play {first}", Reason())
    ((observation, info),) = seen
    assert np.array_equal(observation, sitting.episode.position.observe(0))
    assert set(info) == {"seat", "game"}
    assert not sitting.turns


def test_the_same_question_has_the_same_answer():
    out = sit("backgammon", "--hint", "random", "--seed", "2", lines=["hint"] * 5)
    assert len({line for line in out.splitlines() if "would play" in line}) == 1


def test_a_hint_has_the_value_and_the_line_that_are_expected():
    start = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"  # FFO 1
    out = sit("othello", "--position", start, "--hint", "alphabeta?endgame=14", "--seed", "1", lines=["hint"])
    assert re.search(r"would play g8, worth \+18 discs \(exact\); it expects g8( [a-h][1-8]| pass)+\n", out)
    start = make_game("tictactoe").from_text("xo./xo./... x").text  # exact play may not know it
    assert "expert?exact=False would play a3" in sit("tictactoe", "--position", start, "--seed", "1", lines=["hint"])
    out = sit("tictactoe", "--hint", "alphabeta?depth=2", "--seed", "1", lines=["hint", "quit"])
    assert re.search(r"would play b2, worth \+0\.[0-9]{3} \(loss -1, win \+1\); it expects b2 [abc][123]\n", out)


def test_a_hint_is_the_move_of_an_agents_opinions(bot):
    """It is not asked a second time; where it does not say what it plays, it is."""
    text = """
from ludarium.envs.opinions import Opinion, Opinions

class Judge:
    def __call__(self, observation, action_mask, info):
        return 4

    def judge(self, position, seed):
        return Opinions("hunches", tuple(Opinion(a, float(a)) for a in position.legal_actions())PLAYED)
"""
    out = sit("tictactoe", "--hint", bot(text.replace("PLAYED", ", played=2")), "--seed", "1", lines=["hint"])
    assert "would play c1, worth +2.000 hunches\n" in out
    out = sit("tictactoe", "--hint", bot(text.replace("PLAYED", "")), "--seed", "1", lines=["hint"])
    assert "would play b2, worth +4.000 hunches\n" in out
    wrong = text.replace("float(a))", "float(a), line=(a, a))").replace("PLAYED", ", played=2")
    out = sit("tictactoe", "--hint", bot(wrong), "--seed", "1", lines=["hint", "b2"])
    assert "action 2 (c1) is not legal for o" in out
    assert "x (you): b2" in out
    failing = bot("def agent(observation, action_mask, info):\n    return info['nonsense']\n")
    out = sit("hexapawn", "--hint", failing, lines=["hint", "a1a2"])
    assert f"{failing} has no advice: raised KeyError('nonsense')" in out
    assert "white (you): a1a2" in out


@pytest.mark.parametrize(
    ("spec", "typed", "text"),
    [
        ("hexapawn", "b2", "hexapawn: 'b2' is not a legal move; legal: a1a2, b1b2, c1c2\n"),
        ("othello", "i9", "a move is a square from a1 to h8, or pass; legal: d3, c4, f5, e6\n"),
        ("backgammon", "x", "a move is like '24/18 13/9', 'bar/22*' or '6/off(2)', not 'x'; legal: "),
    ],
)
def test_a_wrong_move_is_one_line_that_says_what_is_right(spec, typed, text):
    assert text in sit(spec, "--seed", "4", lines=[typed])


def test_the_same_moves_meet_the_same_dice_and_replies():
    spec = "backgammon?variant=hypergammon"
    lines, _ = game_of_first_moves(spec, 0, "random", 8)
    straight = sit(spec, "--against", "random", "--seed", "8", lines=lines)
    other = sit(spec, "--against", "random", "--seed", "8", lines=[*lines[:3], "back", "back", *lines[1:]])
    assert told_moves(straight) == told_moves(other)
    assert "(taken back: 2)" in other
    assert "taken back" not in straight


def test_an_agent_that_remembers_forgets_what_was_taken_back():
    class Counting(Agent):
        name = "counting"

        def reset(self, seat, seed):
            self.asked = 0

        def __call__(self, observation, action_mask, info):
            self.asked += 1
            legal = np.flatnonzero(action_mask)
            return int(legal[self.asked % len(legal)])

    game = make_game("othello")
    agent = Counting()
    sitting = Sitting(game, 0, [agent], 1)
    for count in (1, 2, 3):
        sitting.play(sitting.episode.position.legal_actions()[0])
        sitting.reply()
        assert agent.asked == count
    before = sitting.turns[:4]
    assert sitting.back()
    assert sitting.turns == before
    assert agent.asked == 2


def test_back_at_the_beginning_and_after_the_end():
    out = sit("hexapawn", "--seed", "1", lines=["moves", "back", "a1a2", "resign", "back", "quit"])
    assert "> moves\na1a2, b1b2, c1c2\n" in out
    assert "there is no decision of yours to take back" in out
    assert "white (you) resigned; you lose\nmoves: a1a2, " in out
    assert out.splitlines()[-3] == "not finished (taken back: 1)"
    assert len(told_moves(out)) == 2  # only the resignation was taken back


def test_after_the_end(bot):
    asked = ["resign", "resign", "moves", "hint", "a1a2", "no"]
    out = sit("hexapawn", "--against", bot(FIRST), "--seed", "1", lines=asked)
    assert out.count("you lose") == 1
    assert "the game is over; there is nothing to resign" in out
    assert out.count("none, the game is over") == 2
    assert "'a1a2': the game is over; say yes or new for another one, back, or quit" in out


def test_a_seed_that_nobody_gave_is_told_when_the_game_is_over_and_another_game_has_the_next_one():
    out = sit("backgammon", "--against", "random", lines=["resign", "yes", "resign", "no"])
    begun, first, second = out.partition("? for help")[0], *re.findall(r"--seed ([0-9]+)", out)
    assert "seed" not in begun
    assert int(first) > 2**64 < int(second) != int(first) + 1
    out = sit("backgammon", "--against", "random", "--seed", "6", lines=["new", "resign", "yes", "quit"])
    assert [f"seed {seed};" in out for seed in (6, 7, 8, 9)] == [True, True, True, False]
    assert out.count("not finished") == 2
    assert out.count("you lose") == 1


def test_a_game_of_a_match_is_resigned_and_the_match_goes_on():
    asked = ["resign everything", "resign gammon", "back", "resign", "quit"]
    out = sit("backgammon?match_length=3", "--against", "random", "--seed", "6", lines=asked)
    assert "'everything' cannot be lost by resigning here, only 'single game' or 'gammon' or 'backgammon'" in out
    assert "white (you): resign a gammon" in out
    assert "match to 3, score 0-2" in out
    assert "match to 3, score 0-1" in out
    assert "not finished" in out


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("def agent(o, m, i): raise RuntimeError('no idea')", "raised RuntimeError('no idea')"),
        ("def agent(o, m, i): raise SystemExit(3)", "raised SystemExit(3)"),
        ("def agent(o, m, i): return 99", "hexapawn: action 99 does not exist; actions are 0 to 26"),
        ("def agent(o, m, i): return 'e2e4'", "hexapawn: an action is an integer, not 'e2e4'"),
    ],
)
def test_an_agent_that_fails_forfeits(bot, code, cause):
    spec = bot(code)
    out = sit("hexapawn", "--against", spec, "--seed", "1", lines=["a1a2", "back", "b1b2"])
    assert out.count(f"black ({spec}) forfeits: {cause}") == 2
    assert "; you win" in out
    assert "Traceback" not in out


def test_an_agent_that_cannot_begin_forfeits(bot):
    late = "class Late:\n    def reset(self, seat, seed): raise OSError('not ready')\n"
    spec = bot(f"{late}    def __call__(self, observation, action_mask, info): return 0\n")
    out = sit("tictactoe", "--against", spec, "--seed", "1")
    assert f"o ({spec}) forfeits: raised OSError('not ready'); you win" in out


def test_an_agent_that_fails_when_it_is_asked_again_forfeits():
    calls = []

    def agent(observation, action_mask, info):
        calls.append(info)
        return int(action_mask.argmax()) if len(calls) < 3 else -1

    game = make_game("othello")
    sitting = Sitting(game, 0, [make_agent(agent, game)], 1)
    for _ in range(2):
        sitting.play(sitting.episode.position.legal_actions()[0])
        sitting.reply()
    assert sitting.back()
    assert len(sitting.turns) == 1
    assert sitting.result().startswith("white (agent) forfeits: othello: action -1 does not exist")


REASONED = """
class Reasoned:
    def __call__(self, observation, action_mask, info):
        self.chosen = int(action_mask.argmax())
        return self.chosen

    def explain(self, observation, action_mask, info):
        assert action_mask[self.chosen]
        return "the first\\n  that is legal"
"""


def test_an_agent_may_say_why(bot):
    spec = bot(REASONED)
    out = sit("hexapawn", "--against", spec, "--hint", spec, "--seed", "1", lines=["hint", "a1a2"])
    told = "  because: the first\n    that is legal\n"
    assert f"would play a1a2\n{told}" in out
    assert out.count(told) == 2
    hanabi = sit("hanabi", "--against", spec, "--seed", "1", lines=["play-1"])
    assert "because" not in hanabi  # it may speak of what the person does not see
    asked = sit("hanabi", "--against", spec, "--seed", "1", "--reasons", lines=["play-1"])
    assert "  because: the first\n" in asked
    assert "--reasons --seed 1" in asked
    silent = bot(REASONED.replace("assert action_mask[self.chosen]", "raise ValueError('no words')"))
    out = sit("hexapawn", "--against", silent, "--seed", "1", lines=["a1a2"])
    assert "because: it cannot explain it: raised ValueError('no words')" in out
    assert "forfeits" not in out


def test_a_reason_may_be_a_board_and_what_it_holds_stays_with_the_turn(bot):
    reason = Reason("rule 1:\n   a  b\n1 [V] P", {3: 0.5})
    given = REASONED.replace('"the first\\n  that is legal"', f"Reason({reason.text!r}, {reason.values!r})")
    spec = bot("from ludarium.agents.agent import Reason\n" + given)
    out = sit("hexapawn", "--against", spec, "--seed", "1", lines=["a1a2"])
    assert "  because: rule 1:\n       a  b\n    1 [V] P\n 3 " in out
    game = make_game("hexapawn")
    sitting = Sitting(game, 1, [make_agent(spec, game)], 1)
    assert sitting.reply().why == reason
    assert sitting.play(sitting.episode.position.legal_actions()[0]).why == Reason()
    sitting.back()
    assert sitting.turns[0].why == reason


def test_a_position_to_begin_from():
    out = sit("hexapawn", "--position", "p.p/.P./P.. b", "--seat", "black", "--seed", "1", lines=["a3xb2"])
    assert " 3 p . p\n 2 . P .\n 1 P . .\n" in out
    assert "black (you): a3xb2" in out
    assert "--position 'p.p/.P./P.. b'" in out


def test_an_empty_line_plays_the_only_move():
    out = sit("hexapawn", "--position", "p../.p./P.. w", "--against", "random", "--seed", "1", lines=[""])
    assert "white (you) to move> \n" in out  # two moves: nothing happens
    out = sit("hexapawn", "--position", "p../.../P.. w", "--against", "random", "--seed", "1", lines=[""])
    assert "white (you) to move (Enter: a1a2)> \n\nwhite (you): a1a2" in out


def test_several_agents_at_one_table():
    out = sit("hanabi?seats=3", "--against", "greedy", "--against", "random", "--seat", "bob", "--seed", "1")
    assert "alice (greedy), bob (you), cathy (random)" in out


def test_plug_in_games(connect_four_class):
    out = sit("connect_four", "--against", "random", "--seed", "1", lines=["hint", "4", "resign"])
    assert "expert would play" in out
    assert "yellow (you): 4" in out


def test_a_move_that_sounds_like_a_command(monkeypatch):
    written = Hexapawn.action_to_str
    monkeypatch.setattr(
        Hexapawn, "action_to_str", lambda self, p, a: {"a1a2": "quit"}.get(written(self, p, a), written(self, p, a))
    )
    monkeypatch.setattr(Hexapawn, "str_to_action", lambda self, p, text: 1 if text == "quit" else -1)
    out = sit("hexapawn", "--seed", "1", lines=["quit", "moves"])
    assert "white (you): quit" in out


def test_a_game_that_is_cut_off():
    game = type(
        "Short", (Hexapawn,), {"configure": lambda self: (Hexapawn.configure(self), setattr(self, "max_moves", 1))}
    )()
    sitting = Sitting(game, 0, [make_agent("random", game)], 1)
    sitting.play(1)
    assert sitting.over
    assert sitting.episode.turn != OVER
    assert sitting.result() == "cut off after 1 moves, the most there can be"


def test_agents_are_closed(bot, tmp_path):
    spec = bot(f"{FIRST}def close():\n    open({str(tmp_path / 'closed')!r}, 'w').close()\nagent.close = close\n")
    sit("hexapawn", "--against", spec)
    assert (tmp_path / "closed").exists()


@pytest.mark.parametrize("end", ["end of input", "interrupt"])
def test_in_a_terminal_it_ends_cleanly(end):
    command = [Path(sys.executable).parent / "ludarium", "play", "hexapawn", "--against", "greedy", "--seed", "1"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as running:
        os.close(theirs)
        seen = ""
        while "to move>" not in seen:
            seen += os.read(ours, 4096).decode()
        if end == "end of input":
            os.write(ours, b"\x04")
        for _ in range(10):
            if end == "interrupt":  # one that comes between the prompt and the waiting for a line is not noticed
                running.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(5)
                break
        else:
            running.kill()
        assert running.wait() == 0
        while "again: " not in seen:
            seen += os.read(ours, 4096).decode()
    os.close(ours)
    assert "not finished" in seen
    assert "Traceback" not in seen


@pytest.fixture(scope="module")
def population(tmp_path_factory):
    """A run of four players of hexapawn."""
    learner = Original(game="hexapawn", population=4, rules=10, games=40, test_games=2)
    return f"gaia:{train(learner, tmp_path_factory.mktemp('population'), workers=1)}"


def test_the_members_of_a_population(population):
    out = sit("hexapawn", "--against", population, "--seed", "1", lines=["?", "members", "member 2", "members"])
    assert "\n  members  list" in out
    assert "\n  member 3 another game" in out
    listed = [line.split() for line in out.splitlines() if line.startswith("member ")]
    assert [line[1] for line in listed] == [*"0123", *"0123"]
    assert all(line[2] == "weight" for line in listed)
    assert [number for number, line in enumerate(listed) if line[4:] == ["(plays", "now)"]] == [0, 6]


def test_another_member_is_another_game_that_can_be_played_again(population):
    asked = ["a1a2", "member 2", "b1b2", "resign", "MEMBER 1", "c1c2"]
    out = sit("hexapawn", "--against", population, "--seed", "5", lines=asked)
    assert f"not finished\nmoves: a1a2, {told_moves(out.split('again:')[0])[1]}" in out
    again = "again: ludarium play hexapawn --against"
    for seed, spec in ((5, population), (6, f"{population}?member=2"), (7, f"{population}?member=1")):
        assert f"{again} {shlex.quote(spec)} --seed {seed}" in out
        assert f"white (you), black ({spec}); seed {seed};" in out
    same = sit("hexapawn", "--against", f"{population}?member=1", "--seed", "7", lines=["c1c2"])
    assert told_moves(same) == told_moves(out)


def test_taking_back_stays_with_the_member(population):
    out = sit("hexapawn", "--against", population, "--seed", "5", lines=["member 3", "a1a2", "back", "b1b2", "back"])
    assert out.count(f"black ({population}?member=3): ") == 2


@pytest.mark.parametrize(
    ("against", "line", "complaint"),
    [
        (
            "greedy",
            "members",
            "'greedy' does not come from a population: expected ifthen:RUN, gaia:RUN, minimax:RUN, lcs:RUN, "
            "gengammon:RUN, or the folder of such a run",
        ),
        ("greedy", "member 1", "'greedy' does not come from a population"),
        (None, "member 4", "member must be an integer from 0 to 3, not 4"),
        (None, "member two", "member takes a number, such as member 3, not 'two'; members lists them"),
        (None, "member", "member takes a number, such as member 3, not ''"),
        (None, "member -1", "member takes a number, such as member 3, not '-1'"),
    ],
)
def test_members_that_there_are_not(population, against, line, complaint):
    out = sit("hexapawn", "--against", against or population, "--seed", "5", lines=[line, "a1a2"])
    assert complaint in out
    assert out.count("; seed ") == 1  # the game goes on
    assert "white (you): a1a2" in out


def test_agents_are_called_by_the_names_that_they_are_given(population):
    quick, slow = "mcts?simulations=20", "mcts?simulations=30"
    named = "--against", quick, "--name", f"quick={quick}", "--hint", "adviser", "--name", f"adviser={slow}"
    out = sit("hexapawn", *named, "--seed", "5", lines=["hint", "a1a2"])
    assert "white (you), black (quick); seed 5;" in out
    assert "adviser would play " in out
    assert "black (quick): " in out
    assert out.endswith(f"hexapawn --against '{quick}' --name 'quick={quick}' --seed 5\n")
    others = "--against", population, "--name", f"pool={population}"
    assert "--name" not in sit("hexapawn", *others, "--seed", "5", lines=["member 2"]).splitlines()[-1]
