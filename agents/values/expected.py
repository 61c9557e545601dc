"""From the numbers that players compare to the unit in which people read a game: see `Game.unit`."""

from collections.abc import Callable
from functools import lru_cache

from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game
from ludarium.envs.opinions import Opinion
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position


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


def known_value(position: Position, opinion: Opinion) -> float:
    """An exact payoff, counted in the unit of the position's game.

    Where Othello pays for wins alone, the discs are those at the end of the line; if that is not reached, a win is
    worth one.
    """
    game = position.game
    if isinstance(game, Othello) and game.options["scoring"] == "wins":
        end = Othello(**{**game.options, "scoring": "empties_to_winner"}).from_text(position.text)
        for action in opinion.line:
            end.push(action)
        return float(end.payoffs()[position.turn]) if end.over else opinion.value
    return game.as_value(opinion.value)
