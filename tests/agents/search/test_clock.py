"""When a search with a limit of time ends, by a clock that shows chosen times."""

import ctypes

import pytest

from ludarium.agents.othello.endgame import solver
from ludarium.agents.search import tree
from ludarium.agents.search.alphabeta import alphabeta, search
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE
from ludarium.envs.chance import stream
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


class Clock:
    """A clock that shows the next of some times, in seconds, whenever it is read; at last always the last one."""

    def __init__(self, times):
        self.times, self.reads = times, 0
        self.read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64))(self.show)

    def show(self, clock, out):
        out[0], out[1] = self.times[min(self.reads, len(self.times) - 1)], 0
        self.reads += 1
        return 0

    def address(self):
        return ctypes.cast(self.read, ctypes.c_void_p).value


@pytest.fixture
def timed(monkeypatch):
    """The result of a search by such a clock, and how often it read it."""

    def timed(position, times, **options):
        clock = Clock(times)
        monkeypatch.setattr(tree, "clock_address", clock.address)
        return search(position, **options), clock.reads

    return timed


@pytest.mark.parametrize(("seconds", "depth"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4)])
def test_no_depth_begins_once_more_than_half_of_the_time_is_over(seconds, depth, timed):
    """Each depth takes a second here."""
    result, _ = timed(Hexapawn(rows=4, columns=4).start(), range(100, 200), depth=10, seconds=seconds)
    assert result.depth == depth
    assert not result.exact


def test_the_clock_is_read_every_thousand_positions(timed):
    start = Othello().start()
    result, reads = timed(start, [100], depth=8, seconds=1)
    assert result == search(start, depth=8)
    assert reads == 1 + 8 + result.nodes // 1000  # at first, after each depth, and in between


@pytest.mark.parametrize(("later", "nodes"), [(104, 2000), (105, 1000), (106, 1000)])
def test_a_search_ends_when_its_time_is_over(later, nodes, timed):
    """The clock is read at first, after the depths 1 to 6, then after a thousand positions, and after two thousand."""
    result, _ = timed(Othello().start(), [*[100] * 7, later, 106], depth=100, seconds=5)
    assert (result.depth, result.nodes) == (6, nodes)


def record_after(policy, position):
    """What a policy's search has left, after a choice."""
    mask = position.action_mask()
    policy.choose(position.game, position.data, mask, mask, stream(1))
    return policy.block[:BLOCK_SIZE].view(BLOCK)[0]


def test_a_search_has_the_time_that_an_endgame_leaves(monkeypatch, random_positions):
    """The endgame takes 6 of 10 seconds; each depth then takes one, so that three need more than half of the rest."""
    (position,) = random_positions(Othello(), 1, 40)
    ends, depths = Clock([100, 106]), Clock(range(100, 200))
    monkeypatch.setattr(solver, "clock_address", ends.address)
    monkeypatch.setattr(tree, "clock_address", depths.address)
    policy = alphabeta(position.game, depth=10, seconds=10)
    assert record_after(policy, position)["reached"] == 3


@pytest.mark.parametrize(
    ("text", "searched"), [(".ox/xxo/oxo x", False), ("oxo/oxx/xo. x", False), ("oxo/.xx/xo. o", True)]
)
def test_the_only_action_is_played_without_a_search(text, searched):
    assert (record_after(alphabeta(TicTacToe(), depth=9), TicTacToe().from_text(text))["nodes"] > 0) == searched
