"""Blocks: everything that a compiled policy knows, in one run of bytes.

A block begins with a record of numbers. The tables follow, each at a multiple of 8 bytes; for each table the record has
an int64 field of the same name that holds the byte offset at which it begins. Python packs a block with `pack`;
compiled code, which gets the record, reads a table with `table`.
"""

from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.jit import jit


def pack(record: np.dtype[Any], numbers: Mapping[str, Any], tables: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Pack numbers and tables into a block.

    Args:
        record: the type of its record: a field for each of `numbers`, and an int64 field for each of `tables`.
        numbers: the values of the fields.
        tables: the arrays, by the name of the field that holds their offset.

    Returns:
        The block, shape (bytes,).
    """
    header, end = np.zeros(1, dtype=record), record.itemsize
    for name, number in numbers.items():
        header[name] = number
    for name, array in tables.items():
        end = -(-end // 8) * 8
        header[name], end = end, end + array.nbytes
    block = np.zeros(end, dtype=np.uint8)
    block[: record.itemsize] = header.view(np.uint8)
    for name, array in tables.items():
        start = int(header[name][0])
        block[start : start + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return block


def unpack(block: NDArray[np.uint8], record: np.dtype[Any], name: str, dtype: Any, shape: Any) -> NDArray[Any]:
    """A table of a block, for Python code; it shares the block's memory."""
    dtype = np.dtype(dtype)
    start = int(block[: record.itemsize].view(record)[name][0])
    return block[start : start + dtype.itemsize * int(np.prod(shape))].view(dtype).reshape(shape)


@intrinsic
def _elements(typing_context: Any, block: Any, offset: Any, dtype: Any) -> Any:
    """The C array that begins at a byte offset in a block."""
    kind = types.CPointer(dtype.dtype)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = builder.bitcast(values[0], ir.IntType(8).as_pointer())
        moved = builder.gep(start, [context.cast(builder, values[1], offset, types.int64)])
        return builder.bitcast(moved, context.get_value_type(kind))

    return kind(block, offset, dtype), codegen


@jit
def table(block: Any, offset: int, dtype: Any, shape: Any) -> Any:
    """A table of a block, for compiled code: `table(block, block.keys, np.uint64, (block.slots,))`.

    Args:
        block: the policy's record.
        offset: the record's field with the name of the table.
        dtype: the type of its elements.
        shape: a tuple.
    """
    return numba.carray(_elements(block, offset, dtype), shape)


@jit
def copy_state(state: Any, words: Any, size: int) -> None:
    """Copy a state's `size` bytes into 64-bit words; the rest of the words stays as it is."""
    data = kernels.advance(words, 0)  # the bytes; a view compiles far longer
    for byte in range(size):
        data[byte] = state[byte]


@jit
def copy(source: Any, target: Any) -> None:
    """Copy an array; a slice assignment would take seconds to compile, for the error that it can raise."""
    for i in range(len(target)):
        target[i] = source[i]
