"""What the kernel lends to a strategy's hooks: records and arrays that it owns itself.

`ReadOnly` is a record that compiled code may read and not write, whatever names it gives to its
parts, which numba lacks: assigning to a field of it does not compile, its arrays are only to be
read, and a record inside it is `ReadOnly` again. In machine code it is the address of the record,
as numba's own records are.

`Lent` is an array of one dimension that is passed as a pointer to two words, its address and its
length. numba passes seven words for an array, which is what most of a hook's call would cost.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import errors
from numba.core.datamodel.models import ArrayModel, RecordModel
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    unbox,
)
from numba.np.arrayobj import record_getattr


class ReadOnly(types.Type):
    """The type of a record that is only to be read."""

    def __init__(self, record: types.Record) -> None:
        self.record = record
        super().__init__(f"ReadOnly({record.name})")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """Return how a plain record of the same fields, when Python hands it in, is converted."""
        return Conversion.safe if other == self.record else None


@register_model(ReadOnly)
class _ReadOnlyModel(RecordModel):
    def __init__(self, manager: Any, read_only: ReadOnly) -> None:
        super().__init__(manager, read_only.record)


@infer_getattr
class _ReadOnlyFields(AttributeTemplate):
    key = ReadOnly

    def generic_resolve(self, read_only: ReadOnly, name: str) -> Any:
        """Return the type of a field."""
        return _frozen(read_only.record.typeof(name))


@lower_getattr_generic(ReadOnly)
def _read_field(context: Any, builder: Any, read_only: ReadOnly, value: Any, name: str) -> Any:
    return record_getattr(context, builder, read_only.record, value, name)


@lower_setattr_generic(ReadOnly)
def _refuse_to_write(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    raise errors.NumbaTypeError(f"Cannot modify field {name!r} of a record that is only to be read")


@unbox(ReadOnly)
def _unbox(read_only: ReadOnly, value: Any, compiler: Any) -> NativeValue:
    return compiler.unbox(read_only.record, value)


def _frozen(kind: Any) -> Any:
    """Return the type whose values are those of `kind`, only to be read."""
    if isinstance(kind, types.Record):
        return ReadOnly(kind)
    if isinstance(kind, types.Array):  # a record's arrays among them
        return types.Array(kind.dtype, kind.ndim, kind.layout, readonly=True)
    return kind


class Lent(types.Array):
    """The type of a whole array of one dimension whose memory somebody else keeps alive."""

    def __init__(self, dtype: Any, readonly: bool = False) -> None:
        name = f"lent {'readonly ' if readonly else ''}array({dtype})"
        super().__init__(dtype, 1, "C", readonly=readonly, name=name)


@register_model(Lent)
class _LentModel(ArrayModel):
    def get_argument_type(self) -> Any:
        """Return the type of what is passed: a pointer to address and length."""
        return self._pair().as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return what is passed for an array."""
        with builder.goto_entry_block():
            pair = builder.alloca(self._pair())
        whole = ir.Constant(self._pair(), ir.Undefined)
        for place, name in enumerate(("data", "nitems")):
            whole = builder.insert_value(whole, self.get(builder, value, name), place)
        builder.store(whole, pair)
        return pair

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return the array of which a pointer to address and length has been passed."""
        pair = builder.load(value)
        data, length = builder.extract_value(pair, 0), builder.extract_value(pair, 1)
        size = ir.Constant(length.type, self.fe_type.dtype.bitwidth // 8)
        one = ir.ArrayType(length.type, 1)
        fields = {
            "meminfo": ir.Constant(self._member("meminfo").get_value_type(), None),
            "parent": ir.Constant(self._member("parent").get_value_type(), None),
            "nitems": length,
            "itemsize": size,
            "data": data,
            "shape": builder.insert_value(ir.Constant(one, ir.Undefined), length, 0),
            "strides": builder.insert_value(ir.Constant(one, ir.Undefined), size, 0),
        }
        array = ir.Constant(self.get_value_type(), ir.Undefined)
        for name, field in fields.items():
            array = self.set(builder, array, field, name)
        return array

    def _pair(self) -> Any:
        kinds = [self._member(name).get_value_type() for name in ("data", "nitems")]
        return ir.LiteralStructType(kinds)

    def _member(self, name: str) -> Any:
        return self.get_model(self.get_field_position(name))


@intrinsic
def writable(typing_context: Any, value: Any) -> Any:
    """Return the record behind one that is only to be read. For those who own it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return getattr(value, "record", value)(value), codegen
