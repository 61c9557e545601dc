"""Bouton's strategy for Nim: leave heaps whose exclusive or is 0, if possible."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents import takes
from ludarium.envs import Game
from ludarium_nim.game import LARGEST, Nim


def check(game: Game) -> None:
    """Refuse other games, so that the table in the browser offers the agent for Nim alone."""
    if not isinstance(game, Nim):
        raise ValueError(f"{game.name}: nim-sum plays nim only")


@takes(check)
def nim_sum(game: Game, *, largest_first: bool = False) -> Callable[..., int]:
    """The agent; where it cannot win, it takes as little as it can, or, with `largest_first`, as much.

    Raises:
        ValueError: if the game is not Nim.
    """
    check(game)

    def act(observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        heaps: list[int] = observation.tolist()
        total = int(np.bitwise_xor.reduce(heaps))
        for heap, pieces in enumerate(heaps):
            if pieces ^ total < pieces:
                return LARGEST * heap + pieces - (pieces ^ total) - 1
        legal = np.flatnonzero(action_mask)
        return int(max(legal, key=lambda action: action % LARGEST) if largest_first else legal[0])

    return act
