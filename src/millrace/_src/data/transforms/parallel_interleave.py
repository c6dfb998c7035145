"""Older forms of the parallel interleave: `tf.data.experimental.parallel_interleave` and the ops of older graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.inner_passes import trace_dataset_function
from millrace._src.data.nodes import DATASET, node_of
from millrace._src.data.parallelism import AUTOTUNE, determinism
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.data.transforms.interleave import ParallelInterleaveNode, parallel_interleave_dataset
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_INTERLEAVE: dict[str, Any] = {"Targuments": TypeList(ANY), **DATASET}
_INPUTS = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
_SLOPPY_INPUTS = f"{_INPUTS}sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64"


def _legacy_node(
    input_dataset: Array,
    function: BoundFunction,
    numbers: tuple[Array, Array, Array, Array],
    deterministic: str,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> ParallelInterleaveNode:
    """Makes the node of the older order.

    Args:
      numbers: cycle length, block length, elements made before their turn, datasets begun before their turn.
    """
    cycle, block, room, waiting = (int(number) for number in numbers)
    for label, value, least in (
        ("`cycle_length` must be > 0", cycle, 1),
        ("`block_length` must be > 0", block, 1),
        ("`buffer_output_elements` must be > 0", room, 1),
        ("`prefetch_input_elements` must be >= 0", waiting, 0),
    ):
        if value < least:
            raise errors.InvalidArgumentError(None, None, label)
    types, shapes = tuple(output_types), tuple(output_shapes)
    return ParallelInterleaveNode(
        types, shapes, node_of(input_dataset), function, cycle, block, cycle, room, waiting, deterministic, True
    )


@op(
    "LegacyParallelInterleaveDatasetV2",
    f"{_INPUTS}buffer_output_elements: int64, prefetch_input_elements: int64 -> handle: variant",
    **_INTERLEAVE,
)
def legacy_parallel_interleave_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    buffer_output_elements: Array,
    prefetch_input_elements: Array,
    *,
    f: FunctionAttr,
    deterministic: str = "default",
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns in the older order."""
    numbers = cycle_length, block_length, buffer_output_elements, prefetch_input_elements
    function = BoundFunction(f, other_arguments)
    return _legacy_node(input_dataset, function, numbers, deterministic, output_types, output_shapes)


@op("ParallelInterleaveDataset", f"{_SLOPPY_INPUTS} -> handle: variant", **_INTERLEAVE)
def parallel_interleave_dataset_v1(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    sloppy: Array,
    buffer_output_elements: Array,
    prefetch_input_elements: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns in the older order; the first form."""
    numbers = cycle_length, block_length, buffer_output_elements, prefetch_input_elements
    function, deterministic = BoundFunction(f, other_arguments), determinism(not sloppy)
    return _legacy_node(input_dataset, function, numbers, deterministic, output_types, output_shapes)


@op("ExperimentalParallelInterleaveDataset", f"{_SLOPPY_INPUTS} -> handle: variant", **_INTERLEAVE)
def experimental_parallel_interleave_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    sloppy: Array,
    buffer_output_elements: Array,
    prefetch_input_elements: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the elements of datasets that take turns in the older order; the experimental form."""
    numbers = cycle_length, block_length, buffer_output_elements, prefetch_input_elements
    function, deterministic = BoundFunction(f, other_arguments), determinism(not sloppy)
    return _legacy_node(input_dataset, function, numbers, deterministic, output_types, output_shapes)


@op("ParallelInterleaveDatasetV3", f"{_INPUTS}num_parallel_calls: int64 -> handle: variant", **_INTERLEAVE)
def parallel_interleave_dataset_v3(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    num_parallel_calls: Array,
    *,
    f: FunctionAttr,
    deterministic: str = "default",
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns; the form without buffer sizes."""
    return parallel_interleave_dataset.op_def.kernel(
        xp,
        input_dataset,
        other_arguments,
        cycle_length,
        block_length,
        AUTOTUNE,
        AUTOTUNE,
        num_parallel_calls,
        f=f,
        deterministic=deterministic,
        output_types=output_types,
        output_shapes=output_shapes,
    )


@op("ParallelInterleaveDatasetV2", f"{_INPUTS}num_parallel_calls: int64 -> handle: variant", **_INTERLEAVE)
def parallel_interleave_dataset_v2(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    cycle_length: Array,
    block_length: Array,
    num_parallel_calls: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    sloppy: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of datasets that take turns; the form with a flag for the order."""
    return parallel_interleave_dataset_v3.op_def.kernel(
        xp,
        input_dataset,
        other_arguments,
        cycle_length,
        block_length,
        num_parallel_calls,
        f=f,
        deterministic=determinism(not sloppy),
        output_types=output_types,
        output_shapes=output_shapes,
    )


@export("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Callable[[DatasetBase], Any]:
    """Returns a transformation that replaces each element by the elements of a dataset; several datasets take turns.

    `Dataset.interleave` with `num_parallel_calls` is the newer form.

    >>> pairs = tf.data.experimental.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2)
    >>> [int(x) for x in tf.data.Dataset.range(3).apply(pairs)]
    [0, 1, 0, 1, 2, 2]

    Args:
      map_func: takes the components of an element and returns a dataset.
      cycle_length: how many datasets take turns, and may be read at a time.
      block_length: how many elements of a dataset come in a turn.
      sloppy: whether the turn may pass to a dataset that has elements ready; None leaves that to the options.
      buffer_output_elements: how many elements of a dataset may be made before their turn; a turn and one by default.
      prefetch_input_elements: how many datasets may be begun before their first turn; two cycles by default.

    Returns: A function for `Dataset.apply`.
    Raises:
      TypeError: if the function returns no dataset.
      tf.errors.InvalidArgumentError: if a number is too small.
    """

    def transform(dataset: DatasetBase) -> Any:
        function = trace_dataset_function(dataset, map_func, "tf.data.experimental.parallel_interleave()")
        room = 2 * block_length if buffer_output_elements is None else buffer_output_elements
        waiting = 2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements
        return apply_op(
            "ParallelInterleaveDataset",
            legacy_parallel_interleave_dataset,
            [
                dataset,
                function.captures,
                int64_tensor(cycle_length, "cycle_length"),
                int64_tensor(block_length, "block_length"),
                int64_tensor(room, "buffer_output_elements"),
                int64_tensor(waiting, "prefetch_input_elements"),
            ],
            function.output.spec.element_spec,
            inputs=[dataset],
            functions=[function],
            f=function.graph_function,
            deterministic=determinism(None if sloppy is None else not sloppy),
        )

    return transform
