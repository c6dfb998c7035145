"""Moments and normalizations with TensorFlow 1's arguments.

Tests: tests/oracle/programs/v1_nn.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops.array.constant import constant
from millrace._src.ops.nn import batch_normalization, moments
from millrace._src.ops.nn.fused_batch_norm import fused_batch_norm_v3
from millrace._src.util.export import export, export_constant

batch_norm_with_global_normalization = v1_wrapper(
    "nn.batch_norm_with_global_normalization",
    batch_normalization.batch_norm_with_global_normalization,
    "t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None, scale_after_normalization=None, name=None, "
    "input=None, mean=None, variance=None",
    """
    >>> images, zero, one = tf.ones([1, 1, 1, 1]), tf.zeros([1]), tf.ones([1])
    >>> tf.compat.v1.nn.batch_norm_with_global_normalization(images, zero, one, one, one, 0., False).numpy().ravel()
    array([2.], dtype=float32)
    """,
    renamed={"t": "input", "m": "mean", "v": "variance"},
)
export_constant(__name__, "batch_norm_with_global_normalization", v1=["nn.batch_norm_with_global_normalization"])

sufficient_statistics = v1_wrapper(
    "nn.sufficient_statistics",
    moments.sufficient_statistics,
    "x, axes, shift=None, keep_dims=None, name=None, keepdims=None",
    """
    >>> count, total, squares, shift = tf.compat.v1.nn.sufficient_statistics(tf.constant([1., 2.]), [0], keep_dims=True)
    >>> total.numpy()
    array([3.], dtype=float32)
    """,
    renamed={"keep_dims": "keepdims"},
)
export_constant(__name__, "sufficient_statistics", v1=["nn.sufficient_statistics"])

weighted_moments = v1_wrapper(
    "nn.weighted_moments",
    moments.weighted_moments,
    "x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None",
    """
    >>> mean, variance = tf.compat.v1.nn.weighted_moments(tf.constant([1., 3.]), [0], [1., 1.], keep_dims=True)
    >>> mean.numpy(), variance.numpy()
    (array([2.], dtype=float32), array([1.], dtype=float32))
    """,
    renamed={"keep_dims": "keepdims"},
)
export_constant(__name__, "weighted_moments", v1=["nn.weighted_moments"])

_MIN_EPSILON = 1.001e-5


@export(v1=["nn.fused_batch_norm"])
def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Normalizes each channel: with the batch's moments while training, else with `mean` and `variance`.

    >>> x = tf.reshape(tf.constant([1., 3.]), [2, 1, 1, 1])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.], [0.])
    >>> mean.numpy(), variance.numpy()
    (array([2.], dtype=float32), array([2.], dtype=float32))

    Args:
      x: A Tensor of four or five dimensions.
      scale: one number a channel, by which the result is scaled.
      offset: one number a channel, added.
      mean: one number a channel; needed unless training starts anew with each batch.
      variance: like `mean`.
      epsilon: a small number added to the variance; at least 1.001e-5.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: whether the moments are those of the batch.
      name: A name for the operation (optional).
      exponential_avg_factor: how far the returned moments move from `mean` and `variance` to those of the batch.

    Returns: The result, the mean and the variance.
    Raises: ValueError: if moments are needed and not given.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` "
            f"!= 1.0. Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    tensors = [convert_to_tensor(x, name="input"), convert_to_tensor(scale, name="scale")]
    tensors.append(convert_to_tensor(offset, name="offset"))
    moments = [constant([]) if moment is None else moment for moment in (mean, variance)]
    y, running_mean, running_variance, *_ = fused_batch_norm_v3(
        *tensors,
        *moments,
        epsilon=max(epsilon, _MIN_EPSILON),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return y, running_mean, running_variance
