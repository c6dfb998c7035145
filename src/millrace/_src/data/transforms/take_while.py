"""`Dataset.take_while`: the elements up to the first for which a predicate is false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.data.traced_functions import AppliedFunction, BoundFunction
from millrace._src.data.transforms.filter_elements import trace_predicate
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class TakeWhileNode(UnaryNode):
    """The elements up to the first for which a predicate is false."""

    names_functions = False

    predicate: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    @property
    def runs_loop_body(self) -> bool:
        """Whether the source does, up to a `break`."""
        return self.source.runs_loop_body

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return TakeWhileCursor(self.predicate, self.source.cursor(context), self.reads_ahead)


class TakeWhileCursor(Cursor):
    """Ends with the first element that does not pass.

    The number of elements that will pass is unknown. So more than one is asked for at a time only where the elements
    behind the end may be made too.
    """

    __slots__ = ("_applied", "_has_ended", "_reads_ahead")

    def __init__(self, predicate: BoundFunction, source: Cursor, reads_ahead: bool) -> None:
        self._applied = AppliedFunction(predicate, source)
        self._reads_ahead = reads_ahead
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements that pass."""
        if self._has_ended:
            return None
        pair = self._applied.next_blocks(limit if self._reads_ahead else 1)
        if pair is None:
            return None
        block, passes = pair
        refused = np.flatnonzero(np.logical_not(passes.columns[0]))
        if not len(refused):
            return block
        self._has_ended = True
        return block.part(0, int(refused[0])) if refused[0] else None

    def save(self) -> State:
        """Returns whether the pass has ended, and the state of the source."""
        return self._has_ended, self._applied.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._has_ended, applied = state
        self._applied.restore(applied)

    def close(self) -> None:
        """Closes the source."""
        self._applied.close()


_SIGNATURE = "input_dataset: variant, other_arguments: Targuments -> handle: variant"


@op("TakeWhileDataset", _SIGNATURE, Targuments=TypeList(ANY), **DATASET)
def take_while_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    *,
    predicate: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements up to the first for which a predicate is false."""
    function = BoundFunction(predicate, other_arguments)
    return TakeWhileNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), function)


@op("ExperimentalTakeWhileDataset", _SIGNATURE, Targuments=TypeList(ANY), **DATASET)
def experimental_take_while_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    *,
    predicate: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the elements up to the first for which a predicate is false."""
    types = {"output_types": output_types, "output_shapes": output_shapes}
    return take_while_dataset.op_def.kernel(xp, input_dataset, other_arguments, predicate=predicate, **types)


def take_while(self: DatasetBase, predicate: Callable[..., Any], name: str | None = None) -> Any:
    """Takes elements as long as a predicate is true.

    >>> list(tf.data.Dataset.range(10).take_while(lambda x: x < 3).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      predicate: takes the components of an element and returns a scalar of bool.
      name: a name for the dataset.

    Returns: A Dataset that ends before the first element for which the predicate is false.
    Raises: ValueError: if `predicate` is not a function, or returns something else.
    """
    function = trace_predicate(self, predicate, "Dataset.take_while()")
    return apply_op(
        "_TakeWhileDataset",
        take_while_dataset,
        [self, function.captures],
        self.element_spec,
        inputs=[self],
        functions=[function],
        name=name,
        predicate=function.graph_function,
    )


@export("data.experimental.take_while")
def take_while_function(predicate: Callable[..., Any]) -> Callable[[Any], Any]:
    """Returns `Dataset.take_while` as a function for `Dataset.apply`.

    >>> list(tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 2)).as_numpy_iterator())
    [np.int64(0), np.int64(1)]

    Args:
      predicate: as for `Dataset.take_while`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: dataset.take_while(predicate)
