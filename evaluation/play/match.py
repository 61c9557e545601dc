"""Matches: two agents, pairs of games with the same chance and exchanged seats; or one team, many decks.

The unit is the pair. Both games of a pair have the same dice, cards and random opening moves, and the agents exchange
seats; so luck cancels, and error bars are computed over pairs. In cooperative games every seat belongs to the same
agent, and every agent meets the same decks. A match is a function of its seed: pair number i does not depend on how
many pairs are played, or on how they are split among threads. A match between compiled agents runs entirely in
compiled code.
"""

import contextlib
import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.agents.time_control import TimeControl
from ludarium.envs.batch import ILLEGAL, play_games
from ludarium.envs.chance import derive, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.openings import Openings
from ludarium.envs.policy import Policy
from ludarium.evaluation.play.adjudication import adjudicator_of
from ludarium.evaluation.play.calls import call_agent
from ludarium.evaluation.play.games import Played, can_play_in_step, compile_games, play_game, play_in_step
from ludarium.evaluation.play.openings import Book, openings_of
from ludarium.evaluation.play.times import BUCKETS, Counts, count_times

FORFEIT = ILLEGAL
"""`FORFEIT + seat` as an ending: that seat's agent raised an error or returned an illegal action."""
_AGENT_PATH = 1 << 32  # separates the agents' randomness from the pair's chance


class Forfeit(NamedTuple):
    """A game that an agent did not finish, and why.

    Attributes:
        pair: number of the pair in the stream of the match's seed.
        game: number of the game in the pair.
        seat: the seat that forfeited.
        agent: name of the agent in that seat.
        cause: what the agent did, in words.
    """

    pair: int
    game: int
    seat: int
    agent: str
    cause: str


@dataclass
class MatchResult:
    """What was played, one row per pair (in cooperative games: per deck).

    Attributes:
        game: the game.
        agents: names of the two agents; in cooperative games, of the only one.
        payoffs: shape (pairs, games per pair, agents): each agent's return.
        decisions: number of decisions in all games.
        endings: shape (pairs, games per pair): see `ludarium.envs.batch`.
        seconds: time taken.
        forfeits: the games that an agent did not finish, in order.
        moves: shape (games, longest game) int16: the decisions of each game in the order of `endings`, then -1; empty
            if moves were not recorded.
        times: shape (agents, buckets): how long each agent's decisions took, see `ludarium.evaluation.play.times`;
            of compiled games only some, and none unless moves were recorded.
        compiled: whether the games were played in compiled code, so that no call from Python is in the times.
    """

    game: Game
    agents: list[str]
    payoffs: NDArray[np.float64]
    endings: NDArray[np.int64]
    decisions: int
    seconds: float
    forfeits: list[Forfeit] = field(default_factory=list)
    moves: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))
    times: Counts = field(default_factory=lambda: np.zeros((0, BUCKETS), dtype=np.int64))
    compiled: bool = False

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


def play_match(
    game: Game,
    agents: Sequence[Any],
    pairs: int,
    seed: int,
    *,
    first: int = 0,
    pairing: int = 0,
    opening: int | Book = 0,
    adjudicate: str = "",
    control: TimeControl | None = None,
    record: bool = False,
    seating: NDArray[np.int64] | None = None,
) -> MatchResult:
    """Play pairs of games between two agents, or decks with one agent in all seats.

    Args:
        game: the game; it has two seats or is cooperative.
        agents: two agents or specs; one for a cooperative game.
        pairs: number of pairs (decks).
        seed: pair number i is a function of (seed, first + i).
        first: number of the first pair.
        pairing: number of the pairing in a larger event: agents draw different random numbers in different pairings,
            while dice, cards and openings are the same.
        opening: number of random moves at the start of each game, or a book of openings; the same in both games of a
            pair.
        adjudicate: see `ludarium.evaluation.play.adjudication`.
        control: the time that each seat has in a game; None for no clock. Timed games are played one by one in
            Python, and they depend on the machine.
        record: keep the moves.
        seating: which agent has which seat, shape (games per pair, seats); by default seats are exchanged within a
            pair, and a team has one agent in all seats.

    Raises:
        ValueError: if the number of agents or pairs does not fit the game, or an agent cannot be made.

    Examples:
        >>> from ludarium.envs import make_game
        >>> from ludarium.evaluation import play_match
        >>> played = play_match(make_game("tictactoe"), ["greedy", "random"], pairs=10, seed=1)
        >>> played.payoffs.shape, float(played.scores().mean())
        ((10, 2, 2), 0.975)
    """
    if seating is None:
        _check_entrants(game, agents, pairs)
    with contextlib.ExitStack() as closing:
        benches = [bench(agents, number, game, closing) for number in range(len(agents))]
        return play_benches(
            game,
            benches,
            pairs,
            seed,
            first=first,
            pairing=pairing,
            opening=opening,
            adjudicate=adjudicate,
            control=control,
            record=record,
            seating=seating,
        )


def play_benches(
    game: Game,
    benches: Sequence[list[Agent]],
    pairs: int,
    seed: int,
    *,
    first: int = 0,
    pairing: int = 0,
    opening: int | Book = 0,
    adjudicate: str = "",
    control: TimeControl | None = None,
    record: bool = False,
    seating: NDArray[np.int64] | None = None,
) -> MatchResult:
    """As `play_match`, with agents that have been made: for each of the two (or one), one per seat (see `bench`)."""
    seating = usual_seating(game) if seating is None else seating
    keys, agent_keys = game_keys(seed, first, pairs, len(seating), pairing)
    who = np.tile(seating, (pairs, 1))
    adjudicator = adjudicator_of(adjudicate, game)
    if control is None:  # compile before the time is taken
        play_seated(game, benches, who[:0], keys[:0], agent_keys[:0], adjudicator=adjudicator)
    else:
        compile_games(game, _policies(benches))
    started = time.perf_counter()
    openings = openings_of(game, opening, seed, np.repeat(np.arange(first, first + pairs), len(seating)))
    played = play_seated(
        game,
        benches,
        who,
        keys,
        agent_keys,
        opening=openings,
        adjudicator=adjudicator,
        control=control,
        record=record,
    )
    seconds = time.perf_counter() - started
    return match_result(game, [seated[0].name for seated in benches], first, seating, played, seconds)


def usual_seating(game: Game) -> NDArray[np.int64]:
    """Which agent has which seat, shape (games per pair, seats): seats are exchanged; a team is one agent."""
    return np.zeros((1, game.seats), dtype=np.int64) if game.cooperative else np.array([[0, 1], [1, 0]])


def match_result(
    game: Game, names: list[str], first: int, seating: NDArray[np.int64], played: "Seated", seconds: float
) -> MatchResult:
    """The result of games of consecutive pairs, the first of them with number `first`."""
    legs, wanted = len(seating), len(names)
    pairs = len(played.endings) // legs
    who = np.tile(seating, (pairs, 1))
    forfeits = []
    for number in np.flatnonzero(played.endings >= FORFEIT).tolist():
        seat = int(played.endings[number] - FORFEIT)
        pair, leg = divmod(number, legs)
        forfeits.append(Forfeit(first + pair, leg, seat, names[who[number, seat]], played.causes[number]))
    by_agent = np.take_along_axis(played.payoffs, np.argsort(who, axis=1, kind="stable")[:, :wanted], axis=1)
    return MatchResult(
        game,
        names,
        by_agent.reshape(pairs, legs, wanted),
        played.endings.reshape(pairs, legs),
        int(played.lengths.sum()),
        seconds,
        forfeits,
        played.moves,
        np.stack([count_times(spent) for spent in played.times]),
        played.compiled,
    )


def game_keys(
    seed: int, first: int, pairs: int, legs: int, pairing: int = 0
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The keys of the games of consecutive pairs, for their chance and for their agents, each of shape (pairs · legs,).

    Args:
        seed: seed of the match.
        first: number of the first pair.
        pairs: number of pairs.
        legs: games in a pair; they have the same chance.
        pairing: see `play_match`.
    """
    keys, agent_keys = np.empty((2, pairs, legs), dtype=np.uint64)
    _fill_keys(seed_key(seed), first, pairing, keys, agent_keys)
    return keys.reshape(-1), agent_keys.reshape(-1)


@jit
def _fill_keys(key: Any, first: int, pairing: int, keys: Any, agent_keys: Any) -> None:
    for pair in range(keys.shape[0]):
        pair_key = derive(key, first + pair)
        for leg in range(keys.shape[1]):
            keys[pair, leg] = pair_key
            agent_keys[pair, leg] = derive(derive(derive(pair_key, _AGENT_PATH), pairing), leg)


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


def bench(agents: Sequence[Any], number: int, game: Game, closing: contextlib.ExitStack) -> list[Agent]:
    """One agent for each seat; if it meets itself or has several seats, these are copies that share no state.

    Agents made here are closed at the end; an agent passed in belongs to the caller.
    """
    spec = agents[number]
    seats = range(game.seats) if game.cooperative else [number]
    made = []
    for seat in seats:
        own = isinstance(spec, str) or (seat == seats[0] and not any(spec is other for other in agents[:number]))
        agent = make_agent(spec, game) if own else twin(make_agent(spec, game))
        if isinstance(spec, str) or not own:
            closing.callback(call_agent, agent.close)  # a failure does not matter: the games have been played
        made.append(agent)
    return made if game.cooperative else made * game.seats


def twin(agent: Agent) -> Agent:
    """A copy of an agent for another seat, because a shared one could remember in one seat what it saw in another.

    Raises:
        ValueError: if it cannot be copied.
    """
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise ValueError(
            f"agent {agent.name!r}: it cannot be copied, and every seat needs one ({error}); give each seat its own"
        ) from error


def forfeit_payoffs(game: Game, seat: int) -> NDArray[np.float64]:
    """The payoffs of a game that `seat` forfeits: the minimum for it, and the maximum for its opponent."""
    low, high = game.payoff_range
    payoffs = np.full(game.seats, low if game.cooperative else high)
    payoffs[seat] = low
    return payoffs


class Seated(NamedTuple):
    """Games by seat, one row per game, as `ludarium.envs.batch.Games`; and the cause of a forfeit, empty if none.

    `times` holds, by player, how many nanoseconds its decisions took; of `compiled` games only some.
    """

    payoffs: NDArray[np.float64]
    lengths: NDArray[np.int64]
    endings: NDArray[np.int64]
    moves: NDArray[np.int16]
    causes: list[str]
    times: list[list[int]]
    compiled: bool = False


def play_seated(
    game: Game,
    benches: Sequence[list[Agent]],
    who: NDArray[np.int64],
    keys: NDArray[np.uint64],
    agent_keys: NDArray[np.uint64],
    *,
    opening: int | Openings = 0,
    adjudicator: Policy | None = None,
    control: TimeControl | None = None,
    record: bool = False,
) -> Seated:
    """Play games with any seating: in a compiled batch if all agents are compiled, otherwise in Python.

    In Python, agents with `act_batch` play many games in step, unless an opponent can play only one game at a time.
    Timed games are all played in Python, one by one.

    Args:
        game: the game.
        benches: for each player, an agent for each seat (see `bench`).
        who: shape (games, seats): which player has which seat.
        keys: shape (games,): see `ludarium.envs.batch.play_games`.
        agent_keys: shape (games,): likewise.
        opening: number of random moves at the start; or how each of the games begins.
        adjudicator: see `ludarium.envs.batch.play_games`.
        control: see `play_match`.
        record: keep the moves.

    Returns:
        The games; forfeited games have the payoffs of `forfeit_payoffs`.
    """
    policies = _policies(benches)
    if len(policies) == len(benches) and control is None:
        games = play_games(
            game, policies, who, keys, agent_keys, opening=opening, adjudicator=adjudicator, record=record
        )
        moves = games.moves[:, : games.lengths.max(initial=0)]
        causes = [""] * len(who)  # no loop over all games: it would cost as much as the fastest of them
        for number in np.flatnonzero(games.endings >= FORFEIT).tolist():
            causes[number] = "returned an action that is not legal"
        times = [games.spent[games.deciders == player].tolist() for player in range(len(policies))]
        played = Seated(games.payoffs, games.lengths, games.endings, moves, causes, times, compiled=True)
    else:
        played = _play_in_python(game, benches, who, keys, agent_keys, opening, adjudicator, control, record)
    return _with_forfeits(game, played)


def _policies(benches: Sequence[list[Agent]]) -> list[Policy]:
    """Those of the players who are compiled."""
    return [seated[0].policy for seated in benches if seated[0].policy is not None]


def _with_forfeits(game: Game, played: Seated) -> Seated:
    for number in np.flatnonzero(played.endings >= FORFEIT).tolist():
        played.payoffs[number] = forfeit_payoffs(game, int(played.endings[number] - FORFEIT))
    return played


def _play_in_python(
    game: Game,
    benches: Sequence[list[Agent]],
    who: NDArray[np.int64],
    keys: NDArray[np.uint64],
    agent_keys: NDArray[np.uint64],
    opening: int | Openings,
    adjudicator: Policy | None,
    control: TimeControl | None,
    record: bool,
) -> Seated:
    begins = (opening.of(game, n) if isinstance(opening, Openings) else opening for n in range(len(who)))
    tables = [
        ([benches[player][seat] for seat, player in enumerate(seating)], key, agent_key, begin)
        for seating, key, agent_key, begin in zip(who, keys, agent_keys, begins, strict=True)
    ]
    if can_play_in_step(benches) and control is None:
        played = play_in_step(game, tables, adjudicator)
    else:
        played = [play_game(game, *table, adjudicator, control) for table in tables]
    return _by_seat(game, played, who, record)


def seated_games(game: Game, played: Sequence[Played], seating: NDArray[np.int64]) -> Seated:
    """Games of whole pairs that were played one by one, as `play_seated` returns them with their moves."""
    who = np.tile(seating, (len(played) // len(seating), 1))
    return _with_forfeits(game, _by_seat(game, played, who, record=True))


def _by_seat(game: Game, played: Sequence[Played], who: NDArray[np.int64], record: bool) -> Seated:
    lengths = np.array([len(one.moves) for one in played], dtype=np.int64)
    moves = np.full((len(played), lengths.max(initial=0) if record else 0), -1, dtype=np.int16)
    for row, one in zip(moves, played, strict=True):
        row[: len(one.moves)] = one.moves[: moves.shape[1]]
    payoffs = np.array([one.payoffs for one in played]).reshape(len(played), game.seats)
    endings = np.array([one.ending for one in played], dtype=np.int64)
    times: list[list[int]] = [[] for _ in range(who.max(initial=0) + 1)]
    for seating, one in zip(who.tolist(), played, strict=True):
        for player, spent in zip(seating, one.times, strict=False):
            times[player] += spent
    return Seated(payoffs, lengths, endings, moves, [one.cause for one in played], times)
