"""Partitioners: functions that say into how many parts `get_variable` divides a variable.

A partitioner takes the shape and dtype of a variable, and returns the number of parts along each dimension, of which
all but one are 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.variables.partitioned_getting import get_partitioned_variable
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.compat_v1.variables.scope_state import variables_of_graph
from millrace._src.compat_v1.variables.sizes import known_sizes
from millrace._src.compat_v1.variables.variable_getting import VariableRequest
from millrace._src.core import context
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, float32
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization
from millrace._src.util.export import export

Partitioner = Callable[..., list[int]]


@export(v1=["fixed_size_partitioner"])
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Returns a partitioner that makes a number of parts along a dimension; fewer where the dimension is shorter.

    >>> partitioner = tf.compat.v1.fixed_size_partitioner(3)
    >>> partitioner(shape=tf.TensorShape([10, 4]), dtype=tf.float32)
    [3, 1]

    Args:
      num_shards: The number of parts.
      axis: The dimension.
    """

    def partitioner(shape: TensorShape, **unused: object) -> list[int]:
        counts = [1] * len(shape)
        counts[axis] = min(num_shards, known_sizes(shape)[axis])
        return counts

    return partitioner


@export(v1=["variable_axis_size_partitioner"])
def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """Returns a partitioner that makes as few parts as there must be for none to be larger than a number of bytes.

    >>> partitioner = tf.compat.v1.variable_axis_size_partitioner(64)
    >>> partitioner(shape=tf.TensorShape([100, 4]), dtype=tf.float32)
    [25, 1]

    Args:
      max_shard_bytes: The number of bytes.
      axis: The dimension along which the variable is divided.
      bytes_per_string_element: The number of bytes that a string counts for.
      max_shards: The greatest number of parts, whatever their size; None for any.

    Raises: ValueError: if a number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} andbytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError(f"max_shards must be positive. Currently, max_shards is {max_shards}")

    def partitioner(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        element_bytes = _element_bytes(dtype, bytes_per_string_element)
        sizes = known_sizes(shape)
        slice_bytes = _bytes_of_slice(sizes, axis, element_bytes)
        slices_per_part = max(1, math.floor(max_shard_bytes / slice_bytes))
        count = math.ceil(sizes[axis] / slices_per_part)
        if max_shards:
            count = min(max_shards, count)
        return _along(sizes, axis, count)

    return partitioner


@export(v1=["min_max_variable_partitioner"])
def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """Returns a partitioner that makes as many parts as there may be for none to be smaller than a number of bytes.

    >>> partitioner = tf.compat.v1.min_max_variable_partitioner(4, min_slice_size=64)
    >>> partitioner(shape=tf.TensorShape([100, 4]), dtype=tf.float32)
    [4, 1]

    Args:
      max_partitions: The greatest number of parts.
      axis: The dimension along which the variable is divided.
      min_slice_size: The number of bytes.
      bytes_per_string_element: The number of bytes that a string counts for.

    Raises: ValueError: in the partitioner, if the variable has no such dimension.
    """

    def partitioner(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        sizes = known_sizes(shape)
        if axis >= len(sizes):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        total_bytes = math.prod(sizes) * _element_bytes(dtype, bytes_per_string_element)
        fitting = total_bytes // min_slice_size
        return _along(sizes, axis, max(1, min(max_partitions, sizes[axis], fitting)))

    return partitioner


def _element_bytes(dtype: DTypeLike, bytes_of_string: int) -> int:
    dtype = as_dtype(dtype)
    return bytes_of_string if dtype.name == "string" else int(dtype.size)


def _bytes_of_slice(sizes: list[int], axis: int, element_bytes: int) -> int:
    """Returns the number of bytes of the elements that share an index along a dimension."""
    return max(1, math.prod(size for i, size in enumerate(sizes) if i != axis) * element_bytes)


def _along(sizes: list[int], axis: int, count: int) -> list[int]:
    return [count if i == axis else 1 for i in range(len(sizes))]


@export(v1=["create_partitioned_variables"])
def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: object,
    dtype: DTypeLike = float32,
    trainable: bool = True,
    collections: object = None,
    name: str | None = None,
    reuse: object = None,
) -> list[Any]:
    """Makes the parts of a variable, and returns them as a list.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.create_partitioned_variables([4, 3], [2, 1], tf.compat.v1.zeros_initializer(), name="p")
    [<tf.Variable 'p/part_0:0' shape=(2, 3) dtype=float32>, <tf.Variable 'p/part_1:0' shape=(2, 3) dtype=float32>]

    Args:
      shape: The shape of the whole.
      slicing: The number of parts along each dimension; one number at most is other than 1.
      initializer: The value of the whole, or an initializer.
      dtype: The dtype of the variables.
      trainable: As in `tf.compat.v1.Variable`.
      collections: As in `tf.compat.v1.Variable`.
      name: The name of the whole; default "PartitionedVariable", made unique.
      reuse: As in `tf.compat.v1.variable_scope`.

    Raises: ValueError: if the numbers do not fit the shape.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError("A partitioned Variable must have rank at least 1: shape: {shape}")
    if not callable(initializer):
        initializer = convert_to_tensor(initializer, dtype=dtype)
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        request = VariableRequest(
            shape=as_shape(shape) if callable(initializer) else None,
            dtype=as_dtype(dtype).base_dtype,
            initializer=initializer,
            regularizer=None,
            reuse=scope.reuse,
            trainable=trainable,
            collections=collections,
            caching_device=None,
            validate_shape=True,
            use_resource=scope.use_resource,
            constraint=None,
            synchronization=VariableSynchronization.AUTO,
            aggregation=VariableAggregation.NONE,
        )
        with context.name_scope(None):
            store = variables_of_graph().store
            return list(get_partitioned_variable(store, scope.name, request, lambda **unused: list(slicing)))
