"""Sobol's sequence: points that fill the unit cube more evenly than random points.

The points are SciPy's, unscrambled and without the first point, 0, as TensorFlow's are.
"""

from __future__ import annotations

import importlib
import warnings

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import DType, as_dtype, float32
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.math.element_types import SINGLE_DOUBLE
from millrace._src.util.export import export


def sobol_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a matrix of `num_results` points in `dim` dimensions."""
    sizes = []
    for name in ("num_results", "dim"):
        value = c.value(name)
        if c.shape(name).rank not in (None, 0):
            raise ValueError(f"Shape must be rank 0 but is rank {c.shape(name).rank}")
        if value is not None and int(value) < 1:
            raise ValueError(f"{name} must be at least one, but is {int(value)}")
        sizes.append(None if value is None else int(value))
    return TensorShape.of(tuple(sizes))


@op(
    "SobolSample",
    "dim: int32, num_results: int32, skip: int32 -> samples: dtype",
    dtype=SINGLE_DOUBLE.with_default(float32),
    shape=sobol_shape,
    constant_inputs=("dim", "num_results", "skip"),
    host_only=True,
    not_differentiable="it has no differentiable input",
)
def sobol_sample_op(xp: Xp, dim: Array, num_results: Array, skip: Array, *, dtype: DType) -> Array:
    """Computes points of Sobol's sequence; the op behind `tf.math.sobol_sample`.

    >>> tf.raw_ops.SobolSample(dim=2, num_results=2, skip=0).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25]], dtype=float32)
    """
    for name, value, least in (("dim", dim, 1), ("num_results", num_results, 1), ("skip", skip, 0)):
        if value.ndim or int(value) < least:
            raise errors.InvalidArgumentError(
                None, None, f"{name} must be a scalar of at least {least}, but is {value}"
            )
    sobol = importlib.import_module("scipy.stats.qmc").Sobol  # SciPy's `qmc` is heavy, and few programs need it
    sequence = sobol(int(dim), scramble=False, bits=32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns of lengths that are not a power of two
        sequence.fast_forward(int(skip) + 1)
        return sequence.random(int(num_results)).astype(dtype.np_dtype)


@export("math.sobol_sample")
def sobol_sample(
    dim: TensorLike, num_results: TensorLike, skip: TensorLike = 0, dtype: DType = float32, name: str | None = None
) -> Tensor:
    """Computes points of Sobol's quasi-random sequence in the unit cube.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)

    Args:
      dim: The number of dimensions, a positive integer.
      num_results: How many points, a positive integer.
      skip: How many points at the start of the sequence are left out.
      dtype: float32 or float64.
      name: A name for the operation (optional).

    Returns: A matrix with a point in each row, coordinates in [0, 1).
    """
    with name_scope(name, "sobol"):
        return sobol_sample_op(dim, num_results, skip, dtype=as_dtype(dtype))
