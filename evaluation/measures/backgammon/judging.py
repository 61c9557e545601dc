"""Decisions of backgammon judged by an agent: the odds of the outcomes that it expects of each result.

The judge is a network that knows outcomes: `expert`, `td:RUN`, `gengammon:RUN` of the preset `judged`, each with
`?ply=1` to look one roll ahead; or `bgsage`. A network that learns from the odds of one that looks ahead, perhaps of
itself, sees at once what the judge found by looking.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.expectations import judge_outcomes
from ludarium.agents.external import bgsage
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decisions import Decisions
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game

_AT_ONCE = 512  # decisions in a part


class _Part(NamedTuple):
    """Some decisions, for any worker."""

    game: str
    judge: str
    positions: NDArray[np.int8]
    dice: NDArray[np.int8]
    results: NDArray[np.int8]
    offsets: NDArray[np.int64]


def odds_by(
    game: Game,
    judge: str,
    decisions: Decisions,
    parallel: Parallel,
    progress: Callable[[int], None] = lambda judged: None,
) -> NDArray[np.float16]:
    """What a judge expects of each result, shape (m, 6), see `Decisions.odds`.

    Args:
        game: backgammon without the cube, of the decisions' variant.
        judge: its spec.
        decisions: the decisions.
        parallel: what runs it.
        progress: called with the number of decisions that have been judged.

    Raises:
        ValueError: if the judge knows no outcomes, or is `bgsage` and that is not installed.
    """
    _judge(_part(game, judge, decisions, 0, 0))  # refuses before any work is done
    odds, width = [], _AT_ONCE * parallel.size  # judged between two reports; the odds do not depend on it
    for first in range(0, len(decisions), width):
        end = min(first + width, len(decisions))
        parts = [
            _part(game, judge, decisions, at, min(at + _AT_ONCE, end)) for at in range(first, end, _AT_ONCE)
        ]  # fmt: skip
        odds += parallel(_judge, parts)
        progress(end)
    return np.concatenate(odds) if odds else np.zeros((0, 6), dtype=np.float16)


def _part(game: Game, judge: str, decisions: Decisions, first: int, end: int) -> _Part:
    offsets = decisions.offsets[first : end + 1]
    results = decisions.results[offsets[0] : offsets[-1]]
    positions, dice = decisions.positions[first:end], decisions.dice[first:end]
    return _Part(game.spec, judge, positions, dice, results, offsets - offsets[0])


def _judge(part: _Part) -> NDArray[np.float16]:
    """The odds of the results of some decisions."""
    if part.judge == "bgsage":
        odds: Any = bgsage.outcomes(part.results)
    else:
        game = make_game(part.game)
        policy = make_agent(part.judge, game).policy
        if policy is None:
            raise ValueError(f"data: the judge must be a network of backgammon or bgsage, not {part.judge!r}")
        odds = judge_outcomes(game, policy, part.positions, part.dice, part.offsets)
    return np.asarray(odds, dtype=np.float16)
