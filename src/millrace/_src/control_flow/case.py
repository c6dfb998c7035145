"""`tf.case`: the branch of the first predicate that holds, by conditionals inside of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.util.export import export


@export("case")
def case(
    pred_fn_pairs: object,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first predicate that is true.

    >>> x = tf.constant(5)
    >>> tf.case([(x < 3, lambda: tf.constant(1)), (x < 9, lambda: tf.constant(2))], default=lambda: tf.constant(3))
    <tf.Tensor: shape=(), dtype=int32, numpy=2>

    Args:
      pred_fn_pairs: pairs of a boolean scalar Tensor and a function.
      default: the function if none is true; without it that is an error.
      exclusive: whether at most one predicate may be true; checked.
      strict: accepted for compatibility; single outputs keep their structure.
      name: name of the operations in a graph.

    Raises:
      TypeError: if the pairs are malformed.
      ValueError: if there are none.
      tf.errors.InvalidArgumentError: if no predicate is true and there is no default, or several are and `exclusive`.
    """
    pairs = _validate_pairs(pred_fn_pairs, default)
    with context.scope_of_operations(name, "case"):
        if exclusive and (default is not None or state.graph is not None):
            _assert_at_most_one([p for p, _ in pairs])  # TensorFlow checks eager pairs only beside a default
        if default is None:
            predicates, default = [p for p, _ in pairs], pairs[-1][1]
            _assert_any(predicates)
            pairs = pairs[:-1]
        chosen: Callable[[], Any] = default
        for pred, function in reversed(pairs):
            chosen = _either(pred, function, chosen)
        return chosen()


def _either(pred: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: cond(pred, then, otherwise)


def _validate_pairs(pred_fn_pairs: object, default: object) -> list[tuple[Any, Callable[[], Any]]]:
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received {type(pred_fn_pairs)}")
    if not pred_fn_pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0): 'pred_fn_pairs' is empty.")
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], Tensor) or pair[0].dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pair[0]}")
        if not callable(pair[1]):
            raise TypeError(f"fn for pred {pair[0]} must be callable.")
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    return list(pred_fn_pairs)


def _assert_any(predicates: Sequence[Any]) -> None:
    found = raw.Any(input=raw.Pack(values=list(predicates)), reduction_indices=0)
    assert_that(found, ["Input error: None of conditions evaluated as True:"])


def _assert_at_most_one(predicates: Sequence[Any]) -> None:
    count = raw.Sum(input=raw.Cast(x=raw.Pack(values=list(predicates)), DstT="int32"), reduction_indices=0)
    assert_that(raw.Less(x=count, y=2), ["Input error: exclusive=True: more than 1 conditions evaluated as True:"])
