"""Sparse tensors that pass through queues, whose elements are dense.

A sparse tensor waits in a map of the process; the number under which it waits goes through the queue instead. With
many elements at once, each row of the sparse tensor waits under a number of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.control_flow.cond import cond
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.shape_context import static_value
from millrace._src.ops import raw
from millrace._src.ops.array.gathering import gather
from millrace._src.ops.array.identity import identity
from millrace._src.ops.array.reshaping import expand_dims, reshape, squeeze
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape
from millrace._src.ops.sparse.sparse_tensor import SparseTensor


class Waiting(NamedTuple):
    """What is known of the sparse tensors that wait under the numbers of one component of a queue.

    Attributes:
      map_name: the name of the map.
      dtype: the dtype of the values.
      rank: the rank of the batch that the numbers make; None if it is not known.
    """

    map_name: str
    dtype: DType
    rank: int | None


def store(tensors: Sequence[Any], is_many: bool, keep_input: object) -> tuple[list[Any], list[Waiting | None]]:
    """Lets the sparse tensors of an element wait.

    Args:
      tensors: tensors and sparse tensors.
      is_many: whether each is a stack of elements.
      keep_input: whether to take the element: a bool scalar, or a vector for the stacked elements.

    Returns: The tensors, with numbers for sparse tensors, and what waits at each component; None for a dense tensor.
    """
    waiting = [_waiting(tensor, is_many) if isinstance(tensor, SparseTensor) else None for tensor in tensors]
    stored = [
        tensor if each is None else _store(tensor, each, is_many, keep_input)
        for tensor, each in zip(tensors, waiting, strict=True)
    ]
    return stored, waiting


def store_lists(
    tensors_list: Sequence[Sequence[Any]], is_many: bool, keep_input: object
) -> tuple[list[list[Any]], list[Waiting | None]]:
    """Does what `store` does for several sources of the same elements, whose sparse tensors wait in the same maps."""
    first, waiting = store(tensors_list[0], is_many, keep_input)
    others = [
        [
            tensor if each is None else _store(tensor, each, is_many, keep_input)
            for tensor, each in zip(tensors, waiting, strict=False)
        ]
        for tensors in tensors_list[1:]
    ]
    return [first, *others], waiting


def _waiting(sparse: SparseTensor, is_many: bool) -> Waiting:
    kind = "AddManySparseToTensorsMap" if is_many else "AddSparseToTensorsMap"
    scope = state.graph.get_name_scope()
    rank = sparse.shape.rank
    name = state.graph.unique_name(kind, mark_as_used=False) if scope else kind
    return Waiting(name, sparse.dtype, rank if rank is None or is_many else rank + 1)


def _store(sparse: SparseTensor, waiting: Waiting, is_many: bool, keep_input: Any) -> Any:
    add = _add_many if is_many else _add
    if keep_input.shape.rank == 1:
        numbers = add(_keep_rows(sparse, keep_input), waiting.map_name)
    elif static_value(keep_input) is not None:
        numbers = add(sparse, waiting.map_name)
    else:
        nothing = shape(sparse.dense_shape)[:0] if not is_many else sparse.dense_shape[:1]
        numbers = cond(
            keep_input,
            lambda: add(sparse, waiting.map_name),
            lambda: raw.Fill(dims=nothing, value=convert_to_tensor(-1, dtype=int64)),
        )
    return expand_dims(numbers, [-1])


def _keep_rows(sparse: SparseTensor, keep_input: Any) -> SparseTensor:
    """Returns the sparse tensor with only those values whose row is kept; other rows are empty."""
    is_kept = gather(keep_input, sparse.indices[:, 0])
    kept = reshape(where(is_kept), [-1])
    return SparseTensor(gather(sparse.indices, kept), gather(sparse.values, kept), identity(sparse.dense_shape))


def _add(sparse: SparseTensor, map_name: str) -> Any:
    return raw.AddSparseToTensorsMap(**_parts(sparse), shared_name=map_name)


def _add_many(sparse: SparseTensor, map_name: str) -> Any:
    return raw.AddManySparseToTensorsMap(**_parts(sparse), shared_name=map_name)


def _parts(sparse: SparseTensor) -> dict[str, Any]:
    return {
        "sparse_indices": sparse.indices,
        "sparse_values": sparse.values,
        "sparse_shape": sparse.dense_shape,
    }


def restore(tensors: Sequence[Any], waiting: Sequence[Waiting | None]) -> list[Any]:
    """Returns what came out of a queue, with the sparse tensors that waited under their numbers.

    Args:
      tensors: the dequeued tensors.
      waiting: what waits at each component.
    """
    if not any(each is not None for each in waiting):
        return list(tensors)
    restored = [tensor if each is None else _take(tensor, each) for tensor, each in zip(tensors, waiting, strict=True)]
    if len(restored) == 1:
        return restored
    # A run that takes one of them takes all: a tensor that stayed behind would wait in its map for ever.
    operations = [item.op for item in restored]
    return [_after([op for op in operations if op is not item.op], item) for item in restored]


def _take(numbers: Any, waiting: Waiting) -> SparseTensor:
    # The dequeued numbers have a last axis of one, so that a queue that pads has nothing to pad.
    parts = raw.TakeManySparseFromTensorsMap(
        sparse_handles=squeeze(numbers, [1]), dtype=waiting.dtype, shared_name=waiting.map_name
    )
    indices, values, dense_shape = parts
    if waiting.rank is not None:
        indices.set_shape([None, waiting.rank])
        dense_shape.set_shape([waiting.rank])
    return SparseTensor(indices, values, dense_shape)


def _after(operations: Sequence[Any], item: Any) -> Any:
    with state.graph.control_dependencies(operations):
        if isinstance(item, SparseTensor):
            parts = (item.indices, item.values, item.dense_shape)
            return SparseTensor(*(identity(part, name="control_dependency") for part in parts))
        return identity(item, name="control_dependency")
