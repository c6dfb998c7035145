"""Diagonals of matrices: made into matrices, taken out, and set.

A diagonal band is the diagonals `k[0] ... k[1]`. A packed band is a matrix with one row for each diagonal, the
uppermost first, the shorter diagonals aligned left or right. `_DiagonalBand` computes once, from static sizes, where
each element of a matrix stands in the packed band, and conversely. Every op is then one gather and one `where`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import bool as bool_dtype
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import (
    UNKNOWN,
    dims_text,
    merge_dims,
    unknown_dims,
    with_rank_at_least,
    with_rank_at_most,
)
from millrace._src.ops.array.single_diagonals import diagonal_matrices, diagonal_of, with_diagonal
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


class _DiagonalBand:
    """A diagonal band of a matrix, the diagonals `low ... high`, and the band's packed form."""

    def __init__(self, rows: int, cols: int, low: int, high: int, align: str) -> None:
        self.rows, self.cols, self.low, self.high = rows, cols, low, high
        self.width = max(0, min(rows + min(high, 0), cols - max(low, 0)))
        """The length of the longest diagonal."""
        self.left_above, self.left_below = align.startswith("LEFT"), align.endswith("LEFT")

    def shifts(self, diagonals: Array) -> Array:
        """Returns how far to the right each diagonal begins in its packed row."""
        lengths = np.minimum(self.rows + np.minimum(diagonals, 0), self.cols - np.maximum(diagonals, 0))
        is_left = (diagonals >= 0) & self.left_above | (diagonals <= 0) & self.left_below
        return np.where(is_left, 0, self.width - lengths)

    def matrix_positions(self) -> tuple[Array, Array, Array]:
        """Returns, for each position in the packed band: the row and column in the matrix, and whether it is no
        padding.
        """
        diagonals = np.arange(self.high, self.low - 1, -1)[:, None]
        along = np.arange(self.width)[None, :] - self.shifts(diagonals)
        row, col = along - np.minimum(diagonals, 0), along + np.maximum(diagonals, 0)
        inside = (along >= 0) & (row < self.rows) & (col < self.cols)
        return np.where(inside, row, 0), np.where(inside, col, 0), inside

    def packed_positions(self) -> tuple[Array, Array, Array]:
        """Returns, for each element of the matrix: the diagonal, the position in the packed band, and whether the
        element is in the band.
        """
        row, col = np.arange(self.rows)[:, None], np.arange(self.cols)[None, :]
        diagonals = col - row
        inside = (diagonals >= self.low) & (diagonals <= self.high)
        nearest_diagonals = np.clip(diagonals, self.low, self.high)
        position = np.minimum(row, col) + self.shifts(nearest_diagonals)
        return np.where(inside, self.high - nearest_diagonals, 0), np.where(inside, position, 0), inside


def _limits(k: Array) -> tuple[int, int]:
    """Returns the lowest and the highest diagonal that `k` names."""
    values = k.reshape(-1).tolist()
    if len(values) not in (1, 2):
        raise invalid(f"diag_index must have only one or two elements, received {len(values)} elements.")
    low, high = values[0], values[-1]
    if low > high:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return low, high


def _static_limits(c: ShapeContext) -> tuple[int, int] | None:
    with_rank_at_most(c.shape("k"), 1)
    k = c.value("k")
    if k is None:
        return None
    values = k.reshape(-1).tolist()
    if len(values) not in (1, 2):
        raise ValueError(f"diag_index must be a vector with one or two elements. It has {len(values)} elements.")
    if values[0] > values[-1]:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return values[0], values[-1]


def _check_align(align: str) -> None:
    if align not in _ALIGNMENTS:
        names = ", ".join(f'"{a}"' for a in _ALIGNMENTS)
        raise invalid(f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: {names}")


def _static_align(c: ShapeContext) -> None:
    align = c.attrs.get("align", "LEFT_LEFT")
    if align not in _ALIGNMENTS:
        names = ", ".join(f'"{a}"' for a in _ALIGNMENTS)
        raise ValueError(f"Attr 'align' of '{c.op.name}' Op passed string '{align}' not in: {names}.")


def _zero(x: Array) -> Array:
    return np.array(b"" if x.dtype.kind == "O" else 0, x.dtype)


# --- matrix_diag -------------------------------------------------------------------------------------------------


def _diag_shape(c: ShapeContext) -> TensorShape:
    _static_align(c)
    dims = with_rank_at_least(c.shape("diagonal"), 1)
    limits = _static_limits(c)
    rows, cols = (c.value(n) for n in ("num_rows", "num_cols"))
    if dims is None or limits is None or rows is None or cols is None:
        return UNKNOWN if dims is None or limits is None else unknown_dims(len(dims) + (limits[0] == limits[1]))
    low, high = limits
    lead = dims[: -1 if low == high else -2]
    if low != high:
        with_rank_at_least(c.shape("diagonal"), 2)
        if dims[-2] not in (None, high - low + 1):
            raise ValueError(
                "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
                f"`d_upper`.\nnum_diags = {high - low + 1}, d_lower = {low}, d_upper = {high}, rows = {dims[-2]}"
            )
    return TensorShape.of((*lead, *_matrix_size(dims[-1], low, high, int(rows), int(cols), ValueError)))


def _matrix_size(
    length: int | None, low: int, high: int, rows: int, cols: int, fail: Any
) -> tuple[int | None, int | None]:
    """Returns the size of a matrix of which only the length of the diagonals is certain."""
    if length is None:
        return (None if rows < 0 else rows), (None if cols < 0 else cols)
    least_rows, least_cols = length - min(high, 0), length + max(low, 0)
    if rows == -1 and cols == -1:
        square = max(least_rows, least_cols)
        return square, square
    if rows != -1 and rows < least_rows:
        raise fail("num_rows is too small" if fail is ValueError else "The number of rows is too small.")
    if cols != -1 and cols < least_cols:
        raise fail("num_cols is too small." if fail is ValueError else "The number of columns is too small.")
    rows, cols = (least_rows if rows == -1 else rows), (least_cols if cols == -1 else cols)
    if rows != least_rows and cols != least_cols:
        if fail is ValueError:
            raise ValueError(
                "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of "
                f"the given diagonals.\nnum_rows = {rows} != min_num_rows = {least_rows}, "
                f"num_cols = {cols} != min_num_cols = {least_cols}"
            )
        raise fail("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")
    return rows, cols


def _matrix_diag(xp: Xp, diagonal: Array, k: Array, rows: int, cols: int, padding: Array, align: str) -> Array:
    _check_align(align)
    if not diagonal.ndim:
        raise invalid("diagonal must be at least 1-dim, received shape: []")
    low, high = _limits(k)
    if low == high:
        diagonal = diagonal[..., None, :]
    elif diagonal.ndim < 2 or diagonal.shape[-2] != high - low + 1:
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index "
            "range."
        )
    height, width = _matrix_size(diagonal.shape[-1], low, high, rows, cols, invalid)
    if low == high:
        whole_shape = (*diagonal.shape[:-2], height, width)
        return diagonal_matrices(xp, diagonal[..., 0, :], low, whole_shape, padding.reshape(()))
    which, position, inside = _DiagonalBand(height or 0, width or 0, low, high, align).packed_positions()
    if not diagonal.shape[-1]:
        return xp.full((*diagonal.shape[:-2], height, width), padding.reshape(()), dtype=diagonal.dtype)
    return xp.where(inside, diagonal[..., which, position], padding.reshape(()))


@op(
    "MatrixDiagV3",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
    T=ANY,
    shape=_diag_shape,
    constant_inputs=("k", "num_rows", "num_cols"),
    batching=leading("diagonal"),
    exact_on_rows=True,
)
def matrix_diag_v3(
    xp: Xp,
    diagonal: Array,
    k: Array,
    num_rows: Array,
    num_cols: Array,
    padding_value: Array,
    *,
    align: str = "RIGHT_LEFT",
) -> Array:
    """Makes matrices with the given diagonals, and `padding_value` elsewhere."""
    return _matrix_diag(xp, diagonal, k, int(num_rows), int(num_cols), padding_value, align)


@matrix_diag_v3.gradient
def matrix_diag_v3_gradient(dy: Tensor, k: Tensor, align: str) -> tuple[Tensor, None, None, None, None]:
    """Takes the diagonals of the gradient."""
    return raw.MatrixDiagPartV3(input=dy, k=k, padding_value=_zero_of(dy), align=align), None, None, None, None


def _zero_of(tensor: Any) -> Any:
    return np.zeros((), tensor.dtype.np_dtype)


@op(
    "MatrixDiagV2",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
    T=ANY,
    shape=_diag_shape,
    constant_inputs=("k", "num_rows", "num_cols"),
    batching=leading("diagonal"),
    exact_on_rows=True,
)
def matrix_diag_v2(xp: Xp, diagonal: Array, k: Array, num_rows: Array, num_cols: Array, padding_value: Array) -> Array:
    """Makes matrices with the given diagonals, all aligned left, and `padding_value` elsewhere."""
    return _matrix_diag(xp, diagonal, k, int(num_rows), int(num_cols), padding_value, "LEFT_LEFT")


@matrix_diag_v2.gradient
def matrix_diag_v2_gradient(dy: Tensor, k: Tensor) -> tuple[Tensor, None, None, None, None]:
    """Takes the diagonals of the gradient."""
    return raw.MatrixDiagPartV2(input=dy, k=k, padding_value=_zero_of(dy)), None, None, None, None


def _square_shape(c: ShapeContext) -> TensorShape:
    dims = with_rank_at_least(c.shape("diagonal"), 1)
    return UNKNOWN if dims is None else TensorShape.of((*dims, dims[-1]))


@op(
    "MatrixDiag",
    "diagonal: T -> output: T",
    T=ANY,
    shape=_square_shape,
    batching=leading("diagonal"),
    exact_on_rows=True,
)
def matrix_diag_v1(xp: Xp, diagonal: Array) -> Array:
    """Makes square matrices with the given main diagonals."""
    return _matrix_diag(xp, diagonal, np.zeros((), np.int32), -1, -1, _zero(diagonal), "LEFT_LEFT")


@matrix_diag_v1.gradient
def matrix_diag_v1_gradient(dy: Tensor) -> Tensor:
    """Takes the diagonal of the gradient."""
    return raw.MatrixDiagPart(input=dy)


@op(
    "BatchMatrixDiag",
    "diagonal: T -> output: T",
    T=ANY,
    shape=_square_shape,
    no_gradient="an old name of MatrixDiag, which has one",
    batching=leading("diagonal"),
)
def batch_matrix_diag(xp: Xp, diagonal: Array) -> Array:
    """Makes square matrices with the given main diagonals; the first name of MatrixDiag."""
    return _matrix_diag(xp, diagonal, np.zeros((), np.int32), -1, -1, _zero(diagonal), "LEFT_LEFT")


# --- matrix_diag_part --------------------------------------------------------------------------------------------


def _diag_part_shape(c: ShapeContext) -> TensorShape:
    _static_align(c)
    dims = with_rank_at_least(c.shape("input"), 2)
    limits = _static_limits(c)
    if dims is None or limits is None:
        return UNKNOWN
    low, high = limits
    rows, cols = dims[-2:]
    _check_bounds(rows, cols, low, high)
    longest = None if rows is None or cols is None else min(rows + min(high, 0), cols - max(low, 0))
    lead = dims[:-2] if low == high else (*dims[:-2], high - low + 1)
    return TensorShape.of((*lead, longest))


def _check_bounds(rows: int | None, cols: int | None, low: int, high: int) -> None:
    for name, value in (("lower_diag_index", low), ("upper_diag_index", high)):
        above = rows is not None and value != 0 and value <= -rows
        if above or cols is not None and value != 0 and value >= cols:
            raise ValueError(f"{name} is out of bound.")


def _check_limits(rows: int, cols: int, low: int, high: int, dot: str = ".") -> None:
    for name, value in (("lower_diag_index", low), ("upper_diag_index", high)):
        if value != 0 and not -rows < value < cols:
            raise invalid(f"{name} is out of bound: {value}{dot} It must be between {-rows} and {cols}")


def _matrix_diag_part(xp: Xp, matrix: Array, k: Array, padding: Array, align: str) -> Array:
    _check_align(align)
    if matrix.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {dims_text(matrix.shape)}")
    low, high = _limits(k)
    rows, cols = matrix.shape[-2:]
    _check_limits(rows, cols, low, high)
    if low == high:
        return diagonal_of(xp, matrix, low)
    band = _DiagonalBand(rows, cols, low, high, align)
    row, col, inside = band.matrix_positions()
    if not rows or not cols:
        packed_diagonals = xp.full(
            (*matrix.shape[:-2], high - low + 1, band.width), padding.reshape(()), dtype=matrix.dtype
        )
    else:
        packed_diagonals = xp.where(inside, matrix[..., row, col], padding.reshape(()))
    return packed_diagonals


@op(
    "MatrixDiagPartV3",
    "input: T, k: int32, padding_value: T -> diagonal: T",
    T=ANY,
    shape=_diag_part_shape,
    constant_inputs=("k",),
    batching=leading("input"),
)
def matrix_diag_part_v3(xp: Xp, input: Array, k: Array, padding_value: Array, *, align: str = "RIGHT_LEFT") -> Array:
    """Takes the diagonals of matrices; fills shorter diagonals with `padding_value`."""
    return _matrix_diag_part(xp, input, k, padding_value, align)


@matrix_diag_part_v3.gradient
def matrix_diag_part_v3_gradient(dy: Tensor, input: Tensor, k: Tensor, align: str) -> tuple[Tensor, None, None]:
    """Puts the gradient on the diagonals, zeros elsewhere."""
    return raw.MatrixSetDiagV3(input=raw.ZerosLike(x=input), diagonal=dy, k=k, align=align), None, None


@op(
    "MatrixDiagPartV2",
    "input: T, k: int32, padding_value: T -> diagonal: T",
    T=ANY,
    shape=_diag_part_shape,
    constant_inputs=("k",),
    batching=leading("input"),
)
def matrix_diag_part_v2(xp: Xp, input: Array, k: Array, padding_value: Array) -> Array:
    """Takes the diagonals of matrices, all aligned left; fills shorter diagonals with `padding_value`."""
    return _matrix_diag_part(xp, input, k, padding_value, "LEFT_LEFT")


@matrix_diag_part_v2.gradient
def matrix_diag_part_v2_gradient(dy: Tensor, input: Tensor, k: Tensor) -> tuple[Tensor, None, None]:
    """Puts the gradient on the diagonals, zeros elsewhere."""
    return raw.MatrixSetDiagV2(input=raw.ZerosLike(x=input), diagonal=dy, k=k), None, None


def _main_diagonal_shape(c: ShapeContext) -> TensorShape:
    dims = with_rank_at_least(c.shape("input"), 2)
    if dims is None:
        return UNKNOWN
    rows, cols = dims[-2:]
    return TensorShape.of((*dims[:-2], None if rows is None or cols is None else min(rows, cols)))


@op("MatrixDiagPart", "input: T -> diagonal: T", T=ANY, shape=_main_diagonal_shape, batching=leading("input"))
def matrix_diag_part_v1(xp: Xp, input: Array) -> Array:
    """Takes the main diagonals of matrices."""
    return _matrix_diag_part(xp, input, np.zeros((), np.int32), _zero(input), "LEFT_LEFT")


@matrix_diag_part_v1.gradient
def matrix_diag_part_v1_gradient(dy: Tensor, input: Tensor) -> Tensor:
    """Puts the gradient on the diagonals, zeros elsewhere."""
    return raw.MatrixSetDiag(input=raw.ZerosLike(x=input), diagonal=dy)


# --- matrix_set_diag ---------------------------------------------------------------------------------------------


def _set_diag_shape(c: ShapeContext) -> TensorShape:
    _static_align(c)
    dims = with_rank_at_least(c.shape("input"), 2)
    limits = (0, 0) if c.op.name == "MatrixSetDiag" else _static_limits(c)
    with_rank_at_least(c.shape("diagonal"), 1)
    if dims is None or limits is None:
        known_dims = c.shape("diagonal").dim_sizes if limits is not None and dims is None else None
        lead = None if known_dims is None else known_dims[: -1 if limits is not None and limits[0] == limits[1] else -2]
        return c.shape("input") if lead is None else TensorShape.of((*lead, None, None))
    low, high = limits
    diagonal = with_rank_at_least(c.shape("diagonal"), len(dims) - (low == high))
    _check_bounds(dims[-2], dims[-1], low, high)
    lead = dims[:-2]
    if diagonal is not None:
        lead = merge_dims(lead, diagonal[: -1 if low == high else -2]) or lead
    return TensorShape.of((*lead, *dims[-2:]))


def _matrix_set_diag(xp: Xp, matrix: Array, diagonal: Array, k: Array, align: str) -> Array:
    _check_align(align)
    if matrix.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {dims_text(matrix.shape)}")
    if not diagonal.ndim:
        raise invalid(f"diagonal must be at least 1-dim, received shape: {dims_text(diagonal.shape)}")
    low, high = _limits(k)
    rows, cols = matrix.shape[-2:]
    _check_limits(rows, cols, low, high, dot="")
    band = _DiagonalBand(rows, cols, low, high, align)
    if low != high and (diagonal.ndim < 2 or diagonal.shape[-2] != high - low + 1):
        raise invalid(
            "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and "
            "`upper_diag_index`"
        )
    expected_shape = (*matrix.shape[:-2], *(() if low == high else (high - low + 1,)), band.width)
    if diagonal.shape != expected_shape:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            "the longests diagonal in range [lower_diag_index:upper_diag_index].\n"
            f"Input shape: {dims_text(matrix.shape)}\nDiagonal shape: {dims_text(diagonal.shape)}\n"
            f"Expected diagonal shape: {dims_text(expected_shape)}"
        )
    if not band.width:
        return matrix
    if low == high:
        return with_diagonal(xp, matrix, diagonal, low)
    which, position, inside = band.packed_positions()
    return xp.where(inside, diagonal[..., which, position], matrix)


@op(
    "MatrixSetDiagV3",
    "input: T, diagonal: T, k: int32 -> output: T",
    T=ANY,
    shape=_set_diag_shape,
    constant_inputs=("k",),
    batching=leading("input", "diagonal"),
)
def matrix_set_diag_v3(xp: Xp, input: Array, diagonal: Array, k: Array, *, align: str = "RIGHT_LEFT") -> Array:
    """Replaces the diagonals of matrices."""
    return _matrix_set_diag(xp, input, diagonal, k, align)


@matrix_set_diag_v3.gradient
def matrix_set_diag_v3_gradient(dy: Tensor, diagonal: Tensor, k: Tensor, align: str) -> tuple[Tensor, Tensor, None]:
    """Gives the diagonals of the gradient to the new diagonals, and the rest to the input."""
    d_input = raw.MatrixSetDiagV3(input=dy, diagonal=raw.ZerosLike(x=diagonal), k=k, align=align)
    return d_input, raw.MatrixDiagPartV3(input=dy, k=k, padding_value=_zero_of(dy), align=align), None


@op(
    "MatrixSetDiagV2",
    "input: T, diagonal: T, k: int32 -> output: T",
    T=ANY,
    shape=_set_diag_shape,
    constant_inputs=("k",),
    batching=leading("input", "diagonal"),
)
def matrix_set_diag_v2(xp: Xp, input: Array, diagonal: Array, k: Array) -> Array:
    """Replaces the diagonals of matrices; all new diagonals are aligned left."""
    return _matrix_set_diag(xp, input, diagonal, k, "LEFT_LEFT")


@matrix_set_diag_v2.gradient
def matrix_set_diag_v2_gradient(dy: Tensor, diagonal: Tensor, k: Tensor) -> tuple[Tensor, Tensor, None]:
    """Gives the diagonals of the gradient to the new diagonals, and the rest to the input."""
    d_input = raw.MatrixSetDiagV2(input=dy, diagonal=raw.ZerosLike(x=diagonal), k=k)
    return d_input, raw.MatrixDiagPartV2(input=dy, k=k, padding_value=_zero_of(dy)), None


@op(
    "MatrixSetDiag",
    "input: T, diagonal: T -> output: T",
    T=ANY,
    shape=_set_diag_shape,
    batching=leading("input", "diagonal"),
)
def matrix_set_diag_v1(xp: Xp, input: Array, diagonal: Array) -> Array:
    """Replaces the main diagonals of matrices."""
    return _matrix_set_diag(xp, input, diagonal, np.zeros((), np.int32), "LEFT_LEFT")


@matrix_set_diag_v1.gradient
def matrix_set_diag_v1_gradient(dy: Tensor, diagonal: Tensor) -> tuple[Tensor, Tensor]:
    """Gives the diagonal of the gradient to the new diagonal, and the rest to the input."""
    return raw.MatrixSetDiag(input=dy, diagonal=raw.ZerosLike(x=diagonal)), raw.MatrixDiagPart(input=dy)


# --- public ------------------------------------------------------------------------------------------------------


def _padding(value: object, tensor: object) -> Any:
    """Returns the padding value, as a bool for a boolean tensor, because the default is the number 0."""
    return bool(value) if getattr(tensor, "dtype", None) is bool_dtype and not isinstance(value, Tensor) else value


@export("linalg.diag", v1=["linalg.diag", "matrix_diag"])
def matrix_diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Makes matrices from diagonals.

    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    >>> tf.linalg.diag([1, 2], k=1).numpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)

    Args:
      diagonal: A Tensor whose last dimension is a diagonal; with a range `k`, whose last two are a packed band.
      name: name of the operation.
      k: the diagonal, 0 the main, positive above; or a pair, the lowest and highest.
      num_rows: the number of rows; -1 takes the least.
      num_cols: the number of columns; -1 takes the least.
      padding_value: a scalar for the rest.
      align: how shorter diagonals are packed, those above and those below: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT",
        "RIGHT_RIGHT".

    Returns: A Tensor of matrices.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the sizes do not fit.
    """
    padding = _padding(padding_value, diagonal)
    return matrix_diag_v3(diagonal, k, num_rows, num_cols, padding, align=align, name=name)


@export("linalg.diag_part", v1=["linalg.diag_part", "matrix_diag_part"])
def matrix_diag_part(
    input: TensorLike,
    name: str = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Takes diagonals out of matrices.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Args:
      input: A Tensor of at least two dimensions.
      name: name of the operation.
      k: the diagonal, 0 the main, positive above; or a pair, the lowest and highest.
      padding_value: a scalar that fills shorter diagonals.
      align: how shorter diagonals are packed, those above and those below.

    Returns: A Tensor whose last dimension is the diagonal; with a range `k`, whose last two are a packed band.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `k` is out of range.
    """
    return matrix_diag_part_v3(input, k, _padding(padding_value, input), align=align, name=name)


@export("linalg.set_diag", v1=["linalg.set_diag", "matrix_set_diag"])
def matrix_set_diag(
    input: TensorLike, diagonal: TensorLike, name: str = "set_diag", k: TensorLike = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Replaces diagonals of matrices.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy()
    array([[8, 2],
           [3, 9]], dtype=int32)

    Args:
      input: A Tensor of at least two dimensions.
      diagonal: A Tensor whose last dimension is a diagonal; with a range `k`, whose last two are a packed band.
      name: name of the operation.
      k: the diagonal, 0 the main, positive above; or a pair, the lowest and highest.
      align: how shorter diagonals are packed, those above and those below.

    Returns: A Tensor of the shape of `input`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the sizes do not fit.
    """
    return matrix_set_diag_v3(input, diagonal, k, align=align, name=name)
