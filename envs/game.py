"""What a game is: a record, a few compiled kernels over it, and declared facts.

A game is one class. Its state is one NumPy record; its rules are plain functions over that record, the *kernels*, which
Numba compiles to C functions on first use; its facts (seats, chance, hidden information, sizes) decide which algorithms
accept it. Everything else, from `gym.make` to search and tournaments, follows from that.
`examples/connect_four.py` is a whole game in one file.

Kernels (`s` is the record, `o` the record of the options; arrays have no length, so write only what the table says):

| kernel | what it does |
|---|---|
| `setup(s, o)` | write the whole starting position (all bytes of the record are zero beforehand) |
| `turn(s)` | the seat to move (0, 1, …), `CHANCE` or `OVER` |
| `legal(s, mask)` | write 0 or 1 to `mask[0..actions)`; return the number of ones (0 at chance nodes and at the end) |
| `play(s, action)` | apply a legal action of the seat to move or, at a chance node, the outcome |
| `payoffs(s, out)` | write each seat's return so far to `out[0..seats)`; rewards are the differences |
| `observe(s, seat, out)` | write every element of the seat's observation, and nothing that it may not see |
| `chance(s, probabilities)` | games with dice or cards: write each outcome's probability; return their number |
| `sample(s, bits)` | optional, for speed: a uniformly random legal action from 64 random bits |
| `sample_chance(s, bits)` | optional, for speed: the first outcome whose cumulative probability exceeds `unit(bits)` |
| `afterstates(s, out)` | optional: write the distinct records a whole turn can lead to; return their number |
| `see(s, seat, v)` | optional: write every field of the seat's view, a record of type `view`, from what it may know |

Kernels return an integer (0 where the table does not say which) and never raise. Functions of random bits, such as
`unit`, are in `ludarium.envs.chance`.

A game may also provide `evaluations`, functions for agents that look ahead, which say what an unfinished position is
worth to a seat: see `ludarium.agents.values.evaluations`.
"""

import zlib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.calls import Calls, address, observing
from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.jit import c_function
from ludarium.envs.options import IllegalAction, Option, did_you_mean
from ludarium.envs.position import Position

kernel = staticmethod
"""Marks a kernel in a game's class: `play = kernel(rules.play)`, or `@kernel` above a `def`."""

RESULT = "result (loss -1, win +1)"
"""The unit of games that are only won, drawn or lost."""

_REQUIRED = ("setup", "turn", "legal", "play", "payoffs", "observe")


class Resignation(NamedTuple):
    """A way to give up that the rules of a game count.

    Attributes:
        name: what is lost: `gammon`.
        action: what the kernel `play` takes for it; no mask of legal actions holds it, and no agent may play it.
        points: how many points that is.
    """

    name: str
    action: int
    points: int


class Game:
    """A game with its options chosen: `Othello(size=6)`.

    Subclasses declare the facts below and the kernels of the module docstring. A fact that depends on options is a
    property that reads `self.options`.

    Raises (from the constructor):
        TypeError: for an unknown option.
        ValueError: for a value an option does not allow.
    """

    name: ClassVar[str]
    """Lower-case identifier: `"othello"`."""
    title: ClassVar[str] = ""
    """The name as people write it; if empty, `name` is shown."""
    state: ClassVar[np.dtype[Any]]
    """The record type of a position; use `align=True`."""
    option_types: ClassVar[Mapping[str, Option]] = {}
    """The options, by name, in the order shown to people."""
    actions: int
    """Number of action ids."""
    observation_shape: tuple[int, ...]
    """Shape of one seat's observation; its dtype is int8."""
    max_moves: int
    """Maximum number of decisions in a game; longer games are cut off (a truncation)."""
    evaluations: ClassVar[Mapping[str, Any]] = {}
    """What positions are worth, by name: `value(s, seat)`, or a pair of `value(s, seat, weights)` and named weights."""
    seats: int = 2
    """Number of seats."""
    seat_names: tuple[str, ...] = ("first", "second")
    """What the game calls its seats."""
    observation_range: tuple[int, int] = (0, 1)
    """Minimum and maximum number in an observation."""
    seat_colours: tuple[str, ...] = ()
    """The colour of each seat's pieces in pictures, `"#rrggbb"`; none if pieces do not tell the seats apart."""
    payoff_range: tuple[float, float] = (-1.0, 1.0)
    """Minimum and maximum return of a seat."""
    unit: str = "payoff"
    """What people count the value of a position in, the same through a whole game; see `as_value`."""
    zero_sum: bool = True
    """The payoffs of a finished game sum to zero."""
    small: bool = False
    """At most a million positions can be reached from the start, so the game can be solved; False if nobody knows."""
    cooperative: bool = False
    """All seats get the same payoff."""
    hidden_information: bool = False
    """Seats do not see everything, so searching from the true position would be cheating."""
    max_outcomes: int = 0
    """Maximum number of outcomes at a chance node; 0 for games without chance."""
    passing: int = -1
    """The action that only gives up the turn; -1 if there is none. Players that look ahead do not count it."""
    max_afterstates: int = 0
    """Maximum number of records that `afterstates` writes."""
    view: np.dtype[Any] | None = None
    """The record type of what `see` writes: all that a seat may know of the game so far, for agents that ask for it."""

    def __init__(self, **options: int | str | bool) -> None:
        for name in options:
            if name not in self.option_types:
                hint, names = did_you_mean(name, self.option_types), ", ".join(self.option_types) or "none"
                raise TypeError(f"{self.name}: unknown option {name!r}; {hint}the options are: {names}")
        self.given = options
        """The options as they were given; `configure` may fill in others in `self.options` that depend on them."""
        self.options: dict[str, Any] = {
            name: option.check(self.name, name, options.get(name, option.default))
            for name, option in self.option_types.items()
        }
        self.configure()

    def configure(self) -> None:
        """Check combinations of options, and fill in those that depend on others; called once."""

    # --- compiled form -----------------------------------------------------------------------------------------------

    @cached_property
    def option_record(self) -> NDArray[Any]:
        """The options as kernels see them, shape (1,), with one int64 field per option."""
        names = list(self.options) or ["none"]
        record = np.zeros(1, dtype=np.dtype([(name, np.int64) for name in names]))
        for name, value in self.options.items():
            record[name] = self.option_types[name].encode(value)
        return record

    @cached_property
    def option_bytes(self) -> NDArray[np.uint8]:
        """The same memory as bytes, so that loops for every game need no compilation for each game's record type."""
        return self.option_record.view(np.uint8)

    @cached_property
    def compiled(self) -> dict[str, Any]:
        """The kernels as C functions, by name; compiling them on first use takes seconds; the result is kept on disk.

        `see` is not among them: see `compile_view`.

        Raises:
            TypeError: if a required kernel is missing or is not a plain function.
        """
        required = (*_REQUIRED, "chance") if self.max_outcomes else _REQUIRED
        names = [
            name for name in kernels.NAMES[: kernels.SEE] if name in required or getattr(self, name, None) is not None
        ]
        return {name: self._compile(name) for name in names}

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """Kernel addresses and sizes, as compiled loops take them: see `ludarium.envs.kernels` and `compile_view`."""
        table = np.zeros(kernels.TABLE_SIZE, dtype=np.int64)
        for name, function in self.compiled.items():
            table[kernels.NAMES.index(name)] = function.address
        table[kernels.STATE_SIZE] = self.state.itemsize
        table[kernels.ACTIONS] = self.actions
        table[kernels.OBSERVATION_SIZE] = self.observation_size
        table[kernels.SEATS] = self.seats
        table[kernels.MAX_OUTCOMES] = self.max_outcomes
        table[kernels.MAX_MOVES] = self.max_moves
        table[kernels.MAX_AFTERSTATES] = self.max_afterstates
        table[kernels.VIEW_SIZE] = self.view_size
        return table

    @cached_property
    def address(self) -> int:
        """The address of the table, which lives as long as the game."""
        return address(self.table)

    @cached_property
    def record_type(self) -> np.dtype[Any]:
        """The type of `Position.record`."""
        return np.dtype((np.record, self.state))

    @cached_property
    def shapes(self) -> tuple[int, tuple[int, ...], Calls]:
        """`actions` and `observation_shape`, which a game may compute, and the calls for observations of this shape."""
        return self.actions, tuple(self.observation_shape), observing(len(self.observation_shape))

    @cached_property
    def layout(self) -> int:
        """A number that changes with the fields of the record, so that no pickled position is misread."""
        return zlib.crc32(repr((self.state.descr, self.state.itemsize)).encode())

    def compile_view(self) -> int:
        """Compile the kernel `see`, put its address into the table, and return it.

        Few players need views, and the kernel may take seconds to compile; so this is done when one is first asked for.

        Raises:
            ValueError: if the game has no views.
            TypeError: if the kernel is missing or is not a plain function.
        """
        if self.view is None:
            raise ValueError(f"{self.spec}: this game has no views")
        if not self.table[kernels.SEE]:
            self.table[kernels.SEE] = self._compile("see").address
        return int(self.table[kernels.SEE])

    def _compile(self, name: str) -> Any:
        from numba.core.errors import NumbaError

        function = getattr(self, name, None)
        if function is None:
            raise TypeError(f"{self.name}: the game has no kernel {name!r}; see ludarium.envs.game")
        if not callable(function) or isinstance(function, type):
            raise TypeError(f"{self.name}: the kernel {name!r} must be a plain function, not {function!r}")
        signature = kernels.signatures(self.state, self.option_record.dtype, self.view)[name]
        try:
            return c_function(function, signature)
        except (NumbaError, KeyError) as error:  # KeyError: a field that the record does not have
            raise TypeError(f"{self.name}: the kernel {name!r} does not compile:\n{error}") from None

    @cached_property
    def observation_size(self) -> int:
        """Number of elements of an observation."""
        return int(np.prod(self.observation_shape))

    @property
    def view_size(self) -> int:
        """Number of bytes of a view; 0 if the game has none."""
        return 0 if self.view is None else self.view.itemsize

    @property
    def symmetries(self) -> Sequence[Sequence[int]] | NDArray[np.int64]:
        """The symmetries of the rules, a row of `actions` numbers each: what each action is in the mirror image."""
        return ()

    @property
    def largest_payoff(self) -> float:
        """The largest absolute payoff."""
        return float(max(map(abs, self.payoff_range)))

    def as_value(self, payoff: float) -> float:
        """A payoff, known or expected, counted in `unit`."""
        return payoff

    @property
    def even(self) -> float | None:
        """The value of a position that favours neither side, in `unit`; None if there are no two sides.

        If a position is worth v to one side, it is worth 2 · even - v to the other.
        """
        return self.as_value(0.0) if self.seats == 2 and self.zero_sum else None

    @cached_property
    def images(self) -> NDArray[np.int64]:
        """How actions look in each mirror image, shape (images, actions), the game itself first.

        A game played in all its images at once is in corresponding positions all the time, so a learner can learn from
        each without any code to transform a position. A game without `symmetries` has one image.
        """
        itself = np.arange(self.actions)
        rows = np.asarray(self.symmetries, dtype=np.int64).reshape(-1, self.actions)
        return np.concatenate([itself[None], rows[(rows != itself).any(axis=1)]])

    @property
    def spec(self) -> str:
        """The game and its options as text: `othello?size=6`; only options that differ from the default."""
        changed = [f"{k}={v}" for k, v in self.options.items() if v != self.option_types[k].default]
        return self.name + ("?" + "&".join(changed) if changed else "")

    def seat_name(self, seat: int) -> str:
        """The game's name for a seat; `player N` if it gives none."""
        return self.seat_names[seat] if seat < len(self.seat_names) else f"player {seat}"

    def start(self) -> Position:
        """The starting position (before any chance).

        Examples:
            >>> from ludarium.envs import make_game
            >>> make_game("tictactoe").start().text
            '.../.../... x'
        """
        return Position(self)

    # --- text and pictures: override what the game's own notation does better -----------------------------------------

    def action_to_str(self, position: Position, action: int) -> str:
        """The action in the game's notation, seen from `position`."""
        return str(action)

    def turn_text(self, position: Position, actions: Sequence[int]) -> str:
        """The actions of one turn as they are usually written together; by default one after the other."""
        here, words = position.copy(), []
        for action in actions:
            words.append(self.action_to_str(here, action))
            here.push(action)
        return " ".join(words)

    def str_to_action(self, position: Position, text: str) -> int:
        """The legal action that `text` names; by default, the one that prints as `text`.

        Raises:
            IllegalAction: if no legal action is written that way.
        """
        for action in position.legal_actions():
            if self.action_to_str(position, action) == text.strip():
                return action
        raise IllegalAction(f"{self.name}: {text!r} is not a legal move; legal: {position.legal_text()}")

    def outcome_to_str(self, position: Position, outcome: int) -> str:
        """The chance outcome in the game's notation."""
        return str(outcome)

    def to_text(self, position: Position) -> str:
        """The whole position in one line that `from_text` reads back."""
        return position.data.tobytes().hex()

    def from_text(self, text: str) -> Position:
        """The position that `text` describes.

        Raises:
            ValueError: if it is not a position of this game.

        Examples:
            >>> from ludarium.envs import make_game
            >>> make_game("tictactoe").from_text(".../.x./... o").turn
            1
        """
        try:
            data = bytes.fromhex(text)
        except ValueError:
            data = b""
        if len(data) != self.state.itemsize:
            raise ValueError(f"{self.name}: a position is {2 * self.state.itemsize} hexadecimal digits, not {text!r}")
        return Position(self, data)

    def to_ansi(self, position: Position) -> str:
        """The position as lines of text for a terminal."""
        return self.to_text(position)

    def draw(self, position: Position) -> Drawing:
        """The position as a picture."""
        return Drawing.of_text(self.to_ansi(position))

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """Which parts of the picture stand for the legal actions, for the seat to move.

        Returns:
            By action, the rectangles of `draw` that one would touch to choose it, in that order: for a move on a board
            the square it comes from, if there is one, and the square it goes to. Actions may be left out.
        """
        return {}

    def squares(self, seat: int) -> Mapping[str, int]:
        """The squares of a board, by a letter and a number each, in the order in which the game prints them.

        Returns:
            By name, row by row from the top left corner, where the square is in the planes of the seat's observation,
            counted row by row. Empty for games without a board, or without names for squares.
        """
        return {}

    def view_text(self, position: Position, seat: int) -> str:
        """`to_ansi` as a seat may see it; the same where nothing is hidden."""
        return self.to_ansi(position)

    def side_text(self, position: Position, seat: int) -> str:
        """`view_text` for somebody who sits at that seat's side of the board; in most games all look at it alike."""
        return self.view_text(position, seat)

    def draw_view(self, position: Position, seat: int) -> Drawing:
        """`draw` as a seat may see it; the same where nothing is hidden."""
        return self.draw(position)

    def redealt(self, position: Position, stream: NDArray[np.uint64]) -> Position | None:
        """A position that the seat to move cannot tell from this one: what is hidden from it is drawn anew.

        Agents that judge moves get this one, so that they cannot see what the seat does not.

        Args:
            position: a position where a seat is to move.
            stream: the random numbers, shape (2,) uint64; with them, the result is a function of the seat's view.

        Returns:
            None where information is hidden, unless the game can do this.
        """
        return None if self.hidden_information else position.copy()

    def draw_known(self, position: Position) -> Drawing | None:
        """`draw` with what is hidden only as its owners know it, so that everybody may see it.

        Returns:
            None by default, and where nothing is hidden.
        """
        return None

    def facts(self, position: Position, seat: int | None) -> Mapping[str, str]:
        """What people keep an eye on and a picture does not say in words: counts, the score, identifiers.

        Args:
            position: the position.
            seat: for whom: nothing that is hidden from it; None for a spectator, who sees everything.

        Returns:
            Short texts by name; none by default.
        """
        return {}

    def resignations(self, position: Position) -> Sequence[Resignation]:
        """The ways in which the seat to move can give up, where the rules know several, the cheapest first.

        Returns:
            By default none: whoever gives up has lost.
        """
        return ()

    def result_text(self, position: Position) -> str:
        """One line about a finished game; by default, the payoffs."""
        return ", ".join(f"{n} {p:+g}" for n, p in zip(self.seat_names, position.payoffs(), strict=False))

    def chance_script(self, options: Mapping[str, Any], start: Position) -> list[int]:
        """The chance outcomes that reset options such as `dice` or `deck` prescribe after `start`, in order.

        Raises:
            ValueError: for an option that this game does not have, or an impossible value.
        """
        self._check_reset_options(options)
        return []

    def _check_reset_options(self, options: Mapping[str, Any], *own: str) -> None:
        names = [*own, *(() if self.hidden_information else ("position",))]
        for name in options:
            if name not in own:
                choices = "known: " + ", ".join(map(repr, names)) if names else "this game takes none"
                raise ValueError(f"{self.name}: unknown reset option {name!r}; {choices}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.options.items())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.options.items())})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self  # it never changes

    def __reduce__(self) -> Any:
        return shared_game, (type(self), tuple(self.given.items()))


@cache
def shared_game(kind: type[Game], options: tuple[tuple[str, Any], ...]) -> Game:
    """The game of a class with these options: the same one for all that is unpickled in a process."""
    return kind(**dict(options))
