"""How a public function comes to ask for overloads, once there are any.

Problem: `tf.concat` must call another function when a ragged tensor is among its arguments. A wrapper around every
function would cost every program a call, although few programs have such values; to exchange the function itself comes
too late for those who have imported it by name.

Idea: the function stays the same object and is given new code when it gets its first overload: the code of a gate with
the same parameters. Until then the function knows nothing of overloads.

Tests: tests/core/test_overloads.py
"""

from __future__ import annotations

import types
from typing import Any

_GATE = "\0gate"
_PLAIN = "\0plain"


def original_of(function: Any) -> Any:
    """Returns a function that does what a public function does now and will not change."""
    original = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    return original


def put_gate(function: Any, gate: Any, plain: set[type]) -> None:
    """Lets the calls of a public function pass a gate.

    Args:
      function: a function of Python.
      gate: an object with the function `original`, and the method `call` that takes the arguments of a call.
      plain: the classes of arguments for which the original may be called at once; the set may grow.
    """
    function.__code__ = _gate_code(function, gate, plain)


def _gate_code(function: Any, gate: object, plain: set[type]) -> types.CodeType:
    """Compiles the code of a gate with the parameters, and the position in the source, of a function.

    # def concat(values, axis, name):
    #     if values.__class__ in plain and axis.__class__ in plain and name.__class__ in plain:
    #         return gate.original(values, axis, name)
    #     return gate.call(values, axis, name)
    """
    code = function.__code__
    source = _gate_source(code)
    module = compile(source, code.co_filename, "exec")
    (factory,) = (const for const in module.co_consts if isinstance(const, types.CodeType))
    (compiled,) = (const for const in factory.co_consts if isinstance(const, types.CodeType))
    objects = {_GATE: gate, _PLAIN: plain}
    return compiled.replace(
        co_consts=tuple(objects.get(const, const) if type(const) is str else const for const in compiled.co_consts),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
    )


def _gate_source(code: types.CodeType) -> str:
    names = list(code.co_varnames[: code.co_argcount])
    only_by_name = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    rest = list(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    parameters = [*names]
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    arguments = list(names)
    if code.co_flags & 0x04:  # CO_VARARGS
        parameters.append(f"*{rest[0]}")
        arguments.append(f"*{rest.pop(0)}")
    elif only_by_name:
        parameters.append("*")
    parameters += only_by_name
    arguments += [f"{name}={name}" for name in only_by_name]
    if code.co_flags & 0x08:  # CO_VARKEYWORDS
        parameters.append(f"**{rest[0]}")
        arguments.append(f"**{rest[0]}")
    is_open = len(arguments) > len(names) + len(only_by_name)
    tests = [f"{name}.__class__ in {_PLAIN!r}" for name in [*names, *only_by_name]]
    shortcut = "False" if is_open else " and ".join(tests) or "True"
    call = ", ".join(arguments)
    cells = "".join(f"    {name} = None\n" for name in code.co_freevars)
    kept_cells = f"        if 0: ({', '.join(code.co_freevars)},)\n" if code.co_freevars else ""
    return (
        f"def factory():\n{cells}    def gate({', '.join(parameters)}):\n{kept_cells}"
        f"        if {shortcut}: return {_GATE!r}.original({call})\n        return {_GATE!r}.call({call})\n"
        "    return gate\n"
    )
