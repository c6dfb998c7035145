"""Functions of TensorFlow 1 that differ from those of today in their arguments alone.

Problem: `tf.compat.v1.nn.conv3d(input, filter=...)` is `tf.nn.conv3d(input, filters=...)`: another order, old names
beside the new ones, arguments that no longer mean anything. Dozens of functions differ so, and bodies written by hand
would say the same thing dozens of times.

Idea: a *v1 wrapper* is a row of a table: the function of today, TensorFlow 1's parameters as they stand in a `def`, and
which old name means which new one. `v1_wrapper` generates the function: plain Python, with these parameters as its
signature and the translation as its body, so that a call costs one call more and no table is read. A function that only
TensorFlow 1 has is written with one name for each argument, and `v1_arguments` gives it the old ones in the same way.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core import dtypes
from millrace._src.util.export import name_publicly, public_name
from millrace._src.util.old_arguments import one_of, require


def v1_wrapper(
    name: str,
    call: Callable[..., Any],
    parameters: str,
    example: str,
    *,
    renamed: Mapping[str, str] | None = None,
    required: Mapping[str, str] | None = None,
    ignored: Sequence[str] = (),
    fixed: Mapping[str, Any] | None = None,
    names: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Makes a function of `tf.compat.v1` of the function that does its work today.

    Args:
      name: The public name below `tf.compat.v1`.
      call: The function of today; it is called with keywords.
      parameters: The parameters of TensorFlow 1, as they stand between the brackets of a `def`.
      example: Lines of an example for the documentation.
      renamed: The new name of each old parameter. Both may be parameters; then only one of them may be given; where
        neither is, the default of `call` counts.
      required: For arguments of `call` that must not be None, the message of the `ValueError`.
      ignored: Parameters that have no effect.
      fixed: Arguments of `call` that TensorFlow 1 does not let one choose.
      names: What the defaults in `parameters` name, besides `dtypes`.

    Returns: A function with these parameters.
    """
    short, old_names, settings = name.rpartition(".")[2], dict(renamed or {}), dict(fixed or {})
    scope = {"fixed": settings, **(names or {})}
    function = _generate(short, call, parameters, old_names, dict(required or {}), ignored, scope)
    function.__doc__ = _documentation(call, example, old_names, ignored)
    name_publicly(function, f"compat.v1.{name}")
    return function


def v1_arguments(
    parameters: str,
    *,
    renamed: Mapping[str, str] | None = None,
    required: Mapping[str, str] | None = None,
    names: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lets a function of `tf.compat.v1` take old names of its arguments beside the new ones.

    Args:
      parameters: The parameters of TensorFlow 1, as for `v1_wrapper`.
      renamed: The new name of each old parameter, as for `v1_wrapper`.
      required: As for `v1_wrapper`.
      names: As for `v1_wrapper`.

    Returns: A decorator of a function that takes the new names.
    """

    def translate(call: Callable[..., Any]) -> Callable[..., Any]:
        old_names, scope = dict(renamed or {}), {"fixed": {}, **(names or {})}
        function = _generate(call.__name__, call, parameters, old_names, dict(required or {}), (), scope)
        summary, mark, arguments = (inspect.getdoc(call) or "").partition("\nArgs:")
        note = f"{_old_names(old_names)}\n" if old_names else ""
        function.__doc__ = f"{summary}\n{note}{mark}{arguments}"
        return function

    return translate


def _generate(
    name: str,
    call: Callable[..., Any],
    parameters: str,
    renamed: dict[str, str],
    required: dict[str, str],
    ignored: Sequence[str],
    scope: dict[str, Any],
) -> Callable[..., Any]:
    """Makes a function with parameters of TensorFlow 1 that calls one with those of today."""
    tree = ast.parse(f"def {name}({parameters}): pass")
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    arguments = {argument: f"fixed[{argument!r}]" for argument in scope["fixed"]}
    arguments |= _arguments(definition, call, renamed, ignored)
    checked = ", ".join(
        f"{new}=given({text}, {required[new]!r})" if new in required else f"{new}={text}"
        for new, text in arguments.items()
    )
    source = f"def {name}({ast.unparse(definition.args)}):\n    return call({checked})\n"
    scope = {"call": call, "one_of": one_of, "given": require, "dtypes": dtypes, **scope}
    exec(compile(source, f"<tf.compat.v1.{name}>", "exec"), scope)  # the text is made of this package's own tables
    function: Callable[..., Any] = scope[name]
    return function


def _arguments(
    definition: ast.FunctionDef, call: Callable[..., Any], renamed: dict[str, str], ignored: Sequence[str]
) -> dict[str, str]:
    """Returns for each argument of today's function the expression of parameters of TensorFlow 1 that gives it."""
    parameters = [argument.arg for argument in definition.args.args]
    of_today = inspect.signature(call).parameters
    expressions = {}
    for parameter in parameters:
        new = renamed.get(parameter, parameter)
        if parameter in renamed and new in parameters:
            default = of_today[new].default
            otherwise = "" if default in (None, inspect.Parameter.empty) else f", {default!r}"
            expressions[new] = f"one_of({parameter!r}, {parameter}, {new!r}, {new}{otherwise})"
        elif parameter not in ignored and parameter not in renamed.values():
            expressions[new] = parameter
    return expressions


def _documentation(call: Callable[..., Any], example: str, renamed: dict[str, str], ignored: Sequence[str]) -> str:
    """Returns the documentation: an example, what is old, and what the function of today says of its arguments."""
    today = public_name(call) or call.__name__
    lines = [f"Calls `tf.{today}` with the arguments of TensorFlow 1.", "", *inspect.cleandoc(example).split("\n"), ""]
    if renamed:
        lines.append(_old_names(renamed))
    if ignored:
        lines.append("Without effect: " + ", ".join(f"`{parameter}`" for parameter in ignored) + ".")
    _, mark, arguments = (inspect.getdoc(call) or "").partition("\nArgs:")
    return "\n".join(
        [*lines, f"The arguments of `tf.{today}`:", "", "Args:", *arguments.split("\n")[1:]] if mark else lines
    )


def _old_names(renamed: dict[str, str]) -> str:
    return "Old names: " + ", ".join(f"`{old}` is `{new}`" for old, new in renamed.items()) + "."
