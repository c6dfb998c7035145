"""`tf.__operators__`: Python's operators on tensors as functions, which overloads and symbolic layers can name."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops.math.binary import add as math_add
from millrace._src.util.export import export


@export("__operators__.add", v1=[])
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Computes `x + y`: the sum of numbers, the concatenation of strings.

    >>> tf.__operators__.add(tf.constant([1, 2]), 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>

    Args:
      x: a Tensor, or a value that converts to one.
      y: a Tensor of the same dtype and a shape that broadcasts with that of `x`.
      name: a name for the operation.

    Returns: A Tensor of the dtype of `x`.
    Raises: TypeError: if the dtypes differ.
    """
    return math_add(x, y, name=name or "AddV2")


@export("__operators__.eq", v1=[])
def eq(self: Any, other: TensorLike) -> Any:
    """Computes `self == other` element by element.

    >>> tf.__operators__.eq(tf.constant([1, 2]), 2)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>

    Args:
      self: a Tensor, or a value that converts to one.
      other: a value to compare with.

    Returns: A Tensor of booleans; a Python bool for None, and for shapes that cannot be compared.
    """
    return convert_to_tensor(self) == other


@export("__operators__.ne", v1=[])
def ne(self: Any, other: TensorLike) -> Any:
    """Computes `self != other` element by element.

    >>> tf.__operators__.ne(tf.constant([1, 2]), 2)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>

    Args:
      self: a Tensor, or a value that converts to one.
      other: a value to compare with.

    Returns: A Tensor of booleans; a Python bool for None, and for shapes that cannot be compared.
    """
    return convert_to_tensor(self) != other


@export("__operators__.getitem", v1=[])
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Computes `tensor[slice_spec]`.

    >>> tf.__operators__.getitem(tf.constant([1, 2, 3]), slice(1, None))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>

    Args:
      tensor: a Tensor, or a value that converts to one.
      slice_spec: integers, slices, `...`, `tf.newaxis`, tensors, or a tuple of these.
      var: the variable that the tensor is the value of; the slice of the variable can then be assigned to.

    Returns: A Tensor.
    Raises: TypeError: if `slice_spec` cannot index a tensor.
    """
    return (convert_to_tensor(tensor) if var is None else var)[slice_spec]
