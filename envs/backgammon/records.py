"""Recorded backgammon: match files in two columns, as Jellyfish wrote them (`.mat`, `.txt`).

     7 point match

     Game 1
     Magriel : 0                     Seidel : 0
      1)                             31: 8/5 6/5
      2) 65: 24/13                   66: 24/18(2) 13/7(2)
      3)  Doubles => 2                Drops
                                      Wins 1 point

The left column is seat 0. Lines that begin with `;` (but for `; Set Pos=`, which sets a position) and everything before
the match length are skipped; without a length, the games are money games. Files may differ in encodings, columns, the
spelling of moves (`Bar/`, `25/`, `/Off`, `/0`, combined moves, `(2)`), an empty cell or `Cannot Move` for a player who
dances, and unrecorded plays (`????`, or nothing at all) at the end of a game. `match_file.py` reads the text and
repairs what is damaged without harm.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile

import numpy as np

from ludarium.envs.backgammon import Backgammon, notation
from ludarium.envs.backgammon.match_file import Cell, Sheet, read_sheets
from ludarium.envs.backgammon.match_turns import ACTIONS, OUTCOMES, Work, new_work, play_turns
from ludarium.envs.backgammon.rules import DOUBLE, DROP, FINISHED, OFFER, OPENING, PASS, ROLL, ROLLING, TAKE
from ludarium.envs.options import IllegalAction
from ludarium.envs.records import RecordedGame, RecordError, attempt

_GOES_ON = "the match goes on"
_AT_ONCE = 16  # cells: few enough to look at them again for each turn that is odd
_UNRECORDED = re.compile(r"\?\?+")
_CUT_WORD = re.compile(r"[^/]*|.*/([12]|of?)?|.*\([1-4]?", re.IGNORECASE)
_DANCES = ("cannot move", "can't move", "no move", "no play", "dances", "dance", "pass", "-", "--")


def read_match(data: bytes | str, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a match file, each with the score it starts from.

    The reader plays the games, because moves are written in short form. A game that breaks the rules or contradicts
    its result line or the score of the next game is yielded as a `RecordError` that names the line; the other games of
    the file are not affected. A game that stops before the rules end it has a note: a resignation, an unrecorded last
    play, that the record stops, or that the game is over but the match goes on.

    Args:
        data: the file: bytes in UTF-8, UTF-16 with its mark, cp932, cp1252 or latin-1, or text.
        file: its name in error messages.

    Raises:
        RecordError: if it is not a match file.
    """
    sheets = read_sheets(data, file)
    best = 0  # the highest score before the current game, to recognise the Crawford game
    before: _GameReader | None = None
    for sheet, following in zip(sheets, [*sheets[1:], None], strict=True):
        try:
            if sheet.score is None:
                _follow(sheet, before, file)
            elif sheet.new_match and not (before and before.end == sheet.score and before.sheet.length == sheet.length):
                best = 0
            reader = _GameReader(
                _game(sheet.length), file, sheet, _next_score(sheet, following), following is None, best
            )
        except RecordError as error:
            before = None
            yield error
        else:
            before, best = reader, max(best, *reader.score)
            yield attempt(reader.read)


@cache
def _game(length: int) -> Backgammon:
    return Backgammon(match_length=length, cube=length == 0)


def _follow(sheet: Sheet, before: "_GameReader | None", file: str) -> None:
    """Give a game without players and score those that the game before it leads to.

    Raises:
        RecordError: if there is none, or its result is not known.
    """
    if before is None or before.end is None:
        raise RecordError(file, sheet.header, "expected 'name : score  name : score' below 'Game'")
    sheet.players, sheet.score = before.players, before.end
    sheet.repairs.append(
        f"line {sheet.header}: players and score are missing; after the game before it is {_at(sheet.score)}"
    )


def _next_score(sheet: Sheet, following: Sheet | None) -> tuple[Sheet, tuple[int, int]] | None:
    """The game that comes next in the same match and the score it starts from; None if the file does not say."""
    if following is None or following.score is None or following.number > sheet.number + 1:
        return None
    if following.new_match and (following.length != sheet.length or following.score == (0, 0)):
        return None
    return following, following.score


@dataclass
class _GameReader:
    """Reads and plays one game.

    `following` is the next game of the same match and its score; `final` says that the file ends with this game. Once
    it is read, `end` is the score after it.
    """

    game: Backgammon
    file: str
    sheet: Sheet
    following: tuple[Sheet, tuple[int, int]] | None
    final: bool
    best_before: int
    script: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    end: tuple[int, int] | None = None
    work: Work = field(default_factory=new_work)

    def __post_init__(self) -> None:
        assert self.sheet.score is not None
        self.score = self.sheet.score
        self.players = self.sheet.players or ("left", "right")
        self.repairs = list(self.sheet.repairs)
        length = self.sheet.length
        if length and max(self.score) >= length:
            raise self.error(self.sheet.header, f"the match to {length} points is over at {_at(self.score)}")
        self.position = self.game.start()
        self.start: str | None = None
        if length:
            record = self.position.record
            record.score[:] = self.score
            record.crawford = max(self.score) == length - 1 > self.best_before
            self.start = self.position.text
        self.begun = False
        self.winner, self.points = -1, 0

    def error(self, line: int, reason: str) -> RecordError:
        return RecordError(self.file, line, reason)

    def read(self) -> RecordedGame:
        """The game.

        Raises:
            RecordError: if it does not follow the rules, or contradicts its result or the next game's score.
        """
        cells = self.sheet.cells
        at = next((index for index, cell in enumerate(cells) if cell.kind == "wins"), len(cells))
        note = self.play_all(cells[:at], cut=self.final and at == len(cells))
        note = self.finish(cells[at], note) if at < len(cells) else self.finish_without_result(note)
        if self.winner >= 0:
            self.compare_with_next(cells[at].line if at < len(cells) else self.sheet.last)
        over = self.position.over
        return RecordedGame(
            game=self.game, seats=self.players, start=self.start,
            script=tuple(self.script), actions=tuple(self.actions),
            result=f"{self.players[self.winner]} wins {self.points}" if self.winner >= 0 else "",
            payoffs=tuple(self.position.payoffs().tolist()) if over else None, file=self.file, line=self.sheet.line,
            note=note, match_goes_on=note.startswith(_GOES_ON), repairs=tuple(self.repairs),
        )  # fmt: skip

    # --- what the players did -------------------------------------------------------------------------------------

    def play_all(self, cells: list[Cell], cut: bool) -> str:
        """Play the cells; returns why the game stops early. With `cut`, the file may end within the last one."""
        note, index = "", 0
        while index < len(cells):
            if not note and (played := self.play_clean_turns(cells[index : index + _AT_ONCE])):
                index += played
                continue
            cell = cells[index]
            last = index + 1 == len(cells) or cells[index + 1].kind == "concedes"
            if cell.kind == "board":
                following = (cells[later] for later in range(index + 1, len(cells)))
                note = self.set_board(cell, following, note)
            elif note and cell.kind != "concedes":
                raise self.error(cell.line, f"the game goes on after {note}")
            elif cell.kind == "concedes":
                note = f"{self.players[cell.seat]} resigned"
            elif cell.kind == "dice":
                note = self.roll_and_move(cell, last, cut and index + 1 == len(cells))
            else:
                self.use_cube(cell)
            index += 1
        return note

    def play_clean_turns(self, cells: list[Cell]) -> int:
        """Play rolls and moves as far as compiled code takes them; returns the number of cells that were played."""
        turns = list(takewhile(lambda cell: cell.kind == "dice", cells))
        if not turns:
            return 0
        text = "".join(f"{cell.seat}{cell.value[0]}{cell.value[-1]}{_moves(cell)}\n" for cell in turns)
        outcomes, actions = np.empty(len(turns), dtype=np.int64), np.empty(3 * len(turns), dtype=np.int64)
        written = np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)
        played = play_turns(self.position.data, written, self.begun, outcomes, actions, self.work)
        self.script += outcomes[: self.work.counts[OUTCOMES]].tolist()
        self.actions += actions[: self.work.counts[ACTIONS]].tolist()
        self.begun |= played > 0
        return played

    def set_board(self, cell: Cell, following: Iterator[Cell], note: str) -> str:
        """Go on from the position that a comment sets, as a new start, unless it is the position reached anyway."""
        roll = next((other for other in following if other.kind in ("dice", "double", "board")), None)
        if roll is None or roll.kind == "board":
            return note
        record = self.position.record
        board, _, cube = cell.value.partition("/")
        cube = cube or str(record.cube)
        here = self.position.text.removeprefix("XGID=").split(":")[:2]
        if here == [board, cube] and not note:
            return note
        owner = {-1: 0, 0: 1, 1: -1}[int(record.owner)] if int(cube) == int(record.cube) else 0
        text = (
            f"XGID={board}:{cube}:{owner}:{-1 if roll.seat else 1}:00:{self.score[0]}:{self.score[1]}"
            f":{int(record.crawford)}:{self.sheet.length}:6"
        )
        try:
            self.position = self.game.from_text(text)
        except ValueError as problem:
            raise self.error(cell.line, str(problem).removeprefix("backgammon: ")) from None
        self.start, self.begun = text, True
        self.script, self.actions = [], []
        self.repairs.append(f"line {cell.line}: the game is read from the position that is set here")
        return ""

    def use_cube(self, cell: Cell) -> None:
        record = self.position.record
        if cell.kind == "double":
            action, expected = DOUBLE, 2 << int(record.cube)
            if not cell.value:
                self.repairs.append(f"line {cell.line}: the cube's value is missing; a double turns it to {expected}")
            elif int(cell.value) != expected:
                raise self.error(cell.line, f"a double turns the cube to {expected}, not to {cell.value}")
            if int(record.phase) == OFFER and cell.seat != int(record.seat):
                raise self.error(cell.line, f"{self.players[cell.seat]} doubles, but the other side is on roll")
        else:
            action = TAKE if cell.value.lower().startswith("take") else DROP
        if action not in self.position.legal_actions():
            shown = f"Doubles => {cell.value}" if cell.kind == "double" else cell.value
            raise self.error(cell.line, f"{shown!r} is not allowed here: {self.position.text}")
        self.push(action)

    def roll_and_move(self, cell: Cell, last: bool, cut: bool) -> str:
        """Play a roll and its moves; returns a note if the play was not recorded."""
        first, second = int(cell.value[0]), int(cell.value[-1])
        if first == second == 0 and (not cell.text or _UNRECORDED.fullmatch(cell.text)):
            return "the last roll is not recorded"
        if not (1 <= first <= 6 and 1 <= second <= 6):
            raise self.error(cell.line, f"{cell.value} is not a roll of two dice")
        record = self.position.record
        if int(record.phase) == OFFER:
            self.push(ROLL)
        if int(record.phase) == OPENING and not self.begun:
            if first == second:
                raise self.error(cell.line, f"the opening roll cannot be the tie {cell.value}")
            high, low = max(first, second), min(first, second)
            outcome = notation.roll_outcome(*((low, high) if cell.seat else (high, low)))
        elif int(record.phase) == ROLLING:
            outcome = notation.roll_outcome(max(first, second), min(first, second))
        else:
            raise self.error(cell.line, f"no roll is expected here: {self.position.text}")
        self.begun = True
        self.script.append(outcome)
        self.position.push(outcome)
        if int(record.seat) != cell.seat:
            raise self.error(cell.line, f"{self.players[cell.seat]} rolls, but it is the other side's turn")
        if "illegal play" in cell.text.lower():
            raise self.error(cell.line, "the file itself says that this play was illegal")
        text = _moves(cell)
        if _UNRECORDED.search(text) or (last and not cell.text and PASS not in self.position.legal_actions()):
            return "the last play is not recorded"
        return self.move(text, cell.line, cut)

    def move(self, text: str, line: int, cut: bool) -> str:
        """Play the moves of a roll. With `cut`, the end of them may be missing; returns a note if it is."""
        *whole, last = text.split() or [""]
        if cut and last and _CUT_WORD.fullmatch(last) and not self.can_play(text):
            self.repairs.append(f"line {line}: {last!r} is left out; the file ends there")
            text = " ".join(whole)
        try:
            for action in notation.find_turn(self.position, text):
                self.push(action)
            return ""
        except ValueError as problem:
            if cut and self.part_of_a_play(text):
                return f"the record stops after {len(self.actions)} moves"
            if isinstance(problem, IllegalAction):
                raise self.error(line, f"{text or 'a pass'!r} is not a legal play here: {self.position.text}") from None
            raise self.error(line, str(problem).removeprefix("backgammon: ")) from None

    def can_play(self, text: str) -> bool:
        """Whether the moves are a legal play."""
        try:
            return bool(notation.find_turn(self.position, text))
        except ValueError:
            return False

    def part_of_a_play(self, text: str) -> bool:
        """Whether the moves use fewer pips than the dice have."""
        try:
            steps = notation.read_moves(text)[0]
        except ValueError:
            return False
        low, high = map(int, self.position.record.dice)
        return sum(source - target for source, target in steps) < (4 * low if low == high else low + high)

    def push(self, action: int) -> None:
        self.actions.append(action)
        self.position.push(action)

    # --- the result -----------------------------------------------------------------------------------------------

    def decide(self) -> bool:
        """Take winner and points from the position, if the rules ended the game there."""
        record = self.position.record
        if int(record.phase) != FINISHED and not (self.begun and int(record.phase) == OPENING):
            return False
        gained = [int(now) - then for now, then in zip(record.score, self.score, strict=True)]
        self.winner = int(record.seat) if int(record.phase) == FINISHED else int(gained[1] > 0)
        self.points = int(record.won) or gained[self.winner]
        return True

    def after(self, note: str) -> str:
        """The note of a game that the rules ended."""
        return note if self.position.over else f"{_GOES_ON} at {_at(self.position.record.score)}"

    def finish(self, cell: Cell, note: str) -> str:
        """Compare the result line with the position; returns a note if the rules do not end the episode here."""
        points, length = int(cell.value), self.sheet.length
        if self.decide():
            # The last game of a match may be entered with its points, with those still needed, or with all of them.
            needed = length - self.score[self.winner]
            accepted = {self.points, needed, length} if length and self.position.over else {self.points}
            if points not in accepted:
                raise self.error(
                    cell.line, f"the result line says {points} points, but the game was won with {self.points}"
                )
            return self.after(note)
        self.winner, self.points = self.side(cell, points), points
        self.check_resignation(cell.line)
        return note or f"{self.players[1 - self.winner]} resigned"

    def finish_without_result(self, note: str) -> str:
        """Find the result from the rules or from the next score; returns a note as `finish` does."""
        where = f"line {self.sheet.last}: there is no line such as 'Wins 1 point'"
        if self.decide():
            self.repairs.append(f"{where}; by the rules {self.players[self.winner]} wins {self.points}")
            return self.after(note)
        gained = self.gained_by_next()
        if gained is None:
            return note or f"the record stops after {len(self.actions)} moves"
        self.winner, self.points = gained
        self.repairs.append(f"{where}; by the next score {self.players[self.winner]} wins {self.points}")
        self.check_resignation(self.sheet.last)
        return note or f"{self.players[1 - self.winner]} resigned"

    def side(self, cell: Cell, points: int) -> int:
        """The seat of a result line: its column or, if the columns are lost, the side that the next score names."""
        if cell.seat >= 0:
            return cell.seat
        gained = self.gained_by_next()
        enough = [seat for seat in (0, 1) if self.score[seat] + points >= self.sheet.length > 0]
        if gained:
            winner, why = gained[0], "by the next score"
        elif self.final and len(enough) == 1:
            winner, why = enough[0], "with which the match ends"
        else:
            winner, why = 0, "the first player, for lack of a better sign"
        self.repairs.append(f"line {cell.line}: the columns are lost; the winner is {self.players[winner]}, {why}")
        return winner

    def gained_by_next(self) -> tuple[int, int] | None:
        """Who won what according to the next game's score; None if it does not say."""
        if self.following is None:
            return None
        gained = [now - then for now, then in zip(self.following[1], self.score, strict=True)]
        winners = [seat for seat in (0, 1) if gained[seat] > 0 and gained[1 - seat] == 0]
        return (winners[0], gained[winners[0]]) if winners else None

    def check_resignation(self, line: int) -> None:
        cube, length = 1 << int(self.position.record.cube), self.sheet.length
        enough = length and self.score[self.winner] + max(self.points, 3 * cube) >= length  # surplus points may be cut
        if not enough and self.points not in (cube, 2 * cube, 3 * cube):
            raise self.error(line, f"a side cannot resign {self.points} points with the cube at {cube}")

    def compare_with_next(self, line: int) -> None:
        """Set the score after the game, and compare it with that of the next game."""
        end = list(self.score)
        end[self.winner] += self.points
        if self.following is not None and self.following[1] != tuple(end):
            sheet, score = self.following
            raise self.error(
                line,
                f"{self.players[self.winner]} won {self.points} at {_at(self.score)}, "
                f"but the next game (line {sheet.header}) starts at {_at(score)}",
            )
        self.end = (end[0], end[1])


def _moves(cell: Cell) -> str:
    """The moves of a cell; none if it says that there are none."""
    return "" if cell.text.lower().rstrip(".") in _DANCES else cell.text


def _at(score: Sequence[int]) -> str:
    return f"{score[0]}-{score[1]}"
