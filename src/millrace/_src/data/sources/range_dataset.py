"""`Dataset.range`: the numbers of an arithmetic sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, int64
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, INFINITE, DatasetNode, PassContext, position_cursor, scalar_of

_LARGEST = (1 << 63) - 1


@dataclass(eq=False, repr=False)
class RangeNode(DatasetNode):
    """The numbers from `start` up to `stop`, without it, in steps."""

    start: int
    stop: int
    step: int

    def cardinality(self) -> int:
        """Returns how many numbers there are; a range up to the largest number counts as infinite."""
        numbers = range(self.start, self.stop, self.step)
        return INFINITE if self.stop == _LARGEST and numbers else len(numbers)

    @property
    def is_random_access(self) -> bool:
        """Whether the range ends."""
        return self.cardinality() >= 0

    @property
    def has_positions(self) -> bool:
        """True."""
        return True

    def slice(self, start: int, stop: int) -> Block:
        """Returns the numbers at positions from `start` up to `stop`."""
        return self.gather(np.arange(start, stop))

    def gather(self, indices: Array) -> Block:
        """Returns the numbers at positions."""
        numbers = self.start + indices * self.step
        return Block([numbers.astype(self.dtypes[0].np_dtype, copy=False)], len(indices))

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first number."""
        return position_cursor(self)

    def __repr__(self) -> str:
        return f"<RangeDatasetOp({self.start}, {self.stop}, {self.step})::Dataset>"


@op("RangeDataset", "start: int64, stop: int64, step: int64 -> handle: variant", **DATASET)
def range_dataset(
    xp: Xp,
    start: Array,
    stop: Array,
    step: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
    replicate_on_split: bool = False,
) -> Any:
    """Makes a dataset of the numbers of an arithmetic sequence."""
    if not scalar_of(step, "step"):
        raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
    return RangeNode(
        tuple(output_types),
        tuple(output_shapes),
        scalar_of(start, "start"),
        scalar_of(stop, "stop"),
        scalar_of(step, "step"),
    )


def range_(*args: object, **kwargs: Any) -> Any:
    """Makes a dataset of the numbers from `start` up to `stop`, without it, in steps.

    >>> list(tf.data.Dataset.range(5).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2), np.int64(3), np.int64(4)]
    >>> list(tf.data.Dataset.range(5, 1, -2, output_type=tf.int32).as_numpy_iterator())
    [np.int32(5), np.int32(3)]

    Args:
      *args: `stop`; or `start, stop`; or `start, stop, step`: scalars of int64.
      **kwargs: `output_type`, the dtype of the elements, int64 by default; `name`, a name for the dataset.

    Returns: A Dataset of scalars.
    Raises:
      ValueError: if there are none or more than three positional arguments.
      tf.errors.InvalidArgumentError: if the step is 0.
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
    spec = TensorSpec([], as_dtype(kwargs.get("output_type", int64)))
    ends = [int64_tensor(start, "start"), int64_tensor(stop, "stop"), int64_tensor(step, "step")]
    return apply_op("_RangeDataset", range_dataset, ends, spec, name=kwargs.get("name"))
