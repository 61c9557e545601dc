"""What a network's player expects of positions: as an evaluation for searches, and as a judge of decisions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.cube import after as after_game
from ludarium.agents.backgammon.cube import stakes_of
from ludarium.agents.backgammon.judge import BLOCK, consider, judge, player_of, worths_of
from ludarium.agents.backgammon.network import OUTCOMES, see_places
from ludarium.agents.backgammon.player import choose
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import ANSWER, MOVING, OPENING, SECOND_HALF, STATE
from ludarium.envs.backgammon.turns import SIZE
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record, advance, afterstates, local, view
from ludarium.envs.policy import Policy

_HALF = OUTCOMES // 2


def network_evaluation(policy: Policy) -> Evaluation:
    """What positions are worth to the player that `network_policy` made, for other players that look ahead.

    The value is the payoff expected without doubling: of the points of the game, or from -1 to 1 of winning the match.
    The networks judge the ends of turns; so dice that are rolled already count for nothing, and half a double as the
    whole.

    Raises:
        ValueError: if its network does not know outcomes.
    """
    if policy.function is not choose or _outputs(policy) != OUTCOMES:
        raise ValueError("backgammon: only a network that knows outcomes says what positions are worth")
    assert policy.block is not None
    whole = np.zeros(-(-len(policy.block) // 8) * 8, dtype=np.uint8)
    whole[: len(policy.block)] = policy.block
    return Evaluation(_expected_payoff, whole.view(np.float64), expects=float)


def _expected_payoff(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, BLOCK)
    player, outcomes = player_of(block.columns, block), np.empty(OUTCOMES, dtype=np.float32)  # it needs no game
    just_moved = s.seat if s.phase == SECOND_HALF or s.phase == ANSWER else 1 - s.seat
    stake, value = stakes_of(s, just_moved, player.equities), 0.0
    if s.phase == OPENING:
        value = after_game(stake, 0)
    else:
        see_places(s, just_moved, player.network, player.known)
        judge(s, s, just_moved, player, np.zeros(OUTCOMES), outcomes)
        plain = stake.jacoby and s.owner < 0
        for k in range(OUTCOMES):
            points = k - _HALF if k < _HALF else k - _HALF + 1
            counted = (int(np.sign(points)) if plain else points) << s.cube
            value += outcomes[k] * after_game(stake, counted)
    if stake.needs:
        value = 2.0 * value - 1.0
    return value if seat == just_moved else -value


def judge_results(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The points that a network's player expects of each result of decisions, shape (m,); see `judge_outcomes`."""
    return _judged(game, policy, positions, dice, offsets)[0]


def judge_outcomes(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The outcomes that a network's player expects of each result of decisions, shape (m, 6).

    Args:
        game: backgammon without the cube.
        policy: what `network_policy` made of a network with six outputs; with `ply=1` it looks one roll ahead.
        positions: see `ludarium.envs.backgammon.decisions.Decisions`, as the others.
        dice: the dice.
        offsets: where the results of each decision begin and end.

    Raises:
        ValueError: if it is another player.
    """
    return _judged(game, policy, positions, dice, offsets)[1]


def _outputs(policy: Policy) -> int:
    assert policy.block is not None
    return int(policy.block[: BLOCK.itemsize].view(BLOCK)["outputs"][0])


def _judged(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The points and the outcomes that are expected of each result."""
    if policy.function is not choose or _outputs(policy) != OUTCOMES:
        raise ValueError("backgammon: a judge must be a network that knows outcomes, such as expert or td:RUN")
    expectations = np.zeros(offsets[-1]), np.zeros((offsets[-1], OUTCOMES), dtype=np.float32)
    assert policy.block is not None
    _judge_results(game.table, policy.block, positions, dice, offsets, expectations)
    return expectations


@jit
def _judge_results(game: Any, data: Any, positions: Any, dice: Any, offsets: Any, expectations: Any) -> None:
    values, odds = expectations
    block, s = view(data, BLOCK), local(STATE)
    results = advance(block, block.results)
    player, outcomes = player_of(game, block), np.empty(OUTCOMES, dtype=np.float32)
    for number in range(len(positions)):
        set_up(s, positions[number])
        s.dice[0], s.dice[1], s.phase = dice[number, 0], dice[number, 1], MOVING
        worth = worths_of(s, 0, player)
        for i in range(afterstates(game, s, results)):
            result = view(advance(results, i * SIZE), STATE)
            values[offsets[number] + i] = consider(s, result, 0, player, worth, outcomes)
            odds[offsets[number] + i] = outcomes
