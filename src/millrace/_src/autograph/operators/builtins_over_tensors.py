"""Python's builtin functions where their arguments may be tensors of the graph."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.staging import belongs_into_graph, is_symbolic
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw

_REPLACEMENTS: dict[Any, Callable[..., Any]] = {}


def replacement(function: Any) -> Any:
    """What runs in place of a builtin function or class: itself, or a function here that also takes tensors."""
    try:
        return _REPLACEMENTS.get(function, function)
    except TypeError:  # a class whose metaclass is not hashable
        return function


def _replaces(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(new: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            _REPLACEMENTS[function] = new
        return new

    return register


def _any_in_graph(values: Any) -> bool:
    return builtins.any([belongs_into_graph(value) for value in values])


@_replaces(builtins.abs)
def abs_(x: Any) -> Any:
    """`abs(x)`."""
    return builtins.abs(x)


@_replaces(builtins.len)
def len_(x: Any) -> Any:
    """`len(x)`: the size of a tensor's first axis; an int where it is known."""
    if not is_symbolic(x):
        return builtins.len(x)
    if x.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {raw.Shape(input=x)}")
    if x.shape.rank is not None and x.shape[0] is not None:
        return x.shape[0]
    return raw.Shape(input=x)[0]


@_replaces(builtins.range)
def range_(start_or_stop: Any, *rest: Any) -> Any:
    """`range(...)`: `tf.range` if an end is a tensor."""
    ends = (start_or_stop, *rest)
    if not _any_in_graph(ends):
        return builtins.range(*ends)
    start, limit, delta = (0, ends[0], 1) if builtins.len(ends) == 1 else (*ends, 1)[:3]
    dtype = next(convert_to_tensor(end).dtype for end in ends if isinstance(end, Tensor) or belongs_into_graph(end))
    tensors = [convert_to_tensor(end, dtype=dtype) for end in (start, limit, delta)]
    return raw.Range(start=tensors[0], limit=tensors[1], delta=tensors[2])


@_replaces(builtins.int)
def int_(x: Any = 0, *base: Any) -> Any:
    """`int(x)`: a tensor cast to int32; a string tensor read as a number."""
    return _number(builtins.int, "int32", x, *base)


@_replaces(builtins.float)
def float_(x: Any = 0.0) -> Any:
    """`float(x)`: a tensor cast to float32."""
    return _number(builtins.float, "float32", x)


def _number(kind: Any, dtype: str, x: Any, *base: Any) -> Any:
    if not belongs_into_graph(x):
        return kind(x, *base)
    tensor = convert_to_tensor(x)
    if tensor.dtype.name == "string":
        return raw.StringToNumber(string_tensor=tensor, out_type=dtype)
    return raw.Cast(x=tensor, DstT=dtype)


@_replaces(builtins.bool)
def bool_(x: Any = False) -> Any:
    """`bool(x)`: a numeric tensor compared with zero."""
    if not is_symbolic(x):
        return builtins.bool(x)
    return x if x.dtype.name == "bool" else raw.NotEqual(x=x, y=raw.ZerosLike(x=x))
