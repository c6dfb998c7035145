"""`tf.compat.v1.train.batch`, `shuffle_batch` and their kin: a row for each; `batching.py` does what they all do.

Tests: tests/oracle/programs/v1_input_queues.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.train.batching import Plan
from millrace._src.compat_v1.v1_wrappers import v1_arguments
from millrace._src.util.export import export

_ARGUMENTS = {
    "tensors": "the tensors of an element, in a list or a dict; sparse ones, too.",
    "tensors_list": "for each source the tensors of an element, in a list or a dict; each source has its own thread.",
    "keep_input": "whether an element is taken: a bool scalar; with `enqueue_many` a vector for each element.",
    "batch_size": "the number of elements of a batch.",
    "num_threads": "how many threads enqueue.",
    "capacity": "the most elements of the queue.",
    "min_after_dequeue": "how many elements stay in the queue, for a good shuffle.",
    "seed": "the seed of the shuffle.",
    "enqueue_many": "whether the tensors are stacks of elements.",
    "shapes": "the static shapes of an element; None for those of the tensors.",
    "dynamic_pad": "whether elements of several shapes are filled up, with zeros, to the largest of a batch.",
    "allow_smaller_final_batch": "whether the last batch may have fewer elements.",
    "shared_name": "the name under which graphs of one session share the queue.",
    "name": "a name for the operations.",
}
_RESULT = """Returns: The batch: a tensor, a list or a dict, as the tensors were given.
Raises:
  ValueError: if no tensor is given, or a shape is not known.
  RuntimeError: in eager mode."""

_IN_ORDER = (
    "capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, "
    "shared_name=None, name=None"
)
_SHUFFLED = "seed=None, enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None"


def _batches(name: str, default_name: str, summary: str, parameters: str) -> Callable[..., Any]:
    """Makes a function that batches the elements of one source, or of several, a list of which comes first.

    Args:
      name: the name of the function.
      default_name: the name of its operations.
      summary: what the function does, and maybe an example.
      parameters: the parameters of TensorFlow 1.
    """
    listed = [parameter.partition("=")[0] for parameter in parameters.split(", ")]

    def batches(**arguments: Any) -> Any:
        elements = arguments.pop(listed[0])
        plan = Plan(default_name=default_name, **arguments)
        return plan.join(elements) if listed[0] == "tensors_list" else plan.batch(elements)

    described = "\n".join(f"  {argument}: {_ARGUMENTS[argument]}" for argument in listed)
    batches.__name__, batches.__doc__ = name, f"{summary}\n\nArgs:\n{described}\n\n{_RESULT}"
    return v1_arguments(parameters)(batches)


_EXAMPLE = """
>>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
...     number, = tf.compat.v1.train.slice_input_producer([tf.constant([1, 2, 3, 4])], shuffle=False)
...     batch = tf.compat.v1.train.batch([number], batch_size=3)
...     coordinator = tf.train.Coordinator()
...     threads = tf.compat.v1.train.start_queue_runners(sess, coordinator)
...     print(sess.run(batch), sess.run(batch))
...     coordinator.request_stop()
...     coordinator.join(threads)
[1 2 3] [4 1 2]"""

batch = export(v1=["train.batch"])(
    _batches(
        "batch",
        "batch",
        f"Makes batches of elements, in the order in which a queue takes them.\n{_EXAMPLE}",
        f"tensors, batch_size, num_threads=1, {_IN_ORDER}",
    )
)
maybe_batch = export(v1=["train.maybe_batch"])(
    _batches(
        "maybe_batch",
        "batch",
        "Makes batches of those elements that are to be kept.",
        f"tensors, keep_input, batch_size, num_threads=1, {_IN_ORDER}",
    )
)
batch_join = export(v1=["train.batch_join"])(
    _batches(
        "batch_join",
        "batch_join",
        "Makes batches of elements of several sources, read side by side.",
        f"tensors_list, batch_size, {_IN_ORDER}",
    )
)
maybe_batch_join = export(v1=["train.maybe_batch_join"])(
    _batches(
        "maybe_batch_join",
        "batch_join",
        "Makes batches of those elements of several sources that are to be kept.",
        f"tensors_list, keep_input, batch_size, {_IN_ORDER}",
    )
)
shuffle_batch = export(v1=["train.shuffle_batch"])(
    _batches(
        "shuffle_batch",
        "shuffle_batch",
        "Makes batches of elements in random order.",
        f"tensors, batch_size, capacity, min_after_dequeue, num_threads=1, {_SHUFFLED}",
    )
)
maybe_shuffle_batch = export(v1=["train.maybe_shuffle_batch"])(
    _batches(
        "maybe_shuffle_batch",
        "shuffle_batch",
        "Makes batches of those elements that are to be kept, in random order.",
        f"tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, {_SHUFFLED}",
    )
)
shuffle_batch_join = export(v1=["train.shuffle_batch_join"])(
    _batches(
        "shuffle_batch_join",
        "shuffle_batch_join",
        "Makes batches of elements of several sources, in random order.",
        f"tensors_list, batch_size, capacity, min_after_dequeue, {_SHUFFLED}",
    )
)
maybe_shuffle_batch_join = export(v1=["train.maybe_shuffle_batch_join"])(
    _batches(
        "maybe_shuffle_batch_join",
        "shuffle_batch_join",
        "Makes batches of those elements of several sources that are to be kept, in random order.",
        f"tensors_list, batch_size, capacity, min_after_dequeue, keep_input, {_SHUFFLED}",
    )
)
