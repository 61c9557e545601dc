"""Pubeval, the public linear backgammon player: a yardstick for programs for thirty years.

It scores the position that a play leads to with 122 numbers and one of two sets of weights, for races and for contact.
Source of weights and numbers: Gerald Tesauro, `pubeval.c`, rec.games.backgammon, 11 February 1993, posted there for
programmers to measure against. The position before a turn decides whether the turn is a race.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.cube import leave_cube
from ludarium.agents.values.opinions import Odds, best_turns
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import ANSWER, BAR, FINISHED, OFFER, OPENING, STATE, is_race
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SCRATCH_SIZE, SIZE, afterstates, step_toward_best
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Record, advance, view
from ludarium.envs.opinions import SCORE, Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

# fmt: off
_RACE = (
    0, -0.1716, 0.2701, 0.29906, -0.08471, 0, -1.40375, -1.05121, 0.07217, -0.01351, 0, -1.29506, -2.16183,
    0.13246, -1.03508, 0, -2.29847, -2.34631, 0.17253, 0.08302, 0, -1.27266, -2.87401, -0.07456, -0.3424, 0,
    -1.3464, -2.46556, -0.13022, -0.01591, 0, 0.27448, 0.60015, 0.48302, 0.25236, 0, 0.39521, 0.68178, 0.05281,
    0.09266, 0, 0.24855, -0.06844, -0.37646, 0.05685, 0, 0.17405, 0.0043, 0.74427, 0.00576, 0, 0.12392, 0.31202,
    -0.91035, -0.1627, 0, 0.01418, -0.10839, -0.02781, -0.88035, 0, 1.07274, 2.00366, 1.16242, 0.2252, 0,
    0.85631, 1.06349, 1.49549, 0.18966, 0, 0.37183, -0.50352, -0.14818, 0.12039, 0, 0.13681, 0.13978, 1.11245,
    -0.12707, 0, -0.22082, 0.20178, -0.06285, -0.52728, 0, -0.13597, -0.19412, -0.09308, -1.26062, 0, 3.05454,
    5.16874, 1.5068, 5.35, 0, 2.19605, 3.8539, 0.88296, 2.30052, 0, 0.92321, 1.08744, -0.11696, -0.7856, 0,
    -0.09795, -0.8305, -1.09167, -4.94251, 0, -1.00316, -3.66465, -2.56906, -9.67677, 0, -2.77982, -7.26713,
    -3.40177, -12.32252, 0, 3.4204,
)
_CONTACT = (
    0.25696, -0.66937, -1.66135, -2.02487, -2.53398, -0.16092, -1.11725, -1.06654, -0.9283, -1.99558, -1.10388,
    -0.80802, 0.09856, -0.62086, -1.27999, -0.5922, -0.73667, 0.89032, -0.38933, -1.59847, -1.50197, -0.60966,
    1.56166, -0.47389, -1.8039, -0.83425, -0.97741, -1.41371, 0.245, 0.1097, -1.36476, -1.05572, 1.1542,
    0.11069, -0.38319, -0.74816, -0.59244, 0.81116, -0.39511, 0.11424, -0.73169, -0.56074, 1.09792, 0.15977,
    0.13786, -1.18435, -0.43363, 1.06169, -0.21329, 0.04798, -0.94373, -0.22982, 1.22737, -0.13099, -0.06295,
    -0.75882, -0.13658, 1.78389, 0.30416, 0.36797, -0.69851, 0.13003, 1.2307, 0.40868, -0.21081, -0.64073,
    0.31061, 1.59554, 0.65718, 0.25429, -0.80789, 0.0824, 1.78964, 0.54304, 0.41174, -1.06161, 0.07851, 2.01451,
    0.49786, 0.91936, -0.9075, 0.05941, 1.8312, 0.58722, 1.28777, -0.83711, -0.33248, 2.64983, 0.52698, 0.82132,
    -0.58897, -1.18223, 3.35809, 0.62017, 0.57353, -0.07276, -0.36214, 4.37655, 0.45481, 0.21746, 0.10504,
    -0.61977, 3.54001, 0.04612, -0.18108, 0.63211, -0.87046, 2.47673, -0.48016, -1.27157, 0.86505, -1.11342,
    1.24612, -0.82385, -2.77082, 1.23606, -1.59529, 0.10438, -1.30206, -4.1152, 5.62596, -2.758,
)
# fmt: on
WEIGHTS: NDArray[np.float64] = np.array([_CONTACT, _RACE])
"""Shape (2, 122): the weights for contact and for races."""

ALL_OFF = 99999999.0
"""The score of a game that is won."""


@jit
def score(s: Record, seat: int, race: bool) -> float:
    """Pubeval's score of a position for the seat that has just moved, with the weights for races or for contact."""
    weights = WEIGHTS[1 if race else 0]
    other = 1 - seat
    total = weights[120] * s.checkers[other, BAR] / 2.0 + weights[121] * s.checkers[seat, 0] / 15.0
    off = True
    for place in range(24):
        count = s.checkers[seat, 24 - place]
        first = 5 * place
        if s.checkers[other, place + 1] == 1:
            total += weights[first]
        if count == 1:
            total += weights[first + 1]
        elif count >= 2:
            total += weights[first + 2]
            if count == 3:
                total += weights[first + 3]
            elif count >= 4:
                total += weights[first + 4] * (count - 3) / 2.0
        off = off and count == 0
    return ALL_OFF if off and s.checkers[seat, BAR] == 0 else total


def evaluate(s: Record, seat: int) -> float:
    """Pubeval's score of a position for the seat that has just moved, when the position before it is not known.

    Scores only compare the positions of one turn; they do not estimate the points to be won.
    """
    return score(s, seat, is_race(s))


def pubeval(game: Game) -> Policy:
    """Pubeval as a policy: it plays for the best score among the positions that the turn can lead to.

    The first half of a double is played towards the best result of the whole double. The second half is a separate
    decision: if the first has broken contact, it is made as in a race, which changes about one turn in a thousand.
    Pubeval does not know the cube: here it never doubles, and takes every double.

    Raises:
        ValueError: for any other game.
    """
    if not isinstance(game, Backgammon):
        raise ValueError(f"pubeval: it plays backgammon, not {game.name}")
    return Policy(_pubeval, block=_scratch(), needs_state=True, judge=_opinions)


def _scratch() -> NDArray[np.uint8]:
    return np.zeros(SCRATCH_SIZE + MAX_AFTERSTATES * SIZE, dtype=np.uint8)


def _opinions(position: Position, stream: Any) -> Opinions | None:
    """The best score that each action can lead to; None about the cube."""
    if position.record.phase in (OFFER, ANSWER):
        return None
    race, mask = bool(race_begun(position.data)), position.action_mask()
    draws = np.zeros(2, dtype=np.uint64)  # it draws none
    played = Policy(_pubeval, block=_scratch()).choose(position.game, position.data, mask, mask, draws)

    def weigh(result: Position) -> tuple[float, Odds]:
        return float(score_result(result.data, position.turn, race)), ()

    return Opinions(SCORE, tuple(best_turns(position, weigh)), played)


@jit
def race_begun(state: Bytes) -> bool:
    """Whether checkers can no longer be hit."""
    return is_race(view(state, STATE))


@jit
def score_result(state: Any, seat: int, race: bool) -> float:
    """The score of a turn's result; a won game may already show the next game of the match."""
    result = view(state, STATE)
    return ALL_OFF if result.phase == FINISHED or result.phase == OPENING else score(result, seat, race)


def _pubeval(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    s, results = view(state, STATE), advance(block, SCRATCH_SIZE)
    if s.phase == OFFER or s.phase == ANSWER:
        return leave_cube(s)
    race, scores = is_race(s), np.empty(afterstates(s, results))
    for i in range(len(scores)):
        scores[i] = score_result(advance(results, i * SIZE), s.seat, race)
    return step_toward_best(s, results, scores, advance(block, 0))
