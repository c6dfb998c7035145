"""Control flow for ops: branches and loops, which are built above ops and found by name.

A public function stands in the folder of its subject even where it needs a branch or a loop: `tf.linalg.expm` in
`ops/linalg`, assertions in `ops/debug`. The functions here have the arguments of the public functions of the same
names, which `control_flow/` declares; that layer is imported with the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.op_registry import find_late_bound


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """Returns the result of one of two functions, as `tf.cond`."""
    return find_late_bound("cond")(pred, true_fn, false_fn, name)


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any) -> Any:
    """Repeats a function as long as a condition holds, as `tf.while_loop`."""
    return find_late_bound("while_loop")(cond, body, loop_vars)


def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, **options: Any) -> Any:
    """Combines the rows of `elems` from the first to the last, as `tf.foldl`."""
    return find_late_bound("foldl")(fn, elems, initializer, **options)


def map_fn(fn: Callable[[Any], Any], elems: Any, **options: Any) -> Any:
    """Applies a function to each row in a loop, as `tf.map_fn`."""
    return find_late_bound("map_fn")(fn, elems, **options)


def vectorized_map(fn: Callable[[Any], Any], elems: Any, **options: Any) -> Any:
    """Applies a function to all rows at once, as `tf.vectorized_map`."""
    return find_late_bound("vectorized_map")(fn, elems, **options)
