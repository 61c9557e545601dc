"""How deep, how long and for whom players look at the actions that they do not play."""

from types import SimpleNamespace

import pytest

from ludarium.agents.othello.endgame.solver import Solution
from ludarium.agents.search import judge
from ludarium.agents.search.solver import after
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE, new_block
from ludarium.envs.opinions import Opinion
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


@pytest.fixture
def searches(monkeypatch):
    """Searches of 4 positions in 3 s, worth 2 to the mover: the depth, the nodes and the time that each may have."""
    clock, limits = [10**9], []

    def run(table, data, record):
        limits.append(tuple(int(record[name][0]) for name in ("depth", "limit", "budget")))
        record["value"], record["nodes"], record["reached"], record["length"] = 2.0, 4, 1, 0
        clock[0] += 3 * 10**9

    monkeypatch.setattr(judge, "run", run)
    monkeypatch.setattr(judge, "time", SimpleNamespace(monotonic_ns=lambda: clock[0]))
    return limits


def block_after(position, *, reached, exact=False, nodes=100, seconds=0.0):
    """A block for five plies, in which a search has found the first action."""
    block = new_block(position.game, None, 5, nodes, seconds, 0)
    record = block[:BLOCK_SIZE].view(BLOCK)
    record["action"], record["reached"], record["exact"] = position.legal_actions()[0], reached, exact
    record["nodes"] = 40
    return block


@pytest.mark.parametrize(
    ("reached", "exact", "depths"),
    [
        (3, False, [2, 2, 2]),  # the action is a ply
        (2, False, [1, 1, 1]),
        (1, False, []),
        (3, True, [4, 4, 4]),  # what it has found holds for any depth
    ],
)
def test_others_are_searched_as_deep(reached, exact, depths, searches):
    position = Othello(size=4).start()  # four actions
    judge.judge_by_search(position, None, block_after(position, reached=reached, exact=exact))
    assert [depth for depth, _, _ in searches] == depths


def test_others_share_what_a_search_may_take(searches):
    position = Othello(size=4).start()
    judge.judge_by_search(position, None, block_after(position, reached=3, seconds=9.0))
    assert [limits[1:] for limits in searches] == [
        (100 // 3 - 1, 9 * 10**9 // 3),  # without the position that the action leads to
        (95 // 2 - 1, 6 * 10**9 // 2),
        (90 - 1, 3 * 10**9),
    ]


def test_others_get_a_little_when_everything_is_spent(searches):
    position = Othello(size=4).start()
    judge.judge_by_search(position, None, block_after(position, reached=3, nodes=4, seconds=4.0))
    assert [limits[1:] for limits in searches] == [(1, 4 * 10**9 // 3), (1, 10**9 // 2), (1, 1)]


@pytest.mark.parametrize(("next_turn", "value"), [(0, 2.0), (1, -2.0)])
def test_a_side_that_moves_again_gets_the_value_itself(next_turn, value, searches, monkeypatch):
    monkeypatch.setattr(judge, "after", lambda *_: SimpleNamespace(over=False, turn=next_turn, data=None))
    position = TicTacToe().start()
    opinion = judge._other(position, 4, None, block_after(position, reached=3))
    assert (opinion.action, opinion.value, opinion.depth, opinion.nodes, opinion.line) == (4, value, 2, 5, (4,))


@pytest.mark.parametrize(
    ("seconds", "late", "limits"),
    [
        (0.0, 0.0, [0.0, 0.0, 0.0]),  # no limit at all
        (6.0, 0.0, [2.0, 2.0, 2.0]),
        (6.0, 3.0, [2.0, 0.5, judge._MOMENT]),  # 5 s are gone after the first, and 8.5 s after the second
    ],
)
def test_the_others_share_the_time(seconds, late, limits, monkeypatch):
    clock, seen = [100.0], []

    def solved(position, *, above, seconds, below=None):
        if below is None:  # an action, and not the line after it
            seen.append(seconds)
            clock[0] += seconds + late
        return Solution(0, -1, 7, finished=False)

    monkeypatch.setattr(judge, "solve", solved)
    monkeypatch.setattr(judge, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    position = Othello(size=4).start()  # four actions
    judge.judge_endgame(position, Solution(3, position.legal_actions()[0], 9, finished=True), seconds)
    assert seen == limits


def test_a_solved_action_counts_its_positions_and_begins_its_line(monkeypatch):
    def solved(position, *, above, seconds, below=None):
        return Solution(2, position.legal_actions()[0], 7, finished=below is None)  # no time for the line after it

    monkeypatch.setattr(judge, "solve", solved)
    position = Othello(size=4).start()  # twelve squares are empty
    best, *others = position.legal_actions()
    _, *opinions = judge.judge_endgame(position, Solution(3, best, 9, finished=True), 0.0).moves
    replies = [after(position, action).legal_actions()[0] for action in others]
    assert opinions == [
        Opinion(action, -2.0, True, 12, 8, (action, reply)) for action, reply in zip(others, replies, strict=True)
    ]
