"""One diagonal of a matrix, the common case: in memory it is a vector with a stride of a row and one element.

Where an engine has no strides, the diagonal is spread over the rows and chosen where row and column fit.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part


def diagonal_of(xp: Xp, matrices: Array, offset: int) -> Array:
    """Takes one diagonal of each matrix: 0 is the main diagonal, positive offsets are above."""
    return xp.array(xp.diagonal(matrices, offset=offset, axis1=-2, axis2=-1))


@kernel_part
def diagonal_matrices(xp: Xp, diagonal: Array, offset: int, shape: tuple[int, ...], padding: Array) -> Array:
    """Makes matrices of a shape that hold one diagonal, and elsewhere `padding`; see `with_diagonal`."""
    if padding.dtype.kind != "O" and not padding:
        result = np.zeros(shape, diagonal.dtype)  # the system has zeros ready
    else:
        result = np.full(shape, padding, diagonal.dtype)
    _write(result, diagonal, offset)
    return result


@diagonal_matrices.kernel_for("xla")
def _xla_diagonal_matrices(xp: Xp, diagonal: Array, offset: int, shape: tuple[int, ...], padding: Array) -> Array:
    return with_diagonal(xp, xp.full(shape, padding, dtype=diagonal.dtype), diagonal, offset)


@kernel_part
def with_diagonal(xp: Xp, matrices: Array, diagonal: Array, offset: int) -> Array:
    """Returns matrices with one diagonal replaced.

    Args:
      matrices: an array `[..., rows, columns]`.
      diagonal: an array `[..., length]`, as long as the diagonal is.
      offset: which diagonal; 0 is the main diagonal, positive offsets are above.
    """
    result = np.array(matrices, order="C")
    _write(result, diagonal, offset)
    return result


@with_diagonal.kernel_for("xla")
def _xla_with_diagonal(xp: Xp, matrices: Array, diagonal: Array, offset: int) -> Array:
    rows, columns = matrices.shape[-2:]
    before = max(0, -offset)
    after = rows - before - diagonal.shape[-1]
    by_row = xp.pad(diagonal, [(0, 0)] * (diagonal.ndim - 1) + [(before, after)])
    is_on_diagonal = np.arange(columns)[None, :] - np.arange(rows)[:, None] == offset
    return xp.where(is_on_diagonal, by_row[..., :, None], matrices)


def _write(matrices: Array, diagonal: Array, offset: int) -> None:
    """Writes one diagonal of matrices that lie in memory row by row."""
    rows, columns = matrices.shape[-2:]
    start = offset if offset > 0 else -offset * columns
    flat_matrices = matrices.reshape(*matrices.shape[:-2], rows * columns)
    flat_matrices[..., start :: columns + 1][..., : diagonal.shape[-1]] = diagonal
