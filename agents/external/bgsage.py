"""Open Sage, a strong neural-network engine for backgammon, as an agent. Needs the extra `ludarium[backgammon]`.

The package `bgsage` (MPL-2.0) is asked for the best results of whole turns and about the cube; none of its code is
copied here. Its boards number the points from the mover's side: 1 to 24 are positive for the mover and negative for the
opponent, 25 is the mover's bar and 0 the opponent's.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import SpecAgent, takes
from ludarium.agents.backgammon.opinions import ODDS
from ludarium.agents.values.opinions import Odds, best_turns
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.decisions import OPPONENT_BAR
from ludarium.envs.backgammon.rules import (
    ANSWER,
    BAR,
    DOUBLE,
    DROP,
    FINISHED,
    MOVING,
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
from ludarium.envs.opinions import Opinion, Opinions
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
class BgsageAgent(SpecAgent):
    """The engine at one of its levels. It keeps nothing between decisions, and draws no random numbers of its own.

    Games without the cube are judged by the points they pay; matches, and games in which every win pays one point, by
    the chance of winning. The second half of a double is a separate decision, among what the first half has left.

    Args:
        game: backgammon or Nackgammon, not Hypergammon.
        level: `"1ply"` to `"4ply"`, or `"truncated1"` to `"truncated3"`: plies are counted as in XG, so `1ply` looks at
            no roll.

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
        record, seat = position.data.view(STATE)[0], info["seat"]
        if record["phase"] == OFFER:
            offer = self._engine.cube_action(board(record, seat), beaver=False, **stakes(record, seat))
            return DOUBLE if offer.should_double else ROLL
        if record["phase"] == ANSWER:  # the engine sees it from the side that doubles
            offer = self._engine.cube_action(board(record, 1 - seat), beaver=False, **stakes(record, 1 - seat))
            return TAKE if offer.should_take else DROP
        if action_mask.sum() == 1:
            return int(action_mask.argmax())
        goal = self._best(position, seat)
        return int(_step_toward(position.data, goal.data, np.zeros(SCRATCH_SIZE, dtype=np.uint8)))

    def judge(self, position: Position, seed: int) -> Opinions:
        """What the engine expects of each action, in the game's unit; in matches by its own match equity table."""
        about_cube = position.record.phase in (OFFER, ANSWER)
        moves = self._about_cube(position) if about_cube else best_turns(position, self._judge_results(position))
        info = {"seat": position.turn, "position": position}
        played = self(position.observe(position.turn), position.action_mask(), info)
        return Opinions(position.game.unit, tuple(moves), played)

    def _about_cube(self, position: Position) -> Iterator[Opinion]:
        """The engine judges for the side that doubles; the other one has the rest."""
        record, seat, game = position.record, position.turn, position.game
        doubler = seat if record.phase == OFFER else 1 - seat
        offer = self._engine.cube_action(board(record, doubler), beaver=False, **stakes(record, doubler))
        equities = {ROLL: offer.equity_nd, DOUBLE: min(offer.equity_dt, offer.equity_dp)}
        equities |= {TAKE: offer.equity_dt, DROP: offer.equity_dp}
        sign = 1 if doubler == seat else -1
        for action in position.legal_actions():
            payoff = sign * _payoff(record, doubler, equities[action])
            yield Opinion(action, game.as_value(payoff), odds=_odds(offer.probs, sign))

    def _judge_results(self, position: Position) -> Callable[[Position], tuple[float, Odds]]:
        """What the results of a turn are worth, and the odds; those of a whole turn are judged at once."""
        record, seat, game = position.record, position.turn, position.game
        terms, judgements = stakes(record, seat), dict[tuple[int, ...], tuple[float, Any]]()
        if record.phase == MOVING:
            low, high = record.dice.tolist()
            moves = self._engine.checker_play(board(record, seat), high, low, beaver=False, **terms).moves
            judgements = {tuple(move.board): (move.equity, move.probs) for move in moves}

        def weigh(result: Position) -> tuple[float, Odds]:
            if result.record.phase == FINISHED:
                return game.as_value(float(result.payoffs()[seat])), ()
            if result.record.phase == OPENING:  # the next game of the match
                return game.as_value(_at_score(record, result.record, seat)), ()
            numbers = board(result.record, seat)
            if tuple(numbers) not in judgements:
                judged = self._engine.post_move_analytics(numbers, **terms)
                judgements[tuple(numbers)] = (judged.cubeful_equity, judged.probs)
            equity, chances = judgements[tuple(numbers)]
            return game.as_value(_payoff(record, seat, equity)), _odds(chances)

        return weigh

    def _best(self, position: Position, seat: int) -> Position:
        """The best of the positions that the rest of the turn can lead to."""
        record, results = position.data.view(STATE)[0], position.afterstates()
        reached, terms = np.concatenate([result.data for result in results]).view(STATE), stakes(record, seat)
        won = (reached["phase"] == FINISHED) | (reached["phase"] == OPENING)
        if won.any():
            return results[int(won.argmax())]  # perhaps with the next game of the match on its board
        boards = board(reached, seat)
        if record["phase"] == SECOND_HALF:
            return results[int(np.argmax([self._worth(numbers, terms) for numbers in boards]))]
        low, high = record["dice"].tolist()
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


def board(records: Any, seat: int) -> list[Any]:
    """The board as bgsage takes it: 26 numbers, with the points numbered from the seat's side; or those of an array."""
    mine, theirs = records["checkers"][..., seat, :].astype(int), records["checkers"][..., 1 - seat, :].astype(int)
    numbers = mine - theirs[..., ::-1]
    numbers[..., 0], numbers[..., BAR] = theirs[..., BAR], mine[..., BAR]
    checkers: list[Any] = numbers.tolist()
    return checkers


def stakes(record: Any, seat: int) -> dict[str, Any]:
    """The cube and the score as bgsage takes them, from the seat's side."""
    owner = "centered" if record["owner"] < 0 else "player" if record["owner"] == seat else "opponent"
    away, their_away = (int(record["match_length"] - record["score"][side]) for side in (seat, 1 - seat))
    if record["wins_only"] and not record["match_length"]:
        away = their_away = 1  # every win is worth the same, as at the end of a match
    return {
        "cube_value": 1 << int(record["cube"]),
        "cube_owner": owner,
        "away1": away,
        "away2": their_away,
        "is_crawford": bool(record["crawford"]),
        "jacoby": bool(record["jacoby"]),
    }


def _payoff(record: Any, seat: int, equity: float) -> float:
    """The payoff that a seat expects at an equity, which counts the cube as 1: points, or from -1 to 1 in a match."""
    if not record.match_length:
        return equity if record.wins_only else equity * (1 << int(record.cube))
    away, theirs = (int(record.match_length - record.score[side]) for side in (seat, 1 - seat))
    stake, near = 1 << int(record.cube), min(away, theirs) == 1
    worst, best = _of_match(away, theirs - stake, near), _of_match(away - stake, theirs, near)
    return (best + worst + equity * (best - worst)) / 2


def _at_score(record: Any, after: Any, seat: int) -> float:
    """The payoff that a seat expects once a game of the match has led from one score to another."""
    near = record.match_length - record.score.max() == 1
    away, theirs = (int(after.match_length - after.score[side]) for side in (seat, 1 - seat))
    return _of_match(away, theirs, bool(near))


def _of_match(away: int, theirs: int, near: bool) -> float:
    """The payoff expected at a score, in points that the sides need, from -1 to 1, by the engine's table.

    Args:
        away: what the seat needs.
        theirs: what the other one needs.
        near: whether a side needed only one point in an earlier game, so that the Crawford game is over.
    """
    import bgbot_cpp

    if away <= 0 or theirs <= 0:
        return 1.0 if away <= 0 else -1.0
    return 2.0 * float(bgbot_cpp.get_met(away, theirs, near)) - 1.0


def _odds(chances: Any, sign: int = 1) -> Odds:
    """The engine's probabilities as those of opinions; for the other side if the sign is -1."""
    won, lost = (chances.gammon_win, chances.backgammon_win), (chances.gammon_loss, chances.backgammon_loss)
    chances_in_order = (chances.win, *won, *lost) if sign > 0 else (1 - chances.win, *lost, *won)
    return tuple(zip(ODDS, map(float, chances_in_order), strict=True))


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
    judged = [result.probs for result in _bgsage().batch_post_move_evaluate(asked, n_threads=threads, jacoby=False)]
    won, gammon, backgammon = (
        np.array([getattr(result, name) for result in judged]) for name in ("win", "gammon_win", "backgammon_win")
    )
    gammon_lost, backgammon_lost = (
        np.array([getattr(result, name) for result in judged]) for name in ("gammon_loss", "backgammon_loss")
    )
    lost = backgammon_lost, gammon_lost - backgammon_lost, 1 - won - gammon_lost
    return np.stack([*lost, won - gammon, gammon - backgammon, backgammon], axis=1).astype(np.float32)


@jit
def _step_toward(state: Any, goal: Any, scratch: Any) -> int:
    return step_toward(view(state, STATE), view(goal, STATE), scratch)
