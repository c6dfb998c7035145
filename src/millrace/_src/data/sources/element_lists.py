"""`tf.data.experimental.from_list`: elements that are in memory, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, Column, column_of
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import metadata as metadata_of
from millrace._src.data.dataset_base import new_dataset
from millrace._src.data.nodes import DATASET, DatasetNode, PassContext, position_cursor
from millrace._src.data.structure import ElementStructure, common_spec, normalize_leaves, spec_of
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class ListNode(DatasetNode):
    """Elements in memory.

    Attributes:
      block: the elements.
    """

    block: Block

    def cardinality(self) -> int:
        """Returns the number of elements."""
        return self.block.count

    @property
    def is_random_access(self) -> bool:
        """True."""
        return True

    def slice(self, start: int, stop: int) -> Block:
        """Returns elements that follow one another; views."""
        return self.block.part(start, stop)

    def gather(self, indices: Array) -> Block:
        """Returns copies of the elements at positions."""
        return self.block.gather(indices)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first element."""
        return position_cursor(self)


@op(
    "ListDataset",
    "tensors: Tinput_types -> handle: variant",
    Tinput_types=TypeList(ANY, minimum=1),
    **DATASET,
)
def list_dataset(
    xp: Xp,
    tensors: list[Array],
    *,
    Tinput_types: list[DType],
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of elements, whose tensors follow one another."""
    width = len(output_types)
    columns: list[Column] = [column_of(tensors[index::width]) for index in range(width)]
    return ListNode(tuple(output_types), tuple(output_shapes), Block(columns, len(tensors) // width))


@export("data.experimental.from_list")
def from_list(elements: Any, name: str | None = None) -> Any:
    """Makes a dataset of the elements of a list.

    >>> dataset = tf.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> list(dataset.as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]

    Args:
      elements: a list of nests of values that convert to tensors, all of the same structure and dtypes; shapes may
        differ.
      name: a name for the dataset.

    Returns: A Dataset with an element for each item; dimensions in which the items differ are unknown in its
      `element_spec`.
    Raises: ValueError: if `elements` is not a list, is empty, or its items differ in structure or dtypes.
    """
    if not isinstance(elements, list) and elements:
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    items = [normalize_leaves(element) for element in elements]
    structure = ElementStructure(_common_spec([spec_of(item) for item in items]))
    tensors = [tensor for item in items for tensor in structure.flatten(item)]
    attrs = {"output_types": structure.dtypes, "output_shapes": structure.shapes, **metadata_of(name)}
    return new_dataset("_ListDataset", list_dataset(tensors, **attrs), structure.spec)


def _common_spec(specs: Sequence[Any]) -> Any:
    """Returns the nest of specs that all items satisfy.

    Raises: ValueError: if items differ in structure or dtypes.
    """
    common = specs[0]
    for index, spec in enumerate(specs[1:], 1):
        nest.assert_same_structure(specs[0], spec)
        wider = common_spec(common, spec)
        if wider is None:
            raise ValueError(
                "Invalid `elements`. All elements should have the same dtypes; element 0 is "
                f"{specs[0]}, element {index} is {spec}."
            )
        common = wider
    return common
