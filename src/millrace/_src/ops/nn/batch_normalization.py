"""`tf.nn.batch_normalization`: scale and shift with given moments.

The moments come from elsewhere (`tf.nn.moments`, or running averages), so elementary ops suffice and have gradients.
`fused_batch_norm` has the ops that also compute the moments.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.util.export import export


@export("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: object,
    variance: object,
    offset: object,
    scale: object,
    variance_epsilon: object,
    name: str | None = None,
) -> Tensor:
    """Computes `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Ioffe & Szegedy, "Batch Normalization: Accelerating Deep Network Training", 2015.

    >>> tf.nn.batch_normalization([[1., 3.]], mean=[1., 1.], variance=[1., 4.], offset=None, scale=None,
    ...                           variance_epsilon=0.).numpy()
    array([[0., 1.]], dtype=float32)

    Args:
      x: A floating point Tensor.
      mean: A Tensor that broadcasts with `x`.
      variance: A Tensor that broadcasts with `x`.
      offset: A Tensor that broadcasts with `x`, or None for 0.
      scale: A Tensor that broadcasts with `x`, or None for 1.
      variance_epsilon: a small number that keeps the root away from 0.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `x`.
    """
    with name_scope(name, "batchnorm"):
        x = convert_to_tensor(x)
        factor = raw.Rsqrt(x=convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = x * cast(factor, x.dtype)
        rest = offset - mean * factor if offset is not None else -convert_to_tensor(mean) * factor
        return scaled + cast(rest, x.dtype)


@export("nn.batch_norm_with_global_normalization", v1=[])
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Normalizes like `tf.nn.batch_normalization`, under an old name and with other argument names.

    >>> tf.nn.batch_norm_with_global_normalization(
    ...     tf.ones([1, 1, 1, 1]), [0.], [1.], [2.], [3.], 0., scale_after_normalization=True).numpy().ravel()
    array([5.], dtype=float32)

    Args:
      input: A floating point Tensor `[batch, height, width, channels]`.
      mean: one number a channel.
      variance: one number a channel.
      beta: one number a channel, added.
      gamma: one number a channel, by which the result is scaled.
      variance_epsilon: a small number that keeps the root away from 0.
      scale_after_normalization: whether to use `gamma`.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `input`.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)
