"""`tf.ragged.constant` and its kin: ragged tensors from nested Python lists, and placeholders of ragged tensors.

A nested list is taken apart level by level: the lengths of the lists of one level are the row lengths of a partition,
and their items, end to end, are the next level. What remains after the ragged levels is one dense array.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import as_dtype, int64
from millrace._src.ops.array.constant import constant
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, is_ragged
from millrace._src.util.export import export


@export("ragged.constant")
def ragged_constant(
    pylist: object,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: TensorLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> Any:
    """Makes a ragged tensor from a nested Python list.

    >>> tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    <tf.RaggedTensor [[1, 2], [3], [4, 5, 6]]>
    >>> tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,)).shape
    TensorShape([2, None, 2])

    Args:
      pylist: nested lists, tuples or arrays; all scalars are at one depth.
      dtype: the dtype of the values; None to find it from them.
      ragged_rank: the number of ragged dimensions; None for as many as there are levels.
      inner_shape: the shape of the dense values behind the ragged dimensions, a tuple; None to find it.
      name: name of the scope in a graph.
      row_splits_dtype: int32 or int64.

    Returns: A RaggedTensor; a Tensor if there is no ragged dimension.
    Raises: ValueError: if scalars are at different depths, or the arguments do not fit each other.
    """

    def ragged(values: object, splits: list[int]) -> RaggedTensor:
        row_splits = constant(splits, dtype=splits_dtype)
        return RaggedTensor.from_row_splits(values, row_splits, validate=False)

    def dense(values: Any, shape: Any) -> Any:
        return constant(values, dtype, shape, name="values")

    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    splits_dtype = as_dtype(row_splits_dtype)
    with name_scope(name, "RaggedConstant"):
        return build_ragged(pylist, ragged, dense, ragged_rank, inner_shape)


# --- nested lists ----------------------------------------------------------------------------------------------------


def build_ragged(
    pylist: Any,
    ragged: Callable[[Any, list[int]], Any],
    dense: Callable[[Any, Any], Any],
    ragged_rank: int | None,
    inner_shape: Any,
) -> Any:
    """Makes a ragged value: `dense(values, shape)` makes the innermost, `ragged(values, splits)` each level around."""
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    depth, has_scalars = _depth(pylist)
    if not depth:
        _refuse_scalar(pylist, ragged_rank, inner_shape)
        return dense(pylist, ())
    if has_scalars:
        _refuse_depth(pylist, depth, ragged_rank, inner_shape)
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(inner_shape or ()))
    if ragged_rank == 0:
        return dense(pylist, inner_shape)
    nested_splits = []
    items = pylist
    for _ in range(ragged_rank):
        lengths = [len(item) for item in items]
        nested_splits.append([0, *itertools.accumulate(lengths)])
        items = list(itertools.chain.from_iterable(items))
    if inner_shape is None:
        inner_shape = _inner_shape(items, max(0, depth - 1 - ragged_rank))
    result = dense(items, (len(items), *tuple(inner_shape)))
    for splits in reversed(nested_splits):
        result = ragged(result, splits)
    return result


def _is_list(item: object) -> bool:
    return isinstance(item, (list, tuple, range)) or isinstance(item, np.ndarray) and item.ndim > 0


def _depth(pylist: Any) -> tuple[int, bool]:
    """Returns how deep lists are nested, and whether there is any scalar.

    Raises: ValueError: if scalars are at different depths.
    """
    if not _is_list(pylist):
        return 0, True
    depth, items = 1, pylist
    while True:
        lists = [item for item in items if _is_list(item)]
        if len(lists) != len(items):
            if lists:
                raise ValueError("all scalar values must have the same nesting depth")
            return depth, True
        if not lists:
            return depth, False
        depth += 1
        items = list(itertools.chain.from_iterable(lists))


def _refuse_scalar(pylist: Any, ragged_rank: int | None, inner_shape: Any) -> None:
    if ragged_rank:
        raise ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape:
        raise ValueError(f"Invalid pylist={pylist}: incompatible with dim(inner_shape)={len(inner_shape)}")


def _refuse_depth(pylist: object, depth: int, ragged_rank: int | None, inner_shape: Any) -> None:
    if ragged_rank is None:
        return
    if ragged_rank >= depth:
        raise ValueError(
            f"pylist has scalar values depth {depth}, but ragged_rank={ragged_rank} requires scalar value depth "
            f"greater than {ragged_rank}"
        )
    if inner_shape is not None and ragged_rank + len(inner_shape) + 1 != depth:
        raise ValueError(
            f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} and "
            f"dim(inner_shape)={len(inner_shape)}"
        )


def _inner_shape(items: Sequence[Any], rank: int) -> tuple[int, ...]:
    """Returns the shape that all items have, as lists nested `rank` deep.

    Raises: ValueError: if the items are of different shapes.
    """
    shape = []
    for _ in range(rank):
        lengths = {len(item) for item in items}
        if len(lengths) > 1:
            raise ValueError("inner values have inconsistent shape")
        shape.append(next(iter(lengths), 0))
        items = list(itertools.chain.from_iterable(items))
    return tuple(shape)
