"""From the values that players compare to those that people read: see `ludarium.envs.opinions`."""

from collections.abc import Iterable
from dataclasses import replace

from ludarium.agents.values.evaluations import Evaluation, win_scale
from ludarium.envs.game import Game
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position

POINTS = "points of the evaluation"
PAYOFF = "payoff"
_DIGITS = 9  # what scaling leaves of a payoff's exact value


def in_units(game: Game, evaluation: Evaluation | None, found: Iterable[Opinion]) -> Opinions:
    """Opinions from values as `evaluations.worth` gives them.

    Args:
        game: the game.
        evaluation: what estimates come from; None if they are returns so far.
        found: the opinions; if they are exact, or without an evaluation, a value is a payoff times `win_scale(game)`.
    """
    scale = win_scale(game)

    def read(opinion: Opinion) -> Opinion:
        payoff = opinion.exact or evaluation is None
        value = round(opinion.value / scale, _DIGITS) if payoff else opinion.value
        return replace(opinion, value=value + 0.0)  # -0.0 is 0 too

    moves = tuple(map(read, found))
    points = evaluation is not None and not all(opinion.exact for opinion in moves)
    return Opinions(POINTS if points else PAYOFF, moves)


def at_sight(position: Position, action: int, evaluation: Evaluation | None) -> Opinion:
    """What an action leads to is worth without any search, with the value as `worth` gives it."""
    seat, child = position.turn, position.copy()
    child.push(action)
    if evaluation is None or child.over:
        value = float(child.payoffs()[seat]) * win_scale(position.game)
    else:
        value = evaluation.value(child, seat)
    return Opinion(action, value, exact=child.over, line=(action,))
