"""Does a game keep its contract? For authors of games, and for this package's own tests.

`check_game(MyGame())` plays random games and holds every position against what `ludarium.envs.game` promises. Kernels
run on buffers between guard elements and on two different fillings, so that an element they forget or one too many
shows at once. The first violation raises a `ConformanceError` that names the kernel or method and the position.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NoReturn
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import random_games
from ludarium.envs.calls import address
from ludarium.envs.chance import below, bits, outcome_at, stream, unit
from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_SEATS, OVER
from ludarium.envs.position import Position

Redeal = Callable[[Position, int, NDArray[np.uint64]], Position]

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_CALLABLE = {  # by the number of arguments after the record, and whether the last is a number
    (1, False): ctypes.PYFUNCTYPE(_INT, _POINTER, _POINTER),
    (1, True): ctypes.PYFUNCTYPE(_INT, _POINTER, _INT),
    (2, False): ctypes.PYFUNCTYPE(_INT, _POINTER, _INT, _POINTER),
}
_GUARD = 16  # guard elements before and after each buffer
_FILLS = {np.dtype(np.int8): (99, -98), np.dtype(np.float64): (9.75e99, -8.25e88), np.dtype(np.uint8): (0, 0)}
_LONGEST_CHANCE = 10_000  # more chance nodes in a row than this are an endless loop
_DRAWS = 200  # from `sample`, for each legal action, and from `sample_chance`


class ConformanceError(ValueError):
    """A game breaks its contract; the message says which promise, and in which position."""


def check_game(game: Game, games: int = 50, seed: int = 0) -> None:
    """Check a game against the contract of `ludarium.envs.game`.

    Random games cannot prove the rules right: that takes recorded games, known counts or another implementation.
    Nor do they show whether an observation tells too much: see `check_hidden`.

    Args:
        game: the game, with its options.
        games: how many random games to play. Pictures and the evenness of `sample` are looked at in the first.
        seed: their seed.

    Raises:
        ConformanceError: at the first violation.
        TypeError: if a kernel is missing or does not compile.

    Examples:
        >>> from ludarium.envs import check_game, make_game
        >>> check_game(make_game("tictactoe"), games=2)
    """
    check = _Check(game)
    check.facts()
    images = check.symmetries()
    for number in range(games):
        check.play(stream(seed, number), first=number == 0)
        check.mirrored(images, stream(seed, number))
    check.batches(seed)


def check_hidden(game: Game, redeal: Redeal, games: int = 20, seed: int = 0) -> None:
    """Check that no seat sees what is hidden from it.

    Only the game's author knows what that is, so the author brings a way to change it.

    Args:
        game: the game, with its options.
        redeal: `redeal(position, seat, stream) -> Position`, a position that may differ in everything the seat does not
            know, for example with the hidden cards dealt again. It must not change the position it is given.
        games: how many random games to play.
        seed: their seed.

    Raises:
        ConformanceError: if a seat's observation or legal actions differ after `redeal`, or if it never changed
            anything.
    """
    check = _Check(game)
    changed = False
    for number in range(games):
        random = stream(seed, number)
        position = check.setup()
        while position.turn != OVER:
            for seat in range(game.seats):
                other = redeal(position, seat, random)
                changed = changed or other != position
                if not np.array_equal(other.observe(seat), position.observe(seat)):
                    check.fail(f"the observation of seat {seat} shows what is hidden from it", position)
                if position.turn == seat and not np.array_equal(other.action_mask(), position.action_mask()):
                    check.fail(f"the legal actions of seat {seat} show what is hidden from it", position)
            position = check.advance(position, check.event(position, random))
    if not changed:
        check.fail("redeal never changed a position, so nothing was checked")


@jit
def _count_samples(game: Any, state: Any, random: Any, draws: int, counts: Any) -> int:
    """Count what `sample` returns; stops at a number that is no action and returns it, else 0."""
    for _ in range(draws):
        action = kernels.sample(game, state, bits(random))
        if not 0 <= action < game[ACTIONS]:
            return action
        counts[action] += 1
    return 0


@jit
def _sample_differs(game: Any, state: Any, random: Any, draws: int, probabilities: Any) -> bool:
    """Whether `sample_chance` ever chooses another outcome than the probabilities do."""
    for _ in range(draws):
        chosen = bits(random)
        wanted = outcome_at(probabilities, len(probabilities), unit(chosen))
        if kernels.sample_chance(game, state, chosen) != wanted:
            return True
    return False


class _Check:
    """The checks of one game; each method is one promise."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def fail(self, problem: str, position: Position | None = None) -> NoReturn:
        where = ""
        if position is not None:
            try:
                where = f"; position: {position.text}"
            except Exception:  # the text itself may be what is broken
                where = f"; record: {position.data.tobytes().hex()}"
        raise ConformanceError(f"{getattr(self.game, 'name', type(self.game).__name__)}: {problem}{where}")

    def ask(self, method: str, position: Position, *arguments: Any) -> Any:
        """What a method of the game answers; a crash is a violation."""
        try:
            return getattr(self.game, method)(*arguments)
        except Exception as error:
            self.fail(f"{method}{arguments[1:]} raised {type(error).__name__}: {error}", position)

    def facts(self) -> None:
        game = self.game
        for fact in ("name", "state", "actions", "observation_shape", "max_moves"):
            if not hasattr(game, fact):
                self.fail(f"the class does not say its {fact!r}")
        if not 1 <= game.seats <= MAX_SEATS:
            self.fail(f"seats must be 1 to {MAX_SEATS}, not {game.seats!r}")
        for fact in ("actions", "max_moves", "observation_size"):
            if getattr(game, fact) < 1:
                self.fail(f"{fact} must be at least 1, not {getattr(game, fact)!r}")
        for fact in ("observation_range", "payoff_range"):
            low, high = getattr(game, fact)
            if not low <= high:
                self.fail(f"{fact} must be (least, greatest), not {(low, high)!r}")
        for seat in range(game.seats):
            self.squares(seat)

    def squares(self, seat: int) -> None:
        """Squares have names like `b3`, and each is in another place of the observation."""
        squares, shape = dict(self.game.squares(seat)), self.game.observation_shape
        if not squares:
            return
        if len(shape) != 3 or sorted(squares.values()) != list(range(shape[0] * shape[1])):
            places = list(squares.values())
            self.fail(
                f"squares({seat}) must name every place of a board seen as (rows, columns, planes) once, not {places} "
                f"of an observation of shape {shape}"
            )
        for name in squares:
            if not (name[:1].isalpha() and name[1:].isdecimal()):
                self.fail(f"squares({seat}) must be called by a letter and a number, as in 'b3', not {name!r}")

    def symmetries(self) -> NDArray[np.int64]:
        """The declared symmetries, shape (n, actions): each is a permutation of the actions."""
        declared, actions = self.game.symmetries, self.game.actions
        try:
            images = np.asarray(declared)
        except ValueError:  # rows of different lengths
            images = np.zeros(0)
            if len(declared):
                self.fail(f"symmetries must be rows of actions={actions} numbers each, not of different lengths")
        if not images.size:
            return np.zeros((0, actions), dtype=np.int64)
        if images.ndim != 2 or images.shape[1] != actions or images.dtype.kind not in "iu":
            actual = f"an array of shape {images.shape} and type {images.dtype}"
            self.fail(f"symmetries must be rows of actions={actions} whole numbers each, not {actual}")
        for number, image in enumerate(images.tolist()):
            if missing := set(range(actions)).difference(image):
                what = f"no permutation of the actions 0 to {actions - 1}: {min(missing)} is missing"
                self.fail(f"symmetries[{number}] is {what}")
        return images.astype(np.int64)

    def mirrored(self, images: NDArray[np.int64], random: NDArray[np.uint64]) -> None:
        """A random game that is played in all its images at once stays in corresponding positions."""
        position, others = self.game.start(), [self.game.start() for _ in images]
        while len(images):
            turn, mask, payoffs = position.turn, position.action_mask(), position.payoffs()
            for number, (other, image) in enumerate(zip(others, images, strict=True)):
                where = f"in the image by symmetries[{number}]"
                if other.turn != turn:
                    self.fail(f"{where} it is the turn of {other.turn}, not of {turn}", position)
                differs = np.flatnonzero(other.action_mask()[image] != mask)
                if differs.size:
                    action = int(differs[0])
                    self.fail(f"{where} action {action} is {image[action]}, but only one of them is legal", position)
                if not np.array_equal(other.payoffs(), payoffs):
                    self.fail(f"{where} the payoffs are {other.payoffs()}, not {payoffs}", position)
            if turn == OVER:
                return
            event = self.event(position, random)
            position.push(event)
            for other, image in zip(others, images, strict=True):
                other.push(event if turn == CHANCE else int(image[event]))

    def play(self, random: NDArray[np.uint64], first: bool) -> None:
        """Check every position of one random game."""
        position = self.setup()
        decisions = chances = 0
        while True:
            turn = self.turn(position)
            self.mask(position, turn)
            self.payoffs(position, turn)
            self.observations(position)
            self.texts(position, turn)
            if first:
                self.pictures(position, turn, decisions)
            if turn == OVER:
                return
            if turn == CHANCE:
                self.outcomes(position, random)
                chances += 1
                if chances > _LONGEST_CHANCE:
                    self.fail(f"there are more than {_LONGEST_CHANCE} chance nodes in a row", position)
            else:
                if decisions == self.game.max_moves:
                    self.fail(f"the game goes on after max_moves={decisions} decisions", position)
                self.samples(position, random, first)
                self.afterstates(position)
                decisions, chances = decisions + 1, 0
            position = self.advance(position, self.event(position, random))

    def event(self, position: Position, random: NDArray[np.uint64]) -> int:
        """A random outcome or a random legal action."""
        if position.turn == CHANCE:
            return position.draw_outcome(random)
        actions = position.legal_actions()
        return actions[int(below(random, len(actions)))]

    # --- kernels that write the record -------------------------------------------------------------------------------

    def guarded(self, data: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """A record between guard bytes, zeros or a copy of `data`."""
        buffer = np.full(self.game.state.itemsize + 2 * _GUARD, 0xA5, dtype=np.uint8)
        buffer[_GUARD:-_GUARD] = 0 if data is None else data
        return buffer

    def call(self, kernel: str, record: NDArray[np.uint8], *arguments: int) -> int:
        """Call a kernel on a guarded record; the arguments are numbers and addresses."""
        function = _CALLABLE[len(arguments), kernel == "play"](self.game.compiled[kernel].address)
        return int(function(address(record[_GUARD:]), *arguments))

    def written(self, kernel: str, argument: int, data: NDArray[np.uint8] | None = None) -> Position:
        """The position after a kernel, which must give the same twice and stay within the record."""
        results = []
        for _ in range(2):
            buffer = self.guarded(data)
            self.call(kernel, buffer, argument)
            if np.any(buffer[:_GUARD] != 0xA5) or np.any(buffer[-_GUARD:] != 0xA5):
                self.fail(f"the kernel {kernel!r} writes outside the record")
            results.append(Position(self.game, buffer[_GUARD:-_GUARD]))
        if results[0] != results[1]:
            self.fail(f"the kernel {kernel!r} gives two results for the same input", results[0])
        return results[0]

    def setup(self) -> Position:
        return self.written("setup", address(self.game.option_bytes))

    def advance(self, position: Position, event: int) -> Position:
        return self.written("play", event, position.data)

    # --- kernels that read it ----------------------------------------------------------------------------------------

    def output(
        self, kernel: str, position: Position, size: int, dtype: Any, *between: int, counted: int = 0
    ) -> tuple[int, NDArray[Any]]:
        """What a kernel returns and writes; with `counted`, only that many elements for each number it returns."""
        memory = self.guarded(position.data)
        before = memory.tobytes()
        fills = _FILLS[np.dtype(dtype)]
        results = []
        for fill in fills:
            buffer = np.full(size + 2 * _GUARD, fill, dtype=dtype)
            buffer[:_GUARD] = buffer[-_GUARD:] = fills[0] + 1
            returned = self.call(kernel, memory, *between, address(buffer[_GUARD:]))
            if np.any(buffer[:_GUARD] != fills[0] + 1) or np.any(buffer[-_GUARD:] != fills[0] + 1):
                self.fail(f"the kernel {kernel!r} writes outside its {size} elements", position)
            results.append((returned, buffer[_GUARD : _GUARD + size]))
        if memory.tobytes() != before:
            self.fail(f"the kernel {kernel!r} changes the position", position)
        (count, once), (again, twice) = results
        if counted:
            size = min(size, max(0, count) * counted)
        if fills[0] != fills[1]:
            forgotten = np.flatnonzero((once[:size] == fills[0]) & (twice[:size] == fills[1]))
            if forgotten.size:
                self.fail(f"the kernel {kernel!r} does not write element {forgotten[0]}", position)
        if count != again or not np.array_equal(once[:size], twice[:size], equal_nan=dtype == np.float64):
            self.fail(f"the kernel {kernel!r} gives two results for the same position", position)
        return count, once[:size]

    def turn(self, position: Position) -> int:
        turn = position.turn
        if not (0 <= turn < self.game.seats or turn == OVER or (turn == CHANCE and self.game.max_outcomes)):
            allowed = "OVER (-2)" + (", CHANCE (-1)" if self.game.max_outcomes else "")
            self.fail(f"the kernel 'turn' returned {turn}, not {allowed} or a seat below {self.game.seats}", position)
        return turn

    def mask(self, position: Position, turn: int) -> None:
        count, mask = self.output("legal", position, self.game.actions, np.int8)
        if not np.isin(mask, (0, 1)).all():
            self.fail(f"the kernel 'legal' wrote {mask[~np.isin(mask, (0, 1))][0]}, not 0 or 1", position)
        ones = int(mask.sum(dtype=np.int64))
        if count != ones:
            self.fail(f"the kernel 'legal' returned {count}, but its mask has {ones} ones", position)
        if turn >= 0 and not ones:
            self.fail(f"seat {turn} is to move, but the kernel 'legal' gives it no action", position)
        if turn < 0 and ones:
            self.fail(f"nobody is to move, but the kernel 'legal' gives {ones} actions", position)

    def payoffs(self, position: Position, turn: int) -> None:
        game, (low, high) = self.game, self.game.payoff_range
        _, payoffs = self.output("payoffs", position, game.seats, np.float64)
        if not (np.isfinite(payoffs).all() and low <= payoffs.min() and payoffs.max() <= high):
            self.fail(f"payoffs {payoffs.tolist()} are not within payoff_range {game.payoff_range!r}", position)
        if game.cooperative and np.ptp(payoffs):
            self.fail(f"payoffs {payoffs.tolist()} differ, but the game is cooperative", position)
        if turn == OVER and game.zero_sum and abs(payoffs.sum()) > 1e-9:
            self.fail(f"payoffs {payoffs.tolist()} do not sum to zero, but the game is zero_sum", position)

    def observations(self, position: Position) -> None:
        low, high = self.game.observation_range
        for seat in range(self.game.seats):
            _, seen = self.output("observe", position, self.game.observation_size, np.int8, seat)
            if seen.min() < low or seen.max() > high:
                wrong = seen[(seen < low) | (seen > high)][0]
                self.fail(f"the kernel 'observe' wrote {wrong}, outside observation_range {(low, high)!r}", position)

    def outcomes(self, position: Position, random: NDArray[np.uint64]) -> None:
        most = self.game.max_outcomes
        count, probabilities = self.output("chance", position, most, np.float64, counted=1)
        if not 1 <= count <= most:
            self.fail(f"the kernel 'chance' returned {count} outcomes, not 1 to max_outcomes={most}", position)
        if not (probabilities >= 0).all() or abs(probabilities.sum() - 1) > 1e-9:
            self.fail(f"probabilities {probabilities.tolist()} are negative or do not sum to 1", position)
        table = self.game.table
        if table[kernels.SAMPLE_CHANCE] and _sample_differs(table, position.data, random.copy(), _DRAWS, probabilities):
            self.fail("the kernel 'sample_chance' does not choose outcomes by the probabilities of 'chance'", position)
        for outcome in np.flatnonzero(probabilities).tolist():
            self.text("outcome_to_str", position, position, outcome)

    def samples(self, position: Position, random: NDArray[np.uint64], evenly: bool) -> None:
        """`sample` returns legal actions; `evenly`: each about equally often (Pearson's chi-square, far out)."""
        if not self.game.table[kernels.SAMPLE]:
            return
        mask = position.action_mask()
        legal = int(mask.sum(dtype=np.int64))
        counts = np.zeros(self.game.actions, dtype=np.int64)
        draws = _DRAWS * legal if evenly else _DRAWS
        wrong = int(_count_samples(self.game.table, position.data, random, draws, counts))
        if not wrong and counts[mask == 0].any():
            wrong = int(np.flatnonzero((mask == 0) & (counts > 0))[0])
        if wrong or counts.sum() < draws:
            self.fail(f"the kernel 'sample' returned {wrong}, which is not a legal action", position)
        chi_square = float(np.sum((counts[mask == 1] - _DRAWS) ** 2) / _DRAWS)
        if evenly and chi_square > legal + 8 * np.sqrt(2 * legal) + 25:
            self.fail(f"the kernel 'sample' is not uniform: counts {counts[mask == 1].tolist()}", position)

    def afterstates(self, position: Position) -> None:
        game = self.game
        if "afterstates" not in game.compiled:
            return
        size = game.state.itemsize
        count, data = self.output("afterstates", position, game.max_afterstates * size, np.uint8, counted=size)
        if not 0 <= count <= game.max_afterstates:
            self.fail(
                f"the kernel 'afterstates' returned {count}, not 0 to max_afterstates={game.max_afterstates}", position
            )
        states = data.reshape(count, size)
        if len({state.tobytes() for state in states}) != count:
            self.fail("the kernel 'afterstates' wrote the same record twice", position)
        for state in states:
            after = Position(game, state)
            self.payoffs(after, self.turn(after))

    # --- text and pictures -------------------------------------------------------------------------------------------

    def text(self, method: str, position: Position, *arguments: Any) -> str:
        answer = self.ask(method, position, *arguments)
        if not isinstance(answer, str) or not answer:
            self.fail(f"{method} returned {answer!r}, not text", position)
        return answer

    def texts(self, position: Position, turn: int) -> None:
        text = self.text("to_text", position, position)
        if "\n" in text:
            self.fail("to_text returned more than one line", position)
        if self.ask("from_text", position, text) != position:
            self.fail("from_text does not give back the position that to_text wrote", position)
        for action in position.legal_actions():
            name = self.text("action_to_str", position, position, action)
            read = self.ask("str_to_action", position, position, name)
            if read != action:
                self.fail(f"action {action} prints as {name!r}, which reads as {read!r}", position)
        if turn == OVER:
            self.text("result_text", position, position)

    def pictures(self, position: Position, turn: int, decisions: int) -> None:
        self.text("to_ansi", position, position)
        drawing = self.ask("draw", position, position)
        try:
            ElementTree.fromstring(drawing.svg())
            if decisions == 0 or turn == OVER:  # pixels take their time
                drawing.rgb(100)
        except Exception as error:
            self.fail(f"draw returned what cannot be drawn: {type(error).__name__}: {error}", position)
        self.areas(position, drawing)

    def areas(self, position: Position, drawing: Drawing) -> None:
        """They stand for legal actions, and lie inside the picture."""
        legal = position.legal_actions()
        for action, areas in dict(self.ask("areas", position, position)).items():
            if action not in legal:
                self.fail(f"areas has the action {action!r}, which is not legal", position)
            if not (isinstance(areas, Sequence) and areas and all(isinstance(area, Area) for area in areas)):
                self.fail(f"areas must have a list of Area for action {action}, not {areas!r}", position)
            for area in areas:
                right, lower = area.x + area.width, area.y + area.height
                if not (0 <= area.x < right <= drawing.width and 0 <= area.y < lower <= drawing.height):
                    size = f"{drawing.width:g} × {drawing.height:g}"
                    self.fail(f"areas has {area} for action {action}, outside the picture of {size}", position)

    def batches(self, seed: int) -> None:
        """Compiled random games depend on the seed and their number alone."""
        together, _ = random_games(self.game, 8, seed)
        apart = [random_games(self.game, 1, seed, first=number)[0] for number in range(8)]
        if not np.array_equal(together, np.concatenate(apart)):
            self.fail(f"random games with seed {seed} end differently when they are played one at a time")
