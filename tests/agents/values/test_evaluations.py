"""How players find the evaluation that they are given, and what is refused."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.agents.search.beam import beam
from ludarium.agents.search.evaluations import evaluation_of, evaluations
from ludarium.agents.search.greedy import greedy
from ludarium.agents.search.mcts import mcts
from ludarium.agents.search.units import expected
from ludarium.agents.values.evaluations import WIN, Evaluation, random_positions
from ludarium.envs.chance import stream
from ludarium.envs.game import kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe

PLAYERS = {"greedy": greedy, "alphabeta": alphabeta, "mcts": mcts}

FUNCTIONS = """
from ludarium.agents.values.evaluations import Evaluation
import numpy as np

def corner(s, seat):
    own = s.own if seat == s.seat else s.opponent
    return 1.0 * (own & np.uint64(1))

def squares(s, seat, weights):
    own, value = s.own if seat == s.seat else s.opponent, 0.0
    for square in range(9):
        value += weights[square] * ((own >> np.uint64(square)) & np.uint64(1))
    return value

last = Evaluation(squares, np.eye(9)[8])
more = Evaluation(corner, np.ones(1))
number = 3

def wrong(s, seat):
    return s.no_such_field

def endless(s, seat):
    return 1.0 / 0.0 if seat == 2 else np.inf

def many(s, seat):
    return "many"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FUNCTIONS)
    return path


def chosen(agent, position):
    mask = position.action_mask()
    agent.reset(0, 1)
    return agent(position.observe(0), mask, {"game": position.game, "seat": 0, "position": position})


# --- by name ----------------------------------------------------------------------------------------------------------


def test_every_game_lists_its_evaluations():
    assert list(evaluations(TicTacToe())) == ["lines"]
    assert list(evaluations(Hexapawn())) == ["pawns"]
    known = evaluations(Othello())
    assert list(known) == ["wpc", "six", "shares", "phases"]
    assert dict(zip(known["six"].names, known["six"].weights, strict=True)) == {
        "l": 382.026, "c": 801.724, "f": 74.396, "p": 10.0, "d": 10.0, "m": 78.922
    }  # fmt: skip
    assert len(known["phases"].names) == len(known["phases"].weights) == 24
    assert known["wpc"].names == ()


def test_the_first_is_the_default_and_there_may_be_none(connect_four):
    game = Othello()
    assert evaluation_of(game).function is evaluations(game)["wpc"].function
    assert evaluation_of(game, "six").function is evaluations(game)["six"].function
    assert evaluation_of(game, "none") is None
    assert evaluation_of(game, None) is None
    assert evaluation_of(connect_four) is None


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(
    ("game", "name", "known"),
    [
        (Othello(), "sixes", "wpc, six, shares, phases, none"),
        (TicTacToe(), "six", "lines, none"),  # another game's
        (Hexapawn(), "LINES", "pawns, none"),
    ],
)
def test_names_that_there_are_not(player, game, name, known):
    message = f"{game.name}: there is no evaluation '{name}'; it must be one of {known}, expert, LEARNER:RUN, or FILE"
    with pytest.raises(ValueError, match=message):
        make_agent(f"{player}?evaluation={name}", game)


@pytest.mark.parametrize("player", ["greedy", "alphabeta"])
def test_names_are_different_players(player):
    position = Othello().start()
    position.play(position.game.str_to_action(position, "f5"))
    values = {
        name: make_agent(f"{player}?evaluation={name}", position.game).judge(position, 1) for name in ("wpc", "six")
    }
    assert values["wpc"] != values["six"]


@pytest.mark.parametrize("evaluation", ["none", "lines"])
def test_mcts_sees_a_win_in_one_with_any_evaluation(evaluation):
    position = TicTacToe().from_text("xx./oo./... x")
    assert chosen(make_agent(f"mcts?evaluation={evaluation}", position.game), position) == 2


def test_mcts_prefers_what_its_evaluation_likes(file):
    agent = make_agent(f"mcts?simulations=60&evaluation={file}:corner", TicTacToe())
    assert chosen(agent, TicTacToe().start()) == 0


# --- a game's own -----------------------------------------------------------------------------------------------------


class Own(TicTacToe):
    """A plug-in game whose evaluations are a function, and one with named weights."""

    name = "own"

    @kernel
    def stones(s, seat, weights):
        own = s.own if seat == s.seat else s.opponent
        return weights[0] * (own & np.uint64(1)) + weights[1] * (own >> np.uint64(8) & np.uint64(1))

    evaluations = {"stones": (stones, {"first": 1.0, "last": -2.0})}


def test_a_game_may_have_weights_with_names():
    stones = evaluations(Own())["stones"]
    assert (stones.names, stones.weights.tolist()) == (("first", "last"), [1.0, -2.0])
    values = {o.action: o.value for o in make_agent("greedy", Own()).judge(Own().start(), 1)}
    read = expected(Own(), stones)
    assert values == {action: read({0: 1.0, 8: -2.0}.get(action, 0.0)) for action in range(9)}


class NotANumber(TicTacToe):
    name = "notanumber"

    @kernel
    def bad(s, seat):
        return np.nan if s.own & np.uint64(16) else 0.0

    evaluations = {"bad": bad}


class TooLarge(TicTacToe):
    name = "toolarge"

    @kernel
    def bad(s, seat):
        return -1e6 if seat else 0.0

    evaluations = {"bad": bad}


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(("kind", "value"), [(NotANumber, "nan"), (TooLarge, "-1000000.0")])
def test_values_that_cannot_be_are_told_with_the_position(player, kind, value):
    message = (
        f"{kind.name}: the evaluation must be a number between -1,000,000 and 1,000,000, "
        rf"but for [xo] it is {value} in the position '[xo./]+ [xo]'"
    )
    with pytest.raises(ValueError, match=message):
        make_agent(f"{player}?evaluation=bad", kind())


def test_the_largest_value_below_a_win_is_accepted():
    nearly = np.nextafter(WIN, 0)
    assert evaluation_of(TicTacToe(), Evaluation(lambda s, seat: nearly)) is not None


@pytest.mark.parametrize("highest", [np.nextafter(WIN, 0), 1e9])  # the latter from weights that nobody has checked
@pytest.mark.parametrize("player", [greedy, partial(alphabeta, depth=1, endgame=0), partial(beam, depth=1)])
def test_a_win_by_one_disc_is_worth_more_than_any_evaluation(player, highest):
    game = Othello(size=4, scoring="discs")
    position = game.from_text("O--OXXXOXXXOXXOX O")  # c1 wins by one disc at once, b1 does not end the game
    hopeful = Evaluation(lambda s, seat, weights: weights[0], np.array([highest]))
    policy, mask = player(game, evaluation=hopeful), position.action_mask()
    assert game.action_to_str(position, policy.choose(game, position.data, mask, mask, stream(1))) == "c1"


def test_the_random_positions_are_the_same_each_time_and_unfinished():
    first = [position.copy() for position in random_positions(Othello(size=4))]
    assert first == random_positions(Othello(size=4))
    assert len(first) == 100  # on which the unit of an evaluation depends
    assert not any(position.over for position in first)


# --- in a file --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", PLAYERS)
def test_a_function_in_a_file(player, file):
    agent = make_agent(f"{player}?evaluation={file}:corner", TicTacToe())
    best, *others = agent.judge(TicTacToe().start(), 1).ranked()
    assert best.action == 0
    if player == "greedy":
        assert best.value > 0
        assert {other.value for other in others} == {0.0}


def test_an_evaluation_with_weights_in_a_file(file):
    agent = make_agent(f"greedy?evaluation={file}:last", TicTacToe())
    assert chosen(agent, TicTacToe().start()) == 8


def test_the_one_in_the_documentation(tmp_path):
    text = (Path(__file__).resolve().parents[3] / "docs" / "agents" / "evaluations.md").read_text()
    (code,) = (
        block
        for block in re.findall(r"```python title=\"mine.py\"\n(.*?)```", text, re.DOTALL)
        if "def moves(s, seat)" in block
    )
    (tmp_path / "mine.py").write_text(code)
    position = Othello().start()
    position.play(position.legal_actions()[0])
    opinions = make_agent(f"greedy?evaluation={tmp_path}/mine.py:moves", position.game).judge(position, 1)
    slopes = set()
    for opinion in opinions:
        child = position.copy()
        child.play(opinion.action)
        passed = position.game.from_text(child.text[:-1] + "XO"[position.turn])
        moves = len(passed.legal_actions()) - len(child.legal_actions())
        slopes |= {round(opinion.value / moves, 9)} if moves else set()
        assert bool(opinion.value) == bool(moves)
    (discs,) = slopes  # that a move stands for
    assert discs > 0


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("wrong", TypeError, "tictactoe: the evaluation does not compile:\n"),
        ("many", TypeError, "tictactoe: the evaluation does not compile:\n"),
        ("squares", TypeError, r"tictactoe: the evaluation takes 3 arguments \(s, seat, weights\), and has no weights"),
        ("more", TypeError, r"tictactoe: the evaluation takes 2 arguments .* and has 1 weights"),
        ("endless", ValueError, "tictactoe: the evaluation must be a number between .*, but for x it is inf in"),
        ("number", TypeError, r"mine.py:number is not an evaluation: expected a function value\(s, seat\)"),
        ("nothing", ValueError, r"the module .*mine.py has no attribute 'nothing'"),
    ],
)
def test_what_a_file_may_not_give(player, file, name, error, text):
    with pytest.raises(error, match=text):
        make_agent(f"{player}?evaluation={file}:{name}", TicTacToe())


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"there is no such file"):
        make_agent(f"greedy?evaluation={tmp_path}/none.py:corner", TicTacToe())


def test_python_sees_what_compiled_code_sees(random_positions):
    game = Othello(size=6)
    evaluation = evaluation_of(game, "six")
    policy, draws = greedy(game, evaluation="six"), stream(1)
    for position in random_positions(game, 20, 10):
        mask = position.action_mask()
        action = policy.choose(game, position.data, mask, mask, draws)
        values = {}
        for legal in position.legal_actions():
            child = position.copy()
            child.push(legal)
            values[legal] = evaluation.value(child, position.turn)
        assert values[action] == max(values.values())
