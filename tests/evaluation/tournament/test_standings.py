"""What a table says, and the JSON it ends in."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT, MatchResult
from ludarium.evaluation.statistics.intervals import half_width, student_t, unvaried
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.figures import duration, plus_minus
from ludarium.evaluation.tournament.pieces import Work
from ludarium.evaluation.tournament.schedule import Progress
from ludarium.evaluation.tournament.standings import mean_and_margin, tables, to_data, write_json
from ludarium.evaluation.tournament.store import IN_COMPILED_CODE, IN_PYTHON, GameRow, TimeRow

TOURNAMENT = Tournament(("random", "perfect", "greedy"), (GameEntry("tictactoe", 20, 1),), seed=3)


def row(a, b, pair, leg, payoff, *, event=0, ending=0, cause="", moves=b""):
    return GameRow(event, a, b, pair, leg, payoff, -payoff, ending, cause, moves)


def by_name(table):
    return {line.agent: line for line in table.rows}


def test_every_agent_meets_every_other(played):
    games, state = played(TOURNAMENT)
    (table,) = tables(TOURNAMENT, games, state)
    scores = [line.score for line in table.rows]
    assert scores == sorted(scores, reverse=True)
    assert table.rows[-1].agent == "random"
    for line in table.rows:
        assert line.games == 2 * 2 * 20
        assert set(line.against) == set(TOURNAMENT.agents) - {line.agent}
        assert line.score == pytest.approx(np.mean(list(line.against.values())))
        assert line.points == pytest.approx(2 * line.score - 1)
        assert line.points_margin == pytest.approx(2 * line.margin)
        assert set(line.against_margins) == set(line.against)
        assert line.rate > 0
    assert sum(scores) == pytest.approx(1.5)


def test_rows_are_made_of_pairs():
    """By hand: 0 beats 1 by 3 : 1 and draws with 2; payoffs up to 3."""
    payoffs = {(0, 1): [[3, 1], [-2, 1]], (0, 2): [[1, -1], [0, 0]], (1, 2): [[1, 1], [1, 1]]}
    games = [
        row(a, b, pair, leg, float(payoff))
        for (a, b), pairs in payoffs.items()
        for pair, legs in enumerate(pairs)
        for leg, payoff in enumerate(legs)
    ]
    lines = by_name(tables(TOURNAMENT, games)[0])
    a, b, c = (lines[name] for name in TOURNAMENT.agents)
    assert a.against == {"perfect": 0.75, "greedy": 0.5}
    assert a.score == pytest.approx(0.625)
    # distances from the mean against the same opponent: ¼ and −¼ against b, 0 and 0 against c
    assert student_t(1) * math.sqrt(2 * (2 / 16) / 16) > 1  # so the interval says nothing
    assert a.margin == math.inf
    assert a.points == pytest.approx((2 - 0.5 + 0 + 0) / 4)
    assert b.against == {"random": 0.25, "greedy": 1.0}
    assert b.points == pytest.approx((-2 + 0.5 + 1 + 1) / 4)
    assert (c.score, c.points, c.games, c.rate) == (0.25, -0.5, 8, None)
    assert [line.perfect for line in (a, b, c)] == [3 / 8, 4 / 8, 1 / 8]  # of the payoff 1


def test_rates_are_decisions_by_the_seconds_of_the_same_games():
    progress, nothing = Progress(0), np.zeros((0, 2, 2))
    result = MatchResult(make_game("tictactoe"), ["a", "b"], nothing, np.zeros((3, 2)), decisions=30, seconds=1.5)
    for opponent in (1, 2):
        progress.add(Work(0, 0, opponent, 0, 3), result)
    progress.add(Work(0, 1, 2, 0, 3), replace(result, decisions=90))
    lines = by_name(tables(TOURNAMENT, [row(0, 1, 0, 0, 1.0)], progress)[0])
    assert progress.done == 18
    assert [lines[name].rate for name in TOURNAMENT.agents] == [20, 40, 40]


def test_the_margin_against_one_opponent_is_that_of_a_match():
    scores = np.random.default_rng(1).random(50)
    assert mean_and_margin(scores, np.full(50, 7), np.arange(50)) == pytest.approx((scores.mean(), half_width(scores)))
    assert mean_and_margin(scores[:1], np.array([7]), np.array([3])) == (scores[0], math.inf)
    mean, margin = mean_and_margin(scores[:0], np.arange(0), np.arange(0))
    assert (math.isnan(mean), margin) == (True, math.inf)
    # An interval that holds every score says nothing.
    assert mean_and_margin(np.array([0.5, 1.0]), np.zeros(2, int), np.arange(2)) == (0.75, math.inf)
    assert mean_and_margin(np.array([0.5, 0.5, 1.0]), np.zeros(3, int), np.arange(3))[1] < 1


def test_opponents_of_different_strength_are_no_noise():
    """Every game is won against 0 and lost to 1: what is unsure is how often it would be otherwise."""
    opponents, numbers = np.repeat([0, 1], 20), np.tile(np.arange(20), 2)
    assert mean_and_margin(1.0 - opponents, opponents, numbers) == (0.5, unvaried(20, 1.0))


@pytest.mark.parametrize(("pairs", "told"), [(2, "100.0 ± ?"), (100, "100.0 ± 3.0")])
def test_a_few_pairs_that_all_ended_alike_tell_nothing(pairs, told):
    games = [row(0, 1, pair, leg, 1.0) for pair in range(pairs) for leg in range(2)]
    first = tables(TOURNAMENT, games)[0].rows[0]
    assert plus_minus(100 * first.score, 100 * first.margin, 1) == told
    assert first.points_margin == 2 * first.margin == 2 * first.against_margins["perfect"]
    assert plus_minus(-0.001, 0.1, 2, sign=True) == "+0.00 ± 0.10"  # no minus before a zero


def test_pairs_of_the_same_number_are_not_independent():
    """Who meets five copies of an opponent on the same openings knows no more than who meets one."""
    scores = np.random.default_rng(2).random(40)
    _, margin = mean_and_margin(np.tile(scores, 5), np.repeat(np.arange(5), 40), np.tile(np.arange(40), 5))
    assert margin == pytest.approx(half_width(scores))


def test_margins_hold_the_truth_95_times_in_100():
    """Each opening favours the entrant or not, whoever the opponents are, and these differ in strength."""
    rng, strengths = np.random.default_rng(3), np.array([0.1, 0.5, 0.9])
    opponents, numbers = np.repeat(np.arange(3), 40), np.tile(np.arange(40), 3)
    held = []
    for _ in range(1000):
        opening = rng.uniform(-0.1, 0.1, 40)
        scores = strengths[opponents] + opening[numbers] + rng.uniform(-0.1, 0.1, 120)
        mean, margin = mean_and_margin(scores, opponents, numbers)
        held.append(abs(mean - 0.5) < margin)
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.parametrize("pairs", [2, 4, 12])
def test_margins_of_few_pairs_hold_the_truth_as_often(pairs):
    rng = np.random.default_rng(4)
    scores = rng.normal(0.5, 0.1, (4000, pairs))
    margins = [mean_and_margin(one, np.zeros(pairs, dtype=np.int64), np.arange(pairs)) for one in scores]
    assert 0.94 <= np.mean([abs(mean - 0.5) < margin for mean, margin in margins]) <= 0.96


def test_times_in_compiled_code_count_before_those_with_a_call_from_python():
    """Those of older stores, which are of both sides, count for nobody."""
    games = [row(a, b, pair, leg, 1.0) for a, b in ((0, 1), (0, 2), (1, 2)) for pair in (0, 1) for leg in (0, 1)]
    times = [TimeRow(0, 0, 1, IN_PYTHON, 90, 50), TimeRow(0, 0, 1, IN_COMPILED_CODE, 80, 6)]
    times += [TimeRow(0, 0, 2, IN_COMPILED_CODE, 120, 4), TimeRow(0, 1, 0, IN_PYTHON, 40, 10)]
    times += [TimeRow(0, 1, 2, 0, 80, 99), TimeRow(0, 2, 1, 0, 80, 99)]
    (table,) = tables(TOURNAMENT, games, times=times)
    by_agent = {one.agent: one for one in table.times}
    a, b, _ = TOURNAMENT.agents
    assert set(by_agent) == {a, b}
    assert (by_agent[a].decisions, by_agent[b].decisions) == (10, 10)
    assert by_agent[a].median == pytest.approx(2**20.125 * 1e-9)
    assert by_agent[a].slow == pytest.approx(2**30.125 * 1e-9)
    data = to_data(TOURNAMENT, [table])
    assert [one["agent"] for one in data["timing"][0]["seconds_per_move"]] == [one.agent for one in table.times]
    assert {**to_data(TOURNAMENT, tables(TOURNAMENT, games)), "timing": data["timing"]} == data


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((3.14e-9, "3 ns"), (9.94e-7, "994 ns"), (9.96e-7, "1 µs"), (1.26e-5, "13 µs"), (9.94e-4, "990 µs")),
        *((9.96e-4, "1 ms"), (0.0042, "4.2 ms"), (0.994, "990 ms"), (0.996, "1 s"), (1.5, "1.5 s"), (75.0, "75 s")),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_who_has_not_played_stands_at_the_end():
    standings = tables(TOURNAMENT, [row(1, 2, pair, leg, -1.0) for pair in (0, 1) for leg in (0, 1)])
    assert [line.agent for line in standings[0].rows] == ["greedy", "perfect", "random"]
    last = standings[0].rows[-1]
    assert (last.games, last.against, last.perfect) == (0, {}, 0)
    assert math.isnan(last.score)
    shown = to_data(TOURNAMENT, standings)["tables"][0]["rows"][-1]
    assert (shown["score"], shown["margin"], shown["points"]) == (None, None, None)
    assert [line.games for line in tables(TOURNAMENT, [])[0].rows] == [0, 0, 0]


def test_forfeits_are_counted_by_cause():
    games = [
        row(0, 1, 0, 0, -1.0, ending=FORFEIT, cause="hung"),
        row(0, 1, 0, 1, -1.0, ending=FORFEIT + 1, cause="hung"),
        row(0, 1, 1, 0, 1.0, ending=FORFEIT + 1, cause="crashed"),
        row(0, 1, 1, 1, 1.0),
    ]
    lines = by_name(tables(TOURNAMENT, games)[0])
    assert lines["random"].forfeits == {"hung": 2}
    assert lines["perfect"].forfeits == {"crashed": 1}


def test_games_that_repeat_themselves_are_found():
    same = [row(0, 1, pair, leg, 1.0, moves=bytes([leg])) for pair in range(3) for leg in range(2)]
    other = [row(0, 2, pair, leg, 1.0, moves=bytes([leg, pair])) for pair in range(3) for leg in range(2)]
    assert tables(TOURNAMENT, same + other)[0].repeated == [("random", "perfect")]
    assert tables(TOURNAMENT, same[:4])[0].repeated == [("random", "perfect")]
    assert tables(TOURNAMENT, same[:2])[0].repeated == []
    forfeited = [row(0, 1, pair, leg, 1.0, ending=FORFEIT + 1 - leg) for pair in range(3) for leg in range(2)]
    assert tables(TOURNAMENT, forfeited)[0].repeated == []


def test_teams_are_compared_on_the_same_decks(played):
    tournament = Tournament(("random", "greedy", "random"), (GameEntry("hanabi?preset=small", 30),), seed=1)
    games, _ = played(tournament)
    assert len(games) == 90
    lines = by_name(tables(tournament, games)[0])
    assert set(lines) == {"random", "greedy", "random (2)"}
    assert lines["random"].score == lines["random"].points
    assert lines["greedy"].score > max(lines["random"].score, lines["random (2)"].score)
    assert (lines["greedy"].games, lines["greedy"].against) == (30, {})


def test_a_team_stands_by_its_own_games():
    """By hand: 0 scores 4 and 1 by itself, 1 scores 2, and at one table they score 1, 3, 0, 0."""
    tournament = Tournament(("random", "greedy"), (GameEntry("hanabi?preset=small", 2, crossplay=True),))
    scores = {(0, 0): [(4.0,), (1.0,)], (1, 1): [(2.0,), (2.0,)], (0, 1): [(1.0, 3.0), (0.0, 0.0)]}
    games = [
        GameRow(0, a, b, pair, leg, score, score, 0, "", b"")
        for (a, b), decks in scores.items()
        for pair, legs in enumerate(decks)
        for leg, score in enumerate(legs)
    ]
    games.append(GameRow(0, 0, 1, 2, 1, 0.0, 0.0, FORFEIT + 1, "hung", b""))  # in leg 1 the second seat is random's
    lines = by_name(tables(tournament, games)[0])
    assert (lines["random"].score, lines["random"].games) == (2.5, 2)
    assert (lines["greedy"].score, lines["greedy"].games) == (2.0, 2)
    assert lines["random"].against == {"greedy": pytest.approx(2 / 3)}
    assert lines["greedy"].against == {"random": pytest.approx(2 / 3)}
    assert (lines["random"].forfeits, lines["greedy"].forfeits) == ({"hung": 1}, {})


def test_results_are_plain_data(tmp_path, played):
    games, _ = played(TOURNAMENT)
    standings = tables(TOURNAMENT, games)
    path = tmp_path / "new" / "results.json"
    write_json(path, to_data(TOURNAMENT, standings))
    read = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert read["schema"] == 2
    assert Tournament.from_data(read["tournament"]) == TOURNAMENT
    rows = [{k: v for k, v in vars(line).items() if k != "rate"} for line in standings[0].rows]
    assert read["tables"][0]["rows"] == rows
    assert [row["moves_per_second"] for row in read["timing"][0]["rows"]] == [line.rate for line in standings[0].rows]
    assert [file.name for file in path.parent.iterdir()] == ["results.json"]
    one_pair = tables(TOURNAMENT, [row(0, 1, 0, 0, 1.0), row(0, 1, 0, 1, -1.0)])  # whose margin is no number
    assert one_pair[0].rows[0].margin == float("inf")
    write_json(path, to_data(TOURNAMENT, one_pair))
    read = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert [line["margin"] for line in read["tables"][0]["rows"][:2]] == [None, None]


def test_writing_is_all_or_nothing(tmp_path):
    path = tmp_path / "results.json"
    write_json(path, {"old": 1})
    with pytest.raises(TypeError):
        write_json(path, {"new": object()})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"new": float("nan")})
    assert json.loads(path.read_text()) == {"old": 1}
    write_json(path, {"new": 2})
    assert path.read_text() == '{\n "new": 2\n}\n'
