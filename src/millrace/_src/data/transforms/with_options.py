"""`Dataset.with_options`: a dataset that says how it is to be run.

Tests: tests/data/test_options.py
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, DatasetNode, PassContext, SameElementsNode, node_of
from millrace._src.data.options import Options


@dataclass(eq=False, repr=False)
class OptionsNode(SameElementsNode):
    """The elements of a dataset, with options for the whole pipeline."""

    own_options: Options

    @property
    def reads_block_ahead(self) -> bool:
        """Whether a block of the source may be read ahead."""
        return self.source.reads_block_ahead

    @property
    def works_ahead(self) -> bool:
        """Whether the source does."""
        return self.source.works_ahead

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the source."""
        return self.source.cursor(context)

    def cursor_for_batches(self, context: PassContext, size: int) -> Cursor:
        """Starts a pass over the source."""
        return self.source.cursor_for_batches(context, size)


def options_of(node: DatasetNode) -> Options:
    """Returns the options of a dataset: its own, over those of its inputs."""
    options = Options()
    for own_options in _stated_options(node):
        options = options.merge(own_options)
    return options


def _stated_options(node: DatasetNode) -> list[Options]:
    """Lists the options that a dataset and its inputs state, those that count more after the others."""
    listed: list[Options] = []
    waiting = [node]
    while waiting:  # a chain of datasets may be longer than Python's stack is deep
        node = waiting.pop()
        if isinstance(node, OptionsNode):
            listed.append(node.own_options)
        waiting.extend(node.inputs)
    return listed[::-1]


@op("OptionsDataset", "input_dataset: variant -> handle: variant", **DATASET)
def options_dataset(
    xp: Xp,
    input_dataset: Array,
    *,
    serialized_options: str,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset with options."""
    options = Options._from_bytes(serialized_options.encode("utf-8", "surrogateescape"))
    return OptionsNode(tuple(output_types), tuple(output_shapes), node_of(input_dataset), options)


def with_options(self: DatasetBase, options: Options, name: str | None = None) -> Any:
    """Adds options, which count for the whole pipeline.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 2
    >>> tf.data.Dataset.range(3).with_options(options).map(lambda x: x).options().threading.private_threadpool_size
    2

    Args:
      options: a `tf.data.Options`.
      name: a name for the dataset.

    Returns: A Dataset of the same elements.
    Raises: TypeError: if `options` is something else.
    """
    if not isinstance(options, Options):
        raise TypeError(f"`options` must be a `tf.data.Options`. Got {type(options)}.")
    serialized = options._to_proto().SerializeToString()
    dataset = apply_op(
        "_OptionsDataset",
        options_dataset,
        [self],
        self.element_spec,
        inputs=[self],
        name=name,
        serialized_options=serialized,
    )
    dataset._own_options = Options().merge(options)  # a copy: later changes of the user's object do not count
    return dataset


def options(self: DatasetBase) -> Options:
    """Returns the options of this dataset: its own, over those of the datasets of which it is made.

    >>> tf.data.Dataset.range(3).options() == tf.data.Options()
    True

    Returns: Options that cannot be changed; `with_options` adds others.
    """
    merged = _merge_options(self)
    merged._freeze()
    return merged


def _merge_options(dataset: DatasetBase) -> Options:
    merged = functools.reduce(Options.merge, map(_merge_options, dataset._inputs()), Options())
    return merged if dataset._own_options is None else merged.merge(dataset._own_options)
