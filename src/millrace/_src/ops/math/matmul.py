"""Matrix products: MatMul for matrices, BatchMatMul for stacks of matrices, which broadcast.

The kernels are NumPy's `matmul` on transposed views. TensorFlow's `transpose_*` only swaps axes, `adjoint_*` (the ops'
`adj_*`) also conjugates. 16-bit floats are multiplied in 32 bits.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import executing_eagerly, name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.execute import execute, execute_binary
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.batching_rules import elementwise, leading
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math import matrix_batches
from millrace._src.ops.math.broadcasting import conj, shape_text
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.product_gradients import (
    batch_gradients,
    gradient_of_one_matrix,
    is_one_matrix_for_all,
    matrix_product,
    sum_batches,
)
from millrace._src.ops.shape_rules import UNKNOWN, broadcast_dims
from millrace._src.util.blas_threads import SINGLE, large_product
from millrace._src.util.export import export

_FLOATS = (bfloat16, float16, float32, float64)
_COMPLEX = (complex64, complex128)
_MATMUL_TYPES = TypeSet([*_FLOATS, int32, int64, uint8, uint16, uint32, uint64, *_COMPLEX])
_BATCH_TYPES = TypeSet([*_FLOATS, int32, int64, *_COMPLEX])
_BATCH_V2_TYPES = TypeSet([*_FLOATS, int16, int32, int64, uint8, uint16, uint32, uint64, *_COMPLEX])
_V3_INPUTS = TypeSet([*_FLOATS, uint8, int8, int16, int32, int64, *_COMPLEX])
_V3_OUTPUTS = TypeSet([*_FLOATS, int16, int32, int64, *_COMPLEX])


def _check_inner_dim(rows: int | None, columns: int | None, a: TensorShape, b: TensorShape) -> None:
    if rows is not None and columns is not None and rows != columns:
        raise ShapeComplaint(
            f"Dimensions must be equal, but are {columns} and {rows}",
            running=f"Matrix size-incompatible: In[0]: {shape_text(a)}, In[1]: {shape_text(b)}",
        )


def matmul_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of the product of two matrices."""
    a, b = c.shape("a"), c.shape("b")
    for shape in (a, b):
        if shape.rank not in (None, 2):
            differ = f"In[0] and In[1] has different ndims: {shape_text(a)} vs. {shape_text(b)}"
            running = f"In[0] and In[1] ndims must be == 2: {a.rank}" if a.rank == b.rank else differ
            raise ShapeComplaint(f"Shape must be rank 2 but is rank {shape.rank}", running=running)
    m, k = (a.dim_sizes or (None, None))[:: -1 if c.attr("transpose_a") else 1]
    k_b, n = (b.dim_sizes or (None, None))[:: -1 if c.attr("transpose_b") else 1]
    _check_inner_dim(k_b, k, a, b)
    return TensorShape.of((m, n))


@op(
    "MatMul",
    "a: T, b: T -> product: T",
    T=_MATMUL_TYPES,
    shape=matmul_shape,
    batching=matrix_batches.matmul,
    library_bound=True,
    flops=flops.matrix_product,
)
def matmul_op(
    xp: Xp,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Array:
    """Multiplies two matrices; the op behind `tf.matmul` for tensors of rank 2.

    >>> tf.raw_ops.MatMul(a=[[1, 2]], b=[[3], [4]]).numpy()
    array([[11]], dtype=int32)
    """
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("not a matrix")
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


_LARGEST_COPY = 1 << 20
"""The most elements of a matrix that XLA transposes faster than it reads the matrix column by column."""


def _is_read_slowly_by_columns(a: Array) -> bool:
    """Returns whether XLA's products on CPUs read the columns of a matrix more slowly than a transposed copy.

    They do where rows are a multiple of a kilobyte apart: the elements of a column then compete for few lines of the
    processor's cache. In double precision they always do. Measured in docs/decisions/xla-tier.md.
    """
    if a.dtype.kind in "iu":
        return False
    distance = a.shape[1] * max(a.dtype.itemsize, 4)  # XLA widens smaller types
    return a.dtype.itemsize > 4 or distance % 2048 == 0 or distance % 1024 == 0 and a.shape[0] >= 512


@matmul_op.kernel_for("xla")
def _matmul_for_xla(
    xp: CompilingXp,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Array:
    """Multiplies matrices; on CPUs a first matrix that is to be transposed is copied, or oneDNN reads its columns."""
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("not a matrix")
    second = b.T if transpose_b else b
    if not (transpose_a and _is_read_slowly_by_columns(a)):
        return xp.matmul(a.T if transpose_a else a, second)
    own = functools.partial(_product_in_xla, xp)
    is_single = a.dtype.name == b.dtype.name == "float32" and a.shape[0] == second.shape[0]
    return xp.multiply_transposed(own, a, second) if is_single else own(a, second)


def _product_in_xla(xp: CompilingXp, a: Array, b: Array) -> Array:
    """Multiplies the transposed matrix `a` with `b`; on CPUs a transposed copy is made, unless it is too large.

    The barrier keeps XLA from making one operation of transposition and product.
    """
    if a.size > _LARGEST_COPY:
        return xp.matmul(a.T, b)
    first = xp.lax.platform_dependent(a.T, cpu=xp.lax.optimization_barrier, default=lambda x: x)
    return xp.matmul(first, b)


@matmul_op.specialize
def _specialize_matmul(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    dtype = dtypes[0].np_dtype
    if dtype.itemsize < 4:
        return None
    transpose_a, transpose_b = attrs["transpose_a"], attrs["transpose_b"]
    is_integer = dtype.kind in "iu"

    def transposed(a: Array, b: Array) -> Array:
        if a.ndim != 2 or b.ndim != 2:
            raise ValueError("not a matrix")
        try:
            first, second = a.T if transpose_a else a, b.T if transpose_b else b
            if is_integer and a.size > _SMALL_INTEGERS:
                return _integer_dot(first, second)
            return first.dot(second) if a.size * second.shape[1] <= SINGLE else large_product(np.dot, first, second)
        except ValueError:
            raise _wrong_sizes(a, b) from None

    def plain(a: Array, b: Array) -> Array:
        if a.ndim != 2 or b.ndim != 2:
            raise ValueError("not a matrix")
        try:
            if is_integer and a.size > _SMALL_INTEGERS:
                return _integer_dot(a, b)
            if a.size * b.size <= SINGLE or a.size * b.shape[1] <= SINGLE:
                return a.dot(b)
            return large_product(np.dot, a, b)
        except ValueError:
            raise _wrong_sizes(a, b) from None

    return transposed if transpose_a or transpose_b else plain


def _integer_dot(a: Array, b: Array) -> Array:
    """Multiplies large integer matrices: in float64, which has fast loops, where the product is exact there."""
    if a.size == 0 or b.size == 0 or a.shape[1] != b.shape[0]:
        return a.dot(b)
    bound = float(np.abs(a).max()) * float(np.abs(b).max()) * a.shape[1]
    if not 0 <= bound < 2**53 or min(a.min(), b.min()) == np.iinfo(a.dtype).min:
        return a.dot(b)
    exact_product = large_product(np.dot, a.astype(np.float64), b.astype(np.float64))
    return exact_product.astype(np.int64).astype(a.dtype)


_SMALL_INTEGERS = 1024
"""Up to this size of the first matrix, converting integers to floating point does not pay."""


def _wrong_sizes(a: Array, b: Array) -> errors.InvalidArgumentError:
    texts = f"In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)}"
    return errors.InvalidArgumentError(None, None, f"Matrix size-incompatible: {texts}")


@matmul_op.gradient
@values_for(a=("b",), b=("a",))
def matmul_gradient(dproduct: Tensor, a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> tuple[Any, Any]:
    def da() -> Any:
        if transpose_a:
            return matrix_product(conj(b), dproduct, transpose_b, True)
        return matrix_product(dproduct, conj(b), False, not transpose_b)

    def db() -> Any:
        if transpose_b:
            return matrix_product(dproduct, conj(a), True, transpose_a)
        return matrix_product(conj(a), dproduct, not transpose_a, False)

    return da, db


def batch_matmul_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of the products of two stacks of matrices, whose batch dimensions broadcast."""
    x, y = c.inputs[0].shape, c.inputs[1].shape
    for i, shape in enumerate((x, y)):
        if shape.rank is not None and shape.rank < 2:
            raise ShapeComplaint(
                f"Shape must be at least rank 2 but is rank {shape.rank}",
                running=f"In[{i}] ndims must be >= 2: {shape.rank}",
            )
    if x.dim_sizes is None or y.dim_sizes is None:
        return UNKNOWN
    m, k = x.dim_sizes[-2:][:: -1 if c.attr("adj_x") else 1]
    k_y, n = y.dim_sizes[-2:][:: -1 if c.attr("adj_y") else 1]
    if executing_eagerly():
        _batch_dims(x, y)  # a kernel looks at the batches first
    _check_inner_dim(k_y, k, x, y)
    return TensorShape.of((*_batch_dims(x, y), m, n))


def _batch_dims(x: TensorShape, y: TensorShape) -> tuple[int | None, ...]:
    try:
        batch = broadcast_dims(TensorShape.of((x.dim_sizes or ())[:-2]), TensorShape.of((y.dim_sizes or ())[:-2]))
    except ValueError as complaint:
        texts = shape_text(x), shape_text(y)
        raise ShapeComplaint(
            str(complaint), running=f"In[0] and In[1] must have compatible batch dimensions: {texts[0]} vs. {texts[1]}"
        ) from None
    return batch.dim_sizes or ()


def _adjoint(xp: Xp, x: Array) -> Array:
    swapped_x = xp.swapaxes(x, -1, -2)
    return xp.conj(swapped_x) if x.dtype.kind == "c" else swapped_x


def _multiply_batches(xp: Xp, x: Array, y: Array, adj_x: bool, adj_y: bool) -> Array:
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("not a matrix")
    left, right = _adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y
    try:
        return xp.matmul(left, right)
    except ValueError:
        shapes = TensorShape.of(x.shape), TensorShape.of(y.shape)
        _batch_dims(*shapes)
        _check_inner_dim(right.shape[-2], left.shape[-1], *shapes)
        raise


@op(
    "BatchMatMulV2",
    "x: T, y: T -> output: T",
    T=_BATCH_V2_TYPES,
    shape=batch_matmul_shape,
    batching=elementwise,
    library_bound=True,
    flops=flops.matrix_product,
)
def batch_matmul_v2(
    xp: Xp,
    x: Array,
    y: Array,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    """Multiplies stacks of matrices, which broadcast; the op behind `tf.matmul` above rank 2.

    >>> tf.raw_ops.BatchMatMulV2(x=[[[1, 2]]], y=[[3], [4]]).numpy()
    array([[[11]]], dtype=int32)
    """
    return _multiply_batches(xp, x, y, adj_x, adj_y)


@batch_matmul_v2.gradient
@values_for(x=("y",), y=("x",))
def batch_matmul_v2_gradient(doutput: Tensor, x: Tensor, y: Tensor, adj_x: bool, adj_y: bool) -> tuple[Tensor, Tensor]:
    if is_one_matrix_for_all(x, y) and not adj_x:
        dx = raw.BatchMatMulV2(x=doutput, y=y, adj_y=not adj_y)
        return dx, gradient_of_one_matrix(doutput, x, adj_y)
    dx, dy = batch_gradients(doutput, x, y, adj_x, adj_y)
    return sum_batches(x, y, dx, dy)


@op(
    "BatchMatMul",
    "x: T, y: T -> output: T",
    T=_BATCH_TYPES,
    shape=batch_matmul_shape,
    batching=leading("x", "y"),
    library_bound=True,
    flops=flops.matrix_product,
)
def batch_matmul(
    xp: Xp,
    x: Array,
    y: Array,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    """Multiplies stacks of matrices with equal batch dimensions; the older form of `BatchMatMulV2`.

    >>> tf.raw_ops.BatchMatMul(x=[[[1, 2]]], y=[[[3], [4]]]).numpy()
    array([[[11]]], dtype=int32)
    """
    if x.shape[:-2] != y.shape[:-2]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"In[0] and In[1] must have the same batch dimensions: {shape_text(x.shape)} vs. {shape_text(y.shape)}",
        )
    return _multiply_batches(xp, x, y, adj_x, adj_y)


@batch_matmul.gradient
@values_for(x=("y",), y=("x",))
def batch_matmul_gradient(doutput: Tensor, x: Tensor, y: Tensor, adj_x: bool, adj_y: bool) -> tuple[Tensor, Tensor]:
    return batch_gradients(doutput, x, y, adj_x, adj_y)


@op(
    "BatchMatMulV3",
    "x: Ta, y: Tb -> output: Tout",
    Ta=_V3_INPUTS,
    Tb=_V3_INPUTS,
    Tout=_V3_OUTPUTS,
    shape=batch_matmul_shape,
    batching=elementwise,
    library_bound=True,
    flops=flops.matrix_product,
)
def batch_matmul_v3(
    xp: Xp,
    x: Array,
    y: Array,
    *,
    Tout: DType,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    """Multiplies stacks of matrices in another dtype; the op behind `tf.matmul(..., output_type=)`.

    >>> x = tf.constant([[100, 100]], tf.int8)
    >>> tf.raw_ops.BatchMatMulV3(x=x, y=tf.transpose(x), Tout=tf.int32).numpy()
    array([[20000]], dtype=int32)
    """
    return _multiply_batches(xp, xp.astype(x, Tout.np_dtype), xp.astype(y, Tout.np_dtype), adj_x, adj_y)


@batch_matmul_v3.gradient
@values_for(x=("y",), y=("x",))
def batch_matmul_v3_gradient(doutput: Tensor, x: Tensor, y: Tensor, adj_x: bool, adj_y: bool) -> tuple[Tensor, Tensor]:
    dtype = doutput.dtype
    dx, dy = batch_gradients(doutput, cast(x, dtype), cast(y, dtype), adj_x, adj_y)
    return sum_batches(x, y, cast(dx, x.dtype), cast(dy, y.dtype))


_SPARSE_TYPES = TypeSet([float32, bfloat16], default=float32)


@op(
    "SparseMatMul",
    "a: Ta, b: Tb -> product: float",
    Ta=_SPARSE_TYPES,
    Tb=_SPARSE_TYPES,
    shape=matmul_shape,
    batching=matrix_batches.sparse_matmul,
    library_bound=True,
)
def sparse_matmul(
    xp: Xp,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Array:
    """Multiplies matrices, of which one has many zeros, as float32.

    >>> tf.raw_ops.SparseMatMul(a=[[1.0, 0.0]], b=[[3.0], [4.0]], a_is_sparse=True).numpy()
    array([[3.]], dtype=float32)
    """
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("not a matrix")
    a, b = xp.astype(a, np.dtype(np.float32)), xp.astype(b, np.dtype(np.float32))
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@sparse_matmul.gradient
def sparse_matmul_gradient(
    dproduct: Tensor, a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool
) -> tuple[Any, Any]:
    da, db = matmul_gradient(dproduct, cast(a, float32), cast(b, float32), transpose_a, transpose_b)
    return lambda: cast(da(), a.dtype), lambda: cast(db(), b.dtype)


_MATMUL = matmul_op.op_def
_TRANSPOSES = {(a, b): {"transpose_a": a, "transpose_b": b} for a in (False, True) for b in (False, True)}


@late_bound("matmul")
@export("linalg.matmul", "matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrix `a` by matrix `b`, or stacks of matrices; `@` on tensors is the same.

    >>> tf.matmul([[1, 2, 3], [4, 5, 6]], [[7, 8], [9, 10], [11, 12]]).numpy()
    array([[ 58,  64],
           [139, 154]], dtype=int32)

    Args:
      a: A `Tensor` of rank 2 or more: floating point, int32, int64 or complex; the last two axes are the matrix.
      b: A `Tensor` of the same dtype; the leading axes of `a` and `b` broadcast.
      transpose_a: Whether `a` is transposed first.
      transpose_b: Whether `b` is transposed first.
      adjoint_a: Whether `a` is conjugated and transposed first.
      adjoint_b: Whether `b` is conjugated and transposed first.
      a_is_sparse: A hint that the matrix `a` has many zeros.
      b_is_sparse: A hint that the matrix `b` has many zeros.
      output_type: The dtype of the result, e.g. int32 for int8 matrices; by default that of `a`.
      grad_a: Whether `a` is a gradient (a hint, without effect).
      grad_b: Whether `b` is a gradient (a hint, without effect).
      name: A name for the operation (optional).

    Returns: A `Tensor` of the broadcast leading shape, then the rows of `a` and the columns of `b`.
    Raises:
      ValueError: if both `transpose_a` and `adjoint_a` are given, or both for `b`; in a graph, if shapes do not fit.
      InvalidArgumentError: in eager mode, if shapes or dtypes do not fit.
    """
    if state.graph is None:
        if type(a) is not EagerTensor:
            a = convert_to_tensor(a, name="a")
        if type(b) is not EagerTensor:
            b = convert_to_tensor(b, dtype_hint=a.dtype, name="b")
        has_hints = adjoint_a or adjoint_b or a_is_sparse or b_is_sparse or output_type
        if not has_hints and a._eager_array.ndim == 2 == b._eager_array.ndim:
            if not (transpose_a or transpose_b):
                return execute_binary(_MATMUL, a, b, "MatMul")
            return execute(_MATMUL, (a, b), _TRANSPOSES[bool(transpose_a), bool(transpose_b)], name)
    for letter, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True. "
                f"Received `transpose_{letter}`={transpose}, `adjoint_{letter}`={adjoint}."
            )
    with name_scope(name, "MatMul") as scope:
        a = a if isinstance(a, Tensor) else convert_to_tensor(a, name="a")
        b = b if isinstance(b, Tensor) else convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
        result_type = None if output_type is None else as_dtype(output_type)
        is_mixed = result_type is not None and (result_type is not a.dtype or a.dtype is not b.dtype)
        if is_mixed or _is_batched(a.shape, b.shape):
            a, adj_a = _adjoint_instead(a, transpose_a, adjoint_a)
            b, adj_b = _adjoint_instead(b, transpose_b, adjoint_b)
            if is_mixed:
                return batch_matmul_v3(a, b, adj_x=adj_a, adj_y=adj_b, Tout=result_type, name=scope)
            return batch_matmul_v2(a, b, adj_x=adj_a, adj_y=adj_b, grad_x=grad_a, grad_y=grad_b, name=scope)
        a, transpose_a = _transpose_instead(a, transpose_a, adjoint_a)
        b, transpose_b = _transpose_instead(b, transpose_b, adjoint_b)
        if (a_is_sparse or b_is_sparse) and a.dtype in _SPARSE_TYPES and b.dtype in _SPARSE_TYPES:
            product = sparse_matmul(
                a,
                b,
                transpose_a=transpose_a,
                transpose_b=transpose_b,
                a_is_sparse=a_is_sparse,
                b_is_sparse=b_is_sparse,
                name=scope,
            )
            return cast(product, a.dtype) if a.dtype is bfloat16 and b.dtype is bfloat16 else product
        return matmul_op(
            a, b, transpose_a=transpose_a, transpose_b=transpose_b, grad_a=grad_a, grad_b=grad_b, name=scope
        )


def _is_batched(a: TensorShape, b: TensorShape) -> bool:
    """Returns whether a product needs BatchMatMul: a rank is above 2, or unknown."""
    return any(shape.rank is None or shape.rank > 2 for shape in (a, b))


def _adjoint_instead(x: Tensor, transpose: bool, adjoint: bool) -> tuple[Tensor, bool]:
    """Conjugates the operand of a plain transpose beforehand, because the op conjugates as it transposes."""
    return (conj(x) if transpose else x), bool(transpose or adjoint)


def _transpose_instead(x: Tensor, transpose: bool, adjoint: bool) -> tuple[Tensor, bool]:
    """Conjugates the operand of an adjoint beforehand, because the op only transposes."""
    return (conj(x) if adjoint else x), bool(transpose or adjoint)


@export("linalg.matvec")
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrix `a` by vector `b`, or stacks of both.

    >>> tf.linalg.matvec([[1, 2, 3], [4, 5, 6]], [7, 9, 11]).numpy()
    array([ 58, 139], dtype=int32)

    Args:
      a: A `Tensor` of rank 2 or more; the last two axes are the matrix.
      b: A `Tensor` of rank 1 or more of the same dtype; the last axis is the vector.
      transpose_a: Whether `a` is transposed first.
      adjoint_a: Whether `a` is conjugated and transposed first.
      a_is_sparse: A hint that `a` has many zeros.
      b_is_sparse: A hint that `b` has many zeros.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the broadcast leading shape, then the rows of `a`.
    """
    with name_scope(name, "MatVec"):
        column = raw.ExpandDims(input=b, dim=-1)
        product = matmul(
            a, column, transpose_a=transpose_a, adjoint_a=adjoint_a, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse
        )
        return raw.Squeeze(input=product, squeeze_dims=[-1])
