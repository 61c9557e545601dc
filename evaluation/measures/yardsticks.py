"""Yardsticks: fixed protocols that others have used, so that results can be compared with theirs.

| protocol | what is measured | source |
|---|---|---|
| `othello_league` | score against the standard heuristic; one move in ten of both sides is random | Lucas & Runarsson 2006, "Temporal difference learning versus co-evolution for acquiring Othello position evaluation", and the Othello League that followed |
| `othello_openings` | score on 1,000 openings of seven random moves, both colours | Runarsson & Lucas 2014, "Preference learning for move prediction and evaluation function approximation in Othello"; Jaśkowski & Szubert 2016, "Coevolutionary CMA-ES for knowledge-free learning of game position evaluation" |
| `backgammon_pubeval` | net points per game against Tesauro's pubeval, money game without the cube | Tesauro 1993, rec.games.backgammon |
| `hanabi` | mean score with itself, and in one seat among copies of another agent | Walton-Rivers et al. 2017, "Evaluating and modelling Hanabi-playing agents" |

The standard heuristic is `greedy`: a one-ply search with the weights of Yoshioka, Ishii & Ito 1999. All results are
functions of the seed; margins are computed over pairs of games with exchanged seats, or over decks.
"""  # noqa: E501

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.baselines.random import random
from ludarium.agents.compiled.noisy import noisy_policy
from ludarium.agents.hanabi.players import rule_list
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits, child_key, uniform
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT, bench, game_keys, play_match, play_seated
from ludarium.evaluation.statistics.intervals import half_width

NOISE = 0.1
OPENING = 7
HANABI_POOL: dict[str, Callable[[Game], Policy]] = {
    "piers": lambda game: rule_list(game, name="piers"),
    "iggi": lambda game: rule_list(game, name="iggi"),
    "random": random,
}
"""The partners at mixed tables."""


@dataclass(frozen=True)
class Score:
    """A result against one opponent.

    Attributes:
        agent, opponent: names of the two agents.
        games: games played, half of them in each seat.
        score: share of the points: a win is 1, a draw ½.
        margin: half the 95 % interval of the score.
        wins, draws, losses: of the agent.
        forfeits: games that either side forfeited.
    """

    agent: str
    opponent: str
    games: int
    score: float
    margin: float
    wins: int
    draws: int
    losses: int
    forfeits: int

    def __str__(self) -> str:
        return (
            f"{self.agent} against {self.opponent}: {self.score:.3f} ± {_spread(self.margin, 3)} "
            f"in {self.games:,} games ({self.wins} won, {self.draws} drawn, {self.losses} lost"
            f"{_forfeits(self.forfeits)})"
        )


@dataclass(frozen=True)
class Points:
    """A result in points against one opponent.

    Attributes:
        agent, opponent: names of the two agents.
        games: games played, in pairs with the same dice.
        points: net points per game.
        error: their standard error, over pairs.
        wins: share of the games won.
        forfeits: games that either side forfeited.
    """

    agent: str
    opponent: str
    games: int
    points: float
    error: float
    wins: float
    forfeits: int

    def __str__(self) -> str:
        return (
            f"{self.agent} against {self.opponent}: {self.points:+.3f} points a game, "
            f"standard error {_spread(self.error, 3)}, "
            f"{100 * self.wins:.1f} % won in {self.games:,} games{_forfeits(self.forfeits)}"
        )


@dataclass(frozen=True)
class Company:
    """The scores with one kind of partners at the Hanabi table, by both conventions.

    Attributes:
        partners: who has the other seats: `"itself"` or a name of `HANABI_POOL`.
        kept: mean score if points are kept when all lives are lost.
        kept_margin: half its 95 % interval, over decks.
        zero: mean score if losing all lives loses the points.
        zero_margin: half its 95 % interval.
        perfect: share of games with the maximum score.
        forfeits: games forfeited under either convention; they score 0.
    """

    partners: str
    kept: float
    kept_margin: float
    zero: float
    zero_margin: float
    perfect: float
    forfeits: int

    def __str__(self) -> str:
        return (
            f"with {self.partners:<8} {self.kept:6.2f} ± {_spread(self.kept_margin, 2)}   "
            f"zero on bomb {self.zero:6.2f} ± {_spread(self.zero_margin, 2)}   "
            f"perfect {100 * self.perfect:.1f} %{_forfeits(self.forfeits)}"
        )


@dataclass(frozen=True)
class HanabiResult:
    """An agent at the Hanabi table.

    Attributes:
        agent: its name.
        seats: number of seats at the table.
        games: decks for each kind of partners and each convention; the same decks for all.
        companies: the scores by partners, those with itself first.
    """

    agent: str
    seats: int
    games: int
    companies: tuple[Company, ...]

    def __str__(self) -> str:
        title = f"{self.agent} at a table of {self.seats}, mean score of {self.games:,} games:"
        return "\n".join([title, *map(str, self.companies)])


def noisy(agent: Agent, probability: float) -> Agent:
    """The agent, with each move replaced by a uniformly random legal one with this probability; compiled if it is.

    Args:
        agent: the agent; it keeps its own randomness, and is not changed.
        probability: 0 to 1.

    Raises:
        ValueError: for any other probability.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"noisy: the probability must be from 0 to 1, not {probability!r}")
    if agent.policy is None:
        return _NoisyAgent(agent, probability)
    return CompiledAgent(agent.name, noisy_policy(agent.policy, probability))


class _NoisyAgent(Agent):
    def __init__(self, agent: Agent, probability: float) -> None:
        self.name, self.needs_state, self.needs_view = agent.name, agent.needs_state, agent.needs_view
        self._agent, self._probability = agent, probability
        self._stream = np.zeros(2, dtype=np.uint64)

    def reset(self, seat: int, seed: int) -> None:
        self._stream[:] = child_key(np.uint64(seed), 0), 0
        self._agent.reset(seat, seed)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        if uniform(self._stream) < self._probability:
            return int(nth_legal(action_mask, int(action_mask.sum()), np.uint64(bits(self._stream))))
        return self._agent(observation, action_mask, info)


def othello_league(agent: Any, games: int = 2000, seed: int = 0, *, noise: float = NOISE) -> Score:
    """The Othello League: pairs against the standard heuristic, with occasional random moves of both sides.

    The league was made for players that look one move ahead, but it can measure any others too.

    Args:
        agent: an agent or a spec.
        games: number of games, rounded up to pairs.
        seed: seed of all chance.
        noise: the probability with which a move is replaced by a uniformly random legal one.

    Raises:
        ValueError: for a number of games below 1, or if `noise` is not a probability.
    """
    game = make_game("othello")
    with contextlib.ExitStack() as closing:
        made = [bench([one], 0, game, closing)[0] for one in (agent, "greedy")]
        return _score(game, [noisy(one, noise) for one in made], games, seed, 0)


def othello_openings(agent: Any, games: int = 2000, seed: int = 0, *, opponent: Any = "greedy") -> Score:
    """Fixed openings of seven random moves, each played with both colours; 2,000 games are the usual 1,000 openings.

    Args:
        agent: an agent or a spec, preferably deterministic.
        games: number of games, rounded up to pairs; each pair is one opening.
        seed: the openings are a function of it and of nothing else.
        opponent: an agent or a spec.

    Raises:
        ValueError: for a number of games below 1.
    """
    return _score(make_game("othello"), [agent, opponent], games, seed, OPENING)


def backgammon_pubeval(agent: Any, games: int = 2000, seed: int = 0) -> Points:
    """Net points per game against pubeval, in pairs with the same dice: the money game without the cube.

    Args:
        agent: an agent or a spec.
        games: number of games, rounded up to pairs.
        seed: seed of the dice.

    Raises:
        ValueError: for a number of games below 1.
    """
    result = play_match(make_game("backgammon"), [agent, "greedy"], _pairs(games), seed)
    points = result.points()
    wins = float((result.payoffs[:, :, 0] > 0).mean())
    error = float(points.std(ddof=1) / math.sqrt(len(points))) if len(points) > 1 else math.inf
    return Points(result.agents[0], "pubeval", result.games, float(points.mean()), error, wins, len(result.forfeits))


def hanabi(agent: Any, games: int = 1000, seed: int = 0, *, seats: int = 2) -> HanabiResult:
    """Mean scores with itself, and in one seat, each in turn, among copies of each agent of `HANABI_POOL`.

    The decks are the same with all partners. The games are played under both conventions, which agents may know.

    Args:
        agent: an agent or a spec.
        games: decks for each kind of partners and each convention.
        seed: seed of the decks.
        seats: number of seats at the table, 2 to 5.

    Raises:
        ValueError: for a number of games below 1, or a number of seats that the game does not allow.
    """
    _pairs(games)
    keeping, losing = (make_game(f"hanabi?seats={seats}&score={rule}") for rule in ("points-kept", "zero-on-bomb"))
    companies = []
    for partners in ("itself", *HANABI_POOL):
        kept, forfeits = _company(keeping, agent, partners, games, seed)
        zero, more_forfeits = _company(losing, agent, partners, games, seed)
        companies.append(
            Company(
                partners,
                float(kept.mean()),
                half_width(kept, *keeping.payoff_range),
                float(zero.mean()),
                half_width(zero, *losing.payoff_range),
                float((kept == keeping.payoff_range[1]).mean()),
                forfeits + more_forfeits,
            )
        )
    name = agent if isinstance(agent, str) else make_agent(agent, keeping).name
    return HanabiResult(name, seats, games, tuple(companies))


def _company(game: Game, agent: Any, partners: str, games: int, seed: int) -> tuple[NDArray[np.float64], int]:
    """The score of each game, and the number of forfeits."""
    keys, agent_keys = game_keys(seed, 0, games, 1)
    who = np.zeros((games, game.seats), dtype=np.int64)
    with contextlib.ExitStack() as closing:
        benches = [bench([agent], 0, game, closing)]
        if partners in HANABI_POOL:
            who[:] = 1
            who[np.arange(games), np.arange(games) % game.seats] = 0
            benches.append(bench([HANABI_POOL[partners](game)], 0, game, closing))
        played = play_seated(game, benches, who, keys, agent_keys)
    return played.payoffs[:, 0], int((played.endings >= FORFEIT).sum())


def _score(game: Game, agents: Sequence[Any], games: int, seed: int, opening: int) -> Score:
    result = play_match(game, agents, _pairs(games), seed, opening=opening)
    signs, scores = np.sign(result.payoffs[:, :, 0]), result.scores()
    won, drawn, lost = (int((signs == sign).sum()) for sign in (1, 0, -1))
    first, second = result.agents
    mean, margin = float(scores.mean()), half_width(scores)
    return Score(first, second, result.games, mean, margin, won, drawn, lost, len(result.forfeits))


def _pairs(games: int) -> int:
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    return (games + 1) // 2


def _spread(value: float, digits: int) -> str:
    """Half an interval, or a standard error; `?` for a single pair or deck, which gives none."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "?"


def _forfeits(number: int) -> str:
    return f", {number} forfeited" if number else ""
