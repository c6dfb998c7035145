"""Calls: what runs instead of a callable that converted code calls.

`call[f]` is looked up for every call of a Python function, so `call` is a dictionary. Functions that live as long as
their module are kept in the dictionary; for others `__missing__` makes a new converted function each time. `callee`
takes any callable. The conversion of a function is kept by its code object, so functions made from one definition
(closures, methods) share the conversion.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import types
import weakref
from typing import Any

from millrace._src.autograph.operators import replacements
from millrace._src.autograph.operators.higher_order import HIGHER_ORDER, convert_arguments_of
from millrace._src.autograph.transform.function_conversion import CONVERSION, OPERATORS, Conversion, UnsupportedError
from millrace._src.autograph.transform.source import NoSourceError, function_node, has_control_flow
from millrace._src.util.logger import get_logger

_KEPT_OUT = ("millrace", "tensorflow", "numpy", "scipy", "jax", "keras", "ml_dtypes", "pytest", "_pytest", "hypothesis")
"""The packages whose functions are never converted: their own control flow is Python's."""
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__", "functools", "contextlib"}
_UNCONVERTED = "__ag_do_not_convert__"
_CO_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Verbosity:
    """The amount of logging about conversions.

    Attributes:
      level: From 1 on, each function that is converted is logged.
      prints: Whether what is logged is printed too.
    """

    level: Any = 0
    prints = False

    def converting(self, function: object) -> None:
        """Logs that a function is converted, if the level asks for it."""
        if self.level and self.level >= 1:
            get_logger().info("Converted call: %s", function)
            if self.prints:
                sys.stdout.write(f"Converted call: {function}\n")


verbosity = Verbosity()


class Converted:
    """The data that the converted code of one function object needs at run time.

    Attributes:
      code: The conversion.
      globals: The function's globals.
      cells: The cells of the operators and of this object, by name.
    """

    __slots__ = ("code", "globals", "cells")

    def __init__(self, code: Conversion, globals_: dict[str, Any]) -> None:
        self.code = code
        self.globals = globals_
        self.cells = {OPERATORS: _operators_cell(), CONVERSION: types.CellType(self)}


@functools.cache
def _operators_cell() -> types.CellType:
    from millrace._src.autograph.operators import namespace  # the namespace imports this module

    return types.CellType(namespace)


class Conversions:
    """All conversions of the process, by code object; a conversion goes when its code object does."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._by_code: dict[int, tuple[Any, Conversion | None]] = {}
        self._made_here: weakref.WeakValueDictionary[int, types.CodeType] = weakref.WeakValueDictionary()

    def is_converted(self, code: types.CodeType) -> bool:
        """Returns whether a code object was made by conversion."""
        return self._made_here.get(id(code)) is code

    def conversion_of(self, function: types.FunctionType) -> Conversion | None:
        """Returns the conversion of a function's code; None if conversion fails, which a warning explains once."""
        code = function.__code__
        number = id(code)
        with self._lock:
            if number not in self._by_code:
                conversion = self._convert(function)
                forget = weakref.ref(code, lambda _: self._by_code.pop(number, None))
                self._by_code[number] = forget, conversion
            return self._by_code[number][1]

    def _convert(self, function: types.FunctionType) -> Conversion | None:
        verbosity.converting(function)
        try:
            return self.make(function)
        except (NoSourceError, UnsupportedError, SyntaxError, RecursionError) as error:
            if not isinstance(error, NoSourceError) or has_control_flow(function.__code__):
                get_logger().warning(
                    "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this warning, "
                    "decorate the function with @tf.autograph.experimental.do_not_convert",
                    function,
                    error,
                )
        return None

    def make(self, function: types.FunctionType) -> Conversion:
        """Makes a new conversion of a function's code.

        Raises: NoSourceError, UnsupportedError: if the function cannot be converted.
        """
        if function.__code__.co_flags & _CO_ASYNCHRONOUS:
            raise UnsupportedError("coroutines are not supported")
        return Conversion(function_node(function), function.__code__, self._note)

    def _note(self, code: types.CodeType) -> None:
        self._made_here[id(code)] = code


conversions = Conversions()


def convert_function(function: types.FunctionType) -> Any:
    """Returns a function that does the same with its control flow converted, or the function itself."""
    if is_left_alone(function):
        return function
    conversion = conversions.conversion_of(function)
    return function if conversion is None else instantiate(conversion, function)


def instantiate(conversion: Conversion, function: types.FunctionType) -> types.FunctionType:
    """Makes a converted function with the globals, cells, defaults and attributes of the original."""
    converted = Converted(conversion, function.__globals__)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ())) | converted.cells
    code = conversion.inline
    closure = tuple([cells[name] for name in code.co_freevars])
    new = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    new.__kwdefaults__ = function.__kwdefaults__
    new.__qualname__ = function.__qualname__
    if hasattr(function, "__type_params__"):  # from Python 3.12 on
        new.__type_params__ = function.__type_params__  # type: ignore[attr-defined,unused-ignore]  # not known to 3.11
    new.__module__ = function.__module__
    new.__dict__.update(function.__dict__)
    return new


def is_left_alone(function: Any) -> bool:
    """Returns whether a function stays unconverted: it is converted already, excluded, or of a package kept out."""
    if conversions.is_converted(function.__code__) or is_excluded(function):
        return True
    package = (function.__module__ or "").partition(".")[0]
    return package in _KEPT_OUT or package in _STANDARD


def exclude(function: object) -> None:
    """Makes conversion leave a function alone."""
    setattr(function, _UNCONVERTED, True)


def is_excluded(function: object) -> bool:
    """Returns whether `exclude` was called for a function."""
    return _UNCONVERTED in function.__dict__


class _Callables(dict[Any, Any]):
    """A dictionary from a Python function, a builtin function or a class to what is called instead."""

    most = 4096
    """How many functions it keeps."""

    def __missing__(self, function: object) -> Any:
        if type(function) is types.FunctionType:
            converted = replacements.replacement(function)
            if converted is function:
                converted = convert_function(function)
            if function.__closure__ is None and _lives_in_module(function):
                if len(self) >= self.most:  # a notebook defines its functions again and again
                    self.clear()
                self[function] = converted
            return converted
        if type(function) not in looked_up:
            return callee(function)
        replacement = replacements.replacement(function)
        if function.__module__ == "builtins":
            self[function] = replacement
        return replacement


call = _Callables()
looked_up = frozenset({types.FunctionType, types.BuiltinFunctionType, type})
"""The classes of callables that are looked up in `call`."""


def callee(function: Any) -> Any:
    """Returns what is called instead of any callable."""
    kind = function.__class__
    if kind in looked_up:
        return call[function]
    if kind is types.MethodType:
        method = function.__func__
        if type(method) is not types.FunctionType:
            return function
        converted = call[method]
        return function if converted is method else types.MethodType(converted, function.__self__)
    if kind is functools.partial:
        inner = callee(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, type):
        return replacements.replacement(function)
    return _callable_object(function)


def _lives_in_module(function: types.FunctionType) -> bool:
    """Returns whether a function is the one its module has under its name."""
    return function.__globals__.get(function.__name__) is function or "<locals>" not in function.__qualname__


def _callable_object(thing: object) -> Any:
    """Returns what is called instead of an object with `__call__`: the converted method, or the object itself."""
    method = getattr(type(thing), "__call__", None)  # noqa: B004  # the method itself, to convert it
    if type(method) is not types.FunctionType:
        return thing
    converted = call[method]
    return thing if converted is method else types.MethodType(converted, thing)


convert_arguments_of(HIGHER_ORDER, callee)
