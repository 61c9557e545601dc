"""What rating an agent comes to, as numbers and as text."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ludarium.envs.game import Game
from ludarium.evaluation.html_table import html_table, paragraph
from ludarium.evaluation.statistics.intervals import student_t
from ludarium.evaluation.tournament.figures import duration, plus_minus
from ludarium.evaluation.tournament.standings import plain

_ALIKE = 1.2  # half the interval, relative to either side
_MOST = 5  # openings and causes that are shown


class Against(NamedTuple):
    """A rung, and how the agent does against it.

    Attributes:
        name: the rung's.
        rating: the rung's.
        expected: the score that the agent's rating makes expect, 0 to 1; None in cooperative games.
        score: its mean score; None if they have not met.
        games: number of games.
    """

    name: str
    rating: float
    expected: float | None
    score: float | None
    games: int


class Opening(NamedTuple):
    """An opening after which the agent does badly.

    Attributes:
        moves: the random moves.
        beyond: mean score, less that against the same rungs after any opening.
        games: number of games.
    """

    moves: str
    beyond: float
    games: int


@dataclass(frozen=True, repr=False)
class Rating:
    """How strong an agent is.

    Attributes:
        game: the game.
        agent: the agent's name.
        rating: in Elo, where random play is 0; in cooperative games the mean score of a team.
        interval: the 95 % interval of it, with the rungs' own uncertainty; wider to the side of which less is known.
        rungs: the ladder, the weakest first.
        games: number of games played.
        seed: they are a function of it.
        seconds: time taken.
        seats: mean score in each seat, 0 to 1; empty in cooperative games.
        openings: in which it does badly, the worst first.
        forfeits: games that the agent did not finish, by cause.
    """

    game: Game
    agent: str
    rating: float
    interval: tuple[float, float]
    rungs: tuple[Against, ...]
    games: int
    seed: int
    seconds: float
    seats: dict[str, float] = field(default_factory=dict)
    openings: tuple[Opening, ...] = ()
    forfeits: dict[str, int] = field(default_factory=dict)

    @property
    def margin(self) -> float:
        """Half the 95 % interval."""
        low, high = self.interval
        return (high - low) / 2

    @property
    def error(self) -> float:
        """The standard error of the rating."""
        return self.margin / student_t(1_000_000)

    @property
    def between(self) -> tuple[str | None, str | None]:
        """The rungs below and above it; None at an end of the ladder."""
        below = [rung.name for rung in self.rungs if rung.rating <= self.rating]
        above = [rung.name for rung in self.rungs if rung.rating > self.rating]
        return below[-1] if below else None, above[0] if above else None

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        return plain(
            {
                "game": self.game.spec,
                "agent": self.agent,
                "rating": self.rating,
                "interval": list(self.interval),
                "unit": "points" if self.game.cooperative else "elo",
                "between": list(self.between),
                "games": self.games,
                "seed": self.seed,
                "seats": self.seats,
                "openings": [opening._asdict() for opening in self.openings],
                "forfeits": self.forfeits,
                "rungs": [rung._asdict() for rung in self.rungs],
                "seconds": self.seconds,
            }
        )

    def __repr__(self) -> str:
        return f"<Rating {self._verdict()}>"

    def __str__(self) -> str:
        return "\n".join((self._verdict(), "", *self._lines(), "", *self._losses(), self._course()))

    def _repr_html_(self) -> str:
        below = "".join(map(paragraph, [*self._losses(), self._course()]))
        return paragraph(self._verdict()) + html_table(f"the ladder of {self.game.spec}", *self._table()) + below

    def _verdict(self) -> str:
        if self.game.cooperative:
            rating = f"{self._measured(2)} points as a team"
        else:
            rating = f"{self._measured(0)} Elo, where random play is 0"
        below, above = self.between
        place = f"between {below} and {above}" if below and above else f"above {below}" if below else f"below {above}"
        return f"{self.game.spec}: {self.agent} has {rating}; {place}"

    def _measured(self, digits: int) -> str:
        """The rating with ±; or with both ends of its interval, if it is beyond the ladder and they are not alike."""
        low, high = self.interval
        if max(high - self.rating, self.rating - low) < _ALIKE * self.margin:
            return plus_minus(self.rating, self.margin, digits)
        return f"{self.rating:.{digits}f} (95 %: {low:.{digits}f} to {high:.{digits}f})"

    def _lines(self) -> list[str]:
        """The ladder as lines of text."""
        head, rows = self._table()
        lines = [head, *rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The titles of the columns, and the ladder from the top, with the agent in its place."""
        digits = 2 if self.game.cooperative else 0
        head = ("", "points") if self.game.cooperative else ("", "Elo", "expected %", "scored %", "games")
        rows = [self._cells(rung, digits) for rung in self.rungs]
        own = (f"→ {self.agent}", f"{self.rating:.{digits}f}", *("" for _ in head[2:]))
        rows.insert(sum(rung.rating <= self.rating for rung in self.rungs), own)
        return head, rows[::-1]

    def _cells(self, rung: Against, digits: int) -> tuple[str, ...]:
        cells = f"  {rung.name}", f"{rung.rating:.{digits}f}"
        if rung.expected is None:
            return cells
        scored = "–" if rung.score is None else f"{100 * rung.score:.1f}"
        return *cells, f"{100 * rung.expected:.1f}", scored, f"{rung.games:,}"

    def _losses(self) -> list[str]:
        """Where it loses: by seat, by opening, by its own mistakes."""
        lines = []
        if self.seats:
            (one, first), (other, second) = self.seats.items()
            lines.append(
                f"as {one} it scores {100 * first:.1f} %, its opponents {100 * (1 - second):.1f} %; "
                f"as {other} {100 * second:.1f} %, and they {100 * (1 - first):.1f} %"
            )
        if self.openings:
            worst = [f"{one.moves} ({100 * one.beyond:+.0f} %)" for one in self.openings[:_MOST]]
            lines.append(f"worst openings, against the mean of all: {', '.join(worst)}")
        for cause, count in sorted(self.forfeits.items(), key=lambda item: -item[1])[:_MOST]:
            lines.append(f"{count} × {self.agent} forfeited: {cause}")
        return lines

    def _course(self) -> str:
        return f"{self.games:,} games in {duration(self.seconds)}; seed {self.seed}"
