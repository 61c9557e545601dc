"""What a map says about the moves that it plays."""

import re

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.learning.run import train
from ludarium.envs.registry import make_game


@pytest.fixture(scope="module", params=["seed", "modern"])
def run(request, tmp_path_factory):
    learner = IFTHEN.learner({"game": "hexapawn", "games": 1200, "test_games": 2}, request.param)
    return request.param, train(learner, tmp_path_factory.mktemp("maps"), workers=1)


def test_a_map_says_what_it_knows(run):
    preset, folder = run
    game = make_game("hexapawn")
    agent = make_agent(f"ifthen:{folder}", game)
    position, texts = game.start(), []
    while not position.over:
        info = {"seat": position.turn, "game": game, "position": position.copy(), "history": ()}
        shown = (position.observe(position.turn), position.action_mask(), info)
        agent.reset(position.turn, 1)
        action, reason = agent(*shown), agent.explain(*shown)
        texts.append(reason.text)
        if found := re.match(r"its map has (\S+) here, taught by [\d,]+ games?", reason.text):
            assert found[1] == game.action_to_str(position, action)
        elif preset == "modern":
            assert reason.values[action] == max(reason.values.values())
        assert set(reason.values) == (set(np.flatnonzero(shown[1]).tolist()) if preset == "modern" else set())
        assert (" and the value " in reason.text) == (preset == "modern" and found is not None)
        position.play(action)
    assert any(text.startswith("its map has") for text in texts)
