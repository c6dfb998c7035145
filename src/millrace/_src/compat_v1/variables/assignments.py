"""`tf.compat.v1.assign` and its kin: functions of a variable that are methods in version 2."""

from __future__ import annotations

from typing import Any

from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.ops import raw
from millrace._src.util.export import export


@export(v1=["assign"])
def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Replaces the value of a variable.

    >>> v = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.assign(v, [3.0, 4.0]).numpy()
    array([3., 4.], dtype=float32)

    Args:
      ref: The variable.
      value: The new value, of the variable's dtype and a shape that fits.
      validate_shape: Accepted for compatibility; the shape must fit the variable's static shape.
      use_locking: Accepted for compatibility; assignments are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    Raises: ValueError: if dtype or shape do not fit.
    """
    return ref.assign(value, name=name)


@export(v1=["assign_add"])
def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Adds to the value of a variable.

    >>> v = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.assign_add(v, [3.0, 4.0]).numpy()
    array([4., 6.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.assign`; but `name` counts for nothing, as in TensorFlow.
    """
    return ref.assign_add(value)


@export(v1=["assign_sub"])
def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Subtracts from the value of a variable.

    >>> v = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.assign_sub(v, [3.0, 4.0]).numpy()
    array([-2., -2.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.assign`; but `name` counts for nothing, as in TensorFlow.
    """
    return ref.assign_sub(value)


@export(v1=["count_up_to"])
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Adds one to a scalar integer variable, up to a limit; returns the value before.

    >>> v = tf.Variable(1)
    >>> int(tf.compat.v1.count_up_to(v, 2)), int(v)
    (1, 2)

    Args:
      ref: The variable, of int32 or int64.
      limit: The value that is not exceeded.
      name: The name of the operation in a graph.

    Raises: tf.errors.OutOfRangeError: once the limit is reached.
    """
    return raw.ResourceCountUpTo(resource=ref.handle, limit=limit, T=ref.dtype, name=name)


@export(v1=["scatter_update"])
def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replaces rows of a variable.

    >>> v = tf.Variable([1.0, 2.0, 3.0])
    >>> tf.compat.v1.scatter_update(v, [0, 2], [7.0, 8.0]).numpy()
    array([7., 2., 8.], dtype=float32)

    Args:
      ref: The variable.
      indices: The rows, of int32 or int64; of rows that are named twice, the last update counts.
      updates: The values, of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
      use_locking: Accepted for compatibility; updates are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    Raises: tf.errors.InvalidArgumentError: for a row that the variable has not.
    """
    return ref.scatter_update(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_add"])
def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds to rows of a variable. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_add(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([3., 2., 5.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_add(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_sub"])
def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Subtracts from rows of a variable. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_sub(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([-1.,  2.,  1.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_sub(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_mul"])
def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Multiplies rows of a variable. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_mul(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([2., 2., 6.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_mul(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_div"])
def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Divides rows of a variable. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_div(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([0.5, 2. , 1.5], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_div(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_min"])
def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Takes the minimum of rows of a variable and of the updates. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_min(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([1., 2., 2.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_min(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_max"])
def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Takes the maximum of rows of a variable and of the updates. A row that is named several times takes every update.

    >>> tf.compat.v1.scatter_max(tf.Variable([1.0, 2.0, 3.0]), [0, 2], [2.0, 2.0]).numpy()
    array([2., 2., 3.], dtype=float32)

    Args: ref: As all arguments, see `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_max(IndexedSlices(updates, indices), name=name)


@export(v1=["batch_scatter_update"])
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces slices of each batch of a variable.

    >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0], [1]], [[7.0], [8.0]]).numpy()
    array([[7., 2.],
           [3., 8.]], dtype=float32)

    Args:
      ref: The variable.
      indices: Positions along the dimension after the batches'; the dimensions before the last are those of `ref`.
      updates: The values.
      use_locking: Accepted for compatibility; updates are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    """
    return ref.batch_scatter_update(IndexedSlices(updates, indices), name=name)


@export(v1=["scatter_nd_update"])
def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replaces slices of a variable at tuples of indices.

    >>> tf.compat.v1.scatter_nd_update(tf.Variable([1.0, 2.0, 3.0]), [[0], [2]], [7.0, 8.0]).numpy()
    array([7., 2., 8.], dtype=float32)

    Args:
      ref: The variable.
      indices: Tuples of indices along the last dimension.
      updates: The values.
      use_locking: Accepted for compatibility; updates are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    """
    return ref.scatter_nd_update(indices, updates, name)


@export(v1=["scatter_nd_add"])
def scatter_nd_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds to slices of a variable at tuples of indices.

    >>> tf.compat.v1.scatter_nd_add(tf.Variable([1.0, 2.0, 3.0]), [[0], [2]], [7.0, 8.0]).numpy()
    array([ 8.,  2., 11.], dtype=float32)

    Args:
      ref: The variable.
      indices: Tuples of indices along the last dimension.
      updates: The values.
      use_locking: Accepted for compatibility; updates are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    """
    return ref.scatter_nd_add(indices, updates, name)


@export(v1=["scatter_nd_sub"])
def scatter_nd_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Subtracts from slices of a variable at tuples of indices.

    >>> tf.compat.v1.scatter_nd_sub(tf.Variable([1.0, 2.0, 3.0]), [[0], [2]], [7.0, 8.0]).numpy()
    array([-6.,  2., -5.], dtype=float32)

    Args:
      ref: The variable.
      indices: Tuples of indices along the last dimension.
      updates: The values.
      use_locking: Accepted for compatibility; updates are atomic.
      name: The name of the operation in a graph.

    Returns: The variable with its new value.
    """
    return ref.scatter_nd_sub(indices, updates, name)
