"""The graph of all positions of a small game and the actions between them, and questions about an agent that plays it.

The solver accepts only games without cycles, so each question below is one compiled pass from the ends to the start.
An agent's play is an array of *chances*, one per edge: the probability that the agent chooses this action in this
position, whichever seat is to move there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.search.solver import Solution, compare, find
from ludarium.envs import kernels
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, SEATS
from ludarium.envs.position import Position

_NEVER = 1 << 40  # moves to a loss that cannot come


class Graph:
    """All positions of a solved game and the actions between them: edges by position, in increasing order of action.

    Attributes:
        solution: the positions, with their values.
        first: shape (positions + 1,): the edges of position i are first[i] to first[i + 1].
        action: shape (edges,).
        parent: shape (edges,): the position that the edge leaves.
        child: shape (edges,): the position that the edge leads to.
        turn: shape (positions,): the seat to move, or `OVER`.
        payoff: shape (positions,): what the first seat gets in finished positions.
        order: shape (positions,): the positions, each after all those it leads to.
        decisions: the unfinished positions.
        before: shape (positions,): an edge that leads to the position, -1 at the start.
    """

    def __init__(self, solution: Solution) -> None:
        game, positions = solution.game, len(solution)
        self.solution = solution
        self.first = np.zeros(positions + 1, dtype=np.int64)
        self.turn = np.zeros(positions, dtype=np.int64)
        self.payoff = np.zeros(positions)
        _survey(game.table, solution.states, self.first, self.turn, self.payoff)
        self.action = np.zeros(self.first[-1], dtype=np.int64)
        self.child = np.zeros(self.first[-1], dtype=np.int64)
        _connect(game.table, solution.states, solution.slots, self.first, self.action, self.child)
        self.order = np.zeros(positions, dtype=np.int64)
        self.before = np.full(positions, -1, dtype=np.int64)
        _sort(self.first, self.child, self.order, self.before)
        self.decisions = np.flatnonzero(self.turn != OVER)
        self.parent = np.repeat(np.arange(positions), np.diff(self.first))

    def position(self, row: int) -> Position:
        """The position in a row of the solution."""
        game = self.solution.game
        return Position(game, self.solution.states[row].view(np.uint8)[: game.state.itemsize].copy())

    def history(self, row: int) -> list[int]:
        """Actions that lead from the start to a position."""
        actions: list[int] = []
        while self.before[row] >= 0:
            actions.append(int(self.action[self.before[row]]))
            row = self.parent[self.before[row]]
        return actions[::-1]

    def random_play(self) -> NDArray[np.float64]:
        """Chances of all edges, shape (edges,), when all legal actions are equally likely."""
        degrees = np.diff(self.first)
        return np.repeat(1 / np.maximum(1, degrees), degrees)

    def perfect_play(self) -> NDArray[np.float64]:
        """Chances of all edges, shape (edges,), for the player of `ludarium.agents.search.solver.perfect`."""
        chances = np.zeros(len(self.action))
        _play_perfectly(self.first, self.child, self.turn, self.solution.values, self.solution.distances, chances)
        return chances

    def value_against_best_response(self, chances: NDArray[np.float64], seat: int) -> float:
        """What an agent with these chances, shape (edges,), gets in a seat against a best response."""
        values = np.zeros(len(self.turn))
        _respond(self.order, self.first, self.child, self.turn, self.payoff, chances, seat, values)
        return float(values[0]) + 0.0  # no negative zero

    def losing_line(self, chances: NDArray[np.float64], seat: int) -> list[str] | None:
        """A shortest line that an agent with these chances loses in a seat, in notation; None if it never loses."""
        moves = np.zeros(len(self.turn), dtype=np.int64)
        _lose(self.order, self.first, self.child, self.turn, self.payoff, chances, seat, moves)
        if moves[0] >= _NEVER:
            return None
        position, row, line = self.solution.game.start(), 0, []
        while moves[row]:
            edge = next(
                edge
                for edge in range(self.first[row], self.first[row + 1])
                if moves[self.child[edge]] == moves[row] - 1 and (self.turn[row] != seat or chances[edge] > 0)
            )
            line.append(self.solution.game.action_to_str(position, int(self.action[edge])))
            position.push(int(self.action[edge]))
            row = self.child[edge]
        return line

    def optimal_action_rate(self, chances: NDArray[np.float64]) -> tuple[float, int]:
        """The mean probability of keeping the value where not every action does, and the number of such positions.

        The rate is 1 if there are no such positions.
        """
        starts = self.first[self.decisions]
        for_mover = self.solution.values[self.child] * np.where(self.turn[self.parent] == 0, 1, -1)
        best, worst = np.maximum.reduceat(for_mover, starts), np.minimum.reduceat(for_mover, starts)
        keeps = for_mover == np.repeat(best, np.diff(self.first)[self.decisions])
        kept = np.add.reduceat(chances * keeps, starts)
        matters = best != worst
        return float(kept[matters].mean()) if matters.any() else 1.0, int(matters.sum())


@jit
def _survey(game: Any, states: Any, first: Any, turn: Any, payoff: Any) -> None:
    """Fill in the seats to move, the payoffs of finished positions, and each position's first edge."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    payoffs = np.zeros(game[SEATS])
    for row in range(len(states)):
        turn[row] = kernels.turn(game, states[row])
        edges = 0
        if turn[row] == OVER:
            kernels.payoffs(game, states[row], payoffs)
            payoff[row] = payoffs[0]
        else:
            edges = kernels.legal(game, states[row], mask)
        first[row + 1] = first[row] + edges


@jit
def _connect(game: Any, states: Any, slots: Any, first: Any, action: Any, child: Any) -> None:
    """Fill in the edges."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    state = np.zeros(states.shape[1], dtype=np.uint64)
    for row in range(len(states)):
        edge = first[row]
        if edge == first[row + 1]:
            continue
        kernels.legal(game, states[row], mask)
        for candidate in range(len(mask)):
            if mask[candidate]:
                state[:] = states[row]
                kernels.play(game, state, candidate)
                action[edge], child[edge] = candidate, find(states, slots, state)
                edge += 1


@jit
def _sort(first: Any, child: Any, order: Any, before: Any) -> None:
    """Fill in `order` and `before` by Kahn's algorithm from the start, which no edge leads to."""
    waiting = np.zeros(len(order), dtype=np.int64)
    for edge in range(len(child)):
        waiting[child[edge]] += 1
    last = len(order) - 1
    order[last] = 0
    placed = 1
    for done in range(len(order)):
        row = order[last - done]
        for edge in range(first[row], first[row + 1]):
            reply = child[edge]
            before[reply] = edge
            waiting[reply] -= 1
            if waiting[reply] == 0:
                order[last - placed] = reply
                placed += 1


@jit
def _respond(
    order: Any, first: Any, child: Any, turn: Any, payoff: Any, chances: Any, seat: int, values: Any
) -> None:  # fmt: skip
    """Fill in what the agent in `seat` gets from each position against a best response."""
    sign = 1.0 if seat == 0 else -1.0
    for row in order:
        if turn[row] == OVER:
            values[row] = sign * payoff[row]
            continue
        value = 0.0 if turn[row] == seat else np.inf
        for edge in range(first[row], first[row + 1]):
            if turn[row] == seat:
                value += chances[edge] * values[child[edge]]
            else:
                value = min(value, values[child[edge]])
        values[row] = value


@jit
def _lose(
    order: Any, first: Any, child: Any, turn: Any, payoff: Any, chances: Any, seat: int, moves: Any
) -> None:  # fmt: skip
    """Fill in the least number of moves from each position to a loss for the agent in `seat`; `_NEVER` if none."""
    sign = 1.0 if seat == 0 else -1.0
    for row in order:
        moves[row] = 0 if turn[row] == OVER and sign * payoff[row] < 0.0 else _NEVER
        for edge in range(first[row], first[row + 1]):
            if turn[row] != seat or chances[edge] > 0.0:
                moves[row] = min(moves[row], moves[child[edge]] + 1)


@jit
def _play_perfectly(first: Any, child: Any, turn: Any, values: Any, distances: Any, chances: Any) -> None:
    """Fill in the chances of the perfect player: equal for all of the best edges."""
    for row in range(len(turn)):
        begin, end = first[row], first[row + 1]
        best, ties = begin, 0
        for edge in range(begin, end):
            a, b = child[edge], child[best]
            order = compare(turn[row], values[a], np.int64(distances[a]), values[b], np.int64(distances[b]))
            if order > 0:
                best, ties = edge, 1
            elif order == 0:
                ties += 1
        for edge in range(begin, end):
            a, b = child[edge], child[best]
            if compare(turn[row], values[a], np.int64(distances[a]), values[b], np.int64(distances[b])) == 0:
                chances[edge] = 1.0 / ties
