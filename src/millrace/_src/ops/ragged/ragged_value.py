"""`tf.compat.v1.ragged.RaggedTensorValue`: a ragged tensor of NumPy arrays.

Sessions return such values, and `tf.compat.v1.ragged.constant_value` makes them without any graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.ops.ragged.ragged_text import array_text, nested_arrays, nested_lists
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util.class_homes import tensorflow_home


@tensorflow_home("python.ops.ragged.ragged_tensor_value")
class RaggedTensorValue:
    """The value of a `tf.RaggedTensor` as NumPy arrays.

    >>> import numpy as np
    >>> tf.compat.v1.ragged.RaggedTensorValue(np.array([3, 1, 4]), np.array([0, 2, 3])).to_list()
    [[3, 1], [4]]
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        """Makes the value.

        Args:
          values: an array, or a RaggedTensorValue.
          row_splits: an int32 or int64 vector, an array.

        Raises: TypeError: if an argument is of another kind.
        """
        is_vector = isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.ndim == 1
        if not is_vector or row_splits.dtype not in (np.int32, np.int64):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits

    @property
    def values(self) -> Any:
        """The rows end to end."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and end."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost values, an array."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        dtype: np.dtype[Any] = self._values.dtype
        return dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, with None for ragged dimensions."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    @property
    def _nested_row_partitions(self) -> list[RowPartition]:
        return [RowPartition.from_row_splits(splits) for splits in self.nested_row_splits]

    def to_list(self) -> list[Any]:
        """Returns the elements as nested Python lists."""
        return nested_lists(self.flat_values, self.nested_row_splits)

    def _as_array(self) -> Any:
        values = self._values._as_array() if isinstance(self._values, RaggedTensorValue) else self._values
        return nested_arrays(values, self._row_splits)

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {array_text(self._as_array())}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def ragged_value(flat_values: Any, nested_splits: Sequence[Any]) -> Any:
    """Makes a RaggedTensorValue of an array and row splits, outermost first; the array itself without row splits."""
    value = flat_values
    for splits in reversed(nested_splits):
        value = RaggedTensorValue(value, splits)
    return value
