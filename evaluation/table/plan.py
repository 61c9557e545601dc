"""What a game at the table is set up with, as data: enough to set it up again after a restart."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from ludarium.envs.chance import secret_seed
from ludarium.envs.episode import read_reset_options
from ludarium.envs.game import Game, Position, seat_name
from ludarium.envs.registry import make_game
from ludarium.evaluation.table.refusal import Refusal

ME = "me"
"""The spec of a seat in which a person sits."""
LARGEST_SEED = 2**53 - 1
"""That may be asked for: the largest number that JavaScript holds exactly."""


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
        found = None if self.start is None else read_reset_options(self.made, {"position": self.start})[0]
        return self.made.start() if found is None else found

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of persons."""
        return tuple(seat for seat, spec in enumerate(self.seats) if spec == ME)

    def seat_name(self, seat: int) -> str:
        """What the game calls a seat."""
        return seat_name(self.made, seat)

    def data(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Plan":
        """From what `data` gave."""
        lists = {name: tuple(data[name]) for name in ("seats", "script", "names")}
        return cls(**{"pair": 0, **data, **lists})  # earlier versions kept no pair
