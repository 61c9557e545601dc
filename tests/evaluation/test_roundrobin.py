"""Round robins: schedule, rows, workers, and the JSON they end in."""

import json
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.match import MatchResult, half_width
from ludarium.evaluation.program import arena_events
from ludarium.evaluation.roundrobin import Event, event_games, play_event, to_json, write_json


def numbers(table):
    """A table without what depends on the machine."""
    return [{key: value for key, value in vars(row).items() if key != "rate"} for row in table.rows]


@pytest.fixture(scope="module")
def event():
    return Event("tictactoe", ("random", "perfect", "greedy"), 20, opening=1)


@pytest.fixture(scope="module")
def table(event):
    return play_event(event, seed=3)


# --- what a table says ---


def test_every_agent_meets_every_other(event, table):
    assert {row.agent for row in table.rows} == set(event.agents)
    for row in table.rows:
        assert row.games == 2 * 2 * 20
        assert set(row.against) == set(event.agents) - {row.agent}
        assert row.score == pytest.approx(np.mean(list(row.against.values())))
        assert row.points == pytest.approx(2 * row.score - 1)
        assert row.points_margin == pytest.approx(2 * row.margin)
        assert row.rate > 0
    assert sum(row.score for row in table.rows) == pytest.approx(1.5)
    for row in table.rows:
        for other in table.rows:
            if row is not other:
                assert row.against[other.agent] + other.against[row.agent] == pytest.approx(1)


def test_the_best_come_first(table):
    scores = [row.score for row in table.rows]
    assert scores == sorted(scores, reverse=True)
    assert table.rows[-1].agent == "random"


def test_rows_are_made_of_pairs(monkeypatch):
    """Two pairings by hand: a beats b 3 : 1 and draws with c; payoffs up to 3."""
    results = {
        ("a", "b"): [[[3.0, -3.0], [1.0, -1.0]], [[-2.0, 2.0], [1.0, -1.0]]],
        ("a", "c"): [[[1.0, -1.0], [-1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]],
        ("b", "c"): [[[1.0, -1.0], [1.0, -1.0]], [[1.0, -1.0], [1.0, -1.0]]],
    }

    def play(game, agents, pairs, seed, *, first, opening):
        payoffs = np.array(results[tuple(agents)])[first : first + pairs]
        return MatchResult(game, list(agents), payoffs, np.zeros((pairs, 2), dtype=np.int64), 10, 0.5)

    monkeypatch.setattr("ludarium.evaluation.roundrobin.play_match", play)
    monkeypatch.setattr("ludarium.evaluation.roundrobin.make_agent", lambda spec, game: make_agent("random", game))
    a, b, c = play_event(Event("tictactoe", ("a", "b", "c"), 2), seed=0).rows
    assert (a.agent, b.agent, c.agent) == ("a", "b", "c")
    assert a.against == {"b": 0.75, "c": 0.5}
    assert a.score == pytest.approx(0.625)
    assert a.margin == pytest.approx(half_width(np.array([1.0, 0.5, 0.5, 0.5])))
    assert a.points == pytest.approx((2 - 0.5 + 0 + 0) / 4)
    assert b.against == {"a": 0.25, "c": 1.0}
    assert b.score == pytest.approx(0.625)
    assert b.points == pytest.approx((-2 + 0.5 + 1 + 1) / 4)
    assert (c.score, c.points, c.games) == (0.25, -0.5, 8)
    assert c.rate == pytest.approx(20)


def test_teams_are_compared_on_the_same_decks():
    event = Event("hanabi?preset=small", ("random", "greedy", "random"), 30)
    assert event_games(event) == 90
    table = play_event(event, seed=1)
    rows = {row.agent: row for row in table.rows}
    assert set(rows) == {"random", "greedy", "random (2)"}
    assert rows["random"].score == rows["random (2)"].score == rows["random"].points
    assert rows["greedy"].score > rows["random"].score
    assert rows["greedy"].games == 30
    assert rows["greedy"].against == {}


def test_an_agent_can_be_entered_twice():
    table = play_event(Event("tictactoe", ("random", "random"), 10), seed=1)
    first, second = sorted(table.rows, key=lambda row: row.agent)
    assert (first.agent, second.agent) == ("random", "random (2)")
    assert first.against["random (2)"] == pytest.approx(1 - second.against["random"])


# --- the same seed, the same table ---


def test_workers_change_nothing(event, table):
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(5) as five:
        for executor in (one, five):
            assert numbers(play_event(event, seed=3, executor=executor)) == numbers(table)
        assert one.submit(int, 7).result() == 7  # it is still the caller's to use
    assert numbers(play_event(event, seed=4)) != numbers(table)


def test_processes_change_nothing(event, table):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert numbers(play_event(event, seed=3, executor=executor)) == numbers(table)


def test_games_travel_between_processes(game_spec):
    game = make_game(game_spec)
    game.table  # noqa: B018  (machine code stays at home)
    assert pickle.loads(pickle.dumps(game)) == game


def test_progress_is_told_in_games(event):
    told = []
    play_event(event, seed=3, progress=told.append)
    assert sum(told) == event_games(event) == 120
    assert len(told) > 10


def test_the_program_has_all_games_and_can_be_scaled():
    events = arena_events()
    assert [event.game for event in events] == ["hexapawn", "tictactoe", "othello", "backgammon", "hanabi"]
    assert all("random" in event.agents for event in events)
    assert [event.pairs for event in arena_events(2)] == [2 * event.pairs for event in events]
    assert {event.pairs for event in arena_events(1e-9)} == {1}


# --- JSON ---


def test_results_are_plain_data(tmp_path, event, table):
    path = tmp_path / "new" / "results.json"
    write_json(path, to_json([table], [event], seed=3))
    read = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert (read["schema"], read["seed"]) == (1, 3)
    (one,) = read["events"]
    assert (one["game"], one["pairs"], one["opening"], one["cooperative"]) == ("tictactoe", 20, 1, False)
    assert one["rows"] == [vars(row) for row in table.rows]
    assert [file.name for file in path.parent.iterdir()] == ["results.json"]


def test_the_margin_of_one_pair_is_no_number(tmp_path):
    event = Event("tictactoe", ("random", "greedy"), 1)
    table = play_event(event, seed=1)
    assert table.rows[0].margin == float("inf")
    write_json(tmp_path / "one.json", to_json([table], [event], seed=1))
    read = json.loads((tmp_path / "one.json").read_text(), parse_constant=pytest.fail)
    assert [row["margin"] for row in read["events"][0]["rows"]] == [None, None]


def test_writing_is_all_or_nothing(tmp_path):
    path = tmp_path / "results.json"
    write_json(path, {"old": 1})
    with pytest.raises(TypeError):
        write_json(path, {"new": object()})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"new": float("nan")})
    assert json.loads(path.read_text()) == {"old": 1}
    write_json(path, {"new": 2})
    assert json.loads(path.read_text()) == {"new": 2}
    assert list(tmp_path.iterdir()) == [path]


# --- mistakes ---


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event("tictactoe", ("random",), 1), r"tictactoe: a round robin needs at least two agents, not \['random'\]"),
        (Event("tictactoe", ("random", "greedy"), 0), "tictactoe: pairs must be at least 1, not 0"),
        (Event("hanabi", ("random", "mcts"), 1), "hanabi"),
        (Event("tictactoe", ("random", "x"), 1), "unknown agent 'x'"),
        (Event("x", ("random", "random"), 1), "unknown game 'x'"),
    ],
)
def test_events_that_cannot_be(event, text):
    with pytest.raises(ValueError, match=text):
        play_event(event, seed=0)
