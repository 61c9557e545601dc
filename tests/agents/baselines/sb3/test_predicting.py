"""Models that are in memory: what they are told, what they remember, and which are known to heed no mask."""

import copy
import re
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.baselines.sb3.model import SB3Agent
from ludarium.agents.baselines.sb3.predicting import PredictingAgent, predicting
from ludarium.envs.registry import make_game

GAME = make_game("tictactoe")


class Recurrent:
    """It plays how often it was asked in this game, as far as its state tells."""

    def __init__(self):
        self.told = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.told.append((observation, state, episode_start.tolist(), deterministic))
        asked = 0 if state is None else state
        return np.array([asked]), asked + 1


def ask(agent, observation=0):
    return agent(observation, np.ones(9, dtype=np.int8), {})


def test_a_model_gets_its_state_back_until_the_next_game():
    agent = predicting("mine", model := Recurrent(), GAME)
    agent.reset(0, 1)
    assert (agent.name, ask(agent), ask(agent), ask(agent, 7)) == ("mine", 0, 1, 2)
    copied = copy.deepcopy(agent)
    assert (ask(copied), ask(agent)) == (0, 3)
    agent.reset(1, 1)
    assert ask(agent) == 0
    starts = [(0, None, [True], True), (0, 1, [False], True), (7, 2, [False], True)]
    assert model.told == [*starts, starts[0], (0, 3, [False], True), starts[0]]


def test_a_model_is_told_only_what_it_takes():
    assert ask(predicting("mine", SimpleNamespace(predict=lambda observation: observation + 1), GAME), 4) == 5
    legal = SimpleNamespace(predict=lambda observation, action_masks: action_masks.argmax())
    agent = predicting("mine", legal, GAME)
    assert agent(0, np.array([0, 0, 1], dtype=np.int8), {}) == 2


@pytest.mark.parametrize(
    ("policy", "masks", "kind"),
    [
        ({"q_net": 0}, False, SB3Agent),
        ({"get_distribution": 0}, False, SB3Agent),
        ({"get_distribution": 0}, True, PredictingAgent),  # it heeds masks itself
        ({"get_distribution": 0, "lstm_actor": 0}, False, PredictingAgent),  # it remembers
        ({}, False, PredictingAgent),
    ],
)
def test_models_that_know_no_masks_are_asked_for_their_scores(policy, masks, kind):
    policy = SimpleNamespace(set_training_mode=lambda mode: None, **policy)
    predict = (lambda observation, action_masks: 0) if masks else (lambda observation: 0)
    assert type(predicting("mine", SimpleNamespace(predict=predict, policy=policy), GAME)) is kind


@pytest.mark.parametrize(
    ("shape", "actions", "told"),
    [
        ((3, 3, 1), 9, "the model's observation_space has shape (3, 3, 1), but tictactoe needs (3, 3, 2)"),
        ((3, 3, 2), 8, "the model's action_space has n 8, but tictactoe needs 9"),
    ],
)
def test_a_model_for_another_game(shape, actions, told):
    spaces = {"observation_space": SimpleNamespace(shape=shape), "action_space": SimpleNamespace(n=actions)}
    with pytest.raises(ValueError, match=re.escape(f"agent 'mine': {told}: give a model that was trained on this")):
        predicting("mine", SimpleNamespace(predict=lambda observation: 0, **spaces), GAME)
