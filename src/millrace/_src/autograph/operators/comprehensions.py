"""Comprehensions: over a tensor of known length a comprehension runs over the tensor's parts.

A comprehension makes a Python list, set or dictionary. So the number of its elements must be known while the function
is traced, and its conditions must not be tensors of the graph.
"""

from __future__ import annotations

import builtins
import functools
from typing import Any

from millrace._src.autograph.operators.builtin_iterators import in_python
from millrace._src.autograph.operators.staged_values import is_symbolic, plain
from millrace._src.autograph.operators.unpacking import unpack_parts
from millrace._src.core.context import state
from millrace._src.core.errors import OperatorNotAllowedInGraphError


def iterable(value: object) -> Any:
    """Returns what a comprehension iterates over: the parts of a tensor along its first axis.

    Raises: OperatorNotAllowedInGraphError: if the number of parts is only known when the graph runs.
    """
    return in_python(value)


def iterable_of_rows(value: Any, parts: Any) -> Any:
    """Returns what a comprehension iterates over, with elements that are unpacked and may be tensors themselves.

    Args:
      value: What to iterate over.
      parts: What the elements are unpacked into, as for `unpack_parts`.
    """
    if state.graph is None or (value.__class__ in plain and not any(parts) and _holds_no_tensor(value)):
        return value
    return builtins.map(functools.partial(unpack_parts, parts), in_python(value))


def _holds_no_tensor(value: Any) -> bool:
    return plain.issuperset(map(type, value))


def filters(test: object) -> Any:
    """Returns the condition of a comprehension, which must be known while the graph is built.

    Raises: OperatorNotAllowedInGraphError: if the condition is a tensor of the graph.
    """
    if not is_symbolic(test):
        return test
    raise OperatorNotAllowedInGraphError(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed in the condition of a comprehension: the "
        f"result would be a list whose length is only known when the graph runs ({test}). Use tf.boolean_mask, or a "
        "for loop."
    )
