"""The diagonal band of a matrix: the main diagonal and some diagonals on both sides, everything else zero.

One mask, made from the distance of each element to the main diagonal, serves all matrices of a batch. Large matrices
are copied by blocks of rows, of which only the corners need a mask. The gradient is the band of the gradient.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_ROWS, _LARGE = 64, 1 << 16
"""The rows of a block, and the size of a matrix from which on blocks pay."""


def _refuse_wide_bands(input: Array, num_lower: Array, num_upper: Array) -> None:
    if input.ndim < 2 or num_lower.ndim or num_upper.ndim:
        return
    rows, cols = input.shape[-2:]
    if num_lower > rows:
        raise invalid(f"num_lower must be negative or less or equal to number of rows ({rows}) got: {num_lower}")
    if num_upper > cols:
        raise invalid(f"num_upper must be negative or less or equal to number of columns ({cols}) got: {num_upper}")


@export("linalg.band_part", v1=["linalg.band_part", "matrix_band_part"])
@op(
    "MatrixBandPart",
    "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    T=ANY,
    Tindex=INDEX.with_default(int64),
    checks=_refuse_wide_bands,
    shape=lambda c: c.shape("input"),
    batching=leading("input"),
    exact_on_rows=True,
)
def matrix_band_part(xp: Xp, input: Array, num_lower: Array, num_upper: Array) -> Array:
    """Keeps the central band of matrices and sets everything outside it to zero.

    >>> tf.linalg.band_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 0, 1).numpy()
    array([[1, 2, 0],
           [0, 5, 6],
           [0, 0, 9]], dtype=int32)

    Args:
      input: A Tensor of at least two dimensions.
      num_lower: an integer scalar, the number of diagonals kept below the main one; negative keeps all.
      num_upper: a scalar of the same dtype, the number kept above the main diagonal; negative keeps all.

    Returns: A Tensor of the shape of `input`.
    Raises: tf.errors.InvalidArgumentError: if a number is larger than the matrix.
    """
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {dims_text(input.shape)}")
    rows, cols = input.shape[-2:]
    for name, value in (("num_lower", num_lower), ("num_upper", num_upper)):
        if value.ndim:
            raise invalid(f"{name} must be scalar, got shape {dims_text(value.shape)}")
    zero = np.array(b"" if input.dtype.kind == "O" else 0, input.dtype)
    if xp.are_known(num_lower, num_upper):
        return _known_band(xp, input, int(num_lower), int(num_upper), zero)
    below = np.arange(rows, dtype=np.int32)[:, None] - np.arange(cols, dtype=np.int32)[None, :]
    inside = ((num_lower < 0) | (below <= num_lower)) & ((num_upper < 0) | (-below <= num_upper))
    return xp.where(inside, input, zero)


@kernel_part
def _known_band(xp: Xp, input: Array, num_lower: int, num_upper: int, zero: Array) -> Array:
    """Keeps a band of which the limits are known; in large matrices, block of rows by block of rows."""
    rows, cols = input.shape[-2:]
    lower, upper = (rows if num_lower < 0 else num_lower), (cols if num_upper < 0 else num_upper)
    if rows < 4 * _ROWS or rows * cols < _LARGE or (lower >= rows and upper >= cols):
        return _band_by_mask(xp, input, num_lower, num_upper, zero)
    result = np.zeros(input.shape, input.dtype)  # whose memory is not touched where it stays zero
    if input.dtype.hasobject:
        result.fill(zero.item())
    for start in range(0, rows, _ROWS):
        stop = min(start + _ROWS, rows)
        first, last = max(start - lower, 0), min(stop + upper, cols)
        if first < last:
            block = result[..., start:stop, first:last]
            block[...] = input[..., start:stop, first:last]
            _clear_outside(block, start - first, lower, upper, zero)
    return result


def _clear_outside(block: Array, offset: int, lower: int, upper: int, zero: Array) -> None:
    """Clears the corners of a block of rows that are outside of the band.

    Args:
      block: the block, from the first column that one of its rows has in the band to the last.
      offset: the column of the main diagonal in the first row.
      lower: the number of diagonals that are kept below the main one.
      upper: the number of diagonals that are kept above it.
      zero: what the elements outside become.
    """
    rows, cols = block.shape[-2:]
    row, col = np.arange(rows)[:, None], np.arange(cols)
    width = max(min(rows - 1 + offset - lower, cols), 0)  # where the last row begins
    np.copyto(block[..., :width], zero, where=col[:width] < row + offset - lower)
    start = min(max(offset + upper + 1, 0), cols)  # where the first row ends
    np.copyto(block[..., start:], zero, where=col[start:] > row + offset + upper)


@_known_band.kernel_for("xla")
def _band_by_mask(xp: Xp, input: Array, num_lower: int, num_upper: int, zero: Array) -> Array:
    """Keeps a band by a mask; a limit that leaves nothing out is not compared with."""
    rows, cols = input.shape[-2:]
    row, col = np.arange(rows, dtype=np.int32)[:, None], np.arange(cols, dtype=np.int32)
    limits = []
    if 0 <= num_lower < rows:
        limits.append(col >= row - num_lower)
    if 0 <= num_upper < cols:
        limits.append(col <= row + num_upper)
    if not limits:
        return input
    return xp.where(limits[0] if len(limits) == 1 else limits[0] & limits[1], input, zero)


@matrix_band_part.gradient
def matrix_band_part_gradient(dy: Tensor, num_lower: Tensor, num_upper: Tensor) -> tuple[Tensor, None, None]:
    """Takes the band of the gradient."""
    return matrix_band_part(dy, num_lower, num_upper), None, None
