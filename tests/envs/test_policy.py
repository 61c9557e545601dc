"""Compiled policies: what they are given, and what they may not have."""

import copy

import numpy as np
import pytest

from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.policy import OBSERVATION_NEEDED, STATE_NEEDED, VIEW_NEEDED, Policy, policy_rows
from ludarium.envs.registry import make_game

BLOCK = np.dtype([("favourite", np.int64), ("asked", np.int64)], align=True)


def favourite(game, state, observation, mask, block, stream):
    """Its favourite action if that is legal, else the first that is; counts how often it was asked."""
    block.asked += 1
    if mask[block.favourite]:
        return block.favourite
    action = 0
    while not mask[action]:
        action += 1
    return action


def seen(game, state, observation, mask, block, stream):
    """The last square that the observation says the other side has taken, plus one."""
    action = 0
    for square in range(9):
        if observation[2 * square + 1]:
            action = square + 1
    return action


def make_favourite(action):
    return Policy(favourite, BLOCK, np.array([(action, 0)], dtype=BLOCK))


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def ask(policy, game, position):
    mask, stream = position.action_mask(), np.zeros(2, dtype=np.uint64)
    return policy.choose(game, position.data, position.observe(position.turn), mask, stream)


def test_python_and_a_batch_ask_the_same_function(game):
    policy = make_favourite(4)
    position = game.start()
    assert ask(policy, game, position) == 4
    position.play(4)
    assert ask(policy, game, position) == 0
    assert policy.block["asked"].tolist() == [2]
    keys = np.array([seed_key(1)])
    played = play_games(game, [policy], np.zeros((1, 2), dtype=np.int64), keys, keys, record=True)
    assert played.moves[0].tolist() == [4, 0, 1, 2, 3, 5, 6, 7, 8]


def test_an_observation_is_given_to_those_that_need_it(game):
    keys, seating = np.array([seed_key(1)]), np.zeros((1, 2), dtype=np.int64)
    played = play_games(game, [Policy(seen, needs_observation=True)], seating, keys, keys, record=True)
    assert played.moves[0, :7].tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_a_copy_has_a_memory_of_its_own(game):
    policy = make_favourite(4)
    ask(policy, game, game.start())
    twin = copy.deepcopy(policy)
    twin.block["favourite"] = 8
    assert (ask(twin, game, game.start()), ask(policy, game, game.start())) == (8, 4)


def test_a_memory_holds_its_record():
    with pytest.raises(ValueError, match="policy: the block has 8 bytes, its record needs 16"):
        Policy(favourite, BLOCK, np.zeros(8, dtype=np.uint8))
    assert Policy(favourite, BLOCK, np.zeros(16, dtype=np.uint8)).block.nbytes == 16
    assert Policy(favourite, BLOCK).block.tolist() == [(0, 0)]


def test_hidden_information_stays_hidden():
    hanabi = make_game("hanabi")
    text = "hanabi: a policy that needs the state may not play a game with hidden information"
    with pytest.raises(ValueError, match=text):
        policy_rows(hanabi, [Policy(favourite, needs_state=True)])


def test_a_view_needs_a_game_that_has_one(game):
    with pytest.raises(ValueError, match="tictactoe: a policy needs the view, which this game does not have"):
        policy_rows(game, [Policy(seen), Policy(seen, needs_view=True)])


def test_a_row_says_what_its_policy_needs(game):
    needs = [(False, False), (True, False), (False, True), (True, True)]
    policies = [Policy(seen, needs_state=state, needs_observation=observation) for state, observation in needs]
    rows = policy_rows(game, policies)
    assert [(bool(bits & STATE_NEEDED), bool(bits & OBSERVATION_NEEDED)) for bits in rows[:, 2]] == needs
    assert not (rows[:, 2] & VIEW_NEEDED).any()
    assert rows[:, 1].tolist() == [policy.block.ctypes.data for policy in policies]


def test_no_policies_are_no_rows(game):
    assert policy_rows(game, []).shape == (0, 3)
    assert policy_rows(game, [make_favourite(1)] * 2).shape == (2, 3)
