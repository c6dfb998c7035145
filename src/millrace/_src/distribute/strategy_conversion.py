"""AutoGraph and strategies: converted code also converts the functions that it hands to a strategy.

A step is written `strategy.run(step)` in a `tf.function`. `step` is called by the strategy, whose own code is not
converted, so the conversion happens where the function is passed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.calls import callee
from millrace._src.autograph.operators.replacements import replaces


def convert_function_argument(method: Callable[..., Any], name: str, position: int) -> None:
    """Makes converted code convert the function that it passes to a method.

    Args:
      method: The method, taken from its class.
      name: The name of the parameter that takes the function.
      position: The position of the parameter; `self` has position 0.
    """

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if name in kwargs:
            return method(*args, **{**kwargs, name: callee(kwargs[name])})
        if len(args) > position:
            args = (*args[:position], callee(args[position]), *args[position + 1 :])
        return method(*args, **kwargs)

    replaces(method)(call)
