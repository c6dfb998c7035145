"""`tf.compat.v1.ragged`: values of ragged tensors outside graphs, and placeholders of ragged tensors.

Tests: tests/oracle/programs/ragged_construction.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.compat_v1.image import ResizeMethodV1, resize_v1
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.dtypes import DType, as_dtype, float32, int64
from millrace._src.core.overloads import overload
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.identity import placeholder as dense_placeholder
from millrace._src.ops.image.resizing import ResizeMethod
from millrace._src.ops.ragged.ragged_constants import build_ragged
from millrace._src.ops.ragged.ragged_images import resize_each
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, is_ragged
from millrace._src.ops.ragged.ragged_value import RaggedTensorValue
from millrace._src.util.export import export


@export(v1=["ragged.constant_value"])
def ragged_constant_value(
    pylist: object,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: TensorLike | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """Makes a `RaggedTensorValue` from a nested Python list.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 3]))

    Args:
      pylist: nested lists, tuples or arrays; all scalars are at one depth.
      dtype: the NumPy or TensorFlow dtype of the values; None to find it from them.
      ragged_rank: the number of ragged dimensions; None for as many as there are levels.
      inner_shape: the shape of the dense values behind the ragged dimensions, a tuple; None to find it.
      row_splits_dtype: int32 or int64.

    Returns: A RaggedTensorValue; an array if there is no ragged dimension.
    Raises: ValueError: if scalars are at different depths, or the arguments do not fit each other.
    """
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    np_dtype = dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
    splits_dtype = as_dtype(row_splits_dtype).as_numpy_dtype

    def dense(values: Any, shape: Any) -> Any:
        array = np.array(values, dtype=np_dtype)
        return array if shape is None else array.reshape(shape)

    return build_ragged(
        pylist,
        lambda values, splits: RaggedTensorValue(values, np.array(splits, splits_dtype)),
        dense,
        ragged_rank,
        inner_shape,
    )


@export(v1=["ragged.placeholder"])
def ragged_placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None) -> Any:
    """Makes a placeholder of a ragged tensor, whose values are fed when a graph runs.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.ragged.placeholder(tf.int32, ragged_rank=1, value_shape=[3]).shape
    TensorShape([None, None, 3])

    Args:
      dtype: the dtype of the values.
      ragged_rank: the number of ragged dimensions.
      value_shape: the shape of the values behind the ragged dimensions; None if unknown.
      name: name of the scope in the graph.

    Returns: A RaggedTensor; a Tensor if `ragged_rank` is 0.
    Raises: RuntimeError: in eager mode.
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    if state.graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    with name_scope(name, "RaggedPlaceholder"):
        shape = TensorShape([None]).concatenate(value_shape)
        result = dense_placeholder(dtype, shape, "flat_values")
        for axis in reversed(range(ragged_rank)):
            splits = dense_placeholder(int64, [None], f"row_splits_{axis}")
            result = RaggedTensor.from_row_splits(result, splits, validate=False)
        return result


@overload("compat.v1.image.resize", RaggedTensor)
def ragged_resize_v1(
    images: Any,
    size: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images of different sizes to one size, as TensorFlow 1 does."""

    def resized(image: Any) -> Any:
        return resize_v1(image, size, method, align_corners, preserve_aspect_ratio, name)

    is_kept = method in (ResizeMethodV1.NEAREST_NEIGHBOR, ResizeMethod.NEAREST_NEIGHBOR)
    return resize_each(resized, images, images.dtype if is_kept else float32)
