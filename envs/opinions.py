"""What a player thinks of every move in a position, as `ludarium analyse` shows it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Term:
    """One part of a static evaluation that is a sum.

    Attributes:
        name: what is counted.
        amount: how much of it the seat has, less what the others have.
        weight: what one of it is worth.
    """

    name: str
    amount: float
    weight: float

    @property
    def value(self) -> float:
        """What it adds to the evaluation."""
        return self.amount * self.weight


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
        terms: what the static evaluation of the position after this action adds up, for the seat that takes it, the
            largest value first; empty if the evaluation is not a sum.
        odds: the probabilities of outcomes, by what they are called; empty if the player does not know them.
    """

    action: int
    value: float
    exact: bool = False
    depth: int = 1
    nodes: int = 1
    line: tuple[int, ...] = ()
    terms: tuple[Term, ...] = ()
    odds: tuple[tuple[str, float], ...] = ()


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
