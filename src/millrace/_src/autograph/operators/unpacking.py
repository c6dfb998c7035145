"""Unpacking: `a, b = t`, `f(*t)`, `for a, b in pairs`, where `t` or the elements of `pairs` may be tensors.

Python cannot iterate over a tensor of a graph. A tensor is split along its first axis instead, into as many parts as
the targets ask for or as its shape says.

Tests: tests/autograph/operators/test_builtins_over_tensors.py
"""

from __future__ import annotations

import builtins
from typing import Any

from millrace._src.autograph.operators.builtin_iterators import in_python
from millrace._src.autograph.operators.graph_iterators import Elements
from millrace._src.autograph.operators.staged_values import belongs_into_graph, plain
from millrace._src.autograph.operators.tensorflow_refusals import ITERATED, refuse_if_strict
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops import raw


def unpacked(value: Any, count: int | None = None) -> Any:
    """Returns what Python can unpack: the parts of a tensor along its first axis; anything else unchanged.

    Args:
      value: Anything.
      count: The number of parts that there must be; None if any number will do.

    Raises: OperatorNotAllowedInGraphError: if neither the number of parts nor the tensor's length is known.
    """
    if value.__class__ in plain or not belongs_into_graph(value):
        return value
    refuse_if_strict(OperatorNotAllowedInGraphError, ITERATED)
    if count is not None:
        elements = Elements(convert_to_tensor(value))
        if elements.length is None:  # the graph checks that there are as many parts
            return raw.Unpack(value=elements.tensor, num=count, axis=0)
    return in_python(value)


def unpack_parts(parts: Any, value: Any) -> Any:
    """Returns what Python can unpack, with parts that are unpacked in turn.

    Args:
      parts: For each part a tuple like this if it is unpacked, 0 for a starred one, else None.
      value: Anything.
    """
    value = unpacked(value)
    if not builtins.any(parts):
        return value
    results = list(value)
    star = parts.index(0) if 0 in parts else len(parts)
    for index, part in enumerate(parts):
        if part:
            slot = index if index < star else index - len(parts)
            results[slot] = unpack_parts(part, results[slot])
    return results
