"""Patterns of Othello: the values of `td` in tuples at chosen places, with tables for each phase of the game."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.othello import td
from ludarium.agents.othello.tuples import layout
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


def check(game: Game, patterns: str, td_lambda: float) -> None:
    """Refuse other games, tuples that are none, and a λ.

    Raises:
        ValueError: if there is one of these.
    """
    if game.name != "othello":
        raise ValueError(f"td: approximator=patterns needs othello, not {game.spec}; use tuples or network")
    layout(game.options["size"], patterns)
    if td_lambda:
        raise ValueError(f"td: td_lambda must be 0 with approximator=patterns, not {td_lambda!r}")


def start(game: Game, patterns: str, phases: int) -> Arrays:
    """Tables of zeros, shape (phases, weights) float32."""
    return {"weights": np.zeros((phases, layout(game.options["size"], patterns).starts[-1]), dtype=np.float32)}


def learn(
    game: Game, arrays: Arrays, patterns: str, first: int, count: int, key: np.uint64, rates: NDArray[np.float64],
    opening: int,
) -> int:  # fmt: skip
    """Learn from games; see `ludarium.agents.othello.td.learn`."""
    shape = layout(game.options["size"], patterns, merged=False)
    return td.learn(game, shape, arrays["weights"], first, count, key, rates, opening)


def evaluation(game: Game, arrays: Arrays, patterns: str) -> Evaluation:
    """The value, before it is squashed."""
    weights = arrays["weights"]
    found = layout(game.options["size"], patterns).evaluation(weights.reshape(-1), len(weights))
    return replace(found, expects=lambda value: game.largest_payoff * math.tanh(value))
