"""`tf.data.experimental.shuffle_and_repeat`: shuffled repetitions as one stage.

The elements are those of a shuffle and a repeat that follow one another, and so are the nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, node_of
from millrace._src.data.pass_seeds import dataset_seeds
from millrace._src.data.transforms.repeat import RepeatNode
from millrace._src.data.transforms.shuffle import shuffle_node
from millrace._src.util.export import export


@op(
    "ShuffleAndRepeatDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64 -> handle: variant",
    **DATASET,
)
def shuffle_and_repeat_dataset(
    xp: Xp,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    count: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reshuffle_each_iteration: bool = True,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements in random order, several times over."""
    return _repeat_node(
        input_dataset, buffer_size, (seed, seed2), count, None, reshuffle_each_iteration, output_types, output_shapes
    )


@op(
    "ShuffleAndRepeatDatasetV2",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, seed_generator: resource"
    " -> handle: variant",
    **DATASET,
)
def shuffle_and_repeat_dataset_v2(
    xp: Xp,
    input_dataset: Array,
    buffer_size: Array,
    seed: Array,
    seed2: Array,
    count: Array,
    seed_generator: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reshuffle_each_iteration: bool = True,
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements in random order, several times over, under a seed generator."""
    generator = resource_of(seed_generator)
    return _repeat_node(
        input_dataset,
        buffer_size,
        (seed, seed2),
        count,
        generator,
        reshuffle_each_iteration,
        output_types,
        output_shapes,
    )


def _repeat_node(
    input_dataset: Array,
    buffer_size: Array,
    seeds: tuple[Array, Array],
    count: Array,
    generator: object,
    reshuffles: bool,
    types: list[DType],
    shapes: list[TensorShape],
) -> RepeatNode:
    """Makes the node of the op.

    Raises: tf.errors.InvalidArgumentError: if the buffer has no size, or the number of repetitions is 0.
    """
    times = int(count)
    if times < -1 or times == 0:
        raise errors.InvalidArgumentError(None, None, "count must be greater than zero or equal to -1.")
    node = shuffle_node(node_of(input_dataset), buffer_size, seeds, generator, reshuffles, types, shapes)
    return RepeatNode(tuple(types), tuple(shapes), node, times)


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: TensorLike | None = None
) -> Callable[[DatasetBase], DatasetBase]:
    """Returns a function for `Dataset.apply` that repeats a dataset, each time in another random order.

    The elements are those of `dataset.shuffle(buffer_size, seed).repeat(count)`.

    >>> dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, count=2, seed=5))
    >>> len(dataset)
    6

    Args:
      buffer_size: the size of the buffer from which elements are drawn, a scalar of int64.
      count: how often, a scalar of int64; None and -1 repeat without end.
      seed: a seed, which `tf.random.set_seed` combines with the global one.

    Returns: A function from dataset to dataset.
    Raises: tf.errors.InvalidArgumentError: while applying the function, if `buffer_size` or `count` is not positive.
    """

    def apply(dataset: DatasetBase) -> DatasetBase:
        arguments = [
            dataset,
            int64_tensor(buffer_size, "buffer_size"),
            *dataset_seeds(seed),
            int64_tensor(-1 if count is None else count, "count"),
        ]
        shuffled_dataset: DatasetBase = apply_op(
            "_ShuffleAndRepeatDataset",
            shuffle_and_repeat_dataset,
            arguments,
            dataset.element_spec,
            inputs=[dataset],
            reshuffle_each_iteration=True,
        )
        return shuffled_dataset

    return apply
