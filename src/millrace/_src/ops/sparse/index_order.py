"""The order of a sparse tensor's indices: what must hold of them, and the complaint where it does not.

The indices of a sparse tensor are the rows of a matrix, one for each value. Ops that walk through the values row by row
need the indices inside the dense shape, in row-major order and each once. All rows are judged at once.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid
from millrace._src.ops.array.shape_checks import dims_text


def compare_rows(indices: Array) -> tuple[Array, Array]:
    """Compares each row of a matrix but the first with the row before.

    Returns: Two vectors of bool: which rows come later in row-major order, and which rows are equal.
    """
    differences = indices[1:] > indices[:-1], indices[1:] == indices[:-1]
    is_later = np.zeros(len(differences[0]), bool)
    is_equal = np.ones(len(differences[0]), bool)
    for column in range(indices.shape[1]):
        is_later |= is_equal & differences[0][:, column]
        is_equal &= differences[1][:, column]
    return is_later, is_equal


def require_order(indices: Array, dense_shape: Array) -> None:
    """Refuses indices outside the dense shape, out of order or repeated.

    Args:
      indices: int64 `[values, rank]`.
      dense_shape: int64 `[rank]`.

    Raises: InvalidArgumentError: names the first wrong row.
    """
    is_outside = ((indices < 0) | (indices >= dense_shape)).any(axis=1)
    is_later, is_equal = compare_rows(indices)
    is_wrong = is_outside.copy()
    is_wrong[1:] |= ~is_later
    if not is_wrong.any():
        return
    row = int(is_wrong.argmax())
    if is_outside[row]:
        fault = f"is out of bounds: need 0 <= index < {dims_text(dense_shape.tolist())}"
    elif is_equal[row - 1]:
        fault = "is repeated"
    else:
        fault = "is out of order. Many sparse ops require sorted indices."
    raise invalid(f"indices[{row}] = {dims_text(indices[row].tolist())} {fault}")
