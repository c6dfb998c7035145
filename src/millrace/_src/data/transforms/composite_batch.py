"""`Dataset.ragged_batch` and `sparse_batch`, which wait for ragged and sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core import errors
from millrace._src.core.dtypes import int64
from millrace._src.core.specs import TensorSpec
from millrace._src.data.base import DatasetBase
from millrace._src.data.transforms.batch import batch
from millrace._src.util.export import export


def ragged_batch(
    self: DatasetBase,
    batch_size: Any,
    drop_remainder: Any = False,
    row_splits_dtype: Any = int64,
    name: str | None = None,
) -> Any:
    """Stacks consecutive elements, those of different shapes as ragged tensors, which Millrace does not have yet.

    Elements whose shapes are known are stacked as by `Dataset.batch`:

    >>> list(tf.data.Dataset.range(3).ragged_batch(2).as_numpy_iterator())
    [array([0, 1]), array([2])]

    Args:
      batch_size: how many elements make a batch; a scalar of int64.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      row_splits_dtype: the dtype of the row splits of ragged tensors.
      name: a name for the dataset.

    Returns: A Dataset of batches.
    Raises: tf.errors.UnimplementedError: if the shape of a component is not known.
    """
    for leaf in self._structure.leaves:
        if not isinstance(leaf, TensorSpec) or not leaf.shape.is_fully_defined():
            message = "Dataset.ragged_batch() returns a RaggedTensor for"
            message = (
                f"{message} {leaf}, which Millrace does not have yet. Dataset.padded_batch() pads such components."
            )
            raise errors.UnimplementedError(None, None, message)
    return batch(self, batch_size, drop_remainder, name=name)


def sparse_batch(self: DatasetBase, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
    """Raises UnimplementedError: batches would be sparse tensors, which Millrace does not have yet.

    Args:
      batch_size: how many elements make a batch; a scalar of int64.
      row_shape: the shape of the dense form of an element.
      name: a name for the dataset.

    Raises:
      TypeError: if an element has several components.
      tf.errors.UnimplementedError: always otherwise.
    """
    if not isinstance(self.element_spec, TensorSpec):
        raise TypeError(
            "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the given "
            f"dataset has the following component types: {self._structure.dtypes}."
        )
    message = "Dataset.sparse_batch() returns a SparseTensor, which Millrace does not have yet."
    raise errors.UnimplementedError(None, None, f"{message} Dataset.padded_batch() pads elements of different shapes.")


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64
) -> Callable[[Any], Any]:
    """Returns `Dataset.ragged_batch` as a function for `Dataset.apply`.

    >>> list(tf.data.Dataset.range(2).apply(tf.data.experimental.dense_to_ragged_batch(2)).as_numpy_iterator())
    [array([0, 1])]

    Args:
      batch_size: as for `Dataset.ragged_batch`.
      drop_remainder: as for `Dataset.ragged_batch`.
      row_splits_dtype: as for `Dataset.ragged_batch`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: ragged_batch(dataset, batch_size, drop_remainder, row_splits_dtype)


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Callable[[Any], Any]:
    """Returns `Dataset.sparse_batch` as a function for `Dataset.apply`; a call of it raises UnimplementedError.

    >>> transformation = tf.data.experimental.dense_to_sparse_batch(2, [3])
    >>> try:
    ...     tf.data.Dataset.range(2).apply(transformation)
    ... except tf.errors.UnimplementedError as error:
    ...     print(error.message.partition(",")[0])
    Dataset.sparse_batch() returns a SparseTensor

    Args:
      batch_size: as for `Dataset.sparse_batch`.
      row_shape: as for `Dataset.sparse_batch`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: sparse_batch(dataset, batch_size, row_shape)
