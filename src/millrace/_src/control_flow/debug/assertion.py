"""`tf.debugging.Assert`: a program stops where a condition does not hold.

In eager mode the condition is tested at once. In a graph the condition becomes the input of an `Assert` operation,
which always runs, in program order. As in TensorFlow, the operation stands alone only where all its data is on the host
anyway (strings and int32); else the operation is in a branch that is taken when the condition does not hold.
"""

from __future__ import annotations

import functools
from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, string
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import DEFAULT_SUMMARIZE, assert_op, data_tensors, refuse_unless
from millrace._src.util.export import export


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
