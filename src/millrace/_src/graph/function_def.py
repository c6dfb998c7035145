"""Functions on the wire: a `FuncGraph` as a `FunctionDef`, and back.

Problem: a function body on the wire has no placeholders. Arguments and results are named in a signature, and nodes
refer to `node:output_arg:index` rather than to `node:index`.

Idea: writing is a dictionary from tensors to such names, filled with the arguments first; reading is `NodeImport` with
a parser for such names. A library of functions is read on demand, so that a function may come before the functions that
it calls.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.core.context import graph_scope
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.handle_types import HandleType, VariableHandle
from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import UNKNOWN, TensorShape
from millrace._src.graph.attr_value import decode_attr, encode_attr
from millrace._src.graph.control_deps import list_called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, compile_attributes, jit_compile_of, make_function
from millrace._src.graph.node_def import NodeStyle, encode_node
from millrace._src.graph.node_import import InputReference, NodeImport, output_sizes
from millrace._src.graph.op_policy import TRUSTING, GuardedOp, OpPolicy
from millrace._src.graph.operation import Operation
from millrace._src.proto import function_pb2

_CONTEXT = "_construction_context"

# --- functions as attributes -------------------------------------------------------------------------------------


def function_name(function: Any) -> str:
    """Returns the name on the wire of a function attribute (a graph, or an object that has a graph)."""
    name = function if isinstance(function, (str, bytes)) else function.name
    return name.decode() if isinstance(name, bytes) else str(name)


def graph_of(function: object) -> FuncGraph | None:
    """Returns the body of a function attribute; None if only the name is known."""
    body = body_of(function)
    return body if isinstance(body, FuncGraph) else None


def collect_functions(graph: Any) -> dict[str, Any]:
    """Collects all functions that a graph holds or calls, by name; a caller before the functions that it calls."""
    functions: dict[str, Any] = {}
    stack = [iter([*_direct_functions(graph)])]
    while stack:
        function = next(stack[-1], None)
        if function is None:
            stack.pop()
        elif graph_of(function) is not None and function_name(function) not in functions:
            functions[function_name(function)] = function
            stack.append(iter(_direct_functions(graph_of(function))))
    return functions


def find_guarded_operation(operations: Iterable[Operation]) -> Operation | None:
    """Returns a guarded operation among some operations and the functions that these call; None if there is none.

    A file does not say that an operation is guarded. Code that writes a graph to read it again looks for one first.
    """
    bodies = {
        id(body): body
        for operation in operations
        for function in list_called_functions(operation)
        for body in (graph_of(function), *map(graph_of, collect_functions(graph_of(function)).values()))
    }
    everywhere = itertools.chain(operations, *(body.get_operations() for body in bodies.values() if body is not None))
    return next((operation for operation in everywhere if isinstance(operation.op_def, GuardedOp)), None)


def _direct_functions(graph: Any) -> list[Any]:
    functions = [function for operation in graph.get_operations() for function in list_called_functions(operation)]
    return functions + list(graph.functions.values())


# --- writing -----------------------------------------------------------------------------------------------------


def normalize_arg_name(name: str) -> str:
    """Turns an operation's name into an argument's name: lower case, `_` for characters but letters and digits."""
    text = re.sub(r"[^a-z0-9]", "_", name.lower())
    return re.sub(r"^[^a-z]+", "", text) or "unknown"


class _Names:
    """The names in use within a signature or a body; a name that is taken gets `_0`, `_1`, ..."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        candidate, count = name, self._next.get(name, 0)
        while candidate in self._used:
            candidate = f"{name}_{count}"
            count += 1
        self._next[name] = count
        self._used.add(candidate)
        return candidate


def function_to_function_def(
    function: object, add_shapes: bool = False, style: NodeStyle | None = None
) -> function_pb2.FunctionDef:
    """Writes a function (a `FuncGraph`, or an object with a `graph`, a `name` and perhaps `attributes`).

    Args:
      function: the `inputs` of the function's graph become the arguments, the `outputs` the results.
      add_shapes: adds an `_output_shapes` attribute to each node, and what is known of variables to the arguments.
      style: how nodes are written; by default only as `add_shapes` says.

    Raises: TypeError: if the function has no body.
    """
    graph = graph_of(function)
    if graph is None:
        raise TypeError(f"Only the name of function '{function_name(function)}' is known; it cannot be written.")
    style = NodeStyle(add_shapes) if style is None else style
    name = function_name(function)
    proto = _write_body(graph, style.function_names.get(name, name), style)
    own = getattr(function, "attributes", {})
    compiling = compile_attributes(getattr(function, "jit_compile", None), own)
    attributes = {_CONTEXT: "kEagerRuntime", **compiling, **own}
    for key, value in attributes.items():
        proto.attr[key].CopyFrom(encode_attr(value))
    if style.add_shapes:
        shapes = [tensor.shape for tensor in graph.inputs]
        proto.attr["_input_shapes"].CopyFrom(encode_attr(shapes, "list[shape]"))
    return proto


def _write_body(graph: FuncGraph, name: str, style: NodeStyle) -> function_pb2.FunctionDef:
    """Writes signature and nodes. Results, arguments and nodes share one set of names, and are named in this order."""
    proto = function_pb2.FunctionDef()
    proto.signature.name = name
    names = _Names()
    results, arguments = _signature_names(graph, names)
    _write_arguments(proto, graph, arguments)
    placeholders = {tensor.op for tensor in graph.inputs}
    body = [operation for operation in graph.get_operations() if operation not in placeholders]
    new_names = {operation: names.unique(operation.name) for operation in body}
    tensors = dict(zip(map(id, graph.inputs), arguments, strict=True))
    for operation in body:
        _name_outputs(operation, new_names[operation], tensors)
    for operation in body:
        proto.node_def.append(_body_node(operation, new_names, tensors, style))
    for result, tensor in zip(results, graph.outputs, strict=True):
        proto.signature.output_arg.add(name=result, type=tensor.dtype.enum)
        proto.ret[result] = tensors[id(tensor)]
    if style.add_shapes:
        _write_handle_types(proto.signature, graph, body)
    _write_control_results(proto, graph, new_names)
    proto.signature.is_stateful = any(operation.effects is not Effects.NONE for operation in body)
    return proto


def _signature_names(graph: FuncGraph, names: _Names) -> tuple[list[str], list[str]]:
    """Returns the names of results and arguments: those of the file behind the graph, or the nodes' names."""
    results, arguments = graph.wire_names
    if len(results) != len(graph.outputs) or len(arguments) != len(graph.inputs):
        results = [normalize_arg_name(tensor.op.name) for tensor in graph.outputs]
        arguments = [normalize_arg_name(tensor.op.name) for tensor in graph.inputs]
    return [names.unique(name) for name in results], [names.unique(name) for name in arguments]


def _write_arguments(proto: Any, graph: FuncGraph, names: Iterable[str]) -> None:
    for position, (tensor, name) in enumerate(zip(graph.inputs, names, strict=True)):
        proto.signature.input_arg.add(name=name, type=tensor.dtype.enum)
        for key, value in _argument_attrs(tensor).items():
            proto.arg_attr[position].attr[key].CopyFrom(value)


def _write_handle_types(signature: Any, graph: FuncGraph, body: Iterable[Operation]) -> None:
    """Notes on arguments and results the variables behind handles; TensorFlow notes nothing on unused arguments."""
    used_tensors = {id(tensor) for operation in body for tensor in operation.inputs} | set(map(id, graph.outputs))
    arguments = zip((*signature.input_arg, *signature.output_arg), (*graph.inputs, *graph.outputs), strict=True)
    for arg, tensor in arguments:
        variable = tensor.handle_type
        if isinstance(variable, VariableHandle) and id(tensor) in used_tensors:
            arg.handle_data.add(dtype=variable.dtype.enum, shape=variable.shape.as_proto())


def _argument_attrs(tensor: Any) -> dict[str, Any]:
    """Returns a placeholder's attributes besides the dtype: the shape, and the name that the user gave."""
    attrs = {}
    if not tensor.dtype.is_resource:
        attrs["_output_shapes"] = encode_attr([tensor.shape], "list[shape]")
    for key, value in tensor.op.attrs.items():
        if key.startswith("_") and key != "_output_shapes":
            attrs[key] = encode_attr(value)
    return attrs


def _name_outputs(operation: Operation, name: str, tensors: dict[int, str]) -> None:
    position = 0
    for arg, size in output_sizes(operation):
        for index in range(size):
            tensors[id(operation.outputs[position])] = f"{name}:{arg}:{index}"
            position += 1


def _body_node(operation: Operation, new_names: dict[Operation, str], tensors: dict[int, str], style: NodeStyle) -> Any:
    node = encode_node(operation, lambda tensor: tensors[id(tensor)], style)
    node.name = new_names[operation]
    if style.add_shapes and not operation.outputs:  # in a function, unlike in a graph
        node.attr["_output_shapes"].CopyFrom(encode_attr([], "list[shape]"))
    del node.input[len(operation.inputs) :]
    controls = [new_names[control] for control in operation.control_inputs if control in new_names]
    node.input.extend(sorted(f"^{control}" for control in controls))
    return node


def _write_control_results(proto: Any, graph: FuncGraph, new_names: dict[Operation, str]) -> None:
    for operation in graph.control_outputs:
        name = new_names[operation]
        proto.signature.control_output.append(name)
        proto.control_ret[name] = name


# --- reading -----------------------------------------------------------------------------------------------------


_MAX_NESTED = 64
"""How deep functions of a file call each other; each level takes nested calls of Python when it is made and run."""


class FunctionLibrary(Mapping[str, Any]):
    """Functions by name, each built from its `FunctionDef` on first use."""

    def __init__(
        self,
        functions: Iterable[Any],
        known: Mapping[str, Any] | None = None,
        policy: OpPolicy = TRUSTING,
        rename: Callable[[str], str] | None = None,
    ) -> None:
        """Creates the library.

        Args:
          functions: `FunctionDef` messages.
          known: functions that exist already; a function of the same name in `functions` must be the same.
          policy: what the ops of the functions may reach.
          rename: from a name in the file to the name of the function that is made; None keeps the names.
        """
        self._policy = policy
        self._rename = rename
        self._defs = {function.signature.name: function for function in functions}
        self._known = dict(known or {})
        self._built: dict[str, Any] = {}
        self._building: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        if name in self._built:
            return self._built[name]
        if name not in self._defs:
            return self._known[name]
        if name in self._building:
            raise ValueError(f"Function '{name}' calls itself; recursive functions are not supported.")
        if len(self._building) == _MAX_NESTED:
            raise ValueError(f"Function '{name}': calls of functions are nested more than {_MAX_NESTED} deep.")
        self._building.add(name)
        try:
            function = function_def_to_function(self._defs[name], self, self._policy)
            if self._rename is not None:
                function.name = self._rename(name)
            self._built[name] = self._reuse(name, function)
        finally:
            self._building.discard(name)
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._defs or name in self._known

    def get(self, name: str, default: object = None) -> Any:
        """Returns the function called `name`, or `default` if there is none.

        A function that is there but cannot be built raises its error.
        """
        return self[name] if name in self else default  # noqa: SIM401  (Mapping.get would hide a KeyError inside)

    def _reuse(self, name: str, function: object) -> Any:
        """Returns the known function of the same name if both are the same, else the new function.

        The ops of a known function may do more than a policy allows.
        """
        known_function = self._known.get(name)
        if known_function is None or graph_of(known_function) is None:
            return function
        if _wire(known_function) != _wire(function):
            raise ValueError(
                f"Cannot add function '{name}' because a different function with the same name already exists."
            )
        return known_function if self._policy is TRUSTING else function

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._defs})

    def __len__(self) -> int:
        return len({**self._known, **self._defs})


def _wire(function: object) -> bytes:
    return bytes(function_to_function_def(function).SerializeToString(deterministic=True))


def function_def_to_function(proto: Any, library: Mapping[str, Any] | None = None, policy: OpPolicy = TRUSTING) -> Any:
    """Builds the callable function of a `FunctionDef`; the arguments are those of `function_def_to_func_graph`."""
    attributes = {
        key: decode_attr(value) for key, value in proto.attr.items() if key not in (_CONTEXT, "_input_shapes")
    }
    body = function_def_to_func_graph(proto, library, policy)
    return make_function(body, jit_compile=jit_compile_of(attributes), attributes=attributes)


def function_def_to_func_graph(
    proto: Any,
    library: Mapping[str, Any] | None = None,
    policy: OpPolicy = TRUSTING,
    handle_types: Sequence[HandleType | None] = (),
) -> FuncGraph:
    """Builds a function body from a `FunctionDef`.

    Args:
      proto: the message, of any package.
      library: the functions that the body may call, by name.
      policy: what the ops of the body may reach.
      handle_types: what the last arguments refer to, which are captures; None where that is not known.

    Raises:
      ValueError: if the body does not fit its signature or its ops.
      NotFoundError: if an op is unknown.
    """
    name = proto.signature.name
    with graph_scope(None):
        graph = FuncGraph(name)
    arguments = _read_arguments(graph, proto)
    for tensor, handle_type in zip(graph.inputs[len(graph.inputs) - len(handle_types) :], handle_types, strict=True):
        tensor.handle_type = handle_type or tensor.handle_type
    reader = NodeImport(graph, {} if library is None else library, _parser(arguments), is_function=True, policy=policy)
    operations = reader.run(proto.node_def)
    for arg in proto.signature.output_arg:
        if arg.name not in proto.ret:
            raise ValueError(
                f"Function '{name}': result '{arg.name}' is not among its `ret` entries {sorted(proto.ret)}."
            )
        graph.outputs.append(_result(reader, arguments, proto.ret[arg.name], name))
    for control in proto.signature.control_output:
        if proto.control_ret.get(control) not in operations:
            raise ValueError(f"Function '{name}': control result '{control}' refers to no node of its body.")
        graph.control_outputs.append(operations[proto.control_ret[control]])
    results = [arg.name for arg in proto.signature.output_arg]
    graph.wire_names = (results, list(arguments))
    return graph


def _read_arguments(graph: FuncGraph, proto: Any) -> dict[str, Any]:
    """Adds a placeholder for each argument; returns the placeholders by name."""
    arguments: dict[str, Any] = {}
    shapes = proto.attr["_input_shapes"].list.shape if "_input_shapes" in proto.attr else ()
    for position, arg in enumerate(proto.signature.input_arg):
        if arg.type_attr or arg.number_attr or arg.type_list_attr:
            raise ValueError(
                f"Function '{graph.name}': the type of argument '{arg.name}' is left open; a function is read only "
                "with all types fixed."
            )
        wire = dict(proto.arg_attr[position].attr) if position in proto.arg_attr else {}
        dtype = _known_dtype(graph, arg, arg.type)
        shape = TensorShape(shapes[position]) if position < len(shapes) else _argument_shape(wire, dtype)
        attrs = {"dtype": dtype, "shape": shape}
        attrs.update({key: decode_attr(value) for key, value in wire.items() if key not in _SHAPE_ATTRS})
        operation = graph.add_operation(get_op("Placeholder"), (), attrs, arg.name, shapes=(shape,), control_inputs=())
        graph.reserve_name(arg.name)
        if dtype.is_resource and arg.handle_data:
            handle_data = arg.handle_data[0]
            variable_dtype = _known_dtype(graph, arg, handle_data.dtype)
            operation.outputs[0].handle_type = VariableHandle(variable_dtype, TensorShape(handle_data.shape))
        arguments[arg.name] = operation.outputs[0]
        graph.inputs.append(operation.outputs[0])
    return arguments


_SHAPE_ATTRS = ("_output_shapes", "shape")


def _known_dtype(graph: FuncGraph, arg: Any, number: int) -> DType:
    try:
        return as_dtype(number)
    except TypeError:
        raise ValueError(f"Function '{graph.name}': argument '{arg.name}' has invalid type {number}.") from None


def _argument_shape(attrs: Mapping[str, Any], dtype: DType) -> TensorShape:
    if "_output_shapes" in attrs and attrs["_output_shapes"].list.shape:
        return TensorShape(attrs["_output_shapes"].list.shape[0])
    if "shape" in attrs:
        return TensorShape(attrs["shape"].shape)
    return TensorShape.of(()) if dtype.is_resource else UNKNOWN


def _parser(arguments: Mapping[str, Any]) -> Any:
    def parse(text: str) -> InputReference:
        if text in arguments:
            return InputReference(text, given=arguments[text])
        node, _, rest = text.partition(":")
        arg, _, index = rest.partition(":")
        if node in arguments:
            return InputReference(node, given=arguments[node])
        return InputReference(node, int(index) if index.isdigit() else 0, arg or None)

    return parse


def _result(reader: NodeImport, arguments: Mapping[str, Any], text: str, name: str) -> Any:
    reference = reader.parse(text)
    if reference.given is not None:
        return reference.given
    if reference.node not in reader.made:
        raise ValueError(f"Function '{name}': result '{text}' refers to no node of its body.")
    return reader._tensor(f"{name} (results)", reference)
