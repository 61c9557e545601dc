"""The preset `games`: learning from points alone, and the hall of fame."""

from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.duels import HALL, Duel, dice, duel, meet_hall
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")


def test_it_learns_from_points_alone(learner, learn):
    own = learner("games", population=20, batch=60, generations=20, alpha=0.05, spread=0.1, hidden=2)
    first = own.network(own.start(GAME))
    arrays, told = learn(own)
    assert [line["games"] for line in told[8:11]] == [120, 240, 120]  # the champion is named after each season
    assert told[9]["decisions"] > 1.5 * told[8]["decisions"]
    assert told[-1]["champions"] > 1
    keys = dice(1, 60)
    points, decisions = duel(Duel("standard", own.network(arrays), first, keys))
    assert points > 0.5 * len(keys)
    assert duel(Duel("standard", first, own.network(arrays), keys)) == (-points, decisions)


def test_a_network_ties_with_itself_in_a_duel(taught):
    own = Run.load(Path(taught), GENGAMMON)
    network = own.learner.network(own.arrays)
    points, decisions = duel(Duel("standard", network, network, dice(1, 5)))
    assert points == 0
    assert decisions > 0


def test_the_champion_is_who_has_won_against_the_hall_of_fame(learner, learn):
    own, (taught, _) = learner("games", population=8), learn(learner("backprop", batch=500, generations=30))
    arrays = own.start(GAME)
    with workers("threads", 1) as parallel:
        for crowned in range(2, HALL + 3):  # more champions than there is room for
            arrays["hidden"][:] = taught["hidden"] * (0.2 * crowned)
            arrays["output"][:] = taught["output"]
            before = own.network(arrays).hidden.copy()
            games, _ = meet_hall(own.architecture, arrays, "standard", dice(crowned, 40), parallel)
            assert games == 80
            won = int(arrays["crowned"][0]) == crowned
            assert np.array_equal(own.network(arrays).hidden, arrays["hidden"] if won else before)
            arrays["crowned"][0] = crowned
    assert arrays["crowned"][0] == HALL + 2


@pytest.mark.parametrize(
    ("points", "wins"),
    [((2.0, 1.0), True), ((-0.5, 1.0), True), ((-3.0, 1.0), False), ((3.0, -1.0), False), ((1.0, 0.0), False)],
)
def test_a_champion_beats_the_latest_and_all_together(learner, points, wins):
    own = learner("games")
    arrays = own.start(GAME)
    arrays["crowned"][0] = 2
    told = meet_hall(own.architecture, arrays, "standard", dice(1, 4), lambda *_: [(one, 7) for one in points])
    assert told == (8, 14)
    assert arrays["crowned"][0] == 2 + wins
