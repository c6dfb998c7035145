"""`tf.debugging.Assert` and the `Assert` op: a program stops where a condition does not hold.

In eager mode the condition is tested at once. In a graph the condition becomes the input of an `Assert` operation,
which always runs, in program order. As in TensorFlow, the operation stands alone only where all its data is on the host
anyway (strings and int32); else the operation is in a branch that is taken when the condition does not hold. What other
ops assert goes through `assert_in_context`, without a branch.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32, string
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import all_hold
from millrace._src.ops.control_flow import cond
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util.export import export
from millrace._src.util.text import format_summarized, shape_brackets


def _assert_shape(c: ShapeContext) -> Sequence[TensorShape]:
    shape = c.shape("condition")
    if shape.rank not in (0, None):
        raise ValueError(f"Shape must be rank 0 but is rank {shape.rank}")
    return ()


@op(
    "Assert",
    "condition: bool, data: T -> ",
    T=TypeList(ANY, minimum=1),
    shape=_assert_shape,
    effects=Effects.IO,
    not_differentiable="it has no outputs",
    batching=all_hold,
    exact_on_rows=True,
    refuses=("condition",),
    checks_any_shape_of=("data",),
)
def assert_op(xp: Xp, condition: Array, data: list[Array], *, T: list[DType], summarize: int = 3) -> None:
    """Raises InvalidArgumentError with a summary of `data` unless the scalar `condition` is true."""
    if condition.ndim:
        raise errors.InvalidArgumentError(None, None, f"In[0] should be a scalar: {shape_brackets(condition.shape)}")
    if not condition:
        shown_data = " ".join(f"[{summarize_value(a, summarize, t)}]" for a, t in zip(data, T, strict=True))
        raise errors.InvalidArgumentError(None, None, f"assertion failed: {shown_data}")


@assert_op.kernel_for("xla")
def assert_nothing(xp: Xp, condition: Array, data: list[Array], *, T: list[DType], summarize: int = 3) -> None:
    """Does nothing, because XLA cannot stop a program: as in TensorFlow, a compiled function checks no assertions."""


DEFAULT_SUMMARIZE = 3
"""The number of elements that a message shows of each value."""


def refuse_unless(condition: object, data: object, summarize: int | None = None) -> None:
    """Raises, in eager mode, InvalidArgumentError with a summary of `data` unless `condition` is true."""
    if condition:
        return
    summary = _eager_summary(data, DEFAULT_SUMMARIZE if summarize is None else summarize)
    message = f"Expected '{condition!s}' to be true. Summarized data: {summary}"
    raise errors.InvalidArgumentError(node_def=None, op=None, message=message)


def data_tensors(data: object) -> list[Any]:
    """Converts what an assertion shows to tensors."""
    if not isinstance(data, Sequence):
        raise TypeError("values must be a sequence.")
    return [convert_to_tensor(value) for value in data]


def _eager_summary(data: object, limit: int) -> str:
    return "\n".join(_eager_line(tensor._eager_array, limit) for tensor in data_tensors(data))


def _eager_line(array: Array, limit: int) -> str:
    if not array.ndim:
        return str(array[()])
    elements = array.reshape(-1)
    shown_elements = elements if limit < 0 else elements[:limit]
    return ", ".join([*map(str, shown_elements), *(["..."] if len(shown_elements) < len(elements) else [])])


def assert_in_context(condition: object, data: Sequence[Any], summarize: int = DEFAULT_SUMMARIZE) -> list[Any]:
    """Asserts a scalar condition: now in eager mode, or by an operation of the graph.

    Args:
      condition: a scalar boolean Tensor.
      data: strings and int32 values to show in the message.
      summarize: how many elements of each to show.

    Returns: What to wait for: the operation in a graph, nothing in eager mode.
    Raises: InvalidArgumentError: in eager mode, if the condition does not hold.
    """
    if state.graph is None:
        refuse_unless(condition, data, summarize)
        return []
    return [assert_op(condition, data=list(data), summarize=summarize, name="Assert")]


def summarize_value(array: Array, summarize: int, dtype: DType) -> str:
    """Writes the first `summarize` elements as the runtime's messages show them: `[1 2][3...]...`; -1 shows all.

    >>> import numpy as np
    >>> from millrace._src.core.dtypes import int32
    >>> from millrace._src.ops.debug.assertion import summarize_value
    >>> summarize_value(np.array([[1, 2], [3, 4]], np.int32), 3, int32)
    '[1 2][3...]...'
    """
    limit = array.size if summarize < 0 else min(summarize, array.size)
    elements = iter(array.reshape(-1)[:limit])
    parts: list[str] = []
    if array.ndim and limit:
        _append_rows(array.shape, 0, [limit], lambda: _element_text(next(elements), dtype), parts)
    elif limit:
        parts.append(_element_text(array[()], dtype))
    if array.size > limit:
        parts.append("...")
    return "".join(parts)


def _append_rows(shape: tuple[int, ...], axis: int, left: list[int], element: Any, parts: list[str]) -> None:
    """Appends dimension `axis`; `left[0]` counts the elements that may still be shown."""
    if axis == len(shape) - 1:
        for index in range(shape[axis]):
            if not left[0]:
                if axis:
                    parts.append("...")
                return
            parts.append(f" {element()}" if index else element())
            left[0] -= 1
        return
    for _ in range(shape[axis]):
        if not left[0]:
            return
        parts.append("[")
        _append_rows(shape, axis + 1, left, element, parts)
        parts.append("]")


def _element_text(element: object, dtype: DType) -> str:
    array = np.empty((), dtype.np_dtype)
    array[()] = element
    text = format_summarized(array, 1, dtype)
    return text[1:-1] if dtype.name == "string" else text


@export("debugging.Assert", "Assert")
def assert_that(condition: TensorLike, data: TensorLike, summarize: int | None = None, name: str | None = None) -> Any:
    """Raises an error that shows `data` unless `condition` is true.

    >>> tf.debugging.Assert(tf.constant(2) > 1, ["two is more than one"])

    Args:
      condition: a scalar boolean Tensor, or a Python value in eager mode.
      data: a list of values to show in the message.
      summarize: how many elements of each to show; -1 shows all; None means 3.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that runs when the assertion has been checked.
    Raises: tf.errors.InvalidArgumentError: if `condition` is false.
    """
    if state.graph is None:
        refuse_unless(condition, data, summarize)
        return None
    with name_scope(name, "Assert"):
        tensors = data_tensors(data)
        check = functools.partial(
            assert_op, data=data, summarize=DEFAULT_SUMMARIZE if summarize is None else summarize, name="Assert"
        )
        if all(t.dtype in (string, int32) for t in tensors):
            return check(condition)
        condition = convert_to_tensor(condition, name="Condition")
        return cond(condition, raw.NoOp, lambda: check(condition), name="AssertGuard").op
