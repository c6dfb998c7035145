"""`tf.__internal__.distribute`: what optimizers ask of a strategy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.distribute.default_strategy import get_replica_context, get_strategy, has_strategy
from millrace._src.util.export import export


@export(
    "__internal__.distribute.strategy_supports_no_merge_call",
    v1=["__internal__.distribute.strategy_supports_no_merge_call"],
)
def strategy_supports_no_merge_call() -> bool:
    """Returns whether code of a replica may do without `merge_call`, as it may under the default strategy.

    >>> tf.__internal__.distribute.strategy_supports_no_merge_call()
    True
    """
    return not has_strategy() or not get_strategy().extended._use_merge_call()


@export("__internal__.distribute.interim.maybe_merge_call", v1=["__internal__.distribute.interim.maybe_merge_call"])
def maybe_merge_call(fn: Callable[..., Any], strategy: object, *args: object, **kwargs: object) -> Any:
    """Calls `fn(strategy, *args, **kwargs)`, through the replica's `merge_call` where the strategy in force needs it.

    >>> strategy = tf.distribute.get_strategy()
    >>> tf.__internal__.distribute.interim.maybe_merge_call(lambda strategy, x: x + 1, strategy, 2)
    3

    Args:
      fn: The function.
      strategy: The strategy.
      *args: Further positional arguments.
      **kwargs: Keyword arguments.

    Raises: RuntimeError: if `merge_call` is needed and no replica runs.
    """
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    replica_context = get_replica_context()
    if replica_context is None:
        raise RuntimeError("maybe_merge_call must be called in a replica context.")
    return replica_context.merge_call(fn, args=args, kwargs=kwargs)


@export(
    "__internal__.distribute.variable_sync_on_read_context",
    v1=["__internal__.distribute.variable_sync_on_read_context"],
)
@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """Makes a scope in which reading a variable of several copies combines the copies; of one copy nothing changes."""
    yield
