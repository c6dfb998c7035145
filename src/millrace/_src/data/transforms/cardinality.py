"""The number of elements of a dataset: `Dataset.cardinality`, and `assert_cardinality`, which states it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, PassContext, UnaryNode, node_of, scalar_of
from millrace._src.ops.shape_rules import scalar
from millrace._src.util.export import export, export_constant

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN
export_constant(__name__, "INFINITE_CARDINALITY", "data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")
export_constant(__name__, "UNKNOWN_CARDINALITY", "data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")


_TRAITS: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "not_differentiable": "a number of elements",
    "not_batched": "a dataset is a scalar",
}


@op("DatasetCardinality", "input_dataset: variant -> cardinality: int64", **_TRAITS)
def dataset_cardinality(xp: Xp, input_dataset: Array, *, cardinality_options: str = "") -> Any:
    """Returns the number of elements of a dataset, as far as the number is known without going through them."""
    return node_of(input_dataset).cardinality()


@op("ExperimentalDatasetCardinality", "input_dataset: variant -> cardinality: int64", **_TRAITS)
def experimental_dataset_cardinality(xp: Xp, input_dataset: Array) -> Any:
    """Returns the number of elements of a dataset, as far as the number is known without going through them."""
    return node_of(input_dataset).cardinality()


def cardinality(self: DatasetBase) -> Any:
    """Returns the number of elements, as far as it is known without going through them.

    >>> tf.data.Dataset.range(42).batch(5).cardinality().numpy()
    np.int64(9)
    >>> tf.data.Dataset.range(42).repeat().cardinality().numpy() == tf.data.INFINITE_CARDINALITY
    np.True_
    >>> tf.data.Dataset.range(42).filter(lambda x: True).cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY
    np.True_

    Returns: A scalar of int64: the number; -1, `INFINITE_CARDINALITY`, if there is no end; -2, `UNKNOWN_CARDINALITY`,
      if the number is not known.
    """
    return dataset_cardinality(self._variant_tensor)


@export("data.experimental.cardinality")
def cardinality_of(dataset: DatasetBase) -> Any:
    """Returns the number of elements of a dataset, as far as it is known; see `Dataset.cardinality`.

    >>> tf.data.experimental.cardinality(tf.data.Dataset.range(42)).numpy()
    np.int64(42)

    Args:
      dataset: the dataset.

    Returns: A scalar of int64.
    """
    return dataset_cardinality(dataset._variant_tensor)


# --- stating the number ------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class AssertCardinalityNode(UnaryNode):
    """The elements of the source, whose number the user states."""

    expected: int

    def cardinality(self) -> int:
        """Returns the number that the user states."""
        return self.expected

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return AssertCardinalityCursor(self.expected, self.source.cursor(context))


class AssertCardinalityCursor(Cursor):
    """Counts the elements; each one too many, and an end that comes too early or too late, is an error."""

    __slots__ = ("_count", "_expected", "_has_ended", "_source")

    def __init__(self, expected: int, source: Cursor) -> None:
        self._expected, self._source = expected, source
        self._count = 0
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements."""
        if self._has_ended:
            return None
        left = limit if self._expected == INFINITE else self._expected - self._count
        block = self._source.next_block(max(min(limit, left), 1))
        if block is None:
            self._has_ended = True
            if self._expected != self._count:
                raise self._error(f"contained only {_elements(self._count)}.")
            return None
        self._count += block.count
        if left <= 0:
            raise self._error(f"contained at least {_elements(self._count)}.")
        return block

    def _error(self, finding: str) -> Exception:
        infinite = self._expected == INFINITE
        expected = "an infinite number of elements" if infinite else _elements(self._expected)
        message = f"Input dataset was expected to contain {expected} but {finding}"
        return errors.FailedPreconditionError(None, None, message)

    def save(self) -> State:
        """Returns the number of elements so far, and the state of the source."""
        return self._count, self._has_ended, self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._count, self._has_ended, source = state
        self._source.restore(source)

    def close(self) -> None:
        """Closes the source."""
        self._source.close()


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


@op("AssertCardinalityDataset", "input_dataset: variant, cardinality: int64 -> handle: variant", **DATASET)
def assert_cardinality_dataset(
    xp: Xp,
    input_dataset: Array,
    cardinality: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the same elements, whose number is stated."""
    return AssertCardinalityNode(
        tuple(output_types), tuple(output_shapes), node_of(input_dataset), scalar_of(cardinality, "cardinality")
    )


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: TensorLike) -> Callable[[Any], Any]:
    """Returns a function for `Dataset.apply` that states the number of elements of a dataset.

    >>> dataset = tf.data.Dataset.range(42).filter(lambda x: x % 2 == 0)
    >>> dataset = dataset.apply(tf.data.experimental.assert_cardinality(21))
    >>> dataset.cardinality().numpy()
    np.int64(21)

    Args:
      expected_cardinality: the number, or `tf.data.INFINITE_CARDINALITY`; a scalar of int64.

    Returns: A function from datasets to datasets. A pass over the result raises `tf.errors.FailedPreconditionError` if
      there are more elements, or fewer.
    """

    def apply(dataset: DatasetBase) -> Any:
        arguments = [dataset, int64_tensor(expected_cardinality, "expected_cardinality")]
        op, spec = assert_cardinality_dataset, dataset.element_spec
        return apply_op("_AssertCardinalityDataset", op, arguments, spec, inputs=[dataset])

    return apply
