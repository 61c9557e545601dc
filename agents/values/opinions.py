"""What whole turns are worth, for players that compare their results: see `ludarium.envs.opinions`."""

from collections.abc import Callable, Iterator

from ludarium.envs.opinions import Opinion
from ludarium.envs.position import Position

Odds = tuple[tuple[str, float], ...]
"""See `Opinion.odds`."""


def best_turns(position: Position, weigh: Callable[[Position], tuple[float, Odds]]) -> Iterator[Opinion]:
    """The opinion on each action by the best end of the turn that it can lead to.

    Args:
        position: a position where a seat is to move.
        weigh: what a position at the end of its turn is worth to it, and the odds.
    """
    judgements: dict[bytes, tuple[float, Odds]] = {}
    for action in position.legal_actions():
        best: tuple[float, Odds, tuple[int, ...]] | None = None
        for line, result in _results(position, action):
            key = result.data.tobytes()
            if key not in judgements:
                judgements[key] = weigh(result)
            if best is None or judgements[key][0] > best[0]:
                best = (*judgements[key], line)
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
