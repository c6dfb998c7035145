"""A digest of an optimized graph: equal graphs have equal digests, in this process and in the next.

Names of nodes and the identities of objects do not count. An attribute that could be anything, as a Python function or
an object of the program, has no digest, and neither has a graph that holds one.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.passes.optimized_graph import OptimizedGraph, Value

_LARGEST_CONSTANT = 1 << 12
"""The bytes of a constant whose values count; of a larger one, shape and dtype do."""


class _NoDigestError(Exception):
    """A graph holds something that has no text."""


def graph_digest(graph: OptimizedGraph) -> str | None:
    """Returns the digest of a graph, in hexadecimal digits; None for a graph that has none."""
    digest = hashlib.blake2b(digest_size=20)
    try:
        _add_graph(digest, graph, {})
    except _NoDigestError:
        return None
    return digest.hexdigest()


def _add_graph(digest: Any, graph: OptimizedGraph, numbers: dict[Value, int]) -> None:
    for value in graph.inputs:
        numbers[value] = len(numbers)
        digest.update(f"in {value.dtype.name} {value.shape}\n".encode())
    for node in graph.nodes:
        if node.op_def.traits.calls_python:
            raise _NoDigestError
        inputs = " ".join([_text_of_value(value, numbers) for value in node.inputs])
        added = [part.type for part in node.added]
        digest.update(f"{node.type} {inputs} {added} {node.only_checks} {node.is_checked_apart}\n".encode())
        for name in sorted(node.attrs):
            _add_attribute(digest, name, node.attrs[name], numbers)
        for value in node.outputs:
            numbers[value] = len(numbers)
            digest.update(f"{value.dtype.name} {value.shape} ".encode())
    digest.update(" ".join([_text_of_value(value, numbers) for value in graph.outputs]).encode())


def _text_of_value(value: Value, numbers: dict[Value, int]) -> str:
    number = numbers.get(value)
    if number is not None:
        return str(number)
    if value.constant is None:
        raise _NoDigestError
    return _text_of_array(np.asarray(value.constant))


def _text_of_array(array: Any) -> str:
    text = f"{array.dtype} {array.shape}"
    if array.nbytes > _LARGEST_CONSTANT:
        return text
    content = repr(array.tolist()).encode() if array.dtype.kind == "O" else array.tobytes()
    return f"{text} {hashlib.blake2b(content, digest_size=12).hexdigest()}"


def _add_attribute(digest: Any, name: str, value: object, numbers: dict[Value, int]) -> None:
    if isinstance(value, OptimizedGraph):
        digest.update(f"{name}:graph\n".encode())
        _add_graph(digest, value, numbers)
    elif isinstance(value, (list, tuple)) and any(isinstance(part, OptimizedGraph) for part in value):
        for part in value:
            _add_attribute(digest, name, part, numbers)
    else:
        digest.update(f"{name}={_text(value)}\n".encode())


def _text(value: object) -> str:
    """Returns the text of an attribute that is data.

    Raises: _NoDigestError: if it is something else.
    """
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorShape):
        return str(value)
    if isinstance(value, np.ndarray):
        return _text_of_array(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    raise _NoDigestError
