"""`Dataset.from_tensors` and `Dataset.from_tensor_slices`: elements that are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.aligned_memory import take
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dimension import Dimension
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import metadata as metadata_of
from millrace._src.data.dataset_base import new_dataset
from millrace._src.data.nodes import DATASET_OF_COMPONENTS, DatasetNode, PassContext, position_cursor
from millrace._src.data.structure import ElementStructure, normalize_leaves, spec_of
from millrace._src.util import nest


@dataclass(eq=False, repr=False)
class TensorNode(DatasetNode):
    """One element."""

    components: Sequence[Array]

    def cardinality(self) -> int:
        """Returns 1."""
        return 1

    @property
    def is_random_access(self) -> bool:
        """True."""
        return True

    def gather(self, indices: Array) -> Block:
        """Returns the element, as often as its position is given."""
        count = len(indices)
        if count == 1:
            return Block.of_row(self.components)
        return Block([np.broadcast_to(a, (count, *a.shape)) for a in self.components], count)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts before the element."""
        return position_cursor(self)


@dataclass(eq=False, repr=False)
class TensorSliceNode(DatasetNode):
    """The slices of tensors along their first axis."""

    components: Sequence[Array]

    def cardinality(self) -> int:
        """Returns the size of the first axis."""
        return len(self.components[0]) if self.components else 0

    @property
    def is_random_access(self) -> bool:
        """True."""
        return True

    def slice(self, start: int, stop: int) -> Block:
        """Returns slices that follow one another; views of the tensors."""
        return Block([a[start:stop] for a in self.components], stop - start)

    def gather(self, indices: Array) -> Block:
        """Returns copies of the slices at positions."""
        return Block([take(a, indices) for a in self.components], len(indices))

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first slice."""
        return position_cursor(self)


@op("TensorDataset", "components: Toutput_types -> handle: variant", **DATASET_OF_COMPONENTS)
def tensor_dataset(
    xp: Xp,
    components: list[Array],
    *,
    Toutput_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of one element."""
    return TensorNode(tuple(Toutput_types), tuple(output_shapes), components)


@op("TensorSliceDataset", "components: Toutput_types -> handle: variant", **DATASET_OF_COMPONENTS)
def tensor_slice_dataset(
    xp: Xp,
    components: list[Array],
    *,
    Toutput_types: list[DType],
    output_shapes: list[TensorShape],
    is_files: bool = False,
    metadata: str = "",
    replicate_on_split: bool = False,
) -> Any:
    """Makes a dataset of the slices of tensors."""
    first = components[0]
    for index, array in enumerate(components):
        if array.ndim == 0:
            raise errors.InvalidArgumentError(None, None, "All components must be at least 1-dimensional")
        if len(array) != len(first):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"All components must have the same size in the 0th dimension; component {index} has {len(array)}, "
                f"component 0 has {len(first)}.",
            )
    return TensorSliceNode(tuple(Toutput_types), tuple(output_shapes), components)


def from_tensors(tensors: object, name: str | None = None) -> Any:
    """Makes a dataset of one element.

    >>> list(tf.data.Dataset.from_tensors(([1, 2], "a")).as_numpy_iterator())
    [(array([1, 2], dtype=int32), b'a')]

    Args:
      tensors: the element, a nest of values that convert to tensors.
      name: a name for the dataset.

    Returns: A Dataset.
    """
    element = normalize_leaves(tensors)
    structure = ElementStructure(spec_of(element))
    handle = tensor_dataset(structure.flatten(element), output_shapes=structure.shapes, **metadata_of(name))
    return new_dataset("_TensorDataset", handle, structure.spec)


def from_tensor_slices(tensors: object, name: str | None = None) -> Any:
    """Makes a dataset of the slices of tensors along their first axis.

    >>> list(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [5, 6]}).as_numpy_iterator())
    [{'a': np.int32(1), 'b': np.int32(5)}, {'a': np.int32(2), 'b': np.int32(6)}]

    Args:
      tensors: a nest of values that convert to tensors of at least one dimension, all with the same first one.
      name: a name for the dataset.

    Returns: A Dataset with as many elements as the tensors have slices.
    Raises:
      ValueError: if a tensor is a scalar, or first dimensions differ.
    """
    batch = normalize_leaves(tensors)
    structure = ElementStructure(spec_of(batch))
    components = structure.flatten_batch(batch)
    _check_first_dimensions([tensor.shape for tensor in components])
    spec = nest.map_structure(lambda leaf: leaf._unbatch(), structure.spec)
    of_slices = ElementStructure(spec)
    handle = tensor_slice_dataset(components, output_shapes=of_slices.shapes, **metadata_of(name))
    return new_dataset("_TensorSliceDataset", handle, spec)


def _check_first_dimensions(shapes: Sequence[TensorShape]) -> None:
    """Refuses tensors of which no slices can be made together."""
    if not shapes:
        raise ValueError("Invalid `element`. `element` should not be empty.")
    common = Dimension(None)
    for shape in shapes:
        if shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        if shape.rank is not None:
            dimension = Dimension(shape[0])
            common.assert_is_compatible_with(dimension)
            common = common.merge_with(dimension)
