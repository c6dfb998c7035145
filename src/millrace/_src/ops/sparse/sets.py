"""`tf.sets`: differences, intersections, sizes and unions of the sets in the last dimension of tensors."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.sparse.set_operations import MEMBER
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util.export import export


def _operand(value: Any, name: str) -> Any:
    """Returns a set operand as a tensor or sparse tensor of a dtype that sets can have."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    operand = value if isinstance(value, SparseTensor) else convert_to_tensor(value, name=name)
    dtype: DType = operand.dtype
    if dtype not in MEMBER:
        names = ", ".join(f"tf.{member.name}" for member in MEMBER)
        raise TypeError(f"'{name}' has invalid dtype `{dtype}` not in supported dtypes: `frozenset({{{names}}})`.")
    return operand


def _operands(a: object, b: object) -> tuple[Any, Any, bool]:
    """Returns the operands, the dense operand first, and whether the order was changed.

    Raises: TypeError: if a dtype is not that of a set, or the dtypes differ.
    """
    first, second = _operand(a, "a"), _operand(b, "b")
    if first.dtype is not second.dtype:
        raise TypeError(f"Types don't match, {first.dtype} vs {second.dtype}.")
    if isinstance(first, SparseTensor) and not isinstance(second, SparseTensor):
        return second, first, True
    return first, second, False


def _run(first: Any, second: Any, operation: str, validate_indices: bool) -> SparseTensor:
    facts = {"set_operation": operation, "validate_indices": validate_indices}
    if isinstance(first, SparseTensor):
        parts = raw.SparseToSparseSetOperation(**_parts("set1", first), **_parts("set2", second), **facts)
    elif isinstance(second, SparseTensor):
        parts = raw.DenseToSparseSetOperation(set1=first, **_parts("set2", second), **facts)
    else:
        parts = raw.DenseToDenseSetOperation(set1=first, set2=second, **facts)
    return SparseTensor(*parts)


def _parts(name: str, sets: SparseTensor) -> dict[str, Any]:
    return {f"{name}_indices": sets.indices, f"{name}_values": sets.values, f"{name}_shape": sets.dense_shape}


@export("sets.size", v1=["sets.size", "sets.set_size"])
def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """Counts the different members of each set.

    >>> sets = tf.sparse.from_dense([[1, 2, 2], [3, 0, 0]])
    >>> tf.sets.size(sets).numpy()
    array([2, 1], dtype=int32)

    Args:
      a: A `SparseTensor` with the members of a set in its last dimension, its indices in row-major order.
      validate_indices: Whether to check the order and range of the indices.

    Returns: An int32 `Tensor` of the shape of `a` without the last dimension.
    Raises:
      TypeError: if `a` is not a sparse tensor, or of a dtype that sets cannot have.
      tf.errors.InvalidArgumentError: if indices are out of order or range.
    """
    if isinstance(a, SparseTensorValue):
        a = SparseTensor.from_value(a)
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {convert_to_tensor(a, name='a')!s}.")
    if a.values.dtype not in MEMBER:
        raise TypeError(f"Invalid dtype `{a.values.dtype}` not in supported dtypes: {MEMBER}.")
    return raw.SetSize(**_parts("set", a), validate_indices=validate_indices)


@export("sets.intersection", v1=["sets.intersection", "sets.set_intersection"])
def set_intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Finds the members that both sets have.

    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2, 3]], [[3, 1, 5]])).numpy()
    array([[1, 3]], dtype=int32)

    Args:
      a: A `Tensor` or `SparseTensor` of integers or strings with the members of a set in its last dimension.
      b: A `Tensor` or `SparseTensor` of the same dtype and leading dimensions.
      validate_indices: Whether to check the order and range of the indices of sparse operands.

    Returns: A `SparseTensor` with the members of each intersection, sorted, in its last dimension.
    Raises:
      TypeError: if the dtypes differ, or are not those of sets.
      tf.errors.InvalidArgumentError: if the leading dimensions differ, or indices are out of order or range.
    """
    first, second, _ = _operands(a, b)
    return _run(first, second, "intersection", validate_indices)


@export("sets.difference", v1=["sets.difference", "sets.set_difference"])
def set_difference(a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Finds the members that one set has and the other has not.

    >>> tf.sparse.to_dense(tf.sets.difference([[1, 2, 3]], [[3, 1, 5]])).numpy()
    array([[2]], dtype=int32)
    >>> tf.sparse.to_dense(tf.sets.difference([[1, 2, 3]], [[3, 1, 5]], aminusb=False)).numpy()
    array([[5]], dtype=int32)

    Args:
      a: A `Tensor` or `SparseTensor` of integers or strings with the members of a set in its last dimension.
      b: A `Tensor` or `SparseTensor` of the same dtype and leading dimensions.
      aminusb: Whether to take the members of `b` away from `a`, or else those of `a` from `b`.
      validate_indices: Whether to check the order and range of the indices of sparse operands.

    Returns: A `SparseTensor` with the members of each difference, sorted, in its last dimension.
    Raises:
      TypeError: if the dtypes differ, or are not those of sets.
      tf.errors.InvalidArgumentError: if the leading dimensions differ, or indices are out of order or range.
    """
    first, second, is_swapped = _operands(a, b)
    return _run(first, second, "a-b" if aminusb != is_swapped else "b-a", validate_indices)


@export("sets.union", v1=["sets.union", "sets.set_union"])
def set_union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Finds the members that one set or the other has.

    >>> tf.sparse.to_dense(tf.sets.union([[1, 2, 3]], [[3, 1, 5]])).numpy()
    array([[1, 2, 3, 5]], dtype=int32)

    Args:
      a: A `Tensor` or `SparseTensor` of integers or strings with the members of a set in its last dimension.
      b: A `Tensor` or `SparseTensor` of the same dtype and leading dimensions.
      validate_indices: Whether to check the order and range of the indices of sparse operands.

    Returns: A `SparseTensor` with the members of each union, sorted, in its last dimension.
    Raises:
      TypeError: if the dtypes differ, or are not those of sets.
      tf.errors.InvalidArgumentError: if the leading dimensions differ, or indices are out of order or range.
    """
    first, second, _ = _operands(a, b)
    return _run(first, second, "union", validate_indices)
