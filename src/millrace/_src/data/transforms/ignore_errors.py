"""`Dataset.ignore_errors`: the elements that do not fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, UNKNOWN, PassContext, UnaryNode, node_of
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@dataclass(eq=False, repr=False)
class IgnoreErrorsNode(UnaryNode):
    """The elements of the source that do not fail."""

    log_warning: bool

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return IgnoreErrorsCursor(self.source.cursor(context), self.log_warning)


class IgnoreErrorsCursor(Cursor):
    """Asks again after an error."""

    __slots__ = ("_log_warning", "_source")

    def __init__(self, source: Cursor, log_warning: bool) -> None:
        self._source, self._log_warning = source, log_warning

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements."""
        while True:
            try:
                return self._source.next_block(limit)
            except Exception as error:
                if self._log_warning:
                    get_logger().warning("Error raised with error message %s", error)

    def save(self) -> State:
        """Returns the state of the source."""
        return self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._source.restore(state)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


@op("IgnoreErrorsDataset", "input_dataset: variant -> handle: variant", **DATASET)
def ignore_errors_dataset(
    xp: Xp,
    input_dataset: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    log_warning: bool = False,
) -> Any:
    """Makes a dataset of the elements that do not fail."""
    return IgnoreErrorsNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), log_warning)


@op("ExperimentalIgnoreErrorsDataset", "input_dataset: variant -> handle: variant", **DATASET)
def experimental_ignore_errors_dataset(
    xp: Xp,
    input_dataset: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    log_warning: bool = False,
) -> Any:
    """Makes a dataset of the elements that do not fail."""
    kernel = ignore_errors_dataset.op_def.kernel
    return kernel(xp, input_dataset, output_types=output_types, output_shapes=output_shapes, log_warning=log_warning)


def ignore_errors(self: DatasetBase, log_warning: bool = False, name: str | None = None) -> Any:
    """Leaves out elements that fail.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
    >>> dataset = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "not a number"))
    >>> list(dataset.ignore_errors().as_numpy_iterator())
    [np.float32(1.0), np.float32(0.5), np.float32(0.25)]

    Args:
      log_warning: whether each error is logged as a warning.
      name: accepted for compatibility; the op has no attribute for a name.

    Returns: A Dataset.
    """
    op, spec = ignore_errors_dataset, self.element_spec
    return apply_op("_IgnoreErrorsDataset", op, [self], spec, inputs=[self], log_warning=log_warning)


@export("data.experimental.ignore_errors")
def ignore_errors_transformation(log_warning: bool = False) -> Callable[[Any], Any]:
    """Returns `Dataset.ignore_errors` as a function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.range(2).apply(tf.data.experimental.ignore_errors())
    >>> list(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1)]

    Args:
      log_warning: whether each error is logged as a warning.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: ignore_errors(dataset, log_warning)
