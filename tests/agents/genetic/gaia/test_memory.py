"""What a population remembers, and the cases among it."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.memory import Memory, ask_memory, remembered
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.envs.chance import seed_key
from ludarium.envs.kernels import MAX_MOVES


def remember(game, games, symmetry, slots=1 << 13, stop=False):
    """The memory of this many games between players without rules, and the evidence."""
    memory, field = Memory.empty(game, slots), Field.of(game, symmetry)
    return memory, ask_memory(field, memory, no_rules(2, 1), games, 0.5, stop, seed_key(1))


@pytest.fixture(scope="module")
def memory(game):
    return remember(game, 4000, True)[0]


def test_with_symmetry_images_share_what_is_known(game, memory):
    known = np.count_nonzero(memory.keys)
    assert 600 < known <= 627  # of 765 positions up to symmetry, those with a decision
    assert np.count_nonzero(remember(game, 4000, False)[0].keys) > 3 * known


def test_values_become_right(game, memory):
    """The empty board is a draw, and so is every first move: no case. After a corner only the centre is right."""
    senses, regrets, *_ = remembered(Field.of(game, True), memory)
    taken = np.bitwise_count(senses[:, 0, 0] | senses[:, 0, 1])
    assert (taken > 0).all()
    corner = (taken == 1) & ((senses[:, :, 1] == 1).any(axis=1))
    in_order = np.sort(regrets[corner][0][~np.isnan(regrets[corner][0])])
    assert in_order.tolist() == [0.0] + [1.0] * 7
    assert len(senses) == 431


def test_what_there_is_no_room_for_is_forgotten(game):
    memory, evidence = remember(game, 200, False, slots=64)
    assert np.count_nonzero(memory.keys) == 48
    assert memory.is_full
    assert not remember(game, 200, False)[0].is_full
    assert evidence.games == 200
    assert evidence.counts[0] > 1000


def test_games_stop_where_there_is_no_room_if_that_is_asked_for(game):
    memory, evidence = remember(game, 200, False, slots=256, stop=True)
    assert memory.is_full
    assert not remember(game, evidence.games - 1, False, slots=256)[0].is_full
    assert remember(game, 20, False, stop=True)[1].games == 20


def test_in_every_other_pair_of_games_the_champion_has_each_seat_once(game):
    """Tested by the positions that it met first in each game: the number of marks tells whose turn it is."""
    seats, met = [], np.zeros(1 << 13, dtype=np.bool_)
    for games in range(1, 10):
        memory, _ = remember(game, games, False)
        states = memory.states[memory.met & ~met].view(game.state)
        marks = np.bitwise_count(states["own"] | states["opponent"])
        seats.append(set((marks % 2).ravel().tolist()))
        met = memory.met
    assert seats == [{0}, {1}, set(), set(), {0}, {1}, set(), set(), {0}]


def test_where_no_rule_matches_the_worst_move_counts(game, memory):
    cases = remembered(Field.of(game, True), memory)
    assert cases.unmatched.tolist() == np.nanmax(cases.regrets, axis=1).tolist()
    assert set(cases.unmatched.tolist()) == {1.0, 2.0}


def test_games_end_after_the_most_moves_that_a_game_may_have(game):
    field, memory = Field.of(game, False), Memory.empty(game, 1 << 13)
    table = field.table.copy()
    table[MAX_MOVES] = 3
    evidence = ask_memory(field._replace(table=table), memory, no_rules(2, 1), 20, 0.5, False, seed_key(1))
    states = memory.states[memory.keys != 0].view(game.state)
    assert evidence.counts.tolist() == [20 * 3, 0, 20]
    assert np.unique(np.bitwise_count(states["own"] | states["opponent"])).tolist() == [0, 1, 2]
