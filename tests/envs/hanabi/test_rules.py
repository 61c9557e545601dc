"""Hanabi's options, sizes, decks, scores, and what a seat must not see."""

import re
from typing import Any

import numpy as np
import pytest

from ludarium.envs.conformance import check_game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.kernels import CHANCE
from ludarium.envs.position import Position


def start_with(game: Hanabi, deck: list[int]) -> Position:
    """The position after the deal of a deck."""
    position = game.start()
    for card in game.chance_script({"deck": deck}, position):
        if position.turn != CHANCE:
            break
        position.play(card)
    return position


def play(position: Position, deck: list[int], *moves: str) -> None:
    """Play moves; cards are drawn from `deck`, which is used up from the front."""
    for move in moves:
        position.play(position.game.str_to_action(position, move))
        while position.turn == CHANCE:
            position.play(deck.pop(0))


@pytest.mark.parametrize(
    ("options", "sizes", "actions"),
    [
        ({}, (658, 956, 1041, 1280), (20, 30, 38, 48)),
        ({"observation": "minimal"}, (308, 431, 481, 580), (20, 30, 38, 48)),
        ({"observation": "seer"}, (658, 956, 1041, 1280), (20, 30, 38, 48)),
        ({"preset": "small"}, (171, 226, 281, 336), (11, 18, 25, 32)),
        ({"preset": "very-small"}, (106, 139, 172, 205), (10, 16, 22, 28)),
    ],
)
def test_sizes_are_those_of_the_hanabi_learning_environment(
    options: dict[str, Any], sizes: tuple[int, ...], actions: tuple[int, ...]
) -> None:
    games = [Hanabi(seats=seats, **options) for seats in (2, 3, 4, 5)]
    assert tuple(game.observation_size for game in games) == sizes
    assert tuple(game.actions for game in games) == actions


def test_options_show_what_the_preset_stands_for() -> None:
    numbers = ("colors", "ranks", "hand_size", "information_tokens", "life_tokens")
    assert [Hanabi(seats=3).options[name] for name in numbers] == [5, 5, 5, 8, 3]
    assert [Hanabi(seats=4).options[name] for name in numbers] == [5, 5, 4, 8, 3]
    assert [Hanabi(preset="small").options[name] for name in numbers] == [2, 5, 2, 3, 1]
    assert [Hanabi(preset="very-small", life_tokens=2).options[name] for name in numbers] == [1, 5, 2, 3, 2]


def test_the_spec_has_only_what_differs_from_the_preset() -> None:
    assert Hanabi().spec == "hanabi"
    assert Hanabi(seats=5).spec == "hanabi?seats=5"
    assert Hanabi(preset="small", hand_size=3).spec == "hanabi?preset=small&hand_size=3"
    assert Hanabi(seats=4, hand_size=5).spec == "hanabi?seats=4&hand_size=5"


def test_facts() -> None:
    game = Hanabi(seats=3)
    assert (game.cooperative, game.zero_sum, game.hidden_information) == (True, False, True)
    assert game.payoff_range == (0.0, 25.0)
    assert game.seat_names == ("alice", "bob", "cathy")
    assert Hanabi().max_moves == 89  # Grooten et al. 2022, "On the complexity and solution of Hanabi": the longest game
    assert Hanabi(preset="very-small", seats=5).max_moves == 5


@pytest.mark.parametrize("options", [{}, {"seats": 5}, {"seats": 3, "preset": "small", "observation": "minimal"}])
def test_the_game_keeps_the_contract(options: dict[str, Any]) -> None:
    check_game(Hanabi(**options), games=5)


def test_points_are_lost_or_kept_with_the_last_life() -> None:
    deck = [0, 0, 0, 9, 5, 1, 2, 3, 4, 6, *[20, 20, 20, 21, 21]]
    for score, kept in (("zero-on-bomb", 0.0), ("points-kept", 1.0)):
        position = start_with(Hanabi(score=score), deck)
        play(position, deck[10:], "play 1", "play 2", "play 1", "play 2")
        assert (position.over, position.record.lives, position.record.score) == (True, 0, 1)
        assert position.payoffs().tolist() == [kept, kept]
        assert "all lives lost with 1 of 25 points" in position.game.result_text(position)
        assert ("count for nothing" in position.game.result_text(position)) == (kept == 0)


def test_a_whole_firework_brings_back_a_token_and_all_of_them_end_the_game() -> None:
    position = start_with(Hanabi(preset="very-small"), [0, 1, 2, 3])
    deck = [4, 0, 0, 1, 2, 3]
    play(position, deck, "play 1", "hint alice 2", "play 1", "play 1", "hint bob 4", "play 1")
    assert (position.record.score, position.record.information, position.over) == (4, 1, False)
    play(position, deck, "play 1")
    assert (position.record.information, position.record.last_token) == (2, 1)
    assert (position.over, position.record.lives) == (True, 1)
    assert position.payoffs().tolist() == [5.0, 5.0]
    assert position.game.result_text(position) == "5 of 5 points"


def test_after_the_last_card_every_seat_has_one_more_turn() -> None:
    position = start_with(Hanabi(preset="very-small", seats=3), [0, 0, 0, 1, 1, 2])
    deck = [2, 3, 3, 4]
    play(position, deck, "play 1", "hint alice 1", "discard 1", "hint bob 2", "discard 1", "hint bob 2", "discard 1")
    assert (position.record.deck_size, position.record.turns_left, position.turn) == (0, 3, 1)
    play(position, deck, "play 1", "play 1")
    assert (position.record.turns_left, position.turn) == (1, 0)
    play(position, deck, "hint bob 4")
    assert (position.over, position.payoffs().tolist()) == (True, [3.0, 3.0, 3.0])


def test_a_deck_may_be_given_in_part() -> None:
    game = Hanabi()
    assert game.chance_script({"deck": [24, 0]}, game.start()) == [24, 0]
    assert game.chance_script({"deck": np.array([3, 3])}, game.start()) == [3, 3]
    assert game.chance_script({}, game.start()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": 7}, "deck must be a list of card ids from 0 to 24, not 7"),
        ({"deck": "R1"}, "deck must be a list of card ids from 0 to 24, not 'R1'"),
        ({"deck": [25]}, "a card in the deck is an id from 0 to 24, not 25"),
        ({"deck": [-1]}, "a card in the deck is an id from 0 to 24, not -1"),
        ({"deck": [1.0]}, "a card in the deck is an id from 0 to 24, not 1.0"),
        ({"deck": [True]}, "a card in the deck is an id from 0 to 24, not True"),
        ({"deck": [9, 9]}, "the deck has too many copies of card 9 (Y5); there are 1"),
        ({"deck": [0] * 60}, "the deck has too many copies of card 0 (R1); there are 3"),
        ({"dice": []}, "unknown reset option 'dice'; known: 'deck'"),
    ],
)
def test_an_impossible_deck_is_an_error(options: dict[str, Any], message: str) -> None:
    game = Hanabi()
    with pytest.raises(ValueError, match=f"^hanabi: {re.escape(message)}$"):
        game.chance_script(options, game.start())


def test_hands_need_cards() -> None:
    with pytest.raises(ValueError, match="hanabi: 2 hands of 5 need more than the 3 cards there are"):
        Hanabi(colors=1, ranks=1)
