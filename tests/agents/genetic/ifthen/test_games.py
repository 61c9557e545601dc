"""The table on which an if-then population plays, and rematches on it."""

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen.games import Rules, Table, compare, play_game, rematch
from ludarium.agents.genetic.ifthen.lessons import RULE, Lesson
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.envs.chance import seed_key
from ludarium.envs.kernels import MAX_MOVES
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


def test_a_rematch_counts_who_wins_comparisons_all_of_them_different(higher):
    maps, won = Maps.empty(3), np.zeros(3, dtype=np.int64)
    maps.randomness[:] = 1.0
    rematch(Table.of(Rules(higher, True, 0, Lesson()), maps), np.array([2, 0, 1]), 20, seed_key(1), won)
    assert won.sum() == 3 * 20
    assert 0 < won.min() <= won.max() < 40  # nobody has won or lost all
    assert maps.games.tolist() == [40, 40, 40]


def test_a_game_that_lasts_longer_than_any_may_is_a_draw():
    table = Table.of(Rules(make_game("tictactoe"), False, 0, Lesson()), Maps.empty(2))
    short = table.game.copy()
    short[MAX_MOVES] = 3
    compare(table._replace(game=short), 0, 1, seed_key(1))
    assert table.counts.tolist() == [1, 3, 0, 1]
    assert table.trail["seat"][:3].tolist() == [0, 1, 0]


def test_players_with_windows_see_a_move_that_wins_in_every_mirror_image():
    game, wins = make_game("tictactoe"), 0
    table = Table.of(Rules(game, True, 3, Lesson()), Maps.empty(2))
    for number in range(10):
        table.stream[:] = number, 0
        plies, position = play_game(table, 0, 1), game.start()
        for action, seat, reason in table.trail[:plies].tolist():
            assert (seat, reason) == (position.turn, RULE)
            after = {legal: position.copy() for legal in position.legal_actions()}
            for legal, other in after.items():
                other.play(legal)
            winning = {legal for legal, other in after.items() if other.over and other.payoffs()[seat] > 0}
            assert not winning or action in winning
            wins += bool(winning)
            position = after[action]
        assert position.over
    assert wins > 5
