"""`Dataset.interleave`: the elements of several datasets at a time, which take turns (`data/interleaved_passes.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.debug_mode import parallel_calls
from millrace._src.data.inner_passes import InnerDatasetsNode, trace_dataset_function
from millrace._src.data.interleaved_passes import LegacyTurnsCursor, ParallelTurnsCursor, TurnsCursor
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, PassContext, node_of
from millrace._src.data.parallelism import (
    AUTOTUNE,
    CYCLE_LENGTH,
    determinism,
    is_deterministic,
    limit_calls,
    validate_calls,
    warn_of_determinism,
)
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.ops.type_sets import ANY
from millrace._src.util.cores import usable_cores


@dataclass(eq=False, repr=False)
class InterleaveNode(InnerDatasetsNode):
    """The elements of datasets that take turns."""

    cycle_length: int
    block_length: int

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        source = self.source.cursor(context)
        return TurnsCursor(self.function, source, self.cycle_length, self.block_length, context, self.reads_ahead)


@dataclass(eq=False, repr=False)
class ParallelInterleaveNode(InterleaveNode):
    """The elements of datasets that take turns, and may be read before their turn.

    Attributes:
      calls: how many datasets may be read at a time.
      room: how many elements of a dataset may be made before their turn; `AUTOTUNE` for those of a turn.
      waiting: how many datasets may be begun before their first turn; `AUTOTUNE` for as many as calls.
      deterministic: the attribute of the op.
      is_legacy: whether the order is that of the older op.
    """

    calls: int
    room: int
    waiting: int
    deterministic: str
    is_legacy: bool = False

    @property
    def works_ahead(self) -> bool:
        """Whether elements are made before they are asked for: they are."""
        return True

    def cardinality(self) -> int:
        """Returns that the number is not known, or that there is no end, as TensorFlow says."""
        return INFINITE if not self.is_legacy and self.source.cardinality() == INFINITE else UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        kind = LegacyTurnsCursor if self.is_legacy else ParallelTurnsCursor
        allowed = limit_calls(self.calls, context)
        calls = usable_cores() if allowed == AUTOTUNE else allowed
        return kind(
            self.function,
            self.source.cursor(context),
            self.cycle_length,
            self.block_length,
            context,
            self.reads_ahead,
            calls=calls,
            room=self.block_length if self.room == AUTOTUNE else self.room,
            waiting=calls if self.waiting == AUTOTUNE else self.waiting,
            is_ordered=is_deterministic(self.deterministic, context),
        )


@op(
    "InterleaveDataset",
    "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64 -> handle: variant",
    Targuments=TypeList(ANY),
    **DATASET,
)
def interleave_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns."""
    cycle = CYCLE_LENGTH if int(cycle_length) == AUTOTUNE else int(cycle_length)
    for label, value in (("cycle_length", cycle), ("block_length", int(block_length))):
        if value <= 0:
            raise errors.InvalidArgumentError(None, None, f"{label} must be greater than zero.")
    source, function = node_of(input_dataset), BoundFunction(f, other_arguments)
    return InterleaveNode(tuple(output_types), tuple(output_shapes), source, function, cycle, int(block_length))


@op(
    "ParallelInterleaveDatasetV4",
    "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
    "buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64 -> handle: variant",
    Targuments=TypeList(ANY),
    **DATASET,
)
def parallel_interleave_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    buffer_output_elements: Array,
    prefetch_input_elements: Array,
    num_parallel_calls: Array,
    *,
    f: FunctionAttr,
    deterministic: str = "default",
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns, and may be read before their turn."""
    cycle, block, calls = int(cycle_length), int(block_length), int(num_parallel_calls)
    _check_parallel_numbers(cycle, block, int(buffer_output_elements), int(prefetch_input_elements), calls)
    return ParallelInterleaveNode(
        tuple(output_types),
        tuple(output_shapes),
        node_of(input_dataset),
        BoundFunction(f, other_arguments),
        CYCLE_LENGTH if cycle == AUTOTUNE else cycle,
        block,
        calls,
        int(buffer_output_elements),
        int(prefetch_input_elements),
        deterministic,
    )


def _check_parallel_numbers(cycle: int, block: int, room: int, waiting: int, calls: int) -> None:
    """Refuses numbers as TensorFlow does."""
    complaint = ""
    if cycle <= 0 and cycle != AUTOTUNE:
        complaint = f"`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is {cycle}"
    elif block <= 0:
        complaint = "`block_length` must be > 0"
    elif room <= 0 and room != AUTOTUNE:
        complaint = f"`buffer_output_elements` must be `tf.data.AUTOTUNE` or greater than 0 but is {room}"
    elif waiting < 0 and waiting != AUTOTUNE:
        complaint = f"`prefetch_input_elements` must be `tf.data.AUTOTUNE` or at least 0 but is {waiting}"
    elif validate_calls(calls) > cycle != AUTOTUNE:
        complaint = (
            "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a "
            f"value less than or equal to `cycle_length`. However, `num_parallel_calls` is {calls} and `cycle_length` "
            f"is {cycle}"
        )
    if complaint:
        raise errors.InvalidArgumentError(None, None, complaint)


def interleave(
    self: DatasetBase,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Replaces each element by the elements of a dataset; several datasets take turns.

    >>> dataset = tf.data.Dataset.range(1, 4).interleave(
    ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
    >>> [int(x) for x in dataset]
    [1, 1, 2, 2, 1, 2, 3, 3, 3]

    Args:
      map_func: takes the components of an element and returns a dataset.
      cycle_length: how many datasets take turns; 16 by default, whatever the number of processors.
      block_length: how many elements of a dataset come in a turn; 1 by default.
      num_parallel_calls: how many datasets may be read at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether the order is that of the turns also then; None leaves that to the options.
      name: a name for the dataset.

    Returns: A Dataset of the elements of these datasets.
    Raises:
      TypeError: if the function returns no dataset.
      tf.errors.InvalidArgumentError: if a number is not positive.
    """
    function = trace_dataset_function(self, map_func, "Dataset.interleave()")
    if deterministic is not None and num_parallel_calls is None:
        warn_of_determinism()
    num_parallel_calls = parallel_calls(num_parallel_calls)
    cycle = int64_tensor(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length")
    block = int64_tensor(1 if block_length is None else block_length, "block_length")
    common: dict[str, Any] = {"inputs": [self], "functions": [function], "name": name, "f": function.graph_function}
    arguments, spec = [self, function.captures, cycle, block], function.output.spec.element_spec
    if num_parallel_calls is None:
        return apply_op("_InterleaveDataset", interleave_dataset, arguments, spec, **common)
    return apply_op(
        "_ParallelInterleaveDataset",
        parallel_interleave_dataset,
        [
            *arguments,
            int64_tensor(AUTOTUNE, "buffer_output_elements"),
            int64_tensor(AUTOTUNE, "prefetch_input_elements"),
            int64_tensor(num_parallel_calls, "num_parallel_calls"),
        ],
        spec,
        deterministic=determinism(deterministic),
        **common,
    )
