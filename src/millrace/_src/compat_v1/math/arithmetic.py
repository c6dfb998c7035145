"""Functions that only TensorFlow 1 has, or has with other arguments (`tf.compat.v1.div`, `to_float`, ...).

Each function orders its arguments and calls the function of TensorFlow 2 that does the work.
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bfloat16, complex64, complex128, float32, float64, int32, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import rank, size
from millrace._src.ops.math import histogram, sparse_segments
from millrace._src.ops.math.arg_reductions import in_top_k
from millrace._src.ops.math.binary import minimum
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.confusion_matrix import confusion_matrix
from millrace._src.ops.math.division import floor_div as floor_div_op
from millrace._src.ops.math.division import realdiv
from millrace._src.ops.math.matmul import sparse_matmul as sparse_matmul_op
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.math.unary import rsqrt
from millrace._src.util.export import export


@export(v1=["div"], elementwise="binary")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides as Python 2: integers give the quotient rounded down, other numbers the exact quotient.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    Raises: TypeError: if the dtypes differ.
    """
    with name_scope(name, "div") as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        if x.dtype is not y.dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
        divide = realdiv if x.dtype.is_floating or x.dtype.is_complex else floor_div_op
        result: Tensor = divide(x, y, name=scope)
        return result


@export(v1=["floor_div"], elementwise="binary")
def floor_div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides and rounds towards minus infinity.

    >>> tf.compat.v1.floor_div(-7, 2).numpy()
    np.int32(-4)

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    """
    result: Tensor = floor_div_op(x, y, name=name)
    return result


@export(v1=["sparse_matmul"])
def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, of which one has many zeros, as float32.

    >>> tf.compat.v1.sparse_matmul([[1.0, 0.0]], [[3.0], [4.0]], a_is_sparse=True).numpy()
    array([[3.]], dtype=float32)

    Args:
      a: A matrix of float32 or bfloat16.
      b: A matrix of float32 or bfloat16.
      transpose_a: Whether `a` is transposed first.
      transpose_b: Whether `b` is transposed first.
      a_is_sparse: A hint that `a` has many zeros.
      b_is_sparse: A hint that `b` has many zeros.
      name: A name for the operation (optional).

    Returns: A float32 matrix.
    """
    hints = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
    result: Tensor = sparse_matmul_op(a, b, transpose_a=transpose_a, transpose_b=transpose_b, **hints, name=name)
    return result


in_top_k_v1 = export(v1=["math.in_top_k", "nn.in_top_k"])(
    v1_wrapper(
        "math.in_top_k",
        in_top_k,
        "predictions, targets, k, name=None",
        """
    >>> tf.compat.v1.math.in_top_k([[0.1, 0.9]], [1], 1).numpy()
    array([ True])
    """,
    )
)


bincount = export(v1=["math.bincount", "bincount"])(
    v1_wrapper(
        "math.bincount",
        histogram.bincount,
        "arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32",
        """
    >>> tf.compat.v1.bincount([1, 1, 2, 5]).numpy()
    array([0, 2, 1, 0, 0, 1], dtype=int32)
    """,
    )
)


@export(v1=["to_float"])
def to_float(x: TensorLike, name: str = "ToFloat") -> Any:
    """Casts a tensor to float32.

    >>> tf.compat.v1.to_float(3).numpy()
    np.float32(3.0)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, float32, name=name)


@export(v1=["to_double"])
def to_double(x: TensorLike, name: str = "ToDouble") -> Any:
    """Casts a tensor to float64.

    >>> tf.compat.v1.to_double(3).numpy()
    np.float64(3.0)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, float64, name=name)


@export(v1=["to_int32"])
def to_int32(x: TensorLike, name: str = "ToInt32") -> Any:
    """Casts a tensor to int32.

    >>> tf.compat.v1.to_int32(3).numpy()
    np.int32(3)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, int32, name=name)


@export(v1=["to_int64"])
def to_int64(x: TensorLike, name: str = "ToInt64") -> Any:
    """Casts a tensor to int64.

    >>> tf.compat.v1.to_int64(3).numpy()
    np.int64(3)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, int64, name=name)


@export(v1=["to_bfloat16"])
def to_bfloat16(x: TensorLike, name: str = "ToBFloat16") -> Any:
    """Casts a tensor to bfloat16.

    >>> tf.compat.v1.to_bfloat16(3).dtype
    tf.bfloat16

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, bfloat16, name=name)


@export(v1=["to_complex64"])
def to_complex64(x: TensorLike, name: str = "ToComplex64") -> Any:
    """Casts a tensor to complex64.

    >>> tf.compat.v1.to_complex64(3).numpy()
    np.complex64(3+0j)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, complex64, name=name)


@export(v1=["to_complex128"])
def to_complex128(x: TensorLike, name: str = "ToComplex128") -> Any:
    """Casts a tensor to complex128.

    >>> tf.compat.v1.to_complex128(3).numpy()
    np.complex128(3+0j)

    Args:
      x: A `Tensor` of numbers or booleans.
      name: A name for the operation.

    Returns: A `Tensor` of the shape of `x`.
    """
    return cast(x, complex128, name=name)


sparse_segment_sum = export(v1=["sparse.segment_sum", "sparse_segment_sum"])(
    v1_wrapper(
        "sparse.segment_sum",
        sparse_segments.segment_sum,
        "data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False",
        """
    >>> tf.compat.v1.sparse_segment_sum([[1.0], [3.0]], [1], [0]).numpy()
    array([[3.]], dtype=float32)
    """,
    )
)


sparse_segment_mean = export(v1=["sparse.segment_mean", "sparse_segment_mean"])(
    v1_wrapper(
        "sparse.segment_mean",
        sparse_segments.segment_mean,
        "data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False",
        """
    >>> tf.compat.v1.sparse_segment_mean([[1.0], [3.0]], [1], [0]).numpy()
    array([[3.]], dtype=float32)
    """,
    )
)


sparse_segment_sqrt_n = export(v1=["sparse.segment_sqrt_n", "sparse_segment_sqrt_n"])(
    v1_wrapper(
        "sparse.segment_sqrt_n",
        sparse_segments.segment_sqrt_n,
        "data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False",
        """
    >>> tf.compat.v1.sparse_segment_sqrt_n([[1.0], [3.0]], [1], [0]).numpy()
    array([[3.]], dtype=float32)
    """,
    )
)


@export(v1=["clip_by_average_norm"])
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Scales `t` so that its Euclidean norm divided by its number of elements is at most `clip_norm`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 0.25).numpy()
    array([0.3, 0.4], dtype=float32)

    Args:
      t: A `Tensor` of floating point.
      clip_norm: The largest average norm, a positive scalar.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `t`.
    """
    with name_scope(name, "clip_by_average_norm") as scope:
        t = convert_to_tensor(t, name="t")
        count = cast(size(t), t.dtype)
        inverse_norm = rsqrt(reduce_sum(t * t, range_(rank(t))))
        scaled_t = t * clip_norm
        clipped_t = scaled_t * minimum(inverse_norm * count, convert_to_tensor(1.0, dtype=t.dtype) / clip_norm)
        return raw.Identity(input=clipped_t, name=scope)


confusion_matrix_v1 = export(v1=["math.confusion_matrix", "confusion_matrix"])(
    v1_wrapper(
        "math.confusion_matrix",
        confusion_matrix,
        "labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None",
        """
    >>> tf.compat.v1.confusion_matrix([1, 0], [1, 1]).numpy()
    array([[0, 1],
           [0, 1]], dtype=int32)
    """,
    )
)
