"""Matches: two agents, pairs of games with the same chance and exchanged seats; or one team, many decks.

The unit is the pair. Both games of a pair have the same dice, cards and random opening moves, and the agents exchange
seats; so luck cancels, and the pair is what error bars count. In cooperative games every seat belongs to the same
agent, and every agent meets the same decks. A match is a function of its seed: pair number i does not depend on how
many are played, or on how they are split among threads. Between compiled agents it runs wholly inside the arena.
"""

import copy
import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, make_agent
from ludarium.envs.arena import FINISHED, ILLEGAL, TRUNCATED, play_games, random_legal
from ludarium.envs.chance import OPENING, child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER

FORFEIT = ILLEGAL
"""`FORFEIT + seat` as an ending: that seat's agent raised an error or returned an action that is not legal."""
_AGENT_PATH = 1 << 32  # keeps the agents' randomness apart from the pair's chance


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
    """

    game: Game
    agents: list[str]
    payoffs: NDArray[np.float64]
    endings: NDArray[np.int64]
    decisions: int
    seconds: float

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
    game: Game, agents: Sequence[Any], pairs: int, seed: int, *, first: int = 0, opening: int = 0
) -> MatchResult:
    """Play pairs of games between two agents, or decks with a team of one.

    Args:
        game: the game; it has two seats or is cooperative.
        agents: two agents or specs; one for a cooperative game.
        pairs: how many pairs (decks).
        seed: pair number i is a function of (seed, first + i).
        first: number of the first pair.
        opening: so many moves at the start of each game are random, the same in both games of a pair.

    Raises:
        ValueError: if the number of agents or pairs does not fit the game.
    """
    wanted = 1 if game.cooperative else 2
    if len(agents) != wanted:
        raise ValueError(f"{game.name}: a match takes {wanted} agent{'s' * (wanted - 1)}, not {len(agents)}")
    if not game.cooperative and game.seats != 2:
        raise ValueError(
            f"{game.name}: matches are for games of two seats or cooperative games, not {game.seats} seats"
        )
    if pairs < 1:
        raise ValueError(f"pairs must be at least 1, not {pairs}")
    if wanted == 2 and agents[0] is agents[1]:
        agents = [agents[0], copy.deepcopy(agents[0])]  # an agent that meets itself is two
    players = [make_agent(agent, game) for agent in agents]
    benches = [_one_a_seat(agent, player, game) for agent, player in zip(agents, players, strict=True)]
    seating = np.zeros((1, game.seats), dtype=np.int64) if game.cooperative else np.array([[0, 1], [1, 0]])
    games_a_pair = len(seating)
    pair_keys = [child_key(seed_key(seed), first + pair) for pair in range(pairs)]
    keys = np.repeat(np.array(pair_keys, dtype=np.uint64), games_a_pair)
    agent_keys = np.array(
        [child_key(key, _AGENT_PATH, number) for key in pair_keys for number in range(games_a_pair)], dtype=np.uint64
    )
    who = np.tile(seating, (pairs, 1))
    started = time.perf_counter()
    policies = [player.policy for player in players if player.policy is not None]
    if len(policies) == len(players):
        played = play_games(game, policies, who, keys, agent_keys, opening=opening)
        payoffs, endings, decisions = played.payoffs, played.endings, int(played.lengths.sum())
    else:
        payoffs, endings, decisions = _play_in_python(game, benches, who, keys, agent_keys, opening)
    seconds = time.perf_counter() - started
    for number in np.flatnonzero(endings >= FORFEIT):
        payoffs[number] = forfeit_payoffs(game, int(endings[number] - FORFEIT))
    by_agent = np.take_along_axis(payoffs, np.argsort(who, axis=1, kind="stable")[:, :wanted], axis=1)
    return MatchResult(
        game,
        [player.name for player in players],
        by_agent.reshape(pairs, games_a_pair, wanted),
        endings.reshape(pairs, games_a_pair),
        decisions,
        seconds,
    )


def _one_a_seat(spec: Any, player: Agent, game: Game) -> list[Agent]:
    """The agent for each seat: where it sits in several at once, they share no state."""
    if not game.cooperative:
        return [player] * game.seats
    return [player, *(make_agent(copy.deepcopy(spec), game) for _ in range(game.seats - 1))]


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
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    payoffs = np.zeros((len(keys), game.seats))
    endings = np.zeros(len(keys), dtype=np.int64)
    decisions = 0
    for number, (key, agent_key) in enumerate(zip(keys, agent_keys, strict=True)):
        seated = [benches[who[number, seat]][seat] for seat in range(game.seats)]
        payoffs[number], endings[number], plies = play_game(game, seated, key, agent_key, opening)
        decisions += plies
    return payoffs, endings, decisions


def play_game(
    game: Game, seated: list[Agent], key: np.uint64, agent_key: np.uint64, opening: int = 0
) -> tuple[NDArray[np.float64], int, int]:
    """Play one game between agents of any kind, exactly as the compiled arena does.

    Returns:
        The payoffs, the ending and the number of decisions. An agent that raises or returns an action that is not
        legal forfeits the game.
    """
    episode = Episode(game, key, None, [])
    stream = np.array([child_key(key, OPENING), 0], dtype=np.uint64)
    for seat, agent in enumerate(seated):
        try:
            agent.reset(seat, agent_seed(agent_key, seat))
        except Exception:  # as below
            return episode.returns, FORFEIT + seat, 0
    while episode.turn != OVER and not episode.truncated:
        seat = episode.turn
        mask = episode.mask()
        if episode.plies < opening:
            action = int(random_legal(game.table, episode.position.data, mask, stream))
        else:
            try:
                action = _ask(seated[seat], episode, seat, mask)
            except Exception:  # whatever a third-party agent does wrong costs it the game, and nothing else
                action = -1
            if not episode.is_legal(action):
                return episode.returns, FORFEIT + seat, episode.plies
        episode.play(action)
    return episode.returns, TRUNCATED if episode.truncated else FINISHED, episode.plies


def _ask(agent: Agent, episode: Episode, seat: int, mask: NDArray[np.int8]) -> int:
    info: dict[str, Any] = {"seat": seat, "game": episode.game}
    if agent.needs_state:
        info["position"] = episode.position.copy()
    return operator.index(agent(episode.position.observe(seat), mask.copy(), info))
