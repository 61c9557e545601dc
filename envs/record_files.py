"""Replays files of recorded games: finds the reader for a file, and reports how its games fare under our rules."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ludarium.envs.backgammon.match_writer import write_match
from ludarium.envs.backgammon.records import read_match
from ludarium.envs.hanabi.records import read_json, write_json
from ludarium.envs.othello.records import read_any, write_ggf, write_transcript
from ludarium.envs.position import Position
from ludarium.envs.records import RecordedGame, RecordError, attempt, replay, start_of, while_readable

_READERS: dict[str, Callable[[bytes, str], Iterator[RecordedGame | RecordError]]] = {
    "othello": read_any,
    "backgammon": read_match,
    "hanabi": read_json,
}
WRITERS: dict[str, dict[str, tuple[str, Callable[[RecordedGame], str]]]] = {
    "othello": {"transcript": ("txt", write_transcript), "ggf": ("ggf", write_ggf)},
    "backgammon": {"mat": ("mat", write_match)},
    "hanabi": {"hanab.live": ("json", write_json)},
}
"""By game and format: the ending of such files, and the function that writes a game as text."""
_MATCH = re.compile(  # its length, or the title of a game above names and scores
    rb"^[ \t]*(\d+[ -]+points?[ -]match"
    rb"|Game[ \t]*#?\d+[^\n]{0,99}\n[^\n]{1,99}:[ \t]*\d+[ \t][^\n]{1,99}:[ \t]*\d+\s*?$)",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass
class Replay:
    """The result of replaying a file.

    Attributes:
        whole: games that were replayed to the end that the file gives.
        stopped: games that stop early; the reader's note says why.
        errors: for each game that breaks the rules or contradicts its result, what is wrong with it.
    """

    whole: list[RecordedGame] = field(default_factory=list)
    stopped: list[RecordedGame] = field(default_factory=list)
    errors: list[RecordError] = field(default_factory=list)


def game_of(path: Path) -> str:
    """The game whose records a file holds, by its extension and content: `"othello"`, `"backgammon"` or `"hanabi"`.

    Raises:
        RecordError: if it is not a known kind of file.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        return "hanabi"
    if ending in (".wtb", ".ggf"):
        return "othello"
    with path.open("rb") as opened:
        head = opened.read(65536)
    if ending == ".mat" or _MATCH.search(head):
        return "backgammon"
    if b"(;" in head or re.match(rb"(\xef\xbb\xbf)?\s*(#[^\n]*\n\s*)*([a-hA-H][1-8]){2}", head):
        return "othello"
    raise RecordError(
        path.name,
        0,
        "unknown kind of record: expected WTHOR, GGF or a transcript, a backgammon match, or hanab.live JSON",
    )


def files_in(path: Path) -> list[Path]:
    """The file, or the files in a folder and in those below it, by name.

    Raises:
        ValueError: if the folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*.*") if file.is_file())
    if not files:
        raise ValueError(f"the folder {path} holds no files")
    return files


def read_records(path: Path, game: str | None = None) -> Iterator[RecordedGame | RecordError]:
    """The games of a file, each as a record or as the error in it.

    Args:
        path: the file.
        game: the name of the game that was recorded; None to find it out from the file.

    Raises:
        RecordError: if the file as a whole cannot be read.
        ValueError: if there is no reader for that game.
        OSError: if there is no such file.
    """
    game = game or game_of(path)
    if game not in _READERS:
        raise ValueError(f"there is no reader for records of {game!r}, only of {', '.join(_READERS)}")
    yield from while_readable(_READERS[game](path.read_bytes(), path.name))


def replay_file(path: Path, game: str | None = None) -> Replay:
    """Replay every game of a file; arguments and errors as in `read_records`."""
    result = Replay()
    for record in while_readable(attempt(_replayed, record) for record in read_records(path, game)):
        if isinstance(record, RecordError):
            result.errors.append(record)
        else:
            (result.whole if record.whole else result.stopped).append(record)
    return result


def _replayed(record: RecordedGame | RecordError) -> RecordedGame:
    """The record, if neither the rules nor its reader find an error in it."""
    replay(record)
    assert isinstance(record, RecordedGame)
    return record


def positions(record: RecordedGame) -> Iterator[tuple[str, Position]]:
    """The positions of a recorded game, each with the move or chance outcome that led there."""
    game, position = record.game, start_of(record)
    yield "start", position.copy()
    outcomes, actions = iter(record.script), iter(record.actions)
    while not position.over:
        at_chance = position.turn < 0
        chosen = next(outcomes if at_chance else actions, None)
        if chosen is None:
            return
        name = game.outcome_to_str(position, chosen) if at_chance else game.action_to_str(position, chosen)
        position.play(chosen)
        yield name, position.copy()
