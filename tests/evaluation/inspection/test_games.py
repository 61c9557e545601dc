"""The games that are watched, and what moves do."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.learning.inspection import VERBS, position_of
from ludarium.agents.search.solver import perfect
from ludarium.envs.chance import AGENTS, derive, seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.games import decisions_against_random, effects


def words(position):
    state = np.zeros((1, -(-position.game.state.itemsize // 8)), dtype=np.uint64)
    state.view(np.uint8)[0, : len(position.data)] = position.data
    return state


@pytest.mark.parametrize(
    ("text", "move", "verb"),
    [
        ("xx./oo./... x", "c1", "wins"),
        ("xx./oo./... x", "c2", ""),  # what wins comes first: this is a mistake, not a block
        ("x../oo./..x x", "c2", "blocks"),
        ("x../oo./..x x", "c1", ""),
        (".../.x./... o", "a1", ""),
        ("xo./xo./..x o", "b3", "wins"),
        ("o.x/.x./... o", "a3", "blocks"),
        ("xo./.x./..o x", "a3", "forks"),
        ("xo./.x./..o x", "a2", "forks"),
        (".x./.xo/..o x", "c1", "forks"),
        ("xo./.x./..o x", "c1", ""),  # one threat
        ("oo./.x./x.. x", "a2", ""),  # one threat, where c1 wins
    ],
)
def test_what_a_move_does(text, move, verb):
    position = make_game("tictactoe").from_text(text)
    action = position.game.str_to_action(position, move)
    assert VERBS[effects(position.game, words(position), np.array([action]))[0]] == verb


@pytest.mark.parametrize("spec", ["tictactoe", "othello?size=4", "backgammon?variant=hypergammon"])
def test_decisions_are_those_of_one_player_in_both_seats(spec):
    """Where there is dice, the same dice: else what was played would not be legal."""
    game = make_game(spec)
    watched = decisions_against_random(game, random(game), 8, 3)
    assert (np.diff(watched.games) >= 0).all()
    assert set(watched.games.tolist()) == set(range(8))
    for state, action, number in zip(watched.states, watched.actions, watched.games, strict=True):
        position = position_of(game, state)
        assert position.turn == number % 2
        assert position.action_mask()[action]
    streams = [int(derive(np.uint64(seed_key(3, number // 2)), AGENTS + number % 2)) for number in range(8)]
    assert watched.streams.tolist() == streams  # with which the player played
    again = decisions_against_random(game, random(game), 8, 3)
    np.testing.assert_array_equal(again.states, watched.states)
    other = decisions_against_random(game, random(game), 8, 4)
    assert other.states.tobytes() != watched.states.tobytes()


def test_the_opponent_is_the_random_agent():
    game = make_game("tictactoe")
    watched = decisions_against_random(game, perfect(game), 200, 1)
    replies = {position_of(game, state).text for state in watched.states if state.view(np.uint8).any()}
    assert len(replies) > 60
