"""Decisions of experts as networks see them: the inputs of a position, and those that a turn changes.

The original calls a decision a *test*: a position, the dice, and the result that the expert chose among all that the
roll allows. A network passes it the better, the higher it ranks that result.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import Inputs, inputs
from ludarium.agents.backgammon.network import OUTCOMES, Network, activate, equity, expect
from ludarium.agents.backgammon.threats import threats
from ludarium.envs.backgammon.decision_files import load, shipped
from ludarium.envs.backgammon.decisions import COLUMNS, OPPONENT_BAR, OPPONENT_OFF, Decisions, set_up
from ludarium.envs.backgammon.recorded_decisions import settle
from ludarium.envs.backgammon.rules import BAR, STATE
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, local

LEAST = 1e-30
"""Probabilities below this count as this."""
LEARNED, VALIDATION, HELD_OUT = PARTS = ("learned", "validation", "held out")
"""What a file of decisions is divided into."""
LANES = 32
"""Compiled loops take this many hidden units at once, and those left over one by one."""
_MOST_INPUTS = 120  # no position has more that are not 0, and no turn changes more
_PLACES = 26
_GROUP = 4  # inputs that are added at once, so that sums are read and written less often


class Sparse(NamedTuple):
    """Rows of inputs of which few are not 0.

    Attributes:
        ends: shape (n + 1,) int64: those of row i are at `ends[i]` to `ends[i + 1]` of the others, filled up with
            inputs of 0 to one or more groups of four.
        which: the numbers of the inputs, int16.
        what: the inputs, float32.
    """

    ends: NDArray[np.int64]
    which: NDArray[np.int16]
    what: NDArray[np.float32]


class Examples(NamedTuple):
    """Decisions as networks see them; see `Decisions`.

    Attributes:
        positions: the inputs of each position, a row each; inputs that depend on more than one place are taken from its
            first result.
        changes: by how much those of each result differ, a row each.
        offsets: the results of decision i are those from `offsets[i]` to `offsets[i + 1]`.
        chosen: whether a result counts as right.
    """

    positions: Sparse
    changes: Sparse
    offsets: NDArray[np.int64]
    chosen: NDArray[np.bool_]

    @property
    def number(self) -> int:
        """The number of examples."""
        return len(self.offsets) - 1


@cache
def decisions_of(file: str) -> Decisions:
    """The decisions in a file; those that come with the package if it is `""`.

    Raises:
        ValueError: if it is not a file of decisions, or there is none to learn from.
        OSError: if it cannot be read.
    """
    decisions = load(file) if file else shipped()
    if decisions.held_out.all():
        raise ValueError(f"{file}: all decisions are held out; make the file again with a smaller --held-out")
    return decisions


def part_of(file: str, part: str, validation: float = 0.0, contradicting: str = "all") -> Decisions:
    """The decisions of one part of a file.

    Args:
        file: as in `decisions_of`.
        part: one of `PARTS`.
        validation: the share of the matches which are not held out that are set aside to find out when a network has
            learned enough; at least one, if there are two.
        contradicting: `"all"`: as the file has it; otherwise, see `recorded_decisions.settle`. What is held out stays
            as it is.
    """
    decisions = decisions_of(file)
    if part == HELD_OUT:
        return decisions.part(held_out=True)
    matches = np.unique(decisions.matches[~decisions.held_out])
    number = min(max(round(validation * len(matches)), 1), len(matches) - 1) if validation else 0
    aside = np.isin(decisions.matches, np.random.default_rng(0).permutation(matches)[:number])
    chosen = decisions.select(~decisions.held_out & (aside == (part == VALIDATION)))
    return chosen if contradicting == "all" else settle(chosen, contradicting)


@cache
def examples_of(file: str, part: str, seen: str, validation: float = 0.0, contradicting: str = "all") -> Examples:
    """The decisions of one part of a file, see `part_of`, by the inputs of the name `seen`."""
    return seen_by(inputs(seen), part_of(file, part, validation, contradicting))


def seen_by(network: Inputs, decisions: Decisions) -> Examples:
    """Decisions as networks with these inputs see them."""
    seen = network.columns, network.values, network.threats, network.number
    rows = (decisions.positions, decisions.results, decisions.offsets), seen
    parts = _sparse(np.zeros(len(decisions) + 1)), _sparse(np.zeros(len(decisions.results) + 1))
    _look(*rows, *parts, False)
    positions, changes = (_sparse(np.cumsum(part.ends)) for part in parts)
    _look(*rows, positions, changes, True)
    return Examples(positions, changes, decisions.offsets, decisions.chosen)


def rows_seen_by(network: Inputs, positions: NDArray[np.int8]) -> Sparse:
    """Positions that turns led to, shape (n, 28), as networks with these inputs see them."""
    seen, inputs_of_rows = (
        (network.columns, network.values, network.threats, network.number),
        _sparse(np.zeros(len(positions) + 1)),
    )
    _look_at_each(positions, seen, inputs_of_rows, False)
    inputs_of_rows = _sparse(np.cumsum(inputs_of_rows.ends))
    _look_at_each(positions, seen, inputs_of_rows, True)
    return inputs_of_rows


@jit
def _look_at_each(positions: Any, network: Any, rows: Any, known: bool) -> None:
    """Write the inputs of positions, as `_look` does those of decisions."""
    columns, values, others, total = network
    s, usual = local(STATE), np.zeros(2 * others, dtype=np.float32)
    places, numbers = np.empty(2 * _MOST_INPUTS, dtype=np.int64), np.empty(2 * _MOST_INPUTS, dtype=np.float32)
    for i in range(len(positions)):
        count = _active_inputs(positions[i], columns, values, places, numbers)
        if others:
            set_up(s, positions[i])
            count = _other_inputs(s, usual, total, count, places, numbers)
        _note(rows, i, count, places, numbers, known)


def _sparse(ends: NDArray[Any]) -> Sparse:
    """Rows of zeros that end where they should."""
    total = int(ends[-1])
    return Sparse(ends.astype(np.int64), np.zeros(total, dtype=np.int16), np.zeros(total, dtype=np.float32))


@jit
def _look(decisions: Any, network: Any, before: Any, changes: Any, known: bool) -> None:
    """Write the numbers of inputs, each at the end of its row, or, once their sums are known, the inputs."""
    positions, results, offsets = decisions
    columns, values, others, total = network
    s, usual = local(STATE), np.zeros(2 * others, dtype=np.float32)
    places, numbers = np.empty(2 * _MOST_INPUTS, dtype=np.int64), np.empty(2 * _MOST_INPUTS, dtype=np.float32)
    for i in range(len(positions)):
        count = _active_inputs(positions[i], columns, values, places, numbers)
        usual[:] = 0
        if others:
            set_up(s, results[offsets[i]])
            count = _other_inputs(s, usual, total, count, places, numbers)
            for side in range(2):
                first = threats(s, side)
                for k in range(others):
                    usual[side * others + k] = first[k]
        _note(before, i, count, places, numbers, known)
        for row in range(offsets[i], offsets[i + 1]):
            count = _changed_inputs(positions[i], results[row], columns, values, places, numbers)
            if others:
                set_up(s, results[row])
                count = _other_inputs(s, usual, total, count, places, numbers)
            _note(changes, row, count, places, numbers, known)


@jit
def _note(inputs: Any, row: int, count: int, places: Any, numbers: Any, known: bool) -> None:
    start = inputs.ends[row]
    if known:
        inputs.which[start : start + count] = places[:count]
        inputs.what[start : start + count] = numbers[:count]
    else:
        inputs.ends[row + 1] = _filled_up(count)


@jit
def _filled_up(number: int) -> int:
    return max(_GROUP, (number + _GROUP - 1) // _GROUP * _GROUP)


@jit
def _count(position: Any, side: int, place: int) -> int:
    """The checkers of a side on a place, as `Inputs` number them."""
    if place == 0 or place == BAR:
        if side == 0:
            return position[place]
        return position[OPPONENT_OFF if place == 0 else OPPONENT_BAR]
    return max(position[place], 0) if side == 0 else max(-position[25 - place], 0)


@jit
def _active_inputs(position: Any, columns: Any, values: Any, which: Any, what: Any) -> int:
    """Write the inputs that are not 0 and their values; return their number."""
    filled = 0
    for side in range(2):
        for place in range(_PLACES):
            count = _count(position, side, place)
            for k in range(values.shape[2] if count else 0):
                value = values[place, count, k]
                if value != 0:
                    which[filled], what[filled] = columns[side, place, k], value
                    filled += 1
    return filled


@jit
def _changed_inputs(before: Any, after: Any, columns: Any, values: Any, which: Any, what: Any) -> int:
    """Write the inputs that differ and by how much; return their number."""
    count = 0
    for column in range(COLUMNS):
        if before[column] == after[column]:
            continue
        for side in range(2):
            if column == 0 or column == BAR:
                place = column if side == 0 else -1
            elif column > BAR:
                place = -1 if side == 0 else (BAR if column == OPPONENT_BAR else 0)
            else:
                place = column if side == 0 else 25 - column
            if place < 0:
                continue
            old, new = _count(before, side, place), _count(after, side, place)
            for k in range(values.shape[2] if old != new else 0):
                value = values[place, new, k] - values[place, old, k]
                if value != 0:
                    which[count], what[count] = columns[side, place, k], value
                    count += 1
    return count


@jit
def _other_inputs(s: Record, usual: Any, total: int, count: int, which: Any, what: Any) -> int:
    """Write by how much the inputs that depend on more than one place, the last of `total`, differ from the usual."""
    first, each = total - len(usual), len(usual) // 2
    for side in range(2):
        values = threats(s, side)
        for k in range(each):
            value = values[k] - usual[side * each + k]
            if value != 0:
                which[count], what[count] = first + side * each + k, value
                count += 1
    return count


class Room(NamedTuple):
    """Scratch space for the results of one decision.

    Attributes:
        base: what the inputs of the position add up to, shape (1, units).
        sums: what the hidden units add up for each result, shape (results, units).
        acted: what they put out.
        scores: shape (results,).
        lines: the numbers of the results, shape (results,).
    """

    base: NDArray[np.float32]
    sums: NDArray[np.float32]
    acted: NDArray[np.float32]
    scores: NDArray[np.float32]
    lines: NDArray[np.int64]


@jit
def make_room(examples: Any, some: Any, units: int) -> Any:
    """Room for any of the decisions whose numbers are `some`."""
    most = 1
    for number in some:
        most = max(most, examples.offsets[number + 1] - examples.offsets[number])
    scores, lines = np.empty(most, dtype=np.float32), np.empty(most, dtype=np.int64)
    return Room(rows(1, units), rows(most, units), rows(most, units), scores, lines)


@jit
def rows(number: int, units: int) -> Any:
    """Uninitialized numbers. Numba does not see that the parts of an unpacked array are contiguous: `a, b = array`."""
    return np.empty((number, units), dtype=np.float32)


@jit
def add_up(examples: Any, number: int, weights: Any, room: Any) -> int:
    """Write what the inputs of each result of a decision add up to, with any weights; return the number of results.

    Args:
        examples: the decisions.
        number: of the decision.
        weights: shape (inputs + 1, units), the biases last.
        room: its `sums` and `lines` are written.
    """
    first, results = examples.offsets[number], examples.offsets[number + 1] - examples.offsets[number]
    room.lines[0] = number
    add(examples.positions, room.lines[:1], weights, weights[len(weights) - 1], room.base)
    for row in range(results):
        room.lines[row] = first + row
    add(examples.changes, room.lines[:results], weights, room.base[0], room.sums)
    return results


@jit
def add(inputs: Any, lines: Any, weights: Any, base: Any, sums: Any) -> None:
    """Write what some rows of inputs add to a base of shape (units,), with any weights."""
    which, what = inputs.which, inputs.what
    for row in range(len(lines)):
        i, end = inputs.ends[lines[row]], inputs.ends[lines[row] + 1]
        a, b, c, d = which[i], which[i + 1], which[i + 2], which[i + 3]
        p, q, r, s = what[i], what[i + 1], what[i + 2], what[i + 3]
        for unit in range(len(base)):
            one, other = p * weights[a, unit] + q * weights[b, unit], r * weights[c, unit] + s * weights[d, unit]
            sums[row, unit] = base[unit] + (one + other)
        for more in range(i + _GROUP, end, _GROUP):
            a, b, c, d = which[more], which[more + 1], which[more + 2], which[more + 3]
            p, q, r, s = what[more], what[more + 1], what[more + 2], what[more + 3]
            for unit in range(len(base)):
                one, other = p * weights[a, unit] + q * weights[b, unit], r * weights[c, unit] + s * weights[d, unit]
                sums[row, unit] += one + other


@jit
def score(examples: Any, number: int, network: Any, room: Any) -> int:
    """Let a network score the results of a decision; return their number. All of `room` is written.

    The score of a network that knows outcomes is the points that it expects.
    """
    results = add_up(examples, number, network.hidden, room)
    activate(room.sums[:results].ravel(), room.acted[:results].ravel(), network.activation)
    if network.output.shape[1] == 1:
        _put_out(room.acted[:results], network.output.ravel(), room.scores)
    else:
        outcomes = np.empty(OUTCOMES, dtype=np.float32)
        for row in range(results):
            expect(room.acted[row], network.output, outcomes)
            room.scores[row] = equity(outcomes)
    return results


def filled_up(network: Network) -> Network:
    """The network with more hidden units, which put out nothing, up to a multiple of `LANES`."""
    inputs, units = network.hidden.shape
    wide = units + -units % LANES
    hidden = np.zeros((inputs, wide), dtype=np.float32)
    output = np.zeros((wide + 1, network.output.shape[1]), dtype=np.float32)
    hidden[:, :units] = network.hidden
    output[:units], output[-1] = network.output[:-1], network.output[-1]
    return network._replace(hidden=hidden, output=output)


@jit
def _put_out(acted: Any, output: Any, scores: Any) -> None:
    """Write the scores of results; eight sums at once make it quick."""
    units = acted.shape[1]
    for row in range(len(acted)):
        a = b = c = d = e = f = g = h = np.float32(0.0)
        for i in range(0, units - units % 8, 8):
            a += acted[row, i] * output[i]
            b += acted[row, i + 1] * output[i + 1]
            c += acted[row, i + 2] * output[i + 2]
            d += acted[row, i + 3] * output[i + 3]
            e += acted[row, i + 4] * output[i + 4]
            f += acted[row, i + 5] * output[i + 5]
            g += acted[row, i + 6] * output[i + 6]
            h += acted[row, i + 7] * output[i + 7]
        for i in range(units - units % 8, units):
            a += acted[row, i] * output[i]
        scores[row] = output[units] + (((a + b) + (c + d)) + ((e + f) + (g + h)))


@jit
def weigh(scores: Any, chosen: Any) -> float:
    """Replace scores by their exponentials, but for a factor; return the logarithm of the share of those chosen."""
    top, right, total = scores.max(), 0.0, 0.0
    for i in range(len(scores)):
        scores[i] = np.exp(scores[i] - top)
        total += scores[i]
        right += scores[i] * chosen[i]
    return np.log(max(right, LEAST) / total)
