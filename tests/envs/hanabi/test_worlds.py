"""Other worlds for the same view: what a seat sees stays, and what it does not see is as likely as it can be."""

import numpy as np
import pytest

from ludarium.envs.chance import below, stream
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import probabilities
from ludarium.envs.hanabi.rules import cards
from ludarium.envs.kernels import CHANCE
from ludarium.envs.tictactoe import TicTacToe

GAMES = [Hanabi(), Hanabi(seats=3, colors=2, ranks=4, hand_size=3), Hanabi(seats=5, observation="seer")]


def positions(game, seed=1, every=6):
    """Positions of a game with many hints in which a seat is to move."""
    draws, position, found = stream(seed), game.start(), []
    while not position.over:
        if position.turn == CHANCE:
            position.push(position.draw_outcome(draws))
            continue
        found.append(position.copy())
        hand = game.options["hand_size"]
        actions = [a for a in position.legal_actions() if not hand <= a < 2 * hand] or position.legal_actions()
        position.push(actions[below(draws, len(actions))])
    return found[::every]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)
def test_a_seat_cannot_tell_them_from_the_truth(game):
    changed = 0
    for position in positions(game):
        other, seat = game.redealt(position, stream(7)), position.turn
        assert other.turn == seat
        assert other.view(seat).tobytes() == position.view(seat).tobytes()
        assert other.legal_actions() == position.legal_actions()
        assert (other.record.deck >= 0).all()
        assert other.record.deck.sum() == position.record.deck.sum() == position.record.deck_size
        on_table = sum(other.record.held) + other.record.score + other.record.discards.sum() + other.record.deck_size
        assert on_table == cards(position.record)
        changed += other != position
    assert (changed > 2) == (game.options["observation"] != "seer")  # who is told all cards has but one world


def test_they_depend_on_the_view_and_the_stream_alone():
    game = GAMES[0]
    for position in positions(game):
        first, again = game.redealt(position, stream(3)), game.redealt(position, stream(3))
        truth = game.redealt(position, stream(4))  # another truth, which looks the same
        assert first == again == game.redealt(truth, stream(3))
    start = positions(game)[0]
    assert game.redealt(start, stream(5)) != game.redealt(start, stream(3))


def test_hands_are_as_likely_as_they_are_to_be_dealt():
    game, draws = GAMES[1], stream(11)
    for position in positions(game, seed=2, every=4)[1:4]:
        seat, kinds = position.turn, game.max_outcomes
        held = int(position.record.held[seat])
        counts, number = np.zeros((held, kinds)), 1000
        for _ in range(number):
            record = game.redealt(position, draws).record
            for slot in range(held):
                counts[slot, record.color[seat, slot] * 4 + record.rank[seat, slot]] += 1
        exact = probabilities(position.view(seat), exact=True).reshape(held, kinds)
        assert counts / number == pytest.approx(exact, abs=0.08)  # five standard errors
        assert not counts[exact == 0].any()


def test_games_that_hide_nothing_are_as_they_are_and_others_do_not_know():
    start = TicTacToe().start()
    assert start.game.redealt(start, stream(1)) == start
    assert Game.redealt(GAMES[0], positions(GAMES[0])[0], stream(1)) is None
