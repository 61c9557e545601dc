"""Hanabi as a picture: fireworks, tokens, every hand with what its owner knows, and the discards."""

from collections.abc import Container
from typing import Any

import numpy as np

from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.hanabi import notation
from ludarium.envs.hanabi.knowledge import SlotKnowledge, hand_knowledge

_INK, _FAINT, _PAPER, _TOUCHED, _BACK = "#2d3540", "#c9ced6", "#fbfaf7", "#e8762c", "#8b94a1"
_FILLS = ("#d24a43", "#edc241", "#4a9f5f", "#ffffff", "#3d74c4")
_INKS = ("#ffffff", _INK, "#ffffff", _INK, "#ffffff")
_INFORMATION, _LIFE = "#3d74c4", "#d24a43"
_WIDTH, _HEIGHT, _STEP = 52.0, 66.0, 82.0  # of a card, and from one to the next
_TOP, _ROW, _NAME = 128.0, 118.0, 96.0
_DISCARDS = 520.0  # where the column of discards begins


def draw(record: Any, hidden: Container[int] = ()) -> Drawing:
    """The table as a spectator sees it, without the cards of the seats in `hidden`.

    Below a card stand a square for each color and a number for each rank that hints leave it; a frame marks what was
    told. Cards that the last move touched have an orange frame, and the seat to move is underlined.
    """
    drawing = Drawing(770, _TOP + _ROW * int(record.seats), _PAPER)
    _header(drawing, record)
    _discards(drawing, record)
    for seat in range(record.seats):
        top = _TOP + seat * _ROW
        drawing.text(16, top + _HEIGHT / 2, notation.SEATS[seat], 17, _INK, anchor="start")
        if seat == record.seat:
            drawing.line((16, top + _HEIGHT / 2 + 14), (74, top + _HEIGHT / 2 + 14), _TOUCHED, 3)
        for slot, knowledge in enumerate(hand_knowledge(record, seat)):
            left = _NAME + slot * _STEP
            color, rank = int(record.color[seat, slot]), int(record.rank[seat, slot])
            touched = seat == record.last_target and record.last_touched >> slot & 1
            if touched:
                drawing.rect(left - 4, top - 4, _WIDTH + 8, _HEIGHT + 8, _TOUCHED, radius=9)
            if seat in hidden:
                _back(drawing, left, top)
            else:
                _card(drawing, left, top, color, rank + 1)
            _pips(drawing, left, top + _HEIGHT + 9, record, knowledge)
    return drawing


def _card(drawing: Drawing, x: float, y: float, color: int, number: int) -> None:
    """A card names its color in a corner, for those who cannot tell colors apart."""
    drawing.rect(x, y, _WIDTH, _HEIGHT, _FILLS[color], edge=_INK, radius=6)
    drawing.text(x + 10, y + 12, notation.LETTERS[color], 14, _INKS[color])
    drawing.text(x + _WIDTH / 2, y + _HEIGHT / 2 + 2, str(number), 32, _INKS[color])


def _back(drawing: Drawing, x: float, y: float) -> None:
    drawing.rect(x, y, _WIDTH, _HEIGHT, _BACK, edge=_INK, radius=6)
    drawing.text(x + _WIDTH / 2, y + _HEIGHT / 2, "?", 32, "#ffffff")


def _pips(drawing: Drawing, x: float, y: float, record: Any, knowledge: SlotKnowledge) -> None:
    """One line of colors and one of ranks below a card."""
    for color in range(record.colors):
        left = _pip_left(x, color, record.colors)
        if color in knowledge.colors:
            if knowledge.color_told:
                drawing.rect(left - 1, y - 1, 12, 12, _INK, radius=3)
            drawing.rect(left + 1, y + 1, 8, 8, _FILLS[color], edge=_INK)
        else:
            drawing.rect(left + 4, y + 4, 2, 2, _FAINT)
    for rank in range(record.ranks):
        left = _pip_left(x, rank, record.ranks)
        if rank in knowledge.ranks:
            if knowledge.rank_told:
                drawing.rect(left - 2, y + 12.5, 14, 15, _INK, radius=3)
            drawing.text(left + 5, y + 20, str(rank + 1), 12, "#ffffff" if knowledge.rank_told else _INK)
        else:
            drawing.rect(left + 4, y + 19, 2, 2, _FAINT)


def _pip_left(x: float, number: int, count: int) -> float:
    return x + _WIDTH / 2 + (number - count / 2) * 12.0


def places(record: Any, action: int) -> tuple[Area, Area]:
    """The card of an action and then where it goes; of a hint the first card it is about, and what it tells of it."""
    hand = int(record.hand_size)
    if action < 2 * hand:
        discards = Area(_DISCARDS, 90, 240, 180)
        fireworks = Area(_NAME, 16, 5 * (_WIDTH + 8), _HEIGHT)
        return _card_area(int(record.seat), action % hand), discards if action < hand else fireworks
    target, color, rank = notation.hint_of(record, int(record.seat), action)
    shown, value, kinds = (record.rank, rank, record.ranks) if color < 0 else (record.color, color, record.colors)
    card = _card_area(target, int(np.flatnonzero(shown[target] == value)[0]))
    left, pips = _pip_left(card.x, value, int(kinds)) - 1, card.y + _HEIGHT + 9
    return card, Area(left, pips + 12.5, 12, 15) if color < 0 else Area(left, pips - 1, 12, 12)


def _card_area(seat: int, slot: int) -> Area:
    return Area(_NAME + slot * _STEP, _TOP + seat * _ROW, _WIDTH, _HEIGHT)


def _header(drawing: Drawing, record: Any) -> None:
    """Fireworks, tokens, deck and last move."""
    drawing.text(16, 50, "fireworks", 15, _INK, anchor="start")
    for color in range(record.colors):
        height = int(record.fireworks[color])
        x = _NAME + color * (_WIDTH + 8)
        if height:
            _card(drawing, x, 16, color, height)
        else:
            drawing.rect(x, 16, _WIDTH, _HEIGHT, _PAPER, edge=_FAINT, radius=6)
            drawing.text(x + 10, 28, notation.LETTERS[color], 14, _INK)
            drawing.rect(x + _WIDTH / 2 - 5, 16 + _HEIGHT / 2 - 5, 10, 10, _FILLS[color], edge=_INK)
    x = _NAME + 5 * (_WIDTH + 8) + 16
    drawing.text(x, 26, f"score {record.score}", 17, _INK, anchor="start")
    drawing.text(x, 50, f"deck {record.deck_size}", 17, _INK, anchor="start")
    if record.deck_size == 0:
        drawing.text(x, 74, f"turns left {record.turns_left}", 17, _INK, anchor="start")
    _tokens(drawing, 26, "hints", int(record.information), int(record.information_tokens), _INFORMATION)
    _tokens(drawing, 54, "lives", int(record.lives), int(record.life_tokens), _LIFE)
    last = notation.last_move_text(record).replace(":", " ")
    drawing.text(16, 102, f"last move: {last}", 15, _INK, anchor="start")


def _tokens(drawing: Drawing, y: float, name: str, left: int, most: int, fill: str) -> None:
    drawing.text(_DISCARDS + 15, y, name, 15, _INK, anchor="start")
    step = min(20.0, 170.0 / most)
    for i in range(most):
        drawing.circle(_DISCARDS + 68 + i * step, y, step * 0.4, fill if i < left else _PAPER, edge=_INK)


def _discards(drawing: Drawing, record: Any) -> None:
    """A line for each color, the cards by rank."""
    x = _DISCARDS + 15
    drawing.text(x, 102, "discards", 15, _INK, anchor="start")
    ranks = int(record.ranks)
    for color in range(record.colors):
        counts = record.discards[color * ranks : (color + 1) * ranks]
        drawing.text(x - 8, 118 + color * 30 + 12.5, notation.LETTERS[color], 14, _INK)
        gone = [rank for rank in range(ranks) for _ in range(counts[rank])]
        for i, rank in enumerate(gone):
            drawing.rect(x + i * 23, 118 + color * 30, 20, 25, _FILLS[color], edge=_INK, radius=3)
            drawing.text(x + i * 23 + 10, 118 + color * 30 + 12.5, str(rank + 1), 15, _INKS[color])
