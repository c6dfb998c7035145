"""The attributes of an op: their kinds, and the conversion of users' values to the form that a graph stores.

Each attribute has a kind, TensorFlow's word (`int`, `list[type]`, `shape`), which follows from the annotation of the
kernel's parameter. One table has for each kind the function that converts a user's value to the one form that kernels,
caches and graphs see: `padding=b"SAME"` becomes `"SAME"`, `strides=np.array([1, 2])` becomes `(1, 2)`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype, runtime_name
from millrace._src.core.errors import op_error
from millrace._src.core.op_signature import TypeList, TypeSet
from millrace._src.core.shapes import as_shape

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

FunctionAttr: TypeAlias = Any
"""Annotation of an attribute whose value is a graph (a branch, a loop body, a called function)."""


def kinds_of(op: OpDef) -> dict[str, str]:
    """Returns the kind of each attribute of an op, in declaration order."""
    kinds = {name: "list[type]" if isinstance(t, TypeList) else "type" for name, t in op.types.items()}
    for arg in (*op.signature.inputs, *op.signature.outputs):
        if arg.number_attr is not None:
            kinds[arg.number_attr] = "int"
    annotations = op.kernel.__annotations__
    for name in op.kernel_attrs:
        if name not in kinds:
            kinds[name] = _KIND_OF_ANNOTATION[str(annotations[name])]
    return kinds


def defaults_of(op: OpDef) -> dict[str, Any]:
    """Returns the values of the attributes that a call may leave out."""
    inferred = op.signature.inferred_attrs
    defaults = {name: value for name, value in op.attr_defaults.items() if name not in inferred}
    for name, types in op.types.items():
        if isinstance(types, TypeSet) and types.default is not None and name not in inferred:
            defaults.setdefault(name, types.default)
    return defaults


def declared_default(op: OpDef, name: str) -> Any:
    """Returns the value of an attribute that a file leaves out, even of one that follows from inputs; None if none."""
    default, types = op.attr_defaults.get(name), op.types.get(name)
    return types.file_default if default is None and isinstance(types, TypeSet) else default


def normalize(op: OpDef, attrs: dict[str, Any]) -> dict[str, Any]:
    """Returns the complete attributes: names checked, defaults filled in, each value in the form of its kind.

    None means the default, where there is one. An attribute whose name begins with an underscore is the caller's own
    and stays as it is.
    """
    kinds, defaults = op.attr_kinds, op.default_attrs
    complete = dict(defaults)
    complete.update(attrs)
    for name, value in complete.items():
        if value is None:
            value = defaults.get(name)
        kind = kinds.get(name)
        if kind is not None:
            complete[name] = _NORMALIZE[kind](op, name, value)
        elif not name.startswith("_"):
            raise TypeError(f"{op.name} got an unexpected attribute '{name}'; it has {sorted(kinds)}.")
    return complete


# --- one function a kind -----------------------------------------------------------------------------------------


def _as_bool(op: OpDef, name: str, value: object) -> bool:
    if isinstance(value, (bool, int, np.bool_)):
        return bool(value)
    raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")


def _as_int(op: OpDef, name: str, value: Any) -> int:
    if isinstance(value, (str, float)):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.")
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from error


def _as_float(op: OpDef, name: str, value: Any) -> float:
    """Returns the value in single precision, as graphs store it: 0.2 is 0.20000000298."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.") from error
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _as_text(op: OpDef, name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    raise TypeError(f"Expected string for argument '{name}' not {value!r}.")


def _as_type(op: OpDef, name: str, value: object) -> DType:
    dtype = as_dtype(value)
    types = op.types.get(name)
    allowed_types = types.allowed if isinstance(types, TypeList) else types
    if allowed_types is not None and dtype not in allowed_types:
        raise _type_not_allowed(op, name, dtype, allowed_types)
    return dtype


def _type_not_allowed(op: OpDef, name: str, dtype: DType, allowed: TypeSet) -> Exception:
    """Makes the error for a dtype that is not allowed, in the words of TensorFlow's eager runtime or of its graphs."""
    if state.graph is not None:
        names = ", ".join(d.name for d in allowed)
        return TypeError(
            f"Value passed to parameter '{name}' has DataType {dtype.name} not in list of allowed values: {names}"
        )
    names = ", ".join(map(runtime_name, allowed))
    return op_error(
        op.name, f"Value for attr '{name}' of {runtime_name(dtype)} is not in the list of allowed values: {names}\n\t;"
    )


def _as_shape(op: OpDef, name: str, value: object) -> Any:
    return as_shape(value)


def _as_it_is(op: OpDef, name: str, value: object) -> Any:
    return value


def check_length(op: OpDef, name: str, length: int) -> None:
    """Refuses a list of dtypes, or of tensors that have them, that is shorter than the attribute allows.

    Raises:
      ValueError: while a graph is built.
      InvalidArgumentError: in eager mode.
    """
    types = op.types.get(name)
    minimum = types.minimum if isinstance(types, TypeList) else 0
    if length >= minimum:
        return
    if state.graph is not None:
        raise ValueError(f"Attr '{name}' of '{op.name}' Op passed list of length {length} less than minimum {minimum}.")
    complaint = f"Length for attr '{name}' of {length} must be at least minimum {minimum}"
    raise op_error(op.name, f"{complaint}\n\t; NodeDef: {{{{node {op.name}}}}}")


_Normalize: TypeAlias = Callable[["OpDef", str, Any], Any]


def _list_of(normalize: _Normalize) -> _Normalize:
    def as_list(op: OpDef, name: str, value: object) -> tuple[Any, ...]:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"Expected list for argument '{name}' to '{op.name}' Op, not {value!r}.")
        return tuple(normalize(op, name, item) for item in value)

    return as_list


_as_any_types = _list_of(_as_type)


def _as_types(op: OpDef, name: str, value: object) -> tuple[DType, ...]:
    dtypes: tuple[DType, ...] = _as_any_types(op, name, value)
    check_length(op, name, len(dtypes))
    return dtypes


_ONE: dict[str, _Normalize] = {
    "bool": _as_bool,
    "int": _as_int,
    "float": _as_float,
    "string": _as_text,
    "type": _as_type,
    "shape": _as_shape,
    "func": _as_it_is,
    "tensor": _as_it_is,
}
_NORMALIZE = _ONE | {f"list[{kind}]": _list_of(normalize) for kind, normalize in _ONE.items()}
_NORMALIZE["list[type]"] = _as_types

_KIND_OF_CLASS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "bytes": "string",
    "DType": "type",
    "TensorShape": "shape",
    "Array": "tensor",
    "FunctionAttr": "func",
}
_SEQUENCES = ("list[{}]", "Sequence[{}]", "tuple[{}, ...]")
_KIND_OF_ANNOTATION = _KIND_OF_CLASS | {
    sequence.format(name): f"list[{kind}]" for name, kind in _KIND_OF_CLASS.items() for sequence in _SEQUENCES
}
