"""The backgammon board as text and as a picture, white's home at the bottom right."""

from collections.abc import Iterable, Sequence
from functools import cache

from ludarium.envs.backgammon.diagram import Diagram
from ludarium.envs.backgammon.notation import steps_of
from ludarium.envs.backgammon.rules import ANSWER, BAR, FINISHED, MOVES, OFFER, OPENING, ROLLING, SECOND_HALF
from ludarium.envs.drawing import Area, Drawing

_TOP, _BOTTOM = tuple(range(13, 25)), tuple(range(12, 0, -1))  # points of the side below, from left to right


def pips(diagram: Diagram, seat: int) -> int:
    """How far a seat's checkers have to go in all; from the bar 25 each."""
    return sum((point + 1) * count for point, count in enumerate(diagram.checkers[seat]))


def status(diagram: Diagram, names: Sequence[str]) -> str:
    """One line on what comes next."""
    name = names[diagram.seat]
    if diagram.phase == OPENING:
        return "opening roll"
    if diagram.phase == FINISHED:
        return f"{name} has won {diagram.won} point{'s' if diagram.won != 1 else ''}"
    if diagram.phase == ANSWER:
        return f"{names[1 - diagram.seat]} doubles to {2 << diagram.cube}: {name} to take or drop"
    if diagram.phase in (OFFER, ROLLING):
        return f"{name} on roll"
    roll = f"{diagram.dice[1]}{diagram.dice[0]}"
    return f"{name} to play {roll}" + (", second half" if diagram.phase == SECOND_HALF else "")


def _cube_text(diagram: Diagram, names: Sequence[str]) -> str:
    owner = names[diagram.owner] if diagram.owner >= 0 else "in the middle"
    return f"cube {1 << diagram.cube} ({owner})" if diagram.cube else ""


def _match_text(diagram: Diagram) -> str:
    if not diagram.match_length:
        return ""
    crawford = ", Crawford game" if diagram.crawford else ""
    return f"match to {diagram.match_length}, score {diagram.score[0]}-{diagram.score[1]}{crawford}"


def _count(diagram: Diagram, point: int) -> tuple[int, int]:
    """Who stands on white's point, and with how many: (seat, count); 0 stands for nobody."""
    mine, theirs = diagram.checkers[0][point - 1], diagram.checkers[1][24 - point]
    return (0, mine) if mine else (1, theirs)


# --- text -----------------------------------------------------------------------------------------------------------


def ansi(diagram: Diagram, names: Sequence[str], men: int, below: int = 0) -> str:
    """The board as lines of text: X is white, O black; the sixth place of a stack tells how many there are.

    Args:
        diagram: the position.
        names: of the seats.
        men: checkers of a seat.
        below: the seat whose home is at the bottom right, and whose numbers the points have.
    """
    upper = [_line(diagram, _TOP, row, 1 - below, below) for row in range(5)]
    lower = [_line(diagram, _BOTTOM, row, below, below) for row in reversed(range(5))]
    lines = [_numbers(_TOP), *upper, " |" + " " * 18 + "|BAR|" + " " * 18 + "|", *lower, _numbers(_BOTTOM)]
    for seat, mark in enumerate("XO"):
        off = men - sum(diagram.checkers[seat])
        lines.append(f" {mark} {names[seat]}: {pips(diagram, seat)} pips, {off} off")
    facts = [status(diagram, names), _cube_text(diagram, names), _match_text(diagram)]
    return "\n".join([*lines, " " + "; ".join(fact for fact in facts if fact)])


def _numbers(points: Sequence[int]) -> str:
    left, right = ("".join(f"{point:3}" for point in half) for half in (points[:6], points[6:]))
    return f" +{left.replace(' ', '-')}+---+{right.replace(' ', '-')}+"


def _line(diagram: Diagram, points: Sequence[int], row: int, bar_seat: int, below: int) -> str:
    cells = [_mark(*_count(diagram, 25 - point if below else point), row) for point in points]
    bar = _mark(bar_seat, diagram.checkers[bar_seat][BAR - 1], row)
    return f" |{''.join(cells[:6])}|{bar}|{''.join(cells[6:])}|"


def _mark(seat: int, count: int, row: int) -> str:
    if row == 4 and count > 5:
        return f"{count:2} "
    return f" {'XO'[seat]} " if count > row else "   "


# --- picture --------------------------------------------------------------------------------------------------------

_WIDTH = 34.0  # of a point; a checker is a little smaller
_RADIUS = 15.5
_EDGE, _TRAY = 20.0, 56.0
_HEIGHT = 470.0
_FRAME, _FELT, _BAR_COLOUR, _INK = "#5a3d28", "#e9dcc3", "#6d4b32", "#f3e9d8"
_POINTS = ("#b5835a", "#8c9a80")
_CHECKER = (("#fbf8f0", "#8d8577", "#39342c"), ("#2c2f36", "#0d0e10", "#f1efe9"))  # fill, edge, number
COLOURS = tuple(fill for fill, *_ in _CHECKER)
"""The colours of the seats' checkers."""


def draw(diagram: Diagram, names: Sequence[str], men: int) -> Drawing:
    """The board, the checkers with a number on stacks above five, bar, borne off, dice, cube, pips and score."""
    inner = 13 * _WIDTH
    width = inner + _EDGE + _TRAY + 10
    picture = Drawing(width, _HEIGHT + 60, _FRAME)
    picture.rect(_EDGE, 40, inner, _HEIGHT - 20, _FELT)
    picture.rect(_EDGE + 6 * _WIDTH, 40, _WIDTH, _HEIGHT - 20, _BAR_COLOUR)
    picture.rect(_EDGE + inner + 8, 40, _TRAY - 10, _HEIGHT - 20, _BAR_COLOUR, radius=4)
    for points, top in ((_TOP, True), (_BOTTOM, False)):
        for place, point in enumerate(points):
            _draw_point(picture, diagram, place, point, top)
    for seat in range(2):
        x = _EDGE + 6.5 * _WIDTH
        _stack(picture, x, seat == 1, seat, diagram.checkers[seat][BAR - 1], inset=90)
        _draw_tray(picture, diagram, names, seat, men - sum(diagram.checkers[seat]))
    _draw_dice(picture, diagram)
    _draw_cube(picture, diagram)
    line = "  ·  ".join(fact for fact in (status(diagram, names), _match_text(diagram)) if fact)
    picture.text(width / 2, _HEIGHT + 44, line, 15, _INK)
    return picture


def _draw_point(picture: Drawing, diagram: Diagram, place: int, point: int, top: bool) -> None:
    x = _EDGE + (place + (place >= 6)) * _WIDTH
    base, tip = (40.0, 225.0) if top else (_HEIGHT + 20, _HEIGHT - 165)
    picture.polygon([(x + 1, base), (x + _WIDTH - 1, base), (x + _WIDTH / 2, tip)], _POINTS[point % 2])
    picture.text(x + _WIDTH / 2, 28 if top else _HEIGHT + 28, str(point), 12, _INK)
    seat, count = _count(diagram, point)
    _stack(picture, x + _WIDTH / 2, top, seat, count)


def _stack(picture: Drawing, x: float, top: bool, seat: int, count: int, inset: float = 0.0) -> None:
    """At most five checkers from the edge inwards; the last one says how many there are if there are more."""
    fill, edge, ink = _CHECKER[seat]
    for i in range(min(count, 5)):
        depth = inset + _RADIUS + 1 + i * 2 * _RADIUS
        y = 40 + depth if top else _HEIGHT + 20 - depth
        picture.circle(x, y, _RADIUS, fill, edge=edge, line=1.5)
        if i == 4 and count > 5:
            picture.text(x, y, str(count), 16, ink)


def _draw_tray(picture: Drawing, diagram: Diagram, names: Sequence[str], seat: int, off: int) -> None:
    """The checkers borne off, lying on their sides, and above the board the pip count."""
    fill, edge, _ = _CHECKER[seat]
    x = _EDGE + 13 * _WIDTH + 11
    for i in range(off):
        y = 43 + i * 10 if seat == 1 else _HEIGHT + 8 - i * 10
        picture.rect(x, y, _TRAY - 16, 9, fill, edge=edge, radius=2)
    left, anchor = (_EDGE, "start") if seat == 1 else (_EDGE + 13 * _WIDTH, "end")
    picture.text(left, 14, f"{names[seat]}  {pips(diagram, seat)} pips", 14, _INK, anchor=anchor)


def areas(actions: Iterable[int], seat: int, dice: Sequence[int]) -> dict[int, list[Area]]:
    """For each checker of an action the point it leaves and the one it goes to, in the order of its moves.

    Actions without a move are left out.

    Args:
        actions: legal actions, see `ludarium.envs.backgammon.rules`.
        seat: who plays them.
        dice: the roll, the smaller die first.
    """
    low, high = map(int, dice)
    return {
        action: [_point_area(point, seat) for step in steps for point in step]
        for action in actions
        if action < MOVES and (steps := steps_of(action, seat, low, high))
    }


@cache
def _point_area(point: int, seat: int) -> Area:
    """One of a seat's points, its half of the bar (25), or its tray (0)."""
    if point == 0:
        return Area(_EDGE + 13 * _WIDTH + 8, 40.0 if seat == 1 else _HEIGHT - 165, _TRAY - 10, 185.0)
    if point == BAR:
        place, top = 6.0, seat == 1
    else:
        point = 25 - point if seat else point  # as white counts
        top = point > 12
        column = (_TOP if top else _BOTTOM).index(point)
        place = column + (column >= 6)
    return Area(_EDGE + place * _WIDTH, 40.0 if top else _HEIGHT - 165, _WIDTH, 185.0)


_SPOTS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)), 6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}  # fmt: skip


def _draw_dice(picture: Drawing, diagram: Diagram) -> None:
    """The dice in the colours of the side to move: white's on the right half, black's on the left."""
    if not diagram.dice[0]:
        return
    fill, edge, ink = _CHECKER[diagram.seat]
    middle, y = _EDGE + (10 if diagram.seat == 0 else 3) * _WIDTH, _HEIGHT / 2 + 30
    dice = list(diagram.dice) * (2 if diagram.dice[0] == diagram.dice[1] and diagram.phase != SECOND_HALF else 1)
    for i, die in enumerate(reversed(dice)):
        x = middle + (i - (len(dice) - 1) / 2) * 36
        picture.rect(x - 14, y - 14, 28, 28, fill, edge=edge, radius=5)
        for dx, dy in _SPOTS[die]:
            picture.circle(x + dx * 7.5, y + dy * 7.5, 2.6, ink)


def _draw_cube(picture: Drawing, diagram: Diagram) -> None:
    """The cube on the bar, at its owner's end or in the middle; in money games from the first double on."""
    if not (diagram.cube or diagram.match_length or diagram.phase == ANSWER):
        return
    shown = diagram.cube + (diagram.phase == ANSWER)
    x = _EDGE + 6.5 * _WIDTH
    y = {-1: _HEIGHT / 2 + 30, 0: _HEIGHT - 10, 1: 70.0}[diagram.owner]
    picture.rect(x - 15, y - 15, 30, 30, "#f4f1e8", edge="#8d8577", radius=4)
    picture.text(x, y, str(1 << shown if shown else 64), 16, "#39342c")
