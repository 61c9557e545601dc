"""The positions behind a map's hashes."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.ifthen.inspection import walk
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.inspection import position_of
from ludarium.agents.learning.runs import Run
from ludarium.agents.search.solver import after
from ludarium.envs import CHANCE, OVER, Game, kernel
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.games import watch
from ludarium.evaluation.inspection.runs import find_run


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
    some, whole = walk(make_game(spec), 10)  # it stops at the limit
    assert not whole
    np.testing.assert_array_equal(some, states[:10])


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


def inspected(run, games, positions):
    """What is found, and how often each position was used."""
    inspection = run.inspect(0, watch(run.game, games, 0, positions))
    assert inspection.kind == "pairs"
    return inspection, {one.data["position"]: one.used for one in inspection.entries}


def test_every_pair_of_a_small_game_is_found_again(map_run):
    run, _ = find_run(f"ifthen:{map_run}")
    inspection, used = inspected(run, 50, 1000)
    arrays = run.checkpoint.arrays
    row = arrays["order"][0]
    columns = (arrays[name][row].tolist() for name in ("keys", "moves", "values", "visits"))
    stored = {k: tuple(rest) for k, *rest in zip(*columns, strict=True) if k and rest[0] >= 0}
    assert inspection.data["whole"]
    assert inspection.data["entries"] == len(stored)
    pairs = [one.data for one in inspection.entries]
    facts = {one["position"]: (one["action"], one["value"], one["visits"]) for one in pairs}
    assert {key(run.game.from_text(text)): fact for text, fact in facts.items()} == stored
    assert list(used.values()) == sorted(used.values(), reverse=True)
    assert 0 < sum(used.values()) == inspection.data["map_moves"] <= inspection.data["moves"]
    assert {one["does"] for one in pairs} == {"", "wins", "blocks"}
    assert all(one.positions == 1 for one in inspection.entries)


def test_beyond_the_limit_positions_are_found_in_the_games(map_run):
    run, _ = find_run(f"ifthen:{map_run}")
    everywhere, all_uses = inspected(run, 50, 1000)
    inspection, uses = inspected(run, 50, 1)
    assert (inspection.data["walked"], inspection.data["whole"]) == (1, False)
    assert len(inspection.entries) < len(everywhere.entries)
    assert uses == {position: used for position, used in all_uses.items() if used}


def test_what_was_forgotten_is_no_pair(tmp_path):
    learner = Original(game="tictactoe", population=4)
    arrays, start = learner.start(make_game("tictactoe")), make_game("tictactoe").start()
    slot = key(start) % arrays["keys"].shape[1]
    arrays["keys"][0, slot], arrays["moves"][0, slot], arrays["entries"][0] = key(start), 4, 1
    Run(learner, Checkpoint(arrays, games=10)).save(tmp_path)
    (one,) = inspected(find_run(str(tmp_path))[0], 10, 20)[0].entries
    assert (one.data["position"], one.data["action"], one.data["value"], one.used) == (start.text, 4, None, 5)
    assert (one.move, one.mover) == ("b2", "x")
    arrays["moves"][0, slot] = FORGOTTEN
    Run(learner, Checkpoint(arrays, games=10)).save(tmp_path)
    inspection, _ = inspected(find_run(str(tmp_path))[0], 10, 20)
    assert (inspection.entries, inspection.data["entries"], inspection.data["map_moves"]) == ([], 0, 0)


def test_pairs_about_parts_of_the_board_are_counted_apart(map_run):
    run, _ = find_run(str(map_run))
    before, _ = inspected(run, 10, 1000)
    arrays = run.checkpoint.arrays
    row = arrays["order"][0]
    slot = int(np.flatnonzero((arrays["keys"][row] != 0) & (arrays["moves"][row] >= 0))[0])
    arrays["moves"][row, slot] = FORGOTTEN - 1
    inspection, _ = inspected(run, 10, 1000)
    assert inspection.data["parts"] == before.data["parts"] + 1
    assert inspection.data["entries"] == len(inspection.entries) == before.data["entries"] - 1
    assert inspection.tail[-1] == f"pairs about parts of the board, not shown: {inspection.data['parts']}"
