"""Checks of row partitions, at once in eager mode and as assertions in a graph.

Problem: a partition that does not fit its values reads out of bounds much later, so factories check their arguments.
The values may be unknown until a graph runs.

Idea: a check compares two tensors. Where both values are known the check is decided at once; else the check is an
`Assert` operation, and `depend_on_checks` makes a tensor wait for the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.context import state
from millrace._src.core.errors import invalid
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import EagerTensor
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import DEFAULT_SUMMARIZE, assert_in_context
from millrace._src.ops.grouping import with_dependencies
from millrace._src.ops.math.comparison import equal_op, less, less_equal

_RELATIONS: dict[str, tuple[OpFunction, Callable[[Array, Array], Array]]] = {
    "==": (equal_op, np.equal),
    "<=": (less_equal, np.less_equal),
    "<": (less, np.less),
}


def check(sign: str, x: object, y: object, message: str) -> list[Any]:
    """Checks that a relation holds between two integer tensors, element by element.

    Args:
      sign: the relation: "==", "<=" or "<".
      x: a Tensor.
      y: a Tensor of the same dtype, which broadcasts against `x`.
      message: the first words of the error.

    Returns: The operations to wait for; none where the relation is known to hold.
    Raises: InvalidArgumentError: if the relation is known not to hold.
    """
    relation_op, relation = _RELATIONS[sign]
    known_x, known_y = static_value(x), static_value(y)
    if known_x is not None and known_y is not None:
        if not relation(known_x, known_y).all():
            raise invalid(_comparison_text(sign, relation, known_x, known_y, message))
        return []
    holds = relation_op(x, y)
    condition = f"Condition x {sign} y did not hold."
    words = [message, condition] if message else [condition]
    return _assert_all(holds, [*words, "First elements of x:", x, "First elements of y:", y])


def check_not_negative(x: object, message: str) -> list[Any]:
    """Checks that no element of an integer tensor is negative; the arguments are those of `check`."""
    known_x = static_value(x)
    if known_x is not None:
        if known_x.size and known_x.min() < 0:
            raise invalid(_negative_text(known_x, message))
        return []
    holds = raw.GreaterEqual(x=x, y=raw.ZerosLike(x=x))
    return _assert_all(holds, [message, "Condition x >= 0 did not hold element-wise:", "x = ", x])


def check_not_decreasing(x: Any, message: str) -> list[Any]:
    """Checks that the elements of a vector never get smaller; the arguments are those of `check`."""
    if isinstance(x, EagerTensor) and state.graph is None:
        array = x._eager_array
        if (array[1:] < array[:-1]).any():
            raise invalid(_negative_text(array[1:] - array[:-1], message))
        return []
    return check_not_negative(x[1:] - x[:-1], message)


def depend_on_checks(tensor: object, *checks: Sequence[Any]) -> Any:
    """Returns `tensor`, which in a graph becomes available only after the operations of the checks have run."""
    operations = [operation for operations in checks for operation in operations]
    return with_dependencies(operations, tensor) if operations else tensor


def _assert_all(holds: Any, shown_data: list[Any]) -> list[Any]:
    if holds.shape.rank == 0:
        return assert_in_context(holds, shown_data)
    axes = raw.Range(start=0, limit=raw.Rank(input=holds), delta=1)
    return assert_in_context(raw.All(input=holds, reduction_indices=axes), shown_data)


def _comparison_text(sign: str, relation: Callable[[Array, Array], Array], x: Array, y: Array, message: str) -> str:
    lines = [*([message] if message else []), f"Condition x {sign} y did not hold."]
    if x.shape == y.shape and x.ndim:
        differing = ~relation(x, y)
        count = min(int(differing.sum()), DEFAULT_SUMMARIZE)
        lines += [
            f"Indices of first {count} different values:",
            str(np.argwhere(differing)[:count]),
            "Corresponding x values:",
            str(x[differing][:count]),
            "Corresponding y values:",
            str(y[differing][:count]),
        ]
    for name, array in (("x", x), ("y", y)):
        count = min(array.size, DEFAULT_SUMMARIZE)
        lines += [f"First {count} elements of {name}:", str(array.reshape(-1)[:count])]
    return "\n".join(lines)


def _negative_text(array: Array, message: str) -> str:
    shown_elements = [f"'{element}'" for element in array.reshape(-1)[:DEFAULT_SUMMARIZE]]
    more = [", ..."] if array.size > DEFAULT_SUMMARIZE else []
    elements = ", ".join(shown_elements) + "".join(more)
    described = f"x (shape={array.shape} dtype={array.dtype.name}) = "
    return f"{message}.  \nCondition x >= 0 did not hold element-wise:\n{described}\n[{elements}]"


def refuse_no_bool(validate: object) -> None:
    """Raises TypeError for an argument `validate` that is not a bool."""
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")
