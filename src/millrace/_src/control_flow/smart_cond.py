"""`smart_cond`: a `tf.cond` that takes the branch at once where the predicate is known while tracing.

Libraries write one function for Python conditions and for tensors; `tf.__internal__` has the name, Keras calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core import types
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.shape_context import static_value
from millrace._src.util.export import export


@export("__internal__.smart_cond.smart_cond")
def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns `true_fn()` if `pred` holds, else `false_fn()`; builds both branches only where `pred` is unknown.

    >>> tf.__internal__.smart_cond.smart_cond(True, lambda: "yes", lambda: "no")
    'yes'

    Args:
      pred: a scalar bool Tensor, a Python bool, or 1 or 0.
      true_fn: a function without arguments.
      false_fn: a function without arguments.
      name: name of the `tf.cond`, where one is built.

    Returns: What the branch that is taken returns.
    Raises: TypeError: if a branch is not callable, or `pred` is of another type.
    """
    for role, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"Argument `{role}` must be callable. Received {branch}")
    known_value = smart_constant_value(pred)
    if known_value is None:
        return cond(pred, true_fn, false_fn, name)
    return (true_fn if known_value else false_fn)()  # type: ignore[misc]  # both are callable


def smart_constant_value(pred: object) -> Any:
    """Returns the value of a predicate if the value is known while tracing, else None.

    Raises: TypeError: if `pred` is neither a Tensor, nor a Python bool, nor 1 or 0.
    """
    if isinstance(pred, types.Tensor):
        return static_value(pred)  # more than users are told: TensorFlow runs the graph here, too
    if isinstance(pred, bool) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    raise TypeError(
        f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of type "
        f"{type(pred).__name__}"
    )
