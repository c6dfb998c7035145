"""Going on in the compact form from the middle of a function."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from millrace._src.autograph.operators.variables import Undefined


def resume(conversion: Any, number: int, value: Any, variables: Mapping[str, Any], cells: Callable[[], Any]) -> Any:
    """Runs the rest of a function from a site on, and returns what the function returns.

    Args:
      conversion: The converted function; a `Converted`.
      number: The site.
      value: The value that decided: a condition, or something to iterate over.
      variables: The local variables at the site.
      cells: A function whose closure holds the variables that nested functions share.
    """
    continuation = conversion.code.continuation(number)
    given = dict(zip(cells.__code__.co_freevars, cells.__closure__ or ()))  # type: ignore[attr-defined]  # a lambda
    given |= conversion.cells
    closure = tuple([given[name] for name in continuation.code.co_freevars])
    function = types.FunctionType(continuation.code, conversion.globals, closure=closure)
    arguments = [variables[name] if name in variables else Undefined(name) for name in continuation.parameters]
    return function(value, *arguments)
