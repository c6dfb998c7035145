"""The op that filters with a predicate of several elements at a time; TensorFlow's optimizer makes it.

Tests: tests/data/transforms/test_map_elements.py
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.cursors import Cursor
from millrace._src.data.nodes import DATASET, PassContext, node_of
from millrace._src.data.parallel_functions import ParallelFunction
from millrace._src.data.parallelism import is_deterministic, limit_calls, validate_calls
from millrace._src.data.prefetch_trials import TrialRecord
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.data.transforms.filter_elements import FilterCursor, FilterNode
from millrace._src.ops.type_sets import ANY


@dataclass(eq=False, repr=False)
class ParallelFilterNode(FilterNode):
    """The elements for which a predicate is true that may run for several elements at a time."""

    calls: int
    deterministic: str
    record: TrialRecord = field(default_factory=TrialRecord, init=False)

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        is_ordered = is_deterministic(self.deterministic, context)
        runs_unseen = self.predicate.runs_unseen and self.source.reads_ahead
        source, calls = self.source.cursor(context), limit_calls(self.calls, context)
        applied = ParallelFunction(self.predicate, source, calls, is_ordered, runs_unseen, record=self.record)
        return FilterCursor(applied)


@op(
    "ParallelFilterDataset",
    "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64 -> handle: variant",
    Targuments=TypeList(ANY),
    **DATASET,
)
def parallel_filter_dataset(
    xp: Xp,
    input_dataset: Array,
    other_arguments: list[Array],
    num_parallel_calls: Array,
    *,
    predicate: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    deterministic: str = "default",
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements for which a predicate is true that may run for several elements at a time."""
    function, calls = BoundFunction(predicate, other_arguments), validate_calls(int(num_parallel_calls))
    source = node_of(input_dataset)
    return ParallelFilterNode(tuple(output_types), tuple(output_shapes), source, function, calls, deterministic)
