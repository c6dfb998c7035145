"""`Dataset.flat_map`: the elements of the datasets that a function returns, one dataset after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.inner_passes import InnerCursor, InnerDatasetsNode, trace_dataset_function
from millrace._src.data.nodes import DATASET, PassContext, node_of
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.ops.type_sets import ANY


@dataclass(eq=False, repr=False)
class FlatMapNode(InnerDatasetsNode):
    """The elements of the datasets that a function returns."""

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return FlatMapCursor(self.function, self.source.cursor(context), context)


class FlatMapCursor(Cursor):
    """Goes through the datasets of the elements, one at a time."""

    __slots__ = ("_function", "_inner", "_context", "_source")

    def __init__(self, function: BoundFunction, source: Cursor, context: PassContext) -> None:
        self._function, self._source, self._context = function, source, context
        self._inner: InnerCursor | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns elements of the current dataset; after the last one, elements of the next dataset that has some."""
        while True:
            inner = self._inner
            if inner is None:
                element = self._source.next_block(1)
                if element is None:
                    return None
                inner = self._inner = InnerCursor(self._function, element.row(0), self._context)
            block = inner.next_block(limit)
            if block is not None:
                return block
            self._inner = None
            inner.close()

    def save(self) -> State:
        """Returns the state of the source, and that of the current dataset."""
        return self._source.save(), None if self._inner is None else self._inner.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, inner = state
        self._source.restore(source)
        self._inner = None if inner is None else InnerCursor.from_state(inner, self._function, self._context)

    def close(self) -> None:
        """Closes the current dataset and the source."""
        if self._inner is not None:
            self._inner.close()
        self._source.close()


@op(
    "FlatMapDataset",
    "input_dataset: variant, other_arguments: Targuments -> handle: variant",
    Targuments=TypeList(ANY),
    **DATASET,
)
def flat_map_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of the datasets that a function returns."""
    function = BoundFunction(f, other_arguments)
    return FlatMapNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), function)


def flat_map(self: DatasetBase, map_func: Callable[..., Any], name: str | None = None) -> Any:
    """Replaces each element by the elements of a dataset.

    >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    >>> list(dataset.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
    [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]

    Args:
      map_func: takes the components of an element and returns a dataset.
      name: a name for the dataset.

    Returns: A Dataset of the elements of these datasets, one dataset after the other.
    Raises: TypeError: if the function returns something else.
    """
    function = trace_dataset_function(self, map_func, "Dataset.flat_map()")
    return apply_op(
        "_FlatMapDataset",
        flat_map_dataset,
        [self, function.captures],
        function.output.spec.element_spec,
        inputs=[self],
        functions=[function],
        name=name,
        f=function.graph_function,
    )
