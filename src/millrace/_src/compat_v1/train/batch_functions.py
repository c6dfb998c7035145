"""`tf.compat.v1.train.batch`, `shuffle_batch` and their kin, by name: `batching.py` does what they all do."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.train.batching import Plan
from millrace._src.core.argument_types import TensorLike
from millrace._src.util.export import export


@export(v1=["train.batch"])
def batch(
    tensors: TensorLike,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: object = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of elements, in the order in which a queue takes them.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     number, = tf.compat.v1.train.slice_input_producer([tf.constant([1, 2, 3, 4])], shuffle=False)
    ...     batch = tf.compat.v1.train.batch([number], batch_size=3)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.compat.v1.train.start_queue_runners(sess, coordinator)
    ...     print(sess.run(batch), sess.run(batch))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [1 2 3] [4 1 2]

    Args:
      tensors: the tensors of an element, in a list or a dict; sparse ones, too.
      batch_size: the number of elements of a batch.
      num_threads: how many threads enqueue.
      capacity: the most elements of the queue.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      dynamic_pad: whether elements of several shapes are filled up, with zeros, to the largest of a batch.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "batch",
        num_threads=num_threads,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return plan.batched(tensors)


@export(v1=["train.maybe_batch"])
def maybe_batch(
    tensors: TensorLike,
    keep_input: TensorLike,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: object = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those elements that are to be kept.

    Args:
      tensors: the tensors of an element, in a list or a dict; sparse ones, too.
      keep_input: whether an element is taken: a bool scalar; with `enqueue_many` a vector for each element.
      batch_size: the number of elements of a batch.
      num_threads: how many threads enqueue.
      capacity: the most elements of the queue.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      dynamic_pad: whether elements of several shapes are filled up, with zeros, to the largest of a batch.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "batch",
        keep_input=keep_input,
        num_threads=num_threads,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return plan.batched(tensors)


@export(v1=["train.batch_join"])
def batch_join(
    tensors_list: object,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: object = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of elements of several sources, read side by side.

    Args:
      tensors_list: for each source the tensors of an element, in a list or a dict; each source has its own thread.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      dynamic_pad: whether elements of several shapes are filled up, with zeros, to the largest of a batch.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "batch_join",
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return plan.joined(tensors_list)


@export(v1=["train.maybe_batch_join"])
def maybe_batch_join(
    tensors_list: object,
    keep_input: TensorLike,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: object = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those elements of several sources that are to be kept.

    Args:
      tensors_list: for each source the tensors of an element, in a list or a dict; each source has its own thread.
      keep_input: whether an element is taken: a bool scalar; with `enqueue_many` a vector for each element.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      dynamic_pad: whether elements of several shapes are filled up, with zeros, to the largest of a batch.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "batch_join",
        keep_input=keep_input,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )
    return plan.joined(tensors_list)


@export(v1=["train.shuffle_batch"])
def shuffle_batch(
    tensors: TensorLike,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: object = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of elements in random order.

    Args:
      tensors: the tensors of an element, in a list or a dict; sparse ones, too.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      min_after_dequeue: how many elements stay in the queue, for a good shuffle.
      num_threads: how many threads enqueue.
      seed: the seed of the shuffle.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "shuffle_batch",
        num_threads=num_threads,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
        shuffle=(min_after_dequeue, seed),
    )
    return plan.batched(tensors)


@export(v1=["train.maybe_shuffle_batch"])
def maybe_shuffle_batch(
    tensors: TensorLike,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: object = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those elements that are to be kept, in random order.

    Args:
      tensors: the tensors of an element, in a list or a dict; sparse ones, too.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      min_after_dequeue: how many elements stay in the queue, for a good shuffle.
      keep_input: whether an element is taken: a bool scalar; with `enqueue_many` a vector for each element.
      num_threads: how many threads enqueue.
      seed: the seed of the shuffle.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "shuffle_batch",
        keep_input=keep_input,
        num_threads=num_threads,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
        shuffle=(min_after_dequeue, seed),
    )
    return plan.batched(tensors)


@export(v1=["train.shuffle_batch_join"])
def shuffle_batch_join(
    tensors_list: object,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: object = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of elements of several sources, in random order.

    Args:
      tensors_list: for each source the tensors of an element, in a list or a dict; each source has its own thread.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      min_after_dequeue: how many elements stay in the queue, for a good shuffle.
      seed: the seed of the shuffle.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "shuffle_batch_join",
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
        shuffle=(min_after_dequeue, seed),
    )
    return plan.joined(tensors_list)


@export(v1=["train.maybe_shuffle_batch_join"])
def maybe_shuffle_batch_join(
    tensors_list: object,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: object = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those elements of several sources that are to be kept, in random order.

    Args:
      tensors_list: for each source the tensors of an element, in a list or a dict; each source has its own thread.
      batch_size: the number of elements of a batch.
      capacity: the most elements of the queue.
      min_after_dequeue: how many elements stay in the queue, for a good shuffle.
      keep_input: whether an element is taken: a bool scalar; with `enqueue_many` a vector for each element.
      seed: the seed of the shuffle.
      enqueue_many: whether the tensors are stacks of elements.
      shapes: the static shapes of an element; None for those of the tensors.
      allow_smaller_final_batch: whether the last batch may have fewer elements.
      shared_name: the name under which graphs of one session share the queue.
      name: a name for the operations.

    Returns: The batch: a tensor, a list or a dict, as the tensors were given.
    Raises:
      ValueError: if no tensor is given, or a shape is not known.
      RuntimeError: in eager mode.
    """
    plan = Plan(
        batch_size,
        capacity,
        "shuffle_batch_join",
        keep_input=keep_input,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
        shuffle=(min_after_dequeue, seed),
    )
    return plan.joined(tensors_list)
