"""A decision in a game at the table, as data that the page and the file of sessions hold."""

from typing import Any, NamedTuple

from ludarium.agents.agent import Reason
from ludarium.envs.game import Game, Position
from ludarium.evaluation.play.sitting import Turn


class Move(NamedTuple):
    """One decision.

    Attributes:
        seat: who made it.
        action: what was played.
        text: how it is written.
        drawn: see `Turn`.
        why: the reason of the one who made it, as `reason_data` gives it; None if there is none.
    """

    seat: int
    action: int
    text: str
    drawn: int = 0
    why: dict[str, Any] | None = None

    @classmethod
    def of(cls, turn: Turn, game: Game, before: Position) -> "Move":
        """A decision of a sitting, made in the position `before`."""
        return cls(turn.seat, turn.action, turn.text, turn.drawn, reason_data(turn.why, game, before))

    def turn(self) -> Turn:
        """For a sitting that is to be resumed, which does not need the reason."""
        return Turn(self.seat, self.action, self.text, drawn=self.drawn)


def reason_data(why: Reason, game: Game, position: Position) -> dict[str, Any] | None:
    """A reason as JSON: its words, the values of actions as pairs of move and value, the best first, and a picture."""
    if not (why.text.strip() or why.values or why.drawing):
        return None
    ranked = sorted(why.values.items(), key=lambda pair: -pair[1])
    return {
        "text": why.text.strip("\n"),
        "values": [[game.action_to_str(position, action), float(value)] for action, value in ranked],
        "svg": why.drawing.svg() if why.drawing is not None else None,
    }
