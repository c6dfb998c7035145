"""Sizes of dimensions for programs that run with and without `Dimension` objects.

Tests: tests/core/test_dimension.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dimension import Dimension
from millrace._src.core.shapes import TensorShape
from millrace._src.util.export import export


@export(v1=["dimension_at_index"])
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns one dimension of a shape; an unknown dimension if the rank is unknown.

    >>> tf.compat.v1.dimension_at_index(tf.TensorShape([2, None]), 0)
    Dimension(2)

    Args:
      shape: A `tf.TensorShape`.
      index: The position of the dimension in the shape.
    """
    return Dimension(None if shape.rank is None else shape.as_list()[index])


@export(v1=["dimension_value"])
def dimension_value(dimension: TensorLike) -> Any:
    """Returns the size of a dimension.

    >>> tf.compat.v1.dimension_value(tf.compat.v1.Dimension(3)), tf.compat.v1.dimension_value(4)
    (3, 4)

    Args: dimension: A `Dimension`, an integer or None.
    Returns: An integer, or None for an unknown dimension.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension
