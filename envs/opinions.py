"""What a player thinks of every move in a position, as `ludarium analyse` shows it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

SCORE = "score"
"""The unit of numbers that only compare the moves of one position, and say nothing about the result of the game."""


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
        value: what it is worth to the seat to move, in the unit of the list.
        exact: whether this is what perfect play gives.
        depth: the decisions looked ahead, this action among them.
        nodes: the positions visited for it.
        line: what is expected to be played: this action, then others as far as they are known.
        terms: what the static evaluation of the position after this action adds up, for the seat that takes it, the
            largest value first; empty if the evaluation is not a sum.
        odds: the probabilities of outcomes, by what they are called; empty if the player does not know them.
        bound: whether the value is only the most that it can be: see `Opinions.marked`.
        plies: the decisions that are left with best play, this action among them, where the winner hurries and the
            loser delays; None if that is not known, or for a draw.
        error: the standard error of a value that is the mean of a sample; None if it is something else.
    """

    action: int
    value: float
    exact: bool = False
    depth: int = 1
    nodes: int = 1
    line: tuple[int, ...] = ()
    terms: tuple[Term, ...] = ()
    odds: tuple[tuple[str, float], ...] = ()
    bound: bool = False
    plies: int | None = None
    error: float | None = None


@dataclass(frozen=True)
class Opinions:
    """What a player thinks of all legal actions, one opinion each.

    Attributes:
        unit: what the values are counted in: `Game.unit`, or `SCORE` from a player that cannot tell.
        moves: the opinions.
        played: the action that it plays; None if it does not say.
    """

    unit: str
    moves: tuple[Opinion, ...]
    played: int | None = None

    def __iter__(self) -> Iterator[Opinion]:
        return iter(self.moves)

    @property
    def mixed(self) -> bool:
        """Whether some are exact and others are estimates, so that their values cannot be compared."""
        return len({opinion.exact for opinion in self.moves}) > 1

    def marked(self, action: int) -> "Opinions":
        """The same from a player that plays `action`, in which no estimate is better than that of this action.

        To say what another move is worth, a player looks at it once more, less closely than it looked for the best. If
        it then sees more in it than in the move it plays, the closer look counts: the value becomes that of the move
        played, as a `bound`. What is exact stays as it is.
        """
        (chosen,) = (opinion for opinion in self.moves if opinion.action == action)
        most = self._merit(chosen)

        def limit(opinion: Opinion) -> Opinion:
            if opinion.exact or self._merit(opinion) <= most:
                return opinion
            return replace(opinion, value=chosen.value, exact=chosen.exact, plies=chosen.plies, bound=True)

        return replace(self, moves=tuple(map(limit, self.moves)), played=action)

    def ranked(self) -> "Opinions":
        """The move that is played first, then the best first; of equals quick wins and late losses, and low actions.

        If some are exact and others are not, moves that are known to win come first, and those known to lose last;
        between them, the estimates are in order, and a known draw is worth 0.
        """

        def rank(opinion: Opinion) -> tuple[bool, float, float, float, int]:
            known, value = self._merit(opinion)
            left = math.copysign(opinion.plies or 0, value)
            return opinion.action != self.played, -known, -value, left, opinion.action

        return replace(self, moves=tuple(sorted(self.moves, key=rank)))

    def _merit(self, opinion: Opinion) -> tuple[float, float]:
        """The greater, the better: beside estimates, who wins comes before all else."""
        known = math.copysign(1.0, opinion.value) if self.mixed and opinion.exact and opinion.value else 0.0
        return known, opinion.value
