"""Tabular Q-learning by self-play: `ludarium train tabular-q tictactoe`, then the agent `tabular-q:runs/x`.

Q-learning (Watkins & Dayan 1992) for two-seat zero-sum games without chance, in its minimax form (Littman 1994): an
action is worth what the best reply leaves. Since an action's result is certain here, Q(state, action) is stored under
the position that the action leads to, so different paths to a position share what they learn. Both seats mostly play
the best known action and sometimes a random one; after each game the values are corrected from its last move back to
the first.

The table (`ludarium.agents.compiled.hashing`) doubles when it is half full.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ludarium.agents.compiled.blocks import copy_state, pack, table
from ludarium.agents.compiled.hashing import EMPTY, find, hash_state
from ludarium.agents.learning.learner import LEARNING, SelfPlay
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, seed_key, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OVER, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy

_BLOCK = np.dtype([("slots", np.int64), ("keys", np.int64), ("values", np.int64)])
_FIRST_SLOTS = 1 << 12
_ENTRIES, _DECISIONS = 0, 1


class _Table(NamedTuple):
    """What is known: the values of positions for seat 0, stored under their hashes, and the counts."""

    keys: Any  # (slots,) uint64
    values: Any  # (slots,) float64
    counts: Any  # (2,) int64: entries, decisions


class _Desk(NamedTuple):
    """Scratch space for one decision."""

    child: Any  # (words,) uint64
    mask: Any
    worths: Any  # (actions,) float64: what each action is worth to the mover
    payoffs: Any
    stream: Any


@dataclass(frozen=True, kw_only=True)
class TabularQ(SelfPlay):
    """Options of tabular Q-learning; see `SelfPlay` and `Learner` for the others.

    Attributes:
        alpha: step size, from 0 to 1.
        epsilon: share of random moves in the first game, from 0 to 1.
        epsilon_end: share of random moves in the last game; in between it changes linearly.
        symmetry: learn each position in all its mirror images at once, if the game declares `symmetries`.
    """

    name: ClassVar[str] = "tabular-q"
    alpha: float = 1.0
    epsilon: float = 0.5
    epsilon_end: float = 0.5
    symmetry: bool = True

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(0, 1, "alpha", "epsilon", "epsilon_end")

    def start(self, game: Game) -> Arrays:
        return {
            "keys": np.zeros(_FIRST_SLOTS, dtype=np.uint64),
            "values": np.zeros(_FIRST_SLOTS),
            "counts": np.zeros(2, dtype=np.int64),
        }

    def fits(self, game: Game, arrays: Arrays) -> bool:
        slots = arrays["keys"].size if "keys" in arrays else 0
        if slots < _FIRST_SLOTS or slots & (slots - 1) or 2 * np.count_nonzero(arrays["keys"]) >= slots:
            return False
        shapes = {"keys": ("uint64", (slots,)), "values": ("float64", (slots,)), "counts": ("int64", (2,))}
        return {k: (a.dtype.name, a.shape) for k, a in arrays.items()} == shapes

    def learn(self, game: Game, arrays: Arrays, first: int, count: int) -> int:
        mirrors = game.images if self.symmetry else game.images[:1]
        schedule = np.array([self.alpha, self.epsilon, (self.epsilon_end - self.epsilon) / self.games])
        key, counts = seed_key(self.seed, LEARNING), arrays["counts"]
        before, end = int(counts[_DECISIONS]), first + count
        while first < end:
            keys, values = arrays["keys"], arrays["values"]
            table = _Table(keys, values, counts)
            first = _learn(game.table, game.option_bytes, first, end, key, schedule, mirrors, table)
            if first < end:  # no room for one more game
                larger = np.zeros(2 * len(keys), dtype=np.uint64), np.zeros(2 * len(keys))
                _move(keys, values, *larger)
                arrays["keys"], arrays["values"] = larger
        return int(counts[_DECISIONS]) - before

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        tables = {name: arrays[name] for name in ("keys", "values")}
        return Policy(_best, _BLOCK, pack(_BLOCK, {"slots": len(arrays["keys"])}, tables), needs_state=True)


@jit
def _move(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    """Copy a table into a larger, empty one."""
    for old in range(len(keys)):
        if keys[old] != EMPTY:
            slot = find(new_keys, keys[old])
            new_keys[slot], new_values[slot] = keys[old], values[old]


@jit
def _value(game: Any, state: Any, keys: Any, values: Any, payoffs: Any) -> float:
    """What a position is worth to seat 0: its payoff at the end, else what is known, else 0."""
    if kernels.turn(game, state) == OVER:
        kernels.payoffs(game, state, payoffs)
        return payoffs[0]
    slot = find(keys, hash_state(state))
    return values[slot] if keys[slot] != EMPTY else 0.0


@jit
def _learn(
    game: Any, options: Any, first: int, end: int, key: Any, schedule: Any, mirrors: Any, table: Any
) -> int:  # fmt: skip
    """Learn from games `first` to `end - 1` while the table is at most half full; return the next game's number."""
    words = (game[STATE_SIZE] + 7) // 8
    states = np.zeros((len(mirrors), words), dtype=np.uint64)  # the position in each mirror image
    d = _Desk(
        np.zeros(words, dtype=np.uint64),
        np.zeros(game[ACTIONS], dtype=np.int8),
        np.zeros(game[ACTIONS]),
        np.zeros(game[SEATS]),
        np.zeros(2, dtype=np.uint64),
    )
    trail = np.zeros((game[MAX_MOVES], len(mirrors)), dtype=np.uint64)  # the hashes after each decision
    signs, others = np.zeros(game[MAX_MOVES]), np.zeros(game[MAX_MOVES])
    number = first
    while number < end and 2 * (table.counts[_ENTRIES] + trail.size) < len(table.keys):
        d.stream[0], d.stream[1] = derive(key, number), 0
        epsilon = schedule[1] + schedule[2] * number
        states[:] = 0
        for image in range(len(mirrors)):
            kernels.setup(game, states[image], options)
        plies = 0
        while kernels.turn(game, states[0]) != OVER and plies < game[MAX_MOVES]:
            signs[plies] = 1.0 - 2.0 * kernels.turn(game, states[0])
            count = kernels.legal(game, states[0], d.mask)
            action = _explore(game, states[0], count, epsilon, signs[plies], table, d)
            others[plies] = _best_other(d.mask, d.worths, action)
            for image in range(len(mirrors)):
                kernels.play(game, states[image], mirrors[image, action])
                trail[plies, image] = hash_state(states[image])
            plies += 1
        kernels.payoffs(game, states[0], d.payoffs)
        _correct(trail[: plies - 1], signs, others, d.payoffs[0], schedule[0], table)
        table.counts[_DECISIONS] += plies
        number += 1
    return number


@jit
def _explore(game: Any, state: Any, count: int, epsilon: float, sign: float, table: Any, d: Any) -> int:
    """A random action with probability epsilon, else one of the best; fill in what each is worth to the mover."""
    choice, best, ties = -1, 0.0, 0
    for action in range(len(d.mask)):
        if d.mask[action]:
            d.child[:] = state
            kernels.play(game, d.child, action)
            d.worths[action] = sign * _value(game, d.child, table.keys, table.values, d.payoffs)
            if choice < 0 or d.worths[action] > best:
                choice, best, ties = action, d.worths[action], 1
            elif d.worths[action] == best:
                ties += 1
                if below(d.stream, ties) == 0:
                    choice = action
    if uniform(d.stream) < epsilon:
        left = below(d.stream, count)
        for action in range(len(d.mask)):
            left -= d.mask[action]
            if left < 0:
                return action
    return choice


@jit
def _best_other(mask: Any, worths: Any, chosen: int) -> float:
    """What the best action other than the chosen one is worth to the mover."""
    best = -np.inf
    for action in range(len(mask)):
        if mask[action] and action != chosen:
            best = max(best, worths[action])
    return best


@jit
def _correct(trail: Any, signs: Any, others: Any, value: float, alpha: float, table: Any) -> None:
    """Move the value of each position of a game towards that of the best reply, last position first.

    Args:
        trail: shape (positions, images): hashes; the position after the game's last decision is not among them.
        signs: which seat decides, by decision: 1 for seat 0, -1 for seat 1.
        others: by decision, what the best of the actions not taken is worth to the seat that decides.
        value: the result of the game for seat 0.
        alpha: step size.
        table: the table.
    """
    keys, values = table.keys, table.values
    for ply in range(len(trail) - 1, -1, -1):
        sign = signs[ply + 1]
        target = sign * max(others[ply + 1], sign * value)
        value = values[find(keys, trail[ply, 0])]  # 0 where the slot is empty
        value += alpha * (target - value)
        for image in range(trail.shape[1]):
            slot = find(keys, trail[ply, image])
            table.counts[_ENTRIES] += keys[slot] == EMPTY
            keys[slot], values[slot] = trail[ply, image], value


def _best(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The best action by what was learned, the lowest among equals."""
    keys = table(block, block.keys, np.uint64, (block.slots,))
    values = table(block, block.values, np.float64, (block.slots,))
    child = np.zeros((game[STATE_SIZE] + 7) // 8, dtype=np.uint64)
    payoffs = np.zeros(game[SEATS])
    sign = 1.0 - 2.0 * kernels.turn(game, state)
    choice, best = -1, 0.0
    for action in range(game[ACTIONS]):
        if mask[action]:
            copy_state(state, child, game[STATE_SIZE])
            kernels.play(game, child, action)
            worth = sign * _value(game, child, keys, values, payoffs)
            if choice < 0 or worth > best:
                choice, best = action, worth
    return choice
