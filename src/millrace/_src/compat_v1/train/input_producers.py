"""Input producers: queues that give the rows of a tensor, over and over, in order or shuffled.

Sessions run such a queue by its `QueueRunner`; each run of the enqueue operation puts all rows into the queue once.

Tests: tests/oracle/programs/v1_input_queues.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.behavior_switches import resource_variables_enabled
from millrace._src.compat_v1.train.queue_runner import QueueRunner, add_queue_runner
from millrace._src.compat_v1.train.queue_summaries import note_fullness
from millrace._src.compat_v1.variables.assignments import count_up_to
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.variable import VariableV1
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops.array.gathering import gather
from millrace._src.ops.array.identity import identity
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import shape, size
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.random.stateful import shuffle as random_shuffle
from millrace._src.state.queues import FIFOQueue
from millrace._src.util.export import export


def refuse_eager(kind: type[Exception] = RuntimeError) -> None:
    """Refuses eager mode, where no session runs the queues.

    Args: kind: the class of the error.
    Raises: Exception: of that class, in eager mode.
    """
    if executing_eagerly():
        raise kind(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to "
            "ingest data into your model instead."
        )


@export(v1=["train.limit_epochs"])
def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Returns a tensor that can be computed only so many times; then reading it is the end of the data.

    The counter is a local variable: run `tf.compat.v1.local_variables_initializer()` first.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     one = tf.compat.v1.train.limit_epochs(tf.constant(1), num_epochs=1)
    ...     sess.run(tf.compat.v1.local_variables_initializer())
    ...     print(sess.run(one))
    ...     try:
    ...         sess.run(one)
    ...     except tf.errors.OutOfRangeError:
    ...         print("the end")
    1
    the end

    Args:
      tensor: any tensor.
      num_epochs: how many times; None for any number.
      name: a name for the operations.

    Returns: The tensor.
    Raises: ValueError: if `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs") as scope:
        zero = convert_to_tensor(0, dtype=int64)
        collections = [GraphKeys.LOCAL_VARIABLES]
        epochs = VariableV1(zero, name="epochs", trainable=False, collections=collections)
        counter = count_up_to(epochs, num_epochs, name=None if resource_variables_enabled() else "CountUpTo")
        with control_dependencies([counter]):
            return identity(tensor, name=scope)


@export(v1=["train.input_producer"])
def input_producer(
    input_tensor: TensorLike,
    element_shape: ShapeLike | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: object = None,
) -> FIFOQueue:
    """Makes a queue of the rows of a tensor.

    Args:
      input_tensor: a tensor of at least one axis.
      element_shape: the static shape of a row, where the tensor's shape does not tell.
      num_epochs: how many times each row comes; None for no end. A local variable counts.
      shuffle: whether the rows are shuffled anew each time.
      seed: the seed of the shuffle.
      capacity: the most elements of the queue.
      shared_name: the name under which graphs of one session share the queue.
      summary_name: the name of the summary of how full the queue is.
      name: a name for the queue.
      cancel_op: the operation that the queue runner runs to call the enqueuing off; None makes one.

    Returns: The queue, whose `QueueRunner` is noted in the graph.
    Raises:
      ValueError: if the shape of a row is not known.
      RuntimeError: in eager mode.
    """
    refuse_eager()
    with name_scope(name, "input_producer"):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = tensor.shape[1:].merge_with(TensorShape(element_shape))
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        rows = random_shuffle(tensor, seed=seed) if shuffle else tensor
        rows = limit_epochs(rows, num_epochs)
        dtype = tensor.dtype.base_dtype
        queue = FIFOQueue(capacity, [dtype], [row_shape], shared_name=shared_name, name=name)  # type: ignore[arg-type]  # no name: that of the op
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many(rows)], cancel_op=cancel_op))
        note_fullness(queue, capacity, summary_name)
        return queue


@export(v1=["train.string_input_producer"])
def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: object = None,
) -> FIFOQueue:
    """Makes a queue of strings, such as names of files that a reader reads.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     queue = tf.compat.v1.train.string_input_producer(["a", "b"], shuffle=False)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.compat.v1.train.start_queue_runners(sess, coordinator)
    ...     print(sess.run(queue.dequeue_many(3)))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [b'a' b'b' b'a']

    Args:
      string_tensor: a vector of string.
      num_epochs: how many times each string comes; None for no end. A local variable counts.
      shuffle: whether the strings are shuffled anew each time.
      seed: the seed of the shuffle.
      capacity: the most elements of the queue.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the queue.
      cancel_op: the operation that the queue runner runs to call the enqueuing off; None makes one.

    Returns: The queue.
    Raises:
      ValueError: if a list of no strings is given; of a tensor, the session finds out.
      RuntimeError: in eager mode.
    """
    refuse_eager()
    complaint = "string_input_producer requires a non-null input tensor"
    if isinstance(string_tensor, (list, tuple)) and not string_tensor:
        raise ValueError(complaint)
    with name_scope(name, "input_producer") as scope:
        strings = convert_to_tensor(string_tensor, dtype=string)
        with control_dependencies([assert_that(size(strings) > 0, [complaint])]):
            strings = identity(strings)
        return input_producer(
            strings,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


@export(v1=["train.range_input_producer"])
def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """Makes a queue of the numbers from 0 up to a limit.

    Args:
      limit: the number after the last one, a scalar of int32.
      num_epochs: how many times each number comes; None for no end. A local variable counts.
      shuffle: whether the numbers are shuffled anew each time.
      seed: the seed of the shuffle.
      capacity: the most elements of the queue.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the queue.

    Returns: The queue.
    Raises: RuntimeError: in eager mode.
    """
    with name_scope(name, "input_producer") as scope:
        return input_producer(
            range_(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


@export(v1=["train.slice_input_producer"])
def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """Gives a row of each of several tensors, in each run that of one number: an example and its label, say.

    Args:
      tensor_list: tensors of as many rows.
      num_epochs: how many times each row comes; None for no end. A local variable counts.
      shuffle: whether the rows are shuffled anew each time.
      seed: the seed of the shuffle.
      capacity: the most elements of the queue of the numbers of rows.
      shared_name: the name under which graphs of one session share that queue.
      name: a name for the operations.

    Returns: The tensors of one row.
    Raises:
      ValueError: if no tensor is given.
      RuntimeError: in eager mode.
    """
    with name_scope(name, "input_producer"):
        if not tensor_list:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        tensors = [convert_to_tensor(tensor) for tensor in tensor_list]
        limit = shape(tensors[0])[0]
        queue = range_input_producer(limit, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]
