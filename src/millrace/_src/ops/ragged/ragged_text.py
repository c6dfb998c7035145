"""How ragged tensors look as text: `repr`, and what `tf.print` and `tf.strings.format` show.

In eager mode the text is NumPy's text of nested arrays, with commas. A ragged tensor of a graph shows its components.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def array_text(array: object) -> str:
    """Returns the text of an array whose elements may be arrays.

    >>> import numpy as np
    >>> from millrace._src.ops.ragged.ragged_text import array_text
    >>> array_text(np.array([np.array([1, 2]), np.array([3])], dtype=object))
    '[[1, 2], [3]]'
    """
    array = np.asarray(array)
    if not array.size:
        return str(array.tolist())  # NumPy shows all empty arrays alike
    return np.array2string(array, separator=", ", formatter={"all": _element_text})


def _element_text(element: object) -> str:
    return array_text(element) if isinstance(element, np.ndarray) else str(element)


def nested_arrays(values: Any, splits: Any) -> Any:
    """Returns an array of the rows: a plain array where all rows have one length, else an array of arrays.

    Args:
      values: an array, the rows end to end.
      splits: the row splits, a vector.
    """
    lengths = np.diff(splits)
    if lengths.size == 0:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    if (lengths == lengths[0]).all():
        used_values = values[splits[0] : splits[-1]]
        return used_values.reshape((lengths.size, lengths[0], *values.shape[1:]))
    rows = np.empty(lengths.size, dtype=object)
    bounds = splits.tolist()
    rows[:] = [values[start:limit] for start, limit in itertools.pairwise(bounds)]  # an object each
    return rows


def nested_lists(flat_values: Any, nested_splits: Any) -> list[Any]:
    """Returns the elements as nested Python lists."""
    items: list[Any] = flat_values.tolist()
    for splits in reversed(nested_splits):
        bounds = splits.tolist()
        items = [items[start:limit] for start, limit in itertools.pairwise(bounds)]  # an object each
    return items
