"""Networks with one hidden layer that judge backgammon positions, compiled.

A network sees the position that a turn leads to, as the seat that has just moved. It has either six outputs, the
probabilities of the outcomes (a softmax), or one, a score that only compares the results of a turn. What the hidden
units add up changes little from one result of a turn to the next: only the inputs of places where checkers have moved
are added and subtracted. `player.py` plays by what they say.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import Inputs
from ludarium.agents.backgammon.threats import threats
from ludarium.envs.backgammon.rules import FINISHED, OPENING
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, local

ACTIVATIONS = ("identity", "tanh", "sigmoid", "relu", "cubic")
IDENTITY, TANH, SIGMOID, RELU, CUBIC = range(5)
"""`cubic`: x - 4/27 x³ from -1.5 to 1.5, where it is -1 and 1, and stays there: much like tanh, and quick."""
OUTCOMES = 6
"""Lose a backgammon, a gammon, a single game; win a single game, a gammon, a backgammon."""
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
CUBIC_END, CUBIC_FACTOR, CUBIC_SLOPE = np.float32(1.5), np.float32(4 / 27), np.float32(4 / 9)
_TANH_END = np.float32(4.97)
_LAMBERT = tuple(np.float32(number) for number in (135135, 17325, 378, 62370, 3150, 28))
_HALF = OUTCOMES // 2
_MOST = 2 * 26 * 4 + 12  # inputs that are not 0: at most four for each place of a side, whatever is on it; threats
SEEN = np.dtype([("number", np.int64), ("which", np.int32, (_MOST,)), ("what", np.float32, (_MOST,))])
"""What networks see of a position: how many inputs are not 0, which, and their values."""


class Network(NamedTuple):
    """A network.

    Attributes:
        columns: see `Inputs`.
        values: see `Inputs`.
        threats: see `Inputs`.
        hidden: shape (inputs + 1, units) float32; the last row is the bias.
        output: shape (units + 1, outputs) float32, for one or six outputs; the last row is the bias.
        activation: of the hidden units: the place of its name in `ACTIVATIONS`.
    """

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    threats: int
    hidden: NDArray[np.float32]
    output: NDArray[np.float32]
    activation: int


def network_of(inputs: Inputs, arrays: Mapping[str, NDArray[Any]], activation: int) -> Network:
    """The network whose weights are the arrays `hidden` and `output`."""
    return Network(inputs.columns, inputs.values, inputs.threats, arrays["hidden"], arrays["output"], activation)


@jit
def look(s: Record, seat: int, network: Any, seen: Any) -> None:
    """Write the inputs of a position that are not 0, seen by the seat that has just moved, into a record of `SEEN`."""
    seen.number = 0
    _look_at_places(s, seat, network, seen)
    if network.threats:
        _look_for_threats(s, seat, network, seen)


@jit
def add_up(seen: Any, network: Any, sums: Any) -> None:
    """Write what each hidden unit adds up, bias included."""
    sums[:] = network.hidden[len(network.hidden) - 1]
    _add(seen, network, sums)


@jit
def see(s: Record, seat: int, network: Any, sums: Any) -> None:
    """Write what each hidden unit adds up for a position, seen by the seat that has just moved."""
    seen = local(SEEN)
    look(s, seat, network, seen)
    add_up(seen, network, sums)


@jit
def see_places(s: Record, seat: int, network: Any, sums: Any) -> None:
    """As `see`, for the inputs of single places alone."""
    seen = local(SEEN)
    _look_at_places(s, seat, network, seen)
    add_up(seen, network, sums)


@jit
def see_change(before: Record, after: Record, seat: int, network: Any, before_sums: Any, sums: Any) -> None:
    """As `see` for the position after a turn; `see_places` wrote `before_sums` for the position before it."""
    columns, values, hidden = network.columns, network.values, network.hidden
    for unit in range(len(sums)):
        sums[unit] = before_sums[unit]
    for side in range(2):
        who = seat if side == 0 else 1 - seat
        for place in range(26):
            old, new = before.checkers[who, place], after.checkers[who, place]
            for k in range(values.shape[2] if old != new else 0):
                value = values[place, new, k] - values[place, old, k]
                if value != 0:
                    row = columns[side, place, k]
                    for unit in range(len(sums)):
                        sums[unit] += value * hidden[row, unit]
    if network.threats:
        seen = local(SEEN)
        _look_for_threats(after, seat, network, seen)
        _add(seen, network, sums)


@jit
def _look_at_places(s: Record, seat: int, network: Any, seen: Any) -> None:
    columns, values, filled = network.columns, network.values, seen.number
    for side in range(2):
        who = seat if side == 0 else 1 - seat
        for place in range(26):
            count = s.checkers[who, place]
            for k in range(values.shape[2] if count else 0):
                value = values[place, count, k]
                if value != 0:
                    seen.which[filled], seen.what[filled] = columns[side, place, k], value
                    filled += 1
    seen.number = filled


@jit
def _look_for_threats(s: Record, seat: int, network: Any, seen: Any) -> None:
    row, count = len(network.hidden) - 1 - 2 * network.threats, seen.number
    for side in range(2):
        numbers = threats(s, seat if side == 0 else 1 - seat)
        for k in range(network.threats):
            seen.which[count], seen.what[count] = row, numbers[k]
            row, count = row + 1, count + 1
    seen.number = count


@jit
def _add(seen: Any, network: Any, sums: Any) -> None:
    hidden = network.hidden
    for i in range(seen.number):
        row, value = seen.which[i], seen.what[i]
        for unit in range(len(sums)):
            sums[unit] += value * hidden[row, unit]


@jit
def activate(sums: Any, units: Any, activation: int) -> None:
    """Write the hidden units."""
    if activation == SIGMOID:
        for unit in range(len(units)):
            units[unit] = _ONE / (_ONE + np.exp(-sums[unit]))
    elif activation == TANH:
        for unit in range(len(units)):  # Lambert's continued fraction, within 0.0001; unlike `np.tanh`, many at once
            x = min(max(sums[unit], -_TANH_END), _TANH_END)
            y = x * x
            above = _LAMBERT[0] + y * (_LAMBERT[1] + y * (_LAMBERT[2] + y))
            units[unit] = x * above / (_LAMBERT[0] + y * (_LAMBERT[3] + y * (_LAMBERT[4] + y * _LAMBERT[5])))
    elif activation == CUBIC:
        for unit in range(len(units)):
            x = min(max(sums[unit], -CUBIC_END), CUBIC_END)
            units[unit] = x - CUBIC_FACTOR * x * x * x
    elif activation == RELU:
        for unit in range(len(units)):
            units[unit] = max(sums[unit], _ZERO)
    else:
        for unit in range(len(units)):
            units[unit] = sums[unit]


@jit
def slopes(sums: Any, units: Any, activation: int, derivatives: Any) -> None:
    """Write the derivatives of the hidden units that add up `sums` and put out `units`."""
    if activation == SIGMOID:
        for unit in range(len(units)):
            derivatives[unit] = units[unit] * (_ONE - units[unit])
    elif activation == TANH:
        for unit in range(len(units)):
            derivatives[unit] = _ONE - units[unit] * units[unit]
    elif activation == CUBIC:
        for unit in range(len(units)):
            derivatives[unit] = max(_ONE - CUBIC_SLOPE * sums[unit] * sums[unit], _ZERO)
    elif activation == RELU:
        for unit in range(len(units)):
            derivatives[unit] = _ONE if sums[unit] > 0 else _ZERO
    else:
        derivatives[:] = _ONE


@jit
def put_out(sums: Any, network: Any, units: Any, outputs: Any) -> None:
    """Write the hidden units and the outputs: the probabilities of the outcomes, or the score."""
    activate(sums, units, network.activation)
    if len(outputs) > 1:
        expect(units, network.output, outputs)
        return
    score = network.output[len(units), 0]
    for unit in range(len(units)):
        score += units[unit] * network.output[unit, 0]
    outputs[0] = score


@jit
def expect(units: Any, output: Any, outcomes: Any) -> None:
    """Write the probabilities of the outcomes, from the hidden units."""
    last = len(units)
    a, b, c, d, e, f = output[last]  # six sums at once, which stay in registers
    for unit in range(last):
        a += units[unit] * output[unit, 0]
        b += units[unit] * output[unit, 1]
        c += units[unit] * output[unit, 2]
        d += units[unit] * output[unit, 3]
        e += units[unit] * output[unit, 4]
        f += units[unit] * output[unit, 5]
    outcomes[0], outcomes[1], outcomes[2], outcomes[3], outcomes[4], outcomes[5] = a, b, c, d, e, f
    softmax(outcomes)


@jit
def softmax(outcomes: Any) -> None:
    """Replace what six outputs add up to by probabilities."""
    top, total = outcomes[0], np.float32(0.0)
    for k in range(OUTCOMES):
        top = max(top, outcomes[k])
    for k in range(OUTCOMES):
        outcomes[k] = np.exp(outcomes[k] - top)
        total += outcomes[k]
    for k in range(OUTCOMES):
        outcomes[k] /= total


@jit
def equity(outcomes: Any) -> float:
    """The expected points of a game without the cube."""
    return 3.0 * (outcomes[5] - outcomes[0]) + 2.0 * (outcomes[4] - outcomes[1]) + np.float64(outcomes[3] - outcomes[2])


@jit
def final_outcome(s: Record, seat: int) -> int:
    """The outcome of a game that has just ended at cube 1, for a seat: the number of one of the six."""
    return _HALF - 1 + s.won if s.seat == seat else _HALF - s.won


@jit
def has_ended(s: Record) -> bool:
    """Whether a turn has won the game; in a match, the next one may already be set up."""
    return s.phase == FINISHED or s.phase == OPENING
