"""`tf.Graph.create_op`: an operation by the name of its op, its flat inputs, and attributes as protocol buffers.

Tools that build graphs from data name ops by strings and give attributes as `AttrValue`s. Op and attributes become the
call that the op's own function makes, so the node gets its name, shapes, dtypes and control inputs like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from millrace._src.core.errors import NotFoundError
from millrace._src.core.execute import execute
from millrace._src.core.op_def import OpDef
from millrace._src.core.tensor import Tensor
from millrace._src.graph.attr_value import decode_attr
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.operation import Operation

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph


def create_op(
    graph: Graph, op_type: str, inputs: Sequence[Any], name: str | None, attrs: Mapping[str, Any] | None
) -> Operation:
    """Adds an operation to a graph; see `tf.Graph.create_op`."""
    for index, tensor in enumerate(inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Input #{index} is not a tensor: {tensor}")
    try:
        op = find_op(op_type)
    except NotFoundError as error:
        raise RuntimeError(error.message) from None
    values = {key: _decode(key, value) for key, value in (attrs or {}).items()}
    given_attrs = {key: value for key, value in values.items() if key not in op.signature.inferred_attrs}
    with graph.as_default():
        outputs = execute(op, _group(op, inputs, values), given_attrs, name)
    if isinstance(outputs, Operation):
        return outputs
    operation: Operation = (outputs[0] if isinstance(outputs, list) else outputs).op
    return operation


def _decode(name: str, value: object) -> Any:
    if getattr(getattr(value, "DESCRIPTOR", None), "name", None) != "AttrValue":
        raise TypeError(f"Attribute {name!r} must be a tf.compat.v1.AttrValue; received {value!r}.")
    return decode_attr(value)


def _group(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors of a flat list, grouped by the inputs of the signature: a list for an input that is a list.

    Raises: ValueError: if there are too few or too many tensors.
    """
    lengths = [_length(arg, attrs) for arg in op.signature.inputs]
    if lengths.count(-1) == 1:  # the attribute follows from the number of tensors
        lengths[lengths.index(-1)] = len(inputs) - sum(length or 1 for length in lengths if length != -1)
    if -1 in lengths or sum(1 if length is None else length for length in lengths) != len(inputs):
        names = ", ".join(op.signature.input_names)
        raise ValueError(f"{op.name} has the inputs ({names}); received {len(inputs)} tensors.")
    remaining_inputs = iter(inputs)
    return [
        next(remaining_inputs) if length is None else [next(remaining_inputs) for _ in range(length)]
        for length in lengths
    ]


def _length(arg: Any, attrs: Mapping[str, Any]) -> int | None:
    """Returns how many tensors a list input takes, -1 if the attribute for the number is missing; None for no list."""
    if arg.number_attr:
        return int(attrs.get(arg.number_attr, -1))
    return len(attrs[arg.type_list_attr]) if arg.type_list_attr in attrs else -1 if arg.type_list_attr else None
