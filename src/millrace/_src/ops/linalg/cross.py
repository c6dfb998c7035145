"""The cross product of vectors in three dimensions.

The product is an op of TensorFlow's, with an error of its own for vectors that do not have three elements. The
gradients are cross products again.
"""

from __future__ import annotations

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import merge
from millrace._src.ops.math.broadcasting import shape_text
from millrace._src.util.export import export

_TYPES = TypeSet(
    [
        *(d.float32, d.float64, d.int32, d.uint8, d.int16, d.int8, d.int64),
        *(d.bfloat16, d.uint16, d.float16, d.uint32, d.uint64),
    ]
)


def cross_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the products from two equal shapes whose last dimension is 3."""
    a, b = c.shape("a"), c.shape("b")
    for shape in (a, b):
        if shape.rank == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
    if a.rank is not None and a.dim_sizes is not None and a.dim_sizes[-1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {a.dim_sizes[-1]}")
    return merge(a, b)


@export("linalg.cross", v1=["cross", "linalg.cross"])
@op("Cross", "a: T, b: T -> product: T", T=_TYPES, shape=cross_shape, batching=leading("a", "b"))
def cross(xp: Xp, a: Array, b: Array) -> Array:
    """Computes the cross products of pairs of vectors.

    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)

    Args:
      a: A real `Tensor` of shape `[..., 3]`.
      b: A `Tensor` of the same shape and dtype.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same shape and dtype.
    Raises:
      InvalidArgumentError: if the shapes differ.
      FailedPreconditionError: if the vectors do not have 3 elements.
    """
    if a.shape != b.shape:
        message = f"Both inputs must be of same shape: {shape_text(a.shape)} vs. {shape_text(b.shape)}"
        raise errors.InvalidArgumentError(None, None, message)
    if a.ndim == 0:
        raise errors.InvalidArgumentError(None, None, "Input must be at least 1D[]")
    if a.shape[-1] != 3:
        raise errors.FailedPreconditionError(None, None, "Cross-products are only defined for 3-element vectors.")
    (a0, a1, a2), (b0, b1, b2) = ([x[..., i] for i in range(3)] for x in (a, b))
    return xp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


@cross.gradient
def cross_gradient(dproduct: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return raw.Cross(a=b, b=dproduct), raw.Cross(a=dproduct, b=a)
