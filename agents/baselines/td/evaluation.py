"""What a run of `td` has learned as an evaluation, for players that look ahead.

Both approximators learned what a position is worth to the seat that has just moved. So a position is seen from that
side, and the value changes its sign for the other. That side is known only in games without chance.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ludarium.agents.baselines.td.network import forward
from ludarium.agents.baselines.td.tuples import Tuples, add_up, look_up
from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs import kernels
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.kernels import Floats, Record, view

_TUPLES = np.dtype(
    [
        ("tuples", np.int64),
        ("length", np.int64),
        ("contents", np.int64),
        ("inputs", np.int64),
        ("game", np.int64),  # the game's table
        ("squares", np.int64),  # (tuples, length) int64
        ("weights", np.int64),  # (tuples, entries) float32
        ("seen", np.int64),  # (inputs,) int8, scratch
        ("entries", np.int64),  # (tuples,) int64, scratch
    ]
)
_NETWORK = np.dtype(
    [
        ("inputs", np.int64),
        ("units", np.int64),
        ("outputs", np.int64),
        ("game", np.int64),
        ("scale", np.int64),  # (inputs,) float32, as are the next two
        ("hidden", np.int64),  # (inputs + 1, units)
        ("output", np.int64),  # (units + 1, outputs)
        ("seen", np.int64),  # (inputs,) int8, scratch
        ("sums", np.int64),  # (units,) float32, scratch
        ("chances", np.int64),  # (outputs,) float32, scratch
    ]
)


def of_tuples(game: Game, arrays: Arrays) -> Evaluation:
    """The value that the tuples add up to, before it is squashed."""
    squares, weights = arrays["squares"], arrays["weights"]
    numbers = {
        "tuples": squares.shape[0],
        "length": squares.shape[1],
        "contents": game.observation_shape[2] + 1,
        "inputs": game.observation_size,
    }
    tables = {
        "game": game.table,
        "squares": squares,
        "weights": weights,
        "seen": np.zeros(game.observation_size, dtype=np.int8),
        "entries": np.zeros(len(squares), dtype=np.int64),
    }
    found = _packed(_value_of_tuples, _TUPLES, numbers, tables)
    return replace(found, expects=lambda value: game.largest_payoff * math.tanh(value))


def of_network(game: Game, arrays: Arrays) -> Evaluation:
    """The expected payoff."""
    inputs, (units, outputs) = len(arrays["scale"]), (arrays[name].shape[1] for name in ("hidden", "output"))
    tables = {
        "game": game.table,
        **{name: arrays[name] for name in ("scale", "hidden", "output")},
        "seen": np.zeros(inputs, dtype=np.int8),
        "sums": np.zeros(units, dtype=np.float32),
        "chances": np.zeros(outputs, dtype=np.float32),
    }
    found = _packed(_value_of_network, _NETWORK, {"inputs": inputs, "units": units, "outputs": outputs}, tables)
    return replace(found, expects=float)


def has_chance(game: Game) -> ValueError:
    """The error for games in which a position does not tell who has just moved."""
    return ValueError(
        f"td: {game.spec} has chance, so a position does not tell who has just moved; what the run has learned can "
        "be played as it is, td:RUN, but not searched"
    )


def _packed(function: Any, record: np.dtype[Any], numbers: Any, tables: Any) -> Evaluation:
    block = pack(record, numbers, tables)
    return Evaluation(function, np.append(block, np.zeros(-len(block) % 8, dtype=np.uint8)).view(np.float64))


def _value_of_tuples(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, _TUPLES)
    count, length, contents = block.tuples, block.length, block.contents
    game = table(block, block.game, np.int64, (kernels.TABLE_SIZE,))
    squares = table(block, block.squares, np.int64, (count, length))
    values = table(block, block.weights, np.float32, (count, contents**length))
    seen, entries = table(block, block.seen, np.int8, (block.inputs,)), table(block, block.entries, np.int64, (count,))
    mover = 1 - kernels.turn(game, s)
    look_up(game, s, mover, Tuples(contents - 1, 1.0, squares, values), seen, entries)
    value = add_up(values, entries)
    return value if seat == mover else -value


def _value_of_network(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, _NETWORK)
    inputs, width, outputs = block.inputs, block.units, block.outputs
    game = table(block, block.game, np.int64, (kernels.TABLE_SIZE,))
    network = (
        table(block, block.scale, np.float32, (inputs,)),
        table(block, block.hidden, np.float32, (inputs + 1, width)),
        table(block, block.output, np.float32, (width + 1, outputs)),
    )
    seen, mover = table(block, block.seen, np.int8, (inputs,)), 1 - kernels.turn(game, s)
    sums, chances = table(block, block.sums, np.float32, (width,)), table(block, block.chances, np.float32, (outputs,))
    kernels.observe(game, s, mover, seen)
    value = forward(seen, network, sums, chances)
    return value if seat == mover else -value
