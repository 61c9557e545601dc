"""The table on which an if-then population plays."""

import pytest

from ludarium.agents.genetic.ifthen.games import Rules, Table
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.envs.registry import make_game


@pytest.mark.parametrize(
    ("spec", "size", "words", "images"),
    [("hexapawn", 24, 3, 2), ("othello?size=4", 48, 6, 4), ("backgammon", 70, 9, 1)],
)
def test_there_is_room_for_a_whole_position_in_each_image(spec, size, words, images):
    game = make_game(spec)
    assert game.state.itemsize == size  # bytes; a word has eight
    table = Table.of(Rules(game, True, 0, Lesson()), Maps.empty(1))
    assert table.states.shape == (images, words)
    assert table.positions.shape == (game.max_moves, words)
    assert table.hashes.shape == (game.max_moves, images)
