"""What a player thinks of every move in a position, as `ludarium analyse` shows it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Opinion:
    """What a player thinks of one action.

    Attributes:
        action: the action.
        value: what it is worth to the seat to move: the payoff that it leads to if `exact`, else an estimate in the
            unit of the list.
        exact: whether this is what perfect play gives.
        depth: the decisions looked ahead, this action among them.
        nodes: the positions visited for it.
        line: what is expected to be played: this action, then others as far as they are known.
    """

    action: int
    value: float
    exact: bool = False
    depth: int = 1
    nodes: int = 1
    line: tuple[int, ...] = ()


@dataclass(frozen=True)
class Opinions:
    """What a player thinks of all legal actions, one opinion each.

    Attributes:
        unit: what the values of estimates are counted in, such as `"payoff"`.
        moves: the opinions.
    """

    unit: str
    moves: tuple[Opinion, ...]

    def __iter__(self) -> Iterator[Opinion]:
        return iter(self.moves)

    @property
    def mixed(self) -> bool:
        """Whether some are exact and others are estimates, so that their values cannot be compared."""
        return len({opinion.exact for opinion in self.moves}) > 1

    def ranked(self) -> "Opinions":
        """The best first, of equals the lowest action.

        If some are exact and others are not, moves that are known to win come first, and those known to lose last;
        between them, the estimates are in order, and a known draw is worth 0.
        """

        def rank(opinion: Opinion) -> tuple[float, float, int]:
            known = math.copysign(1.0, opinion.value) if self.mixed and opinion.exact and opinion.value else 0.0
            return -known, -opinion.value, opinion.action

        return replace(self, moves=tuple(sorted(self.moves, key=rank)))
