"""Functions that call the functions that they get as arguments: such arguments are converted too.

In converted code `tf.map_fn(f, x)` converts `f`, wherever `f` is defined. TensorFlow does so for `tf.map_fn` alone;
here every function of the table `HIGHER_ORDER` has its arguments converted.

Tests: tests/autograph/operators/test_calls.py
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.replacements import replaces
from millrace._src.control_flow.case import case
from millrace._src.control_flow.cond import cond, switch_case
from millrace._src.control_flow.map_fn import map_fn
from millrace._src.control_flow.scan import foldl, foldr, scan
from millrace._src.control_flow.vectorized_map import vectorized_map
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.util import nest

_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def convert_arguments_of(functions: tuple[Any, ...], convert: Callable[[Any], Any]) -> None:
    """Makes converted code convert the functions that it passes to `functions`."""
    for function in functions:
        replaces(function)(_with_converted_arguments(function, convert))


def _with_converted_arguments(function: Any, convert: Callable[[Any], Any]) -> Callable[..., Any]:
    def converted(value: object) -> Any:
        if isinstance(value, _FUNCTIONS):
            return convert(value)
        if isinstance(value, (list, tuple)) and any(isinstance(item, (*_FUNCTIONS, tuple)) for item in value):
            return type(value)([converted(item) for item in value]) if not hasattr(value, "_fields") else value
        return value

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*[converted(arg) for arg in args], **{name: converted(arg) for name, arg in kwargs.items()})

    return call


HIGHER_ORDER = (
    case,
    cond,
    foldl,
    foldr,
    functools.reduce,
    map_fn,
    nest.map_structure,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
