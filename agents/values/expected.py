"""From the numbers that players compare to the unit in which people read a game: see `Game.unit`."""

from collections.abc import Callable
from functools import lru_cache

from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game


def expected(game: Game, evaluation: Evaluation) -> Callable[[float], float]:
    """What values of an evaluation stand for, counted in `game.unit`.

    One that has learned to expect payoffs says so itself (`Evaluation.expects`). Of any other, only the order of its
    values is known. A value v then counts as the payoff that lies the fraction v / (|v| + u) of the way from the middle
    to the best, where u is a typical value, `Evaluation.unit`. So it lies between the worst and the best payoff, and a
    greater one stays greater; it is no probability. `ludarium.agents.search.mcts` reads evaluations the same way.
    """
    payoff = evaluation.expects or _between(game, evaluation)
    return lambda value: game.as_value(payoff(value))


@lru_cache(maxsize=8)
def _between(game: Game, evaluation: Evaluation) -> Callable[[float], float]:
    lowest, highest = game.payoff_range
    middle, half, typical = (lowest + highest) / 2, (highest - lowest) / 2, evaluation.unit(game)
    return lambda value: middle + half * value / (abs(value) + typical)
