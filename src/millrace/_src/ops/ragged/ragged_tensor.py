"""`tf.RaggedTensor`, which is not built yet, as the class that libraries ask about.

Keras asks of every value whether it is a ragged tensor. The class answers; whoever makes a ragged tensor is told that
they are not built yet.
"""

from __future__ import annotations

from typing import Any, NoReturn

from millrace._src.core.composite import CompositeTensor
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


def _refusing(name: str) -> Any:
    """Makes a class method that refuses."""

    def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"tf.RaggedTensor.{name} is not built yet in Millrace: ragged tensors are missing. Pad the rows to one "
            "length, or batch with tf.data's padded_batch."
        )

    refuse.__name__, refuse.__doc__ = name, "Refuses: ragged tensors are not built yet."
    return classmethod(refuse)


@export("RaggedTensor")
@tensorflow_home("python.ops.ragged.ragged_tensor")
class RaggedTensor(CompositeTensor):
    """A tensor with rows of different lengths; not built yet, so there are no values of the class.

    >>> isinstance(tf.constant([[1], [2]]), tf.RaggedTensor)
    False
    """

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead.")

    from_row_splits = _refusing("from_row_splits")
    from_row_lengths = _refusing("from_row_lengths")
    from_row_limits = _refusing("from_row_limits")
    from_row_starts = _refusing("from_row_starts")
    from_value_rowids = _refusing("from_value_rowids")
    from_uniform_row_length = _refusing("from_uniform_row_length")
    from_nested_row_splits = _refusing("from_nested_row_splits")
    from_nested_row_lengths = _refusing("from_nested_row_lengths")
    from_nested_value_rowids = _refusing("from_nested_value_rowids")
    from_tensor = _refusing("from_tensor")
    from_sparse = _refusing("from_sparse")
