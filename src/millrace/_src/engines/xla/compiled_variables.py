"""Variables of compiled calls: which inputs share one, and the way of their values to XLA and back.

A variable may stand behind several inputs of a graph; an executable takes its value once. Values stay in XLA's memory
from call to call. A value that a call may change is donated: XLA deletes the array and uses its memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.op_def import Effects
from millrace._src.core.resources import VariableStorage
from millrace._src.passes.optimized_graph import OptimizedGraph, Value
from millrace._src.passes.pipeline import optimize_held_graphs


def abstract(array: Any, device: jax.Device | None = None) -> jax.ShapeDtypeStruct:
    """Returns shape, dtype and placement of an array; an array without a fixed device goes where the others are.

    Args:
      array: the array, or its type.
      device: the device to which the array is to be moved.
    """
    if device is not None:
        return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=jax.sharding.SingleDeviceSharding(device))
    if isinstance(array, jax.ShapeDtypeStruct):
        return array
    placement = array.sharding if isinstance(array, jax.Array) and array.committed else None
    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=placement)


class Sharing(NamedTuple):
    """Which resource inputs of one call are the same variable.

    Attributes:
      identities: the identity of the variable behind each resource input.
      owners: the number of the variable of each resource input; variables are numbered in the order of the inputs.
      written: for each variable that the graph may change, the first of its inputs.
      read: for each other variable, the first of its inputs.
      order: an input of each variable, in the order in which all threads lock variables.
      key: the part of an executable's key that concerns variables.
    """

    identities: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    read: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    key: tuple[tuple[int, ...]] = ((),)


class VariableType:
    """The stand-in of a variable where nothing runs: shape, dtype and placement of its value.

    Raises: FailedPreconditionError: if the variable has no value.
    """

    __slots__ = ("device",)

    def __init__(self, storage: VariableStorage) -> None:
        device = storage.device
        self.device = abstract(_host_value(storage) if device is None else device)


def sharing_of(identities: tuple[int, ...], is_written: Sequence[bool]) -> Sharing:
    """Returns how inputs share variables.

    Args:
      identities: the identity of the variable behind each resource input.
      is_written: for each of these inputs, whether the graph may change the variable through the input.
    """
    first_indices: dict[int, int] = {}
    for index, identity in enumerate(identities):
        first_indices.setdefault(identity, index)
    numbers = {identity: number for number, identity in enumerate(first_indices)}
    owners = tuple([numbers[identity] for identity in identities])
    changed_numbers = changed_variables(owners, is_written)
    parts: tuple[list[int], list[int]] = [], []
    for identity, index in first_indices.items():
        parts[numbers[identity] in changed_numbers].append(index)
    order = tuple([index for _, index in sorted(first_indices.items())])
    return Sharing(identities, owners, tuple(parts[True]), tuple(parts[False]), order, (owners,))


def changed_variables(owners: Sequence[int], is_written: Sequence[bool]) -> set[int]:
    """Returns the numbers of the variables that the graph may change; see `Sharing` for `owners`."""
    return {owner for owner, writes in zip(owners, is_written, strict=True) if writes}


def values_of(storages: Sequence[VariableStorage], sharing: Sharing) -> list[Any]:
    """Returns the values of the variables that a call may change, then those of the others.

    The others stay with XLA: a call takes an array of XLA's more quickly than one of NumPy's.
    """
    values = []
    for index in sharing.written:
        storage = storages[index]
        values.append(_host_value(storage) if storage.device is None else storage.device)
    for index in sharing.read:
        storage = storages[index]
        values.append(_keep(storage) if storage.device is None else storage.device)
    return values


def _keep(storage: VariableStorage) -> Any:
    """Puts the value of a variable that no engine holds into XLA's memory, and returns that value."""
    with jax.enable_x64(True):
        storage.set_device_value(jax.device_put(_host_value(storage)))
    return storage.device


def _host_value(storage: VariableStorage) -> Array:
    """Returns the value of a variable that no engine holds."""
    value = storage.value
    if value is None:
        raise errors.FailedPreconditionError(
            None, None, f"Could not find variable {storage.name}. It was never initialized."
        )
    return value


def indices_of_variable_arrays(results: Sequence[Any], variable_arrays: Sequence[Any]) -> tuple[int, ...]:
    """Returns the indices of the results that are also a variable's array; an executable decides that once for all."""
    identities = set(map(id, variable_arrays))
    return tuple([index for index, result in enumerate(results) if id(result) in identities])


def detach(results: list[Any], indices: Sequence[int]) -> None:
    """Copies the results that are also a variable's array to NumPy.

    The variable's next change donates the variable's array to XLA, which deletes that array; the copy stays.
    """
    for index in indices:
        results[index] = np.asarray(results[index])


def written_values(graph: OptimizedGraph) -> set[Value]:
    """Returns the variables that a graph may change."""
    found_values: set[Value] = set()
    for node in graph.nodes:
        bodies = optimize_held_graphs(node)
        if not bodies and node.effects is not Effects.READS:
            found_values.update(value for value in node.inputs if value.dtype.is_resource)
        for body in bodies:
            changed_inputs, operands = written_values(body), node.inputs[len(node.inputs) - len(body.inputs) :]
            found_values.update(
                value for value, own_input in zip(operands, body.inputs, strict=True) if own_input in changed_inputs
            )
    return found_values
