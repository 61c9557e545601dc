"""Matches: two agents, pairs of games with the same chance and exchanged seats; or one team, many decks.

The unit is the pair. Both games of a pair have the same dice, cards and random opening moves, and the agents exchange
seats; so luck cancels, and the pair is what error bars count. In cooperative games every seat belongs to the same
agent, and every agent meets the same decks. A match is a function of its seed: pair number i does not depend on how
many are played, or on how they are split among threads. Between compiled agents it runs wholly inside the arena.
"""

import contextlib
import copy
import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, AgentFailure, make_agent
from ludarium.envs.arena import FINISHED, ILLEGAL, TRUNCATED, play_games, random_legal
from ludarium.envs.chance import OPENING, child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER

FORFEIT = ILLEGAL
"""`FORFEIT + seat` as an ending: that seat's agent raised an error or returned an action that is not legal."""
_LONGEST_CAUSE = 500  # characters; a list of legal moves can be long
_AGENT_PATH = 1 << 32  # keeps the agents' randomness apart from the pair's chance


class Forfeit(NamedTuple):
    """A game that an agent did not finish, and why.

    Attributes:
        pair: number of the pair, counted from the match's seed.
        game: number of the game in the pair.
        seat: the seat that forfeited.
        agent: name of the agent in it.
        cause: what it did, for people to read.
    """

    pair: int
    game: int
    seat: int
    agent: str
    cause: str


class Played(NamedTuple):
    """One game: its payoffs, its ending, its decisions, and why a seat forfeited (empty if none did)."""

    payoffs: NDArray[np.float64]
    ending: int
    moves: list[int]
    cause: str = ""


@dataclass
class MatchResult:
    """What was played, one row a pair (in cooperative games: a deck).

    Attributes:
        game: the game.
        agents: names of the two agents; in cooperative games, of the one.
        payoffs: shape (pairs, games a pair, agents): each agent's return.
        decisions: all decisions made.
        endings: shape (pairs, games a pair): see `ludarium.envs.arena`.
        seconds: time it took.
        forfeits: the games that an agent did not finish, in order.
        moves: the decisions of each game, in the order of `endings`, int16; empty if they were not recorded.
    """

    game: Game
    agents: list[str]
    payoffs: NDArray[np.float64]
    endings: NDArray[np.int64]
    decisions: int
    seconds: float
    forfeits: list[Forfeit] = field(default_factory=list)
    moves: list[NDArray[np.int16]] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.endings.size)

    def scores(self) -> NDArray[np.float64]:
        """The first agent's share of each pair, shape (pairs,): a win is 1, a draw ½, a loss 0."""
        points: NDArray[np.float64] = (1 + np.sign(self.payoffs[:, :, 0])) / 2
        return points.mean(axis=1)

    def points(self) -> NDArray[np.float64]:
        """The first agent's mean payoff in each pair, shape (pairs,)."""
        return np.asarray(self.payoffs[:, :, 0].mean(axis=1))


def half_width(values: NDArray[np.float64]) -> float:
    """Half the 95 % interval of a mean of independent values: 1.96 standard errors; infinite for fewer than two."""
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")


def play_match(
    game: Game, agents: Sequence[Any], pairs: int, seed: int, *, first: int = 0, opening: int = 0, record: bool = False
) -> MatchResult:
    """Play pairs of games between two agents, or decks with a team of one.

    Args:
        game: the game; it has two seats or is cooperative.
        agents: two agents or specs; one for a cooperative game.
        pairs: how many pairs (decks).
        seed: pair number i is a function of (seed, first + i).
        first: number of the first pair.
        opening: so many moves at the start of each game are random, the same in both games of a pair.
        record: keep the moves.

    Raises:
        ValueError: if the number of agents or pairs does not fit the game.
    """
    _check_entrants(game, agents, pairs)
    seating = np.zeros((1, game.seats), dtype=np.int64) if game.cooperative else np.array([[0, 1], [1, 0]])
    games_a_pair, wanted = len(seating), len(agents)
    pair_keys = [child_key(seed_key(seed), first + pair) for pair in range(pairs)]
    keys = np.repeat(np.array(pair_keys, dtype=np.uint64), games_a_pair)
    agent_keys = np.array(
        [child_key(key, _AGENT_PATH, number) for key in pair_keys for number in range(games_a_pair)], dtype=np.uint64
    )
    who = np.tile(seating, (pairs, 1))
    with contextlib.ExitStack() as closing:
        benches = [_bench(agents, number, game, closing) for number in range(wanted)]
        names = [bench[0].name for bench in benches]
        started = time.perf_counter()
        policies = [bench[0].policy for bench in benches if bench[0].policy is not None]
        if len(policies) == wanted:
            played = play_games(game, policies, who, keys, agent_keys, opening=opening, record=record)
            moves = [row[:length] for row, length in zip(played.moves, played.lengths, strict=True)]
            payoffs, endings, decisions = played.payoffs, played.endings, int(played.lengths.sum())
            causes = ["returned an action that is not legal"] * len(keys)
        else:
            payoffs, endings, moves, causes = _play_in_python(game, benches, who, keys, agent_keys, opening)
            decisions = sum(map(len, moves))
        seconds = time.perf_counter() - started
    forfeits = []
    for number in np.flatnonzero(endings >= FORFEIT).tolist():
        seat = int(endings[number] - FORFEIT)
        payoffs[number] = forfeit_payoffs(game, seat)
        pair, leg = divmod(number, games_a_pair)
        forfeits.append(Forfeit(first + pair, leg, seat, names[who[number, seat]], causes[number]))
    by_agent = np.take_along_axis(payoffs, np.argsort(who, axis=1, kind="stable")[:, :wanted], axis=1)
    return MatchResult(
        game,
        names,
        by_agent.reshape(pairs, games_a_pair, wanted),
        endings.reshape(pairs, games_a_pair),
        decisions,
        seconds,
        forfeits,
        moves if record else [],
    )


def _check_entrants(game: Game, agents: Sequence[Any], pairs: int) -> None:
    wanted = 1 if game.cooperative else 2
    if len(agents) != wanted:
        raise ValueError(f"{game.name}: a match takes {wanted} agent{'s' * (wanted - 1)}, not {len(agents)}")
    if not game.cooperative and game.seats != 2:
        raise ValueError(
            f"{game.name}: matches are for games of two seats or cooperative games, not {game.seats} seats"
        )
    if pairs < 1:
        raise ValueError(f"pairs must be at least 1, not {pairs}")


def _bench(agents: Sequence[Any], number: int, game: Game, closing: contextlib.ExitStack) -> list[Agent]:
    """One agent for each seat; where it meets itself, or sits in several at once, copies that share no state.

    What is made here is closed at the end; an agent that was given belongs to the caller.
    """
    spec = agents[number]
    seats = range(game.seats) if game.cooperative else [number]
    bench = []
    for seat in seats:
        given = seat == 0 or (number == 1 and spec is not agents[0])
        agent = make_agent(spec if given else copy.deepcopy(spec), game)
        if isinstance(spec, str) or not given:
            closing.callback(_close, agent)
        bench.append(agent)
    return bench if game.cooperative else bench * game.seats


def _close(agent: Agent) -> None:
    with contextlib.suppress(Exception):  # the games are played
        agent.close()


def forfeit_payoffs(game: Game, seat: int) -> NDArray[np.float64]:
    """The payoffs of a game that `seat` forfeits: the least there is, and the greatest for its opponent."""
    low, high = game.payoff_range
    payoffs = np.full(game.seats, low if game.cooperative else high)
    payoffs[seat] = low
    return payoffs


def _play_in_python(
    game: Game,
    benches: list[list[Agent]],
    who: NDArray[np.int64],
    keys: NDArray[np.uint64],
    agent_keys: NDArray[np.uint64],
    opening: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], list[NDArray[np.int16]], list[str]]:
    payoffs = np.zeros((len(keys), game.seats))
    endings = np.zeros(len(keys), dtype=np.int64)
    moves, causes = [], []
    for number, (key, agent_key) in enumerate(zip(keys, agent_keys, strict=True)):
        seated = [benches[who[number, seat]][seat] for seat in range(game.seats)]
        played = play_game(game, seated, key, agent_key, opening)
        payoffs[number], endings[number] = played.payoffs, played.ending
        moves.append(np.array(played.moves, dtype=np.int16))
        causes.append(played.cause)
    return payoffs, endings, moves, causes


def play_game(game: Game, seated: list[Agent], key: np.uint64, agent_key: np.uint64, opening: int = 0) -> Played:
    """Play one game between agents of any kind, exactly as the compiled arena does.

    Returns:
        What happened. Whatever an agent does wrong, it costs it this game and nothing else: an agent that raises, wants
        to exit or returns an action that is not legal forfeits.
    """
    episode = Episode(game, key, None, [])
    moves: list[int] = []
    stream = np.array([child_key(key, OPENING), 0], dtype=np.uint64)
    for seat, agent in enumerate(seated):
        try:
            agent.reset(seat, agent_seed(agent_key, seat))
        except (Exception, SystemExit) as error:
            return Played(episode.returns, FORFEIT + seat, [], _cause(error)[:_LONGEST_CAUSE])
    while episode.turn != OVER and not episode.truncated:
        seat = episode.turn
        mask = episode.mask()
        if episode.plies < opening:
            action: Any = int(random_legal(game.table, episode.position.data, mask, stream))
        else:
            agent = seated[seat]
            try:
                action = agent(episode.position.observe(seat), mask.copy(), episode.info(seat, agent.needs_state))
                objection = episode.objection(action)
            except (Exception, SystemExit) as error:
                objection = _cause(error)
            if objection:
                return Played(episode.returns, FORFEIT + seat, moves, objection[:_LONGEST_CAUSE])
        moves.append(operator.index(action))
        episode.play(moves[-1])
    return Played(episode.returns, TRUNCATED if episode.truncated else FINISHED, moves)


def _cause(error: BaseException) -> str:
    return str(error) if isinstance(error, AgentFailure) else f"raised {error!r}"
