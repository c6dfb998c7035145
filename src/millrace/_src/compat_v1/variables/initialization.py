"""Operations that give variables of a graph their first values, and that tell which have none yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.collections import global_variables, local_variables
from millrace._src.core import context
from millrace._src.core.dtypes import string
from millrace._src.graph.scopes import device
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.grouping import group
from millrace._src.util.export import export


@export(v1=["variables_initializer", "initializers.variables"])
def variables_initializer(var_list: Iterable[Any] | None, name: str = "init") -> Any:
    """Returns an operation that gives variables their initial values, all at once.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     tf.compat.v1.variables_initializer([v]).control_inputs
    [<tf.Operation 'v/Assign' type=AssignVariableOp>]

    Args:
      var_list: The variables.
      name: The name of the operation.

    Returns: The operation; None in eager mode, where variables have values.
    """
    if var_list and not context.executing_eagerly():
        return group(*[variable.initializer for variable in var_list], name=name)
    return group(name=name) if not context.executing_eagerly() else None


@export(v1=["initialize_variables"])
def initialize_variables(var_list: Iterable[Any] | None, name: str = "init") -> Any:
    """Returns an operation that gives variables their initial values; see `tf.compat.v1.variables_initializer`."""
    return variables_initializer(var_list, name)


@export(v1=["global_variables_initializer", "initializers.global_variables"])
def global_variables_initializer() -> Any:
    """Returns an operation that gives all global variables of the default graph their initial values.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     tf.compat.v1.global_variables_initializer()
    <tf.Operation 'init' type=NoOp>

    Returns: The operation; None in eager mode.
    """
    return variables_initializer(global_variables())


@export(v1=["initialize_all_variables"])
def initialize_all_variables() -> Any:
    """Returns an operation that initializes all global variables; see `tf.compat.v1.global_variables_initializer`."""
    return global_variables_initializer()


@export(v1=["local_variables_initializer", "initializers.local_variables"])
def local_variables_initializer() -> Any:
    """Returns an operation that gives all local variables of the default graph their initial values.

    Returns: The operation; None in eager mode.
    """
    return variables_initializer(local_variables())


@export(v1=["initialize_local_variables"])
def initialize_local_variables() -> Any:
    """Returns an operation that initializes all local variables; see `tf.compat.v1.local_variables_initializer`."""
    return local_variables_initializer()


@export(v1=["is_variable_initialized"])
def is_variable_initialized(variable: Any) -> Any:
    """Returns whether a variable has a value, as a bool Tensor.

    >>> bool(tf.compat.v1.is_variable_initialized(tf.Variable(1.0)))
    True

    Args: variable: The variable.
    """
    return variable.is_initialized()


@export(v1=["assert_variables_initialized"])
def assert_variables_initialized(var_list: Iterable[Any] | None = None) -> Any:
    """Returns an operation that fails with `FailedPreconditionError` unless variables have values.

    Args: var_list: The variables; default all global and local variables.
    Returns: An operation or tensor of a graph; None where there are no variables.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    ranks = []
    for variable in variables:
        with get_default_graph().colocate_with(variable.op):
            ranks.append(raw.Rank(input=variable._read(), name="Rank"))
    if len(ranks) < 2:
        return ranks[0] if ranks else None
    return raw.Pack(values=ranks)


@export(v1=["report_uninitialized_variables"])
def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Returns a tensor of the names of the variables that have no value.

    Args:
      var_list: The variables; default all global and local variables.
      name: The name of the operations.

    Returns: A vector of strings.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    with context.name_scope(name):
        present = [variable.is_initialized() for variable in variables]
        with device("/cpu:0"):
            if not present:
                return constant([], dtype=string)
            missing = raw.LogicalNot(x=raw.Pack(values=present, name="stack"))
            names = constant([variable.op.name for variable in variables])
            return boolean_mask(names, missing)
