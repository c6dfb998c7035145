"""`Dataset.counter`: numbers without end."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.data.sources.tensors import from_tensors
from millrace._src.data.transforms.repeat import repeat
from millrace._src.data.transforms.scan_elements import scan
from millrace._src.graph.scopes import name_scope
from millrace._src.util.export import export


def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Any:
    """Makes a dataset of numbers from `start` on, in steps, without end.

    >>> list(tf.data.Dataset.counter(start=5, step=-2).take(3).as_numpy_iterator())
    [np.int64(5), np.int64(3), np.int64(1)]

    Args:
      start: the first number.
      step: the difference between numbers.
      dtype: the dtype of the numbers, any dtype that has a sum.
      name: a name for the dataset.

    Returns: A Dataset of scalars.
    """
    with name_scope("counter"):
        first = convert_to_tensor(start, dtype=dtype, name="start")
        difference = convert_to_tensor(step, dtype=dtype, name="step")
        ticks = repeat(from_tensors(0), None)
        return scan(ticks, first, lambda number, tick: (number + difference, number), name=name)


@export("data.experimental.Counter")
def counter_function(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = int64) -> Any:
    """Makes a dataset of numbers from `start` on, in steps, without end; see `Dataset.counter`.

    >>> list(tf.data.experimental.Counter(step=0.25, dtype=tf.float32).take(3).as_numpy_iterator())
    [np.float32(0.0), np.float32(0.25), np.float32(0.5)]

    Args:
      start: the first number.
      step: the difference between numbers.
      dtype: the dtype of the numbers.

    Returns: A Dataset of scalars.
    """
    return counter(start, step, dtype)
