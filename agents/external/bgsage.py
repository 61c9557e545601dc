"""Open Sage, a strong neural-network engine for backgammon, as an agent. Needs the extra `ludarium[backgammon]`.

The package `bgsage` (MPL-2.0) is asked for the best results of whole turns and about the cube; none of its code is
copied here. Its boards number the points from the mover's side: 1 to 24 are positive for the mover and negative for the
opponent, 25 is the mover's bar and 0 the opponent's.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, takes
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.decisions import OPPONENT_BAR
from ludarium.envs.backgammon.rules import (
    ANSWER,
    BAR,
    DOUBLE,
    DROP,
    FINISHED,
    OFFER,
    OPENING,
    ROLL,
    SECOND_HALF,
    STATE,
    TAKE,
)
from ludarium.envs.backgammon.turns import SCRATCH_SIZE, step_toward
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view
from ludarium.envs.position import Position

LEVELS = ("1ply", "2ply", "3ply", "4ply", "truncated1", "truncated2", "truncated3")


def _check_game(game: Game) -> None:
    if not isinstance(game, Backgammon) or game.options["variant"] == "hypergammon":
        raise ValueError(f"bgsage: it plays backgammon and nackgammon, not {game.spec}")
    _check_installed()


def _check_installed() -> None:
    if find_spec("bgsage") is None:
        raise ValueError('bgsage is not installed: pip install "ludarium[backgammon]"')


@takes(_check_game)
class BgsageAgent(Agent):
    """The engine at one of its levels. It keeps nothing between decisions, and draws no random numbers of its own.

    Games without the cube are judged by the points they pay; matches, and games in which every win pays one point, by
    the chance of winning. The second half of a double is a separate decision, among what the first half has left.

    Args:
        game: backgammon or Nackgammon, not Hypergammon.
        level: one of `LEVELS`: plies are counted as in XG, so `1ply` looks at no roll.

    Raises:
        ValueError: if bgsage is not installed, for another game, or for an unknown level.
    """

    needs_state = True

    def __init__(self, game: Game, *, level: str = "1ply") -> None:
        _check_game(game)
        if level not in LEVELS:
            raise ValueError(f"bgsage: level must be one of {', '.join(LEVELS)}, not {level!r}")
        bgsage, options = _bgsage(), game.options
        self._by_points = not options["cube"] and not options["match_length"] and options["scoring"] == "points"
        self._engine = bgsage.BgBotAnalyzer(eval_level=level, cubeful=not self._by_points, parallel_threads=1)

    def __deepcopy__(self, memo: dict[int, Any]) -> "BgsageAgent":
        """The same agent, since it keeps nothing; the engine cannot be copied."""
        return self

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        position: Position = info["position"]
        record, seat = position.record, info["seat"]
        if record.phase == OFFER:
            offer = self._engine.cube_action(board(record, seat), beaver=False, **stakes(record, seat))
            return DOUBLE if offer.should_double else ROLL
        if record.phase == ANSWER:  # the engine sees it from the side that doubles
            offer = self._engine.cube_action(board(record, 1 - seat), beaver=False, **stakes(record, 1 - seat))
            return TAKE if offer.should_take else DROP
        if action_mask.sum() == 1:
            return int(action_mask.argmax())
        goal = self._best(position, seat)
        return int(_step_toward(position.data, goal.data, np.zeros(SCRATCH_SIZE, dtype=np.uint8)))

    def _best(self, position: Position, seat: int) -> Position:
        """The best of the positions that the rest of the turn can lead to."""
        record, terms = position.record, stakes(position.record, seat)
        results = position.afterstates()
        won = next((result for result in results if result.record.phase in (FINISHED, OPENING)), None)
        if won is not None:
            return won  # perhaps with the next game of the match on its board
        boards = [board(result.record, seat) for result in results]
        if record.phase == SECOND_HALF:
            return results[int(np.argmax([self._worth(numbers, terms) for numbers in boards]))]
        low, high = record.dice.tolist()
        best = self._engine.checker_play(board(record, seat), high, low, beaver=False, **terms).moves[0]
        return results[boards.index(best.board)]

    def _worth(self, numbers: list[int], terms: dict[str, Any]) -> float:
        """What a board is worth to the side that has just moved, as the engine sees it."""
        judged = self._engine.post_move_analytics(numbers, **terms)
        return float(judged.cubeless_equity if self._by_points else judged.cubeful_equity)


def _bgsage() -> Any:
    """The package."""
    _check_installed()
    import bgsage

    return bgsage


def board(record: Any, seat: int) -> list[int]:
    """The board as bgsage takes it: 26 numbers, with the points numbered from the seat's side."""
    mine, theirs = record.checkers[seat].astype(int), record.checkers[1 - seat].astype(int)
    numbers = mine - theirs[::-1]
    numbers[0], numbers[BAR] = theirs[BAR], mine[BAR]
    return [int(number) for number in numbers]


def stakes(record: Any, seat: int) -> dict[str, Any]:
    """The cube and the score as bgsage takes them, from the seat's side."""
    owner = "centered" if record.owner < 0 else "player" if record.owner == seat else "opponent"
    away, their_away = (int(record.match_length - record.score[side]) for side in (seat, 1 - seat))
    if record.wins_only and not record.match_length:
        away = their_away = 1  # every win is worth the same, as at the end of a match
    return {
        "cube_value": 1 << int(record.cube),
        "cube_owner": owner,
        "away1": away,
        "away2": their_away,
        "is_crawford": bool(record.crawford),
        "jacoby": bool(record.jacoby),
    }


def outcomes(positions: NDArray[np.int8], threads: int = 1) -> NDArray[np.float32]:
    """The probabilities of the outcomes of money games, as the engine sees them at level `1ply`.

    Args:
        positions: shape (n, 28): positions that turns led to, seen by the side that has just moved; the columns are
            those of `ludarium.envs.backgammon.decisions`.
        threads: how many of the engine's own threads to use.

    Returns:
        Shape (n, 6): to lose a backgammon, a gammon, a single game; to win a single game, a gammon, a backgammon.

    Raises:
        ValueError: if bgsage is not installed.
    """
    boards = positions[:, : BAR + 1].astype(int)
    boards[:, 0] = positions[:, OPPONENT_BAR]
    asked = [{"board": numbers, "cube_owner": "centered"} for numbers in boards.tolist()]
    judged = [found.probs for found in _bgsage().batch_post_move_evaluate(asked, n_threads=threads, jacoby=False)]
    won, gammon, backgammon = (
        np.array([getattr(found, name) for found in judged]) for name in ("win", "gammon_win", "backgammon_win")
    )
    gammon_lost, backgammon_lost = (
        np.array([getattr(found, name) for found in judged]) for name in ("gammon_loss", "backgammon_loss")
    )
    lost = backgammon_lost, gammon_lost - backgammon_lost, 1 - won - gammon_lost
    return np.stack([*lost, won - gammon, gammon - backgammon, backgammon], axis=1).astype(np.float32)


@jit
def _step_toward(state: Any, goal: Any, scratch: Any) -> int:
    return step_toward(view(state, STATE), view(goal, STATE), scratch)
