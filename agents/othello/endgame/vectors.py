"""Moves on 8 × 8 boards, four directions at a time: Numba offers no vectors, so they are written out for LLVM.

LLVM turns a vector of four into whatever the machine has: one register, two, or four numbers.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD, _INDEX = ir.IntType(64), ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, 4)
_ALL, _INNER = (1 << 64) - 1, 0x7E7E7E7E7E7E7E7E
_STEPS = (1, 7, 8, 9)  # east, south-west, south, south-east


class _Four:
    """Four 64-bit numbers in code that is being emitted, with the operators of one."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def of(self, *numbers: int) -> "_Four":
        """Four constants."""
        return _Four(self.builder, ir.Constant(_VECTOR, list(numbers)))

    def swapped(self, *order: int) -> "_Four":
        lanes = ir.Constant(ir.VectorType(_INDEX, 4), list(order))
        return _Four(self.builder, self.builder.shuffle_vector(self.value, self.value, lanes))

    def __and__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.and_(self.value, other.value))

    def __or__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.or_(self.value, other.value))

    def __invert__(self) -> "_Four":
        return _Four(self.builder, self.builder.not_(self.value))

    def __add__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.add(self.value, other.value))

    def __sub__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.sub(self.value, other.value))

    def __lshift__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.shl(self.value, other.value))

    def __rshift__(self, other: "_Four") -> "_Four":
        return _Four(self.builder, self.builder.lshr(self.value, other.value))

    def any(self) -> "_Four":
        """All bits of the lanes that are not 0."""
        nothing = ir.Constant(_VECTOR, [0] * 4)
        return _Four(self.builder, self.builder.sext(self.builder.icmp_unsigned("!=", self.value, nothing), _VECTOR))

    def union(self) -> Any:
        """The number that has the bits of all four."""
        two = self | self.swapped(2, 3, 0, 1)
        one = two | two.swapped(1, 0, 3, 2)
        return self.builder.extract_element(one.value, ir.Constant(_INDEX, 0))


def _four(builder: Any, word: Any) -> _Four:
    """The same number four times."""
    first = builder.insert_element(ir.Constant(_VECTOR, [0] * 4), word, ir.Constant(_INDEX, 0))
    return _Four(builder, first).swapped(0, 0, 0, 0)


def _runs(start: _Four, opponent: _Four, step: _Four) -> tuple[_Four, _Four]:
    """The opponent's runs of up to six discs that begin one step after `start`, up and down the bits.

    Parallel prefix: the run doubles with every line.
    """
    double = step + step
    up = opponent & (start << step)
    down = opponent & (start >> step)
    up = up | opponent & (up << step)
    down = down | opponent & (down >> step)
    pairs_up = opponent & (opponent << step)
    pairs_down = pairs_up >> step
    up = up | pairs_up & (up << double)
    down = down | pairs_down & (down >> double)
    up = up | pairs_up & (up << double)
    down = down | pairs_down & (down >> double)
    return up, down


@intrinsic
def mobility(typing_context: Any, own: Any, opponent: Any, empty: Any) -> Any:
    """`mobility(own, opponent, empty)`: the squares where `own` may play."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        own, opponent = _four(builder, values[0]), _four(builder, values[1])
        step = own.of(*_STEPS)
        up, down = _runs(own, opponent & own.of(_INNER, _INNER, _ALL, _INNER), step)
        return builder.and_(values[2], ((up << step) | (down >> step)).union())

    return types.uint64(types.uint64, types.uint64, types.uint64), codegen


@intrinsic
def flips_in(typing_context: Any, lines: Any, square: Any, own: Any, opponent: Any) -> Any:
    """`flips_in(LINES, square, own, opponent)`: the discs that turn over when `own` plays on `square`."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        own, opponent = _four(builder, values[2]), _four(builder, values[3])
        data = cgutils.create_struct_proxy(lines)(context, builder, values[0]).data
        rays = builder.bitcast(builder.gep(data, [builder.mul(values[1], ir.Constant(_WORD, 8))]), _VECTOR.as_pointer())

        def ray(i: int) -> _Four:
            return _Four(builder, builder.load(builder.gep(rays, [ir.Constant(_INDEX, i)]), align=8))

        line = ray(0)  # up: all below the first square that is not the opponent's
        stop = line & ~opponent
        end = stop & (own.of(0, 0, 0, 0) - stop) & own
        up = line & (end + end.any())
        line = ray(1)
        step = own.of(*_STEPS)
        start = _four(builder, builder.shl(ir.Constant(_WORD, 1), values[1]))
        opponent = opponent & line
        down = opponent & (start >> step)
        down = down | opponent & (down >> step)
        pairs = opponent & (opponent >> step)
        double = step + step
        down = down | pairs & (down >> double)
        down = down | pairs & (down >> double)
        closed = (own & line & (down >> step)).any()
        return (up | (down & closed)).union()

    return types.uint64(lines, types.uint64, types.uint64, types.uint64), codegen
