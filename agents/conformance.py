"""Checks that an agent keeps its contract, for authors of agents and for this package's own tests."""

import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import play_games
from ludarium.envs.chance import child_key, seed_key, stream
from ludarium.envs.conformance import ConformanceError
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.lanes import random_actions


def check_agent(agent: Any, game: Game, games: int = 10, seed: int = 0) -> None:
    """Check that an agent can be trusted with a seat of a game.

    It plays every seat in turn against random play, and every game twice: it must always return a legal action as an
    integer, must not write to the arrays it is shown, and must play the same moves again when it is reset with the same
    seed. A compiled agent must also play the same games in a compiled batch. An agent with `act_batch` must choose the
    same actions there as when it is asked alone: it is asked about the decisions of all these games at once, in another
    order.

    Args:
        agent: an agent, or anything that `make_agent` takes.
        game: the game.
        games: number of games in each seat.
        seed: the seed of the games.

    Raises:
        ConformanceError: at the first violation, with the game's number and the position.
        ValueError: if the game refuses the agent.
        TypeError: if it is not an agent.

    Examples:
        >>> from ludarium.agents import check_agent
        >>> from ludarium.envs import make_game
        >>> check_agent("random", make_game("tictactoe"), games=2)
    """
    player = make_agent(agent, game)
    try:
        seen: list[_Seen] = []
        for number in range(games):
            for seat in range(game.seats):
                seen += _check_twice(player, game, number, seat, seed)
        if player.act_batch:
            _check_batch(player, seen)
        if player.policy is not None:
            _check_compiled(player, game, games, seed)
    finally:
        if isinstance(agent, str):
            player.close()


class _Seen(NamedTuple):
    """A decision that the agent made when it was asked alone."""

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    info: dict[str, Any]
    action: int
    where: str


def _check_twice(player: Agent, game: Game, number: int, seat: int, seed: int) -> list[_Seen]:
    """Play one game twice; return the agent's decisions."""
    key = child_key(seed_key(seed), number, seat)
    first, seen = _play(player, game, key, seat)
    second, _ = _play(player, game, key, seat)
    if first != second:
        ply = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(second))
        raise ConformanceError(
            f"the agent {player.name!r} is not a function of its seed: in {game.spec}, seat {seat}, game "
            f"{number}, it played differently at move {ply + 1} when the game was played again"
        )
    return seen


def _play(player: Agent, game: Game, key: np.uint64, seat: int) -> tuple[list[int], list[_Seen]]:
    """Play one game against random play in the other seats; return all actions, and the agent's decisions."""
    episode = Episode(game, key, None, [])
    others = stream(0, int(key))
    actions: list[int] = []
    seen: list[_Seen] = []
    seed = agent_seed(player, key, seat)
    try:
        player.reset(seat, seed)
    except Exception as error:
        raise ConformanceError(f"the agent {player.name!r} raised {error!r} in reset, seat {seat}") from error
    while episode.turn != OVER and not episode.truncated:
        if episode.turn == seat:
            action = _ask(player, episode, seat)
            if player.act_batch:
                info = episode.info(seat, player) | {"seed": seed, "decision": len(seen)}
                where = f"in {game.spec}, seat {seat}, at {episode.position.text}"
                seen.append(_Seen(episode.position.observe(seat), episode.mask().copy(), info, action, where))
        else:
            action = int(random_actions(episode.mask()[None], others)[0])
        actions.append(action)
        episode.play(action)
    return actions, seen


def _ask(player: Agent, episode: Episode, seat: int) -> int:
    observation, mask = episode.position.observe(seat), episode.mask().copy()
    info = episode.info(seat, player)
    shown = observation.copy(), mask.copy()
    where = f"in {episode.game.spec}, seat {seat}, at {episode.position.text}"
    try:
        answer = player(*shown, info)
    except Exception as error:
        raise ConformanceError(f"the agent {player.name!r} raised {error!r} {where}") from error
    try:
        action = operator.index(answer)
    except TypeError:
        raise ConformanceError(f"the agent {player.name!r} returned {answer!r}, not an integer, {where}") from None
    if not (0 <= action < episode.game.actions and mask[action]):
        legal = episode.position.legal_text()
        raise ConformanceError(
            f"the agent {player.name!r} returned {action}, which is not legal; legal: {legal}; {where}"
        )
    if not (np.array_equal(shown[0], observation) and np.array_equal(shown[1], mask)):
        raise ConformanceError(f"the agent {player.name!r} wrote to the observation or the mask it was shown {where}")
    return action


def _check_batch(player: Agent, seen: list[_Seen]) -> None:
    """Ask about all the decisions in one call, shuffled so that neighbours come from different games."""
    assert player.act_batch is not None
    seen = [seen[i] for i in np.random.default_rng(0).permutation(len(seen))]
    observations, masks = np.stack([one.observation for one in seen]), np.stack([one.mask for one in seen])
    try:
        answers = list(player.act_batch(observations, masks, [one.info for one in seen]))
    except Exception as error:
        raise ConformanceError(
            f"the agent {player.name!r} raised {error!r} in act_batch, asked about {len(seen)} decisions"
        ) from error
    if len(answers) != len(seen):
        raise ConformanceError(
            f"the agent {player.name!r} returned {len(answers)} actions from act_batch, "
            f"asked about {len(seen)} decisions"
        )
    for one, answer in zip(seen, answers, strict=True):
        try:
            same = operator.index(answer) == one.action
        except TypeError:
            same = False
        if not same:
            raise ConformanceError(
                f"the agent {player.name!r} plays {one.action} when it is asked alone and {answer!r} in act_batch, "
                f"{one.where}: an action must depend on its own observation, mask and info alone"
            )


def _check_compiled(player: Agent, game: Game, games: int, seed: int) -> None:
    """Play the compiled policy in every seat, in a compiled batch and through Python, and compare."""
    assert player.policy is not None
    keys = np.array([child_key(seed_key(seed), number) for number in range(games)], dtype=np.uint64)
    seating = np.zeros((games, game.seats), dtype=np.int64)
    batch = play_games(game, [player.policy], seating, keys, keys, record=True)
    for number, key in enumerate(keys):
        episode = Episode(game, key, None, [])
        seats = [make_agent(player.policy, game) for _ in range(game.seats)]
        for seat, one in enumerate(seats):
            one.reset(seat, agent_seed(one, key, seat))
        for ply in range(int(batch.lengths[number])):
            action = _ask(seats[episode.turn], episode, episode.turn)
            if action != batch.moves[number, ply]:
                raise ConformanceError(
                    f"the agent {player.name!r} plays {action} through Python and {batch.moves[number, ply]} in "
                    f"a batch, in {game.spec}, game {number}, move {ply + 1}: "
                    "a policy must keep nothing between calls"
                )
            episode.play(action)
