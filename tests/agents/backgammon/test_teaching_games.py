"""The games from which the expert's networks learn, against the same games in plain Python."""

import math

import numpy as np
import pytest

from ludarium.agents.backgammon.expectations import network_evaluation
from ludarium.agents.backgammon.player import network_policy
from ludarium.agents.backgammon.teaching_games import network, play, start
from ludarium.agents.expert import NETWORKS
from ludarium.envs.backgammon.rules import ROLLING
from ludarium.envs.chance import below, child_key, seed_key, uniform
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")
BOARDS = (
    "-a---BDaC---cC-b-b-dAb--B-",  # contact
    "---BBCCCA---------beec----",  # a race
    "-BDE------a--------a----b-",  # shots
)


def set_up(row):
    """A position of a decision, with seat 0 to roll."""
    position = GAME.start()
    checkers = position.record.checkers
    checkers[0, [0, 25]], checkers[1, [25, 0]] = row[[0, 25]], row[[26, 27]]
    checkers[0, 1:25], checkers[1, 1:25] = np.maximum(row[1:25], 0), np.maximum(-row[24:0:-1], 0)
    position.record.phase, position.record.seat = ROLLING, 0
    return position


def seen(checkers, seat):
    own, other = checkers[seat], checkers[1 - seat]
    return [own[0], *(own[1:25] - other[24:0:-1]), own[25], other[25], other[0]]


def played(arrays, starts, count, key, rates):
    """The positions that turns lead to, by the text."""
    player = network_policy(GAME, network(arrays, "contact"), race=network(arrays, "race"))
    evaluation, rows = network_evaluation(player), []
    for number in range(count):
        draws = np.array([child_key(key, number), 0], dtype=np.uint64)
        elsewhere = uniform(draws) < rates[0]
        position = set_up(starts[int(below(draws, len(starts)))]) if elsewhere else GAME.start()
        noises = [uniform(draws) * rates[2] if uniform(draws) < rates[1] else 0.0 for _ in range(2)]
        while True:
            position.play(int(below(draws, len(position.outcomes()))))
            seat, results = position.turn, position.afterstates()
            values = [r.payoffs()[seat] if r.over else evaluation.value(r, seat) for r in results]
            if noises[seat]:
                values = [value - noises[seat] * math.log(-math.log(uniform(draws))) for value in values]
            position = results[int(np.argmax(values))]
            if position.over:
                break
            checkers = position.record.checkers
            rows.append(seen(checkers, seat))
            if not checkers[:, 7:].any():  # the tables of bear-offs know the rest
                break
    return rows


def check(arrays, boards, count, rates):
    starts = [seen(GAME.from_text(f"XGID={board}:0:0:1:00:0:0:0:0:6").record.checkers, 0) for board in boards]
    starts, key = np.array(starts, dtype=np.int8), seed_key(11)
    rows = play(GAME, arrays, starts, count, key, np.array(rates))
    assert rows.tolist() == played(arrays, starts, count, key, rates)


@pytest.mark.parametrize(("rates", "count"), [((0.0, 0.0, 0.0), 1), ((1.0, 0.5, 0.1), 3)])
def test_games_are_those_of_the_text(rates, count):
    """From the start without noise; and from given positions, where some sides play with noise."""
    with np.load(NETWORKS) as stored:
        check({name: stored[name].astype(np.float32) for name in stored.files}, BOARDS, count, rates)


def test_once_all_checkers_are_at_home_the_tables_decide():
    """Networks that know nothing would choose otherwise."""
    check(start({"contact": 16, "race": 16}, 0), ["-ABBBBCA----------acbbbba-"], 10, (1.0, 0.0, 0.0))
