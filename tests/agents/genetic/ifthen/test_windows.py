"""Windows: what pairs say of parts of a board, how that is learned and inherited, and what it reaches."""

import re

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import find
from ludarium.agents.genetic.ifthen.breeding import Heredity, differences, inherit_pairs
from ludarium.agents.genetic.ifthen.games import correct
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.genetic.ifthen.maps import WINDOW, Maps, pairs_of, put
from ludarium.agents.genetic.ifthen.player import best_action, opinion, player, scratch
from ludarium.agents.genetic.ifthen.windows import board_windows, look, window_key
from ludarium.envs.chance import stream
from ludarium.envs.kernels import OVER
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width


class Sequential:
    """One worker, this one."""

    shares_memory, size = True, 1

    def __call__(self, function, parts):
        return [function(part) for part in parts]


sequential = Sequential()


def evolved(game, games, **options):
    """The arrays of a run, and its learner."""
    config = IfThen.from_preset("modern", {"game": game.spec, "games": games, **options})
    arrays, played, number = config.start(game), 0, 0
    while played + config.largest_generation(game) <= games:
        played, number = played + config.generation(game, arrays, number, sequential)["games"], number + 1
    return arrays, config


def seen(game, position, seat):
    """What is on each square, as a seat sees it."""
    squares = game.observation_size // 2
    contents = np.zeros(squares, dtype=np.int64)
    look(game.table, position.data, seat, np.zeros(2 * squares, dtype=np.int8), contents)
    return contents


# --- windows of a board ---


def test_the_windows_of_a_small_board():
    windows = board_windows(make_game("tictactoe"), 3, False)
    lines = {tuple(sorted(row[row >= 0])) for row in windows.squares}
    assert lines == {
        (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
        (1, 5), (3, 7), (1, 3), (5, 7),
    }  # fmt: skip
    assert len(set(windows.kinds)) == len(windows.kinds) == 12
    assert not windows.own_images.any()


def test_mirror_images_are_of_one_kind():
    windows = board_windows(make_game("tictactoe"), 3, True)
    assert sorted(np.bincount(windows.kinds.astype(int))[1:]) == [2, 2, 4, 4]  # diagonals, middles, edges, corners cut
    assert windows.own_images.all()


def test_lines_longer_than_a_window_hold_several():
    game = make_game("othello?size=6")
    squares = board_windows(game, 4, False).squares
    assert len(squares) == 2 * 6 * 3 + 2 * (9 + 2 * 2)  # straight lines; diagonals of 4 to 6, and shorter ones whole
    assert (squares[:, :2] >= 0).all()
    steps = np.diff(squares[(squares >= 0).all(axis=1)], axis=1)
    assert (steps == steps[:, :1]).all()
    assert set(abs(steps[:, 0])) == {1, 5, 6, 7}
    assert len(board_windows(game, 0, True).kinds) == 0


def test_mirror_images_of_a_position_hold_the_same_windows(connect_four):
    for game in (make_game("othello?size=6"), connect_four):
        windows, rows = board_windows(game, 4, True), game.images
        positions, draws = [game.start() for _ in rows], np.random.default_rng(1)
        while positions[0].turn != OVER:
            action = draws.choice(positions[0].legal_actions())
            keys = []
            for position, row in zip(positions, rows, strict=True):
                position.play(int(row[action]))
                contents = seen(game, position, 0)
                keys.append(sorted(int(window_key(windows, n, contents)) for n in range(len(windows.kinds))))
            assert all(found == keys[0] for found in keys)
            assert 0 not in keys[0]


def test_games_without_a_board_are_refused(higher):
    message = "higher: for windows=4 the observation must be a board of at most 64 squares: two planes of 0 and 1, of "
    with pytest.raises(ValueError, match=re.escape(message) + ".*has the shape .1,. and the range .*; set windows=0"):
        IfThen.from_preset("modern", {"game": "othello", "windows": 4}).check(higher)
    IfThen.from_preset("modern", {"game": "othello", "windows": 4}).check(make_game("othello"))


# --- what they say ---


def test_windows_learn_what_a_position_is_worth():
    game, maps = make_game("tictactoe"), Maps.empty(2)
    windows, contents = board_windows(game, 3, True), np.array([1, 0, 2, 0, 1, 0, 0, 0, 0])
    for _ in range(200):
        correct(maps, 1, windows, contents, 0.5)
    assert np.tanh(opinion(pairs_of(maps, 1), windows, contents)) == pytest.approx(0.5, abs=0.02)
    assert opinion(pairs_of(maps, 0), windows, contents) == 0
    mirrored = contents.reshape(3, 3).T[::-1].ravel().copy()
    assert opinion(pairs_of(maps, 1), windows, mirrored) == pytest.approx(opinion(pairs_of(maps, 1), windows, contents))
    used = maps.keys[1] != 0
    assert (maps.moves[1][used] == WINDOW).all()
    assert (maps.visits[1][used] >= 200).all()


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


def test_children_inherit_the_mean_of_what_their_parents_say_of_a_window():
    maps, key = Maps.empty(3), [np.uint64(n) for n in (5, 6, 7)]
    for member, value in ((0, 0.2), (1, 0.6)):
        put(maps, member, key[0], WINDOW, value, 10 + member)
        put(maps, member, key[1 + member], WINDOW, value, 3)
    inherit_pairs(maps, 2, 0, 1, 0.5, Heredity(0.05, 1.0, False, False, True), stream(1))
    found = [find(maps.keys[2], k) for k in key]
    assert maps.values[2, found] == pytest.approx([0.4, 0.2, 0.6])
    assert maps.visits[2, found[0]] == 11
    assert tuple(differences(maps, 0, 1)) == (0, 1)
    maps.values[0] *= -1
    assert tuple(differences(maps, 0, 1)) == (1, 1)  # one thinks well of it, the other ill


# --- capacity ---


def test_a_full_map_forgets_what_it_met_in_the_fewest_games():
    maps = Maps.empty(2)
    for number in range(200):
        put(maps, 0, np.uint64(number + 1), number % 5, 0.5, number)
        put(maps, 1, np.uint64(number + 1), 0, 0.5, 1)
    smaller = maps.grown(150)
    assert smaller.keys.shape == maps.keys.shape
    assert set(smaller.keys[0].tolist()) == {0, *range(126, 201)}
    assert smaller.entries.tolist() == [75, 0]
    assert maps.grown(201).entries.tolist() == [200, 200]
    assert maps.grown().keys.shape[1] == 2 * maps.keys.shape[1]


def test_capacity_holds_over_generations():
    game = make_game("othello?size=6")
    arrays, _ = evolved(game, 300, population=4, capacity=512)
    assert arrays["keys"].shape[1] <= 4096
    free, _ = evolved(game, 300, population=4, capacity=0)
    assert free["keys"].shape[1] > 4096


# --- what they reach ---


def test_modern_beats_greedy_in_a_game_larger_than_its_book(connect_four):
    scores = {}
    for windows in (0, 4):
        arrays, config = evolved(connect_four, 400, windows=windows)
        champion = config.policy(connect_four, arrays)
        scores[windows] = play_match(connect_four, [champion, "greedy"], 100, 1, opening=2).scores()
    assert scores[4].mean() - half_width(scores[4]) > 0.5
    assert scores[0].mean() + half_width(scores[0]) < 0.5


def test_the_champion_is_deterministic():
    game = make_game("hexapawn")
    arrays, config = evolved(game, 300)
    assert measure(game, config.policy(game, arrays)).method == "deterministic"
