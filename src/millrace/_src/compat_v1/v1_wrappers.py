"""Functions of TensorFlow 1 that differ from those of today in their arguments alone.

Problem: `tf.compat.v1.nn.conv3d(input, filter=...)` is `tf.nn.conv3d(input, filters=...)`: another order, old names
beside the new ones, arguments that no longer mean anything. Dozens of functions differ so, and bodies written by hand
would say the same thing dozens of times.

Idea: a *v1 wrapper* is a row of a table: the function of today, TensorFlow 1's parameters as they stand in a `def`, and
which old name means which new one. `v1_wrapper` generates the function: plain Python, with these parameters as its
signature and the translation as its body, so that a call costs one call more and no table is read.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core import dtypes
from millrace._src.util.export import name_publicly, public_name
from millrace._src.util.old_arguments import one_of


def v1_wrapper(
    name: str,
    call: Callable[..., Any],
    parameters: str,
    example: str,
    *,
    renamed: Mapping[str, str] | None = None,
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
      renamed: The new name of each old parameter. Both may be parameters; then only one of them may be given.
      ignored: Parameters that have no effect.
      fixed: Arguments of `call` that TensorFlow 1 does not let one choose.
      names: What the defaults in `parameters` name, besides `dtypes`.

    Returns: A function with these parameters.
    """
    tree = ast.parse(f"def {name.rpartition('.')[2]}({parameters}): pass")
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    old_names, settings = dict(renamed or {}), dict(fixed or {})
    scope: dict[str, Any] = {"call": call, "one_of": one_of, "fixed": settings, "dtypes": dtypes, **(names or {})}
    source = _source(definition, old_names, ignored, settings)
    exec(compile(source, f"<tf.compat.v1.{name}>", "exec"), scope)  # the text is made of this package's own tables
    function: Callable[..., Any] = scope[definition.name]
    function.__doc__ = _documentation(call, example, old_names, ignored)
    name_publicly(function, f"compat.v1.{name}")
    return function


def _source(definition: ast.FunctionDef, renamed: dict[str, str], ignored: Sequence[str], fixed: dict[str, Any]) -> str:
    """Returns the text of a function of TensorFlow 1."""
    parameters = [argument.arg for argument in definition.args.args]
    passed = [f"{argument}=fixed[{argument!r}]" for argument in fixed]
    for parameter in parameters:
        new = renamed.get(parameter, parameter)
        if parameter in renamed and new in parameters:
            passed.append(f"{new}=one_of({parameter!r}, {parameter}, {new!r}, {new})")
        elif parameter not in ignored and parameter not in renamed.values():
            passed.append(f"{new}={parameter}")
    return f"def {definition.name}({ast.unparse(definition.args)}):\n    return call({', '.join(passed)})\n"


def _documentation(call: Callable[..., Any], example: str, renamed: dict[str, str], ignored: Sequence[str]) -> str:
    """Returns the documentation: an example, what is old, and what the function of today says of its arguments."""
    today = public_name(call) or call.__name__
    lines = [f"Calls `tf.{today}` with the arguments of TensorFlow 1.", "", *inspect.cleandoc(example).split("\n"), ""]
    if renamed:
        lines.append("Old names: " + ", ".join(f"`{old}` is `{new}`" for old, new in renamed.items()) + ".")
    if ignored:
        lines.append("Without effect: " + ", ".join(f"`{parameter}`" for parameter in ignored) + ".")
    _, mark, arguments = (inspect.getdoc(call) or "").partition("\nArgs:")
    return "\n".join(
        [*lines, f"The arguments of `tf.{today}`:", "", "Args:", *arguments.split("\n")[1:]] if mark else lines
    )
