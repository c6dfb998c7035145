"""The values that are accepted as a condition in the graph.

Python asks any object for its truth. The graph decides by boolean scalars alone, so that other dtypes and shapes are
mistakes, which the error explains. A list that a loop of the graph has built is true if it has elements, as in Python.

Tests: tests/autograph/operators/test_if_statements.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.autograph.operators.staged_lists import graph_list
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw


def condition_tensor(value: Any, kind: str) -> Any:
    """Returns a condition as a boolean scalar of the graph.

    Args:
      value: A tensor, a variable, or a list that a loop of the graph has built; a list is true if it has elements.
      kind: The statement that the condition belongs to: "if statement", "while loop".

    Raises:
      ValueError: if the condition is not a boolean scalar.
      TypeError: if an operand of `and`, `or`, `not` is not.
    """
    items = graph_list(value)
    if items is not None:
        return raw.Greater(x=items.length(), y=0)
    tensor = convert_to_tensor(value)
    advice = "to check for None, use `is not None`"
    if tensor.dtype.name != "bool":
        advice = f"to use as boolean Tensor, use `tf.cast`; {advice}"
    elif tensor.shape.rank in (0, None):
        return tensor
    error = TypeError if kind.startswith("`") else ValueError
    raise error(f"condition of {kind} expected to be `tf.bool` scalar, got {tensor}; {advice}")
