"""How an if-then player moves."""

import numpy as np

from ludarium.agents.genetic.ifthen.lessons import correct
from ludarium.agents.genetic.ifthen.maps import Maps, pairs_of, put
from ludarium.agents.genetic.ifthen.player import best_action, player, scratch
from ludarium.agents.genetic.ifthen.windows import board_windows
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
