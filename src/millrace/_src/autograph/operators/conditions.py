"""A value that decides: what is accepted as a condition."""

from __future__ import annotations

from typing import Any

from millrace._src.core.convert import convert_to_tensor


def condition_tensor(value: Any, kind: str) -> Any:
    """A condition as a boolean scalar of the graph.

    Args:
      value: A tensor or variable.
      kind: What it is the condition of: "if statement", "while loop".

    Raises:
      ValueError: if it is not a boolean scalar.
      TypeError: if an operand of `and`, `or`, `not` is not.
    """
    tensor = convert_to_tensor(value)
    advice = "to check for None, use `is not None`"
    if tensor.dtype.name != "bool":
        advice = f"to use as boolean Tensor, use `tf.cast`; {advice}"
    elif tensor.shape.rank in (0, None):
        return tensor
    error = TypeError if kind.startswith("`") else ValueError
    raise error(f"condition of {kind} expected to be `tf.bool` scalar, got {tensor}; {advice}")
