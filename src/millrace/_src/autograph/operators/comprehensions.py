"""Comprehensions: over a tensor of known length they run over its parts."""

from __future__ import annotations

from typing import Any

from millrace._src.autograph.operators.staging import belongs_into_graph, is_symbolic
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops import raw


def iterable(value: Any) -> Any:
    """What a comprehension iterates over: the parts of a tensor along its first axis.

    Raises: OperatorNotAllowedInGraphError: if their number is only known when the graph runs.
    """
    if not belongs_into_graph(value):
        return value
    tensor = convert_to_tensor(value)
    length = tensor.shape[0] if tensor.shape.rank else None
    if length is None:
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed in a comprehension: the result would be a list whose length "
            f"is only known when the graph runs ({tensor}). Use tf.map_fn, or a for loop that appends to a list."
        )
    return raw.Unpack(value=tensor, num=length, axis=0)


def filters(test: Any) -> Any:
    """The condition of a comprehension, which must be known while the graph is built.

    Raises: OperatorNotAllowedInGraphError: if it is not.
    """
    if not is_symbolic(test):
        return test
    raise OperatorNotAllowedInGraphError(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed in the condition of a comprehension: the result would "
        f"be a list whose length is only known when the graph runs ({test}). Use tf.boolean_mask, or a for loop."
    )
