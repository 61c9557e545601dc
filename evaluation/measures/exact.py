"""Exact measures of play in games whose positions can all be listed: what the best opponent gets, whether it ever wins.

An agent's *value* in a seat is what it gets there against a best response. The two values give NashConv, the sum of
what each seat gains by a best response to the agent in the other seat (Lanctot et al. 2017, "A unified game-theoretic
approach"): 0 is an equilibrium. The *optimal-action rate* is the mean probability that the agent plays an action that
keeps the position's value, over all reachable positions in which not all actions are worth the same. An agent *never
loses* in a seat if no line of play that it allows ends in a loss; otherwise a shortest such line is shown.

The agent's behaviour must be known in every position. In order of preference (`ExactMeasures.method`):

| method | agents |
|---|---|
| `exact` | `random` and `perfect`; agents that declare `distribution` |
| `deterministic` | agents that gave the same answer for each of `PROBES` seeds, in every position |
| `sampled` | any other; asked `samples` times in each position, and its answers' frequencies count as probabilities |

The measures of a sampled agent are those of the frequencies: sampling noise makes it look somewhat easier to exploit
than it is, and "never loses" means only that no answer seen allows a loss. Agents are asked about positions one at a
time, each after a fresh `reset` and with some line that leads there; effects of their memory are not measured.
"""

import copy
import operator
import os
import reprlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.baselines.random import random
from ludarium.agents.search.solver import solve
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import choose
from ludarium.envs.chance import child_key, derive, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OBSERVATION_SIZE, VIEW_SIZE
from ludarium.envs.policy import Policy, policy_rows
from ludarium.evaluation.measures.graph import Graph
from ludarium.evaluation.play.calls import Failed, attempt

SAMPLES = 100
"""Default number of times that an agent that plays at random is asked in each position."""
PROBES = 4
"""Number of seeds whose answers must agree in every position for an agent to count as deterministic."""

_PARTS = 64  # groups of positions that a compiled agent is asked about in turn, on all cores


@dataclass(frozen=True)
class ExactMeasures:
    """What is exactly known about an agent in a small game.

    Attributes:
        game: spec of the game.
        agent: the agent's name.
        method: `"exact"`, `"deterministic"` or `"sampled"`: how its action probabilities became known, see the module.
        samples: how often it was asked in each position; 0 if its probabilities are known.
        positions: number of positions with a decision, of both seats.
        choices: number of those in which not all actions are worth the same.
        nash_conv: what the two seats gain by best responses, in the game's payoffs.
        value_first: what it gets in the first seat against a best response.
        value_second: the same in the second seat.
        never_loses_first: whether no line of play it allows in the first seat ends in a payoff below 0.
        never_loses_second: the same in the second seat.
        refutation_first: a shortest line that it loses in the first seat, in the game's notation; None if it has none.
        refutation_second: the same in the second seat.
        optimal_action_rate: the mean probability of an action that keeps the value, over the `choices` positions.
    """

    game: str
    agent: str
    method: str
    samples: int
    positions: int
    choices: int
    nash_conv: float
    value_first: float
    value_second: float
    never_loses_first: bool
    never_loses_second: bool
    refutation_first: list[str] | None
    refutation_second: list[str] | None
    optimal_action_rate: float


def measure(
    game: Game,
    agent: Any,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Callable[[float], None] = lambda share: None,
) -> ExactMeasures:
    """Measure an agent exactly.

    Args:
        game: a game that `solve` takes: hexapawn up to 4 × 5, tic-tac-toe, Othello on 4 × 4.
        agent: an agent, or anything that `make_agent` accepts.
        samples: how often an agent that plays at random is asked in each position.
        seed: the agent's answers are a function of it.
        progress: called with the share of the answers received so far.

    Raises:
        ValueError: if the game cannot be solved, `samples` is below `PROBES`, or the agent fails, returns an illegal
            action, or declares something that is not a distribution.
    """
    if samples < PROBES:
        raise ValueError(f"exact: samples must be at least {PROBES}, not {samples!r}")
    solution = solve(game)
    graph = Graph(solution)
    player = make_agent(agent, game)
    try:
        chances, method, asked = _chances(player, graph, samples, seed, progress)
    finally:
        if player is not agent:
            attempt(player.close)
    progress(1.0)
    first, second = (graph.value_against_best_response(chances, seat) for seat in range(2))
    line_first, line_second = (graph.losing_line(chances, seat) for seat in range(2))
    rate, choices = graph.optimal_action_rate(chances)
    return ExactMeasures(
        game=game.spec,
        agent=player.name,
        method=method,
        samples=asked,
        positions=len(graph.decisions),
        choices=choices,
        nash_conv=-(first + second) + 0.0,  # no negative zero
        value_first=first,
        value_second=second,
        never_loses_first=line_first is None,
        never_loses_second=line_second is None,
        refutation_first=line_first,
        refutation_second=line_second,
        optimal_action_rate=rate,
    )


def _chances(
    player: Agent, graph: Graph, samples: int, seed: int, progress: Callable[[float], None]
) -> tuple[NDArray[np.float64], str, int]:
    """The agent's probability of each edge, the method, and how often it was asked in each position."""
    chances = _known(player, graph)
    if chances is not None:
        return chances, "exact", 0
    counts = np.zeros(len(graph.action), dtype=np.int64)
    count = _count_compiled if player.policy is not None else _count
    for done in count(player, graph, range(PROBES), seed, counts):
        progress(done * PROBES / samples)
    if np.isin(counts, (0, PROBES)).all():
        return counts / PROBES, "deterministic", PROBES
    for done in count(player, graph, range(PROBES, samples), seed, counts):
        progress((PROBES + done * (samples - PROBES)) / samples)
    return counts / samples, "sampled", samples


def _known(player: Agent, graph: Graph) -> NDArray[np.float64] | None:
    """The probabilities of an agent that is known or declares them; otherwise None."""
    function = player.policy.function if player.policy is not None else None
    if function is random(graph.solution.game).function:
        return graph.random_play()
    if function is graph.solution.policy().function:
        return graph.perfect_play()
    chances = np.zeros(len(graph.action))
    for row in graph.decisions.tolist():
        declared = _ask(player, player.distribution, graph, row, seed_key(0))
        if declared is None:
            return None
        array, legal = attempt(np.asarray, declared, np.float64), graph.position(row).action_mask()
        if isinstance(array, Failed) or not _is_distribution(array, legal):
            raise ValueError(
                f"exact: the distribution of agent {player.name!r} must have shape {legal.shape}, be 0 where not legal "
                f"and sum to 1, in position {graph.position(row).text}; not {' '.join(reprlib.repr(declared).split())}"
            )
        chances[graph.first[row] : graph.first[row + 1]] = array[legal == 1] / array.sum()
    return chances


def _is_distribution(array: NDArray[np.float64], legal: NDArray[np.int8]) -> bool:
    if array.shape != legal.shape or (array[legal == 0] != 0).any():
        return False
    return bool((array >= 0).all() and abs(array.sum() - 1) < 1e-6)


def _ask(player: Agent, question: Callable[..., Any], graph: Graph, row: int, key: np.uint64) -> Any:
    """What a method of an agent answers in a position, as if a game began there.

    Raises:
        ValueError: if it fails.
    """
    position, seat = graph.position(row), int(graph.turn[row])
    info: dict[str, Any] = {"seat": seat, "game": graph.solution.game}
    if player.needs_state:
        info |= {"position": position, "history": graph.history(row)}
    if player.needs_view:
        info["view"] = position.view(seat)
    answer = attempt(player.reset, seat, int(key))
    if not isinstance(answer, Failed):
        answer = attempt(question, position.observe(seat), position.action_mask(), info)
    if isinstance(answer, Failed):
        raise ValueError(f"exact: the agent {player.name!r} {answer.cause} in position {position.text}")
    return answer


def _count(player: Agent, graph: Graph, numbers: range, seed: int, counts: NDArray[np.int64]) -> Iterator[float]:
    """Count the agent's actions in each position for some of its seeds; yields the share completed."""

    def action_in(*shown: Any) -> int:
        return operator.index(player(*shown))

    for i, row in enumerate(graph.decisions.tolist()):
        edges = {int(graph.action[edge]): edge for edge in range(graph.first[row], graph.first[row + 1])}
        for number in numbers:
            action = _ask(player, action_in, graph, row, child_key(seed_key(seed), row, number))
            if action not in edges:
                raise _illegal(player, graph, row, f"action {action}")
            counts[edges[action]] += 1
        yield (i + 1) / len(graph.decisions)


def _count_compiled(
    player: Agent, graph: Graph, numbers: range, seed: int, counts: NDArray[np.int64]
) -> Iterator[float]:
    """The same for a compiled agent, on all cores."""
    assert player.policy is not None
    solution = graph.solution
    edges = _Edges(solution.states, graph.first, graph.action, graph.turn)
    parts = [part for part in np.array_split(graph.decisions, _PARTS) if len(part)]

    def count(policy: Policy, rows: NDArray[np.int64]) -> int:
        return int(
            _sample(
                solution.game.table, edges, rows, policy_rows(solution.game, [policy])[0], seed_key(seed),
                numbers.start, numbers.stop, counts,
            )
        )  # fmt: skip

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        policies = [copy.deepcopy(player.policy) for _ in parts]  # each needs its own scratch memory
        for i, wrong in enumerate(workers.map(count, policies, parts)):
            if wrong >= 0:
                raise _illegal(player, graph, wrong, "an action")
            yield (i + 1) / len(parts)


def _illegal(player: Agent, graph: Graph, row: int, answer: str) -> ValueError:
    position = graph.position(row)
    return ValueError(
        f"exact: the agent {player.name!r} returned {answer} that is not legal in position {position.text}; "
        f"legal: {position.legal_text()}"
    )


class _Edges(NamedTuple):
    """The positions of a graph, for compiled code; see `Graph`."""

    states: Any
    first: Any
    action: Any
    turn: Any


@jit
def _sample(game: Any, edges: Any, rows: Any, policy: Any, key: Any, begin: int, end: int, counts: Any) -> int:
    """Count a policy's actions in some positions for seeds `begin` to `end`; a position with an illegal one, or -1."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    observation = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    view = np.zeros(game[VIEW_SIZE], dtype=np.uint8)
    stream = np.zeros(2, dtype=np.uint64)
    for row in rows:
        for number in range(begin, end):
            stream[0], stream[1] = derive(derive(key, row), number), 0
            answer = choose(game, edges.states[row], edges.turn[row], policy, mask, observation, view, stream)
            if answer < 0:
                return int(row)
            first = edges.first[row]
            counts[np.searchsorted(edges.action[first : edges.first[row + 1]], answer) + first] += 1
    return -1
