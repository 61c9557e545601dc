"""Backgammon positions as text: XGID, and GNU Backgammon's position ID and match ID.

`XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10` is, between the colons: the board (first the bar of seat 1, then
the points 1 to 24 and the bar of seat 0; capitals are seat 0's checkers, A for one), the power of two on the cube, its
owner (1 is seat 0, -1 seat 1, 0 nobody), whose turn it is (1 or -1), the dice (00 before the roll, D after a double
that waits for an answer), the points of seat 0 and of seat 1, 1 in a Crawford game or, in money play, with the Jacoby
rule, the length of the match (0 for money), and the power of two where the cube stops. One word may follow: `opening`
(the opening roll comes next), `rolling` (the decision not to double has been made), `second` (half of a double is
still to be played), and at the end `won N`.

`4HPwATDgc/ABMA:cAkAAAAAAAAE` are a position ID (the checkers seen by the player on roll) and a match ID (the rest).
Source of these two: the GNU Backgammon manual, "A technical description of the position ID" and "of the match ID".
"""

import base64
import binascii
import re
from dataclasses import dataclass, replace
from typing import Any

from ludarium.envs.backgammon.rules import (
    ANSWER,
    BAR,
    FINISHED,
    LARGEST_CUBE,
    MOVING,
    OFFER,
    OPENING,
    ROLLING,
    SECOND_HALF,
    may_double,
)

_WORDS = {OPENING: "opening", ROLLING: "rolling", SECOND_HALF: "second"}
_ID = re.compile(r"([A-Za-z0-9+/]{14})(?::([A-Za-z0-9+/]{12}))?")
_KNOWN = "'XGID=…', a position ID such as '4HPwATDgc/ABMA', or one with a match ID after a colon"


@dataclass(frozen=True)
class Diagram:
    """The content of a position's text.

    Attributes:
        checkers: by seat, the counts on its points 1 to 24 and its bar: two tuples of 25.
        phase: one of the phases of `ludarium.envs.backgammon.rules`; `OFFER` for any turn before the roll.
        seat: the seat whose turn it is; the one to answer in phase `ANSWER`, the winner at the end.
        dice: smaller and larger; (0, 0) before the roll.
        cube: its power of two.
        owner: the seat that owns it, or -1.
        score: of the match, by seat.
        crawford: whether this is the Crawford game.
        jacoby: whether the text says that the Jacoby rule is on.
        match_length: 0 for money; None if the text does not say.
        won: at the end, the points won in the last game.
    """

    checkers: tuple[tuple[int, ...], tuple[int, ...]]
    phase: int = OFFER
    seat: int = 0
    dice: tuple[int, int] = (0, 0)
    cube: int = 0
    owner: int = -1
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    match_length: int | None = 0
    won: int = 0


def read(text: str) -> Diagram:
    """The diagram of an XGID, a position ID, or a position ID and a match ID.

    Raises:
        ValueError: if it is none of them.
    """
    text = text.strip()
    if match := _ID.fullmatch(text):
        checkers = read_position_id(match[1])
        return read_match_id(match[2], checkers) if match[2] else Diagram(checkers, match_length=None)
    if text.count(":") >= 8:
        return read_xgid(text)
    raise ValueError(f"backgammon: a position is {_KNOWN}; not {text!r}")


def fill(record: Any, diagram: Diagram, men: int, text: str) -> None:
    """Write a diagram into the record of a starting position of `men` checkers a side.

    Raises:
        ValueError: if it is not a position of the record's game; the message quotes `text`.
    """
    problem = _problem(record, diagram, men)
    if problem:
        raise ValueError(f"backgammon: {problem}: {text!r}")
    for seat, counts in enumerate(diagram.checkers):
        record["checkers"][seat] = men - sum(counts), *counts
    record["dice"] = diagram.dice
    record["cube"], record["owner"], record["won"] = diagram.cube, diagram.owner, diagram.won
    if record["match_length"]:
        record["score"] = diagram.score
        record["crawford"] = diagram.crawford
    record["phase"], record["seat"] = diagram.phase, 0 if diagram.phase == OPENING else diagram.seat
    if diagram.phase in (OFFER, ROLLING, ANSWER):
        record["seat"] = 1 - diagram.seat if diagram.phase == ANSWER else diagram.seat
        allowed = may_double(record)
        if diagram.phase == ANSWER and not allowed:
            raise ValueError(f"backgammon: the side on roll was not allowed to double: {text!r}")
        if diagram.phase == OFFER and not allowed:
            record["phase"] = ROLLING
        record["seat"] = diagram.seat


def _problem(record: Any, diagram: Diagram, men: int) -> str:
    """Why a diagram cannot be a position of the record's game; empty if it can be."""
    white, black = diagram.checkers
    length = int(record["match_length"])
    if diagram.match_length is not None and diagram.match_length != length:
        return f"the text has match length {diagram.match_length}, this game has match_length={length}"
    if max(sum(white), sum(black)) > men:
        return f"a side has at most {men} checkers, not {max(sum(white), sum(black))}"
    if any(white[point] and black[23 - point] for point in range(24)):
        return "both sides stand on the same point"
    if (diagram.cube or diagram.owner >= 0 or diagram.phase == ANSWER) and not record["has_cube"]:
        return "this game has no cube; use cube=True or a match of 2 points or more"
    if diagram.owner >= 0 and not diagram.cube:
        return "a cube that somebody owns shows 2 or more"
    if diagram.phase == FINISHED:
        if not 1 <= diagram.won <= 3 << LARGEST_CUBE or (length and diagram.score[diagram.seat] != length):
            return "the points won, or the score of the match, do not fit the end"
        return ""
    if length and max(diagram.score) >= length:
        return f"the match to {length} points is over at {diagram.score[0]}-{diagram.score[1]}"
    if not sum(white) or not sum(black):
        return "one side has no checkers left, and the text does not say that the game is over"
    return ""


# --- XGID -----------------------------------------------------------------------------------------------------------


def xgid(diagram: Diagram) -> str:
    """The diagram as an XGID, followed by a word where the XGID alone does not tell the phase."""
    marks = []
    for place in range(26):
        mine = diagram.checkers[0][place - 1] if place else 0
        theirs = diagram.checkers[1][24 - place] if place < 25 else 0
        marks.append(chr(ord("A") + mine - 1) if mine else chr(ord("a") + theirs - 1) if theirs else "-")
    on_roll = 1 - diagram.seat if diagram.phase == ANSWER else diagram.seat
    dice = "D" if diagram.phase == ANSWER else f"{diagram.dice[1]}{diagram.dice[0]}"
    flag = diagram.crawford if diagram.match_length else diagram.jacoby
    fields = [
        "".join(marks), diagram.cube, _SIGN[diagram.owner], _SIGN[on_roll], dice, *diagram.score, int(flag),
        diagram.match_length or 0, LARGEST_CUBE,
    ]  # fmt: skip
    word = f"won {diagram.won}" if diagram.phase == FINISHED else _WORDS.get(diagram.phase, "")
    return f"XGID={':'.join(map(str, fields))} {word}".rstrip()


_SIGN = {0: 1, 1: -1, -1: 0}
_SEAT = {1: 0, -1: 1, 0: -1}


def read_xgid(text: str) -> Diagram:
    """The diagram of an XGID; `XGID=` may be missing, and the largest cube is ignored.

    Raises:
        ValueError: if it is not one; the message names the part.
    """
    head, _, word = text.strip().partition(" ")
    fields = head.removeprefix("XGID=").split(":")
    if len(fields) not in (9, 10) or not re.fullmatch(r"[-A-Oa-o]{26}", fields[0]):
        raise ValueError(f"backgammon: an XGID has 26 marks and 8 or 9 numbers between colons, not {text!r}")

    def number(place: int, name: str, low: int, high: int) -> int:
        if not re.fullmatch(r"-?\d{1,3}", fields[place]) or not low <= int(fields[place]) <= high:
            raise ValueError(f"backgammon: {name} must be {low} to {high}, not {fields[place]!r}: {text!r}")
        return int(fields[place])

    match_length = number(8, "the match length", 0, 999)
    flag = number(7, "the Crawford or Jacoby flag", 0, 3)
    turn = number(3, "the turn", -1, 1)
    if turn == 0:
        raise ValueError(f"backgammon: the turn must be 1 or -1, not '0': {text!r}")
    diagram = Diagram(
        checkers=_read_marks(fields[0]),
        seat=_SEAT[turn],
        cube=number(1, "the cube", 0, LARGEST_CUBE),
        owner=_SEAT[number(2, "the owner of the cube", -1, 1)],
        score=(number(5, "the score", 0, 999), number(6, "the score", 0, 999)),
        crawford=bool(match_length and flag),
        jacoby=bool(not match_length and flag & 1),
        match_length=match_length,
    )
    return _read_phase(diagram, fields[4], word.strip(), text)


def _read_marks(marks: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mine = [ord(mark) - ord("A") + 1 if mark.isupper() else 0 for mark in marks]
    theirs = [ord(mark) - ord("a") + 1 if mark.islower() else 0 for mark in marks]
    if mine[0] or theirs[BAR]:
        raise ValueError(
            f"backgammon: the first mark is the bar of the small letters, the last of the capitals: {marks!r}"
        )
    return tuple(mine[1:]), tuple(theirs[24::-1])


def _read_phase(diagram: Diagram, dice: str, word: str, text: str) -> Diagram:
    if dice == "D" and not word:
        return replace(diagram, phase=ANSWER, seat=1 - diagram.seat)
    if dice == "00":
        for phase in (OPENING, ROLLING):
            if word == _WORDS[phase]:
                return replace(diagram, phase=phase)
        if re.fullmatch(r"won \d{1,3}", word):
            return replace(diagram, phase=FINISHED, won=int(word.split()[1]))
        if not word:
            return replace(diagram, phase=OFFER)
    elif re.fullmatch(r"[1-6]{2}", dice):
        low, high = sorted(map(int, dice))
        diagram = replace(diagram, phase=MOVING, dice=(low, high))
        if not word:
            return diagram
        if word == _WORDS[SECOND_HALF] and low == high:
            return replace(diagram, phase=SECOND_HALF)
    raise ValueError(
        f"backgammon: dice {dice!r} with {word!r} after the XGID is not valid; expected '00' (perhaps with 'opening', "
        f"'rolling' or 'won N'), 'D', a roll such as '31', or a double with 'second': {text!r}"
    )


# --- position ID and match ID ---------------------------------------------------------------------------------------


def position_id(mover: tuple[int, ...], opponent: tuple[int, ...]) -> str:
    """The position ID, 14 characters, from the counts on each side's own points 1 to 24 and bar."""
    bits, length = 0, 0
    for count in (*opponent, *mover):
        bits |= ((1 << count) - 1) << length
        length += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode()[:14]


def read_position_id(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The counts of the player on roll and of the opponent, two tuples of 25.

    Raises:
        ValueError: if it is not a position ID.
    """
    bits = _read_base64(text, 14, "a position ID")
    runs = f"{bits:080b}"[::-1].split("0")  # a zero ends the checkers of a point
    if len(runs) <= 50 or any(runs[50:]):
        raise ValueError(f"backgammon: the position ID has more than 2 × 15 checkers: {text!r}")
    counts = tuple(map(len, runs))
    return counts[25:50], counts[:25]


_MATCH_FIELDS = {
    "cube": 4, "owner": 2, "on_roll": 1, "crawford": 1, "state": 3, "turn": 1, "doubled": 1, "resigned": 2, "die": 3,
    "other_die": 3, "match_length": 15, "score_1": 15, "score_0": 15, "no_jacoby": 1,
}  # fmt: skip
_NOT_STARTED, _PLAYING = 0, 1


def read_match_id(text: str, checkers: tuple[tuple[int, ...], tuple[int, ...]]) -> Diagram:
    """The diagram of a match ID and the counts of the player on roll and of the opponent.

    GNU Backgammon's player 1 is seat 0.

    Raises:
        ValueError: if it is not the match ID of a game in play.
    """
    bits = _read_base64(text, 12, "a match ID")
    values = {}
    for name, size in _MATCH_FIELDS.items():
        values[name] = bits & ((1 << size) - 1)
        bits >>= size
    low, high = sorted((values["die"], values["other_die"]))
    if (low == 0) != (high == 0) or high > 6 or values["cube"] > LARGEST_CUBE or values["owner"] == 2:
        raise ValueError(f"backgammon: the match ID {text!r} has impossible dice, cube or cube owner")
    if values["state"] > _PLAYING or values["resigned"]:
        raise ValueError(f"backgammon: the game of the match ID {text!r} is over or being resigned")
    on_roll = 1 - values["on_roll"]
    if values["doubled"]:
        phase = ANSWER
    else:
        phase = OPENING if values["state"] == _NOT_STARTED and not high else MOVING if high else OFFER
    return Diagram(
        checkers=checkers if on_roll == 0 else (checkers[1], checkers[0]),
        phase=phase,
        seat=1 - on_roll if phase == ANSWER else on_roll,
        dice=(0, 0) if phase == ANSWER else (low, high),
        cube=values["cube"],
        owner=-1 if values["owner"] == 3 else 1 - values["owner"],
        score=(values["score_0"], values["score_1"]),
        crawford=bool(values["crawford"]),
        jacoby=not values["no_jacoby"],
        match_length=values["match_length"],
    )


def _read_base64(text: str, length: int, name: str) -> int:
    try:
        if len(text) != length:
            raise ValueError
        return int.from_bytes(base64.b64decode(text + "=" * (-length % 4), validate=True), "little")
    except (ValueError, binascii.Error):
        raise ValueError(f"backgammon: {name} has {length} characters of A-Z a-z 0-9 + /, not {text!r}") from None
