"""How compiled functions take a bytearray from Python: as a pointer to its bytes.

Numba's own way asks for a buffer and counts references to it, which short calls feel. Here nothing is counted. So the
call must hold Python's lock, or others must keep the bytearray from being resized; the arguments keep it alive.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, models, register_model, unbox

from ludarium.envs.jit import fingerprint


class _BytearrayType(types.CPointer):
    def __init__(self) -> None:
        super().__init__(types.uint8)
        self.name = f"bytearray-{fingerprint(_unbox)}"  # code on disk with another way in has another name


register_model(_BytearrayType)(models.PointerModel)


@unbox(_BytearrayType)
def _unbox(kind: Any, array: Any, c: Any) -> Any:
    byte_pointer = ir.IntType(8).as_pointer()
    expected = c.context.get_c_value(c.builder, ir.IntType(8), "PyByteArray_Type")
    fits = c.builder.icmp_unsigned("==", c.builder.bitcast(c.pyapi.get_type(array), byte_pointer), expected)
    start = cgutils.alloca_once_value(c.builder, cgutils.get_null_value(byte_pointer))
    with c.builder.if_else(fits, likely=True) as (then, otherwise):
        with then:
            kind_of_call = ir.FunctionType(byte_pointer, [c.pyapi.pyobj])
            call = cgutils.get_or_insert_function(c.builder.module, kind_of_call, "PyByteArray_AsString")
            c.builder.store(c.builder.call(call, [array]), start)
        with otherwise:
            c.pyapi.err_set_string("PyExc_TypeError", "expected a bytearray")
    return NativeValue(c.builder.load(start), is_error=c.builder.not_(fits))


BYTEARRAY = _BytearrayType()
"""The type of an argument for which Python gives a bytearray, and compiled code gets a pointer."""
