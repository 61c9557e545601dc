"""Games that an agent plays with itself, as records."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.batch import TRUNCATED
from ludarium.envs.chance import DEALING, child_key
from ludarium.envs.game import Game
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame
from ludarium.evaluation.play.match import game_keys, play_match

_AT_ONCE = 100  # games, whose moves are held in memory


def self_play(game: Game, agent: str, games: int, seed: int) -> Iterator[RecordedGame]:
    """Let an agent play all seats.

    Args:
        game: a game of two seats that is not cooperative.
        agent: its spec.
        games: the number of games.
        seed: game number i is a function of the seed and i.

    Raises:
        ValueError: if the agent cannot play the game, or forfeits.
    """
    both = np.array([[0, 1]])  # one game a pair
    for first in range(0, games, _AT_ONCE):
        count = min(_AT_ONCE, games - first)
        played = play_match(game, [agent, agent], count, seed, first=first, seating=both, record=True)
        for forfeit in played.forfeits:
            raise ValueError(f"the agent {agent!r} did not finish game {forfeit.pair}: {forfeit.cause}")
        keys, _ = game_keys(seed, first, count, legs=1)
        for number, (key, moves) in enumerate(zip(keys, played.moves, strict=True)):
            cut = f"cut off after {game.max_moves} moves" if played.endings[number, 0] == TRUNCATED else ""
            yield _record(game, agent, f"game {first + number}", key, moves[moves >= 0].tolist(), cut)


def _record(game: Game, agent: str, name: str, key: np.uint64, actions: list[int], note: str) -> RecordedGame:
    """One game, with its chance, which follows from its key."""
    position, script, dealing = game.start(), list[int](), np.array([child_key(key, DEALING), 0], dtype=np.uint64)

    def deal(stream: NDArray[np.uint64]) -> None:
        while position.turn == CHANCE:
            script.append(position.draw_outcome(stream))
            position.push(script[-1])

    deal(dealing)
    for action in actions:
        position.push(action)
        deal(dealing)
    payoffs = None if note else tuple(position.payoffs().tolist())
    return RecordedGame(
        game, (agent,) * game.seats, script=script, actions=actions, payoffs=payoffs, file=name, note=note
    )
