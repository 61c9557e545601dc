"""What a game teaches if-then players."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import find
from ludarium.agents.genetic.ifthen.games import Rules, Table, compare
from ludarium.agents.genetic.ifthen.lessons import RULE, UNKNOWN, VALUES, Lesson, back_up, correct, forget
from ludarium.agents.genetic.ifthen.maps import WINDOW, Maps, pairs_of, put
from ludarium.agents.genetic.ifthen.player import opinion
from ludarium.agents.genetic.ifthen.windows import board_windows, look, window_key
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

ORIGINAL = Lesson()


def meet(game, maps, seed, lesson=ORIGINAL, symmetry=True):
    """One game of two members: whether the first is ahead, and the counts."""
    table = Table.of(Rules(game, symmetry, 0, lesson), maps)
    return compare(table, 0, 1, seed_key(seed)), table.counts


def test_the_winner_records_its_random_moves_and_the_loser_nothing(higher):
    wins = 0
    for seed in range(40):
        maps = Maps.empty(2)
        ahead, counts = meet(higher, maps, seed)
        assert counts.tolist() == [1, 2, 0, counts[3]]
        assert maps.games.tolist() == [1, 1]
        if counts[3]:  # a draw
            assert maps.wins.tolist() == maps.entries.tolist() == [0, 0]
            continue
        winner = 0 if ahead else 1
        assert maps.wins[winner] == maps.entries[winner] == 1
        assert maps.wins[1 - winner] == maps.entries[1 - winner] == 0
        wins += ahead
    assert 5 < wins < 35


def test_all_random_moves_of_a_won_game_are_recorded():
    game = make_game("hexapawn")
    for seed in range(10):
        maps = Maps.empty(2)
        _, counts = meet(game, maps, seed, symmetry=False)
        assert maps.entries[maps.wins.argmax()] == (counts[1] + 1) // 2  # who wins has made the last move
        assert maps.entries[maps.wins.argmin()] == 0


def test_draws_are_recorded_if_the_lesson_says_so(higher):
    draws = 0
    for seed in range(1000, 1040):
        maps = Maps.empty(2)
        if meet(higher, maps, seed, Lesson(record_draws=True))[1][3]:
            assert maps.entries.tolist() == [1, 1]
            draws += 1
    assert draws


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_random_move_in_a_known_position_is_recorded_only_with_overwrite_on_win(higher, known, teach, overwrite):
    maps = Maps.empty(2)
    teach(maps, 0, higher, 1)
    teach(maps, 1, higher, 0)
    maps.randomness[0] = 1.0
    for seed in range(30):
        meet(higher, maps, seed, Lesson(overwrite_on_win=overwrite))
    moves = known(maps, 0)
    assert len(moves) == 9
    assert (set(moves.values()) == {1}) is not overwrite


def test_the_loser_forgets_the_pair_behind_its_last_move(higher, known, teach):
    for forgets in (False, True):
        maps = Maps.empty(2)
        teach(maps, 0, higher, 3)
        teach(maps, 1, higher, 6)
        meet(higher, maps, 1, Lesson(forget_on_loss=forgets))
        assert (len(known(maps, 0)), len(known(maps, 1))) == (9 - forgets, 9)
        assert maps.entries[0] == 9  # its place stays taken until the table grows


def test_nobody_forgets_after_a_draw(higher, known, teach):
    maps = Maps.empty(2)
    for member in range(2):
        teach(maps, member, higher, 4)
    assert meet(higher, maps, 1, Lesson(forget_on_loss=True))[1][3] == 1
    assert [len(known(maps, member)) for member in range(2)] == [9, 9]


def after(game, maps, key_of, actions, windows=0):
    """The table after these moves from the start, as if rules had made them."""
    table, position = Table.of(Rules(game, False, windows, VALUES), maps), game.start()
    for ply, action in enumerate(actions):
        table.positions[ply].view(np.uint8)[: game.state.itemsize] = position.data
        table.hashes[ply] = key_of(game, *actions[:ply])
        table.trail[ply] = action, position.turn, RULE
        position.play(action)
    return table


@pytest.mark.parametrize(("seat", "ply"), [(0, 6), (1, 7)])
def test_what_is_forgotten_is_the_last_move_of_one_s_own_with_a_choice(known, key_of, seat, ply):
    """The ninth move of tic-tac-toe is forced. A move that no pair made says nothing about the pairs before it."""
    for reason in (RULE, UNKNOWN):
        maps, actions = Maps.empty(1), (0, 1, 2, 4, 3, 5, 7, 6, 8)
        table = after(make_game("tictactoe"), maps, key_of, actions)
        for key, action in zip(table.hashes[:, 0], actions, strict=True):
            put(maps, 0, key, action, 0.0, 1)
        table.trail["reason"][ply] = reason
        forget(table, 0, seat, 9)
        left = set(table.hashes[:, 0].tolist()) - ({int(table.hashes[ply, 0])} if reason == RULE else set())
        assert set(known(maps, 0)) == left


@pytest.mark.parametrize("symmetry", [False, True])
def test_symmetry_records_the_mirror_images_as_well(symmetry):
    game = make_game("hexapawn")
    for seed in range(10):
        maps = Maps.empty(2)
        _, counts = meet(game, maps, seed, symmetry=symmetry)
        moves = (counts[1] + 1) // 2
        assert bool(maps.entries[maps.wins.argmax()] > moves) is symmetry


def test_values_find_the_best_moves_and_unlearn(higher, key_of, teach):
    maps = Maps.empty(2)
    for member in range(2):
        teach(maps, member, higher, 2)  # wrong nearly everywhere
        maps.randomness[member] = 0.7
    for seed in range(400):
        meet(higher, maps, seed, VALUES)
    for member in range(2):
        for first in range(8):
            slot = find(maps.keys[member], key_of(higher, first))
            assert maps.values[member, slot] == (1 if first < 7 else 0)
            assert maps.moves[member, slot] > first or first == maps.moves[member, slot] == 7
        slot = find(maps.keys[member], key_of(higher))
        assert (maps.values[member, slot], maps.moves[member, slot]) == (0, 7)
        assert maps.visits[member, slot] == 401  # both learn from each game, whoever was to move


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


def test_a_pair_about_a_window_changes_less_the_more_games_have_taught_it():
    """The first step is half of the error, shared by the windows; after a thousand games it would be a quarter."""
    game, maps = make_game("tictactoe"), Maps.empty(1)
    windows, contents = board_windows(game, 3, False), np.array([1, 0, 2, 0, 1, 0, 0, 0, 0])
    for _ in range(2):
        correct(maps, 0, windows, contents, 0.5)
    used = maps.keys[0] != 0
    steps = 0.5 * 0.5, 0.5 * (0.5 - np.tanh(0.25)) * 1000 / 1001
    assert maps.values[0][used].tolist() == pytest.approx([sum(steps) / 12] * 12)
    assert maps.visits[0][used].tolist() == [2] * 12


def test_windows_learn_from_each_position_of_a_game_but_the_first_as_who_moved_there_sees_it(key_of):
    game, maps = make_game("tictactoe"), Maps.empty(1)
    table, seen = after(game, maps, key_of, (0, 3, 1, 4, 2), windows=3), np.zeros(9, dtype=np.int64)
    back_up(table, 0, 5)
    keys = set()
    for ply in range(1, 5):
        look(game.table, table.positions[ply], (ply - 1) % 2, np.zeros(18, dtype=np.int8), seen)
        keys.update(int(window_key(table.windows, number, seen)) for number in range(len(table.windows.kinds)))
    assert set(maps.keys[0][maps.moves[0] == WINDOW].tolist()) == keys
    assert opinion(pairs_of(maps, 0), table.windows, seen) < 0  # the other side wins
