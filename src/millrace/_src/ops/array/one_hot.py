"""One-hot vectors and identity matrices: a single mark in each row.

`one_hot` compares each index with all positions, so an index out of range marks nothing. `eye` is an array at once in
eager mode; in a graph, a diagonal of ones is made into a matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import out_of_memory
from millrace._src.core.dtypes import as_dtype, float32, int8, int32, int64, uint8
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.filling import ones, zeros
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, known_int, require_scalar
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_INDICES = TypeSet((uint8, int8, int32, int64), default=int64)


# --- one_hot -----------------------------------------------------------------------------------------------------


def _one_hot_shape(c: ShapeContext) -> TensorShape:
    axis, depth = c.attr("axis"), known_int(c, "depth")
    if axis < -1:
        raise ValueError("axis must be >= -1")
    if c.shape("depth").rank:
        raise ValueError(f"Input must be scalar but has rank {c.shape('depth').rank}")
    if depth is not None and depth < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {depth}")
    require_scalar(c.shape("on_value"))
    require_scalar(c.shape("off_value"))
    dims = c.shape("indices").dim_sizes
    if dims is None:
        return UNKNOWN
    at = len(dims) if axis == -1 else axis
    return TensorShape.of((*dims[:at], depth, *dims[at:]))


@op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    T=ANY,
    TI=_INDICES,
    shape=_one_hot_shape,
    constant_inputs=("depth",),
    not_differentiable="the indices are integers",
    batching=shape_batches.one_hot,
    exact_on_rows=True,
)
def one_hot_op(xp: Xp, indices: Array, depth: Array, on_value: Array, off_value: Array, *, axis: int = -1) -> Array:
    """Makes vectors along `axis` that hold `on_value` at the index and `off_value` elsewhere."""
    if depth.ndim:
        raise invalid(f"depth must be a scalar, but got: {dims_text(depth.shape)}")
    size, rank = int(depth), indices.ndim
    if size < 0:
        raise invalid(f"depth must be non-negative, got: {size}")
    if not -1 <= axis <= rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    at = rank if axis == -1 else axis
    return _mark(xp, indices, size, at, on_value, off_value)


@kernel_part
def _mark(xp: Xp, indices: Array, size: int, at: int, on_value: Array, off_value: Array) -> Array:
    """Marks one element of each vector: NumPy need not compare all of them."""
    vectors = np.empty((indices.size, size), on_value.dtype)
    vectors[...] = off_value
    flat_indices = indices.reshape(-1)
    is_inside = (flat_indices >= 0) & (flat_indices < size)
    numbers = np.arange(indices.size)
    if not is_inside.all():
        numbers, flat_indices = numbers[is_inside], flat_indices[is_inside]
    vectors[numbers, flat_indices] = on_value
    vectors = vectors.reshape(*indices.shape, size)
    return vectors if at == indices.ndim else np.ascontiguousarray(np.moveaxis(vectors, -1, at))


@_mark.kernel_for("xla")
def _mark_xla(xp: Xp, indices: Array, size: int, at: int, on_value: Array, off_value: Array) -> Array:
    rank = indices.ndim
    classes = xp.arange(size, dtype=np.int64 if indices.dtype.itemsize == 8 else np.int32)
    hit = xp.expand_dims(indices, at) == classes.reshape((-1,) + (1,) * (rank - at))
    return xp.where(hit, on_value, off_value)


@export("one_hot")
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """Makes one-hot vectors.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)

    Args:
      indices: A uint8, int8, int32 or int64 Tensor; an index out of [0, depth) gives a vector without a mark.
      depth: a scalar, the length of the vectors.
      on_value: a scalar, the mark; 1 if None.
      off_value: a scalar of the same dtype, the rest; 0 if None.
      axis: the dimension of the vectors in the result; the last if None or -1.
      dtype: the dtype of the result; None takes that of the values, or float32.
      name: name of the operation.

    Returns: A Tensor of one dimension more than `indices`.
    Raises: TypeError: if the dtypes of the values contradict each other or `dtype`.
    """
    with name_scope(name, "one_hot") as scope:
        wanted_dtype = None if dtype is None else as_dtype(dtype)
        on = None if on_value is None else convert_to_tensor(on_value, dtype_hint=wanted_dtype)
        off = None if off_value is None else convert_to_tensor(off_value, dtype_hint=wanted_dtype)
        given_dtype = on.dtype if on is not None else off.dtype if off is not None else None
        for label, value in (("on_value", on), ("off_value", off)):
            if wanted_dtype is not None and value is not None and value.dtype is not wanted_dtype:
                raise TypeError(f"dtype {value.dtype} of {label} does not match dtype parameter {wanted_dtype}")
        wanted_dtype = wanted_dtype or given_dtype or float32
        on = convert_to_tensor(1, wanted_dtype, name="on_value") if on is None else on
        off = convert_to_tensor(0, wanted_dtype, name="off_value") if off is None else off
        if on.dtype is not off.dtype:
            raise TypeError(f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value")
        return one_hot_op(indices, depth, on, off, axis=-1 if axis is None else axis, name=scope or "one_hot")


# --- eye ---------------------------------------------------------------------------------------------------------


@export("eye", "linalg.eye")
def eye(
    num_rows: object,
    num_columns: object = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Any:
    """Makes an identity matrix, or a batch of identity matrices.

    >>> tf.eye(2, 3).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)

    Args:
      num_rows: a non-negative int or integer scalar.
      num_columns: the same; None takes `num_rows`.
      batch_shape: a list of ints, or an integer vector, of leading dimensions.
      dtype: the dtype.
      name: name of the operation.

    Returns: A Tensor of shape `batch_shape + [num_rows, num_columns]`.
    Raises: TypeError: if a size is not an integer.
    """
    columns = num_rows if num_columns is None else num_columns
    if not _is_size(num_rows) or not _is_size(columns):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. "
            f"Received: num_rows={num_rows}, num_columns={columns}"
        )
    wanted_dtype = as_dtype(dtype)
    sizes = [_int_or_tensor(num_rows), _int_or_tensor(columns)]
    batch = [] if batch_shape is None else _batch_dims(batch_shape)
    if state.graph is None and all(isinstance(s, int) for s in (*sizes, *(batch or [0]))) and isinstance(batch, list):
        return _eager_eye(sizes[0], sizes[1], batch, wanted_dtype)
    with name_scope(name, "eye"):
        return _symbolic_eye(sizes[0], sizes[1], batch, wanted_dtype, num_columns is None)


def _is_size(value: object) -> bool:
    if isinstance(value, Tensor):
        return value.dtype.is_integer
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu"
    )


def _int_or_tensor(value: Any) -> Any:
    if isinstance(value, EagerTensor) and state.graph is None:
        return int(value)
    return value if isinstance(value, Tensor) else int(value)


def _batch_dims(batch_shape: Any) -> Any:
    """Returns the leading dimensions as a list of ints, or as a tensor."""
    if isinstance(batch_shape, TensorShape):
        return batch_shape.as_list()
    if isinstance(batch_shape, EagerTensor):
        return batch_shape._eager_array.tolist()
    if isinstance(batch_shape, Tensor):
        return batch_shape
    return [_int_or_tensor(d) for d in batch_shape]


def _eager_eye(rows: int, columns: int, batch: list[int], dtype: Any) -> Any:
    for n in (rows, columns, *batch):
        if n < 0:
            raise errors.op_error("Fill", f"Dimension {n} must be >= 0")
    if dtype.np_dtype.kind == "O":
        raise TypeError(f"Cannot convert 1 to EagerTensor of dtype {dtype.name}")
    try:
        matrix = np.eye(rows, columns, dtype=dtype.np_dtype)
        return EagerTensor(np.array(np.broadcast_to(matrix, (*batch, rows, columns))), dtype)
    except MemoryError as error:
        raise out_of_memory("MatrixDiagV3", error) from None


def _symbolic_eye(rows: object, columns: object, batch: Any, dtype: Any, is_square: bool) -> Any:
    """Makes a diagonal of ones into a matrix, or sets such a diagonal into a matrix of zeros."""
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(batch, list):
        diagonal: Any = [*batch, min(rows, columns)]
        matrix_shape: Any = [*batch, rows, columns]
    else:
        shortest = raw.Minimum(x=rows, y=columns)
        lead = convert_to_tensor(batch, dtype=int32, name="shape")
        diagonal = raw.ConcatV2(values=[lead, [shortest]], axis=0, name="concat")
        matrix_shape = None if is_square else raw.ConcatV2(values=[lead, [rows, columns]], axis=0, name="concat")
    on_diagonal = ones(diagonal, dtype)
    if is_square:
        zero = np.zeros((), dtype.np_dtype)
        return raw.MatrixDiagV3(diagonal=on_diagonal, k=0, num_rows=-1, num_cols=-1, padding_value=zero, name="diag")
    return raw.MatrixSetDiagV3(input=zeros(matrix_shape, dtype), diagonal=on_diagonal, k=0, name="set_diag")
