"""Declared symmetries are whole groups; `check_game` plays games in all their images."""

import numpy as np
import pytest

from ludarium.envs.registry import make_game

COUNTS = {
    "tictactoe": 8,
    "tictactoe?columns=5": 4,
    "hexapawn": 2,
    "hexapawn?rows=5&columns=4": 2,
    "othello": 4,
    "othello?size=6&scoring=discs": 4,
    "othello?size=4": 4,
    "othello?size=6&start=parallel": 2,
    "connect_four": 2,
}


@pytest.fixture(params=COUNTS)
def game(request, connect_four_class):
    return make_game(request.param)


def test_each_symmetry_is_another_permutation(game):
    images = np.array(game.symmetries)
    assert images.shape == (COUNTS[game.spec], game.actions)
    assert (images[0] == np.arange(game.actions)).all()
    assert (np.sort(images, axis=1) == images[0]).all()
    assert len(np.unique(images, axis=0)) == len(images)
    group = {tuple(image) for image in images}
    assert {tuple(first[second]) for first in images for second in images} == group  # a group


@pytest.mark.parametrize("start", ["standard", "parallel"])
def test_no_symmetry_of_the_start_of_othello_is_left_out(start):
    game = make_game(f"othello?size=4&start={start}")
    first = game.start().observe(0)
    kept = [np.rot90(side, quarter) for side in (first, first[:, ::-1]) for quarter in range(4)]
    assert sum(bool((image == first).all()) for image in kept) == len(game.symmetries)
    assert (game.symmetries[:, -1] == 16).all()  # the pass
