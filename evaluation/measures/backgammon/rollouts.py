"""Decisions of backgammon judged by rollouts: what an agent's own games say about each result of a turn.

From each result the agent plays games with itself, with the same dice for all results of the decision. The result with
the best mean counts as right, so a learner that imitates it improves on the agent; repeated, this is learning from
self-play. `points` is the mean of what is won. `home-bound` is that of Gengammon: games stop when the two sides have
passed each other, and the lead in pips counts, see `ludarium.evaluation.measures.backgammon.home_bound`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.specs import make_agent
from ludarium.envs import kernels
from ludarium.envs.backgammon.decisions import Decisions, set_up
from ludarium.envs.backgammon.rules import MOVING, ROLLING, STATE, is_race
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SIZE, afterstates
from ludarium.envs.batch import choose
from ludarium.envs.chance import AGENTS, DEALING, derive, draw, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_MOVES,
    MAX_OUTCOMES,
    OBSERVATION_SIZE,
    OVER,
    SEATS,
    VIEW_SIZE,
    local,
    view,
)
from ludarium.envs.policy import policy_rows
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS, check_roll_bonus, lead

METRICS = ("points", "home-bound")
_AT_ONCE = 8  # decisions in a part


class _Part(NamedTuple):
    """Some decisions to judge, for any worker; the first of them has this number."""

    game: str
    agent: str
    positions: NDArray[np.int8]
    dice: NDArray[np.int8]
    offsets: NDArray[np.int64]
    first: int
    rollouts: int
    seed: int
    by_points: bool
    roll_bonus: float


def judge_by_rollouts(
    game: Game,
    agent: str,
    decisions: Decisions,
    rollouts: int,
    parallel: Parallel,
    *,
    seed: int = 0,
    metric: str = "points",
    roll_bonus: float = ROLL_BONUS,
    progress: Callable[[int], None] = lambda judged: None,
) -> tuple[Decisions, NDArray[np.float64]]:
    """Replace the choices in decisions by the results that do best.

    Args:
        game: backgammon without the cube, of the decisions' variant.
        agent: the spec of a compiled agent, which plays both sides.
        decisions: the decisions.
        rollouts: the games for each result.
        parallel: what runs them.
        seed: rollout number j of decision number i is a function of (seed, i, j) and the result.
        metric: one of `METRICS`.
        roll_bonus: with `home-bound`: pips for the side that rolls next.
        progress: called with the number of decisions that have been judged.

    Returns:
        The decisions, with the first of the best results as the one that is chosen and played; and the mean of each
        result, shape (m,).

    Raises:
        ValueError: for an unknown metric, a bonus that is not finite, or an agent that is not compiled.
    """
    if metric not in METRICS:
        raise ValueError(f"rollouts: metric must be one of {', '.join(METRICS)}, not {metric!r}")
    check_roll_bonus(roll_bonus)
    if make_agent(agent, game).policy is None:
        raise ValueError(f"rollouts: the agent {agent!r} is not compiled; take a network, or greedy or random")
    parts_judged: list[NDArray[np.float64]] = []
    width = _AT_ONCE * parallel.size  # how many are judged between two reports; the values do not depend on it
    for first in range(0, len(decisions), width):
        parts = [
            _part(game, agent, decisions, at, min(at + _AT_ONCE, len(decisions)), rollouts, seed, metric, roll_bonus)
            for at in range(first, min(first + width, len(decisions)), _AT_ONCE)
        ]
        parts_judged += parallel(_judge, parts)
        progress(min(first + width, len(decisions)))
    values = np.concatenate(parts_judged)
    best = np.array([part.argmax() for part in np.split(values, decisions.offsets[1:-1])], dtype=np.int32)
    chosen = np.zeros(len(values), dtype=np.bool_)
    chosen[decisions.offsets[:-1] + best] = True
    return replace(decisions, chosen=chosen, played=best), values


def _part(
    game: Game, agent: str, decisions: Decisions, first: int, end: int, rollouts: int, seed: int, metric: str,
    roll_bonus: float,
) -> _Part:  # fmt: skip
    offsets = decisions.offsets[first : end + 1]
    return _Part(
        game.spec, agent, decisions.positions[first:end], decisions.dice[first:end], offsets - offsets[0], first,
        rollouts, seed, metric == "points", roll_bonus,
    )  # fmt: skip


def _judge(part: _Part) -> NDArray[np.float64]:
    """The mean of each result of some decisions."""
    game = make_game(part.game)
    policy = make_agent(part.agent, game).policy
    assert policy is not None
    values = np.zeros(part.offsets[-1])
    row, decisions = policy_rows(game, [policy])[0], (part.positions, part.dice, part.offsets)
    how = part.rollouts, part.by_points, part.roll_bonus
    _roll_out(game.table, game.option_bytes, row, decisions, part.first, how, seed_key(part.seed), values)
    return values


@jit
def _roll_out(
    game: Any, options: Any, policy: Any, decisions: Any, first: int, how: Any, key: Any, values: Any
) -> None:
    """Write the mean of each result for the side that moved, which is seat 0 here."""
    positions, dice, offsets = decisions
    rollouts, by_points, roll_bonus = how
    s, state = local(STATE), np.zeros(SIZE, dtype=np.uint8)
    results = np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8)
    streams = np.zeros((1 + game[SEATS], 2), dtype=np.uint64)  # of the dice, and of each seat
    mask, observation = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    seen = np.zeros(game[VIEW_SIZE], dtype=np.uint8)
    scratch = mask, observation, seen, np.zeros(game[MAX_OUTCOMES] + 1), np.zeros(game[SEATS])
    kernels.setup(game, s, options)
    for number in range(len(positions)):
        set_up(s, positions[number])
        s.dice[0], s.dice[1], s.phase = dice[number, 0], dice[number, 1], MOVING
        count = afterstates(s, results)
        for row in range(count):
            total = 0.0
            for rollout in range(rollouts):
                own = derive(derive(key, first + number), rollout)
                for stream in range(len(streams)):
                    streams[stream, 0] = derive(own, DEALING if stream == 0 else AGENTS + stream - 1)
                    streams[stream, 1] = 0
                for byte in range(SIZE):
                    state[byte] = results[row * SIZE + byte]
                total += _finish(game, state, policy, streams, by_points, roll_bonus, scratch)
            values[offsets[number] + row] = total / rollouts


@jit
def _finish(
    game: Any, state: Any, policy: Any, streams: Any, by_points: bool, roll_bonus: float, scratch: Any
) -> float:  # fmt: skip
    """Play on to the end, or to the race, and return what it is worth to seat 0."""
    mask, observation, seen, probabilities, payoffs = scratch
    s = view(state, STATE)
    for _ in range(2 * game[MAX_MOVES]):  # as many rolls as moves
        seat = kernels.turn(game, state)
        if seat == OVER or (not by_points and s.phase == ROLLING and is_race(s)):
            break
        if seat == CHANCE:
            kernels.play(game, state, draw(game, state, probabilities, streams[0]))
            continue
        action = choose(game, state, seat, policy, mask, observation, seen, streams[1 + seat])
        if action < 0:
            break
        kernels.play(game, state, action)
    if by_points:
        kernels.payoffs(game, state, payoffs)
        return float(payoffs[0])
    return lead(s, roll_bonus)
