"""What is shown of a map and of its pairs."""

from itertools import permutations

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen.inspection import _entry, inspect_map
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, WINDOW, Maps, Pairs, put
from ludarium.agents.learning.inspection import Decisions, Watch
from ludarium.envs.registry import make_game


@pytest.mark.parametrize(
    ("value", "visits", "used", "facts"),
    [
        (-0.0001, 1, 1, ["used 1 time", "value 0, taught by 1 game"]),  # no negative zero
        (0.12345, 2000, 2, ["used 2 times", "value 0.123, taught by 2,000 games"]),
        (None, 0, 1000, ["used 1,000 times", "taught by 0 games"]),
    ],
)
def test_the_facts_about_a_pair(value, visits, used, facts):
    assert _entry(make_game("tictactoe").start(), 4, value, visits, used, 0).facts == facts


def shown(game, maps):
    """What is shown of a player with a map that has played nothing."""
    none = np.zeros(0, dtype=np.int64)
    nothing = Decisions(np.zeros((0, game.state.itemsize // 8), dtype=np.uint64), none, none, none.astype(np.uint64))
    watch = Watch(lambda policy: nothing, lambda states, actions: np.zeros_like(actions), 100)
    pairs = Pairs(maps.keys[0], maps.moves[0], maps.values[0])
    return inspect_map(game, pairs, maps.visits[0], True, None, watch)


@pytest.mark.parametrize("windows", [0, 2])
def test_a_map_says_how_many_pairs_of_each_kind_it_holds(key_of, windows):
    """What it has forgotten does not count, and of a position that nobody meets only the number of pairs tells."""
    game, maps = make_game("tictactoe"), Maps.empty(1)
    for key, move, visits in (
        (key_of(game), 4, 1), (key_of(game, 4), 0, 2), (key_of(game, 0), FORGOTTEN, 9), (np.uint64(5), 3, 9),
        *((np.uint64(window + 6), WINDOW, 9) for window in range(windows)),
    ):  # fmt: skip
        put(maps, 0, key, move, 0.5, visits)
    inspection = shown(game, maps)
    assert inspection.summary == "3 pairs of a position and a move"
    assert inspection.head == [
        "the positions of 2 of them were found again, in the first 100 positions of the game and in those games"
    ]
    parts = [f"pairs about parts of the board, not shown: {windows}"] if windows else []
    assert inspection.tail == ["0 of its 0 moves were made by pairs of a position", *parts]
    assert [(entry.move, entry.facts[-1]) for entry in inspection.entries] == [
        ("a1", "value 0.5, taught by 2 games"), ("b2", "value 0.5, taught by 1 game"),
    ]  # fmt: skip


def test_a_pair_in_the_first_place_of_a_map_is_shown(key_of):
    game, maps = make_game("tictactoe"), Maps.empty(1, 16)
    first, second = next(moves for moves in permutations(range(9), 2) if int(key_of(game, *moves)) % 16 == 0)
    move, visits = next(square for square in range(9) if square not in (first, second)), 1
    for key in (key_of(game, first, second), key_of(game)):
        put(maps, 0, key, move, 0.5, visits)
    assert maps.keys[0, 0] == key_of(game, first, second)
    inspection = shown(game, maps)
    assert len(inspection.entries) == 2
    assert {entry.move for entry in inspection.entries} == {game.action_to_str(game.start(), move)}
