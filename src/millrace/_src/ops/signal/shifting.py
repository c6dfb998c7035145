"""Moving the frequency 0 of a spectrum from the beginning of axes to their middle, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.util.export import export


def _roll(x: Tensor, axes: Any, *, is_inverse: bool) -> Tensor:
    """Rolls axes by half of their size: down, or back up."""
    rank = raw.Rank(input=x) if x.shape.rank is None else np.int32(x.shape.rank)
    if axes is None:
        axes = raw.Range(start=0, limit=rank, delta=1)
    axis = convert_to_tensor(axes, dtype_hint=d.int32)
    sizes = raw.GatherV2(
        params=raw.Shape(input=x), indices=raw.FloorMod(x=raw.Cast(x=axis, DstT=d.int32), y=rank), axis=0
    )
    half = raw.FloorDiv(x=sizes, y=2)
    result: Tensor = raw.Roll(input=x, shift=-half if is_inverse else half, axis=axis)
    return result


@export("signal.fftshift", v1=["signal.fftshift"])
def fftshift(x: TensorLike, axes: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Moves the frequency 0 to the middle of axes.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)

    Args:
      x: A Tensor of at least one dimension.
      axes: integer, or several: which axes. All if None.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range, or `x` is a scalar.
    """
    with name_scope(name, "fftshift"):
        return _roll(convert_to_tensor(x), axes, is_inverse=False)


@export("signal.ifftshift", v1=["signal.ifftshift"])
def ifftshift(x: TensorLike, axes: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Moves the frequency 0 from the middle of axes to their beginning.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)

    Args:
      x: A Tensor of at least one dimension.
      axes: integer, or several: which axes. All if None.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range, or `x` is a scalar.
    """
    with name_scope(name, "ifftshift"):
        return _roll(convert_to_tensor(x), axes, is_inverse=True)
