"""A graph as text for people: one line per operation, the functions that an operation calls indented below it.

    x = Placeholder()                          (?, 2) float32
    MatMul = MatMul(x, MatMul/b)               (?, 4) float32        # model.py:12
    cond = StatelessIf(Greater, x)             () float32
      then_branch: cond_true_43(x: () float32) -> mul
        mul = Mul(x, mul/y)                    () float32

Attributes show only where they say something: types follow from the tensors, defaults are left out, large constants are
cut. Everything else is there: control inputs as `after(...)`, the requested device, and the user's line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.function_factory import body_of
from millrace._src.graph.operation import Operation

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph

_COLUMN = 44
_MAX_VALUES = 6
_MAX_TEXT = 40
_MAX_DEPTH = 8


def graph_text(graph: Graph, *, sources: bool = True) -> str:
    """Describes a graph, one line per operation.

    >>> from millrace._src.graph.pretty_print import graph_text
    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     y = tf.constant(2.0, name="x") * 3.0
    >>> print(graph_text(g, sources=False))
    x = Const(2.0)                              () float32
    mul/y = Const(3.0)                          () float32
    mul = Mul(x, mul/y)                         () float32

    Args:
        graph: a `tf.Graph`, or anything with a `tf.Graph` as its `graph`.
        sources: whether to show, for each operation, the user's line that made the operation.
    """
    return "\n".join(_graph_lines(body_of(graph), "", sources, set()))


def operation_text(operation: Operation, *, sources: bool = True) -> str:
    """Describes one operation in one line, without the functions that the operation calls."""
    call = f"{operation.name} = {operation.type}({', '.join(_arguments(operation))})"
    results = ", ".join(f"{_shape(tensor.shape)} {tensor.dtype.name}" for tensor in operation.outputs)
    notes = [results] if results else []
    if operation.control_inputs:
        notes.append(f"after({', '.join(control.name for control in operation.control_inputs)})")
    if operation.device:
        notes.append(f"on {operation.device}")
    line = f"{call:<{_COLUMN - 1}} {'  '.join(notes)}".rstrip()
    source = _source(operation) if sources else ""
    return f"{line:<{2 * _COLUMN - 20}} # {source}" if source else line


def _graph_lines(graph: Graph, indent: str, sources: bool, shown: set[int]) -> Iterator[str]:
    """Yields the lines of a graph and, indented, of the graphs inside; each graph once."""
    for operation in graph.get_operations():
        yield indent + operation_text(operation, sources=sources)
        for label, function in _functions(operation):
            body = body_of(function)
            if not hasattr(body, "get_operations"):
                yield f"{indent}  {label}: {function.name} (not in this graph)"
                continue
            yield f"{indent}  {label}: {_signature(function, body)}"
            if id(body) not in shown and len(indent) < 4 * _MAX_DEPTH:
                shown.add(id(body))
                yield from _graph_lines(body, indent + "    ", sources, shown)
            elif body.get_operations():
                yield f"{indent}    (shown above)"


def _signature(function: Any, body: Any) -> str:
    inputs = ", ".join(f"{t.op.name}: {_shape(t.shape)} {t.dtype.name}" for t in body.inputs)
    outputs = ", ".join(_tensor(tensor) for tensor in body.outputs)
    name = function.name.decode() if isinstance(function.name, bytes) else function.name
    return f"{name}({inputs}) -> {outputs or 'nothing'}"


def _functions(operation: Operation) -> list[tuple[str, Any]]:
    """Lists the functions among the attributes, each with a label."""
    functions: list[tuple[str, Any]] = []
    for name, kind in operation.op_def.attr_kinds.items():
        value = operation.attrs.get(name)
        if kind == "func" and value is not None:
            functions.append((name, value))
        elif kind == "list[func]":
            functions.extend((f"{name}[{position}]", item) for position, item in enumerate(value or ()))
    return functions


def _arguments(operation: Operation) -> list[str]:
    """Lists the inputs by name, then the attributes that are not silent."""
    arguments = [_tensor(tensor) for tensor in operation.inputs]
    op_def = operation.op_def
    for name, value in operation.attrs.items():
        kind = op_def.attr_kinds.get(name)
        if name == "value" and kind == "tensor":
            arguments.append(_array(value))
        elif kind is not None and not _is_silent(op_def, name, kind, value):
            arguments.append(f"{name}={_value(value)}")
    return arguments


def _is_silent(op_def: Any, name: str, kind: str, value: Any) -> bool:
    """Returns whether an attribute is not shown: a dtype, a count, a function, or a value that is the default."""
    if kind in ("type", "list[type]", "func", "list[func]") or name in op_def.signature.inferred_attrs:
        return True
    if isinstance(value, TensorShape):
        return True
    return name in op_def.attr_defaults and bool(np.all(op_def.attr_defaults[name] == value))


def _tensor(tensor: Any) -> str:
    return str(tensor.op.name) if tensor.value_index == 0 else f"{tensor.op.name}:{tensor.value_index}"


def _shape(shape: TensorShape) -> str:
    if shape.rank is None:
        return "(...)"
    dims = ", ".join("?" if dim is None else str(dim) for dim in shape.as_list())
    return f"({dims},)" if shape.rank == 1 else f"({dims})"


def _array(array: Any) -> str:
    """Writes the values of a constant, cut after a few."""
    elements = np.asarray(array).reshape(-1)
    words = [_value(item) for item in elements[:_MAX_VALUES].tolist()]
    if np.ndim(array) == 0:
        return words[0]
    return f"[{', '.join(words)}{', ...' if elements.size > _MAX_VALUES else ''}]"


def _value(value: object) -> str:
    if isinstance(value, (str, bytes)):
        text = repr(value if isinstance(value, str) else value.decode("utf-8", "replace"))
        return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}...'"
    if isinstance(value, DType):
        return value.name
    if isinstance(value, (list, tuple)):
        words = [_value(item) for item in value[:_MAX_VALUES]]
        return f"[{', '.join(words)}{', ...' if len(value) > _MAX_VALUES else ''}]"
    if isinstance(value, np.ndarray):
        return _array(value)
    return str(value)


def _source(operation: Operation) -> str:
    frame = operation.source
    return "" if frame is None else f"{os.path.basename(frame.filename)}:{frame.line}"
