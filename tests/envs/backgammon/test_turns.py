"""Whole turns: reference counts, tagged vectors, and the way to each result."""

import hashlib
import json

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon, turns
from ludarium.envs.backgammon.rules import MOVING
from ludarium.envs.calls import CALLS


def place(game, mine, theirs, dice):
    """A position with seat 0 to move: 25 counts a side, its points 1 … 24 and the bar."""
    position = game.start()
    record = position.record
    for seat, counts in enumerate((mine, theirs)):
        record.checkers[seat] = 15 - sum(counts), *counts
    record.dice[:], record.phase = sorted(dice), MOVING
    return position


def counts(position, seat):
    return position.record.checkers[seat, 1:].tolist()


_ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
_START_COUNTS = {
    (1, 1): 42, (2, 1): 15, (2, 2): 75, (3, 1): 16, (3, 2): 17, (3, 3): 73, (4, 1): 14, (4, 2): 18, (4, 3): 17,
    (4, 4): 52, (5, 1): 8, (5, 2): 8, (5, 3): 9, (5, 4): 9, (5, 5): 4, (6, 1): 10, (6, 2): 14, (6, 3): 14, (6, 4): 14,
    (6, 5): 7, (6, 6): 11,
}  # fmt: skip


def test_results_of_each_roll_from_the_start(money):
    start = money.start()
    numbers = {roll: len(place(money, counts(start, 0), counts(start, 1), roll).afterstates()) for roll in _ROLLS}
    assert numbers == _START_COUNTS
    assert sum(numbers.values()) == 447


def test_positions_within_two_plies(money):
    start = money.start()
    first, plays, second = set(), 0, set()
    for roll in _ROLLS:
        for after in place(money, counts(start, 0), counts(start, 1), roll).afterstates():
            first.add(tuple(counts(after, 1) + counts(after, 0)))
    assert len(first) == 406
    out = np.zeros((money.max_afterstates, money.state.itemsize), dtype=np.uint8)
    checkers = money.state.fields["checkers"][1]
    for board in first:
        for roll in _ROLLS:
            position = place(money, board[:25], board[25:], roll)
            count = CALLS.afterstates(position.table, position.buffer, out.reshape(-1))
            plays += count
            second.update(map(bytes, out[:count, checkers : checkers + 52]))
    assert plays == 183_632
    assert len(second) == 163_706


def test_tagged_vectors(money, shared_data):
    lines = (shared_data / "backgammon" / "movegen.jsonl").read_text().splitlines()
    assert len(lines) == 1_060
    for line in lines:
        vector = json.loads(line)
        position = place(money, vector["me"], vector["opp"], vector["dice"])
        results = sorted([counts(after, 0), counts(after, 1)] for after in position.afterstates())
        passed = results == [[vector["me"], vector["opp"]]]
        assert (0 if passed else len(results)) == vector["n"], vector
        assert hashlib.sha1(json.dumps(results).encode()).hexdigest() == vector["sha1"], vector


def test_results_are_what_playing_gives(money, walk):
    """Every way to play a turn, decision by decision, ends in one of its afterstates, and each of them is reached."""
    for index, position in enumerate(walk(money, 3)):
        if position.turn < 0 or index % 7:
            continue
        reached = set()
        open_turns = [position]
        while open_turns:
            current = open_turns.pop()
            for action in current.legal_actions():
                after = current.copy()
                after.push(action)
                if after.turn == position.turn:
                    open_turns.append(after)
                else:
                    reached.add(after)
        assert reached == set(position.afterstates())


@pytest.mark.parametrize("options", [{}, {"match_length": 2}, {"variant": "hypergammon", "match_length": 2}], ids=str)
def test_the_way_to_each_result(options, walk):
    game = Backgammon(**options)
    scratch = np.zeros(turns.SCRATCH_SIZE, dtype=np.uint8)
    for number in range(2):
        for position in walk(game, number):
            for goal in position.afterstates() if position.turn >= 0 else ():
                here = position.copy()
                while here != goal:
                    here.play(turns.step_toward(here.record, goal.record, scratch))


def test_decisions_about_the_cube_have_two_results_and_a_roll_none(cube):
    start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:"
    position = cube.from_text(f"{start}00:0:0:0:0:6")
    assert [after.text for after in position.afterstates()] == [f"{start}00:0:0:0:0:6 rolling", f"{start}D:0:0:0:0:6"]
    assert cube.start().afterstates() == []
