"""`Dataset.map`: a function applied to each element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, PassingCursor
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.debug_mode import parallel_calls
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of
from millrace._src.data.parallel_functions import ParallelFunction
from millrace._src.data.parallelism import (
    determinism,
    is_deterministic,
    limit_calls,
    validate_calls,
    warn_of_determinism,
)
from millrace._src.data.prefetch_trials import TrialRecord
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
class MapNode(UnaryNode):
    """The results of a function for each element."""

    function: BoundFunction
    preserves_cardinality: bool

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    @property
    def reads_block_ahead(self) -> bool:
        """Whether the function has no effects, and a block of the source may be read ahead."""
        return self.has_pure_functions and self.source.reads_block_ahead

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return MapCursor(AppliedFunction(self.function, self.source.cursor(context)))


class MapCursor(PassingCursor):
    """Applies the function to blocks."""

    __slots__ = ()
    _source: Applying

    def next_block(self, limit: int) -> Block | None:
        """Returns the results for the next elements."""
        pair = self._source.next_blocks(limit)
        return None if pair is None else pair[1]


@dataclass(eq=False, repr=False)
class ParallelMapNode(MapNode):
    """The results of a function that may run for several elements at a time."""

    calls: int
    deterministic: str
    record: TrialRecord = field(default_factory=TrialRecord, init=False)

    @property
    def works_ahead(self) -> bool:
        """Whether elements are made before they are asked for: they are."""
        return True

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return self.cursor_for_batches(context, 1)

    def cursor_for_batches(self, context: PassContext, size: int) -> Cursor:
        """Starts a pass over the source; threads put results into the memory of batches."""
        is_ordered = is_deterministic(self.deterministic, context)
        runs_unseen = self.function.runs_unseen and self.source.reads_ahead
        source, calls = self.source.cursor(context), limit_calls(self.calls, context)
        applied = ParallelFunction(self.function, source, calls, is_ordered, runs_unseen, size, self.record)
        return MapCursor(applied)


_MAP: dict[str, Any] = {"Targuments": TypeList(ANY), **DATASET}


@op(
    "MapDataset",
    "input_dataset: variant, other_arguments: Targuments -> handle: variant",
    **_MAP,
)
def map_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    use_inter_op_parallelism: bool = True,
    preserve_cardinality: bool = False,
    force_synchronous: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the results of a function for each element."""
    function = BoundFunction(f, other_arguments)
    return MapNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), function, preserve_cardinality)


@op(
    "ParallelMapDatasetV2",
    "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64 -> handle: variant",
    **_MAP,
)
def parallel_map_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    num_parallel_calls: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    use_inter_op_parallelism: bool = True,
    deterministic: str = "default",
    preserve_cardinality: bool = False,
    use_unbounded_threadpool: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the results of a function that may run for several elements at a time."""
    return ParallelMapNode(
        tuple(output_types),
        tuple(output_shapes),
        node_of(input_dataset),
        BoundFunction(f, other_arguments),
        preserve_cardinality,
        validate_calls(int(num_parallel_calls)),
        deterministic,
    )


@op(
    "ParallelMapDataset",
    "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32 -> handle: variant",
    **_MAP,
)
def parallel_map_dataset_v1(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    num_parallel_calls: Array,
    *,
    f: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    use_inter_op_parallelism: bool = True,
    sloppy: bool = False,
    preserve_cardinality: bool = False,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the results of a function that may run for several elements at a time; the older op."""
    return parallel_map_dataset.op_def.kernel(
        xp,
        input_dataset,
        other_arguments,
        num_parallel_calls,
        f=f,
        output_types=output_types,
        output_shapes=output_shapes,
        deterministic=determinism(not sloppy),
        preserve_cardinality=preserve_cardinality,
    )


def map_(
    self: DatasetBase,
    map_func: Callable[..., Any],
    num_parallel_calls: object = None,
    deterministic: bool | None = None,
    synchronous: bool | None = None,
    use_unbounded_threadpool: bool = False,
    name: str | None = None,
) -> Any:
    """Applies a function to each element.

    The function is traced once, as by `tf.function` with AutoGraph, and called with the components of a tuple as
    arguments of their own.

    >>> list(tf.data.Dataset.range(1, 4).map(lambda x: x * x).as_numpy_iterator())
    [np.int64(1), np.int64(4), np.int64(9)]

    Args:
      map_func: takes the components of an element and returns a nest of tensors.
      num_parallel_calls: how many calls may run at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether results come in the order of the elements; None leaves that to the options.
      synchronous: whether calls run in the thread that asks for elements.
      use_unbounded_threadpool: whether calls may wait for something; the calls of all pipelines share 64 threads.
      name: a name for the dataset.

    Returns: A Dataset of the results.
    Raises:
      TypeError: if the function returns something that is not a nest of tensors.
      ValueError: if `map_func` is not a function, or calls are to be both parallel and synchronous.
      tf.errors.InvalidArgumentError: if the number of calls is not positive.
    """
    check_callable(map_func)
    if synchronous and num_parallel_calls is not None:
        raise ValueError(
            "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was set to ",
            num_parallel_calls,
        )
    if deterministic is not None and num_parallel_calls is None:
        warn_of_determinism()
    num_parallel_calls = parallel_calls(num_parallel_calls)
    function = TracedFunction(map_func, arguments_of(self.element_spec), "Dataset.map()")
    common: dict[str, Any] = {
        "inputs": [self],
        "functions": [function],
        "name": name,
        "f": function.graph_function,
        "preserve_cardinality": True,
    }
    arguments = [self, function.captures]
    if num_parallel_calls is None:
        is_synchronous = bool(synchronous)
        return apply_op(
            "_MapDataset", map_dataset, arguments, function.output.spec, force_synchronous=is_synchronous, **common
        )
    return apply_op(
        "_ParallelMapDataset",
        parallel_map_dataset,
        [*arguments, int64_tensor(num_parallel_calls, "num_parallel_calls")],
        function.output.spec,
        deterministic=determinism(deterministic),
        use_unbounded_threadpool=use_unbounded_threadpool,
        **common,
    )
