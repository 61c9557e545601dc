"""The network of `td` in backgammon: how large it may be, and what it learns, against the formulas in plain Python."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.td import check, learn, start
from ludarium.envs.chance import below, child_key, seed_key, uniform
from ludarium.envs.registry import make_game

GAME = make_game("backgammon?variant=hypergammon")  # short games
POINTS = np.array([-3, -2, -1, 1, 2, 3])
COUNTS = inputs("counts")


@pytest.mark.parametrize(("name", "most"), [("counts", 289_262), ("tesauro", 83_055), ("stacks", 22_192)])
def test_the_largest_network_has_2_to_the_24_weights(name, most):
    """Each unit has one for each input, of which there are 52, 196 and 750, and one for each of the six outcomes."""
    check(most, name)
    with pytest.raises(ValueError, match=rf"^td: hidden={most + 1} is too large for backgammon; lower it$"):
        check(most + 1, name)


def seen(position, seat):
    """The inputs of a position after a turn of the seat, and 1 for the bias."""
    row, checkers = np.zeros(COUNTS.number + 1), position.record.checkers[[seat, 1 - seat]]
    np.add.at(row, COUNTS.columns, COUNTS.values[np.arange(26), checkers])
    row[-1] = 1
    return row


def expect(hidden, output, row):
    """What the hidden units put out, and 1 for the bias; and the probabilities of the outcomes."""
    units = np.append(1 / (1 + np.exp(-row @ hidden)), 1)
    powers = np.exp(units @ output)
    return units, powers / powers.sum()


def final(position, seat):
    """The outcomes of a game that is over."""
    return np.eye(6)[POINTS.tolist().index(int(position.payoffs()[seat]))]


def learned(arrays, first, games, key, rates):
    """The weights after some games, by the text, and the number of their turns."""
    hidden, output = arrays["hidden"].astype(float), arrays["output"].astype(float)
    step, td_lambda, at_random, decay = rates
    total = 0
    for number in range(first, first + games):
        draws, position, turns = np.array([child_key(key, number), 0], dtype=np.uint64), GAME.start(), []
        while not position.over:
            if position.turn < 0:
                position.play(int(below(draws, len(position.outcomes()))))
                continue
            seat, results = position.turn, position.afterstates()
            outcomes = [
                final(result, seat) if result.over else expect(hidden, output, seen(result, seat))[1]
                for result in results
            ]
            best = int(np.argmax(outcomes @ POINTS))
            taken = int(below(draws, len(results))) if uniform(draws) < at_random else best
            position = results[taken]
            turns.append((None if position.over else seen(position, seat), outcomes[best], taken != best))
        total += len(turns)
        target, alpha = final(position, seat), step * (1 - number * decay)
        for (row, _, _), (_, promised, strayed) in zip(turns[-2::-1], turns[:0:-1], strict=True):
            kept = 0 if strayed else td_lambda
            target = ((1 - kept) * promised + kept * target)[::-1]
            units, probabilities = expect(hidden, output, row)
            missing = target - probabilities
            slopes = (output @ missing * units * (1 - units))[:-1]
            output += alpha * np.outer(units, missing)
            hidden += alpha * np.outer(row, slopes)
    return hidden, output, total


@pytest.mark.parametrize("rates", [(0.1, 0.7, 0.0, 0.0), (0.2, 0.6, 0.3, 0.1)])
def test_the_steps_are_those_of_the_formulas(rates):
    """Also with random turns, and with a step that has become smaller."""
    arrays, key = start(3, "counts", 2), seed_key(4)
    hidden, output, total = learned(arrays, 2, 2, key, rates)
    assert learn(GAME, arrays, "counts", 2, 2, key, np.array(rates)) == total
    np.testing.assert_allclose(arrays["hidden"], hidden, atol=1e-4)
    np.testing.assert_allclose(arrays["output"], output, atol=1e-4)
