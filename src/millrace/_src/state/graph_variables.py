"""Variables of a plain (v1) graph: handle, initializer, if there is one, and read are nodes."""

from __future__ import annotations

from typing import Any

from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape, as_shape


def static_shape(actual: TensorShape, wanted: Any) -> TensorShape:
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
    variable: Any, graph: Any, initial_value: Any, name: str | None, dtype: DType | None, shape: Any
) -> None:
    """Creates a variable in a plain (v1) graph: handle, initializer and read are nodes."""
    variable._in_graph_mode = True
    with context.name_scope("Variable" if name is None else name) as scope:
        variable._name = scope[:-1]
        with context.name_scope("Initializer"):
            value = initial_value() if callable(initial_value) else initial_value
            tensor = convert_to_tensor(value, dtype=dtype, name="initial_value")
        static = static_shape(tensor.shape, shape)
        variable._shape_static, variable._dtype = static, tensor.dtype
        attrs = {"dtype": tensor.dtype, "shape": static, "shared_name": variable._name, "debug_name": variable._name}
        variable._handle = execute(get_op("VarHandleOp"), (), attrs, scope)
        with context.name_scope("IsInitialized"):
            execute(get_op("VarIsInitializedOp"), (variable._handle,), {})
        variable._initial_value = tensor
        variable._initializer_op = execute(get_op("AssignVariableOp"), (variable._handle, tensor), {}, "Assign")
        with context.name_scope("Read"):
            variable._graph_element = variable._read()
    graph.add_to_collection("variables", variable)
    if variable.trainable:
        graph.add_to_collection("trainable_variables", variable)


def uninitialized_in_graph(original: Any) -> Any:
    """Makes a variable in the current plain graph that has the traits of another variable, and no initializer."""
    graph = context.state.graph
    variable = original.__class__.__new__(original.__class__)
    variable.__dict__.update({key: value for key, value in vars(original).items() if not key.startswith("_self_")})
    variable._in_graph_mode = True
    with context.name_scope(original._shared_name) as scope:
        variable._name = scope[:-1]
        attrs = {
            "dtype": original.dtype,
            "shape": original.shape,
            "shared_name": variable._name,
            "debug_name": scope,
        }
        variable._handle = execute(get_op("VarHandleOp"), (), attrs, scope)
        variable._initial_value = variable._initializer_op = None
        with context.name_scope("Read"):
            variable._graph_element = variable._read()
    graph.add_to_collection("variables", variable)
    return variable
