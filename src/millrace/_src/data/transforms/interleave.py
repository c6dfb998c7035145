"""`Dataset.interleave`: the elements of several datasets at a time, which take turns.

There are `cycle_length` places for datasets. Each place in turn gives `block_length` elements of its dataset. When a
dataset ends, its place is free, the turn goes on to the next place, and the dataset of the next element comes into the
free place when the turn has come round.
"""

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
from millrace._src.data.base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.functions import BoundFunction
from millrace._src.data.inner_passes import InnerPass, reads_ahead, traced_dataset_function
from millrace._src.data.nodes import DATASET, UNKNOWN, Run, UnaryNode, node_of
from millrace._src.data.parallelism import AUTOTUNE, available_cpus, warn_of_determinism
from millrace._src.ops.type_sets import ANY


@dataclass(eq=False, repr=False)
class InterleaveNode(UnaryNode):
    """The elements of datasets that take turns."""

    function: BoundFunction
    cycle_length: int
    block_length: int

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    @property
    def reads_ahead(self) -> bool:
        """Whether neither the function nor the datasets have effects, and the source may be read ahead."""
        return reads_ahead(self.function, self.inputs)

    def cursor(self, run: Run) -> Cursor:
        """Starts a pass over the source."""
        return InterleaveCursor(self, run)


class InterleaveCursor(Cursor):
    """Lets datasets take turns."""

    __slots__ = ("_given", "_node", "_places", "_run", "_source", "_source_ended", "_turn")

    def __init__(self, node: InterleaveNode, run: Run) -> None:
        self._node, self._run = node, run
        self._source = node.source.cursor(run)
        self._source_ended = False
        self._places: list[InnerPass | None] = [None] * node.cycle_length
        self._turn = self._given = 0  # whose turn it is, and how many elements this turn has given

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the turn."""
        while True:
            inner = self._places[self._turn]
            if inner is None:
                inner = self._places[self._turn] = self._next_pass()
            if inner is None:
                if not any(self._places):
                    return None
                self._pass_turn()
                continue
            block = inner.cursor.next_block(min(limit, self._node.block_length - self._given))
            if block is not None:
                self._given += block.count
                if self._given == self._node.block_length:
                    self._pass_turn()
                return block
            self._places[self._turn] = None
            inner.cursor.close()
            self._pass_turn()

    def _pass_turn(self) -> None:
        self._turn = (self._turn + 1) % len(self._places)
        self._given = 0

    def _next_pass(self) -> InnerPass | None:
        """Begins a pass over the dataset of the next element; returns None after the last element."""
        element = None if self._source_ended else self._source.next_block(1)
        if element is None:
            self._source_ended = True
            return None
        return InnerPass(self._node.function, element.row(0), self._run)

    def save(self) -> State:
        """Returns the state of the source, that of each dataset, and whose turn it is."""
        passes = [None if inner is None else inner.save() for inner in self._places]
        return self._source.save(), self._source_ended, passes, self._turn, self._given

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        source, self._source_ended, passes, self._turn, self._given = state
        self._source.restore(source)
        self._places = [
            None if inner is None else InnerPass.restored(inner, self._node.function, self._run) for inner in passes
        ]

    def close(self) -> None:
        """Closes the datasets and the source."""
        for inner in self._places:
            if inner is not None:
                inner.cursor.close()
        self._source.close()


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
    cycle = available_cpus() if int(cycle_length) == AUTOTUNE else int(cycle_length)
    for label, value in (("cycle_length", cycle), ("block_length", int(block_length))):
        if value <= 0:
            raise errors.InvalidArgumentError(None, None, f"{label} must be greater than zero.")
    source, function = node_of(input_dataset), BoundFunction(f, other_arguments)
    return InterleaveNode(tuple(output_types), tuple(output_shapes), source, function, cycle, int(block_length))


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
      cycle_length: how many datasets take turns; the number of processors by default.
      block_length: how many elements of a dataset come in a turn; 1 by default.
      num_parallel_calls: how many datasets may be read at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether the order is that of the turns also then; None leaves that to the options.
      name: a name for the dataset.

    Returns: A Dataset of the elements of these datasets.
    Raises:
      TypeError: if the function returns no dataset.
      tf.errors.InvalidArgumentError: if a number is not positive.
    """
    function = traced_dataset_function(self, map_func, "Dataset.interleave()")
    if deterministic is not None and num_parallel_calls is None:
        warn_of_determinism()
    cycle = int64_tensor(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length")
    block = int64_tensor(1 if block_length is None else block_length, "block_length")
    return apply_op(
        "_InterleaveDataset",
        interleave_dataset,
        [self, function.captures, cycle, block],
        function.output.spec.element_spec,
        inputs=[self],
        functions=[function],
        name=name,
        f=function.graph_function,
    )
