"""Going on in the compact form from the middle of a function.

A tensor of a graph refuses to be a Python truth value or iterator. The error names the statement, called a site, where
the graph has to take over. The rest of the function from there on is a function of its own.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from millrace._src.autograph.operators.staged_values import is_symbolic, is_tensor, staged_iterable
from millrace._src.autograph.operators.undefined_variables import Undefined
from millrace._src.core.context import state
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.core.tensor import Tensor


def iterate(value: Any) -> Any:
    """Returns the iterator of what a `for` runs over.

    Raises: OperatorNotAllowedInGraphError: if the graph has to run the loop.
    """
    if staged_iterable[value.__class__] and (state.graph is not None or is_symbolic(value)):
        raise OperatorNotAllowedInGraphError("Iterating over a symbolic `tf.Tensor` is not allowed.", tensor=value)
    return iter(value)


def site_of(conversion: Any, numbers: tuple[int, ...], error: Any, variables: Mapping[str, Any]) -> int:
    """Returns the number of the site at which a tensor refused to be a Python value.

    Args:
      conversion: The converted function; a `Converted`.
      numbers: The sites of the function's frame.
      error: The error that was raised.
      variables: The local variables of the frame.

    Raises: The error, if it comes from somewhere else.
    """
    for number in numbers:
        value = variables.get(conversion.code.sites[number].value)
        if value is not None and (value is error.tensor or is_tensor(value) and not isinstance(value, Tensor)):
            return number  # the second case is a variable: the tensor read from the variable refuses
    raise error


def resume(conversion: Any, number: int, variables: Mapping[str, Any], cells: Callable[[], Any]) -> Any:
    """Runs the rest of a function from a site on, and returns what the function returns.

    Args:
      conversion: The converted function; a `Converted`.
      number: The number of the site.
      variables: The local variables at the site.
      cells: A function whose closure holds the variables that nested functions share.
    """
    continuation = conversion.code.continuation(number)
    cells_by_name = dict(zip(cells.__code__.co_freevars, cells.__closure__ or ()))
    cells_by_name |= conversion.cells
    closure = tuple([cells_by_name[name] for name in continuation.code.co_freevars])
    function = types.FunctionType(continuation.code, conversion.globals, closure=closure)
    arguments = [variables[name] if name in variables else Undefined(name) for name in continuation.parameters]
    return function(variables[conversion.code.sites[number].value], *arguments)
