"""Batching rules of the ops that read Examples: the Examples of all rows are read as one batch.

`vectorized_map` over `tf.io.parse_single_example`, or a dataset that maps it, so becomes one `ParseExampleV2`. That
needs features whose size does not depend on the Example; sparse, ragged and padded features are left to the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue, by_name, fold, unfold


def as_batch(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Reads the single Example, or the vector of Examples, of each row as one batch."""
    if not _is_uniform(operation):
        return None
    serialized, names = arguments[:2]
    if operation.inputs[0].shape.rank is None or any(argument.is_batched for argument in arguments[2:]):
        return None
    is_named = operation.inputs[1].shape.num_elements() != 0
    examples = rows.spread(serialized)
    tensors = [a.tensor for a in arguments]
    tensors[:2] = examples, rows.spread(names) if is_named else names.tensor
    if operation.inputs[0].shape.rank == 0:
        return call(operation, tensors)
    tensors[:2] = [fold(tensor) if tensor.shape.rank == 2 else tensor for tensor in tensors[:2]]
    return [unfold(tensor, examples) for tensor in call(operation, tensors)]


def single_as_batch(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Reads the Example of each row of a `ParseSingleExample` as a batch, by a `ParseExampleV2`."""
    if not _is_uniform(operation) or any(argument.is_batched for argument in arguments[1:]):
        return None
    named = by_name(operation, arguments)
    attrs = operation.attrs
    return list(
        raw.ParseExampleV2(
            serialized=rows.spread(named["serialized"]),
            names=raw.Empty(shape=[0], dtype="string"),
            sparse_keys=raw.Empty(shape=[0], dtype="string"),
            dense_keys=list(attrs["dense_keys"]),
            ragged_keys=raw.Empty(shape=[0], dtype="string"),
            dense_defaults=[value.tensor for value in named["dense_defaults"]],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=attrs["dense_shapes"],
        ).dense_values
    )


def _is_uniform(operation: Operation) -> bool:
    """Returns whether an operation has only features of a size that does not depend on the Example."""
    attrs = operation.attrs
    if attrs["sparse_types"] or attrs.get("ragged_value_types"):
        return False
    return all(shape.is_fully_defined() for shape in attrs["dense_shapes"])
