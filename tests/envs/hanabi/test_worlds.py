"""Other worlds for the same view: what a seat sees stays, and what it does not see is as likely as it can be."""

import numpy as np
import pytest

from ludarium.envs.chance import stream
from ludarium.envs.conformance import check_hidden
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import probabilities
from ludarium.envs.hanabi.rules import cards
from ludarium.envs.hanabi.worlds import redeal
from ludarium.envs.tictactoe import TicTacToe

SMALL = Hanabi(seats=3, colors=2, ranks=4, hand_size=3)
GAMES = [Hanabi(), SMALL, Hanabi(seats=5), Hanabi(hand_size=1), Hanabi(seats=5, observation="seer")]


@pytest.fixture(scope="module")
def positions(long_game):
    """Positions of a long game in which a seat is to move."""
    return lambda game, every=6: [position for position in long_game(game) if position.turn >= 0][::every]


def redealt(position, seat, random):
    other = position.copy()
    redeal(other.data.view(other.game.state)[0], seat, random)
    return other


@pytest.mark.parametrize("observation", ["minimal", "card_knowledge"])
@pytest.mark.parametrize("seats", [2, 5])
def test_no_seat_sees_its_cards_or_the_deck(seats, observation):
    check_hidden(Hanabi(seats=seats, observation=observation), redealt, games=15)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)
def test_a_seat_cannot_tell_them_from_the_truth(game, positions):
    changed = 0
    for position in positions(game):
        for seat in range(game.seats):
            other, record = redealt(position, seat, stream(7)), position.record
            assert other.view(seat).tobytes() == position.view(seat).tobytes()
            assert (other.record.deck >= 0).all()
            assert other.record.deck.sum() == record.deck.sum() == record.deck_size
            assert sum(record.held) + record.score + record.discards.sum() + record.deck_size == cards(record)
            changed += other != position
        other = game.redealt(position, stream(7))
        assert other == redealt(position, position.turn, stream(7))
        assert other.legal_actions() == position.legal_actions()
    assert (changed > 2) == (game.options["observation"] != "seer")  # who is told all cards has but one world


def test_they_depend_on_the_view_and_the_stream_alone(positions):
    for position in positions(GAMES[0]):
        first, again = (position.game.redealt(position, stream(3)) for _ in range(2))
        truth = position.game.redealt(position, stream(4))  # another truth, which looks the same
        assert first == again == position.game.redealt(truth, stream(3))
    start = positions(GAMES[0])[0]
    assert start.game.redealt(start, stream(5)) != start.game.redealt(start, stream(3))


def test_hands_are_as_likely_as_they_are_to_be_dealt(positions):
    draws = stream(11)
    for position in positions(SMALL, every=4)[1:4]:
        seat, kinds = position.turn, SMALL.max_outcomes
        held = int(position.record.held[seat])
        counts, number = np.zeros((held, kinds)), 1000
        for _ in range(number):
            record = SMALL.redealt(position, draws).record
            for slot in range(held):
                counts[slot, record.color[seat, slot] * 4 + record.rank[seat, slot]] += 1
        exact = probabilities(position.view(seat), exact=True).reshape(held, kinds)
        assert counts / number == pytest.approx(exact, abs=0.08)  # five standard errors
        assert not counts[exact == 0].any()


def test_games_that_hide_nothing_are_as_they_are_and_others_do_not_know(positions):
    start = TicTacToe().start()
    assert start.game.redealt(start, stream(1)) == start
    assert Game.redealt(GAMES[0], positions(GAMES[0])[0], stream(1)) is None
