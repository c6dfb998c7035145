"""Constants and zeros of TensorFlow 1: `tf.compat.v1.constant` fills a shape, `zeros_like` may leave it to the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import state
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.shapes import as_shape
from millrace._src.ops.array.constant import array_of_value, new_eager_tensor, reshape_value
from millrace._src.ops.array.filling import zeros_like, zeros_like_op
from millrace._src.util.export import export


@export(v1=["constant"])
def constant_v1(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Any:
    """Makes a constant as TensorFlow 1 does: in a graph, a value that is too short continues with its last element.

    >>> tf.compat.v1.constant([1, 2], shape=[2], verify_shape=True).numpy()
    array([1, 2], dtype=int32)

    Args:
      value: a number, string or bool, a nested list of such values, a NumPy array or scalar.
      dtype: the dtype; None infers the dtype from the value.
      shape: the shape.
      name: name of the constant in a graph.
      verify_shape: whether the value must have that shape already.

    Returns: A Tensor.
    Raises: TypeError: if `verify_shape` is set and the shape differs.
    """
    wanted_dtype = None if dtype is None else as_dtype(dtype)
    array, actual = array_of_value(value, wanted_dtype)
    if shape is not None:
        target = as_shape(shape)
        if verify_shape and tuple(target.as_list()) != array.shape:
            raise TypeError(
                f"Expected Tensor {array} (converted from {value}) with shape {tuple(target.as_list())}, "
                f"but got shape {array.shape}."
            )
        if state.graph is not None and 0 < array.size < (target.num_elements() or 0):
            missing_count = (target.num_elements() or 0) - array.size
            array = np.concatenate([array.reshape(-1), np.repeat(array.reshape(-1)[-1:], missing_count)])
        elif state.graph is not None and array.size > (target.num_elements() or 0):
            raise ValueError(
                f"Too many elements provided. Takes at most {target.num_elements()}, but got {array.size}."
            )
        array = reshape_value(array, target, value)
    graph = state.graph
    if graph is None:
        return new_eager_tensor(array, actual)
    return graph.constant(array, actual, "Const" if name is None else name)


@export(v1=["zeros_like"], elementwise="unary")
def zeros_like_v1(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Makes zeros of the shape of a tensor, with the arguments of TensorFlow 1.

    >>> tf.compat.v1.zeros_like([3]).numpy()
    array([0], dtype=int32)

    Args:
      tensor: a Tensor, or a value that converts to one.
      dtype: the dtype; None takes that of `tensor`.
      name: name of the operation.
      optimize: whether to use in a graph what is statically known of `tensor`.

    Returns: A Tensor.
    """
    if state.graph is not None and not optimize and dtype is None:
        return zeros_like_op(tensor, name=name or "zeros_like")
    return zeros_like(tensor, dtype, name)
