"""`Dataset.filter`: the elements for which a predicate is true.

Tests: tests/data/transforms/test_map_elements.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, bool_
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, PassingCursor
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.data.traced_functions import (
    AppliedFunction,
    Applying,
    BoundFunction,
    TracedFunction,
    arguments_of,
    check_callable,
)
from millrace._src.ops.type_sets import ANY


@dataclass(eq=False, repr=False)
class FilterNode(UnaryNode):
    """The elements for which a predicate is true."""

    predicate: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return FilterCursor(AppliedFunction(self.predicate, self.source.cursor(context)))


class FilterCursor(PassingCursor):
    """Masks blocks with the predicate's results."""

    __slots__ = ()
    _source: Applying

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements that pass."""
        while True:
            pair = self._source.next_blocks(limit)
            if pair is None:
                return None
            block, passes = pair
            indices = np.flatnonzero(passes.columns[0])
            if len(indices) == block.count:
                return block
            if len(indices):
                return block.gather(indices)


@op(
    "FilterDataset",
    "input_dataset: variant, other_arguments: Targuments -> handle: variant",
    Targuments=TypeList(ANY),
    **DATASET,
)
def filter_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    *,
    predicate: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements for which a predicate is true."""
    function = BoundFunction(predicate, other_arguments)
    return FilterNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), function)


def filter_(self: DatasetBase, predicate: Callable[..., Any], name: str | None = None) -> Any:
    """Keeps the elements for which a predicate is true.

    >>> list(tf.data.Dataset.range(6).filter(lambda x: x % 2 == 1).as_numpy_iterator())
    [np.int64(1), np.int64(3), np.int64(5)]

    Args:
      predicate: takes the components of an element and returns a scalar of bool.
      name: a name for the dataset.

    Returns: A Dataset of the elements that pass.
    Raises:
      ValueError: if `predicate` returns something else.
    """
    function = trace_predicate(self, predicate, "Dataset.filter()")
    return apply_op(
        "_FilterDataset",
        filter_dataset,
        [self, function.captures],
        self.element_spec,
        inputs=[self],
        functions=[function],
        name=name,
        predicate=function.graph_function,
    )


def trace_predicate(dataset: DatasetBase, predicate: Callable[..., Any], caller: str) -> TracedFunction:
    """Traces a predicate of the elements of a dataset.

    Raises: ValueError: if the predicate returns something that is not a scalar of bool.
    """
    check_callable(predicate)
    function = TracedFunction(predicate, arguments_of(dataset.element_spec), caller)
    spec = function.output.spec
    if not isinstance(spec, TensorSpec) or not TensorSpec([], bool_).is_compatible_with(spec):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {spec}."
        )
    return function
