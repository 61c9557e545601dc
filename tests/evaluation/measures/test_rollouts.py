"""Rollouts: which result they choose, by points and by pips, and that workers change nothing."""

from dataclasses import replace

import numpy as np
import pytest

from ludarium.agents.learning.parallel import workers
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decisions import Decisions, legal_results
from ludarium.envs.backgammon.rules import MOVING, ROLLING
from ludarium.envs.chance import AGENTS, DEALING, stream
from ludarium.envs.kernels import CHANCE
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.rollouts import judge_by_rollouts

GAME = make_game("backgammon")


def decisions(dice, **columns):
    """One decision; columns as in `Decisions`, named `c0` to `c27`."""
    position = np.zeros((1, 28), dtype=np.int8)
    for name, checkers in columns.items():
        position[0, int(name[1:])] = checkers
    rolled = np.array([dice], dtype=np.int8)
    results, offsets = legal_results(position, rolled)
    chosen = np.zeros(len(results), dtype=np.bool_)
    chosen[-1] = True
    one, last = np.zeros(1, dtype=np.int32), np.array([len(results) - 1], dtype=np.int32)
    return Decisions(position, rolled, results, offsets, chosen, last, one.astype(np.int8), one, one == 1)


def judged(some, rollouts=40, executor="threads", size=1, game=GAME, agent="greedy", **options):
    with workers(executor, size) as parallel:
        return judge_by_rollouts(game, agent, some, rollouts, parallel, **options)


def test_the_result_that_wins_more_is_chosen():
    """Two checkers left, on the 6 and 5 points, and 2-1 to play, while the opponent bears off on its next roll."""
    settled, values = judged(decisions((1, 2), c0=13, c6=1, c5=1, c27=14, c24=-1))
    assert values.tolist() == [-1] * len(values)  # whatever is played, the next roll of the opponent ends the game
    settled, values = judged(decisions((1, 2), c0=13, c6=1, c5=1, c27=11, c24=-4), 400)
    best = settled.results[settled.chosen]
    assert best[0, 1:7].tolist() in ([0, 0, 1, 0, 1, 0], [0, 0, 0, 2, 0, 0])  # 14 rolls and 17 rolls bear off both
    assert settled.played[0] == values.argmax() == np.flatnonzero(settled.chosen)[0]


def test_wins_at_once_are_counted_with_their_gammon():
    _, values = judged(decisions((1, 2), c0=14, c1=1, c13=-15), 3)
    assert values.tolist() == [2] * len(values)
    _, values = judged(decisions((1, 2), c0=14, c1=1, c13=-14, c26=1), 3)
    assert values.tolist() == [3] * len(values)
    _, values = judged(decisions((1, 2), c0=14, c1=1, c13=-15), 3, game=make_game("backgammon?scoring=wins"))
    assert values.tolist() == [1] * len(values)


def test_home_bound_is_the_lead_once_the_sides_have_passed():
    race = decisions((1, 2), c0=13, c6=1, c5=1, c27=14, c22=-1)
    _, values = judged(race, 2, metric="home-bound")
    assert values == pytest.approx(3 - (11 - 3) - 49 / 12)  # the opponent rolls next
    _, values = judged(race, 2, metric="home-bound", roll_bonus=8.166)
    assert values == pytest.approx(3 - (11 - 3) - 8.166)


def lead(record):
    """How many pips seat 0 is ahead."""
    return int(np.arange(26) @ (record.checkers[1].astype(int) - record.checkers[0]))


def played_on(position, metric, *path):
    """What a rollout by the random agent is worth to seat 0, with the streams of the path."""
    policy, dealing = make_agent("random", GAME).policy, stream(*path, DEALING)
    streams, record = [stream(*path, AGENTS + seat) for seat in range(2)], position.record
    while not position.over:
        farthest = sum(np.flatnonzero(record.checkers[seat]).max() for seat in range(2))
        if metric == "home-bound" and record.phase == ROLLING and farthest < 25:
            return lead(record) + (49 / 12 if record.seat == 0 else -49 / 12)
        if position.turn == CHANCE:
            position.play(position.draw_outcome(dealing))
        else:
            seen, mask = position.look(position.turn)
            position.play(policy.choose(GAME, position.data, seen, mask, streams[position.turn]))
    return position.payoffs()[0] if metric == "points" else lead(record)


@pytest.mark.parametrize("metric", ["points", "home-bound"])
def test_values_are_means_over_games_with_the_same_dice_for_each_result(metric):
    position = GAME.start()
    record = position.record
    record.checkers[:], record.dice[:], record.phase = 0, (1, 2), MOVING
    record.checkers[0, [0, 5, 7]], record.checkers[1, [0, 22]] = (13, 1, 1), (13, 2)
    _, values = judged(decisions((1, 2), c0=13, c7=1, c5=1, c27=13, c3=-2), 8, agent="random", seed=3, metric=metric)
    expected = [
        np.mean([played_on(result.copy(), metric, 3, 0, rollout) for rollout in range(8)])
        for result in position.afterstates()
    ]
    assert values == pytest.approx(expected)


def test_workers_change_nothing():
    race = decisions((3, 4), c0=9, c6=3, c5=3, c27=9, c24=-3, c20=-3)
    reports = []
    alone, values = judged(race, 5, seed=7, progress=reports.append)
    assert reports == [1]
    for executor, size in (("threads", 2), ("processes", 1)):
        together, same = judged(race, 5, executor, size, seed=7)
        assert (same == values).all()
        assert (together.chosen == alone.chosen).all()
    assert (judged(race, 5, seed=8)[1] != values).any()


def test_decisions_are_judged_in_parts_each_by_its_own_number(monkeypatch):
    """The same decision ten times, which meets other dice each time, whatever the parts."""
    one = decisions((3, 4), c0=9, c6=3, c5=3, c27=9, c24=-3, c20=-3)
    count, arrays = len(one.results), [name for name, value in vars(one).items() if isinstance(value, np.ndarray)]
    repeated = {name: np.concatenate([getattr(one, name)] * 10) for name in arrays}
    ten = replace(one, **repeated | {"offsets": count * np.arange(11)})
    reports = []
    settled, values = judged(ten, 5, seed=7, progress=reports.append)
    by_decision = values.reshape(10, count)
    assert reports == [8, 10]
    assert by_decision[0].tolist() == judged(one, 5, seed=7)[1].tolist()
    assert settled.played.tolist() == by_decision.argmax(axis=1).tolist()
    assert np.flatnonzero(settled.chosen).tolist() == [
        n * count + best for n, best in enumerate(settled.played.tolist())
    ]
    assert len(np.unique(by_decision, axis=0)) > 5
    monkeypatch.setattr("ludarium.evaluation.measures.backgammon.rollouts._AT_ONCE", 3)
    assert judged(ten, 5, seed=7)[1].tolist() == values.tolist()


def test_bad_input():
    race = decisions((1, 2), c0=13, c6=1, c5=1, c27=14, c24=-1)
    with pytest.raises(ValueError, match="rollouts: metric must be one of points, home-bound, not 'pips'"):
        judged(race, metric="pips")
    with pytest.raises(ValueError, match="roll_bonus must be a finite number of pips, not nan"):
        judged(race, metric="home-bound", roll_bonus=float("nan"))
    with workers() as parallel, pytest.raises(ValueError, match="is not compiled; take a network"):
        judge_by_rollouts(GAME, lambda observation, action_mask, info: 0, race, 1, parallel)
