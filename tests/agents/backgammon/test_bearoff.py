"""Bear-offs, against known facts, another program's answers, and all games of tiny positions."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from ludarium.agents.backgammon import bearoff as bearoff_module
from ludarium.agents.backgammon.bearoff import BEAROFF, bearoff, effective_pips, is_home, outcomes_of_race, rolls_needed
from ludarium.envs.backgammon.rules import MOVING, ROLLING, STATE
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")


def race(own, other, men=15):
    """White has just moved; both sides have these checkers on their points 1 to 6."""
    position = GAME.start()
    record = position.record
    record.checkers[:] = 0
    for seat, counts in enumerate((own, other)):
        record.checkers[seat, 1:7] = counts
        record.checkers[seat, 0] = men - sum(counts)
    record.phase, record.seat = ROLLING, 1
    return position


@jit
def outcomes_by_address(tables, state, seat, out):
    outcomes_of_race(view(tables, BEAROFF), view(state, STATE), seat, out)


def outcomes(own, other, men=15):
    out = np.zeros(6)
    outcomes_by_address(bearoff().ctypes.data, race(own, other, men).data, 0, out)
    assert out.sum() == pytest.approx(1)
    return out


@pytest.mark.parametrize(
    ("counts", "rolls", "pips"),
    [  # from the databases of GNU Backgammon and Open Sage
        ((15, 0, 0, 0, 0, 0), 6.9796, 57.00),
        ((0, 0, 0, 0, 0, 15), 12.2662, 100.17),
        ((3, 3, 3, 2, 2, 2), 7.5550, 61.70),
        ((2, 2, 2, 3, 3, 3), 8.1389, 66.47),
        ((0, 0, 0, 5, 5, 5), 10.0738, 82.27),
        ((0, 0, 0, 0, 0, 1), 1.25, 10.21),
    ],
)
def test_mean_rolls_and_effective_pips(counts, rolls, pips):
    assert rolls_needed(counts) @ np.arange(32) == pytest.approx(rolls, abs=1e-4)
    assert effective_pips(counts) == pytest.approx(pips, abs=0.01)


@pytest.mark.parametrize(
    ("roller", "other", "wins", "gammons"),
    [  # GNU Backgammon, 0-ply; the last two have borne off nothing
        ([1, 1, 3, 3, 5, 2], [1, 3, 1, 2, 5, 1], 0.3192, 0),
        ([1, 3, 2, 4, 2, 1], [2, 1, 2, 1, 2, 7], 0.9672, 0),
        ([0, 1, 0, 3, 0, 2], [0, 0, 1, 0, 2, 3], 0.7958, 0),
        ([1, 1, 0, 2, 0, 0], [1, 0, 0, 2, 1, 1], 0.9516, 0),
        ([0, 0, 1, 0, 1, 0], [1, 2, 2, 5, 3, 2], 1, 0.3889),
        ([0, 0, 1, 0, 0, 0], [1, 4, 0, 1, 5, 1], 1, 0),
    ],
)
def test_chances_of_the_side_on_roll(roller, other, wins, gammons):
    lost = outcomes(other, roller)
    assert lost[:3].sum() == pytest.approx(wins, abs=0.005)
    assert lost[:2].sum() == pytest.approx(gammons, abs=0.005)


def results(position):
    afters = position.afterstates()
    return [(after, after.record.phase != ROLLING) for after in afters]


@cache
def exact(own, other):
    """The probability that the side on roll wins with best play, and a gammon, by trying everything."""
    total = np.zeros(2)
    for low in range(1, 7):
        for high in range(low, 7):
            position = race(other, own, 3)
            position.record.phase, position.record.dice[:] = MOVING, (low, high)
            best = np.zeros(2)
            for after, over in results(position):
                if over:
                    best = np.array([1, after.record.won == 2])
                    break
                own_now = tuple(after.record.checkers[1, 1:7].tolist())
                lost = exact(other, own_now)
                if 1 - lost[0] > best[0]:
                    best = np.array([1 - lost[0], 0])
            total += best * (1 if low == high else 2) / 36
    return total


@pytest.mark.parametrize(
    ("roller", "other"),
    [
        ((0, 0, 0, 0, 1, 1), (0, 0, 0, 1, 0, 1)),
        ((1, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 2)),
        ((0, 0, 0, 0, 0, 2), (1, 0, 0, 0, 0, 0)),
    ],
)
def test_tiny_races_agree_with_all_games(roller, other):
    lost = outcomes(other, roller, men=3)
    assert lost[:3].sum() == pytest.approx(exact(roller, other)[0], abs=0.01)


def test_a_side_without_a_checker_off_may_lose_a_gammon():
    chances = outcomes((1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 15))
    assert chances[4] == pytest.approx(19 / 36)  # no six, 51, 42, 33 or 22
    assert outcomes((1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 14))[4] == 0


def test_threads_share_the_tables(monkeypatch):
    monkeypatch.setattr(bearoff_module, "_tables", cache(bearoff_module._tables.__wrapped__))
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(lambda _: bearoff_module.bearoff(), range(4)))
    assert all(tables is loaded[0] for tables in loaded)


def test_who_is_home():
    position = race((2, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 2))
    assert [is_home(position.data.view(STATE)[0], seat) for seat in range(2)] == [True, True]
    position.record.checkers[1, 6:8] = 1
    assert not is_home(position.data.view(STATE)[0], 1)


@pytest.mark.parametrize("counts", [(16, 0, 0, 0, 0, 0), (1, -1, 0, 0, 0, 0), (1, 2, 3)])
def test_impossible_counts(counts):
    with pytest.raises(ValueError, match="bearoff: give the checkers on points 1 to 6, at most 15 in all, not"):
        rolls_needed(counts)
