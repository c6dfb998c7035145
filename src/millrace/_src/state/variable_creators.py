"""Functions that intercept the creation of variables.

Problem: optimizers, distribution strategies and tests want to see, change or replace each variable that code below them
makes.

Idea: the creators in force form a chain. Each gets the next one and the arguments; the last one makes a `tf.Variable`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.core.context import state
from millrace._src.util.export import export


@export("variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Lets a function intercept the creation of variables.

    Args:
      variable_creator: `f(next_creator, **kwargs)`; calls `next_creator(**kwargs)`, or makes a variable of its own.

    >>> def creator(next_creator, **kwargs):
    ...     kwargs["name"] = "mine"
    ...     return next_creator(**kwargs)
    >>> with tf.variable_creator_scope(creator):
    ...     tf.Variable(1.0).name
    'mine:0'
    """
    previous = state.variable_creators
    state.variable_creators = (*previous, variable_creator)
    try:
        yield
    finally:
        state.variable_creators = previous


def create_through_scopes(make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Makes a variable through all creators in force, the innermost first; `make` is the end of the chain."""
    for creator in state.variable_creators:
        make = _chain(creator, make)
    return make(**arguments)


def _chain(creator: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **kwargs: creator(inner, **kwargs)
