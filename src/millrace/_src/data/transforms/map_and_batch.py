"""`tf.data.experimental.map_and_batch`: a parallel map and a batch in one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bool_
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, DatasetNode, node_of, scalar_of
from millrace._src.data.parallelism import validate_calls
from millrace._src.data.traced_functions import BoundFunction, TracedFunction, arguments_of, check_callable
from millrace._src.data.transforms.batch import BatchNode, batched_spec
from millrace._src.data.transforms.map_elements import ParallelMapNode
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class MapAndBatchNode(BatchNode):
    """Batches of results; a result that fails takes its batch with it."""

    @property
    def ends_batch_at_error(self) -> bool:
        """Whether the next batch begins behind an element that fails: no, the elements of a batch belong together."""
        return False


_MAP: dict[str, Any] = {"Targuments": TypeList(ANY), **DATASET}
_MAP_AND_BATCH = (
    "input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, "
    "drop_remainder: bool -> handle: variant"
)


@op("MapAndBatchDataset", _MAP_AND_BATCH, **_MAP)
def map_and_batch_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    batch_size: Array,
    num_parallel_calls: Array,
    drop_remainder: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    preserve_cardinality: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of batches of the results of a function that may run for several elements at a time."""
    size = scalar_of(batch_size, "batch_size")
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, "batch_size must be greater than zero.")
    function, calls = BoundFunction(f, other_arguments), validate_calls(int(num_parallel_calls))
    of_rows = tuple(shape[1:] for shape in output_shapes)
    source: DatasetNode = ParallelMapNode(
        tuple(output_types), of_rows, node_of(input_dataset), function, preserve_cardinality, calls, "default"
    )
    return MapAndBatchNode(
        tuple(output_types), tuple(output_shapes), source, size, scalar_of(drop_remainder, "drop_remainder")
    )


@op("ExperimentalMapAndBatchDataset", _MAP_AND_BATCH, **_MAP)
def experimental_map_and_batch_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    batch_size: Array,
    num_parallel_calls: Array,
    drop_remainder: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    preserve_cardinality: bool = False,
) -> Any:
    """Makes a dataset of batches of the results of a function; the older op."""
    return map_and_batch_dataset.op_def.kernel(
        xp,
        input_dataset,
        other_arguments,
        batch_size,
        num_parallel_calls,
        drop_remainder,
        f=f,
        output_types=output_types,
        output_shapes=output_shapes,
        preserve_cardinality=preserve_cardinality,
    )


@export("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: int | None = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: object = None,
) -> Callable[[DatasetBase], Any]:
    """Returns a transformation that applies a function to each element, and batches the results.

    `dataset.map(map_func, num_parallel_calls).batch(batch_size)` does the same, but for elements that fail: here all
    elements of the batch are passed over.

    >>> dataset = tf.data.Dataset.range(4).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 2))
    >>> list(dataset.as_numpy_iterator())
    [array([1, 2]), array([3, 4])]

    Args:
      map_func: takes the components of an element and returns a nest of tensors.
      batch_size: how many results make a batch; a scalar of int64.
      num_parallel_batches: how many batches may be in the making at a time.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      num_parallel_calls: how many calls may run at a time; `tf.data.AUTOTUNE` lets the runtime choose.

    Returns: A function for `Dataset.apply`.
    Raises: ValueError: if both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
            f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to "
            f"{num_parallel_calls}."
        )

    def transform(dataset: DatasetBase) -> Any:
        check_callable(map_func)
        caller = "tf.data.experimental.map_and_batch()"
        function = TracedFunction(map_func, arguments_of(dataset.element_spec), caller)
        size = int64_tensor(batch_size, "batch_size")
        drops = convert_to_tensor(drop_remainder, dtype=bool_, name="drop_remainder")
        calls = num_parallel_calls
        if calls is None:
            calls = size * num_parallel_batches if num_parallel_batches else size
        return apply_op(
            "_MapAndBatchDataset",
            map_and_batch_dataset,
            [dataset, function.captures, size, int64_tensor(calls, "num_parallel_calls"), drops],
            batched_spec(function.output.spec, size, drops),
            inputs=[dataset],
            functions=[function],
            f=function.graph_function,
            preserve_cardinality=True,
        )

    return transform
