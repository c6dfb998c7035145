"""`Dataset.choose_from_datasets`: elements of several datasets, in an order that another dataset gives.

A block of choices is followed at once: each dataset is asked for as many elements as there are choices of it, and the
elements are put into the order of the choices. A dataset may turn out to end, or to fail, at one of the choices. What
the other datasets gave for later choices is then kept, and so are the choices. Where somebody could tell when elements
are made, only choices of the same dataset that follow one another are followed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, INFINITE, UNKNOWN, NaryNode, PassContext, node_of
from millrace._src.data.structure import common_spec
from millrace._src.data.transforms.zip_elements import rewrite_dataset
from millrace._src.data.waiting_input import WaitingInput
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class DirectedInterleaveNode(NaryNode):
    """Elements of the sources behind the first one, which gives the choices.

    Attributes:
      stops_on_empty: whether the choice of a dataset that has ended is the end; otherwise such choices are passed
        over.
    """

    stops_on_empty: bool

    def cardinality(self) -> int:
        """Returns that there is no end if one of the datasets has none; otherwise, that the number is not known."""
        return INFINITE if any(s.cardinality() == INFINITE for s in self.sources[1:]) else UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the choices and over each dataset."""
        return DirectedInterleaveCursor(self, context)


class DirectedInterleaveCursor(Cursor):
    """Follows choices."""

    __slots__ = (
        "_choices",
        "_choosing",
        "_has_ended",
        "_inputs",
        "_is_blockwise",
        "_is_open",
        "_reads_choices_ahead",
        "_stops_on_empty",
    )

    def __init__(self, node: DirectedInterleaveNode, context: PassContext) -> None:
        self._choosing, *cursors = [source.cursor(context) for source in node.sources]
        self._inputs = [WaitingInput(cursor) for cursor in cursors]
        self._is_open = np.ones(len(cursors), bool)  # which inputs have not ended
        self._choices: Array = np.empty(0, np.int64)  # choices that wait
        self._stops_on_empty = node.stops_on_empty
        choosing, *others = [source.reads_ahead for source in node.sources]
        self._reads_choices_ahead, self._is_blockwise = choosing, all(others)
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the elements of the next choices."""
        while not self._has_ended:
            choices = self._next_choices(limit)
            if choices is None:
                self._has_ended = True
                return None
            count = self._count_usable(choices)
            self._choices = np.concatenate([choices[max(count, 1) :], self._choices])
            if count:
                return self._elements(choices[:count])
            self._pass_one(int(choices[0]))
        return None

    def _next_choices(self, limit: int) -> Array | None:
        """Returns at least one and at most `limit` choices, none of an input that has ended; None at the end."""
        while True:
            if not len(self._choices):
                block = self._choosing.next_block(limit if self._reads_choices_ahead else 1)
                if block is None:
                    return None
                self._choices = block.columns[0]
            choices, self._choices = self._choices[:limit], self._choices[limit:]
            is_known = (choices >= 0) & (choices < len(self._inputs))
            useful: Array = choices[~is_known | self._is_open[np.where(is_known, choices, 0)]]
            if len(useful):
                return useful

    def _count_usable(self, choices: Array) -> int:
        """Returns how many of the choices can be followed before an input ends or fails, or a choice is of no input."""
        is_left = (choices < 0) | (choices >= len(self._inputs))
        if not self._is_blockwise:
            is_left |= choices != choices[0]
        if is_left.any():
            choices = choices[: int(is_left.argmax())]
        counts = np.bincount(choices, minlength=len(self._inputs)).tolist()
        followed = len(choices)
        for index, count in enumerate(counts):
            if count and (filled := self._inputs[index].fill(count)) < count:
                followed = min(followed, int(np.flatnonzero(choices == index)[filled]))
        return followed

    def _elements(self, choices: Array) -> Block:
        """Returns the elements of choices that can be followed."""
        chosen, counts = np.unique(choices, return_counts=True)
        blocks = [self._inputs[i].take(n) for i, n in zip(chosen.tolist(), counts.tolist(), strict=True)]
        if len(blocks) == 1:
            return blocks[0]
        positions = np.empty(len(choices), np.int64)
        positions[np.argsort(choices, kind="stable")] = np.arange(len(choices))
        return join_blocks(blocks).gather(positions)

    def _pass_one(self, choice: int) -> None:
        """Passes over a choice that cannot be followed.

        Raises: tf.errors.InvalidArgumentError: if there is no such input; the error of the input, if it has one.
        """
        if not 0 <= choice < len(self._inputs):
            raise errors.InvalidArgumentError(
                None, None, f"Selector index out of range: {choice} >= {len(self._inputs)}"
            )
        result = self._inputs[choice].pass_one()
        if isinstance(result, Exception):
            raise result
        self._is_open[choice] = False
        self._has_ended = self._stops_on_empty or not self._is_open.any()

    def save(self) -> State:
        """Returns the states of the choices and the inputs, and the choices that wait."""
        flags = self._has_ended, self._is_open.tolist()
        return flags, self._choices, self._choosing.save(), [item.save() for item in self._inputs]

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        (self._has_ended, is_open), self._choices, choosing, inputs = state
        self._is_open = np.array(is_open, bool)
        self._choosing.restore(choosing)
        for item, saved in zip(self._inputs, inputs, strict=True):
            item.restore(saved)

    def close(self) -> None:
        """Closes the choices and the inputs."""
        self._choosing.close()
        for item in self._inputs:
            item.close()


# --- ops ---------------------------------------------------------------------------------------------------------


@op(
    "DirectedInterleaveDataset",
    "selector_input_dataset: variant, data_input_datasets: N * variant -> handle: variant",
    **DATASET,
)
def directed_interleave_dataset(
    xp: Xp,
    selector_input_dataset: Array,
    data_input_datasets: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    stop_on_empty_dataset: bool = False,
) -> Any:
    """Makes a dataset of elements of several datasets, in an order that another dataset gives."""
    sources = tuple(node_of(handle) for handle in (selector_input_dataset, *data_input_datasets))
    return DirectedInterleaveNode(tuple(output_types), tuple(output_shapes), sources, stop_on_empty_dataset)


@op(
    "ExperimentalDirectedInterleaveDataset",
    "selector_input_dataset: variant, data_input_datasets: N * variant -> handle: variant",
    **DATASET,
)
def experimental_directed_interleave_dataset(
    xp: Xp,
    selector_input_dataset: Array,
    data_input_datasets: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of elements of several datasets, in an order that another dataset gives; the older op."""
    return directed_interleave_dataset.op_def.kernel(
        xp, selector_input_dataset, data_input_datasets, output_types=output_types, output_shapes=output_shapes
    )


# --- functions ---------------------------------------------------------------------------------------------------


def choose_from_datasets(datasets: Any, choice_dataset: object, stop_on_empty_dataset: bool = True) -> Any:
    """Makes a dataset of elements of several datasets, in an order that another dataset gives.

    >>> datasets = [tf.data.Dataset.from_tensors(word).repeat() for word in ("foo", "bar")]
    >>> choices = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
    >>> list(tf.data.Dataset.choose_from_datasets(datasets, choices).as_numpy_iterator())
    [b'foo', b'bar', b'bar']

    Args:
      datasets: a list of datasets with elements of the same structure and dtypes.
      choice_dataset: a dataset of scalars of int64: the number of the dataset that the next element comes from.
      stop_on_empty_dataset: whether the choice of a dataset that has ended is the end; otherwise, such choices are
        passed over.

    Returns: A Dataset.
    Raises:
      TypeError: if elements differ in structure or dtypes, or the choices are not scalars of int64.
      ValueError: if there are no datasets.
      tf.errors.InvalidArgumentError: while iterating, if there is no dataset of a chosen number.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choice_dataset, DatasetBase):
        raise TypeError(
            f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is {type(choice_dataset)}."
        )
    number = TensorSpec([], int64)
    if not number.is_compatible_with(choice_dataset.element_spec):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
            f"{choice_dataset.element_spec}."
        )
    rewritten = [choice_dataset, convert_to_tensor(b"replicate_on_split", dtype=string)]
    choices = apply_op("_RewriteDataset", rewrite_dataset, rewritten, number, inputs=[choice_dataset])
    return directed_interleave(choices, datasets, stop_on_empty_dataset)


def directed_interleave(choices: DatasetBase, datasets: Sequence[DatasetBase], stops_on_empty: bool) -> Any:
    """Makes a dataset of elements of several datasets, in the order of `choices`.

    Raises: TypeError: if elements differ in structure or dtypes.
    """
    spec = datasets[0].element_spec
    for index, dataset in enumerate(datasets[1:], 1):
        common = common_spec(spec, dataset.element_spec)
        if common is None:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                f"{datasets[0].element_spec}.\nDataset {index} element_spec={dataset.element_spec}."
            )
        spec = common
    return apply_op(
        "_DirectedInterleaveDataset",
        directed_interleave_dataset,
        [choices, list(datasets)],
        spec,
        inputs=[choices, *datasets],
        stop_on_empty_dataset=stops_on_empty,
    )


@export("data.experimental.choose_from_datasets")
def choose_from_datasets_to_the_end(
    datasets: object, choice_dataset: object, stop_on_empty_dataset: bool = False
) -> Any:
    """Makes a dataset of elements of several datasets, in an order that another dataset gives.

    The older form of `tf.data.Dataset.choose_from_datasets`, which passes over choices of datasets that have ended.

    >>> choices = tf.data.Dataset.from_tensor_slices(tf.constant([1, 1, 0], tf.int64))
    >>> datasets = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 11)]
    >>> list(tf.data.experimental.choose_from_datasets(datasets, choices).as_numpy_iterator())
    [np.int64(10), np.int64(0)]

    Args:
      datasets: a list of datasets with elements of the same structure and dtypes.
      choice_dataset: a dataset of scalars of int64.
      stop_on_empty_dataset: whether the choice of a dataset that has ended is the end.

    Returns: A Dataset.
    Raises: as `tf.data.Dataset.choose_from_datasets`.
    """
    return choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)
