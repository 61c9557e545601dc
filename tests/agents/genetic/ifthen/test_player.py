"""How an if-then player moves."""

import re

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.lessons import correct
from ludarium.agents.genetic.ifthen.map_agent import MapAgent
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Maps, pairs_of, put
from ludarium.agents.genetic.ifthen.player import best_action, player, scratch
from ludarium.agents.genetic.ifthen.windows import board_windows
from ludarium.agents.learning.run import train
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game


def test_it_plays_what_its_map_says_and_else_at_random(higher, key_of):
    maps = Maps.empty(2)
    put(maps, 1, key_of(higher), 5, 0.0, 1)
    policy = player(pairs_of(maps, 1), board_windows(higher, 0, False))
    mask, view = np.ones(8, dtype=np.int8), np.zeros(1, dtype=np.int8)
    position = higher.start()
    assert [policy.choose(higher, position.data, view, mask, stream(n)) for n in range(20)] == [5] * 20
    position.play(1)
    assert {policy.choose(higher, position.data, view, mask, stream(n)) for n in range(200)} == set(range(8))


def test_an_unknown_position_is_played_by_the_windows():
    game, maps = make_game("tictactoe"), Maps.empty(1)
    windows, position = board_windows(game, 3, True), game.start()
    for square in range(9):
        contents = np.zeros(9, dtype=np.int64)
        contents[square] = 1
        for _ in range(300):
            correct(maps, 0, windows, contents, 0.8 if square == 4 else -0.8 if square % 2 else 0.0)
    policy, mask = player(pairs_of(maps, 0), windows), np.ones(9, dtype=np.int8)
    view = np.zeros(1, dtype=np.int8)
    assert [policy.choose(game, position.data, view, mask, stream(n)) for n in range(5)] == [4] * 5
    words = np.zeros((game.state.itemsize + 7) // 8, dtype=np.uint64)
    words.view(np.uint8)[: game.state.itemsize] = position.data
    action, value = best_action(game.table, pairs_of(maps, 0), windows, words, 0, 0, scratch(game.table))
    assert action == 4
    assert 0.5 < value <= 0.8
    nothing = Maps.empty(1)
    tied = [best_action(game.table, pairs_of(nothing, 0), windows, words, 0, n, scratch(game.table)) for n in (6, -1)]
    assert tied == [(6, 0.0), (0, 0.0)]  # the preferred among equals, else the first


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
        if match := re.match(r"its map has (\S+) here, taught by [\d,]+ games?", reason.text):
            assert match[1] == game.action_to_str(position, action)
        elif preset == "modern":
            assert reason.values[action] == max(reason.values.values())
        assert set(reason.values) == (set(np.flatnonzero(shown[1]).tolist()) if preset == "modern" else set())
        assert (" and the value " in reason.text) == (preset == "modern" and match is not None)
        position.play(action)
    assert any(text.startswith("its map has") for text in texts)


@pytest.mark.parametrize(
    ("move", "visits", "size", "text"),
    [
        (4, 1, 0, "its map has b2 here, taught by 1 game"),
        (4, 2000, 3, "its map has b2 here, taught by 2,000 games and the value +0.25"),
        (FORGOTTEN, 1, 0, "its map does not know this position: a random move"),
        (0, 1, 0, "its map does not know this position: a random move"),  # what it plays is not legal
        (FORGOTTEN, 1, 3, "its map does not know this position: the move whose squares seem worth most"),
    ],
)
def test_the_reason_in_words(key_of, move, visits, size, text):
    game, maps = make_game("tictactoe"), Maps.empty(1)
    put(maps, 0, key_of(game), move, 0.25, visits)
    windows = board_windows(game, size, True)
    agent = MapAgent("ifthen", player(pairs_of(maps, 0), windows), pairs_of(maps, 0), maps.visits[0], windows, size > 0)
    position, mask = game.start(), np.array([0] + [1] * 8, dtype=np.int8)
    reason = agent.explain(position.observe(0), mask, {"position": position})
    assert (reason.text, sorted(reason.values)) == (text, list(range(1, 9)) if size else [])
