"""How compiled code calls the rules of any game.

A kernel is a C function that returns an `int64`. A game's kernels and sizes are passed as one `int64` array, its
*table*: addresses first, then facts. Compiled loops take the table and call `turn(game, state)`,
`play(game, state, action)` and so on from here; one compiled loop thus serves every game.

Inside these calls a `state` is a `uint8` array, a pointer, or a record. Nothing is checked: these functions are for
compiled code that knows its buffers. Python code uses `ludarium.envs.position.Position`.
"""

import inspect
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

CHANCE = -1
"""`turn` at a chance node."""
OVER = -2
"""`turn` when the game is finished."""
MAX_SEATS = 8

# Slots of a game's table: kernels …
SETUP, TURN, LEGAL, PLAY, OUTCOMES, SAMPLE_CHANCE, PAYOFFS, OBSERVE, SAMPLE, AFTERSTATES, SEE = range(11)
# … then facts.
STATE_SIZE, ACTIONS, OBSERVATION_SIZE, SEATS, MAX_OUTCOMES, MAX_MOVES, MAX_AFTERSTATES, VIEW_SIZE = range(11, 19)
TABLE_SIZE = 19
NAMES = (
    "setup", "turn", "legal", "play", "chance", "sample_chance", "payoffs", "observe", "sample", "afterstates", "see"
)  # fmt: skip
"""What the kernels are called in a game's class, by slot."""

BYTES = types.CPointer(types.uint8)
INT8S = types.CPointer(types.int8)
INT64S = types.CPointer(types.int64)
UINT64S = types.CPointer(types.uint64)
FLOATS = types.CPointer(types.float64)

Record = Any  # a game's record, inside a kernel: s.board[i], s.seat
Int8s = Any  # a C array of int8, inside a kernel: indexable, without a length
Floats = Any  # a C array of float64, inside a kernel
Bytes = Any  # a C array of bytes, inside a kernel


def signatures(state: np.dtype[Any], options: np.dtype[Any], view: np.dtype[Any] | None) -> dict[str, Any]:
    """The Numba signature of each kernel, by name, for a game's record types."""
    s, o = numba.from_dtype(state), numba.from_dtype(options)
    v = BYTES if view is None else numba.from_dtype(view)
    return {
        "setup": types.int64(s, o),
        "turn": types.int64(s),
        "legal": types.int64(s, INT8S),
        "play": types.int64(s, types.int64),
        "chance": types.int64(s, FLOATS),
        "sample_chance": types.int64(s, types.uint64),
        "payoffs": types.int64(s, FLOATS),
        "observe": types.int64(s, types.int64, INT8S),
        "sample": types.int64(s, types.uint64),
        "afterstates": types.int64(s, BYTES),
        "see": types.int64(s, types.int64, v),
    }


def _address(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The machine address behind an array, a pointer, a record or an integer."""
    byte_pointer = ir.IntType(8).as_pointer()
    if isinstance(kind, types.Buffer):
        value = cgutils.create_struct_proxy(kind)(context, builder, value).data
    elif isinstance(kind, types.Integer):
        return builder.inttoptr(value, byte_pointer)
    return builder.bitcast(value, byte_pointer)


def _check(kind: Any) -> None:
    if not isinstance(kind, types.Buffer | types.RawPointer | types.CPointer | types.Record | types.Integer):
        raise TypingError(f"a kernel call takes arrays, pointers, records and integers; it was given {kind}")


_MACHINE_TYPE = {"p": ir.IntType(8).as_pointer(), "i": ir.IntType(64), "u": ir.IntType(64), "f": ir.DoubleType()}
_NUMBA_TYPE = {"i": types.int64, "u": types.uint64, "f": types.float64}


def function(letters: str, returns: str = "i", slot: int | None = None) -> Any:
    """`function("pi")(address, …)`, for compiled code: call the C function at a machine address.

    Each letter stands for an argument: p(ointer), i(nt64) or u(int64). `returns` is i or f(loat64). With a slot, the
    first argument is a game's table, which holds the address there.
    """

    def emit(typing_context: Any, first: Any, *kinds: Any) -> Any:
        for kind in (first, *kinds):
            _check(kind)

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            where, arguments = values[0], []
            if slot is not None:
                table = builder.bitcast(_address(context, builder, first, where), ir.IntType(64).as_pointer())
                where = builder.load(builder.gep(table, [ir.Constant(ir.IntType(64), slot)]))
            for letter, kind, value in zip(letters, kinds, values[1:], strict=True):
                if letter == "p":
                    arguments.append(_address(context, builder, kind, value))
                else:
                    arguments.append(context.cast(builder, value, kind, _NUMBA_TYPE[letter]))
            c_type = ir.FunctionType(_MACHINE_TYPE[returns], [_MACHINE_TYPE[letter] for letter in letters])
            return builder.call(builder.inttoptr(where, c_type.as_pointer()), arguments)

        return _NUMBA_TYPE[returns](first, *kinds), codegen

    names = ("typing_context", "first", *(f"argument_{number}" for number in range(len(letters))))
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    emit.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # Numba takes no `*kinds`
    return intrinsic(emit)


setup = function("pp", slot=SETUP)
"""`setup(game, state, options)`: write the starting position."""
turn = function("p", slot=TURN)
"""`turn(game, state)`: the seat to move, `CHANCE` or `OVER`."""
legal = function("pp", slot=LEGAL)
"""`legal(game, state, mask)`: write 0 or 1 for each action; returns the number of ones."""
play = function("pi", slot=PLAY)
"""`play(game, state, action)`: play a legal action of the seat to move, or an outcome at a chance node."""
outcomes = function("pp", slot=OUTCOMES)
"""`outcomes(game, state, probabilities)`: write the probability of each outcome; returns their number."""
sample_chance = function("pu", slot=SAMPLE_CHANCE)
"""`sample_chance(game, state, bits)`: the outcome that the bits choose. Only if `game[SAMPLE_CHANCE]` is not 0."""
payoffs = function("pp", slot=PAYOFFS)
"""`payoffs(game, state, out)`: write each seat's return so far."""
observe = function("pip", slot=OBSERVE)
"""`observe(game, state, seat, out)`: write what the seat may see."""
sample = function("pu", slot=SAMPLE)
"""`sample(game, state, bits)`: a legal action, uniform over the 64 random bits. Only if `game[SAMPLE]` is not 0."""
afterstates = function("pp", slot=AFTERSTATES)
"""`afterstates(game, state, out)`: write the states a whole turn can lead to. Only if `game[AFTERSTATES]` is not 0."""

see = function("pip", slot=SEE)
"""`see(game, state, seat, out)`: write the seat's view, a record. Only after `Game.compile_view`."""


@intrinsic
def view(typing_context: Any, pointer: Any, dtype: Any) -> Any:
    """`view(pointer, DTYPE)`: the bytes behind a pointer or array, seen as one record of type `DTYPE`."""
    _check(pointer)
    record = dtype.dtype

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = _address(context, builder, pointer, values[0])
        return builder.bitcast(start, context.get_value_type(record))

    return record(pointer, dtype), codegen


@intrinsic
def local(typing_context: Any, dtype: Any) -> Any:
    """`local(DTYPE)`: a new record of zeros of type `DTYPE`, in the memory of the function that asks for it.

    It lives until that function returns, whatever looks at it, and is new each time; so it must not be returned.
    """
    record = dtype.dtype

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = ir.Constant(ir.IntType(32), record.size)
        start = cgutils.alloca_once(builder, ir.IntType(8), size=size)
        start.align = 16
        cgutils.memset(builder, start, size, 0)
        return builder.bitcast(start, context.get_value_type(record))

    return record(dtype), codegen


@intrinsic
def pointer(typing_context: Any, array: Any, row: Any) -> Any:
    """`pointer(array, i)`: the C array that begins at row i of an array's first axis, or at element i of a C array.

    A view such as `array[i]` counts references, which costs more than a move in a small game. A pointer counts nothing,
    so something else must keep the array alive: take pointers into a function's arguments, never into an array that the
    same function made, which Numba frees after its last use by name.
    """
    if not isinstance(array, types.Array | types.CPointer):
        raise TypingError(f"pointer takes an array, not {array}")

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if isinstance(array, types.CPointer):
            return builder.gep(values[0], [context.cast(builder, values[1], row, types.intp)])
        parts = cgutils.create_struct_proxy(array)(context, builder, values[0])
        start = builder.bitcast(parts.data, ir.IntType(8).as_pointer())
        stride = cgutils.unpack_tuple(builder, parts.strides)[0]
        offset = builder.mul(context.cast(builder, values[1], row, types.intp), stride)
        return builder.bitcast(builder.gep(start, [offset]), context.get_value_type(signature.return_type))

    return types.CPointer(array.dtype)(array, row), codegen


@intrinsic
def address(typing_context: Any, pointer: Any) -> Any:
    """`address(pointer)`: the machine address behind an array, a pointer or a record, as an integer."""
    _check(pointer)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ptrtoint(_address(context, builder, pointer, values[0]), ir.IntType(64))

    return types.int64(pointer), codegen


@intrinsic
def at(typing_context: Any, address: Any, dtype: Any) -> Any:
    """`at(address, DTYPE)`: the C array of elements of type `DTYPE` at a machine address."""
    kind = types.CPointer(dtype.dtype)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = context.cast(builder, values[0], address, types.int64)
        return builder.inttoptr(start, context.get_value_type(kind))

    return kind(address, dtype), codegen


@intrinsic
def scratch(typing_context: Any, dtype: Any, count: Any) -> Any:
    """`scratch(DTYPE, n)`: a C array of n elements in the memory of the function that asks for it, not set.

    It lives until that function returns; so it must not be returned, nor asked for in a loop.
    """
    kind = types.CPointer(dtype.dtype)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = context.cast(builder, values[1], count, types.int64)
        return builder.alloca(context.get_data_type(dtype.dtype), size=size)

    return kind(dtype, count), codegen


@intrinsic
def lowest(typing_context: Any, bits: Any) -> Any:
    """`lowest(bits)`: the place of the lowest 1 in an integer of 64 bits that is not 0, as an integer of its type."""
    undefined = ir.Constant(ir.IntType(1), 1)  # for 0
    return bits(bits), lambda context, builder, signature, values: builder.cttz(values[0], undefined)


@intrinsic
def count_bits(typing_context: Any, bits: Any) -> Any:
    """`count_bits(bits)`: the number of ones in an integer of 64 bits, as an int64."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(context.cast(builder, values[0], bits, types.int64))

    return types.int64(bits), codegen


@intrinsic
def advance(typing_context: Any, pointer: Any, steps: Any) -> Any:
    """`advance(pointer, n)`: the byte pointer `n` bytes further on; takes arrays and addresses as well."""
    _check(pointer)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.gep(
            _address(context, builder, pointer, values[0]), [context.cast(builder, values[1], steps, types.int64)]
        )

    return BYTES(pointer, steps), codegen


call_policy = function("pppppp")
"""`call_policy(address, game, state, observation, mask, block, stream)`: see `ludarium.envs.policy`."""
call_evaluation = function("pip", "f")
"""`call_evaluation(address, state, seat, weights)`: how good the position is for the seat, by a function that may have
weights; one without weights ignores the last argument."""
