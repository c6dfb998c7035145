"""Declarations of ops as lines of text, the form of `known_ops.txt`, made from `OpDef` messages."""

from __future__ import annotations

import json
from typing import Any

from millrace._src.core.dtypes import as_dtype
from millrace._src.graph.tensor_proto import decode_tensor

_DTYPES = {"list(type)", "type"}


def line_of(op: Any) -> str:
    """Returns the line of an op: name, signature, facts, attributes, between tabs.

    Args: op: an `OpDef` message of any package.
    """
    facts = [fact for fact in ("commutative", "stateful") if getattr(op, f"is_{fact}")]
    inputs, outputs = (", ".join(map(_argument, args)) for args in (op.input_arg, op.output_arg))
    return "\t".join([op.name, f"{inputs} -> {outputs}".strip(), *facts, *map(_attribute, op.attr)])


def _argument(arg: Any) -> str:
    kind = arg.type_list_attr or arg.type_attr or _dtype(arg.type)
    number = f"{arg.number_attr} * " if arg.number_attr else ""
    return f"{arg.name}: {number}{f'Ref({kind})' if arg.is_ref else kind}"


def _attribute(attr: Any) -> str:
    """Returns `name:kind`, with the least length and the allowed dtypes of types, and the default as JSON."""
    text = f"{attr.name}:{attr.type.replace('(', '[').replace(')', ']')}"
    if attr.type in _DTYPES and attr.allowed_values.list.type:
        text += f" in {'|'.join(map(_dtype, attr.allowed_values.list.type))}"
    if attr.type in _DTYPES and attr.minimum:
        text += f" >= {attr.minimum}"
    if attr.HasField("default_value"):
        text += f" = {json.dumps(_value(attr.default_value), separators=(',', ':'))}"
    return text


def _dtype(number: int) -> str:
    return as_dtype(number).name


def _value(proto: Any) -> Any:
    """Returns an attribute value as JSON has it: a shape is its list or null, a tensor its dtype and elements."""
    field = proto.WhichOneof("value")
    if field == "list":
        return [_one(field.name, item) for field, items in proto.list.ListFields() for item in items]
    return _one(field, getattr(proto, field))


def _one(field: str, value: Any) -> Any:
    if field == "s":
        return value.decode("utf-8")
    if field == "type":
        return _dtype(value)
    if field == "shape":
        return None if value.unknown_rank else [dim.size for dim in value.dim]
    if field == "tensor":
        array, dtype = decode_tensor(value)
        return [dtype.name, array.tolist()]
    return value
