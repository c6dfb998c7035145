"""Python's builtin functions of numbers where their arguments may be tensors of the graph.

Arguments that are not tensors go to the builtin itself, unchanged. So the builtin's result, its errors and nearly its
speed stay. `builtin_iterators` and `builtin_reductions` hold the functions that iterate.
"""

from __future__ import annotations

import builtins
from typing import Any

from millrace._src.autograph.operators.replacements import replaces
from millrace._src.autograph.operators.staged_lists import graph_list
from millrace._src.autograph.operators.staged_values import (
    belongs_into_graph,
    is_symbolic,
    plain,
    rows_belong_into_graph,
)
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw


@replaces(builtins.len)
def len_(x: Any, /) -> Any:
    """Returns `len(x)`: the size of a tensor's first axis; an int where the size is known."""
    items = graph_list(x)
    if items is not None:
        return items.length()
    if x.__class__ in plain or not (is_symbolic(x) or rows_belong_into_graph(x)):
        return builtins.len(x)
    if not is_symbolic(x):
        rows: int | None = None if x.shape.rank is None else x.shape[0]
        return raw.Cast(x=x.nrows(), DstT="int32") if rows is None else rows
    if x.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {raw.Shape(input=x)}")
    if x.shape.rank is not None and x.shape[0] is not None:
        return x.shape[0]
    return raw.Shape(input=x)[0]


@replaces(builtins.range)
def range_(*ends: Any) -> Any:
    """Returns `range(...)`; `tf.range` if an end is a tensor."""
    if not 1 <= builtins.len(ends) <= 3 or not builtins.any(map(belongs_into_graph, ends)):
        return builtins.range(*ends)
    start, limit, delta = (0, ends[0], 1) if builtins.len(ends) == 1 else (*ends, 1)[:3]
    dtype = next(convert_to_tensor(end).dtype for end in ends if isinstance(end, Tensor) or belongs_into_graph(end))
    tensors = [convert_to_tensor(end, dtype=dtype) for end in (start, limit, delta)]
    return raw.Range(start=tensors[0], limit=tensors[1], delta=tensors[2])


@replaces(builtins.int)
def int_(*args: Any, **kwargs: Any) -> Any:
    """Returns `int(x)`: a tensor is cast to int32, a string tensor is read as a number."""
    return _number("int32", args[0]) if _is_one_tensor(args, kwargs) else builtins.int(*args, **kwargs)


@replaces(builtins.float)
def float_(*args: Any, **kwargs: Any) -> Any:
    """Returns `float(x)`: a tensor is cast to float32, a string tensor is read as a number."""
    return _number("float32", args[0]) if _is_one_tensor(args, kwargs) else builtins.float(*args, **kwargs)


def _is_one_tensor(args: Any, kwargs: Any) -> bool:
    if builtins.len(args) != 1 or kwargs or args[0].__class__ in plain:
        return False
    return belongs_into_graph(args[0])


def _number(dtype: str, x: Any) -> Any:
    tensor = convert_to_tensor(x)
    if tensor.dtype.name == "string":
        return raw.StringToNumber(string_tensor=tensor, out_type=dtype)
    return raw.Cast(x=tensor, DstT=dtype)


@replaces(builtins.complex)
def complex_(*args: Any, **kwargs: Any) -> Any:
    """Returns `complex(x)`, `complex(real, imag)`: complex128 if a part is 64 bits wide, else complex64."""
    arguments = {**dict(builtins.zip(("real", "imag"), args)), **kwargs}
    if not builtins.any(map(belongs_into_graph, arguments.values())):
        return builtins.complex(*args, **kwargs)
    parts = {name: convert_to_tensor(part) for name, part in arguments.items()}
    is_wide = not {"float64", "complex128"}.isdisjoint(p.dtype.name for p in parts.values() if belongs_into_graph(p))
    dtype = "complex128" if is_wide else "complex64"
    real, imag = [raw.Cast(x=parts.get(name, 0), DstT=dtype) for name in ("real", "imag")]
    unit = convert_to_tensor(1j, dtype=dtype)
    return real + imag * unit if "imag" in parts else real


@replaces(builtins.bool)
def bool_(*args: object) -> Any:
    """Returns `bool(x)`: a numeric tensor is compared with zero."""
    if builtins.len(args) != 1 or args[0].__class__ in plain or not is_symbolic(args[0]):
        return builtins.bool(*args)
    return truth(args[0])


def truth(x: Any) -> Any:
    """Returns the truth of a scalar: a number is compared with zero, a text with the empty text.

    Raises: ValueError: if the tensor is not a scalar, whose truth is not defined.
    """
    x = convert_to_tensor(x)
    if x.shape.rank not in (0, None):
        raise ValueError(
            f"The truth value of a Tensor with more than one element is ambiguous: {x}. Use tf.reduce_any or "
            "tf.reduce_all."
        )
    if x.dtype.name == "bool":
        return x
    return raw.NotEqual(x=x, y=convert_to_tensor(b"") if x.dtype.name == "string" else raw.ZerosLike(x=x))


@replaces(builtins.divmod)
def divmod_(x: Any, y: Any, /) -> Any:
    """Returns `divmod(x, y)`: quotient, rounded down, and remainder."""
    if belongs_into_graph(x) or belongs_into_graph(y):
        return x // y, x % y
    return builtins.divmod(x, y)


@replaces(builtins.round)
def round_(number: Any, ndigits: Any = None) -> Any:
    """Returns `round(number, ndigits)`: half to even; without `ndigits` an int32."""
    if number.__class__ in plain or not belongs_into_graph(number):
        return builtins.round(number) if ndigits is None else builtins.round(number, ndigits)
    tensor = convert_to_tensor(number)
    if not tensor.dtype.is_floating:
        return tensor if ndigits is None else _round_integer(tensor, ndigits)
    if ndigits is None:
        return raw.Cast(x=raw.Round(x=tensor), DstT="int32")
    scale = convert_to_tensor(10.0 ** builtins.abs(ndigits), dtype=tensor.dtype)
    return raw.Round(x=tensor * scale) / scale if ndigits >= 0 else raw.Round(x=tensor / scale) * scale


def _round_integer(x: Any, ndigits: int) -> Any:
    """Rounds an integer to the nearest multiple of a power of ten, from halfway to the even multiple."""
    if ndigits >= 0:
        return x
    step = convert_to_tensor(10**-ndigits, dtype=x.dtype)
    multiple, over = x // step, x % step
    is_odd = raw.Equal(x=multiple % 2, y=raw.OnesLike(x=x))
    at_half = raw.LogicalAnd(x=raw.Equal(x=over * 2, y=step), y=is_odd)
    goes_up = raw.LogicalOr(x=raw.Greater(x=over * 2, y=step), y=at_half)
    return (multiple + raw.Cast(x=goes_up, DstT=x.dtype)) * step
