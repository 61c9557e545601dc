"""Recorded backgammon: match files in two columns, as Jellyfish wrote them (`.mat`, `.txt`).

     7 point match

     Game 1
     Magriel : 0                     Seidel : 0
      1)                             31: 8/5 6/5
      2) 65: 24/13                   66: 24/18(2) 13/7(2)
      3)  Doubles => 2                Drops
                                      Wins 1 point

The left column is seat 0. Lines that begin with `;` and everything before the match length are skipped. Files may
differ in encodings, columns, the spelling of moves (`Bar/`, `25/`, `/Off`, `/0`, combined moves, `(2)`), an empty cell
or `Cannot Move` for a player who dances, and unrecorded plays (`????`, or nothing at all) at the end of a game.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ludarium.envs.backgammon import Backgammon, notation
from ludarium.envs.backgammon.rules import DOUBLE, DROP, FINISHED, OFFER, OPENING, PASS, ROLL, ROLLING, TAKE
from ludarium.envs.game import IllegalAction
from ludarium.envs.records import RecordedGame, RecordError, attempt

_LENGTH = re.compile(r"\s*(\d+) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d+)\s*", re.IGNORECASE)
_PLAYERS = re.compile(r"\s*(.*?)\s*:\s*(\d+)\s+(\S.*?|)\s*:\s*(\d+)\s*")
_MOVE_LINE = re.compile(r"\s*\d+\)(?=\s|$)")
_CELL = re.compile(
    r"(?P<dice>\b\d\d):|(?P<double>Doubles\s*=>\s*(?P<to>\d+))|(?P<answer>Takes|Drops)|(?P<wins>Wins\s+(?P<points>\d+)\s+point)"
    r"|(?P<concedes>Concedes|Resigns)",
    re.IGNORECASE,
)
_RIGHT_COLUMN = 20  # a cell that begins further right, alone on its line, is in the right column
_GOES_ON = "the match goes on"
_UNRECORDED = re.compile(r"\?\?+")


def read(path: str | Path) -> Iterator[RecordedGame | RecordError]:
    """The games of a match file, see `read_match`.

    Raises:
        OSError: if it cannot be read.
        RecordError: if it is not a match file.
    """
    path = Path(path)
    return read_match(path.read_bytes(), path.name)


def read_match(data: bytes | str, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a match file, each with the score it starts from.

    The reader plays the games, because moves are written in short form. A game that breaks the rules or contradicts
    its result line is yielded as a `RecordError` that names the line; the other games of the file are not affected. A
    game that stops before the rules end it has a note: a resignation, an unrecorded last play, or that the game is over
    but the match goes on.

    Args:
        data: the file: bytes in UTF-8, cp932 or latin-1, or text.
        file: its name in error messages.

    Raises:
        RecordError: if it is not a match file.
    """
    lines = _decode(data).splitlines()
    length = None
    starts = []
    for number, line in enumerate(lines):
        if length is None and (match := _LENGTH.fullmatch(line)):
            length = int(match[1])
        elif _GAME.fullmatch(line):
            starts.append(number)
    if length is None:
        raise RecordError(file, 0, "there is no line such as '7 point match' (0 for money): not a match file")
    if length > 25:
        raise RecordError(file, 0, f"matches to 25 points at most can be read, not to {length}")
    if not starts:
        raise RecordError(file, 0, "there is no line such as 'Game 1'")
    game = _game(length)
    best = 0  # the highest score before the current game, to recognise the Crawford game
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        try:
            reader = _GameReader(game, file, start + 1, lines[start:end], best)
        except RecordError as error:
            yield error
        else:
            best = max(best, *reader.score)
            yield attempt(reader.read)


@cache
def _game(length: int) -> Backgammon:
    return Backgammon(match_length=length, cube=length == 0)


def _decode(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


@dataclass
class _Cell:
    """What one player did: a match of `_CELL`, the moves after it, and where it is in the file."""

    match: re.Match[str]
    text: str
    line: int
    seat: int


@dataclass
class _GameReader:
    """Reads and plays one game; `lines[0]` is its title, which is line `first` of the file."""

    game: Backgammon
    file: str
    first: int
    lines: list[str]
    best_before: int
    script: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        number = next((i for i, line in enumerate(self.lines[1:], 1) if line.strip()), 0)
        match = _PLAYERS.fullmatch(self.lines[number])
        if not number or not match:
            raise self.error(self.first + number, "expected 'name : score  name : score' below 'Game'")
        self.players = (match[1] or "left", match[3] or "right")
        self.score = (int(match[2]), int(match[4]))
        self.body = number + 1
        length = self.game.options["match_length"]
        if length and max(self.score) >= length:
            raise self.error(self.first + number, f"the match to {length} points is over at {match[2]}-{match[4]}")
        self.position = self.game.start()
        if length:
            record = self.position.record
            record.score[:] = self.score
            record.crawford = max(self.score) == length - 1 > self.best_before and length > 1

    def error(self, line: int, reason: str) -> RecordError:
        return RecordError(self.file, line, reason)

    def read(self) -> RecordedGame:
        """The game.

        Raises:
            RecordError: if it does not follow the rules or has no result.
        """
        start = self.position.text if self.game.options["match_length"] else None
        cells = list(self.cells())
        note = ""
        for index, cell in enumerate(cells):
            last = index + 1 == len(cells) or cells[index + 1].match["wins"] or cells[index + 1].match["concedes"]
            if cell.match["wins"]:
                note = self.finish(cell, note)
                break
            if note and not cell.match["concedes"]:
                raise self.error(cell.line, f"the game goes on after {note}")
            if cell.match["concedes"]:
                note = f"{self.players[cell.seat]} resigned"
            else:
                note = self.play(cell, bool(last))
        else:
            raise self.error(self.first + len(self.lines) - 1, "the game has no line such as 'Wins 1 point'")
        over = self.position.over
        return RecordedGame(
            game=self.game, seats=self.players, start=start, script=self.script, actions=self.actions,
            result=f"{self.players[self.winner]} wins {self.points}",
            payoffs=tuple(self.position.payoffs().tolist()) if over else None,
            file=self.file, line=self.first, note=note, match_goes_on=note.startswith(_GOES_ON),
        )  # fmt: skip

    def cells(self) -> Iterator[_Cell]:
        """The cells of all lines, in the order they were played."""
        for offset, line in enumerate(self.lines[self.body :], self.first + self.body):
            if line.lstrip().startswith(";"):
                continue
            prefix = _MOVE_LINE.match(line)
            if prefix is None and not re.match(r"\s*(Wins|Takes|Drops|Concedes|Resigns)", line, re.IGNORECASE):
                continue
            found = list(_CELL.finditer(line, prefix.end() if prefix else 0))
            if "illegal play" in line.lower():  # followed by a dump of the position, which has colons of its own
                at = line.lower().index("illegal play")
                found = [match for match in found if match.start() < at]
                line = line[: at + len("illegal play")]
            plays = [match for match in found if not match["wins"]]
            for match, following in zip(found, [*found[1:], None], strict=False):
                right = match.start() >= _RIGHT_COLUMN if len(plays) < 2 else match is not plays[0]
                text = line[match.end() : following.start() if following else len(line)]
                yield _Cell(match, text.strip(), offset, int(right))

    def play(self, cell: _Cell, last: bool) -> str:
        """Play a cell; returns a note if the play was not recorded."""
        if cell.match["dice"]:
            return self.roll_and_move(cell, last)
        phase = int(self.position.record.phase)
        if cell.match["double"]:
            action, expected = DOUBLE, 2 << int(self.position.record.cube)
            if int(cell.match["to"]) != expected:
                raise self.error(cell.line, f"a double turns the cube to {expected}, not to {cell.match['to']}")
            if phase == OFFER and cell.seat != int(self.position.record.seat):
                raise self.error(cell.line, f"{self.players[cell.seat]} doubles, but the other side is on roll")
        else:
            action = TAKE if cell.match["answer"].lower() == "takes" else DROP
        if action not in self.position.legal_actions():
            raise self.error(cell.line, f"{cell.match[0]!r} is not allowed here: {self.position.text}")
        self.push(action)
        return ""

    def roll_and_move(self, cell: _Cell, last: bool) -> str:
        first, second = map(int, cell.match["dice"])
        if not (1 <= first <= 6 and 1 <= second <= 6):
            raise self.error(cell.line, f"{cell.match['dice']} is not a roll of two dice")
        record = self.position.record
        if int(record.phase) == OFFER:
            self.push(ROLL)
        if int(record.phase) == OPENING and not self.script:
            if first == second:
                raise self.error(cell.line, f"the opening roll cannot be the tie {cell.match['dice']}")
            high, low = max(first, second), min(first, second)
            outcome = notation.roll_outcome(*((low, high) if cell.seat else (high, low)))
        elif int(record.phase) == ROLLING:
            outcome = notation.roll_outcome(max(first, second), min(first, second))
        else:
            raise self.error(cell.line, f"no roll is expected here: {self.position.text}")
        self.script.append(outcome)
        self.position.push(outcome)
        if int(record.seat) != cell.seat:
            raise self.error(cell.line, f"{self.players[cell.seat]} rolls, but it is the other side's turn")
        text = cell.text
        if "illegal play" in text.lower():
            raise self.error(cell.line, "the file itself says that this play was illegal")
        if _UNRECORDED.search(text) or (last and not text and PASS not in self.position.legal_actions()):
            return "the last play is not recorded"
        return self.move(text, cell.line)

    def move(self, text: str, line: int) -> str:
        try:
            for action in notation.find_turn(self.position, text):
                self.push(action)
        except IllegalAction:
            raise self.error(line, f"{text or 'a pass'!r} is not a legal play here: {self.position.text}") from None
        except ValueError as problem:
            raise self.error(line, str(problem).removeprefix("backgammon: ")) from None
        return ""

    def push(self, action: int) -> None:
        self.actions.append(action)
        self.position.push(action)

    def finish(self, cell: _Cell, note: str) -> str:
        """Compare the result line with the position; returns a note if the rules do not end the episode here."""
        self.points = int(cell.match["points"])
        record = self.position.record
        length = self.game.options["match_length"]
        gained = [int(now) - then for now, then in zip(record.score, self.score, strict=True)]
        if int(record.phase) == FINISHED or (self.script and int(record.phase) == OPENING):
            self.winner = int(record.seat) if int(record.phase) == FINISHED else int(gained[1] > 0)
            won = int(record.won) or gained[self.winner]
            # The last game of a match may be entered with its points, with those still needed, or with all of them.
            accepted = {won, gained[self.winner], length} if length and self.position.over else {won}
            if self.points not in accepted:
                raise self.error(
                    cell.line, f"the result line says {self.points} points, but the game was won with {won}"
                )
            return note if self.position.over else f"{_GOES_ON} at {record.score[0]}-{record.score[1]}"
        self.winner = cell.seat
        cube = 1 << int(record.cube)
        enough = length and self.score[self.winner] + max(self.points, 3 * cube) >= length  # surplus points may be cut
        if not enough and self.points not in (cube, 2 * cube, 3 * cube):
            raise self.error(cell.line, f"a side cannot resign {self.points} points with the cube at {cube}")
        return note or f"{self.players[1 - self.winner]} resigned"
