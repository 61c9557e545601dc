"""Helpers for the tests of Hanabi."""

import pytest


@pytest.fixture(scope="session")
def long_game(walk):
    """`long_game(game, number)`: the positions of a random game in which cards are seldom played."""

    def among(position):
        hand, actions = position.game.options["hand_size"], position.legal_actions()
        others = [action for action in actions if not hand <= action < 2 * hand]
        return others if others and position.record.moves % 5 else actions

    return lambda game, number=0: walk(game, number, among)


@pytest.fixture(scope="session")
def dealt(walk):
    """`dealt(game)`: a position after the deal."""
    return lambda game: next(position for position in walk(game) if position.turn >= 0)
