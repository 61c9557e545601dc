"""If-then maps: how full they get, what they forget, and which arrays are maps."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import find
from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.maps import FIRST_SLOTS, FORGOTTEN, WINDOW, Maps, are_maps, known_move, put
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.runs import Run


def test_a_map_is_at_most_half_full_and_grows_between_generations(known):
    maps = Maps.empty(2)
    for number in range(FIRST_SLOTS):
        put(maps, 0, np.uint64(7 * number + 1), number % 5, 0.5, number)
    assert maps.entries.tolist() == [FIRST_SLOTS // 2, 0]
    slot = find(maps.keys[0], np.uint64(8))
    maps.moves[0, slot] = FORGOTTEN
    larger = maps.grown()
    assert larger.keys.shape == larger.visits.shape == (2, 2 * FIRST_SLOTS)
    assert known(larger, 0) == known(maps, 0)
    assert larger.entries.tolist() == [FIRST_SLOTS // 2 - 1, 0]
    put(larger, 0, np.uint64(5), 3, -1.0, 9)
    slot = find(larger.keys[0], np.uint64(5))
    assert (larger.moves[0, slot], larger.values[0, slot], larger.visits[0, slot]) == (3, -1.0, 9)
    assert known_move(larger, 0, np.uint64(5)) == 3
    assert known_move(larger, 1, np.uint64(5)) == FORGOTTEN


def test_a_full_map_forgets_what_it_met_in_the_fewest_games():
    maps = Maps.empty(3)
    for number in range(200):
        put(maps, 0, np.uint64(number + 1), number % 5, 0.5, number)
        put(maps, 1, np.uint64(number + 1), 0, 0.5, 1)
    for number in range(75):  # half of what a map may hold
        put(maps, 2, np.uint64(number + 1), 0, 0.5, number)
    smaller = maps.grown(150)
    assert smaller.keys.shape == maps.keys.shape
    assert set(smaller.keys[0].tolist()) == {0, *range(126, 201)}
    assert smaller.entries.tolist() == [75, 0, 75]
    assert maps.grown(201).entries.tolist() == [200, 200, 75]
    assert maps.grown().keys.shape[1] == 2 * maps.keys.shape[1]


def stored():
    """What a run of two players keeps: a map that is exactly half full, with every kind of move, and an empty one."""
    maps = Maps.empty(2)
    for number in range(FIRST_SLOTS // 2):
        put(maps, 0, np.uint64(number + 1), (4, FORGOTTEN, WINDOW)[number % 3], 0.5, number)
    return {**maps._asdict(), "order": np.array([1, 0])}


def one_more_pair(arrays):
    arrays["keys"][0, np.flatnonzero(arrays["keys"][0] == 0)[0]] = 7
    arrays["entries"][0] += 1


def of_so_many_slots(arrays, slots):
    for name in ("keys", "moves", "values", "visits"):
        arrays[name] = np.zeros((2, slots), dtype=arrays[name].dtype)
    arrays["entries"].fill(0)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("keys"),
        lambda arrays: arrays.update(keys=arrays["keys"][:, :-1]),
        lambda arrays: arrays.update(values=arrays["values"].astype(np.float32)),
        lambda arrays: arrays.update(order=arrays["order"] * 0),
        lambda arrays: arrays["moves"].fill(5),
        lambda arrays: arrays["moves"].fill(WINDOW - 1),
        lambda arrays: arrays["keys"].fill(1),  # no empty slot: a search would not end
        lambda arrays: arrays["entries"].fill(0),
        one_more_pair,
        lambda arrays: of_so_many_slots(arrays, FIRST_SLOTS // 2),
        lambda arrays: of_so_many_slots(arrays, FIRST_SLOTS * 3 // 2),
    ],
)
def test_arrays_that_are_no_maps(change):
    arrays = stored()
    assert are_maps(arrays, 2, 5)
    change(arrays)
    assert not are_maps(arrays, 2, 5)


def test_a_run_with_other_arrays_is_refused(tmp_path):
    learner = Original(game="hexapawn", population=4)
    arrays = learner.start(learner.learned)
    arrays["moves"].fill(27)
    Run(learner, Checkpoint(arrays, games=10)).save(tmp_path)
    with pytest.raises(ValueError, match="the trained model is damaged: its arrays are not those of ifthen"):
        Run.load(tmp_path, IFTHEN)
