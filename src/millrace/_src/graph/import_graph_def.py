"""`tf.import_graph_def`: adds the nodes and functions of a `GraphDef` to the current graph.

`NodeImport` does the work. Particular to graphs are the names (`import/...`, made unique), the tensors of the current
graph that represent inputs of the nodes (`input_map`), and the elements to return.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from millrace._src.core.context import current_graph
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import NotFoundError
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.graph.attr_value import decode_attr
from millrace._src.graph.function_def import FunctionLibrary
from millrace._src.graph.graph import Graph
from millrace._src.graph.graph_def import merge_versions
from millrace._src.graph.node_import import InputReference, NodeImport
from millrace._src.graph.op_policy import TRUSTING, OpPolicy
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.operation import Operation
from millrace._src.graph.replaced_ops import REPLACED_OPS
from millrace._src.proto import graph_pb2
from millrace._src.util.export import export

AddNodes: TypeAlias = Callable[
    [Any, Sequence[Any], Mapping[tuple[str, int], Any], str, FunctionLibrary], dict[str, Operation]
]
"""Adds `(graph, nodes, given tensors, prefix of names, library)`; returns the operations by the nodes' names."""


@export("import_graph_def", "graph_util.import_graph_def")
def import_graph_def(
    graph_def: object,
    input_map: object = None,
    return_elements: object = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> Any:
    """Adds the nodes of a `GraphDef` to the current graph.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     y = tf.constant(2.0, name="x") * 3.0
    >>> h = tf.Graph()
    >>> with h.as_default():
    ...     x = tf.constant(5.0)
    ...     tf.import_graph_def(g.as_graph_def(), input_map={"x:0": x}, return_elements=["mul:0"])
    [<tf.Tensor 'import/mul:0' shape=() dtype=float32>]

    Args:
        graph_def: a `GraphDef` of this package or of TensorFlow's.
        input_map: from names of tensors in `graph_def` to the tensors of the current graph (or values) that replace
            those tensors.
        return_elements: names of operations (`"a"`) and tensors (`"a:0"`) in `graph_def` to return.
        name: prefix of all names; `"import"` if None, none if empty.
        op_dict: deprecated, ignored.
        producer_op_list: the `OpList` of the program that wrote `graph_def`; attributes that are unknown here and hold
            the default of that list are left out.

    Returns:
        The operations and tensors of `return_elements`, or None.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if the nodes do not fit together, their ops, or the arguments.
        tf.errors.NotFoundError: if an op is unknown.
        tf.errors.UnimplementedError: for control flow of TensorFlow 1 that neither `cond` nor `while_loop` makes.
    """
    del op_dict
    is_dataflow = any(node.op in REPLACED_OPS for node in getattr(graph_def, "node", ()))
    add_nodes = find_late_bound("import_dataflow_nodes") if is_dataflow else None
    return import_under(TRUSTING, graph_def, input_map, return_elements, name, producer_op_list, add_nodes)


def import_under(
    policy: OpPolicy,
    graph_def: object,
    input_map: object = None,
    return_elements: object = None,
    name: str | None = None,
    producer_op_list: object = None,
    add_nodes: AddNodes | None = None,
) -> Any:
    """Adds the nodes of a `GraphDef`, as `import_graph_def` does.

    Args:
      policy: what the nodes' ops may reach.
      graph_def: this and the arguments that follow are those of `import_graph_def`.
      input_map: see there.
      return_elements: see there.
      name: see there.
      producer_op_list: see there.
      add_nodes: what adds the nodes; None for nodes whose operations are all known.
    """
    proto = _as_graph_def(graph_def)
    inputs = _validate_input_map(input_map)
    elements = _validate_elements(return_elements)
    if producer_op_list is not None:
        strip_unknown_defaults(proto, producer_op_list)
    graph = current_graph() or Graph()
    with graph.as_default(), graph.name_scope("import" if name is None else name.rstrip("/")) as scope:
        tensors = _map_tensors(graph, inputs, scope)
        return _import(graph, proto, scope.rstrip("/"), tensors, elements, policy, add_nodes)


# --- arguments ---------------------------------------------------------------------------------------------------


def _as_graph_def(graph_def: Any) -> graph_pb2.GraphDef:
    """Copies the message, from either package, to a message of this package."""
    if getattr(getattr(graph_def, "DESCRIPTOR", None), "name", None) != "GraphDef":
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    proto = graph_pb2.GraphDef()
    if type(graph_def) is graph_pb2.GraphDef:
        proto.CopyFrom(graph_def)
    else:
        proto.ParseFromString(graph_def.SerializeToString())
    return proto


def _validate_input_map(input_map: object) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if not all(isinstance(key, (str, bytes)) for key in input_map):
        raise TypeError(f"All keys for argument `input_map` must be strings. Obtained keys: {list(input_map)}")
    return {_as_text(key): value for key, value in input_map.items()}


def _validate_elements(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    elements = list(return_elements)
    if not all(isinstance(element, (str, bytes)) for element in elements):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}.")
    return [_as_text(element) for element in elements]


def _as_text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _split(text: str) -> tuple[str, int]:
    """Splits `name:index` or `name` into name and index."""
    name, colon, index = text.partition(":")
    if not colon:
        return text, 0
    if ":" in index:
        raise ValueError(f"Cannot convert {text!r} to a tensor name.")
    if not index.isdigit():
        raise ValueError(
            f"Cannot convert {text!r} to a tensor name. Second component of the name following the `:` should be an "
            f"int. Got {index}."
        )
    return name, int(index)


def strip_unknown_defaults(proto: graph_pb2.GraphDef, producer_op_list: Any) -> None:
    """Drops attributes that hold their default and that only the writer knew."""
    producers = {op.name: {attr.name: attr for attr in op.attr} for op in producer_op_list.op}
    for node in proto.node:
        try:
            known_attrs = find_op(node.op).attr_kinds
        except NotFoundError:
            continue
        for key, attr in producers.get(node.op, {}).items():
            if key in known_attrs or key not in node.attr or not attr.HasField("default_value"):
                continue
            if decode_attr(node.attr[key]) == decode_attr(attr.default_value):
                del node.attr[key]


def _map_tensors(graph: Graph, inputs: Mapping[str, Any], scope: str) -> dict[tuple[str, int], Any]:
    """Returns the values of `input_map` as tensors of the graph, by node and output."""
    if not scope and any(not isinstance(value, SymbolicTensor) for value in inputs.values()):
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try calling "
            "tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
        )
    tensors: dict[tuple[str, int], Any] = {}
    with graph.name_scope("_inputs") if scope else contextlib.nullcontext():
        for key, value in inputs.items():
            if isinstance(value, Operation):
                raise TypeError(f"can't convert Operation '{value.name}' to Tensor")
            if isinstance(value, EagerTensor) and not graph.building_function:
                value = value.numpy()
            tensors[_split(key)] = convert_to_tensor(value)
    return tensors


# --- the import --------------------------------------------------------------------------------------------------


def _import(
    graph: Graph,
    proto: graph_pb2.GraphDef,
    prefix: str,
    tensors: Mapping[tuple[str, int], Any],
    elements: Sequence[str] | None,
    policy: OpPolicy,
    add_nodes: AddNodes | None,
) -> Any:
    merge_versions(graph, proto.versions)
    library = FunctionLibrary(proto.library.function, graph.functions, policy)
    if add_nodes is None:
        operations, used_keys = _add_nodes(graph, proto, prefix, tensors, library, policy)
    else:
        operations = add_nodes(graph, proto.node, tensors, prefix, library)
        used_keys = {_split(text) for node in proto.node for text in node.input if not text.startswith("^")}
    for function in proto.library.function:
        graph.functions[function.signature.name] = library[function.signature.name]
    _refuse_unused(tensors, used_keys, operations)
    return None if elements is None else [_element(element, operations, tensors) for element in elements]


def _add_nodes(
    graph: Graph,
    proto: graph_pb2.GraphDef,
    prefix: str,
    tensors: Mapping[tuple[str, int], Any],
    library: FunctionLibrary,
    policy: OpPolicy,
) -> tuple[dict[str, Operation], set[tuple[str, int]]]:
    """Adds nodes; returns the operations by the nodes' names, and which of the given tensors they take."""
    used_keys: set[tuple[str, int]] = set()

    def parse(text: str) -> InputReference:
        if not re.fullmatch(r".*:\d+", text):
            key = (text, 0)
        else:
            name, _, index = text.rpartition(":")
            key = (name, int(index))
        if key in tensors:
            used_keys.add(key)
            return InputReference(*key, given=tensors[key])
        return InputReference(*key)

    names = {node.name: "" for node in proto.node}
    for name in names:
        names[name] = _free_name(graph, f"{prefix}/{name}" if prefix else name, names)
    reader = NodeImport(graph, library, parse, names.__getitem__, graph.current_controls(), policy)
    return reader.run(proto.node), used_keys


def _free_name(graph: Graph, name: str, taken: Mapping[str, str]) -> str:
    """Returns `name`, with `_1`, `_2`, ... if the graph has an operation of that name."""
    candidate, count = name, 0
    while candidate in graph._by_name or (count and candidate in taken):
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def _refuse_unused(
    tensors: Mapping[tuple[str, int], Any], used: Iterable[tuple[str, int]], operations: Mapping[str, Operation]
) -> None:
    """Raises ValueError for keys of `input_map` that name no tensor of the imported graph."""
    unused_keys = sorted(set(tensors) - set(used))
    missing_tensors = [
        f"{name}:{index}"
        for name, index in unused_keys
        if name not in operations or index >= len(operations[name].outputs)
    ]
    if missing_tensors:
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing_tensors)}]")


def _element(text: str, operations: Mapping[str, Operation], tensors: Mapping[tuple[str, int], Any]) -> Any:
    """Returns the operation `"a"` or the tensor `"a:0"`."""
    if ":" not in text:
        if text not in operations:
            raise ValueError(f"Requested return node '{text}' not found in graph def")
        return operations[text]
    name, index = _split(text)
    if (name, index) in tensors:
        return tensors[name, index]
    if name not in operations:
        raise ValueError(f"Requested return tensor '{text}' not found in graph def")
    if index >= len(operations[name].outputs):
        raise ValueError(
            f"Invalid return output {index} of node '{name}', which has {len(operations[name].outputs)} output(s)"
        )
    return operations[name].outputs[index]
