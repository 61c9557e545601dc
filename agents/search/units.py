"""From the numbers that players compare to the unit in which people read a game: see `Game.unit`."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from ludarium.agents.othello.discs import in_discs, slopes
from ludarium.agents.values.evaluations import Evaluation, payoff_of, result
from ludarium.envs.game import Game
from ludarium.envs.opinions import Opinion, Opinions, Term
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position

_DIGITS = 9  # what adding `WIN` leaves of a payoff's exact value


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


def in_units(position: Position, evaluation: Evaluation | None, opinions: Iterable[Opinion]) -> Opinions:
    """Opinions from values as `evaluations.worth` gives them, in the game's unit, with the terms of the evaluation.

    Args:
        position: the position.
        evaluation: what estimates come from; None if they are returns so far.
        opinions: the opinions; if they are exact, or without an evaluation, a value is a payoff's `result`. Exact ones
            have looked no deeper than they had to.
    """
    game, evaluated = position.game, evaluation is not None

    def read(opinion: Opinion) -> Opinion:
        if opinion.exact or evaluation is None:
            hurried = opinion.exact and opinion.value and game.passing < 0  # passes add no depth
            plies = opinion.depth if hurried else None
            return counted(
                position, replace(opinion, value=round(payoff_of(opinion.value, evaluated), _DIGITS), plies=plies)
            )
        shown = replace(opinion, terms=_terms(position, opinion.action, evaluation))
        if isinstance(game, Othello):
            return in_discs(position, shown, slopes(game, evaluation))
        return replace(shown, value=expected(game, evaluation)(opinion.value))

    return Opinions(game.unit, tuple(map(read, opinions)))


def counted(position: Position, opinion: Opinion) -> Opinion:
    """An opinion whose value is a payoff, with the value in the game's unit."""
    if isinstance(position.game, Othello):
        shown = in_discs(position, opinion, None)
    else:
        shown = replace(opinion, value=position.game.as_value(opinion.value))
    return replace(shown, value=shown.value + 0.0)  # -0.0 is 0 too


def _terms(position: Position, action: int, evaluation: Evaluation) -> tuple[Term, ...]:
    """What the evaluation of the position after an action adds up."""
    child = position.copy()
    child.push(action)
    return () if child.over else evaluation.terms(child, position.turn)


def at_sight(position: Position, action: int, evaluation: Evaluation | None) -> Opinion:
    """What an action leads to is worth without any search, with the value as `worth` gives it."""
    seat, child = position.turn, position.copy()
    child.push(action)
    if evaluation is None or child.over:
        value = result(float(child.payoffs()[seat]), evaluation is not None)
    else:
        value = evaluation.value(child, seat)
    return Opinion(action, value, exact=child.over, line=(action,))
