"""Tactics: does an agent see an immediate threat?

An agent can beat a random opponent most of the time and yet ignore what the other side is about to do: two learners
that train against each other may both learn to ignore it. So the *threat-blocking rate* is reported beside the wins. A
decision counts if the agent cannot win at once, if after some of its legal actions the opponent can win with its next
move, and if after at least one it cannot. The rate is the share of these decisions in which the agent chose a safe one.

Wins are read from the payoffs of finished games, so this needs only the rules of a game, and works for every game that
`tactics` accepts. If the same seat moves again, as after a pass in Othello, the opponent has no next move.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, SEATS, STATE_SIZE
from ludarium.evaluation.play.match import MatchResult, play_match

_NOTHING, BLOCKED, _MISSED = 0, 1, 2  # what a decision did about a threat


@dataclass(frozen=True)
class Tactics:
    """How an agent plays against one opponent.

    Attributes:
        match: the games, the agent's payoffs first.
        wins_first: share of its games in the first seat that the agent won, from 0 to 1.
        wins_second: the same in the second seat.
        draws: share of all games that were drawn.
        length: mean number of decisions per game, of both sides, without the random opening.
        threats: number of the agent's decisions with a threat to block, see the module.
        blocked: number of threats that it blocked.
    """

    match: MatchResult
    wins_first: float
    wins_second: float
    draws: float
    length: float
    threats: int
    blocked: int

    @property
    def blocking_rate(self) -> float:
        """Share of the threats that were blocked, from 0 to 1; NaN if there were none."""
        return self.blocked / self.threats if self.threats else float("nan")

    def __str__(self) -> str:
        first, second = self.match.agents
        return (
            f"{first} against {second}: won {100 * self.wins_first:.1f} % as first, {100 * self.wins_second:.1f} % as "
            f"second, drawn {100 * self.draws:.1f} %; {self.length:.2f} decisions a game; "
            f"{self.blocked:,} of {self.threats:,} threats blocked"
        )


def tactics(game: Game, agent: Any, opponent: Any, pairs: int, seed: int, *, opening: int = 0) -> Tactics:
    """Play an agent against another, and count how often it blocks threats.

    Args:
        game: a game of two seats without chance and hidden information.
        agent: the agent to examine, or its spec.
        opponent: its opponent, or its spec.
        pairs: number of pairs of games with exchanged seats, as `play_match` plays them.
        seed: the games are a function of it.
        opening: number of random moves at the start of each game; they do not count as decisions.

    Raises:
        ValueError: for other kinds of games, or if the agents or the number of pairs do not fit the game.
    """
    if game.seats != 2 or game.cooperative or game.max_outcomes or game.hidden_information:
        raise ValueError(
            f"tactics: {game.spec} cannot be examined; it takes games of two opponents without chance and without "
            "hidden information"
        )
    match = play_match(game, [agent, opponent], pairs, seed, opening=opening, record=True)
    counts = np.zeros(3, dtype=np.int64)
    _count(game.table, game.option_bytes, match.moves, opening, counts)
    won = (match.payoffs[:, :, 0] > 0).mean(axis=0)
    return Tactics(
        match,
        wins_first=float(won[0]),
        wins_second=float(won[1]),
        draws=float((match.payoffs == 0).all(axis=2).mean()),
        length=float((match.moves[:, opening:] >= 0).sum(axis=1).mean()),
        threats=int(counts[BLOCKED] + counts[_MISSED]),
        blocked=int(counts[BLOCKED]),
    )


@jit
def _count(game: Any, options: Any, moves: Any, opening: int, counts: Any) -> None:
    """Count what the agent did about threats in the games; it has the first seat in the even ones."""
    start, state = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    boards = np.zeros((2, game[STATE_SIZE]), dtype=np.uint8)
    masks, payoffs = np.zeros((2, game[ACTIONS]), dtype=np.int8), np.zeros(game[SEATS])
    kernels.setup(game, start, options)
    for number in range(moves.shape[0]):
        state[:] = start
        for ply in range(moves.shape[1]):
            action = moves[number, ply]
            if action < 0:
                break
            if ply >= opening and kernels.turn(game, state) == number % 2:
                counts[threat_answer(game, state, action, boards, masks, payoffs)] += 1
            kernels.play(game, state, action)


@jit
def threat_answer(game: Any, state: Any, chosen: int, boards: Any, masks: Any, payoffs: Any) -> int:
    """What a decision did about threats."""
    if _can_win(game, state, boards[0], masks[0], payoffs):
        return _NOTHING
    seat = kernels.turn(game, state)
    threatened, safe, answer = 0, 0, _MISSED
    for action in range(game[ACTIONS]):
        if not masks[0, action]:
            continue
        boards[0, :] = state
        kernels.play(game, boards[0], action)
        opponent_moves = kernels.turn(game, boards[0]) == 1 - seat
        if has_won(game, boards[0], 1 - seat, payoffs) or (
            opponent_moves and _can_win(game, boards[0], boards[1], masks[1], payoffs)
        ):
            threatened += 1
        else:
            safe += 1
            if action == chosen:
                answer = BLOCKED
    return answer if threatened and safe else _NOTHING


@jit
def _can_win(game: Any, state: Any, child: Any, mask: Any, payoffs: Any) -> bool:
    """Whether the seat to move has an action that wins at once."""
    seat = kernels.turn(game, state)
    kernels.legal(game, state, mask)
    for action in range(game[ACTIONS]):
        if mask[action]:
            child[:] = state
            kernels.play(game, child, action)
            if has_won(game, child, seat, payoffs):
                return True
    return False


@jit
def has_won(game: Any, state: Any, seat: int, payoffs: Any) -> bool:
    """Whether the game is over and won by the seat."""
    if kernels.turn(game, state) != OVER:
        return False
    kernels.payoffs(game, state, payoffs)
    return bool(payoffs[seat] > 0.0)
