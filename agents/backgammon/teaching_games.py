"""The games from which the networks of `expert` for backgammon take positions, and the networks that play them.

There are two networks, one for positions in which checkers can still be hit and one for races; each gives the
probabilities of the six outcomes. In each game, each side plays with a noise of its own, so that positions occur which
only a weaker player would reach. Games end where all checkers are at home, since tables know the rest.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.bearoff import BEAROFF, bearoff, is_home, outcomes_of_race
from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import (
    CUBIC,
    CUBIC_END,
    CUBIC_FACTOR,
    OUTCOMES,
    Network,
    equity,
    final_outcome,
    has_ended,
    see,
    see_change,
    see_places,
    softmax,
)
from ludarium.envs import kernels
from ludarium.envs.backgammon import rules
from ludarium.envs.backgammon.decisions import COLUMNS, set_up, write_seen
from ludarium.envs.backgammon.rules import ROLLING, STATE, is_race, roll
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SIZE, afterstates, copy
from ludarium.envs.calls import address
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, advance, local, view

PARTS = ("contact", "race")
LANES = 16
"""Numbers that are added at once; the units are a multiple."""
_LONGEST = 600  # turns of a game; a longer one is cut off
_ONE = np.float32(1.0)


class Weights(NamedTuple):
    """A network that learns; it begins as a `Network` does, for `see`.

    Attributes:
        columns, values, threats, hidden: see `Network`.
        output: shape (6, units) float32.
        bias: shape (6,) float32.
    """

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    threats: int
    hidden: NDArray[np.float32]
    output: NDArray[np.float32]
    bias: NDArray[np.float32]


def start(units: dict[str, int], seed: int) -> Arrays:
    """Small random weights, and what Adam remembers, by part; `units` are multiples of 16."""
    draws, arrays = np.random.default_rng(seed), Arrays()
    for part in PARTS:
        first = {
            "hidden": draws.normal(0, 0.1, (inputs("threats").number + 1, units[part])),
            "output": draws.normal(0, 0.05, (OUTCOMES, units[part])),
            "bias": np.log([0.01, 0.13, 0.36, 0.36, 0.13, 0.01]),
        }
        for name, array in first.items():
            arrays[f"{part}_{name}"] = array.astype(np.float32)
            for memory in ("mean", "square"):
                arrays[f"{part}_{name}_{memory}"] = np.zeros(array.shape, dtype=np.float32)
        arrays[f"{part}_steps"] = np.zeros(1, dtype=np.int64)
    return arrays


def weights(arrays: Arrays, part: str) -> Weights:
    """The weights of a part."""
    layout = inputs("threats")
    return Weights(
        layout.columns,
        layout.values,
        layout.threats,
        *(arrays[f"{part}_{name}"] for name in ("hidden", "output", "bias")),
    )


def network(arrays: Arrays, part: str) -> Network:
    """The network of a part, for play."""
    columns, values, threats, hidden, output, bias = weights(arrays, part)
    return Network(columns, values, threats, hidden, np.vstack([output.T, bias]).astype(np.float32), CUBIC)


def play(
    game: Game, arrays: Arrays, starts: NDArray[np.int8], count: int, key: np.uint64, rates: NDArray[np.float64]
) -> NDArray[np.int8]:
    """Play games, and return the positions that turns led to, shape (n, 28).

    Args:
        game: backgammon without the cube.
        arrays: what `start` returned.
        starts: positions, see `ludarium.envs.backgammon.decisions`, from which some games start.
        count: how many games.
        key: game number i is a function of (key, i) and the weights.
        rates: the share of games that start from `starts`, the share of sides that play with noise, and the most
            noise, in points.
    """
    rows = np.zeros((120 * count + _LONGEST, COLUMNS), dtype=np.int8)
    judges = (weights(arrays, "contact"), weights(arrays, "race")), address(bearoff())
    filled = _play(game.table, game.option_bytes, judges, starts, count, key, rates, rows)
    return rows[:filled].copy()


@jit
def _play(game: Any, options: Any, judges: Any, starts: Any, count: int, key: Any, rates: Any, rows: Any) -> int:
    """Write positions, and return their number; games stop when there is no more room."""
    s, start, results = local(STATE), local(STATE), np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8)
    room, noise, stream, filled = _room(judges[0]), np.zeros(2), np.zeros(2, dtype=np.uint64), 0
    state = advance(s, 0)
    kernels.setup(game, start, options)
    for number in range(count):
        if filled + _LONGEST > len(rows):
            break
        stream[0], stream[1] = derive(key, number), 0
        copy(state, advance(start, 0))
        if uniform(stream) < rates[0]:
            set_up(s, starts[below(stream, len(starts))])
            s.phase = ROLLING
        for seat in range(2):
            noise[seat] = uniform(stream) * rates[2] if uniform(stream) < rates[1] else 0.0
        for _ in range(_LONGEST):
            roll(s, below(stream, rules.outcomes(s)))
            seat = s.seat
            taken = _choose(s, results, judges, room, noise[seat], stream)
            for byte in range(SIZE):
                state[byte] = results[taken * SIZE + byte]
            if has_ended(s):
                break
            write_seen(s, seat, rows[filled])
            filled += 1
            if is_home(s, 0) and is_home(s, 1):
                break
    return filled


class _Room(NamedTuple):
    """Scratch space, for both networks: what is known of the position before, sums, units; and lanes."""

    known: Any
    sums: Any
    units: Any
    race_sums: Any
    race_units: Any
    lanes: Any


@jit
def _room(both: Any) -> Any:
    contact, race = both[0].hidden.shape[1], both[1].hidden.shape[1]
    return _Room(
        np.zeros(contact, dtype=np.float32),
        np.zeros(contact, dtype=np.float32),
        np.zeros(contact, dtype=np.float32),
        np.zeros(race, dtype=np.float32),
        np.zeros(race, dtype=np.float32),
        np.zeros(LANES, dtype=np.float32),
    )


@jit
def _choose(s: Record, results: Any, judges: Any, room: Any, noise: float, stream: Any) -> int:
    """The number of the result that is taken; noise is drawn from Gumbel's distribution."""
    both, tables = judges
    count, outcomes, taken, most = afterstates(s, results), np.zeros(OUTCOMES, dtype=np.float32), 0, -np.inf
    see_places(s, s.seat, both[0], room.known)
    for i in range(count):
        value = _judge(s, view(advance(results, i * SIZE), STATE), both, tables, room, outcomes)
        if noise > 0:
            value -= noise * math.log(-math.log(uniform(stream) + 1e-12) + 1e-12)
        if value > most:
            taken, most = i, value
    return taken


@jit
def _judge(s: Record, result: Record, both: Any, tables: int, room: Any, outcomes: Any) -> float:
    """The points expected of a result, by the seat that is to move."""
    if has_ended(result):
        outcomes[:] = 0
        outcomes[final_outcome(result, s.seat)] = _ONE
    elif is_home(result, 0) and is_home(result, 1):
        outcomes_of_race(view(tables, BEAROFF), result, s.seat, outcomes)
    elif is_race(result):
        see(result, s.seat, both[1], room.race_sums)
        put_out(room.race_sums, both[1], room.race_units, room.lanes, outcomes)
    else:
        see_change(s, result, s.seat, both[0], room.known, room.sums)
        put_out(room.sums, both[0], room.units, room.lanes, outcomes)
    return float(equity(outcomes))


@jit
def put_out(sums: Any, network: Any, units: Any, lanes: Any, outcomes: Any) -> None:
    """Write the hidden units and the outcomes."""
    for unit in range(len(units)):
        x = min(max(sums[unit], -CUBIC_END), CUBIC_END)
        units[unit] = x - CUBIC_FACTOR * x * x * x
    for k in range(OUTCOMES):
        row, added = network.output[k], network.bias[k]
        lanes[:] = 0
        for first in range(0, len(units), LANES):
            for lane in range(LANES):
                lanes[lane] += units[first + lane] * row[first + lane]
        for lane in range(LANES):
            added += lanes[lane]
        outcomes[k] = added
    softmax(outcomes)
