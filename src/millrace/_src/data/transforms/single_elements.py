"""One element of a dataset without an iterator: `Dataset.get_single_element` and `tf.data.experimental.at`."""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.dataset_base import DatasetBase, int64_tensor
from millrace._src.data.dataset_base import metadata as metadata_of
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import (
    ELEMENT_TYPES,
    INFINITE,
    UNKNOWN,
    DatasetNode,
    declared_element_shapes,
    node_of,
    scalar_of,
)
from millrace._src.data.pipeline_optimizer import begin
from millrace._src.util.export import export

_TRAITS: dict[str, Any] = {
    "shape": declared_element_shapes,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.IO,
    "not_differentiable": "an element of a dataset depends on no tensor",
    "not_batched": "a dataset is a scalar",
}


@op("DatasetToSingleElement", "dataset: variant -> components: output_types", output_types=ELEMENT_TYPES, **_TRAITS)
def dataset_to_single_element(
    xp: Xp, dataset: Array, *, output_types: list[DType], output_shapes: list[TensorShape], metadata: str = ""
) -> list[Array]:
    """Returns the only element of a dataset."""
    node = node_of(dataset)
    resource = IteratorResource(node.dtypes, node.shapes)
    resource.start(node)
    row = resource.next_row()
    if row is None:
        raise errors.InvalidArgumentError(None, None, "Dataset was empty.")
    if resource.next_row() is not None:
        raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
    resource.close()
    return row


@op(
    "GetElementAtIndex",
    "dataset: variant, index: int64 -> components: output_types",
    output_types=ELEMENT_TYPES,
    **_TRAITS,
)
def get_element_at_index(
    xp: Xp, dataset: Array, index: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Returns the element of a dataset at a position."""
    return _element_at(node_of(dataset), scalar_of(index, "index"))


def _element_at(node: DatasetNode, index: int) -> list[Array]:
    """Returns the element at a position.

    Raises:
      tf.errors.FailedPreconditionError: if the dataset has no end.
      tf.errors.UnimplementedError: if the number of elements is not known.
      tf.errors.OutOfRangeError: if there is no such position.
    """
    size, kind = node.cardinality(), repr(node).strip("<>")
    if size == INFINITE:
        message = f"Dataset of type {kind} has infinite cardinality, which does not support random access."
        raise errors.FailedPreconditionError(None, None, message)
    if size == UNKNOWN:
        raise errors.UnimplementedError(None, None, f"Random access is not implemented for dataset {kind}")
    if not 0 <= index < size:
        raise errors.OutOfRangeError(None, None, f"Index out of range [0, {size}):{index}")
    return node.slice(index, index + 1).row(0) if node.is_random_access else _element_behind(node, index)


def _element_behind(node: DatasetNode, count: int) -> list[Array]:
    """Returns the element behind the first `count` ones, over which a pass goes."""
    cursor, _ = begin(node)
    block = cursor.next_block(1) if cursor.skip(count) == count else None
    cursor.close()
    if block is None:
        raise errors.OutOfRangeError(
            None, None, f"The dataset has no element {count}, although it has {node.cardinality()}."
        )
    return block.row(0)


def get_single_element(self: DatasetBase, name: str | None = None) -> Any:
    """Returns the only element.

    >>> tf.data.Dataset.range(4).batch(4).get_single_element().numpy()
    array([0, 1, 2, 3])

    Args:
      name: a name for the operation.

    Returns: The nest of tensors of the element.
    Raises: tf.errors.InvalidArgumentError: if there is no element, or more than one.
    """
    types, shapes = self._structure.dtypes, self._structure.shapes
    attrs = {"output_types": types, "output_shapes": shapes, **metadata_of(name)}
    return self._structure.pack(dataset_to_single_element(self._variant_tensor, **attrs))


@export("data.experimental.get_single_element")
def single_element_of(dataset: DatasetBase) -> Any:
    """Returns the only element of a dataset; see `Dataset.get_single_element`.

    >>> tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(3)).numpy()
    np.int32(3)

    Args:
      dataset: the dataset.

    Returns: The nest of tensors of the element.
    Raises:
      TypeError: if `dataset` is not a dataset.
      tf.errors.InvalidArgumentError: if there is no element, or more than one.
    """
    if not isinstance(dataset, DatasetBase):
        raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.")
    return get_single_element(dataset)


@export("data.experimental.at", v1=[])
def at(dataset: DatasetBase, index: object) -> Any:
    """Returns the element of a dataset at a position.

    >>> tf.data.experimental.at(tf.data.Dataset.range(10).batch(2), 3).numpy()
    array([6, 7])

    Where elements cannot be had by position, a pass goes over those before.

    Args:
      dataset: a dataset with a known number of elements.
      index: the position, a scalar of int64.

    Returns: The nest of tensors of the element.
    Raises:
      tf.errors.OutOfRangeError: if there is no such position.
      tf.errors.FailedPreconditionError: if the dataset has no end.
      tf.errors.UnimplementedError: if the number of elements is not known.
    """
    types, shapes = dataset._structure.dtypes, dataset._structure.shapes
    position = int64_tensor(index, "index")
    components = get_element_at_index(dataset._variant_tensor, position, output_types=types, output_shapes=shapes)
    return dataset._structure.pack(components)
