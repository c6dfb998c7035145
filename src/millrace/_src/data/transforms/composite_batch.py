"""`Dataset.ragged_batch`: elements of different shapes stacked as ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.dtypes import int64
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset_base import DatasetBase, new_dataset
from millrace._src.data.structure import ElementStructure
from millrace._src.data.transforms.batch import batch
from millrace._src.data.transforms.map_elements import map_
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.util import nest
from millrace._src.util.export import export


def ragged_batch(
    self: DatasetBase,
    batch_size: object,
    drop_remainder: object = False,
    row_splits_dtype: DTypeLike = int64,
    name: str | None = None,
) -> Any:
    """Stacks consecutive elements, those of different shapes as ragged tensors.

    >>> dataset = tf.data.Dataset.range(4).map(lambda x: tf.fill([x], x))
    >>> list(dataset.ragged_batch(3))
    [<tf.RaggedTensor [[], [1], [2, 2]]>, <tf.RaggedTensor [[3, 3, 3]]>]

    Elements whose shapes are known are stacked as by `Dataset.batch`:

    >>> list(tf.data.Dataset.range(3).ragged_batch(2).as_numpy_iterator())
    [array([0, 1]), array([2])]

    Args:
      batch_size: how many elements make a batch; a scalar of int64.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      row_splits_dtype: the dtype of the row splits of ragged tensors.
      name: a name for the dataset.

    Returns: A Dataset of batches.
    Raises:
      tf.errors.InvalidArgumentError: if the size is not positive; while iterating, if elements of a batch have
        different numbers of dimensions.
    """
    return batch(_make_elements_ragged(self, row_splits_dtype), batch_size, drop_remainder, name=name)


def _make_elements_ragged(dataset: DatasetBase, row_splits_dtype: DTypeLike) -> DatasetBase:
    """Returns a dataset whose elements of unknown size travel as ragged tensors do."""
    spec = nest.map_structure(lambda leaf: _ragged_spec(leaf, row_splits_dtype), dataset.element_spec)
    if all(isinstance(leaf, TensorSpec) for leaf in nest.flatten(spec)):
        return dataset
    structure, is_tuple = ElementStructure(spec), type(spec) is tuple

    def encode(*components: object) -> Any:
        element = components if is_tuple else components[0]
        return tuple(structure.flatten(nest.map_structure(_as_ragged, spec, element)))

    encoded = map_(dataset, encode)
    result: DatasetBase = new_dataset("_DenseToRaggedDataset", encoded._variant_tensor, spec, [dataset])
    return result


def _ragged_spec(leaf: object, row_splits_dtype: DTypeLike) -> Any:
    """Returns the spec by which a leaf is stacked: ragged up to its last dimension of unknown size."""
    if not isinstance(leaf, TensorSpec) or leaf.shape.rank is None or leaf.shape.is_fully_defined():
        return leaf
    ragged_rank = max(axis for axis, size in enumerate(leaf.shape.as_list()) if size is None)
    return RaggedTensorSpec(leaf.shape, leaf.dtype, ragged_rank, row_splits_dtype)


def _as_ragged(spec: object, value: object) -> Any:
    """Returns a value that is of the spec; a dense tensor becomes ragged where the spec is."""
    if not isinstance(spec, RaggedTensorSpec) or spec.ragged_rank < 1 or isinstance(value, RaggedTensor):
        return value
    return RaggedTensor.from_tensor(value, ragged_rank=spec.ragged_rank, row_splits_dtype=spec.row_splits_dtype)


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: TensorLike, drop_remainder: TensorLike = False, row_splits_dtype: DTypeLike = int64
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
