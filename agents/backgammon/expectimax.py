"""Expectimax with pubeval's scores: a turn, all rolls of the other side, and its best answer to each.

It is to dice what minimax is to games without chance. Pubeval's score sees little of the other side's position, so a
position is worth the difference between the scores of both sides.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import takes
from ludarium.agents.backgammon.cube import leave_cube
from ludarium.agents.backgammon.pubeval import ALL_OFF, pubeval, race_begun, score, score_result
from ludarium.agents.values.opinions import Odds, best_turns
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import ANSWER, FINISHED, OFFER, OPENING, STATE, is_race
from ludarium.envs.backgammon.turns import (
    MAX_AFTERSTATES,
    ROLLS,
    SCRATCH_SIZE,
    SIZE,
    afterstates,
    step_toward_best,
    write_roll,
)
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import advance, view
from ludarium.envs.opinions import SCORE, Opinions
from ludarium.envs.options import Option
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_DEPTH = Option(2, 1, 2)
_RESULTS = MAX_AFTERSTATES * SIZE


def _check_game(game: Game) -> None:
    if not isinstance(game, Backgammon):
        raise ValueError(f"expectimax: it plays backgammon, not {game.name}; 'alphabeta' plays games without chance")


@takes(_check_game)
def expectimax(game: Game, *, depth: int = 2) -> Policy:
    """Pubeval, looking ahead: a result is worth what the other side's best answers leave, in the mean over all rolls.

    Before the race all positions are scored with the weights for contact, so that they can be compared. In a race,
    where neither side can hinder the other, it plays as pubeval. It never doubles, and takes every double.

    Args:
        game: backgammon, with any options.
        depth: turns to look ahead: 1, which is pubeval, or 2.

    Raises:
        ValueError: for any other game, or another depth.
    """
    _check_game(game)
    if _DEPTH.check("expectimax", "depth", depth) == 1:
        return pubeval(game)
    return Policy(_expectimax, block=_scratch(), needs_state=True, judge=_opinions)


def _scratch() -> NDArray[np.uint8]:
    """Room for `step_toward`, the results of a turn, a roll after it, and the answers."""
    return np.zeros(SCRATCH_SIZE + _RESULTS + SIZE + _RESULTS, dtype=np.uint8)


def _opinions(position: Position, stream: Any) -> Opinions | None:
    """What the best result that each action can lead to is worth; in races and about the cube as pubeval."""
    if race_begun(position.data) or position.record.phase in (OFFER, ANSWER):
        judge = pubeval(position.game).judge
        assert judge is not None
        return judge(position, stream)
    scratch, mask = _scratch(), position.action_mask()
    draws = np.zeros(2, dtype=np.uint64)  # it draws none
    played = Policy(_expectimax, block=scratch).choose(position.game, position.data, mask, mask, draws)

    def weigh(result: Position) -> tuple[float, Odds]:
        return float(_answered(result.data, position.turn, scratch)), ()

    moves = (replace(opinion, depth=2) for opinion in best_turns(position, weigh))
    return Opinions(SCORE, tuple(moves), played)


def _expectimax(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    s, results, rolled = view(state, STATE), advance(block, SCRATCH_SIZE), advance(block, SCRATCH_SIZE + _RESULTS)
    if s.phase == OFFER or s.phase == ANSWER:
        return leave_cube(s)
    race, scores = is_race(s), np.empty(afterstates(s, results))
    for i in range(len(scores)):
        result, at_sight = advance(results, i * SIZE), race or len(scores) == 1
        scores[i] = score_result(result, s.seat, race) if at_sight else _expect(result, s.seat, rolled)
    return step_toward_best(s, results, scores, advance(block, 0))


@jit
def _answered(result: Any, seat: int, scratch: Any) -> float:
    """`_expect` for Python code."""
    return _expect(advance(result, 0), seat, advance(scratch, SCRATCH_SIZE + _RESULTS))


@jit
def _expect(result: Any, seat: int, scratch: Any) -> float:
    """What a turn's result is worth to the seat that has moved: what the best answers leave, in the mean over rolls."""
    s, rolled, replies = view(result, STATE), view(scratch, STATE), advance(scratch, SIZE)
    if s.phase == FINISHED or s.phase == OPENING:
        return score_result(result, seat, False)
    total = 0.0
    for roll in range(ROLLS):
        ways, least = write_roll(scratch, result, 1 - seat, roll), np.inf
        for i in range(afterstates(rolled, replies)):
            least = min(least, _balance(advance(replies, i * SIZE), seat))
        total += least / (36 // ways)
    return total


@jit
def _balance(reply: Any, seat: int) -> float:
    """Pubeval's score for a seat, less that for the other seat, which has just moved."""
    s = view(reply, STATE)
    if s.phase == FINISHED or s.phase == OPENING:
        return -ALL_OFF
    return score(s, seat, False) - score(s, 1 - seat, False)
