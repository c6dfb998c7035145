"""Nodes on the wire: an `Operation` as a `NodeDef`, and a `NodeDef`'s attributes checked against its op.

Graphs and function bodies write the same nodes and differ only in the names of tensors: `node:1` in a graph,
`node:output_arg:1` in a function. That naming is the one parameter here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from millrace._src.core.dtypes import DType, from_np, runtime_name
from millrace._src.core.op_attributes import declared_default
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import TypeList
from millrace._src.graph.attr_value import FunctionName, decode_attr, encode_attr, wire_kind
from millrace._src.graph.full_types import full_type_of
from millrace._src.graph.op_def_proto import op_summary, wire_attr_kind
from millrace._src.graph.operation import Operation
from millrace._src.proto import node_def_pb2

# --- writing -----------------------------------------------------------------------------------------------------


def tensor_name(tensor: Any) -> str:
    """Returns the name by which a graph's nodes refer to a tensor: `node` for the first output, `node:1` for others."""
    return str(tensor.op.name) if tensor.value_index == 0 else f"{tensor.op.name}:{tensor.value_index}"


@dataclass(frozen=True)
class NodeStyle:
    """How nodes are written.

    Attributes:
      add_shapes: whether a node states the shapes of its outputs, in an attribute `_output_shapes`.
      strips_defaults: whether attributes that have their default are left out, as SavedModels do.
      function_names: the names to write for functions, by their own names; others keep theirs.
      texts: the texts to write for others in attributes that no op declares.
    """

    add_shapes: bool = False
    strips_defaults: bool = False
    function_names: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


PLAIN = NodeStyle()


def encode_node(
    operation: Operation, name_of: Callable[[Any], str] = tensor_name, style: NodeStyle = PLAIN
) -> node_def_pb2.NodeDef:
    """Writes an operation; `name_of` names the input tensors, and the control inputs come last, sorted."""
    node = node_def_pb2.NodeDef(name=operation.name, op=operation.type, device=canonical_device(operation.device))
    node.input.extend([name_of(tensor) for tensor in operation.inputs])
    node.input.extend(sorted(f"^{control.name}" for control in operation.control_inputs))
    encode_attrs(node.attr, operation)
    if style.strips_defaults:
        _strip_defaults(node.attr, operation.op_def)
    if style.function_names:
        _rename_functions(node.attr, operation.op_def, style.function_names)
    if style.texts:
        _replace_texts(node.attr, operation, style.texts)
    if style.add_shapes and operation.outputs:
        shapes = [tensor.shape for tensor in operation.outputs]
        node.attr["_output_shapes"].CopyFrom(encode_attr(shapes, "list[shape]"))
    full_type = full_type_of(operation.op_def, operation.attrs)
    if operation.wire_full_type is not None:
        node.experimental_type.ParseFromString(operation.wire_full_type)
    elif full_type is not None:
        node.experimental_type.CopyFrom(full_type)
    return node


def encode_attrs(attrs: Any, operation: Operation) -> None:
    """Writes the attributes of an operation into a message map."""
    kinds = operation.op_def.attr_kinds
    for name, value in operation.attrs.items():
        if value is None:
            continue
        kind = kinds.get(name)
        if kind == "tensor":
            value = (value, _tensor_dtype(operation, value))
        attrs[name].CopyFrom(encode_attr(value, kind))


def _strip_defaults(attrs: Any, op_def: OpDef) -> None:
    """Removes the attributes that a reader fills in by itself."""
    for name, default in default_messages(op_def).items():
        if name in attrs and attrs[name] == default:
            del attrs[name]


_default_messages: dict[str, dict[str, Any]] = {}  # finite: one entry an op


def default_messages(op_def: OpDef) -> dict[str, Any]:
    """Returns the defaults of an op's attributes as messages."""
    messages = _default_messages.get(op_def.name)
    if messages is None:
        defaults = [(name, kind, declared_default(op_def, name)) for name, kind in op_def.attr_kinds.items()]
        messages = {name: encode_attr(value, kind) for name, kind, value in defaults if value is not None}
        _default_messages[op_def.name] = messages
    return messages


def _rename_functions(attrs: Any, op_def: OpDef, names: Mapping[str, str]) -> None:
    for name, kind in op_def.attr_kinds.items():
        if kind in ("func", "list[func]") and name in attrs:
            value = attrs[name]
            for function in value.list.func if kind == "list[func]" else (value.func,):
                function.name = names.get(function.name, function.name)


def _replace_texts(attrs: Any, operation: Operation, texts: Mapping[str, str]) -> None:
    for name, value in operation.attrs.items():
        if isinstance(value, str) and value in texts and name not in operation.op_def.attr_kinds:
            attrs[name].s = texts[value].encode()


def _tensor_dtype(operation: Operation, value: Any) -> DType:
    """Returns the dtype of a tensor attribute: the dtype of an output where both have the same kind of array."""
    for tensor in operation.outputs:
        if tensor.dtype.np_dtype == value.dtype:
            return tensor.dtype
    return from_np(value.dtype)


@functools.lru_cache(maxsize=256)
def canonical_device(device: str) -> str:
    """Returns a device name as TensorFlow writes device names: `/cpu:0` and `CPU:0` are `/device:CPU:0`."""
    if not device:
        return ""
    parts = []
    for part in device.strip("/").split("/"):
        kind, _, index = part.removeprefix("device:").partition(":")
        is_device = part.startswith("device:") or kind.upper() in ("CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU")
        parts.append(f"device:{kind.upper()}:{index or '*'}" if is_device else part)
    return "/" + "/".join(parts)


# --- reading -----------------------------------------------------------------------------------------------------


def decode_attrs(node: Any, op_def: OpDef, name: str, library: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes of a node as Python values, checked against the op and completed with defaults.

    Raises: ValueError: if an attribute is missing, of another kind than declared, or not allowed.
    """
    kinds = op_def.attr_kinds
    declared_attrs: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, proto in node.attr.items():
        kind = kinds.get(key)
        if kind is not None:
            _check_kind(key, kind, proto, op_def, name)
        try:
            value = decode_attr(proto, library)
        except (TypeError, ValueError) as error:
            _refuse(str(error), key, op_def, name)
        if kind in ("func", "list[func]"):
            _check_functions(key, value, name)
        (declared_attrs if kind is not None else extra)[key] = value
    extra.pop("_output_shapes", None)
    _check_types(declared_attrs, op_def, name)
    attrs = op_def.normalize_attrs(declared_attrs)
    for key in kinds:
        if key not in attrs:
            attrs[key] = _default_of_missing(key, op_def, name)
    return {**attrs, **extra}


def _default_of_missing(key: str, op_def: OpDef, name: str) -> Any:
    """Returns the default of an attribute that a node does not state."""
    default = declared_default(op_def, key)
    if default is None:
        raise ValueError(f"NodeDef missing attr '{key}' from {op_summary(op_def)}; NodeDef: {{{{node {name}}}}}")
    return default


def _check_kind(key: str, kind: str, proto: Any, op_def: OpDef, name: str) -> None:
    actual_kind, declared_kind = wire_kind(proto), wire_attr_kind(kind)
    if actual_kind == declared_kind or (actual_kind == "list" and declared_kind.startswith("list(")):
        return
    if actual_kind is None:
        what = "AttrValue had placeholder value" if proto.WhichOneof("value") else "AttrValue missing value"
        _refuse(f"{what} with expected type '{declared_kind}'", key, op_def, name)
    _refuse(f"AttrValue had value with type '{actual_kind}' when '{declared_kind}' expected", key, op_def, name)


def _check_functions(key: str, value: object, name: str) -> None:
    """Refuses a function that is not in the library; an empty name means no function."""
    for function in value if isinstance(value, tuple) else (value,):
        if isinstance(function, FunctionName) and function.name:
            raise ValueError(
                f"Node '{name}': attribute '{key}' refers to function '{function.name}', which is not in the library "
                "of the graph."
            )


def _check_types(attrs: dict[str, Any], op_def: OpDef, name: str) -> None:
    for key, types in op_def.types.items():
        if key not in attrs:
            continue
        allowed_types = types.allowed if isinstance(types, TypeList) else types
        for dtype in attrs[key] if isinstance(types, TypeList) else (attrs[key],):
            if dtype.is_ref:
                what = f"AttrValue must not have reference type value of {dtype.name.replace('float32', 'float')}"
                _refuse(what, key, op_def, name)
            if dtype not in allowed_types:
                words = ", ".join(runtime_name(member) for member in allowed_types)
                raise ValueError(
                    f"Value for attr '{key}' of {runtime_name(dtype)} is not in the list of allowed values: "
                    f"{words}\n\t; NodeDef: {{{{node {name}}}}}; {op_summary(op_def)}"
                )


def _refuse(what: str, key: str, op_def: OpDef, name: str) -> NoReturn:
    raise ValueError(f"{what}\n\t for attr '{key}'\n\t; NodeDef: {{{{node {name}}}}}; {op_summary(op_def)}")
