"""A record that compiled code may read and not write, whatever names it gives to its parts.

numba has arrays that are only to be read, and no such records. `ReadOnly` is one: assigning to a
field of it does not compile, its arrays are only to be read, and a record inside it is `ReadOnly`
again. In machine code it is the address of the record, as numba's own records are.
"""

from typing import Any

from numba import types
from numba.core import errors
from numba.core.datamodel.models import RecordModel
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


@intrinsic
def read_only(typing_context: Any, value: Any) -> Any:
    """Return a record or an array as one that is only to be read; nothing is copied."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return _frozen(value)(value), codegen


@intrinsic
def writable(typing_context: Any, value: Any) -> Any:
    """Return the record behind one that is only to be read. For those who own it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return getattr(value, "record", value)(value), codegen
