"""`tf.compat.v1.cond`: with `fn1` and `fn2`, the old names of its functions, and results that lose their list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.control_flow import cond as branches
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.util.export import export


@export(v1=["cond"])
def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Returns `true_fn()` if `pred` is true, else `false_fn()`.

    >>> tf.compat.v1.cond(tf.constant(True), fn1=lambda: 1, fn2=lambda: 2)
    1

    Args:
      pred: a scalar; in a graph a boolean Tensor.
      true_fn: a function without arguments.
      false_fn: a function without arguments that returns the same structure of the same dtypes.
      strict: in eager mode, whether a list or tuple of one value is returned as it is, rather than the value.
      name: name of the operation in a graph.
      fn1: the old name of `true_fn`.
      fn2: the old name of `false_fn`.

    Returns: What the chosen function returns; in a graph Tensors in the structure that both functions return.
    Raises: TypeError: if a function is missing, given twice or not callable, or the branches return different things.
    """
    true_fn = _function("true_fn", true_fn, "fn1", fn1)
    false_fn = _function("false_fn", false_fn, "fn2", fn2)
    result = branches.cond(pred, true_fn, false_fn, name)
    if state.graph is None and not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _function(new_name: str, new: object, old_name: str, old: object) -> Any:
    if old is not None and new is not None:
        raise TypeError(f"cond(): '{new_name}' and '{old_name}' may not be set simultaneously.")
    return new if old is None else old
