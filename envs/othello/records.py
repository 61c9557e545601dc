"""Recorded Othello games: WTHOR databases (`.wtb`), GGF, and plain transcripts.

The files may leave passes out; the readers put them in. A reader checks that a file is well formed;
`ludarium.envs.records.replay` checks that its moves are legal and its result is right.
"""

import re
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

from ludarium.envs.othello import Othello, notation
from ludarium.envs.position import Position
from ludarium.envs.records import RecordedGame, RecordError, attempt

_HEADER, _RECORD = struct.Struct("<4BIHH4B"), struct.Struct("<3H2B60s")
_GGF_PROPERTY = re.compile(r"\s*([A-Z]+)\[([^\[\]]*)\]")
_GGF_END = re.compile(r"\s*;\s*\)")
_GGF_RESULT = re.compile(r"([+-]?\d+(?:\.\d+)?)(:\w+)?")
_STOPS = {":r": "resigned", ":t": "lost on time", ":s": "settled by agreement"}


def read_any(data: bytes, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a file: WTHOR if it ends in `.wtb`, GGF if it contains `(;`, otherwise one transcript per line.

    Raises:
        RecordError: if the file is malformed.
    """
    if file.lower().endswith(".wtb"):
        return read_wthor(data, file)
    text = data.decode("utf-8-sig", errors="replace")
    return read_ggf(text, file) if "(;" in text else read_transcripts(text, file)


def read_wthor(data: bytes, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a WTHOR database: a header of 16 bytes, then 68 per game; `line` is the number of the game.

    Players are given as numbers; their names are in another file. The score counts black's discs and, if black won, the
    empty squares. Format: Fédération Française d'Othello, "Format de la base WTHOR".

    Raises:
        RecordError: if the file is not a WTHOR database of 8 × 8 games. An error in one game is yielded in its place;
            in a file of another size than its header says, one more error follows the games that are there.
    """
    if len(data) < _HEADER.size:
        raise RecordError(file, 0, f"a WTHOR header has {_HEADER.size} bytes, the file only {len(data)}")
    count, size = _HEADER.unpack_from(data)[4], data[12]
    if size not in (0, 8):
        raise RecordError(file, 0, f"byte 12 of a WTHOR file is the board size, 8 or 0 (for 8), not {size}")
    game = Othello(scoring="empties_to_winner")
    whole = min(count, (len(data) - _HEADER.size) // _RECORD.size)
    for number in range(whole):
        fields = _RECORD.unpack_from(data, _HEADER.size + number * _RECORD.size)
        yield attempt(_wthor_game, game, fields, file, number + 1)
    expected = _HEADER.size + count * _RECORD.size
    if len(data) != expected:
        yield RecordError(file, whole + 1, f"a WTHOR file of {count} games has {expected} bytes, this one {len(data)}")


def _wthor_game(game: Othello, fields: tuple[Any, ...], file: str, number: int) -> RecordedGame:
    _, black, white, score, _, squares = fields
    if score > 64:
        raise RecordError(file, number, f"the score of black is 0 to 64 discs, not {score}")
    moves = []
    for index, square in enumerate(squares.rstrip(b"\0")):
        row, column = divmod(square, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise RecordError(file, number, f"move {index + 1} is the byte {square}, not 10 × row + column")
        moves.append(row * 8 + column - 9)
    actions, _, note = _play(game.start(), moves)
    return RecordedGame(
        game=game, seats=(f"player {black}", f"player {white}"), actions=actions, result=f"{score}-{64 - score}",
        payoffs=(2.0 * score - 64, 64 - 2.0 * score), file=file, line=number, note=note,
    )  # fmt: skip


def read_ggf(text: str, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a file in the Generic Game Format: `(;GM[Othello]PB[…]PW[…]RE[…]BO[8 … *]B[d3/eval/time]W[…]…;)`.

    Text between games is ignored. The result is black's disc difference.

    Raises:
        RecordError: if there is no game. An error in one game is yielded in its place.
    """
    line, seen, at = 1, 0, text.find("(;")
    if at < 0:
        raise RecordError(file, 0, "it contains no GGF game: expected '(;GM[Othello]…;)'")
    while at >= 0:
        line += text.count("\n", seen, at)
        seen, at = at, at + 2
        properties = []
        while match := _GGF_PROPERTY.match(text, at):
            properties.append((match[1], match[2]))
            at = match.end()
        end = _GGF_END.match(text, at)
        if end is None:
            yield RecordError(
                file, line, f"expected a property such as 'B[d3]' or the end ';)', not {text[at : at + 20]!r}"
            )
        else:
            yield attempt(_ggf_game, properties, file, line)
        at = text.find("(;", end.end() if end else at)


def read_transcripts(text: str, file: str, game: Othello | None = None) -> Iterator[RecordedGame | RecordError]:
    """The games of a text with one transcript per line, `f5d6c3…`; passes are optional, `#` begins a comment.

    Raises:
        RecordError: if there is no game. A line that is not a transcript is yielded as an error in its place.
    """
    game = game or Othello()
    any_game = False
    for line, content in enumerate(text.splitlines(), 1):
        moves = content.partition("#")[0].strip()
        if moves:
            any_game = True
            yield attempt(_transcript_game, game, moves, file, line)
    if not any_game:
        raise RecordError(file, 0, "it contains no game: expected a transcript such as 'f5d6c3d3c4' on a line")


def read_line(game: Othello, text: str) -> RecordedGame:
    """The beginning of a game in one line, as a transcript or in GGF; that its moves are legal is not checked.

    Raises:
        RecordError: if it is neither, or of another board; without a place, since it comes from no file.
    """
    size = game.options["size"]
    if "(;" not in text:
        return _transcript_game(game, text, "", 0)
    record = next(read_ggf(text, ""))
    if isinstance(record, RecordError):
        raise record
    if (actual := record.game.options["size"]) != size:
        raise RecordError("", 0, f"the game in GGF is on a board of {actual} × {actual}, not of {size} × {size}")
    return record


def _transcript_game(game: Othello, moves: str, file: str, line: int) -> RecordedGame:
    try:
        parsed = notation.parse_transcript(moves, game.options["size"])
    except ValueError as error:
        raise RecordError(file, line, str(error)) from None
    actions, _, note = _play(game.start(), parsed)
    return RecordedGame(game=game, seats=game.seat_names, actions=actions, file=file, line=line, note=note)


def _ggf_game(properties: list[tuple[str, str]], file: str, line: int) -> RecordedGame:
    facts = dict(properties)
    if facts.get("GM", "").lower() not in ("othello", "reversi"):
        raise RecordError(file, line, f"expected a game of Othello, GM[Othello], not {facts.get('GM', '')!r}")
    size, _, board = facts.get("BO", "8").strip().partition(" ")
    if size not in ("8", "6", "4"):
        raise RecordError(file, line, f"the board size (BO) must be 8, 6 or 4, not {size!r}")
    game = _game_of_discs(int(size))
    written = [(key, value.partition("/")[0]) for key, value in properties if key in ("B", "W")]
    try:
        position = game.from_text(board) if board else game.start()
        moves = [notation.parse_move(name, int(size)) for _, name in written]
    except ValueError as error:
        raise RecordError(file, line, str(error)) from None
    start = None if position == game.start() else position.text
    actions, turns, note = _play(position, moves)
    for number, ((colour, name), turn) in enumerate(zip(written, turns, strict=False), 1):
        if colour != "BW"[turn]:
            raise RecordError(file, line, f"move {number} is {colour}[{name}], but {game.seat_names[turn]} is to move")
    result = facts.get("RE", "")
    match = _GGF_RESULT.fullmatch(result.strip())
    if note and match and match[2]:
        note = _STOPS.get(match[2], f"ended by {match[2]!r}")
    return RecordedGame(
        game=game, seats=(facts.get("PB", "black"), facts.get("PW", "white")), start=start, actions=actions,
        result=result, payoffs=(float(match[1]), -float(match[1])) if match else None, file=file, line=line, note=note,
    )  # fmt: skip


@cache
def _game_of_discs(size: int) -> Othello:
    """The game that GGF records; it takes its time to make, and a file may hold many."""
    return Othello(size=size, scoring="discs")


def _play(position: Position, moves: list[int]) -> tuple[list[int], list[int], str]:
    """Play the moves from `position` on, adding the passes that are left out.

    Returns:
        The actions, passes included; the seat that made each of `moves`; and, if the game is not over, how far it got.
        After a move that is not legal, the rest is returned as it is: the replay will report the error.
    """
    passing = position.game.actions - 1
    actions: list[int] = []
    turns: list[int] = []
    for index, move in enumerate(moves):
        mask = position.action_mask()
        if mask[passing] and move != passing:
            actions.append(passing)
            position.push(passing)
            mask = position.action_mask()
        if not mask[move]:
            return actions + moves[index:], turns, ""
        turns.append(position.turn)
        actions.append(move)
        position.push(move)
    return actions, turns, "" if position.over else f"the record stops after {len(actions)} moves"


def write_transcript(record: RecordedGame) -> str:
    """A game as `read_transcripts` reads it: the squares in order, without passes.

    Raises:
        ValueError: if it does not begin at the game's own start.
    """
    if record.start is not None:
        raise ValueError("a transcript cannot hold a game from another position; GGF can")
    return notation.transcript(record.actions, record.game.options["size"]) + "\n"


def write_ggf(record: RecordedGame) -> str:
    """A game as `read_ggf` reads it; the result is the disc difference if the game is over, else `?`."""
    game, size = record.game, record.game.options["size"]
    position = game.start() if record.start is None else game.from_text(record.start)
    names = [re.sub(r"[\[\]]", "", name) for name in record.seats]
    board, moves = position.text.replace("X", "*"), []  # GGF writes `*` for black
    for action in record.actions:
        name = "PA" if action == game.passing else notation.move_name(action, size)
        moves.append(f"{'BW'[position.turn]}[{name}]")
        position.play(action)
    cells = position.text.split()[0]
    result = f"{cells.count('X') - cells.count('O')}" if position.over else "?"
    head = f"(;GM[Othello]PC[Ludarium]PB[{names[0]}]PW[{names[1]}]RE[{result}]TY[{size}]BO[{size} {board}]"
    return f"{head}{''.join(moves)};)\n"
