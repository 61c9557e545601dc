"""From the values that players compare to those that people read: see `ludarium.envs.opinions`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ludarium.agents.values.evaluations import Evaluation, win_scale
from ludarium.agents.values.expected import expected, known_value
from ludarium.envs.opinions import Opinion, Opinions, Term
from ludarium.envs.position import Position

Odds = tuple[tuple[str, float], ...]
"""See `Opinion.odds`."""
_DIGITS = 9  # what scaling leaves of a payoff's exact value


def in_units(position: Position, evaluation: Evaluation | None, found: Iterable[Opinion]) -> Opinions:
    """Opinions from values as `evaluations.worth` gives them, in the game's unit, with the terms of the evaluation.

    Args:
        position: the position.
        evaluation: what estimates come from; None if they are returns so far.
        found: the opinions; if they are exact, or without an evaluation, a value is a payoff times `win_scale`. Exact
            ones have looked no deeper than they had to.
    """
    game, scale = position.game, win_scale(position.game)

    def read(opinion: Opinion) -> Opinion:
        if evaluation is None or opinion.exact:
            known = opinion.exact and opinion.value and game.passing < 0  # passes add no depth
            payoff = round(opinion.value / scale, _DIGITS)
            return counted(position, replace(opinion, value=payoff, plies=opinion.depth if known else None))
        value = expected(game, evaluation)(opinion.value)
        return replace(opinion, value=value, terms=_terms(position, opinion.action, evaluation))

    return Opinions(game.unit, tuple(map(read, found)))


def counted(position: Position, opinion: Opinion) -> Opinion:
    """An opinion whose value is a payoff, with the value in the game's unit."""
    value = known_value(position, opinion) if opinion.exact else position.game.as_value(opinion.value)
    return replace(opinion, value=value + 0.0)  # -0.0 is 0 too


def _terms(position: Position, action: int, evaluation: Evaluation) -> tuple[Term, ...]:
    """What the evaluation of the position after an action adds up."""
    child = position.copy()
    child.push(action)
    return () if child.over else evaluation.terms(child, position.turn)


def best_turns(position: Position, weigh: Callable[[Position], tuple[float, Odds]]) -> Iterator[Opinion]:
    """The opinion on each action by the best end of the turn that it can lead to.

    Args:
        position: a position where a seat is to move.
        weigh: what a position at the end of its turn is worth to it, and the odds.
    """
    known: dict[bytes, tuple[float, Odds]] = {}
    for action in position.legal_actions():
        best: tuple[float, Odds, tuple[int, ...]] | None = None
        for line, result in _results(position, action):
            key = result.data.tobytes()
            if key not in known:
                known[key] = weigh(result)
            if best is None or known[key][0] > best[0]:
                best = (*known[key], line)
        assert best is not None
        yield Opinion(action, best[0], line=best[2], odds=best[1])


def _results(position: Position, action: int) -> Iterator[tuple[tuple[int, ...], Position]]:
    """The positions in which a turn can end that begins with an action, each with the actions that lead there.

    Both decisions of a double in backgammon belong to one turn.
    """
    child = position.copy()
    child.push(action)
    if child.turn != position.turn:
        yield (action,), child
        return
    for following in child.legal_actions():
        for line, result in _results(child, following):
            yield (action, *line), result


def at_sight(position: Position, action: int, evaluation: Evaluation | None) -> Opinion:
    """What an action leads to is worth without any search, with the value as `worth` gives it."""
    seat, child = position.turn, position.copy()
    child.push(action)
    if evaluation is None or child.over:
        value = float(child.payoffs()[seat]) * win_scale(position.game)
    else:
        value = evaluation.value(child, seat)
    return Opinion(action, value, exact=child.over, line=(action,))
