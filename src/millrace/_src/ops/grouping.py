"""Operations that only order other operations: `tf.group`, `tf.tuple`, `tf.no_op`; and the clock, `tf.timestamp`.

In eager mode every operation has already run when it is grouped, so there the functions that order do nothing.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices, gradient_values
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.shape_rules import scalar
from millrace._src.util import nest
from millrace._src.util.export import export


@export("timestamp")
@op(
    "Timestamp",
    " -> ts: float64",
    shape=scalar,
    effects=Effects.IO,
    host_only=True,
    not_differentiable="time has no inputs",
)
def timestamp(xp: Xp) -> Array:
    """Returns the seconds since the epoch, at the time the op runs.

    >>> bool(tf.timestamp() > 1.7e9)
    True

    Returns: A scalar float64 Tensor.
    """
    return np.asarray(time.time())


@export("no_op")
def no_op(name: str | None = None) -> Any:
    """Does nothing: an operation to hang control dependencies on.

    >>> with tf.Graph().as_default():
    ...     tf.no_op(name="train")
    <tf.Operation 'train' type=NoOp>

    Args: name: name of the operation in a graph.
    Returns: None in eager mode; the operation in a graph.
    """
    return raw.NoOp(name=name)


@export("group")
def group(*inputs: object, **kwargs: object) -> Any:
    """Makes an operation that finishes when all `inputs` have finished.

    >>> with tf.Graph().as_default():
    ...     tf.group(tf.constant(1), [tf.constant(2)], name="both")
    <tf.Operation 'both' type=NoOp>

    Args:
      *inputs: Tensors and Operations, in lists or not.
      **kwargs: `name`, the name of the operation.

    Returns: None in eager mode; the operation in a graph.
    Raises:
      ValueError: if another keyword is given.
      TypeError: if an input is neither Tensor nor Operation.
    """
    if state.graph is None:
        return None
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    controllers = [_controller(item) for item in nest.flatten(inputs, expand_composites=True)]
    with state.graph.control_dependencies(controllers):
        return raw.NoOp(name=name or "group_deps")


def _controller(item: object) -> Any:
    """Returns what to wait for: the item, of which the graph takes the operation; for an assignment that is its own."""
    if not is_variable(item) and not isinstance(item, (Tensor, Operation)):
        raise TypeError(
            f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type '{type(item)}'."
        )
    return item


@export("tuple", v1=[])
def tuple_of(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Returns the tensors again, none of which is available before all of them are.

    >>> with tf.Graph().as_default():
    ...     [t.name for t in tf.tuple([tf.constant(1), tf.constant(2)], name="both")]
    ['both/control_dependency:0', 'both/control_dependency_1:0']

    Args:
      tensors: a list of Tensors, IndexedSlices, Operations and None.
      control_inputs: more Tensors and Operations to wait for.
      name: name of the scope in a graph.

    Returns: A list like `tensors`; in eager mode the list itself.
    Raises:
      ValueError: if there is no Tensor in `tensors`.
      TypeError: if `control_inputs` holds anything but Tensors and Operations.
    """
    if state.graph is None:
        return tensors
    with name_scope(name, "tuple"):
        values = [
            t if t is None or isinstance(t, (Operation, IndexedSlices)) else convert_to_tensor(t) for t in tensors
        ]
        operations = [_operation(t) for t in values if t is not None]
        for control in control_inputs or ():
            if not isinstance(control, (Operation, Tensor)):
                raise TypeError(f"'control_inputs' must only contain Operation or Tensor. Received: {type(control)}")
            operations.append(_operation(control))
        if not any(isinstance(t, (Tensor, IndexedSlices)) for t in values):
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*sorted(set(operations), key=state.graph.get_operations().index))
        return [_after(gate, t) for t in values]


def _operation(value: Any) -> Operation:
    value = gradient_values(value)
    return value if isinstance(value, Operation) else value.op


def _after(gate: Operation, value: object) -> Any:
    """Makes `value` available only after `gate`."""
    if value is None:
        return None
    if isinstance(value, Operation):
        return group(gate, value)
    with state.graph.control_dependencies([gate]):
        if isinstance(value, IndexedSlices):
            return IndexedSlices(_identity(value.values), value.indices, value.dense_shape)
        return _identity(value)


def _identity(tensor: Any) -> Any:
    with state.graph.colocate_with(tensor.op):
        return raw.Identity(input=tensor, name="control_dependency")


def with_dependencies(controls: object, tensor: object) -> Any:
    """Makes `tensor`, in a graph, available only after the operations `controls` have run."""
    if state.graph is None:
        return tensor
    with state.graph.control_dependencies(controls):
        return _identity(tensor)
