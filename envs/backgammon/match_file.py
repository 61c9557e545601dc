"""Match files as text: finds the games, their players and scores, and what each side did, whatever the layout.

Damage that leaves no doubt about the game is repaired: lines broken in two or written twice, lost numbers and columns,
remarks after the moves. Whatever was repaired is said in `Sheet.repairs`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ludarium.envs.records import RecordError

# Every pattern takes time that grows with the text alone: no two repeats that match the same can share a stretch of it,
# and a repeat that may fail begins where it cannot begin again. Numbers have few digits, since `int` refuses thousands.
_LENGTH = re.compile(r"(\d{1,9})[ -]+points?[ -]+match\b.*", re.IGNORECASE)
_GAME = re.compile(r"Game\s*#?(\d{1,9})[.:]?(\s*\(.*\))?", re.IGNORECASE)
_SCORE = re.compile(r":\s*(\d+)(?=\s|$)")
_NUMBER = re.compile(r"\s*\d+(?:\)|\.(?!\d))")
_COMMENT = re.compile(r"\s*(?:;|#|//)")
_CELL = re.compile(
    r"\b(?P<dice>\d-?\d)\s?:|(?P<double>(?:Red|D)oubles?\b(?:\s*(?:(?:=>|=&gt;|->|to)\s*)?(?P<to>\d{1,9}))?)"
    r"|(?P<answer>Takes?|Drops?)\b|(?P<wins>Wins\s+(?P<points>\d{1,9})\b)|(?P<concedes>Concedes|Resigns)",
    re.IGNORECASE,
)
_PLAIN = re.compile(  # one or two rolls with moves: most lines, which need not be searched for anything else
    r"\s*\d+\)\s+(?P<first>\d\d):(?P<moves>[\d/*(), barof]*?)(?:(?<=\s)(?P<second>\d\d):(?P<others>[\d/*(), barof]*))?",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\s*(?:(?P<word>Wins|Takes?|Drops?|Concedes|Resigns)\b|(?:Red|D)oubles?\b|\d-?\d\s?:|(?:bar|\d\d?)/)",
    re.IGNORECASE,
)
_ILLEGAL = re.compile(r"illegal play", re.IGNORECASE)
_BOARD = re.compile(r"\s*;\s*Set Pos\s*=\s*([-A-Za-z]{26}(?:/\d)?)\s*", re.IGNORECASE)
_BLANK = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 160), " ")
_RIGHT_COLUMN = 20  # a cell that begins further right, alone on its line, is in the right column
_LONGEST_MATCH = 25
_LONGEST_LINE = 10_000  # characters; lines of real files have 175 at most
_LONGEST_BROKEN = 500  # of a line that may be broken; more cannot be the moves of one turn
_MOST_REPAIRS = 1000  # in one game
_NO_LENGTH = "there is no line such as '7 point match' (0 for money)"

# What may stand between and after moves without being one
_REMARK = re.compile(
    r"(?<=[\w*)])[!?]{1,2}(?!\S)|(?<!\S)!+(?!\S)|\((?![1-4]\))[^()]*\)|\[[^\[\]]*\]|(?<!\S)[+-]?\d*\.\d+%?(?!\S)"
)
_NOTHING = re.compile(r"(?<!\S)0/0(?!\S)")
_COUNT = re.compile(r"(?<!\s)\s+(?=\([1-4]\))")
_NOT_ONLY_MOVES = re.compile(r"[!?\[.]|\((?![1-4]\))|\s\(|0/0|[^\W\d_]{4}")  # where one of the patterns above may match


@dataclass(slots=True)
class Cell:
    """What one player did.

    Attributes:
        kind: `dice`, `double`, `answer`, `wins`, `concedes`, or `board` for a position that a comment sets.
        value: the dice, the cube's new value (empty if it is not given), the answer, the points, or the board and,
            after a slash, the cube's power of two.
        text: the moves.
        line: where it is in the file.
        seat: the player, by the column; -1 for a result where the columns are lost.
    """

    kind: str
    value: str
    text: str
    line: int
    seat: int


@dataclass
class Sheet:
    """One game of a file, before it is played.

    Attributes:
        file: the file's name in error messages.
        length: points that win the match; 0 for money.
        number: the game's number in its title.
        line: the line of the title.
        players: the names by seat; empty if they cannot be read.
        score: the score before the game; None if it cannot be read.
        header: the line of the names and the score.
        last: the last line of the game.
        new_match: the title is the first after a line with the length of a match.
        cells: what the players did, in order.
        repairs: what was repaired.
    """

    file: str
    length: int
    number: int
    line: int
    new_match: bool
    players: tuple[str, str] | tuple[()] = ()
    score: tuple[int, int] | None = None
    header: int = 0
    last: int = 0
    cells: list[Cell] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)

    def repair(self, what: str) -> None:
        """Note a repair.

        Raises:
            RecordError: if there are so many that the file can hardly be a record.
        """
        if len(self.repairs) >= _MOST_REPAIRS:
            raise RecordError(self.file, self.line, f"more than {_MOST_REPAIRS} lines of this game are damaged")
        self.repairs.append(what)


def read_sheets(data: bytes | str, file: str) -> list[Sheet]:
    """The games of a match file.

    Args:
        data: the file: bytes in UTF-8, UTF-16 with its mark, cp932, cp1252 or latin-1, or text.
        file: its name in error messages.

    Raises:
        RecordError: if it is not a match file.
    """
    written = re.split(r"\r\n|\r|\n", _decode(data).translate(_BLANK))
    for number, line in enumerate(written, 1):
        if len(line) > _LONGEST_LINE:
            raise RecordError(
                file, number, f"a line of a match file has at most {_LONGEST_LINE} characters, not {len(line)}"
            )
    lines = [_without_remark(line.expandtabs()) for line in written]
    texts = [line.strip() for line in lines]
    lengths = {number: int(match[1]) for number, text in enumerate(texts, 1) if (match := _LENGTH.fullmatch(text))}
    if max(lengths.values(), default=0) > _LONGEST_MATCH:
        raise RecordError(
            file, 0, f"matches to {_LONGEST_MATCH} points at most can be read, not to {max(lengths.values())}"
        )
    length, new_match = next(iter(lengths.values()), 0), True
    sheets: list[Sheet] = []
    for number, text in enumerate(texts, 1):
        if number in lengths:
            length, new_match = lengths[number], True
        elif match := _GAME.fullmatch(text):
            sheets.append(Sheet(file, length, int(match[1]), number, new_match))
            new_match = False
    if not sheets:
        raise RecordError(
            file, 0, "there is no line such as 'Game 1'" if lengths else f"{_NO_LENGTH}: not a match file"
        )
    lost = not any("   " in line.strip() for line in written if _NUMBER.match(line))
    for sheet, following in zip(sheets, [*sheets[1:], None], strict=True):
        sheet.last = following.line - 1 if following else len(lines)
        _fill(sheet, lines[sheet.line : sheet.last], lost)
    if not lengths:
        if not any(sheet.players for sheet in sheets):
            raise RecordError(file, 0, f"{_NO_LENGTH}: not a match file")
        sheets[0].repair(f"{_NO_LENGTH}; these are read as money games")
    return list(_without_repeated_titles(sheets))


def _decode(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    encodings = ["utf-16"] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else []
    for encoding in (*encodings, "utf-8-sig", "cp932", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _without_remark(line: str) -> str:
    """A line without the remark after it; comments and dumps of positions, which have semicolons, stay whole."""
    if ";" not in line or _COMMENT.match(line) or _ILLEGAL.search(line):
        return line
    return re.split(r"\s;", line, maxsplit=1)[0]


def _without_repeated_titles(sheets: list[Sheet]) -> Iterator[Sheet]:
    """The sheets without those that hold nothing but the title of the next."""
    for sheet, following in zip(sheets, [*sheets[1:], None], strict=True):
        empty = not sheet.cells and following is not None and sheet.number == following.number
        if following is not None and empty and sheet.score in (None, following.score):
            following.new_match |= sheet.new_match
            following.repairs.insert(0, f"line {following.line}: the game's title is there twice")
        else:
            yield sheet


# --- one game -------------------------------------------------------------------------------------------------------


def _fill(sheet: Sheet, lines: list[str], lost: bool) -> None:
    """Read the lines below a title; `lost` says that the file's columns are lost."""
    numbered = [(number, line) for number, line in enumerate(lines, sheet.line + 1) if line.strip()]
    head = [(number, line.strip()) for number, line in numbered if not _COMMENT.match(line)][:2]
    sheet.header = end = head[0][0] if head else sheet.line
    if not head or _NUMBER.match(head[0][1]):
        end = sheet.line
    elif not _read_players(sheet, head[0][1]) and _read_players(sheet, " ".join(text for _, text in head)):
        sheet.repair(f"line {sheet.header}: the players' line is broken in two")
        end = head[1][0]
    lines_of_moves = _whole_lines(sheet, [item for item in numbered if item[0] > end])
    groups = [_cells(text, number) for number, text in lines_of_moves]
    if lost:
        _settle_opening(sheet, groups)
    for (_, text), group in zip(lines_of_moves, groups, strict=True):
        for cell in group:
            if cell.kind == "dice":
                cell.text = _clean(sheet, cell)
            elif cell.kind == "wins" and (lost or text[:4].lower() == "wins"):
                cell.seat = -1
            sheet.cells.append(cell)


def _read_players(sheet: Sheet, text: str) -> bool:
    """Read `name : score  name : score`; the last score ends the line."""
    scores = list(_SCORE.finditer(text))
    if len(scores) < 2 or scores[-1].end() != len(text) or max(len(scores[0][1]), len(scores[-1][1])) > 4:
        return False
    first, second = scores[0], scores[-1]
    sheet.players = (text[: first.start()].strip() or "left", text[first.end() : second.start()].strip() or "right")
    sheet.score = (int(first[1]), int(second[1]))
    return True


def _whole_lines(sheet: Sheet, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines of moves, results and set positions, with broken lines put together and repeated ones left out."""
    whole: list[tuple[int, str]] = []
    last: list[str] = []  # the words of the line found last
    for number, line in lines:
        words, loose, keep = line.split(), _LOOSE.match(line), True
        if _COMMENT.match(line):
            keep = bool(_BOARD.fullmatch(line))
        elif _NUMBER.match(line):
            if last == words and _CELL.search(line):
                sheet.repair(f"line {number}: the line is there twice")
                keep = False
        elif not loose:
            keep = False
        elif not loose["word"] and whole and _continues(whole[-1][1], line):
            sheet.repair(f"line {number}: a line of moves is broken in two")
            above, before = whole[-1]
            if not _CELL.search(before):
                before = before.ljust(_RIGHT_COLUMN - 1)
            whole[-1] = (above, f"{before} {line.lstrip()}")
            last, keep = last + words, False
        elif not loose["word"]:
            sheet.repair(f"line {number}: the line has no number")
        if keep:
            whole.append((number, line))
            last = words
    return whole


def _continues(line: str, text: str) -> bool:
    """Whether a text without a number belongs to the line above: as more of its moves or as its second cell."""
    if not _NUMBER.match(line) or len(line) > _LONGEST_BROKEN:
        return False
    added = len(_CELL.findall(text))
    first = _CELL.search(text)
    starts_with_moves = first is None or bool(text[: first.start()].strip())
    return starts_with_moves or (len(_CELL.findall(line)) < 2 and added == 1)


def _cells(line: str, number: int) -> list[Cell]:
    """The cells of one line."""
    if plain := _PLAIN.fullmatch(line):
        alone = plain["second"] is None
        right = alone and plain.start("first") >= _RIGHT_COLUMN
        cells = [Cell("dice", plain["first"], plain["moves"].strip(), number, int(right))]
        return cells if alone else [*cells, Cell("dice", plain["second"], plain["others"].strip(), number, 1)]
    if board := _BOARD.fullmatch(line):
        return [Cell("board", board[1], "", number, 0)]
    prefix = _NUMBER.match(line)
    if illegal := _ILLEGAL.search(line):  # it may be followed by a dump of the position, which has colons of its own
        dump = re.compile(r"\([^()]*\)?").match(line, illegal.end() + 1)
        line = line[: illegal.end()] + (line[dump.end() :] if dump else line[illegal.end() :])
    matches = list(_CELL.finditer(line, prefix.end() if prefix else 0))
    plays = [match for match in matches if match.lastgroup != "wins"]
    cells = []
    for match, following in zip(matches, [*matches[1:], None], strict=False):
        right = match.start() >= _RIGHT_COLUMN if len(plays) < 2 else match is not plays[0]
        text = line[match.end() : following.start() if following else len(line)]
        kind = str(match.lastgroup)
        value = match["to"] or "" if kind == "double" else match["points"] if kind == "wins" else match[kind]
        cells.append(Cell(kind, value, text.strip(), number, int(right)))
    return cells


def _settle_opening(sheet: Sheet, groups: list[list[Cell]]) -> None:
    """Where the columns are lost: a lone roll on the first line is the right player's if the left one rolls next."""
    lines = [[cell for cell in group if cell.kind != "wins"] for group in groups]
    lines = [line for line in lines if line]
    if len(lines) < 2 or [cell.kind for cell in lines[0]] != ["dice"] or lines[0][0].seat == 1:
        return
    if len(lines[1]) == 2 and lines[1][0].kind in ("dice", "double"):
        lines[0][0].seat = 1
        sheet.repair(f"line {lines[0][0].line}: the columns are lost; this roll is the right player's")


def _clean(sheet: Sheet, cell: Cell) -> str:
    """The moves of a cell without remarks, figures, and moves from nowhere to nowhere."""
    if not _NOT_ONLY_MOVES.search(cell.text):
        return cell.text
    text = _COUNT.sub("", cell.text)
    if _ILLEGAL.search(text):
        return text
    clean = _NOTHING.sub(" ", _REMARK.sub(" ", text))
    if clean != text and (kept := " ".join(clean.split())) != text:
        sheet.repair(f"line {cell.line}: {text!r} is read as {kept!r}")
        return kept
    return text
