"""What a network's player thinks of every move that it may make: points or chances, and the odds behind them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.cube import after as after_game
from ludarium.agents.backgammon.cube import dead_cube, doubled, on_roll, owner_of, stakes_of, with_cube
from ludarium.agents.backgammon.judge import BLOCK, consider, expect_at_cube, player_of, worths_of
from ludarium.agents.backgammon.network import OUTCOMES, has_ended
from ludarium.agents.backgammon.pubeval import ALL_OFF
from ludarium.agents.values.opinions import Odds, best_turns
from ludarium.envs.backgammon.rules import ANSWER, DOUBLE, DROP, OFFER, STATE
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, view
from ludarium.envs.opinions import SCORE, Opinion, Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_HALF = OUTCOMES // 2
ODDS = ("win", "win a gammon", "win a backgammon", "lose a gammon", "lose a backgammon")
"""What the odds are called that go with opinions."""


def opinions(position: Position, policy: Policy) -> Opinions | None:
    """What a player made by `network_policy` expects of each action, in the unit of the game.

    In its network's own score, if that knows no outcomes.
    """
    assert policy.block is not None
    game, data, outcomes, values = position.game, policy.block.copy(), np.zeros(OUTCOMES, dtype=np.float32), np.zeros(2)
    numbers, mask = data[: BLOCK.itemsize].view(BLOCK)[0], position.action_mask()
    knows, depth = numbers["outputs"] == OUTCOMES, 1 + int(numbers["ply"])
    about_cube = position.record.phase in (OFFER, ANSWER)
    if about_cube and not numbers["cube"]:
        return None

    def weigh(result: Position) -> tuple[float, Odds]:
        value = float(_weigh(game.table, position.data, data, result.data, outcomes, values))
        return (_counted(game, values[0]), _odds(outcomes)) if knows else (value, ())

    if about_cube:
        _weigh_cube(game.table, position.data, data, outcomes, values)
        choices = (Opinion(a, _counted(game, values[int(a in (DOUBLE, DROP))])) for a in position.legal_actions())
        moves = tuple(replace(opinion, depth=depth, odds=_odds(outcomes)) for opinion in choices)
    else:
        moves = tuple(replace(opinion, depth=depth) for opinion in best_turns(position, weigh))
    draws = np.zeros(2, dtype=np.uint64)  # it draws none
    played = replace(policy, block=data).choose(game, position.data, mask, mask, draws)
    return Opinions(game.unit if knows else SCORE, moves, played)


def _counted(game: Game, value: float) -> float:
    """Points as they are, and chances of winning the match in percent."""
    return 100.0 * float(value) if game.options["match_length"] else float(value)


def _odds(outcomes: NDArray[np.float32]) -> Odds:
    """The probabilities of winning or losing at least so much."""
    sums = [float(outcomes[k:].sum()) for k in range(_HALF, OUTCOMES)]
    sums += [float(outcomes[:k].sum()) for k in range(_HALF - 1, 0, -1)]
    return tuple(zip(ODDS, sums, strict=True))


@jit
def _weigh(game: Any, state: Any, data: Any, result: Any, outcomes: Any, values: Any) -> float:
    """The value of one result of a turn, as the player compares them.

    Write the outcomes that are expected, and first among the values what they are worth in the game or match.
    """
    s, after, player = view(state, STATE), view(result, STATE), player_of(game, view(data, BLOCK))
    worth = worths_of(s, s.seat, player)
    value = consider(s, after, s.seat, player, worth, outcomes)
    if player.network.output.shape[1] == 1:
        return ALL_OFF if has_ended(after) else value
    values[0] = _worth_with_cube(s, after, player, outcomes) if player.cube else _worth_without(s, player, outcomes)
    return value


@jit
def _worth_without(s: Record, player: Any, outcomes: Any) -> float:
    """What outcomes are worth to the seat to move, in points or winning chances, if the cube is not turned again."""
    return dead_cube(stakes_of(s, s.seat, player.equities), outcomes, s.cube, owner_of(s, s.seat))


@jit
def _worth_with_cube(s: Record, result: Record, player: Any, outcomes: Any) -> float:
    """The same with the cube, for the result of a turn: the other seat, who is next, may double if it may."""
    other = 1 - s.seat
    if not s.has_cube or has_ended(result):
        return _worth_without(s, player, outcomes)
    if result.phase != OFFER:
        return with_cube(stakes_of(s, s.seat, player.equities), outcomes, s.cube, owner_of(s, s.seat))
    theirs = on_roll(stakes_of(s, other, player.equities), outcomes[::-1].copy(), s.cube, owner_of(s, other))
    return 1.0 - theirs if s.match_length > 0 else -theirs


@jit
def _weigh_cube(game: Any, state: Any, data: Any, outcomes: Any, values: Any) -> None:
    """Write what it is worth to leave the cube, or take it; and to double, or drop; and the outcomes expected."""
    s, player = view(state, STATE), player_of(game, view(data, BLOCK))
    stake = expect_at_cube(s, player, outcomes)
    if s.phase == ANSWER:
        values[0], values[1] = with_cube(stake, outcomes, s.cube + 1, 1), after_game(stake, -(1 << s.cube))
        return
    outcomes[:] = outcomes[::-1].copy()
    values[0] = with_cube(stake, outcomes, s.cube, owner_of(s, s.seat))
    values[1] = doubled(stake, outcomes, s.cube)
