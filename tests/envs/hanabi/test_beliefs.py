"""Probabilities of hidden cards: against counting all ways to deal them, and by hand."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import BELIEFS, believe, counting, next_draw, probabilities
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit

SMALL = Hanabi(seats=3, colors=2, ranks=4, hand_size=3)
UNKNOWN = "R5:RYGWB:12345,Y5:RYGWB:12345,G5:RYGWB:12345,W5:RYGWB:12345,B5:RYGWB:12345"
DULL = "R3:RYGWB:12345,Y3:RYGWB:12345,G3:RYGWB:12345,W3:RYGWB:12345,B3:RYGWB:12345"


@pytest.fixture(scope="module")
def views(long_game: Any) -> list[Any]:
    """The views of the seats to move in a long game."""
    return [position.view(position.turn) for position in long_game(SMALL) if position.turn >= 0]


def hidden_from(view: Any, seat: int) -> list[int]:
    """The cards that a seat has not seen, as far as the viewer knows."""
    left = np.tile([3, *[2] * (view.ranks - 2), 1], view.colors) - view.discards[: view.colors * view.ranks]
    for color in range(view.colors):
        left[color * view.ranks : color * view.ranks + view.fireworks[color]] -= 1
    for other in range(1, view.seats):
        for slot in range(view.held[other] if other != seat else 0):
            left[view.color[other, slot] * view.ranks + view.rank[other, slot]] -= 1
    return [card for card, copies in enumerate(left) for _ in range(copies)]


def by_counting(view: Any, seat: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The probabilities of each card in each slot, and of the next draw, from all hands that hints allow."""
    cards, held = hidden_from(view, seat), int(view.held[seat])
    hand, draw = np.zeros((held, view.colors * view.ranks)), np.zeros(view.colors * view.ranks)
    for chosen in permutations(range(len(cards)), held):
        if all(view.possible[seat, slot] >> cards[i] & 1 for slot, i in enumerate(chosen)):
            for slot, i in enumerate(chosen):
                hand[slot, cards[i]] += 1
            for i in set(range(len(cards))) - set(chosen):
                draw[cards[i]] += 1
    return (hand / hand.sum(axis=1, keepdims=True)).reshape(held, view.colors, view.ranks), draw / max(draw.sum(), 1)


@jit
def draws(views: Any, beliefs: Any, seat: int, chances: Any) -> None:
    believe(views[0], beliefs[0])
    for card in range(len(chances)):
        chances[card] = next_draw(views[0], beliefs[0], seat, 1 << card)


def next_draws(view: Any, seat: int, exact: bool) -> NDArray[np.float64]:
    beliefs, chances = np.zeros(1, dtype=np.dtype(BELIEFS, align=True)), np.zeros(int(view.colors * view.ranks))
    beliefs["exact"] = counting(exact)
    draws(np.array([view], dtype=VIEW), beliefs, seat, chances)
    return chances


def test_exact_probabilities_are_those_of_all_hands_and_decks(views: list[Any]) -> None:
    compared = 0
    for view in views[2::4]:
        for seat in range(3):
            hand, draw = by_counting(view, seat)
            assert probabilities(view, seat, exact=True) == pytest.approx(hand, abs=1e-12)
            if len(hidden_from(view, seat)) > view.held[seat]:
                assert next_draws(view, seat, True) == pytest.approx(draw, abs=1e-12)
                compared += 1
    assert compared > 6


def test_marginal_probabilities_are_shares_of_the_cards_that_hints_leave(views: list[Any]) -> None:
    for view in views:
        for seat in range(3):
            chances = probabilities(view, seat)
            counts = np.bincount(hidden_from(view, seat), minlength=8)
            for slot in range(view.held[seat]):
                left = counts * (view.possible[seat, slot] >> np.arange(8) & 1)
                assert chances[slot].reshape(-1) == pytest.approx(left / left.sum())


@pytest.mark.parametrize("exact", [False, True])
def test_a_next_draw_that_is_certain_or_impossible(exact: bool) -> None:
    """Two 1s and the 2 are left, and one card of the hand is the 2. Counted by itself, the other may be it too."""
    view = np.zeros(1, dtype=VIEW).view(np.recarray)[0]
    view.seats, view.colors, view.ranks, view.held[0] = 2, 1, 2, 2
    view.possible[0, :2] = 0b10, 0b11
    view.discards[0] = 1
    assert next_draws(view, 0, exact).tolist() == pytest.approx([1.0, 0.0])
    view.discards[0] = 2
    assert next_draws(view, 0, exact).tolist() == [0.0, 0.0]


def test_exact_probabilities_of_a_full_hand_of_the_largest_game() -> None:
    view = np.zeros(1, dtype=VIEW).view(np.recarray)[0]
    view.seats, view.colors, view.ranks, view.held[0] = 2, 5, 5, 5
    view.possible[0, :5] = (1 << 25) - 1, 1 << 24 | 1 << 23, (1 << 25) - 1, 1 << 24 | 1 << 20, 1 << 23 | 1
    view.discards[:] = [3, 2, 2, 2, 1] * 5
    view.discards[[0, 20, 23, 24]] -= 1, 2, 2, 1  # what is left
    hand, draw = by_counting(view, 0)
    assert probabilities(view, exact=True) == pytest.approx(hand, abs=1e-12)
    assert next_draws(view, 0, True) == pytest.approx(draw, abs=1e-12)


def test_the_probabilities_of_a_view_do_not_depend_on_the_view_before(views: list[Any]) -> None:
    beliefs, chances = np.zeros(1, dtype=np.dtype(BELIEFS, align=True)), np.zeros(8)
    beliefs["exact"] = counting(True)
    for view in views[2::4]:
        draws(np.array([view], dtype=VIEW), beliefs, 0, chances)
        assert chances.tolist() == next_draws(view, 0, True).tolist()


def position(own: str, other: str, rest: str = "R1Y0G0W0B0 discards=-") -> Any:
    text = f"fireworks={rest} hands={own}/{other} information=8 lives=3 turn=alice left=2 last=-"
    return Hanabi().from_text(text)


def test_a_card_that_another_slot_must_hold_is_elsewhere_only_in_marginal_counting() -> None:
    own = UNKNOWN.replace("R5:RYGWB:12345", "R5:R!:5!").replace("Y5:RYGWB:12345", "Y5:RY:5!")
    view = position(own, DULL).view(0)
    assert probabilities(view)[1, :2, 4].tolist() == [0.5, 0.5]
    assert probabilities(view, exact=True)[1, :2, 4].tolist() == pytest.approx([0.0, 1.0])
    assert next_draws(view, 0, True)[[4, 9]].tolist() == pytest.approx([0.0, 0.0])


def test_a_fellow_sees_less_of_its_own_hand_and_no_more_of_ours() -> None:
    view = position(UNKNOWN, DULL).view(0)
    fellow = probabilities(view, 1)
    assert fellow[0, 0, 2] == pytest.approx(2 / 49)  # both red 3s: it does not see its own
    assert probabilities(view, 0)[0, 0, 2] == pytest.approx(1 / 44)


def test_playable_dead_and_critical_cards() -> None:
    """Red stands at 1 and has lost its 2s; of yellow, which is complete up to 4, and green, one copy each is gone."""
    view = position(UNKNOWN, DULL.replace("Y3", "W3"), "R1Y4G0W0B0 discards=R2,R2,G2").view(0)
    beliefs = np.zeros(1, dtype=np.dtype(BELIEFS, align=True))
    draws(np.array([view], dtype=VIEW), beliefs, 0, np.zeros(0))

    def cards(field: str) -> str:
        names = [f"{'RYGWB'[card // 5]}{card % 5 + 1}" for card in range(25) if beliefs[field][0] >> card & 1]
        return " ".join(names)

    assert cards("playable") == "Y5 G1 W1 B1"
    assert cards("dead") == "R1 R2 R3 R4 R5 Y1 Y2 Y3 Y4"
    assert cards("critical") == "Y5 G2 G5 W5 B5"
