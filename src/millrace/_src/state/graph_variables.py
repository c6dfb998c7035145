"""Variables of a plain (v1) graph: handle, initializer, if there is one, and read are nodes.

Tests: tests/compat_v1/test_imported_variables.py, tests/state/test_variable_definitions.py
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.core import context
from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.graph.graph import Graph
from millrace._src.graph.scopes import device


def static_shape(actual: TensorShape, wanted: object) -> TensorShape:
    """Returns the static shape of a new variable."""
    if wanted is None:
        return actual
    shape = as_shape(wanted)
    if not shape.is_compatible_with(actual):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({actual}) is not compatible with "
            "the explicitly "
            f"supplied `shape` argument ({wanted})."
        )
    return shape


def create_in_graph(
    variable: Any,
    graph: Graph,
    initial_value: Any,
    name: str | None,
    dtype: DType | None,
    shape: ShapeLike,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
) -> None:
    """Creates a variable in a plain (v1) graph: handle, initializer and read are nodes.

    Args:
      variable: the new variable; the function sets its fields.
      graph: the graph.
      initial_value: a value, or a function that returns a value.
      name: the name, which is made unique; default "Variable".
      dtype: the dtype to convert the initial value to; None for the value's own.
      shape: the static shape; None for that of the initial value.
      collections: the collections of the graph that list the variable; None for "variables". A trainable variable is
        listed in "trainable_variables" too.
      caching_device: the device that keeps a copy, which all reads of a run share; None for no copy.
    """
    variable._in_graph_mode = True
    with context.name_scope("Variable" if name is None else name) as scope:
        variable._name = scope[:-1]
        group = f"loc:@{variable._name}".encode()
        with graph.colocation_groups([group]), context.name_scope("Initializer"):
            value = initial_value() if callable(initial_value) else initial_value
            tensor = convert_to_tensor(value, dtype=dtype, name="initial_value")
        static = static_shape(tensor.shape, shape)
        variable._shape_static, variable._dtype = static, tensor.dtype
        with graph.colocation_groups([group]):
            variable._handle = _new_handle(variable, scope)
        with context.name_scope("IsInitialized"):
            execute(get_op("VarIsInitializedOp"), (variable._handle,), {})
        variable._initial_value = tensor
        variable._initializer_op = execute(get_op("AssignVariableOp"), (variable._handle, tensor), {}, "Assign")
        with context.name_scope("Read"):
            variable._graph_element = variable._read()
            if caching_device is not None:
                variable._cached_value = variable._graph_element = _copy_value(variable._graph_element, caching_device)
    _list_in_collections(variable, graph, collections)


def _new_handle(variable: Any, scope: str) -> Any:
    """Adds the handle of a variable whose name, dtype and shape are known."""
    name = variable._name
    attrs = {"dtype": variable._dtype, "shape": variable._shape_static, "shared_name": name, "debug_name": scope}
    return execute(get_op("VarHandleOp"), (), attrs, scope)


def _copy_value(value: object, device_name: Any) -> Any:
    """Returns a copy of a value on a device."""
    with device(device_name):
        return execute(get_op("Identity"), (value,), {})


def _list_in_collections(variable: Any, graph: Any, collections: Iterable[str] | None) -> None:
    names = ["variables"] if collections is None else list(collections)
    if variable.trainable and "trainable_variables" not in names:
        names.append("trainable_variables")
    graph.add_to_collections(names, variable)


def make_uninitialized_in_graph(original: Any) -> Any:
    """Makes a variable in the current plain graph that has the traits of another variable, and no initializer."""
    graph = context.state.graph
    variable = original.__class__.__new__(original.__class__)
    variable.__dict__.update({key: value for key, value in vars(original).items() if not key.startswith("_self_")})
    variable._in_graph_mode = True
    with context.name_scope(original._shared_name) as scope:
        variable._name = scope[:-1]
        variable._handle = _new_handle(variable, scope)
        variable._initial_value = variable._initializer_op = None
        with context.name_scope("Read"):
            variable._graph_element = variable._read()
    graph.add_to_collection("variables", variable)
    return variable
