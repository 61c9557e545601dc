"""What an agent's decisions in backgammon lose, judged by a stronger agent.

The agent plays games with itself, and the judge says what each result of each decision is worth. A decision loses the
difference between the best result and the one that was played. Decisions without a choice do not count.

| kind | position before the move, as the mover sees it |
|---|---|
| bear-off | a race, with all its checkers at home |
| race | another position in which the two sides have passed each other |
| back game | with contact; it holds two points or more in the opponent's home board |
| contact | any other |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.expectations import judge_results
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.decisions import OPPONENT_BAR, Decisions, is_race
from ludarium.envs.backgammon.recorded_decisions import build
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.self_play import self_play
from ludarium.evaluation.statistics.intervals import mean_interval

_HOME, _FAR_HOME = 6, slice(19, 25)
_BLUNDER = 0.1  # points


@dataclass(frozen=True)
class Line:
    """Decisions of one kind.

    Attributes:
        kind: which.
        decisions: how many.
        agreement: the share in which the agent played what the judge thinks best.
        loss: the mean loss, in points.
        margin: half its 95 % interval, over decisions.
        blunders: the share that loses a tenth of a point or more.
    """

    kind: str
    decisions: int
    agreement: float
    loss: float
    margin: float
    blunders: float


@dataclass(frozen=True)
class Errors:
    """A result.

    Attributes:
        agent: name of the agent.
        judge: name of the judge.
        games: how many games were played.
        could_hit: the share of decisions in which some result hits.
        hit: the share of those in which the agent hit.
        lines: by kind of position; then decisions in which it hit, and in which it could have and did not.
    """

    agent: str
    judge: str
    games: int
    could_hit: float
    hit: float
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.agent} in {self.games:,} game{'s' * (self.games != 1)} with itself, judged by {self.judge}",
            f"{'':16}{'decisions':>12}{'agreement':>12}{'loss':>20}{'0.1 and more':>15}",
        ]
        for line in self.lines:
            loss = f"{line.loss:.4f} ± {line.margin:.4f}"
            share, blunders = f"{100 * line.agreement:.1f} %", f"{100 * line.blunders:.1f} %"
            lines.append(f"{line.kind:16}{line.decisions:12,}{share:>12}{loss:>20}{blunders:>15}")
        lines.append(
            f"it could hit in {100 * self.could_hit:.1f} % of its decisions, and did in {100 * self.hit:.1f} %"
        )
        return "\n".join(lines)


def errors(agent: str, games: int, seed: int = 0, *, judge: str = "expert?ply=1", game: Any = "backgammon") -> Errors:
    """Measure an agent.

    Args:
        agent: its spec.
        games: how many games it plays with itself.
        seed: game number i is a function of the seed and i.
        judge: the spec of the judge, a network of backgammon.
        game: the spec of the game: backgammon without the cube.

    Raises:
        ValueError: for another game, a number of games below 1, or a judge that is no network.
    """
    made = make_game(game)
    if not isinstance(made, Backgammon) or made.options["cube"] or made.options["match_length"]:
        raise ValueError(f"errors: decisions are those of backgammon without the cube, not of {made.spec}")
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    referee = make_agent(judge, made).policy
    if referee is None:
        raise ValueError(f"errors: the judge must be a network of backgammon, not {judge!r}")
    nothing = np.zeros((0, 28), dtype=np.int8), np.zeros((0, 2), dtype=np.int8), np.zeros(1, dtype=np.int64)
    judge_results(made, referee, *nothing)  # refuses other players before any game is played
    decisions, _ = build(self_play(made, agent, games, seed), keep=("race", "duplicates"), contradicting="all")
    values = judge_results(made, referee, decisions.positions, decisions.dice, decisions.offsets)
    best = np.maximum.reduceat(values, decisions.offsets[:-1])
    loss = best - values[decisions.offsets[:-1] + decisions.played]
    could, did = hits(decisions)
    kinds = {"all": np.ones(len(decisions), dtype=np.bool_), **kinds_of(decisions.positions)}
    kinds |= {"hits": did, "hits not made": could & ~did}
    lines = tuple(_line(kind, loss[some]) for kind, some in kinds.items() if some.any())
    share = float(did.sum() / max(could.sum(), 1))
    name = agent if isinstance(agent, str) else make_agent(agent, made).name
    return Errors(name, judge, games, float(could.mean()), share, lines)


def _line(kind: str, loss: NDArray[np.float64]) -> Line:
    mean, margin = mean_interval(loss.tolist())
    return Line(kind, len(loss), float((loss <= 0).mean()), mean, margin, float((loss >= _BLUNDER).mean()))


def kinds_of(positions: NDArray[np.int8]) -> dict[str, NDArray[np.bool_]]:
    """Which of the module's kinds positions are of; `positions` has shape (n, 28), each mask (n,)."""
    race = is_race(positions)
    home = race & (positions[:, _HOME + 1 : 25] <= 0).all(axis=1)
    back = ~race & ((positions[:, _FAR_HOME] >= 2).sum(axis=1) >= 2)
    return {"contact": ~race & ~back, "back game": back, "race": race & ~home, "bear-off": home}


def hits(decisions: Decisions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """In which decisions some result hits, and in which the one that was played does."""
    before = np.repeat(decisions.positions[:, OPPONENT_BAR], decisions.counts)
    hitting = decisions.results[:, OPPONENT_BAR] > before
    could = np.logical_or.reduceat(hitting, decisions.offsets[:-1])
    return could, hitting[decisions.offsets[:-1] + decisions.played]
