"""What decisions lose: kinds of positions, hits, and who may judge."""

import numpy as np
import pytest

from ludarium.agents.backgammon.expectations import judge_results
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decisions import legal_results
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.errors import Errors, Line, _line, errors, kinds_of
from ludarium.evaluation.statistics.intervals import mean_interval

GAME = make_game("backgammon")


def position(**columns):
    row = np.zeros((1, 28), dtype=np.int8)
    for name, checkers in columns.items():
        row[0, int(name[1:])] = checkers
    return row


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("contact", {"c24": 2, "c13": 5, "c8": 3, "c6": 5, "c1": -2, "c12": -5, "c17": -3, "c19": -5}),
        ("back game", {"c24": 2, "c22": 2, "c13": 3, "c8": 3, "c6": 5, "c12": -7, "c17": -3, "c19": -5}),
        ("back game", {"c24": 2, "c19": 2, "c6": 11, "c1": -2, "c12": -8, "c17": -5}),
        ("contact", {"c24": 2, "c18": 2, "c6": 11, "c1": -2, "c12": -8, "c17": -5}),
        ("contact", {"c24": 2, "c22": 1, "c6": 12, "c1": -2, "c12": -8, "c17": -5}),
        ("contact", {"c25": 2, "c24": 2, "c6": 11, "c1": -2, "c12": -8, "c17": -5}),
        ("race", {"c7": 1, "c6": 14, "c19": -15}),
        ("bear-off", {"c6": 15, "c19": -15}),
        ("bear-off", {"c6": 15, "c12": -15}),
    ],
)
def test_kinds_of_positions(kind, columns):
    kinds = kinds_of(position(**columns))
    assert [name for name, some in kinds.items() if some[0]] == [kind]


def test_the_judge_knows_bear_offs_exactly():
    """Two checkers left and 2-1 to play, while the opponent needs one roll: the value is that of its next roll."""
    where, dice = position(c0=13, c6=1, c5=1, c27=14, c24=-1), np.array([[1, 2]], dtype=np.int8)
    results, offsets = legal_results(where, dice)
    for spec in ("expert", "expert?ply=1"):
        values = judge_results(GAME, make_agent(spec, GAME).policy, where, dice, offsets)
        assert values == pytest.approx([-1] * len(results))


def test_a_judge_agrees_with_itself_and_not_with_a_random_player():
    own = errors("expert", 2, 1, judge="expert")
    assert (own.lines[0].kind, own.lines[0].agreement, own.lines[0].blunders) == ("all", 1, 0)
    assert own.lines[0].loss == pytest.approx(0, abs=1e-4)
    other = errors("random", 1, 1, judge="expert")
    assert other.lines[0].loss > 0.1
    by_kind = {line.kind: line.decisions for line in other.lines}
    assert sum(by_kind.get(kind, 0) for kind in ("contact", "back game", "race", "bear-off")) == by_kind["all"]
    assert by_kind["hits"] + by_kind["hits not made"] == round(other.could_hit * by_kind["all"])
    assert other.hit == by_kind["hits"] / (by_kind["hits"] + by_kind["hits not made"])
    assert f"could hit in {100 * other.could_hit:.1f} % of its decisions" in str(other)


def test_a_line_counts_what_is_best_and_what_loses_a_tenth_of_a_point():
    loss = np.array([0.0, 0.05, 0.1, 0.25])
    mean, margin = mean_interval(loss.tolist())
    assert _line("race", loss) == Line("race", 4, 0.25, mean, margin, 0.5)


@pytest.mark.parametrize(("games", "told"), [(1, "1 game"), (1200, "1,200 games")])
def test_errors_as_text(games, told):
    report = Errors("a", "b", games, 0.25, 0.5, (Line("bear-off", 1234, 0.75, 0.0123, 0.004, 0.125),))
    assert str(report).splitlines() == [
        f"a in {told} with itself, judged by b",
        "                   decisions   agreement                loss   0.1 and more",
        "bear-off               1,234      75.0 %     0.0123 ± 0.0040         12.5 %",
        "it could hit in 25.0 % of its decisions, and did in 50.0 %",
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"game": "backgammon?match_length=3"}, "decisions are those of backgammon without the cube, not of"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"judge": "greedy"}, "a judge must be a network that knows outcomes, such as expert or td:RUN"),
        ({"judge": lambda *shown: 0}, "the judge must be a network of backgammon, not <function"),
    ],
)
def test_bad_input(given, told):
    with pytest.raises(ValueError, match=told):
        errors("random", **{"games": 1, **given})
