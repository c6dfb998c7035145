"""What a node from a file must fulfil before the node becomes an operation.

An op's declaration, the attributes of a node, the tensors that go in and the functions that the node names all come
from different parts of a file. Later parts of the library rely on it that they fit. Each check is one function, which
raises ValueError in TensorFlow's words where TensorFlow has such a check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.dtypes import runtime_name, string
from millrace._src.core.op_def import OpDef
from millrace._src.graph.attr_value import FunctionName
from millrace._src.graph.function_factory import body_of
from millrace._src.graph.op_def_proto import op_summary

MAX_OUTPUTS = 1 << 16
"""The most tensors that one output of a node may be; a number in a file must not make more tensors than the file has
bytes.
"""


def check_node(op_def: OpDef, attrs: dict[str, Any], inputs: Sequence[Any], name: str) -> None:
    """Refuses a node whose parts do not fit together.

    Args:
      op_def: the op.
      attrs: the complete attributes.
      inputs: the tensors that go in.
      name: the name of the node.

    Raises: ValueError: if they do not fit.
    """
    _check_counts(op_def, attrs, inputs, name)
    _check_inputs(op_def, attrs, inputs, name)
    if op_def.traits.control is not None or "list[func]" in op_def.attr_kinds.values():
        _check_functions(op_def, attrs, inputs, name)


def check_constant(attrs: dict[str, Any], name: str) -> None:
    """Refuses a constant whose value is of another dtype than the node says."""
    value, dtype = attrs["value"], attrs["dtype"]
    if value.dtype != dtype.np_dtype or (dtype.np_dtype.kind == "O" and dtype is not string):
        raise ValueError(
            f"Node '{name}': Type mismatch between value ({runtime_name(value.dtype)}) and dtype "
            f"({runtime_name(dtype)})"
        )


def _check_counts(op_def: OpDef, attrs: dict[str, Any], inputs: Sequence[Any], name: str) -> None:
    """Refuses numbers of tensors beyond counting: lists as long are made of the dtypes."""
    sides = ((op_def.signature.inputs, len(inputs)), (op_def.signature.outputs, MAX_OUTPUTS))
    for args, most in sides:
        for arg in args:
            if not 0 <= arg.size(attrs) <= most:
                count = arg.size(attrs)
                raise ValueError(
                    f"Node '{name}': '{arg.name}' of op {op_def.name} would be {count} tensors; at most {most} can be."
                )


def _check_inputs(op_def: OpDef, attrs: dict[str, Any], inputs: Sequence[Any], name: str) -> None:
    dtypes = [dtype for arg in op_def.signature.inputs for dtype in arg.dtypes(attrs)]
    if len(dtypes) != len(inputs):
        words = ", ".join(runtime_name(dtype) for dtype in dtypes)
        raise ValueError(
            f"NodeDef expected inputs '{words}' do not match {len(inputs)} inputs specified; {op_summary(op_def)}; "
            f"NodeDef: {{{{node {name}}}}}"
        )
    for position, (dtype, tensor) in enumerate(zip(dtypes, inputs, strict=True)):
        if dtype is not tensor.dtype and dtype is not tensor.dtype.base_dtype:
            raise ValueError(
                f"Input {position} of node {name} was passed {runtime_name(tensor.dtype)} from {tensor.name} "
                f"incompatible with expected {runtime_name(dtype)}."
            )


def _check_functions(op_def: OpDef, attrs: dict[str, Any], inputs: Sequence[Any], name: str) -> None:
    """Refuses functions that take or give other tensors than the op hands them, or takes from them.

    The functions take the tensors of the last input, which is a list, and give the outputs. The condition of a loop
    gives one tensor.
    """
    given_dtypes = op_def.signature.inputs[-1].dtypes(attrs)
    output_dtypes = op_def.signature.output_dtypes(attrs)
    for key, kind in op_def.attr_kinds.items():
        if kind not in ("func", "list[func]"):
            continue
        for function in (attrs[key],) if kind == "func" else attrs[key]:
            if isinstance(function, FunctionName):
                raise ValueError(f"Node '{name}': attribute '{key}' of op {op_def.name} names no function.")
            body = body_of(function)
            is_condition = op_def.traits.control == "loop" and len(body.outputs) == 1 and key == "cond"
            taken, made = _dtypes(body.inputs), _dtypes(body.outputs)
            if taken != given_dtypes or (made != output_dtypes and not is_condition):
                raise ValueError(
                    f"Node '{name}': function '{function.name}' of attribute '{key}' goes from {_words(taken)} to "
                    f"{_words(made)}; {op_def.name} needs a function from {_words(given_dtypes)} to "
                    f"{_words(output_dtypes)}."
                )


def _dtypes(tensors: Sequence[Any]) -> list[Any]:
    return [tensor.dtype for tensor in tensors]


def _words(dtypes: Sequence[Any]) -> str:
    return f"({', '.join(runtime_name(dtype) for dtype in dtypes)})"
