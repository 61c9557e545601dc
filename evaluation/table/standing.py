"""How a game at the table stands, as a value: what is kept of it, and what another life goes on from."""

from dataclasses import dataclass, replace
from typing import Any

from ludarium.evaluation.table.moves import Move
from ludarium.evaluation.table.plan import Plan

WATCHED_DELAY = 700
"""Milliseconds between moves where nobody but agents plays."""


@dataclass(frozen=True)
class Standing:
    """A game between two changes.

    Attributes:
        plan: what it was set up with.
        moves: the decisions so far.
        history: decisions and chance outcomes so far, in order.
        taken_back: how often moves were taken back.
        ending: how it ended; empty if it did not.
        loser: the seat that resigned or forfeited; None if none did.
        notes: what is odd about the record that it was taken up from.
        paused: whether agents wait.
        delay: milliseconds that they wait before each move.
        version: how many changes there were; it tells a request that was made for another position.
    """

    plan: Plan
    moves: tuple[Move, ...]
    history: tuple[int, ...]
    taken_back: int
    ending: str
    loser: int | None
    notes: tuple[str, ...]
    paused: bool
    delay: int
    version: int

    @classmethod
    def of(cls, plan: Plan, kept: dict[str, Any]) -> "Standing":
        """A game with this plan, from what `data` gave or a record has; as a default at its beginning."""
        return cls(
            plan,
            tuple(Move(*move) for move in kept.get("moves", ())),
            tuple(kept.get("history", ())),
            int(kept.get("taken_back", 0)),
            str(kept.get("ending", "")),
            kept.get("loser"),
            tuple(str(note) for note in kept.get("notes", ())),
            bool(kept.get("paused", False)),
            int(kept.get("delay", 0 if plan.people else WATCHED_DELAY)),
            int(kept.get("version", 1)),
        )

    def later(self, **changes: Any) -> "Standing":
        """The game after a change."""
        return replace(self, version=self.version + 1, **changes)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.ending)

    def data(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {**vars(self), "plan": self.plan.data()}
