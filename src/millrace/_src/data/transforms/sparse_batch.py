"""`Dataset.sparse_batch`: elements of different shapes stacked as sparse tensors.

All elements of the dense tensors become elements of the sparse tensor, zeros too: where a row ends, the sparse tensor
has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape, as_shape, unknown_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.data.blocks import Block, rows_of_column
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, node_of, scalar_of
from millrace._src.data.transforms.batch import BatchNode
from millrace._src.ops.sparse.serialized import HeldTensor
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets


@dataclass(eq=False, repr=False)
class SparseBatchNode(BatchNode):
    """Sparse tensors of consecutive elements.

    Attributes:
      row_shape: the dense shape of an element; -1 where the largest element of a batch decides.
    """

    row_shape: tuple[int, ...]

    def stack(self, elements: Block, size: int) -> Block:
        """Returns elements as sparse tensors of `size` rows; `size` divides their number."""
        arrays = rows_of_column(elements.columns[0])
        batches = [self._batch(arrays[start : start + size]) for start in range(0, elements.count, size)]
        return Block([np.stack(batches)], len(batches))

    def _batch(self, arrays: Sequence[Array]) -> Array:
        """Returns the variants of one sparse tensor."""
        dims = np.array([self._validate(array).shape for array in arrays], np.int64).reshape(len(arrays), -1)
        row_shape = [int(dims[:, axis].max()) if dim < 0 else dim for axis, dim in enumerate(self.row_shape)]
        dtype = as_dtype(arrays[0].dtype)
        entries = np.empty(3, object)
        entries[:] = [
            HeldTensor(coordinates_of(dims), int64),
            HeldTensor(np.concatenate([array.reshape(-1) for array in arrays]), dtype),
            HeldTensor(np.array([len(arrays), *row_shape], np.int64), int64),
        ]
        return entries

    def _validate(self, array: Array) -> Array:
        """Returns an element that fits into a row.

        Raises:
          InvalidArgumentError: if it has another number of dimensions.
          DataLossError: if it is larger.
        """
        if array.ndim != len(self.row_shape):
            raise invalid(
                f"Input element had shape ({shape_brackets(array.shape)}) that is incompatible with the row shape "
                f"({shape_brackets(self.row_shape)})."
            )
        if any(0 <= limit < size for size, limit in zip(array.shape, self.row_shape, strict=True)):
            raise errors.DataLossError(
                None,
                None,
                f"Input element had shape ({shape_brackets(array.shape)}) that is larger than the row shape "
                f"({shape_brackets(self.row_shape)}).",
            )
        return array


def coordinates_of(dims: Array) -> Array:
    """Returns the coordinates of all elements of dense tensors that are rows of a sparse tensor.

    Args:
      dims: int64 `[rows, rank]`: the shape of each dense tensor.

    Returns: int64 `[elements, 1 + rank]`, row by row.
    """
    sizes = dims.prod(axis=1)
    rows = np.repeat(np.arange(len(dims)), sizes)
    position = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    coordinates = np.empty((len(rows), 1 + dims.shape[1]), np.int64)
    coordinates[:, 0] = rows
    for axis in range(dims.shape[1], 0, -1):
        size = dims[rows, axis - 1]
        coordinates[:, axis] = position % size
        position = position // size
    return coordinates


@op(
    "DenseToSparseBatchDataset",
    "input_dataset: variant, batch_size: int64, row_shape: int64 -> handle: variant",
    **DATASET,
)
def dense_to_sparse_batch_dataset(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    row_shape: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of sparse tensors of consecutive elements."""
    size = scalar_of(batch_size, "batch_size")
    if size <= 0:
        raise invalid("Batch size must be greater than zero.")
    if row_shape.ndim != 1:
        raise invalid("row_shape must be a vector")
    source = node_of(input_dataset)
    return SparseBatchNode(
        tuple(output_types), tuple(output_shapes), source, size, False, tuple(map(int, row_shape.tolist()))
    )


def sparse_batch(self: DatasetBase, batch_size: object, row_shape: object, name: str | None = None) -> Any:
    """Stacks consecutive elements of different shapes as sparse tensors.

    >>> dataset = tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x))
    >>> [tf.sparse.to_dense(batch).numpy().tolist() for batch in dataset.sparse_batch(3, [4])]
    [[[0, 0, 0, 0], [1, 0, 0, 0], [2, 2, 0, 0]]]

    Args:
      batch_size: how many elements make a batch; a scalar of int64. The last batch may have fewer.
      row_shape: the shape of the dense form of an element; None for a dimension that the largest element decides.
      name: accepted for compatibility; the op has no attribute for a name.

    Returns: A Dataset of `tf.SparseTensor`s.
    Raises:
      TypeError: if an element has several components.
      ValueError: if `row_shape` is not a shape.
      tf.errors.InvalidArgumentError: if the size is not positive; while iterating, if an element has another number of
        dimensions.
      tf.errors.DataLossError: while iterating, if an element is larger than `row_shape`.
    """
    if not isinstance(self.element_spec, TensorSpec):
        raise TypeError(
            "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the given "
            f"dataset has the following component types: {self._structure.dtypes}."
        )
    size, static = int64_tensor(batch_size, "batch_size"), _static_row_shape(row_shape)
    dims = row_shape if isinstance(row_shape, Tensor) else [-1 if dim is None else dim for dim in static.as_list()]
    spec = SparseTensorSpec(TensorShape([None]).concatenate(static), self.element_spec.dtype)
    arguments = [self, size, convert_to_tensor(dims, dtype=int64)]
    return apply_op("_DenseToSparseBatchDataset", dense_to_sparse_batch_dataset, arguments, spec, inputs=[self])


def _static_row_shape(row_shape: object) -> TensorShape:
    """Returns what is known of the shape of a row."""
    if not isinstance(row_shape, Tensor):
        return as_shape(row_shape)
    known = static_value(row_shape)
    if known is None:
        return TensorShape(None) if not row_shape.shape.rank else unknown_shape(row_shape.shape[0])
    return TensorShape([None if dim < 0 else int(dim) for dim in known.tolist()])


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: TensorLike, row_shape: TensorLike) -> Callable[[Any], Any]:
    """Returns `Dataset.sparse_batch` as a function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.range(2).map(lambda x: tf.fill([x], x))
    >>> [batch.values.numpy().tolist() for batch in dataset.apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))]
    [[1]]

    Args:
      batch_size: as for `Dataset.sparse_batch`.
      row_shape: as for `Dataset.sparse_batch`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: sparse_batch(dataset, batch_size, row_shape)
