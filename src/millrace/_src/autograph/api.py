"""`tf.autograph`: converting functions, looking at converted code, leaving functions alone."""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import os
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.autograph.operators import builtin_reductions, builtins_over_tensors, calls
from millrace._src.autograph.operators.printing import printing_values
from millrace._src.autograph.operators.refusals import refusing_as_tensorflow
from millrace._src.autograph.transform.conversion import UnsupportedError
from millrace._src.autograph.transform.source import NoSourceError
from millrace._src.util.export import export

_UNSET: Any = object()
_OWN_PACKAGE = "millrace"


class ConversionError(Exception):
    """A function that `to_graph` or `to_code` cannot convert."""


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """Optional features of TensorFlow's converter; the forms they turn on are always converted here.

    `BUILTIN_FUNCTIONS` (and `ALL`) makes `print` show the values of tensors, each time the program gets there.
    One is of Millrace: `TENSORFLOW_REFUSALS` refuses what TensorFlow refuses, for functions that must run on both.

    >>> @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.TENSORFLOW_REFUSALS)
    ... def f(x):
    ...     return 1 in x
    >>> f(tf.constant([1, 2]))
    Traceback (most recent call last):
    TypeError: argument of type 'SymbolicTensor' is not iterable. ...
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"
    TENSORFLOW_REFUSALS = "TENSORFLOW_REFUSALS"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features of TensorFlow's."""
        return tuple(feature for feature in cls if feature is not cls.TENSORFLOW_REFUSALS)

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """All features but one or some."""
        excluded = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(feature for feature in cls.all() if feature not in (*excluded, cls.ALL))


@contextlib.contextmanager
def tracing_with(options: Any) -> Iterator[None]:
    """While a function with these `experimental_autograph_options` is traced: what they ask for."""
    given = options if isinstance(options, (tuple, list, set, frozenset)) else (options,)
    prints = Feature.BUILTIN_FUNCTIONS in given or Feature.ALL in given
    with refusing_as_tensorflow(Feature.TENSORFLOW_REFUSALS in given), printing_values(prints):
        yield


def for_tracing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that `tf.function` traces in place of the user's.

    A function that cannot be converted is traced as it is; why, was said in a warning.
    """
    if isinstance(function, types.FunctionType) and not _is_excluded(function):
        conversion = calls.conversions.conversion_of(function)
        return function if conversion is None else calls.instantiate(conversion, function)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        converted = for_tracing(function.__func__)
        return function if converted is function.__func__ else types.MethodType(converted, function.__self__)
    if isinstance(function, functools.partial):
        inner = for_tracing(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    replacement: Callable[..., Any] = calls.callee(function)
    return replacement


def _is_excluded(function: types.FunctionType) -> bool:
    """Whether the user, or we, said that a function is not to be converted, or it is converted already."""
    if calls.conversions.is_converted(function.__code__) or calls.is_excluded(function):
        return True
    return (function.__module__ or "").partition(".")[0] == _OWN_PACKAGE


@export("autograph.to_graph")
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Converts a function; the result does the same, with control flow over tensors in the graph.

    >>> def f(x):
    ...     if x > 0:
    ...         return x
    ...     return -x
    >>> tf.function(tf.autograph.to_graph(f), autograph=False)(tf.constant(-3)).numpy()
    np.int32(3)

    Args:
      entity: A Python function or bound method.
      recursive: Whether functions that it calls are converted too; they always are.
      experimental_optional_features: A `Feature` or several; all are always on.

    Returns: A function; that of a bound method takes the instance as its first argument.
    Raises: ConversionError: if `entity` has no Python code, or no source, or cannot be converted.
    """
    function = _python_function(entity)
    conversion = _conversion(entity, function)
    converted = calls.instantiate(conversion, function)
    converted.__name__ = f"tf__{function.__name__}".replace("<lambda>", "lambda_")
    return converted


@export("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source of a function after conversion, in its compact form.

    Only code that depends on a tensor runs like this; around it the function runs as it was written, and changes over
    where a tensor refuses to be a Python truth value or iterator.

    Args and errors: As for `tf.autograph.to_graph`.
    Returns: Python source.
    """
    function = _python_function(entity)
    return ast.unparse(_conversion(entity, function).compact()) + "\n"


def _python_function(entity: Any) -> types.FunctionType:
    function = entity.__func__ if isinstance(entity, types.MethodType) else entity
    if not isinstance(function, types.FunctionType):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't expose a __code__ "
            "object. If this is a @tf.function, try passing f.python_function instead."
        )
    return function


def _conversion(entity: Any, function: types.FunctionType) -> Any:
    try:
        return calls.conversions.make(function)
    except NoSourceError as error:
        raise ConversionError(
            f"converting {entity}: InaccessibleSourceCodeError: Unable to locate the source code of {entity}. Note "
            "that functions defined in certain environments, like the interactive Python shell, do not expose their "
            "source code. If that is the case, you should define them in a .py source file. If you are certain the "
            "code is graph-compatible, wrap the call using @tf.autograph.experimental.do_not_convert. Original error: "
            f"{error}"
        ) from None
    except (UnsupportedError, SyntaxError) as error:
        raise ConversionError(f"converting {entity}: {error}") from None


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Any = None) -> Any:
    """Leaves a function, and what it calls, as it is.

    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return x if isinstance(x, int) else 0

    Args: func: A function or method; without it, the decorator itself is returned.
    Returns: A function that calls `func` without conversion.
    """
    if func is None:
        return do_not_convert

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    if hasattr(func, "__name__"):
        functools.update_wrapper(wrapper, func)
    calls.exclude(wrapper)
    return wrapper


@export("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = _UNSET,
    swap_memory: Any = _UNSET,
    maximum_iterations: Any = _UNSET,
    shape_invariants: Any = _UNSET,
) -> None:
    """Says how the loop around is to be built; must be the first statement in the loop's body.

    Only loops that depend on a tensor heed it.

    Args:
      parallel_iterations: As for `tf.while_loop`.
      swap_memory: As for `tf.while_loop`.
      maximum_iterations: A bound on the number of iterations.
      shape_invariants: Pairs of a variable of the loop and the static shape that holds in every iteration.
    """


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is logged about conversions: 0 only warnings, from 1 on what is converted.

    Args:
      level: The level; the environment variable AUTOGRAPH_VERBOSITY gives the first one.
      alsologtostdout: Whether to print what is logged, too.
    """
    calls.verbosity.level = int(level) if isinstance(level, (int, float)) else level
    calls.verbosity.prints = alsologtostdout


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Prints its arguments while a function is traced.

    >>> tf.autograph.trace("tracing", 1)
    tracing 1
    """
    print(*args)  # noqa: T201  # what the function is for


def _level_from_environment() -> int:
    text = os.environ.get("AUTOGRAPH_VERBOSITY", "0")
    return int(text) if text.lstrip("-").isdigit() else 0


calls.verbosity.level = _level_from_environment()
REPLACED_BUILTINS = (builtins_over_tensors, builtin_reductions)
"""The modules whose functions stand for builtins in converted code; loading them makes them known."""

__all__ = ["ConversionError", "Feature", "do_not_convert", "for_tracing", "to_code", "to_graph", "trace"]
