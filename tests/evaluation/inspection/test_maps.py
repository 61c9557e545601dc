"""The positions behind a map's hashes."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.search.solver import after
from ludarium.envs import CHANCE, OVER, Game, kernel
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.games import position_of
from ludarium.evaluation.inspection.maps import inspect_map, walk
from ludarium.evaluation.inspection.population import find_population
from ludarium.evaluation.inspection.text import inspection_text


def key(position):
    words = np.zeros(-(-len(position.data) // 8), dtype=np.uint64)
    words.view(np.uint8)[: len(position.data)] = position.data
    return int(hash_state(words))


@pytest.mark.parametrize(("spec", "positions"), [("hexapawn", 135), ("tictactoe", 5478)])
def test_the_walk_meets_every_position_once(spec, positions):
    states, whole = walk(make_game(spec), 10_000)
    assert whole
    assert len(states) == len(np.unique(states, axis=0)) == positions
    exact, whole = walk(make_game(spec), positions)
    assert whole
    np.testing.assert_array_equal(exact, states)


def test_the_walk_stops_at_the_limit():
    states, whole = walk(make_game("tictactoe"), 10)
    assert not whole
    np.testing.assert_array_equal(states, walk(make_game("tictactoe"), 5478)[0][:10])  # the start and its nine moves


class Loaded(Game):
    """A die that never shows its middle one of three sides."""

    name = "loaded"
    actions = max_moves = 1
    max_outcomes = 3
    observation_shape = (1,)
    state = np.dtype([("side", np.int8), ("thrown", np.int8)], align=True)

    @kernel
    def setup(s, o):
        return 0

    @kernel
    def turn(s):
        return OVER if s.thrown else CHANCE

    @kernel
    def legal(s, mask):
        mask[0] = 0
        return 0

    @kernel
    def chance(s, probabilities):
        probabilities[0], probabilities[1], probabilities[2] = 0.5, 0.0, 0.5
        return 3

    @kernel
    def play(s, action):
        s.side, s.thrown = action, 1
        return 0

    @kernel
    def payoffs(s, out):
        out[0], out[1] = 0, 0
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = 0
        return 0


def test_the_walk_goes_through_the_chance_there_is():
    game = Loaded()
    states, whole = walk(game, 10)
    assert whole
    assert [position_of(game, state).record.tolist() for state in states] == [(0, 0), (0, 1), (2, 1)]


def test_the_walk_throws_dice_and_moves():
    game = make_game("backgammon?variant=hypergammon")
    states, whole = walk(game, 3000)
    assert not whole
    rolls = {after(game.start(), outcome) for outcome, _ in game.start().outcomes()}
    first = [position_of(game, state) for state in states[: len(rolls) + 1]]
    assert first[0] == game.start()
    assert set(first[1:]) == rolls
    moved = {after(first[1], action) for action in first[1].legal_actions()}
    assert {position_of(game, state) for state in states[len(first) : len(first) + len(moved)]} == moved


def test_every_pair_of_a_small_game_is_found_again(map_run):
    population, member = find_population(f"ifthen:{map_run}")
    found = inspect_map(population, member, 50, 0, 1000)
    arrays = population.checkpoint.arrays
    row = arrays["order"][0]
    stored = {
        int(k): (int(move), float(value), int(visits))
        for k, move, value, visits in zip(
            *(arrays[name][row] for name in ("keys", "moves", "values", "visits")), strict=True
        )
        if k and move >= 0
    }
    assert found.whole
    assert found.entries == len(stored)
    assert {key(one.position): (one.action, one.value, one.visits) for one in found.pairs} == stored
    uses = [one.used for one in found.pairs]
    assert uses == sorted(uses, reverse=True)
    assert 0 < sum(uses) == found.map_moves <= found.moves
    assert {one.verb for one in found.pairs} == {"", "wins", "blocks"}


def test_beyond_the_limit_positions_are_found_in_the_games(map_run):
    population, member = find_population(f"ifthen:{map_run}")
    everywhere = inspect_map(population, member, 50, 0, 1000)
    found = inspect_map(population, member, 50, 0, 1)
    assert (found.walked, found.whole) == (1, False)
    assert len(found.pairs) < len(everywhere.pairs)
    used = [(one.position, one.used) for one in everywhere.pairs if one.used]
    assert sorted(used, key=str) == sorted(((one.position, one.used) for one in found.pairs), key=str)


def test_what_was_forgotten_is_no_pair(tmp_path):
    learner = IfThen(game="tictactoe", population=4)
    arrays, start = learner.start(make_game("tictactoe")), make_game("tictactoe").start()
    slot = key(start) % arrays["keys"].shape[1]
    arrays["keys"][0, slot], arrays["moves"][0, slot], arrays["entries"][0] = key(start), 4, 1
    Checkpoint(learner, arrays, games=10).save(tmp_path)
    population, _ = find_population(str(tmp_path))
    (one,) = inspect_map(population, 0, 10, 0, 20).pairs
    assert (one.position, one.action, one.value, one.used) == (start, 4, None, 5)
    arrays["moves"][0, slot] = FORGOTTEN
    Checkpoint(learner, arrays, games=10).save(tmp_path)
    population, _ = find_population(str(tmp_path))
    found = inspect_map(population, 0, 10, 0, 20)
    assert (found.pairs, found.entries, found.map_moves) == ([], 0, 0)


def test_pairs_about_parts_of_the_board_are_counted_apart(map_run):
    population, member = find_population(str(map_run))
    before = inspect_map(population, member, 10, 0, 1000)
    arrays = population.checkpoint.arrays
    row = arrays["order"][0]
    slot = int(np.flatnonzero((arrays["keys"][row] != 0) & (arrays["moves"][row] >= 0))[0])
    arrays["moves"][row, slot] = FORGOTTEN - 1
    found = inspect_map(population, member, 10, 0, 1000)
    assert found.parts == before.parts + 1
    assert found.entries == len(found.pairs) == before.entries - 1
    assert f"\npairs about parts of the board, not shown: {found.parts}" in inspection_text(found, "games", 1)
