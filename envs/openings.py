"""Openings: the positions and moves with which games begin, read from files with one opening on each line.

A line is a list of moves in the game's notation, or a position as `Game.from_text` reads it. In Othello it may also be
a transcript (`f5d6c3`) or a game in GGF, in backgammon an XGID. `#` begins a comment. After a position, dice follow
from the seed as in other games; moves alone would not say the dice, so games of chance take positions only.
"""

import functools
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.game import Game
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position
from ludarium.envs.records import RecordError

SETS = Path(__file__).parent
"""The shipped sets: `SETS / game / "NAME.txt"`, for games with the default rules."""
_RECORDS = {"othello": "ludarium.envs.othello.records"}
"""Modules with a function `read_line` for lines that words cannot tell: transcripts and GGF."""
_LARGEST = 100_000_000  # bytes of a file


class Opening(NamedTuple):
    """How a game begins: with a position, given moves, and then random ones up to a number of moves in all."""

    start: Position
    moves: list[int]
    random: int = 0

    @property
    def position(self) -> Position:
        """The position after the given moves."""
        position = self.start.copy()
        for action in self.moves:
            position.push(action)
        return position


class Openings(NamedTuple):
    """How each of many games begins, for compiled code.

    Attributes:
        starts: shape (openings, bytes) uint8: positions.
        moves: shape (openings, longest) int16: the moves that follow, then -1.
        which: shape (games,) int64: the opening of each game.
        random: the number of moves of each game that are given or random.
    """

    starts: NDArray[np.uint8]
    moves: NDArray[np.int16]
    which: NDArray[np.int64]
    random: int

    def of(self, game: Game, number: int) -> Opening:
        """The opening of one of the games."""
        chosen = int(self.which[number])
        moves = self.moves[chosen]
        return Opening(Position(game, self.starts[chosen].tobytes()), moves[moves >= 0].tolist(), self.random)


def random_openings(game: Game, games: int, moves: int) -> Openings:
    """The usual start, and so many random moves."""
    return Openings(game.start().data[None].copy(), np.zeros((1, 0), np.int16), np.zeros(games, dtype=np.int64), moves)


@functools.lru_cache(maxsize=32)
def read_openings(game: Game, texts: tuple[str, ...], file: str = "openings") -> Openings:
    """Openings from their texts, in order, each of them once.

    Args:
        game: the game.
        texts: the openings, one each.
        file: where they come from, for the error; the line is then their number.

    Raises:
        RecordError: if one of them is no opening of this game.
    """
    openings = [read_opening(game, text, file, line) for line, text in enumerate(texts, 1)]
    moves = np.full((len(openings), max(len(one.moves) for one in openings)), -1, dtype=np.int16)
    for row, one in zip(moves, openings, strict=True):
        row[: len(one.moves)] = one.moves
    starts = np.stack([one.start.data for one in openings])
    return Openings(starts, moves, np.arange(len(openings), dtype=np.int64), 0)


def read_opening(game: Game, text: str, file: str = "openings", line: int = 0) -> Opening:
    """The opening that a text describes.

    Raises:
        RecordError: if it describes none of this game, or leaves no move to the players; it tells the file and line.
    """
    if game.hidden_information:
        raise RecordError(file, line, f"{game.name} takes no openings: its cards are hidden, and follow from the seed")
    try:
        opening = _read(game, text)
    except ValueError as error:
        raise RecordError(file, line, error.reason if isinstance(error, RecordError) else str(error)) from None
    if opening.position.over:
        raise RecordError(file, line, f"the game is over after the opening {text!r}; give one that ends earlier")
    if len(opening.moves) >= game.max_moves:
        raise RecordError(
            file, line, f"the opening has {len(opening.moves)} moves, and the whole game at most {game.max_moves}"
        )
    return opening


def _read(game: Game, text: str) -> Opening:
    """The opening, not yet checked for being short enough."""
    try:
        return Opening(game.from_text(text), [])
    except ValueError as error:
        no_position = error
    if game.max_outcomes:
        raise ValueError(
            f"{no_position}; an opening of {game.name} is a position, since moves alone do not say the dice"
        )
    start, moves = _moves(game, text, no_position)
    position = start.copy()
    for number, action in enumerate(moves, 1):
        try:
            position.play(action)
        except IllegalAction as error:
            raise ValueError(f"move {number} of the opening {text!r}: {error}") from None
    return Opening(start, moves)


def _moves(game: Game, text: str, no_position: ValueError) -> tuple[Position, list[int]]:
    """The moves of a text that is no position, and the position before them."""
    if game.name in _RECORDS:
        if not any(map(str.isdigit, text)):  # so it names no square
            raise no_position
        record = importlib.import_module(_RECORDS[game.name]).read_line(game, text)
        return game.start() if record.start is None else game.from_text(record.start), list(record.actions)
    position, moves = game.start(), list[int]()
    for number, word in enumerate(text.split(), 1):
        try:
            moves.append(game.str_to_action(position, word))
        except ValueError as error:
            if number == 1:  # it need not be meant as a move
                raise ValueError(f"this is no opening: as a position, {no_position}; as moves, {error}") from None
            raise ValueError(f"move {number} of the opening {text!r}: {error}") from None
        position.push(moves[-1])
    return game.start(), moves


def read_file(game: Game, path: Path) -> tuple[str, ...]:
    """The openings of a file, as texts that `read_openings` reads.

    Raises:
        RecordError: if a line is no opening of this game, or there is none.
        OSError: if it cannot be read.
    """
    size = path.stat().st_size
    if size > _LARGEST:
        raise RecordError(str(path), 0, f"it has {size:,} bytes, and at most {_LARGEST:,} are read")
    texts = []
    for line, text in _lines(path.read_text(encoding="utf-8-sig", errors="replace")):
        read_opening(game, text, str(path), line)
        texts.append(text)
    if not texts:
        raise RecordError(str(path), 0, "it contains no opening: expected one on each line")
    return tuple(texts)


def _lines(content: str) -> Iterator[tuple[int, str]]:
    """The openings of a file with the numbers of their lines."""
    for line, text in enumerate(content.splitlines(), 1):
        if opening := text.partition("#")[0].strip():
            yield line, opening


def find_openings(game: Game, name: str, folder: Path = Path()) -> tuple[str, ...]:
    """The openings of a file, or of a shipped set.

    Args:
        game: the game.
        name: the path of a file, or the name of a set: `"balanced"`.
        folder: where the path begins, unless it is absolute.

    Raises:
        RecordError: if the file is wrong: see `read_file`.
        OSError: if there is neither.
    """
    path = folder / name
    if not path.is_file() and (shipped := _shipped(game, name)) is not None:
        return shipped
    if not path.is_file():
        sets = ", ".join(map(repr, shipped_sets(game))) or "none"
        raise FileNotFoundError(f"{path}: there is no such file of openings; shipped for {game.spec}: {sets}")
    return read_file(game, path)


def shipped_sets(game: Game) -> list[str]:
    """The names of the sets that are shipped for a game."""
    usual = _rules(game) == _rules(type(game)())
    return sorted(file.stem for file in (SETS / game.name).glob("*.txt")) if usual else []


def _rules(game: Game) -> dict[str, object]:
    """The options that change how a game is played, and not only what it pays."""
    return {name: value for name, value in game.options.items() if name != "scoring"}


def shipped_name(game: Game, texts: tuple[str, ...]) -> str | None:
    """The name of the shipped set that holds exactly these openings; None if there is none."""
    return next((name for name in shipped_sets(game) if _shipped(game, name) == texts), None)


def _shipped(game: Game, name: str) -> tuple[str, ...] | None:
    """The openings of a shipped set; None if there is no such set."""
    if name not in shipped_sets(game):
        return None
    return tuple(text for _, text in _lines((SETS / game.name / f"{name}.txt").read_text(encoding="utf-8")))
