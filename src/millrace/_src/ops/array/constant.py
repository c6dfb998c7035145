"""`tf.constant`: Python and NumPy values as tensors.

The value becomes an array that no other code may change. In eager mode the array is the tensor; in a graph
the array is the attribute of a Const node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.arrays import make_array
from millrace._src.core.context import note_eager_use, state
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, new_tensor
from millrace._src.util.export import export


@export("constant", v1=[])
def constant(value: object, dtype: object = None, shape: object = None, name: str = "Const") -> Any:
    """Makes a constant tensor of a Python or NumPy value.

    >>> tf.constant([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.constant(0.5, shape=[3]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)

    The value is copied: changing a NumPy array later does not change the tensor. To convert what may be a tensor
    already, use `tf.convert_to_tensor`.

    Args:
      value: a number, string or bool, a nested list of such values, a NumPy array or scalar.
      dtype: the dtype; None infers int32, float32, string or bool, or takes the dtype of a NumPy value.
      shape: the shape to which the value is reshaped; a single element is repeated.
      name: name of the constant in a graph.

    Returns: A Tensor.
    Raises:
      TypeError: if the value does not fit `dtype` or `shape`.
      ValueError: if the value is malformed, or a tensor of a graph.
    """
    wanted_dtype = None if dtype is None else as_dtype(dtype)
    array, actual = array_of_value(value, wanted_dtype)
    if shape is not None:
        array = reshape_value(array, as_shape(shape), value)
    graph = state.graph
    if graph is None:
        return new_eager_tensor(array, actual)
    return graph.constant(array, actual, "Const" if name is None else name)


def _first_tensor(array: Array, dtype: DType) -> EagerTensor:
    """Makes the first constant, after which the devices of the program stay as they are."""
    global new_eager_tensor
    note_eager_use()
    new_eager_tensor = new_tensor
    return new_tensor(array, dtype)


new_eager_tensor: Callable[[Array, DType], EagerTensor] = _first_tensor
"""Makes a constant; later ones need no note."""


def array_of_value(value: object, dtype: DType | None) -> tuple[Array, DType]:
    """Returns the value as an array that no other code may change, and the dtype."""
    if isinstance(value, SymbolicTensor):
        if dtype is not None and value.dtype is not dtype:
            raise TypeError(f"Expected {dtype.name}, but got {value} of type 'SymbolicTensor'.")
        raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    if isinstance(value, EagerTensor):
        if dtype is None or dtype is value.dtype:
            return value._eager_array, value.dtype
        if state.graph is None:
            raise TypeError(
                f"Expected tensor {value._eager_array} with dtype tf.{dtype.name}, but got dtype tf.{value.dtype.name}."
            )
        return make_array(value._eager_array, dtype)
    return make_array(value, dtype)


def reshape_value(array: Array, shape: TensorShape, value: object) -> Array:
    """Gives the array the wanted shape: reshapes the array, or repeats a single element."""
    if not shape.is_fully_defined():
        raise TypeError(f"tf.constant: `shape` must be fully defined; received {shape}.")
    dims = tuple(d for d in shape if d is not None)
    if array.shape == dims:
        return array
    count = shape.num_elements() or 0
    if array.size == count:
        return array.reshape(dims)
    if array.size == 1:
        element = np.full((), array.reshape(-1)[0], array.dtype)
        # in a graph the constant stays one element, as files write it
        return np.full(dims, element) if state.graph is None else np.broadcast_to(element, dims)
    if state.graph is not None:
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    shown_value = value._eager_array if isinstance(value, EagerTensor) else value
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted from {shown_value}) has "
        f"{array.size} elements, but got `shape` {dims} with {count} elements)."
    )
