"""`FakeParam`: a value that no operation reads.

The gradient of a branch reads intermediates of that branch, so the operation around the branches returns the
intermediates of all branches. A branch returns stand-ins for those of another branch. Where dimensions are not known
while tracing, a stand-in is empty along them; an engine that wants one shape from all branches takes the shape of the
branch that computes the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.type_sets import ANY


def _declared_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


@op(
    "FakeParam",
    " -> output: dtype",
    dtype=ANY,
    shape=_declared_shape,
    is_stand_in=True,
    not_differentiable="it has no inputs",
    not_batched="it has no operands that could differ",
)
def fake_param(xp: Xp, *, dtype: DType, shape: TensorShape) -> Array:
    """Represents a value that no operation reads; its unknown dimensions are 0, and a value of unknown rank is a
    scalar.

    >>> tf.raw_ops.FakeParam(dtype=tf.float32, shape=[None, 3]).shape
    TensorShape([0, 3])
    """
    if dtype.is_handle:
        raise errors.UnimplementedError(None, None, f"FakeParam has no value of dtype {dtype.name}.")
    sizes = () if shape.rank is None else tuple([size or 0 for size in shape.as_list()])
    return xp.full(sizes, b"" if dtype.name == "string" else 0, dtype=dtype.np_dtype)


@fake_param.specialize
def fixed_stand_in(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[[], Array] | None:
    """Makes the array once for each node of a program."""
    if attrs["dtype"].is_handle:
        return None
    array = fake_param.op_def.kernel(xp, dtype=attrs["dtype"], shape=attrs["shape"])
    return lambda: array
