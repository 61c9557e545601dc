import math
from inspect import signature

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.search import mcts as module
from ludarium.agents.search.alphabeta import search as alphabeta_search
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.mcts import mcts, search
from ludarium.agents.specs import agent_options
from ludarium.envs.chance import below, stream
from ludarium.envs.game import Game, kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


def choose(policy, position, draws):
    mask = position.action_mask()
    return policy.choose(position.game, position.data, mask, mask, draws)


def act(position, seed=1, **options):
    return choose(mcts(position.game, **options), position, stream(seed))


class Pig(Game):
    """One turn of the dice game pig: roll (0) to add a die to the total, where a 1 loses it all, or hold (1)."""

    name = "pig"
    state = np.dtype([("total", np.int8), ("rolling", np.int8), ("over", np.int8)])
    actions, max_moves, max_outcomes, observation_shape, observation_range = 2, 40, 6, (1,), (0, 120)
    seats, seat_names, payoff_range, zero_sum = 1, ("roller",), (0.0, 40.0), False

    @kernel
    def setup(s, o):
        return 0

    @kernel
    def turn(s):
        if s.over:
            return OVER
        return CHANCE if s.rolling else 0

    @kernel
    def legal(s, mask):
        mask[0] = mask[1] = not (s.over or s.rolling)
        return mask[0] + mask[1]

    @kernel
    def play(s, action):
        if s.rolling:
            s.rolling = 0
            s.total = 0 if action == 0 else min(40, s.total + action + 1)
            s.over = action == 0
        elif action == 0:
            s.rolling = 1
        else:
            s.over = 1
        return 0

    @kernel
    def chance(s, probabilities):
        for outcome in range(6):
            probabilities[outcome] = 1 / 6
        return 6

    @kernel
    def payoffs(s, out):
        out[0] = s.total if s.over else 0
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = s.total
        return 0


class Auction(Game):
    """Three seats pick a number from 0 to 2999 in turn; seat i is paid if it picked 2999 - i."""

    name = "auction"
    state = np.dtype([("moves", np.int64), ("hit", np.int8, (3,))], align=True)
    actions, max_moves, observation_shape, seats, seat_names = 3000, 3, (1,), 3, ("a", "b", "c")
    payoff_range, zero_sum = (0.0, 1.0), False

    @kernel
    def setup(s, o):
        return 0

    @kernel
    def turn(s):
        return OVER if s.moves == 3 else s.moves

    @kernel
    def legal(s, mask):
        for action in range(3000):
            mask[action] = s.moves < 3
        return 3000 if s.moves < 3 else 0

    @kernel
    def play(s, action):
        s.hit[s.moves] = action == 2999 - s.moves
        s.moves += 1
        return 0

    @kernel
    def payoffs(s, out):
        for seat in range(3):
            out[seat] = s.hit[seat]
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = 0
        return 0


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("xx./oo./... x", 2),  # win
        ("xx./oo./x.. o", 5),
        ("xx./.o./... o", 2),  # block
        ("x../.o./..x o", None),  # only an edge draws
    ],
)
def test_it_wins_and_blocks(text, best):
    for seed in range(5):
        action = act(TicTacToe().from_text(text), seed, simulations=2000)
        assert action in ((1, 3, 5, 7) if best is None else (best,))


def test_it_comes_to_the_choice_of_minimax(random_positions, connect_four):
    for game, plies, depth in ((TicTacToe(), 3, 9), (Hexapawn(rows=4, columns=4), 2, 20), (connect_four, 32, 20)):
        for position in random_positions(game, 10, plies):
            after = position.copy()
            after.play(act(position, simulations=20_000))
            perfect = alphabeta_search(position, depth=depth).value
            same = after.turn == position.turn
            reached = alphabeta_search(after, depth=depth).value * (1 if same else -1) if not after.over else None
            if reached is None:
                reached = after.payoffs()[position.turn]
            assert np.sign(reached) == np.sign(perfect)


def pig_values(limit=40):
    """The value of each total under best play, to roll and to hold."""
    best = np.zeros(limit + 1)
    roll = np.zeros(limit + 1)
    for _ in range(200):
        for total in range(limit + 1):
            roll[total] = sum(best[min(limit, total + die)] for die in range(2, 7)) / 6
        best = np.maximum(roll, np.arange(limit + 1))
    return best, roll


def test_chance_is_weighed_by_its_probabilities():
    game = Pig()
    best, roll = pig_values()
    for total in (0, 5, 10, 14, 27, 33):  # from 20 on it is better to hold
        position = game.start()
        position.record.total = total
        tries = search(position, stream(3), simulations=50_000, exploration=0.5)
        assert tries[0].action == (0 if total < 20 else 1)
        values = {tried.action: tried.payoff for tried in tries}
        assert values[1] == pytest.approx(total)
        assert values[0] <= roll[total] + 0.3  # the mean counts what the search tried and liked less, too
        if total < 20:
            assert values[0] == pytest.approx(best[total], abs=1.0)


def test_every_seat_looks_after_itself():
    game = Auction()
    position = game.start()
    for seat in range(3):
        action = act(position, simulations=12_000)
        assert action == 2999 - seat
        position.play(action)
    assert position.payoffs().tolist() == [1, 1, 1]


def test_search_tells_what_it_tried():
    position = TicTacToe().from_text("xx./oo./... x")
    tries = search(position, stream(1), simulations=500)
    assert sorted(tried.action for tried in tries) == position.legal_actions()
    assert sum(tried.visits for tried in tries) == 500
    assert tries[0].action == 2
    assert tries[0].payoff == 1.0
    assert all(-1 <= tried.payoff <= 1 for tried in tries)
    assert [tried.visits for tried in tries] == sorted((tried.visits for tried in tries), reverse=True)


class Node:
    """A node of the tree by the text: the seat that moved there, the sum of its payoffs, and the visits."""

    def __init__(self, seat, action):
        self.seat, self.action, self.total, self.visits, self.children = seat, action, 0.0, 0, []

    def expand(self, position, draws):
        for action in position.legal_actions():
            self.children.append(Node(position.turn, action))
            other = int(below(draws, len(self.children)))
            self.children[-1], self.children[other] = self.children[other], self.children[-1]

    def next(self, visits, exploration):
        if visits < len(self.children):
            return self.children[visits]
        bounds = [c.total / c.visits + exploration * math.sqrt(math.log(visits) / c.visits) for c in self.children]
        return self.children[bounds.index(max(bounds))]


def uct(position, evaluation, simulations, exploration, draws):
    """The children of the root, searched by the text."""
    root, (lowest, highest), unit = Node(CHANCE, -1), position.game.payoff_range, evaluation.unit(position.game)
    for _ in range(simulations):
        here, path = position.copy(), [root]
        while not here.over and (path[-1].visits or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.expand(here, draws)
            path.append(node.next(node.visits - (node is not root), exploration))
            here.push(path[-1].action)
        for node in path:
            node.visits += 1
            if node.seat >= 0 and here.over:
                node.total += (here.payoffs()[node.seat] - lowest) / (highest - lowest)
            elif node.seat >= 0:
                value = evaluation.value(here, node.seat)
                node.total += 0.5 * (1 + value / (abs(value) + unit))
    return root.children


@pytest.mark.parametrize("exploration", [0.3, 1.4])
def test_it_is_uct_with_an_evaluation(exploration):
    position = TicTacToe().from_text("x../.o./... x")
    expected = uct(position, evaluation_of(position.game), 400, exploration, stream(7))
    tries = search(position, stream(7), simulations=400, exploration=exploration, evaluation="")
    assert {tried.action: tried.visits for tried in tries} == {node.action: node.visits for node in expected}
    means = {node.action: 2 * node.total / node.visits - 1 for node in expected}
    assert {tried.action: tried.payoff for tried in tries} == pytest.approx(means)


def test_what_was_tried_once_or_never():
    seen = {0: set(), 1: set()}
    for seed in range(20):
        for tried in search(TicTacToe().start(), stream(seed), simulations=3):
            seen[tried.visits].add(tried.payoff)
    assert seen == {0: {-1.0}, 1: {-1.0, 0.0, 1.0}}


@pytest.mark.parametrize("search", [search, alphabeta_search])
def test_a_search_has_the_defaults_of_its_player(search):
    given = {name: one.default for name, one in signature(search).parameters.items() if one.default is not one.empty}
    assert given.items() <= agent_options(search.__module__.rpartition(".")[2]).items()


def test_the_payoff_of_an_action_is_the_movers():
    for text, sign in (("xx./oo./... x", 1), ("xx./oo./x.. o", 1), ("x.x/.o./x.o o", -1)):
        tries = search(TicTacToe().from_text(text), stream(1), simulations=5000)
        assert tries[0].payoff * sign > 0.9


def test_the_same_stream_gives_the_same_action(random_positions, play):
    positions = random_positions(Othello(), 10, 10)
    policy = mcts(Othello(), simulations=60)
    first = [choose(policy, position, stream(i)) for i, position in enumerate(positions)]
    again = [choose(policy, position, stream(i)) for i, position in reversed(list(enumerate(positions)))]
    assert again[::-1] == first
    assert len({act(positions[0], seed, simulations=20) for seed in range(30)}) > 1
    game = TicTacToe()
    results = [play(game, mcts(game, simulations=20), random(game), 30, seed=9) for _ in range(2)]
    assert np.array_equal(*results)


@pytest.mark.parametrize("simulations", [1, 2, 3, 50])
@pytest.mark.parametrize("game", [Auction(), Pig(), TicTacToe(rows=1, columns=1, line=1), Othello()], ids=str)
def test_the_tree_stays_in_its_memory(game, simulations, monkeypatch):
    monkeypatch.setattr(module, "_MOST_NODES", 20)  # it soon stops growing
    policy = mcts(game, simulations=simulations)
    size = policy.block.nbytes
    policy.block = np.concatenate([policy.block, np.full(4096, 77, dtype=np.uint8)])
    position, draws = game.start(), stream(4)
    for _ in range(3):
        while position.turn == CHANCE:
            position.play(position.draw_outcome(draws))
        if position.over:
            break
        action = choose(policy, position, draws)
        assert action in position.legal_actions()
        position.play(action)
    assert (policy.block[size:] == 77).all()
