"""What numba lacks: bit operations as single machine instructions, addresses, copies on the stack.

Bit operations take `uint64`; counts come back as `int64`.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .jit import jit

ONE = np.uint64(1)
ZERO = np.uint64(0)
_U63 = np.uint64(63)
CACHE_LINE = 64


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Return the number of set bits of a `uint64`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Return the index of the lowest set bit of a `uint64`; 64 for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """Return the number of zeros above the highest set bit of a `uint64`; 64 for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def multiply_high(typing_context: Any, left: Any, right: Any) -> Any:
    """Return the upper 64 bits of the 128-bit product of two `uint64`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def pointer(typing_context: Any, address: Any) -> Any:
    """Return an address (`uint64`) as an untyped pointer, for `numba.carray`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.uint64), codegen


@intrinsic
def on_stack(typing_context: Any, record: Any) -> Any:
    """Return a copy of a record that lives as long as the function that asks for it.

    It has a fixed place on the stack: its fields are found without a register for its address,
    and the compiler sees who may change them.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = args[0].type.pointee
        with builder.goto_entry_block():
            place = builder.alloca(kind)
            place.align = CACHE_LINE
        cgutils.raw_memcpy(
            builder, place, args[0], context.get_constant(types.intp, kind.count), itemsize=1
        )
        return place

    return record(record), codegen


@intrinsic
def address_of(typing_context: Any, record: Any) -> Any:
    """Return the address of a record as a `uint64`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], context.get_value_type(types.uint64))

    return types.uint64(record), codegen


@jit
def bit(index: int) -> Any:
    """Return the `uint64` in which only bit `index` (modulo 64) is set."""
    return ONE << (np.uint64(index) & _U63)


@jit
def lowest_bit(mask: Any) -> Any:
    """Return the lowest set bit of a mask as a mask."""
    return mask & (~mask + ONE)


@jit
def without_lowest(mask: Any) -> Any:
    """Return the mask without its lowest set bit."""
    return mask & (mask - ONE)
