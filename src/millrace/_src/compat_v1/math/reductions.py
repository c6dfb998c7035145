"""TensorFlow 1's forms of the reductions (`tf.compat.v1.reduce_sum` and the like).

The functions take `reduction_indices` and `keep_dims`, the old names of `axis` and `keepdims`, besides the new names.
"""

from __future__ import annotations

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops.math import reduce
from millrace._src.ops.math.arg_reductions import argmax, argmax_op, argmin, argmin_op
from millrace._src.ops.math.norm import norm
from millrace._src.util.export import export

reduce_sum = export(v1=["math.reduce_sum", "reduce_sum"])(
    v1_wrapper(
        "math.reduce_sum",
        reduce.reduce_sum,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_sum([[1, 1, 1], [1, 1, 1]], reduction_indices=[0]).numpy()
    array([2, 2, 2], dtype=int32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_prod = export(v1=["math.reduce_prod", "reduce_prod"])(
    v1_wrapper(
        "math.reduce_prod",
        reduce.reduce_prod,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_prod([[1., 2.], [3., 4.]], reduction_indices=[0]).numpy()
    array([3., 8.], dtype=float32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_mean = export(v1=["math.reduce_mean", "reduce_mean"])(
    v1_wrapper(
        "math.reduce_mean",
        reduce.reduce_mean,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_mean([[1., 1.], [2., 2.]], reduction_indices=[0]).numpy()
    array([1.5, 1.5], dtype=float32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_max = export(v1=["math.reduce_max", "reduce_max"])(
    v1_wrapper(
        "math.reduce_max",
        reduce.reduce_max,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_max([[1, 5], [4, 3]], reduction_indices=[0]).numpy()
    array([4, 5], dtype=int32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_min = export(v1=["math.reduce_min", "reduce_min"])(
    v1_wrapper(
        "math.reduce_min",
        reduce.reduce_min,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_min([[1, 5], [4, 3]], reduction_indices=[0]).numpy()
    array([1, 3], dtype=int32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_all = export(v1=["math.reduce_all", "reduce_all"])(
    v1_wrapper(
        "math.reduce_all",
        reduce.reduce_all,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_all([[True, True], [False, True]], reduction_indices=[0]).numpy()
    array([False,  True])
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_any = export(v1=["math.reduce_any", "reduce_any"])(
    v1_wrapper(
        "math.reduce_any",
        reduce.reduce_any,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_any([[True, False], [False, False]], reduction_indices=[0]).numpy()
    array([ True, False])
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


reduce_logsumexp = export(v1=["math.reduce_logsumexp", "reduce_logsumexp"])(
    v1_wrapper(
        "math.reduce_logsumexp",
        reduce.reduce_logsumexp,
        "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None",
        """
    >>> tf.compat.v1.reduce_logsumexp([[0.0, 1000.0]], reduction_indices=[0]).numpy()
    array([   0., 1000.], dtype=float32)
    """,
        renamed={"reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


count_nonzero = export(v1=["math.count_nonzero", "count_nonzero"])(
    v1_wrapper(
        "math.count_nonzero",
        reduce.count_nonzero,
        "input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, reduction_indices=None, "
        "keep_dims=None, input=None",
        """
    >>> tf.compat.v1.count_nonzero([[0, 1, 0], [1, 1, 0]], reduction_indices=1).numpy()
    array([1, 2])
    """,
        renamed={"input_tensor": "input", "reduction_indices": "axis", "keep_dims": "keepdims"},
    )
)


argmax_v1 = export(v1=["math.argmax", "argmax"])(
    v1_wrapper(
        "math.argmax",
        argmax,
        "input, axis=None, name=None, dimension=None, output_type=dtypes.int64",
        """
    >>> tf.compat.v1.argmax([2, 20, 30], dimension=0).numpy()
    np.int64(2)
    """,
        renamed={"dimension": "axis"},
    )
)


argmin_v1 = export(v1=["math.argmin", "argmin"])(
    v1_wrapper(
        "math.argmin",
        argmin,
        "input, axis=None, name=None, dimension=None, output_type=dtypes.int64",
        """
    >>> tf.compat.v1.argmin([2, 20, 30], dimension=0).numpy()
    np.int64(0)
    """,
        renamed={"dimension": "axis"},
    )
)


@export(v1=["arg_max"])
def arg_max(input: TensorLike, dimension: TensorLike, output_type: DType = int64, name: str | None = None) -> Tensor:
    """Finds the index of the largest element along an axis.

    >>> tf.compat.v1.arg_max([2, 20, 30], 0).numpy()
    np.int64(2)

    Args:
      input: A `Tensor` of real numbers or booleans.
      dimension: The axis to search.
      output_type: The dtype of the result.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `dimension`.
    """
    return argmax_op(input, dimension, output_type=output_type, name=name)


@export(v1=["arg_min"])
def arg_min(input: TensorLike, dimension: TensorLike, output_type: DType = int64, name: str | None = None) -> Tensor:
    """Finds the index of the smallest element along an axis.

    >>> tf.compat.v1.arg_min([2, 20, 30], 0).numpy()
    np.int64(0)

    Args:
      input: A `Tensor` of real numbers or booleans.
      dimension: The axis to search.
      output_type: The dtype of the result.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `dimension`.
    """
    return argmin_op(input, dimension, output_type=output_type, name=name)


norm_v1 = export(v1=["linalg.norm", "norm"])(
    v1_wrapper(
        "linalg.norm",
        norm,
        "tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None",
        """
    >>> tf.compat.v1.norm([3.0, 4.0], keep_dims=True).numpy()
    array([5.], dtype=float32)
    """,
        renamed={"keep_dims": "keepdims"},
    )
)
