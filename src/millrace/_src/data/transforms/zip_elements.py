"""`Dataset.zip` and `Dataset.enumerate`: the elements of several datasets side by side.

Each element takes one element from every input, also the last attempt, in which an input has ended or an error has
come. So an input whose function has effects may be asked for no more elements than the others can give: the inputs that
may be read ahead are asked first, and what they can give together is asked of the one that may not. If there are two
such inputs, one can tell which of them is asked first, and elements are made one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, NaryNode, PassContext, node_of, position_cursor
from millrace._src.data.sources.range_dataset import range_dataset
from millrace._src.data.waiting_input import WaitingInput
from millrace._src.util import nest
from millrace._src.util.export import export

_LARGEST = (1 << 63) - 1


@dataclass(eq=False, repr=False)
class ZipNode(NaryNode):
    """The elements of the sources side by side, as many as all sources have."""

    def cardinality(self) -> int:
        """Returns the smallest number."""
        sizes = {source.cardinality() for source in self.sources}
        if UNKNOWN in sizes:
            return UNKNOWN
        return min(sizes - {INFINITE}, default=INFINITE)

    @property
    def is_random_access(self) -> bool:
        """Whether the elements of all sources can be had by position, and one source ends."""
        return self.has_positions and self.cardinality() >= 0

    @property
    def has_positions(self) -> bool:
        """Whether the elements of all sources can be had by position."""
        return all(source.has_positions for source in self.sources)

    def slice(self, start: int, stop: int) -> Block:
        """Returns the slices of the sources side by side."""
        return _side_by_side([source.slice(start, stop) for source in self.sources])

    def gather(self, indices: Array) -> Block:
        """Returns the picked elements of the sources side by side."""
        return _side_by_side([source.gather(indices) for source in self.sources])

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over each source."""
        return position_cursor(self) if self.has_positions else ZipCursor(self, context)


def _side_by_side(blocks: Sequence[Block]) -> Block:
    """Returns the elements of blocks of the same length side by side."""
    return Block([column for block in blocks for column in block.columns], blocks[0].count)


class ZipCursor(Cursor):
    """Asks each input for as many elements as all inputs can give."""

    __slots__ = ("_has_ended", "_in_order_of_asking", "_inputs", "_is_blockwise")

    def __init__(self, node: ZipNode, context: PassContext) -> None:
        self._inputs = [WaitingInput(source.cursor(context)) for source in node.sources]
        ahead = [source.reads_ahead for source in node.sources]
        pairs = sorted(zip(ahead, self._inputs, strict=True), key=lambda pair: not pair[0])
        self._in_order_of_asking = [item for _, item in pairs]
        self._is_blockwise = ahead.count(False) <= 1
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements side by side."""
        if self._has_ended:
            return None
        count = limit if self._is_blockwise else 1
        for item in self._in_order_of_asking:
            count = item.fill(count)
            if not count:
                self._pass_one()
                return None
        return _side_by_side([item.take(count) for item in self._inputs])

    def _pass_one(self) -> None:
        """Takes one element from every input; of the errors and ends that come, that of the first input counts."""
        results = [item.pass_one() for item in self._inputs]
        first = next(result for result in results if result is not False)
        if isinstance(first, Exception):
            raise first
        self._has_ended = True

    def save(self) -> State:
        """Returns the states of the inputs."""
        return self._has_ended, [item.save() for item in self._inputs]

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        self._has_ended, inputs = state
        for item, saved in zip(self._inputs, inputs, strict=True):
            item.restore(saved)

    def close(self) -> None:
        """Closes the inputs."""
        for item in self._inputs:
            item.close()


# --- ops ---------------------------------------------------------------------------------------------------------


@op("ZipDataset", "input_datasets: N * variant -> handle: variant", **DATASET)
def zip_dataset(
    xp: Xp,
    input_datasets: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of several datasets side by side."""
    sources = tuple(node_of(handle) for handle in input_datasets)
    return ZipNode(tuple(output_types), tuple(output_shapes), sources)


@op("RewriteDataset", "input_dataset: variant, rewrite_name: string -> handle: variant", **DATASET)
def rewrite_dataset(
    xp: Xp, input_dataset: Array, rewrite_name: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Returns a dataset as it is: a note for a runtime that splits datasets among workers."""
    return node_of(input_dataset)


# --- the methods -------------------------------------------------------------------------------------------------


def zip_(*args: object, datasets: object = None, name: str | None = None) -> Any:
    """Makes a dataset of the elements of several datasets side by side.

    >>> numbers, letters = tf.data.Dataset.range(1, 4), tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> list(tf.data.Dataset.zip(numbers, letters).as_numpy_iterator())
    [(np.int64(1), b'a'), (np.int64(2), b'b')]
    >>> tf.data.Dataset.zip({"number": numbers, "letter": letters}).element_spec["letter"]
    TensorSpec(shape=(), dtype=tf.string, name=None)

    Args:
      *args: datasets; or one nest of datasets in tuples and dictionaries, the structure of the elements.
      datasets: that nest, by name.
      name: a name for the dataset.

    Returns: A Dataset, as long as the shortest of the datasets.
    Raises: TypeError: if there is no dataset, or the nest holds something else.
    """
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    structure = datasets if not args else args[0] if len(args) == 1 else args
    _check_datasets(structure)
    inputs = nest.flatten(structure)
    spec = nest.map_structure(lambda dataset: dataset.element_spec, structure)
    return apply_op("_ZipDataset", zip_dataset, [inputs], spec, inputs=inputs, name=name)


def _check_datasets(structure: object) -> None:
    """Refuses a nest that holds something else than datasets."""
    if isinstance(structure, DatasetBase):
        return
    words = "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects"
    if isinstance(structure, list):
        raise TypeError(f"{words}. Python `list` is not supported and you should use `tuple` instead.")
    if not nest.is_nested(structure):
        raise TypeError(f"{words} but encountered object of type {type(structure)}.")
    for child in nest.children(structure):
        _check_datasets(child)


def enumerate_(self: DatasetBase, start: object = 0, name: str | None = None) -> Any:
    """Gives each element its number, first in a pair.

    >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5).as_numpy_iterator())
    [(np.int64(5), b'a'), (np.int64(6), b'b')]

    Args:
      start: the first number, a scalar of int64.
      name: a name for the dataset.

    Returns: A Dataset of pairs of number and element.
    """
    ends = [int64_tensor(start, "start"), int64_tensor(_LARGEST, "stop"), int64_tensor(1, "step")]
    number = TensorSpec([], int64)
    numbers = apply_op("_RangeDataset", range_dataset, ends, number, name=name)
    numbers = apply_op("_RewriteDataset", rewrite_dataset, [numbers, b"replicate_on_split"], number, inputs=[numbers])
    spec = number, self.element_spec
    return apply_op("_ZipDataset", zip_dataset, [[numbers, self]], spec, inputs=[numbers, self], name=name)


@export("data.experimental.enumerate_dataset")
def enumerate_transformation(start: TensorLike = 0) -> Callable[[Any], Any]:
    """Returns `Dataset.enumerate` as a function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.from_tensor_slices(["a", "b"]).apply(tf.data.experimental.enumerate_dataset(5))
    >>> list(dataset.as_numpy_iterator())
    [(np.int64(5), b'a'), (np.int64(6), b'b')]

    Args:
      start: the first number, a scalar of int64.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: enumerate_(dataset, start)
