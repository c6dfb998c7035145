"""How `get_variable` makes a partitioned variable, or finds the one of that name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.variables.partitioned_variable import PartitionedVariable
from millrace._src.compat_v1.variables.scope_state import VariableStore
from millrace._src.compat_v1.variables.sizes import known_sizes
from millrace._src.compat_v1.variables.variable_getting import PartitionInfo, VariableRequest, get_single_variable
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.ops import raw
from millrace._src.state.variable_definitions import SaveSliceInfo


def get_partitioned_variable(
    store: VariableStore, name: str, request: VariableRequest, partitioner: Callable[..., Any] | None
) -> PartitionedVariable:
    """Returns a partitioned variable.

    Args:
      store: The variables that are there.
      name: The full name.
      request: What is asked for.
      partitioner: A function of shape and dtype that returns the number of parts along each dimension; None for a
        variable that is there, whatever its parts.

    Raises: ValueError: if the variable must and must not be there, or the parts are not as they must be.
    """
    if request.initializes_by_value:
        if request.shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        request = dataclasses.replace(request, initializer=convert_to_tensor(request.initializer))
    shape = as_shape(request.shape)
    if request.initializes_by_value:
        shape = shape.merge_with(request.initializer.shape)
    partitions = None if request.reuse and partitioner is None else _partitions(partitioner, shape, request)
    present = store.partitioned.get(name)
    if present is not None:
        return _reuse(name, present, shape, partitions, request)
    if request.reuse is True:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to "
            "set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    assert partitions is not None
    _refuse_single_variable(store, name, partitions)
    parts = _parts(store, name, request, shape, partitions)
    variable = PartitionedVariable(name, shape, request.dtype, parts, partitions)
    if not context.executing_eagerly() or store.keeps_eager_variables:
        store.partitioned[name] = variable
    return variable


def _partitions(partitioner: Any, shape: TensorShape, request: VariableRequest) -> list[int]:
    """Returns the number of parts along each dimension.

    Raises: ValueError: if the partitioner returns something else.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    counts = partitioner(shape=shape, dtype=request.dtype)
    if not isinstance(counts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {counts} vs. {shape}"
        )
    if any(count < 1 for count in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    return list(counts)


def _reuse(
    name: str, present: PartitionedVariable, shape: TensorShape, partitions: object, request: VariableRequest
) -> PartitionedVariable:
    """Returns a partitioned variable that is there.

    Raises: ValueError: if the variable must not be there, or is not what is asked for.
    """
    if request.reuse in (False, None):
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if not shape.is_compatible_with(present.shape):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape {present.shape}."
        )
    if not request.dtype.is_compatible_with(present.dtype):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified dtype {request.dtype.name} and found dtype "
            f"{present.dtype.name}."
        )
    if partitions is not None and partitions != present._get_partitions():
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified partitions {partitions} and found partitions "
            f"{present._get_partitions()}."
        )
    return present


def _refuse_single_variable(store: VariableStore, name: str, partitions: list[int]) -> None:
    if name in store.variables:
        raise ValueError(
            f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}. Perhaps a "
            "variable of the same name was already created without partitioning?"
        )
    if f"{name}/part_0" in store.variables:
        raise ValueError(
            f"Partitioner returned a different partitioning than what was already found. Partitioner returned "
            f"{max(partitions)} shards, and shard {name}/part_0 was found, but {name}/part_{max(partitions) - 1} was "
            "not."
        )


def _parts(
    store: VariableStore, name: str, request: VariableRequest, shape: TensorShape, partitions: list[int]
) -> list[Any]:
    """Makes the parts of a new partitioned variable."""
    parts, whole = [], known_sizes(shape)
    for number, (offset, size) in enumerate(slices(whole, partitions)):
        request_of_part = _request_of_part(request, whole, offset, size)
        part = get_single_variable(store, f"{name}/part_{number}", request_of_part)
        part._set_save_slice_info(SaveSliceInfo(name, whole, offset, size))
        parts.append(part)
    return parts


def slices(shape: list[int], partitions: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Returns offset and size of each part.

    Args:
      shape: The shape of the whole.
      partitions: The number of parts along each dimension. Where the size is not a multiple of that, the first parts
        are larger by one.

    Raises: ValueError: if several dimensions are partitioned, or a dimension is shorter than its number of parts.
    """
    axes = [axis for axis, count in enumerate(partitions) if count > 1]
    if len(axes) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {TensorShape(shape)}, partitioning: {partitions}"
        )
    axis = axes[0] if axes else 0
    if not shape:
        return [([], [])]
    length, larger = divmod(shape[axis], partitions[axis])
    found, start = [], 0
    for number in range(partitions[axis]):
        size = length + (number < larger)
        offset = [start if i == axis else 0 for i in range(len(shape))]
        if size == 0:
            raise ValueError(
                f"Expected 0 <= offset < shape but found offset={start}, shape={shape[axis]} for var_offset={offset}, "
                f"full_shape={shape}"
            )
        found.append((offset, [size if i == axis else extent for i, extent in enumerate(shape)]))
        start += size
    return found


def _request_of_part(request: VariableRequest, shape: list[int], offset: list[int], size: list[int]) -> VariableRequest:
    """Returns what is asked for a part: a slice of the value, or the initializer with the offset of the part."""
    if request.initializes_by_value:
        value = raw.Slice(input=request.initializer, begin=offset, size=size)
        return dataclasses.replace(request, initializer=value, shape=None)
    return dataclasses.replace(request, shape=TensorShape(size), partition_info=PartitionInfo(shape, offset))
