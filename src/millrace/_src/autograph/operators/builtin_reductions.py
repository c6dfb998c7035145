"""`sum`, `min`, `max`, `any`, `all`, `sorted` where their arguments may be tensors of the graph.

Each function first sees whether its argument is one tensor (or an iterator of the graph), and reduces such a tensor
with one operation. Otherwise the argument is a Python iterable, whose elements may be tensors: Python's own builtin
does the work until it asks a tensor for its truth. The result is what Python's comparisons would give on the values,
also with NaN.

Tests: tests/autograph/operators/test_builtins_over_tensors.py
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.operators.builtin_iterators import graph_iterator, in_python, truth_of
from millrace._src.autograph.operators.calls import callee
from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.graph_iterators import Elements, GraphIterator, Map, stack_elements
from millrace._src.autograph.operators.if_statements import if_exp
from millrace._src.autograph.operators.replacements import replaces
from millrace._src.autograph.operators.staged_values import belongs_into_graph, plain
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops import raw
from millrace._src.ops.array.sorting import argsort, sort
from millrace._src.util import nest

_NONE: Any = object()


def _one_tensor(iterable: Any) -> Any:
    """Returns all elements in one tensor: of a tensor or an iterator of unknown length; None if Python must iterate."""
    if iterable.__class__ in plain:
        return None
    if isinstance(iterable, GraphIterator):
        return None if iterable.is_known() else stack_elements(iterable)
    return convert_to_tensor(iterable) if belongs_into_graph(iterable) else None


def _vector(iterable: object, function: str) -> Any:
    """Returns the tensor of `_one_tensor`, if its elements can be compared or asked for their truth.

    Returns: The tensor; an empty tuple if it has no elements; None if Python must iterate.
    Raises: ValueError: if the elements are not scalars.
    """
    tensor = _one_tensor(iterable)
    if tensor is None:
        return None
    length = Elements(tensor).length  # complains about a scalar
    if tensor.shape.rank not in (1, None):
        raise ValueError(
            f"The truth value of a Tensor with more than one element is ambiguous: {function}(...) goes over the first "
            f"axis of {tensor} and compares whole rows. Use tf.reduce_{function}, which goes over all elements."
        )
    return () if length == 0 else tensor


@replaces(builtins.sum, beyond_tensorflow=True)
def sum_(iterable: Any, /, start: Any = 0) -> Any:
    """Returns `sum(iterable, start)`; the sum of a tensor is that of its rows."""
    tensor = _one_tensor(iterable)
    if tensor is None:
        return builtins.sum(iterable, start)
    if Elements(tensor).length == 0:
        return start
    if tensor.dtype.name == "bool":
        tensor = raw.Cast(x=tensor, DstT="int32")
    total = raw.Sum(input=tensor, axis=0)
    return total if start.__class__ is int and start == 0 else start + total


# --- any, all --------------------------------------------------------------------------------------------------------


@replaces(builtins.any, beyond_tensorflow=True)
def any_(iterable: object, /) -> Any:
    """Returns `any(iterable)`."""
    return _decide(iterable, builtins.any, True, raw.Any, raw.LogicalOr)


@replaces(builtins.all, beyond_tensorflow=True)
def all_(iterable: object, /) -> Any:
    """Returns `all(iterable)`."""
    return _decide(iterable, builtins.all, False, raw.All, raw.LogicalAnd)


def _decide(iterable: Any, builtin: Any, deciding: bool, reduction: Any, join: Any) -> Any:
    """Computes `any` or `all`.

    A Python value that decides ends the computation; tensors before it are joined by `join`.
    """
    if iterable.__class__ in plain:
        try:
            return builtin(iterable)
        except OperatorNotAllowedInGraphError:
            pass
    elif state.graph is None:
        return builtin(iterable)
    tensor = _vector(iterable, builtin.__name__)
    if tensor is not None and not isinstance(tensor, tuple):
        is_bool = tensor.dtype.name == "bool"
        return reduction(input=tensor if is_bool else raw.NotEqual(x=tensor, y=raw.ZerosLike(x=tensor)), axis=0)
    condition: Any = None
    for value in iterable if tensor is None else tensor:
        if belongs_into_graph(value):
            condition = truth_of(value) if condition is None else join(x=condition, y=truth_of(value))
        elif builtins.bool(value) is deciding:
            return deciding
    return (not deciding) if condition is None else condition


# --- min, max --------------------------------------------------------------------------------------------------------


@replaces(builtins.max, beyond_tensorflow=True)
def max_(*args: Any, key: object = None, **kwargs: Any) -> Any:
    """Returns `max(iterable, key=, default=)`, `max(a, b, ..., key=)`."""
    if key is None and args and args[0].__class__ in plain:
        try:
            return builtins.max(*args, **kwargs)
        except OperatorNotAllowedInGraphError:
            pass
    return _extreme(builtins.max, args, key, kwargs)


@replaces(builtins.min, beyond_tensorflow=True)
def min_(*args: Any, key: object = None, **kwargs: Any) -> Any:
    """Returns `min(iterable, key=, default=)`, `min(a, b, ..., key=)`."""
    if key is None and args and args[0].__class__ in plain:
        try:
            return builtins.min(*args, **kwargs)
        except OperatorNotAllowedInGraphError:
            pass
    return _extreme(builtins.min, args, key, kwargs)


def _extreme(builtin: Any, args: Sequence[Any], key: Any, kwargs: dict[str, Any]) -> Any:
    key = None if key is None else callee(key)
    if state.graph is None or not args:
        return builtin(*args, key=key, **kwargs)
    values: Any = args
    if len(args) == 1:
        tensor = _vector(args[0], builtin.__name__) if key is None else _one_tensor(args[0])
        if tensor is not None and not isinstance(tensor, tuple):
            return _extreme_of_tensor(builtin, tensor, key, **kwargs)
        values = args[0] if tensor is None else tensor
        values = values if values.__class__ in plain else builtins.list(values)
    try:
        return builtin(values, key=key, **kwargs) if len(args) == 1 else builtin(*args, key=key, **kwargs)
    except OperatorNotAllowedInGraphError:
        return _extreme_of_values(builtin, builtins.list(values), key)


def _extreme_of_tensor(builtin: Any, tensor: Any, key: Any, default: Any = _NONE) -> Any:
    """Finds the extreme element of a tensor; one of unknown length may be empty, which the graph finds out."""
    if tensor.shape.rank is not None and tensor.shape[0] is not None or default is _NONE:
        return _first_extreme(builtin, tensor, key)
    is_there = raw.Less(x=convert_to_tensor(0), y=raw.Shape(input=tensor)[0])
    return if_exp(is_there, lambda: _first_extreme(builtin, tensor, key), lambda: default, f"{builtin.__name__}(...)")


def _first_extreme(builtin: Any, tensor: Any, key: Any) -> Any:
    """Finds the element that Python finds: the first element, unless a later one compares as better."""
    keys = tensor if key is None else stack_elements(Map(key, [Elements(tensor)]))
    first = keys[0]
    if keys.dtype.is_floating:  # NaN compares as no better; a first NaN stays
        keys = raw.SelectV2(condition=raw.IsNan(x=keys), t=first, e=keys)
    if key is not None:
        find = raw.ArgMax if builtin is builtins.max else raw.ArgMin
        position = find(input=keys, dimension=0, output_type="int32")
        if keys.dtype.is_floating:
            position = raw.SelectV2(condition=raw.IsNan(x=first), t=0, e=position)
        return tensor[position]
    best = (raw.Max if builtin is builtins.max else raw.Min)(input=keys, axis=0)
    if keys.dtype.is_floating:
        return raw.SelectV2(condition=raw.IsNan(x=first), t=first, e=best)
    if tensor.shape.rank is not None and tensor.shape[0] is not None:
        return best
    return (raw.Maximum if builtin is builtins.max else raw.Minimum)(x=first, y=best)  # `first` fails if empty


def _extreme_of_values(builtin: Any, values: list[Any], key: Any) -> Any:
    """Finds the extreme of Python values with tensors among them, by comparisons one after the other."""
    keys = values if key is None else [key(value) for value in values]
    best, best_key = values[0], keys[0]
    for value, value_key in builtins.zip(values[1:], keys[1:], strict=True):
        is_better = value_key > best_key if builtin is builtins.max else value_key < best_key
        if not belongs_into_graph(is_better):
            best, best_key = (value, value_key) if is_better else (best, best_key)
            continue
        condition = condition_tensor(is_better, f"{builtin.__name__}(...)")
        best = _choose(condition, value, best)
        best_key = best if key is None else _choose(condition, value_key, best_key)
    return best


def _choose(condition: Any, value: Any, other: Any) -> Any:
    """Returns `value` where the condition holds, else `other`; a Python number takes the dtype of the tensor."""
    if nest.is_nested(value) or nest.is_nested(other):
        return if_exp(condition, lambda: value, lambda: other, "key")
    dtype = next((v.dtype for v in (value, other) if belongs_into_graph(v)), None)
    return raw.SelectV2(
        condition=condition, t=convert_to_tensor(value, dtype=dtype), e=convert_to_tensor(other, dtype=dtype)
    )


# --- sorted ----------------------------------------------------------------------------------------------------------


@replaces(builtins.sorted)
def sorted_(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """Returns `sorted(iterable, key=, reverse=)`: a tensor of one axis gives a tensor."""
    key = None if key is None else callee(key)
    tensor = _one_tensor(iterable)
    if tensor is not None:
        return _sort_tensor(tensor, key, reverse)
    if state.graph is None:
        return builtins.sorted(iterable, key=key, reverse=reverse)
    values = builtins.list(iterable)
    try:
        return builtins.sorted(values, key=key, reverse=reverse)
    except OperatorNotAllowedInGraphError:
        return _sort_values(values, key, reverse)


def _sort_tensor(tensor: Any, key: Callable[[Any], Any] | None, reverse: Any) -> Any:
    keys = tensor if key is None else stack_elements(Map(key, [Elements(tensor)]))
    if keys.shape.rank not in (1, None):
        raise ValueError(
            f"sort only supports only 1D tensors: sorted(...) goes over the first axis of {tensor} and compares whole "
            f"rows of shape {keys.shape[1:]}. Use tf.sort, which sorts each row, or a key that is a scalar."
        )
    if key is None:
        return sort(tensor, direction="DESCENDING" if reverse else "ASCENDING")
    return raw.GatherV2(params=tensor, indices=_order(keys, reverse), axis=0)


def _order(keys: Any, reverse: Any) -> Any:
    """Returns the positions in the order of their keys; equal keys keep their order, also in reverse."""
    return argsort(keys, direction="DESCENDING" if reverse else "ASCENDING", stable=True)


def _sort_values(values: list[Any], key: Callable[[Any], Any] | None, reverse: object) -> list[Any]:
    """Sorts Python values with tensors among them: their keys are stacked, so that the graph can sort the keys."""
    keys = values if key is None else [key(value) for value in values]
    tensors = _stack(keys)
    if tensors.shape.rank != 1:
        raise ValueError(
            f"sort only supports only 1D tensors: sorted(...) compares elements of shape {tensors.shape[1:]}."
        )
    order = _order(tensors, reverse)
    columns = [_stack(column) for column in builtins.zip(*[nest.flatten(value) for value in values], strict=True)]
    in_order = [
        raw.Unpack(value=raw.GatherV2(params=column, indices=order, axis=0), num=len(values), axis=0)
        for column in columns
    ]
    return [nest.pack_sequence_as(values[0], row) for row in builtins.zip(*in_order, strict=True)]


def _stack(values: Sequence[Any]) -> Any:
    dtype = next((value.dtype for value in values if belongs_into_graph(value)), None)
    return raw.Pack(values=[convert_to_tensor(value, dtype=dtype) for value in values], axis=0)


__all__ = ["all_", "any_", "graph_iterator", "in_python", "max_", "min_", "sorted_", "sum_"]
