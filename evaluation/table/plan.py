"""A game at the table as data: what it is set up with, its moves, and how it stands.

This is what the file keeps, and what another life of the game goes on from.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ludarium.agents.agent import Reason
from ludarium.envs.chance import secret_seed
from ludarium.envs.episode import read_reset_options
from ludarium.envs.game import Game
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.sitting import Turn
from ludarium.evaluation.table.refusal import Refusal

ME = "me"
"""The spec of a seat in which a person sits."""
LARGEST_SEED = 2**53 - 1
"""That may be asked for: the largest number that JavaScript holds exactly."""
WATCHED_DELAY = 700
"""Milliseconds between moves where nobody but agents plays."""


@dataclass(frozen=True)
class Plan:
    """A game with its seats.

    Attributes:
        game: its spec.
        seats: for each seat the spec of an agent, or `ME`.
        seed: of chance and of the agents.
        start: text of the position to begin from; None for the game's own start.
        script: the first chance outcomes, instead of the seed's.
        names: who sat there, by seat, if the game was recorded; else empty.
        pair: the number of the game among those of the seed.
    """

    game: str
    seats: tuple[str, ...]
    seed: int
    start: str | None = None
    script: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    pair: int = 0

    @classmethod
    def of(
        cls,
        game: str,
        seats: Sequence[str],
        seed: int | None,
        start: str | None = None,
        script: Sequence[int] = (),
        names: Sequence[str] = (),
    ) -> "Plan":
        """A plan that has been checked, with a secret seed if none is given.

        Raises:
            Refusal: if there is no such game, or the seats or the position do not suit it.
        """
        chosen = seed if seed is not None else secret_seed()
        plan = cls(game, tuple(seats), chosen, start, tuple(script), tuple(names))
        try:
            made = plan.made
            start_position = plan.start_position
        except (ValueError, TypeError) as error:
            raise Refusal(f"{error}") from None
        if len(seats) != made.seats:
            raise Refusal(f"{made.name} has {made.seats} seats, not {len(seats)}")
        if made.hidden_information and len(plan.people) > 1:
            raise Refusal(f"{made.name}: only one person can sit at one screen, since the others' cards are hidden")
        checked = replace(plan, game=made.spec, start=None if start is None else start_position.text)
        checked.__dict__["made"] = made  # a game takes its time to make
        return checked

    @cached_property
    def made(self) -> Game:
        """The game."""
        return make_game(self.game)

    @cached_property
    def start_position(self) -> Position:
        """The position to begin from."""
        start = None if self.start is None else read_reset_options(self.made, {"position": self.start})[0]
        return self.made.start() if start is None else start

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of persons."""
        return tuple(seat for seat, spec in enumerate(self.seats) if spec == ME)

    def seat_name(self, seat: int) -> str:
        """What the game calls a seat."""
        return self.made.seat_name(seat)

    def data(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Plan":
        """From what `data` gave."""
        lists = {name: tuple(data[name]) for name in ("seats", "script", "names")}
        return cls(**{"pair": 0, **data, **lists})  # earlier versions kept no pair


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
