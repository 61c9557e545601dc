"""Helpers for the tests of games."""

from collections import Counter

import numpy as np
import pytest

from ludarium.envs.chance import below, stream
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.position import Position
from ludarium.envs.records import RecordedGame


def _moves(game, number, among):
    """The positions of a random game, each with what happens next, at last None."""
    random, position = stream(11, number), game.start()
    while position.turn != OVER:
        if position.turn == CHANCE:
            event = position.draw_outcome(random)
        else:
            actions = among(position)
            event = actions[below(random, len(actions))]
        yield position, event
        position = position.copy()
        position.push(event)
    yield position, None


@pytest.fixture(scope="session")
def walk():
    """`walk(game, number)`: all positions of a random game; `among(position)` says which actions to choose from."""

    def walk(game, number=0, among=Position.legal_actions):
        return (position for position, _ in _moves(game, number, among))

    return walk


@pytest.fixture(scope="session")
def recorded():
    """`recorded(game, number)`: a random game as a record; it stops before the action of number `stop`."""

    def recorded(game, number=0, stop=10_000, file=""):
        script, actions = [], []
        for position, event in _moves(game, number, Position.legal_actions):
            if position.over or len(actions) == stop:
                break
            (script if position.turn == CHANCE else actions).append(event)
        facts = {"file": file or f"{number}.txt", "note": "" if position.over else "stopped"}
        return RecordedGame(game, tuple("abcde"[: game.seats]), script=script, actions=actions, **facts)

    return recorded


@pytest.fixture(scope="session")
def layers():
    """`layers(game)`: by number of moves, the positions of a game without chance, with the number of ways to each."""

    def layers(game):
        layers = [Counter({game.start(): 1})]
        while layers[-1]:
            following = Counter()
            for position, ways in layers[-1].items():
                for action in position.legal_actions():
                    after = position.copy()
                    after.push(action)
                    following[after] += ways
            layers.append(following)
        return layers[:-1]

    return layers


@pytest.fixture
def beside_openspiel():
    """`beside_openspiel(game, peer, draws)`: play a random game by both rules; yields both before every event.

    Players, chance, legal actions and returns are compared. `among(actions)` says which to choose from, and whoever
    iterates compares observations. OpenSpiel may stop earlier.
    """
    pyspiel = pytest.importorskip("pyspiel")
    players = {CHANCE: pyspiel.PlayerId.CHANCE}

    def play(game, peer, draws, among=lambda actions: actions):
        ours, theirs = game.start(), peer.new_initial_state()
        while not theirs.is_terminal():
            assert players.get(ours.turn, ours.turn) == theirs.current_player()
            assert ours.payoffs().tolist() == theirs.returns()
            yield ours, theirs
            if ours.turn == CHANCE:
                outcomes = theirs.chance_outcomes()
                assert np.allclose(ours.outcomes(), outcomes)
                chances = np.cumsum([chance for _, chance in outcomes])
                action = outcomes[np.searchsorted(chances, draws.random(), side="right") % len(outcomes)][0]
            else:
                legal = theirs.legal_actions()
                assert ours.legal_actions() == legal
                options = among(legal)
                action = options[draws.integers(len(options))]
            ours.push(action)
            theirs.apply_action(action)
        yield ours, theirs

    return play
