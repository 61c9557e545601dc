"""Recorded games: the records that every reader of game files yields, and their replay through the rules."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position

Result = TypeVar("Result")
_LONGEST_REASON = 2000  # characters
_MANY = 1000  # errors that a file may have even if it has fewer games
_UNSHOWN = re.compile("[\0\ud800-\udfff]")


class RecordError(ValueError):
    """A recorded game that cannot be read or does not follow the rules: `file:line: reason`.

    `line` counts from 1 (in binary files it is the number of the record); 0 means the file as a whole. Of a reason that
    quotes a long stretch of a file, the middle is left out.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        if len(reason) > _LONGEST_REASON:
            reason = f"{reason[: _LONGEST_REASON // 2]} … {reason[-_LONGEST_REASON // 2 :]}"
        super().__init__(file, line, reason)
        self.file, self.line, self.reason = file, line, reason

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


@dataclass(frozen=True, eq=False)
class RecordedGame:
    """One game of a file.

    Attributes:
        game: the game with its options.
        seats: the players' names, by seat.
        start: text of the position the game starts from; None for the game's own start.
        script: the outcomes of the chance nodes, in order.
        actions: the actions of all seats, in order, including passes that the file leaves out.
        result: the result as the file gives it, for display.
        payoffs: the result that the file gives, as payoffs by seat; None if it gives none.
        file: the file's name.
        line: where the game begins in the file, from 1: the line or, in binary files, the record.
        note: why the record stops before the end of the episode; empty if it does not.
        match_goes_on: the game is over, but the match, which is the whole episode, is not.
        repairs: for each harmless damage of the file, where it is and how it was read.
    """

    game: Game
    seats: tuple[str, ...]
    start: str | None = None
    script: Sequence[int] = field(default_factory=list)
    actions: Sequence[int] = field(default_factory=list)
    result: str = ""
    payoffs: tuple[float, ...] | None = None
    file: str = ""
    line: int = 0
    note: str = ""
    match_goes_on: bool = False
    repairs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse texts that no file, terminal or page can show.

        Raises:
            RecordError: if a text holds a null character, or half a character, which JSON can write.
        """
        texts = "".join((*self.seats, self.start or "", self.result, self.note))
        if _UNSHOWN.search(texts):
            raise RecordError(
                self.file, self.line, "a name or result holds a null character or half a character, which no text may"
            )

    @property
    def whole(self) -> bool:
        """Whether the game is recorded to its end."""
        return not self.note or self.match_goes_on


def attempt(read: Callable[..., Result], *arguments: Any) -> Result | RecordError:
    """What is read of one game of a file, or the error in it, so that a bad game does not keep a reader from others."""
    try:
        return read(*arguments)
    except RecordError as error:
        return error.with_traceback(None)  # a file may hold many, and a traceback keeps all that its reader knew


def while_readable(games: Iterable[RecordedGame | RecordError]) -> Iterator[RecordedGame | RecordError]:
    """The games of a file, for as long as more of them can be read than cannot, or few were tried.

    Raises:
        RecordError: where the rest is not worth the time and memory that a million errors take.
    """
    errors, read = 0, 0
    for game in games:
        yield game
        errors += isinstance(game, RecordError)
        read += isinstance(game, RecordedGame)
        if isinstance(game, RecordError) and errors > max(read, _MANY):
            raise RecordError(
                game.file, game.line, f"reading stops here: {errors} games cannot be read, the last since {game.reason}"
            )


def start_of(record: RecordedGame | RecordError) -> Position:
    """The position that a recorded game starts from; an error that the reader found is raised.

    Raises:
        RecordError: if the record gives no possible position.
    """
    if isinstance(record, RecordError):
        raise record
    try:
        return record.game.start() if record.start is None else record.game.from_text(record.start)
    except ValueError as problem:
        raise RecordError(record.file, record.line, f"start position: {problem}") from None


def replay(record: RecordedGame | RecordError, start: Position | None = None) -> Position:
    """Play a recorded game through the rules; an error that the reader found is raised.

    Args:
        record: the game.
        start: what `start_of` returns, if it is known; it stays as it is.

    Returns:
        The final position.

    Raises:
        RecordError: if an action or outcome is impossible, if some are missing (and `record.note` does not say why) or
            left over, or if the final payoffs differ from the recorded ones.
    """
    position = start.copy() if start else start_of(record)
    assert isinstance(record, RecordedGame)

    def error(reason: str) -> RecordError:
        return RecordError(record.file, record.line, reason)

    outcomes, actions = (np.array(numbers, dtype=np.int64) for numbers in (record.script, record.actions))
    rolls, moves = _play_legal(position.game.table, position.data, outcomes, actions)
    turn = position.turn
    left = outcomes[rolls:] if turn == CHANCE else actions[moves:]
    if turn != OVER and len(left):
        where = f"before move {moves + 1}" if turn == CHANCE else f"move {moves + 1}"
        try:
            position.play(left[0])
        except IllegalAction as problem:
            raise error(f"{where}: {problem}") from None
    if turn != OVER and not record.note:
        raise error(f"the record stops after {moves} moves, before the end of the game")
    if moves < len(actions):
        raise error(f"actions are left over after move {moves}: the game is over or the chance outcomes have run out")
    if rolls < len(outcomes):
        raise error(f"chance outcomes are left over after move {moves}: the game is over or the actions have run out")
    if turn == OVER and record.payoffs is not None and not np.allclose(position.payoffs(), record.payoffs):
        payoffs = position.payoffs().tolist()
        raise error(f"the game ends with payoffs {payoffs}, but the file says {list(record.payoffs)}")
    return position


@jit
def _play_legal(game: Any, state: Any, outcomes: Any, actions: Any) -> tuple[int, int]:
    """Play outcomes and actions for as long as they are possible; returns how many of each were played."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    rolls, moves = 0, 0
    while True:
        turn = kernels.turn(game, state)
        if turn == CHANCE and rolls < len(outcomes):
            chosen = outcomes[rolls]
            if not 0 <= chosen < kernels.outcomes(game, state, probabilities) or probabilities[chosen] <= 0.0:
                return rolls, moves
            rolls += 1
        elif turn >= 0 and moves < len(actions):
            chosen = actions[moves]
            kernels.legal(game, state, mask)
            if not 0 <= chosen < len(mask) or not mask[chosen]:
                return rolls, moves
            moves += 1
        else:
            return rolls, moves
        kernels.play(game, state, chosen)
