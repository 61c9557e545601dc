"""A match in one line of Python: who may play it, what it tells, and that it is the command's."""

import itertools
import json
import pickle
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import ludarium
from ludarium.agents import Agent
from ludarium.evaluation import GameEntry, Store, StoreError, Tournament, match, run


def first_legal(observation, action_mask, info):
    return int(action_mask.argmax())


class Acting:
    """Plays the last legal action; it counts its games."""

    def __init__(self):
        self.games = 0
        self.lock = None

    def reset(self, seat, seed):
        self.games += 1

    def act(self, observation, action_mask, info):
        return int(np.flatnonzero(action_mask)[-1])


class Model:
    """As a model of sb3-contrib: it plays the first action of the mask that it is told."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        assert deterministic
        return np.array(action_masks.argmax()), None


def play(a, b, **options):
    return ludarium.match(a, b, **{"game": "tictactoe", "pairs": 20, "seed": 1, "opening": 1, **options})


def test_the_package_names_it_without_loading_the_compiler():
    code = "import sys, ludarium; assert 'match' in dir(ludarium); print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_openings_are_those_of_the_command(output, tmp_path):
    (tmp_path / "book.txt").write_text("a1a2\np.p/.p./PPP w\n")
    ours = play("greedy", "random", game="hexapawn", pairs=4, opening=0, openings=str(tmp_path / "book.txt"))
    assert [row.moves for row in ours.rows] == [
        row.moves
        for row in play(
            "greedy", "random", game="hexapawn", pairs=4, opening=0, openings=["a1a2", "p.p/.p./PPP w"]
        ).rows
    ]
    assert sorted(row.moves.startswith(b"\x01") for row in ours.rows)[4:] == [True] * 4
    command = "match", "hexapawn", "greedy", "random", "--pairs", "4", "--seed", "1"
    output(*command, "--openings", str(tmp_path / "book.txt"), "--store", str(tmp_path / "games.db"))
    with Store(tmp_path / "games.db") as store:
        assert tuple(store.games()) == ours.rows
    assert "<svg" in ours._last_game()


@pytest.mark.parametrize(("game", "b"), [("tictactoe", "mcts?simulations=20"), ("hanabi?preset=very-small", "random")])
def test_it_is_the_match_of_the_command(ludarium, game, b):
    code, out, _ = ludarium("match", game, "greedy", b, "--pairs", 20, "--seed", 1, "--opening", 1, "--json")
    theirs = json.loads(out)
    ours = play("greedy", b, game=game)
    (table,) = theirs["tables"]
    assert code == 0
    assert theirs["tournament"] == json.loads(json.dumps(ours.tournament.data()))
    for row, line in zip(table["rows"], ours.table.rows, strict=True):
        assert (row["agent"], row["score"], row["points"], row["games"]) == (
            line.agent,
            line.score,
            line.points,
            line.games,
        )
        assert (row["margin"] or np.inf, row["against"]) == (line.margin, line.against)


def test_callables_objects_agents_and_models_play_the_same_moves_as_specs(tmp_path):
    (tmp_path / "bot.py").write_text("def bot(observation, action_mask, info):\n    return int(action_mask.argmax())\n")

    class First(Agent):
        def __call__(self, observation, action_mask, info):
            return first_legal(observation, action_mask, info)

    moves = [
        [game["moves"] for game in play(agent, "greedy").games]
        for agent in (first_legal, First(), Model(), {"mine": first_legal}, f"trusted:{tmp_path / 'bot.py'}")
    ]
    assert moves[1:] == moves[:1] * 4


def test_an_object_is_used_as_it_is_and_its_twin_is_a_copy():
    acting = Acting()
    match = play(acting, acting, pairs=3)
    assert (acting.games, match.agents) == (6, ("Acting", "Acting (2)"))
    assert not match.forfeits
    acting.lock = (pickle,)  # a module cannot be copied
    with pytest.raises(ValueError, match="agent 'Acting': it cannot be copied, and every seat needs one"):
        play(acting, acting, pairs=3)
    with pytest.raises(ValueError, match="agent 'Acting': it cannot be copied"):  # and before anything is played
        Tournament((acting, acting, "random"), (GameEntry("tictactoe"),)).check()
    Tournament((acting, "greedy", "random"), (GameEntry("tictactoe"),)).check()


def test_the_result(capsys):
    began = time.perf_counter()
    match = play({"mine": first_legal}, "random")
    assert 0 < match.seconds <= time.perf_counter() - began
    record = match.games[-1]
    scores = [game["score"] for game in match.games]
    assert match.agents == ("mine", "random")
    assert match.score == sum(scores) / 40
    assert match.interval[0] < match.score < match.interval[1] <= 1
    assert match.interval == (match.score - match.table.rows[0].margin, match.score + match.table.rows[0].margin)
    for game, whole in (("tictactoe", (0, 1)), ("hanabi?preset=very-small", (0, 5))):  # of a single pair, or deck
        assert play("random", "greedy", game=game, pairs=1, opening=0).interval == whole
    assert (match.elo[0] > 0) == (match.score > 0.5)
    assert (record["pair"], record["agent"], record["seat"], record["ending"]) == (19, "mine", 1, "finished")
    assert {timing.agent for timing in match.timing} == {"mine", "random"}
    page = match._repr_html_()
    assert page.count("<tr>") == 3
    assert page.count("<svg") == 1
    assert capsys.readouterr() == ("", "")  # no progress bar without a terminal


@pytest.mark.parametrize(
    ("a", "b", "options", "told"),
    [
        ({"mine": first_legal}, "random", {}, [
            "tictactoe: mine scores 66.2 ± 15.3 % against random, +139 ± 144 Elo",
            "40 games in T: 26 won, 1 drawn, 13 lost",
            "a move takes mine T, random T; seed 1",
        ]),
        ({"mine": first_legal}, {"yours": first_legal}, {"pairs": 2, "opening": 0}, [
            "tictactoe: mine scores 50.0 ± ? % against yours, +0 ± 6364 Elo",
            "4 games in T: 2 won, 0 drawn, 2 lost; always the same two games: "
            "random opening moves (opening=4) would help",
            "a move takes mine T, yours T; seed 1",
        ]),
        ("greedy", "random", {"game": "backgammon?variant=hypergammon", "pairs": 3, "opening": 0}, [
            "backgammon?variant=hypergammon: greedy scores 66.7 ± ? % against random, +119 ± 1106 Elo",
            "6 games in T: 4 won, 0 drawn, 2 lost; +0.83 ± 5.17 points a game",
            "a move takes greedy T, random T; seed 1",
        ]),
        ("greedy", "random", {"game": "hanabi?preset=very-small", "pairs": 10, "opening": 0}, [
            "hanabi?preset=very-small: greedy 3.60 ± 0.60, random 0.00 ± 1.29 points, each as a team",
            "20 games in T",
            "a move takes greedy T, random T; seed 1",
        ]),
    ],
)  # fmt: skip
def test_what_a_match_says(a, b, options, told):
    said = str(play(a, b, **options)).splitlines()
    assert [re.sub(r"[\d.]+ (ns|µs|ms|s)\b", "T", line) for line in said] == told


@pytest.mark.parametrize(
    ("progress", "terminal", "jupyter", "widgets", "shown"),
    [
        (True, False, False, False, True),
        (False, True, True, True, False),
        (None, True, False, False, True),
        (None, False, True, True, True),
        (None, False, True, False, False),
        (None, False, False, True, False),
    ],
)
def test_where_there_is_a_progress_bar(progress, terminal, jupyter, widgets, shown, monkeypatch):
    monkeypatch.setattr(match, "find_spec", lambda name: name if widgets else None)
    console = SimpleNamespace(is_terminal=terminal, is_jupyter=jupyter)
    assert match._has_bar(console, progress) == shown


def test_records_are_what_pandas_takes():
    pandas = pytest.importorskip("pandas")
    match = play("greedy", "random")
    assert pandas.DataFrame(match.games)["score"].mean() == match.score


def test_the_usual_match():
    match = ludarium.match("random", "random", game="tictactoe", workers=1)
    assert match.tournament == Tournament(("random", "random"), (GameEntry("tictactoe", 100, 0),), "match", 0)


def test_a_callable_that_plays_an_illegal_move_forfeits_that_game():
    answers = itertools.count(99)
    match = play({"broken & <b>": lambda observation, action_mask, info: next(answers)}, "random", pairs=2)
    assert (match.score, {forfeit.agent for forfeit in match.forfeits}) == (0, {"broken & <b>"})
    assert [(forfeit.pair, forfeit.game, forfeit.seat) for forfeit in match.forfeits] == [
        (0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1)
    ]  # fmt: skip
    assert "action 99 " in match.forfeits[0].cause
    assert f"broken & <b> forfeited 4, the first since it {match.forfeits[0].cause}\n" in str(match)
    assert "<b>" not in match._repr_html_()


def test_functions_of_modules_play_on_workers():
    here = play("ludarium.agents.baselines.random:random", "greedy", workers=2)
    assert here.score == play("ludarium.agents.baselines.random:random", "greedy").score
    assert Tournament((first_legal,), (GameEntry("tictactoe"),)).importable().agents == (
        f"trusted:{__name__}:first_legal",
    )


@pytest.mark.parametrize(
    ("a", "b", "options", "text"),
    [
        ({"x": "random"}, {"x": "greedy"}, {}, "2 agents are called 'x'; give each a name of its own"),
        ({"random": "greedy"}, "random", {}, "2 agents are called 'random'"),
        ({"": "greedy"}, "random", {}, "the name of an agent must be printable text, not ''"),
        ({" x": "greedy"}, "random", {}, "the name of an agent must be printable text, not ' x'"),
        ({3: "greedy"}, "random", {}, "the name of an agent must be printable text, not 3"),
        ({"x": "greedy", "y": "greedy"}, "random", {}, "match: expected two agents"),
        (Acting(), "random", {"workers": 2}, "the agent 'Acting' has no importable name"),
        ("greedy", "random", {"pairs": 0}, "pairs of 'tictactoe' must be 1 to"),
    ],
)
def test_what_cannot_be_is_one_clear_error(a, b, options, text):
    with pytest.raises(ValueError, match=text):
        play(a, b, **options)


def test_a_model_of_another_game_is_refused():
    gymnasium = pytest.importorskip("gymnasium")
    model = Model()
    model.action_space = gymnasium.spaces.Discrete(65)
    with pytest.raises(ValueError, match="the model's action_space has n 65, but tictactoe needs 9"):
        play({"othello's": model}, "random")


def test_a_tournament_of_objects_needs_no_store_but_a_store_needs_names(tmp_path):
    tournament = Tournament({"mine": Acting(), "greedy": "greedy"}, (GameEntry("tictactoe", 2, 1),))
    with Store(None, tournament.data()) as store:
        assert run(tournament, store).done == 4
    with pytest.raises(StoreError, match=r"x\.db: the agent 'mine' has no importable name"):
        Store(tmp_path / "x.db", tournament.data())
    assert not (tmp_path / "x.db").exists()
    known = Tournament((first_legal, "greedy"), (GameEntry("tictactoe", 2, 1),))
    with Store(tmp_path / "x.db", known.data()) as store:
        assert run(known, store).done == 4
    with Store(tmp_path / "x.db") as store:
        assert Tournament.from_data(store.tournament).labels == ("first_legal", "greedy")
