"""The Home Bound metric: how far ahead an agent is once a game of backgammon has become a race.

A game stops when the two sides have passed each other. Its value is the opponent's distance to bear off all checkers
minus one's own, in pips; the side that rolls next gets a bonus. It says more about similar players than who wins, since
the luck of the race is left out. Gammons and wasted pips are left out, too: where all checkers are at home,
`ludarium.agents.backgammon.bearoff` knows the exact chances.

The mean roll is 49/6 pips. By default, the bonus is half of it: the side on roll is ahead by a roll before the other
has rolled, and even after. A bonus of a whole roll, 8.166, is that of Gengammon, from which the metric comes.
"""

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import FINISHED, OPENING, ROLLING, STATE, is_race
from ludarium.envs.backgammon.turns import copy
from ludarium.envs.chance import DEALING, derive, draw
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_OUTCOMES, Record, advance, local
from ludarium.evaluation.play.match import bench, game_keys, play_match
from ludarium.evaluation.statistics.intervals import mean_interval

ROLL_BONUS = 49 / 12
"""Half of the mean roll, in pips."""
_BATCH = 500  # pairs; the moves of all games together would take much memory


@dataclass(frozen=True)
class HomeBound:
    """A result.

    Attributes:
        agent, opponent: names of the two agents.
        games: games that count, in pairs with the same dice.
        roll_bonus: the bonus of the side that rolls next.
        pips: the agent's mean lead.
        margin: half its 95 % interval, over pairs.
        ahead: share of the games in which the agent is ahead; equal distances count half.
        points: the agent's mean net points, the same games being played to their ends.
        points_margin: half its 95 % interval, over pairs.
        left_out: games in pairs with a forfeit.
    """

    agent: str
    opponent: str
    games: int
    roll_bonus: float
    pips: float
    margin: float
    ahead: float
    points: float
    points_margin: float
    left_out: int

    def __str__(self) -> str:
        left_out = f"; {self.left_out} games left out, with a forfeit in the pair" if self.left_out else ""
        return (
            f"{self.agent} against {self.opponent}: {self.pips:+.2f} ± {self.margin:.2f} pips a game, "
            f"ahead in {100 * self.ahead:.1f} % of {self.games:,} games, "
            f"{self.roll_bonus:.3f} pips for the side on roll{left_out}"
        )


def check_roll_bonus(roll_bonus: float) -> None:
    """Refuse a bonus that is not finite.

    Raises:
        ValueError: for infinity and NaN.
    """
    if not math.isfinite(roll_bonus):
        raise ValueError(f"home-bound: roll_bonus must be a finite number of pips, not {roll_bonus}")


def home_bound(
    game: Game,
    agent: Any,
    opponent: Any,
    pairs: int,
    seed: int = 0,
    *,
    opening: int = 0,
    roll_bonus: float = ROLL_BONUS,
) -> HomeBound:
    """Measure an agent against an opponent.

    Args:
        game: backgammon, single games without the cube.
        agent: an agent or a spec.
        opponent: another.
        pairs: pairs of games with the same dice.
        seed: pair number i is a function of (seed, i).
        opening: number of random moves at the start of each game.
        roll_bonus: pips for the side that rolls next.

    Raises:
        ValueError: for another game, a number of pairs below 1, a bonus that is not finite, or if every pair has a
            forfeit.
    """
    if not isinstance(game, Backgammon) or game.options["cube"] or game.options["match_length"]:
        raise ValueError(f"home-bound: it measures single games of backgammon without the cube, not {game.spec}")
    if pairs < 1:
        raise ValueError(f"pairs must be at least 1, not {pairs}")
    check_roll_bonus(roll_bonus)
    leads, points = np.full((pairs, 2), np.nan), np.zeros(pairs)
    with contextlib.ExitStack() as closing:
        players = [bench([agent, opponent], number, game, closing)[0] for number in range(2)]
        for first in range(0, pairs, _BATCH):
            part = leads[first : first + _BATCH]
            played = play_match(game, players, len(part), seed, first=first, opening=opening, record=True)
            points[first : first + _BATCH] = played.points()
            keys, _ = game_keys(seed, first, len(part), 2)
            _write_leads(game.table, game.option_bytes, played.moves, keys, roll_bonus, part.reshape(-1))
    leads[:, 1] *= -1  # there the agent has the second seat
    whole = ~np.isnan(leads).any(axis=1)
    counted = leads[whole]
    if not len(counted):
        raise ValueError("home-bound: every pair of games has a forfeit, so there is nothing to measure")
    mean, margin = mean_interval(counted.mean(axis=1).tolist())
    ahead = float((1 + np.sign(counted)).mean() / 2)
    net, net_margin = mean_interval(points[whole].tolist())
    left_out = leads.size - counted.size
    names = players[0].name, players[1].name
    return HomeBound(*names, counted.size, roll_bonus, mean, margin, ahead, net, net_margin, left_out)


@jit
def _write_leads(game: Any, options: Any, moves: NDArray[np.int16], keys: Any, roll_bonus: float, leads: Any) -> None:
    """Play recorded games again, and write the lead of the first seat in each; nothing if it was not finished."""
    s, start = local(STATE), local(STATE)
    probabilities, dealing = np.zeros(game[MAX_OUTCOMES] + 1), np.zeros(2, dtype=np.uint64)
    state = advance(s, 0)
    kernels.setup(game, start, options)
    for number in range(len(keys)):
        copy(state, advance(start, 0))
        dealing[0], dealing[1] = derive(keys[number], DEALING), 0
        plies = 0
        while s.phase != FINISHED and not (s.phase == ROLLING and is_race(s)):
            if s.phase == OPENING or s.phase == ROLLING:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
            elif plies < moves.shape[1] and moves[number, plies] >= 0:
                kernels.play(game, state, moves[number, plies])
                plies += 1
            else:
                break
        if s.phase == FINISHED or s.phase == ROLLING:
            leads[number] = lead(s, roll_bonus)


@jit
def lead(s: Record, roll_bonus: float) -> float:
    """How many pips seat 0 is ahead, before a roll or at the end of the game."""
    bonus = 0.0 if s.phase == FINISHED else roll_bonus if s.seat == 0 else -roll_bonus
    return _distance(s, 1) - _distance(s, 0) + bonus


@jit
def _distance(s: Record, seat: int) -> float:
    """The pips that a seat needs to bear off all checkers."""
    pips = 0
    for point in range(1, 26):
        pips += point * s.checkers[seat, point]
    return float(pips)
