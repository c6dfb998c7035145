"""`tf.autograph`: converting functions, looking at converted code, leaving functions alone.

Conversion itself is `autograph/transform`; the functions that converted code calls are `autograph/operators`. Here are
the public functions, and `for_tracing`, through which `tf.function` gets a converted function.
"""

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
from millrace._src.autograph.operators.tensorflow_refusals import refusing_as_tensorflow
from millrace._src.autograph.transform.function_conversion import UnsupportedError
from millrace._src.autograph.transform.source import NoSourceError
from millrace._src.util.export import export

_UNSET: Any = object()
_OWN_PACKAGE = "millrace"


class ConversionError(Exception):
    """A function that `to_graph` or `to_code` cannot convert."""


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """Optional features of TensorFlow's converter; the forms that the features turn on are always converted here.

    `BUILTIN_FUNCTIONS` (and `ALL`) makes `print` show the values of tensors, each time the program gets there.
    `TENSORFLOW_REFUSALS` is Millrace's own: with this feature a function refuses what TensorFlow refuses, for programs
    that must run on both.

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
        """Returns all features of TensorFlow's.

        >>> tf.autograph.experimental.Feature.TENSORFLOW_REFUSALS in tf.autograph.experimental.Feature.all()
        False
        """
        return tuple(feature for feature in cls if feature is not cls.TENSORFLOW_REFUSALS)

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """Returns all features of TensorFlow's but one or some.

        >>> Feature = tf.autograph.experimental.Feature
        >>> Feature.LISTS in Feature.all_but(Feature.LISTS)
        False

        Args: exclude: A `Feature` or a sequence of features; `ALL` is always left out.
        Returns: A tuple of features.
        """
        excluded = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(feature for feature in cls.all() if feature not in (*excluded, cls.ALL))


@contextlib.contextmanager
def tracing_with(options: object) -> Iterator[None]:
    """Applies the `experimental_autograph_options` of a function while the function is traced in the `with` block."""
    features = options if isinstance(options, (tuple, list, set, frozenset)) else (options,)
    prints = Feature.BUILTIN_FUNCTIONS in features or Feature.ALL in features
    with refusing_as_tensorflow(Feature.TENSORFLOW_REFUSALS in features), printing_values(prints):
        yield


def for_tracing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that `tf.function` traces instead of the user's.

    A function that cannot be converted is traced unchanged; a warning has said why.
    """
    if isinstance(function, types.FunctionType) and not _is_excluded(function):
        conversion = calls.conversions.conversion_of(function)
        return function if conversion is None else calls.instantiate(conversion, function)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        converted = for_tracing(function.__func__)
        return function if converted is function.__func__ else types.MethodType(converted, function.__self__)
    if isinstance(function, functools.partial):
        wrapped = for_tracing(function.func)
        return function if wrapped is function.func else functools.partial(wrapped, *function.args, **function.keywords)
    replacement: Callable[..., Any] = calls.callee(function)
    return replacement


def _is_excluded(function: types.FunctionType) -> bool:
    """Returns whether a function is not to be converted: it is converted already, excluded, or Millrace's own."""
    if calls.conversions.is_converted(function.__code__) or calls.is_excluded(function):
        return True
    return (function.__module__ or "").partition(".")[0] == _OWN_PACKAGE


@export("autograph.to_graph")
def to_graph(entity: object, recursive: bool = True, experimental_optional_features: object = None) -> Any:
    """Converts a function; the result does the same, with control flow over tensors in the graph.

    >>> def f(x):
    ...     if x > 0:
    ...         return x
    ...     return -x
    >>> tf.function(tf.autograph.to_graph(f), autograph=False)(tf.constant(-3)).numpy()
    np.int32(3)

    Args:
      entity: A Python function or bound method.
      recursive: Whether functions that `entity` calls are converted too; such functions are always converted.
      experimental_optional_features: A `Feature` or several; all are always on.

    Returns: A function; a function made from a bound method takes the instance as its first argument.
    Raises: ConversionError: if `entity` has no Python code, or no source, or cannot be converted.
    """
    function = _python_function(entity)
    conversion = _conversion(entity, function)
    new = calls.instantiate(conversion, function)
    new.__name__ = f"tf__{function.__name__}".replace("<lambda>", "lambda_")
    return new


@export("autograph.to_code")
def to_code(entity: object, recursive: bool = True, experimental_optional_features: object = None) -> str:
    """Returns the source of a function after conversion, in its compact form.

    Only code that depends on a tensor runs in this form. Around such code the function runs as it was written, and
    changes over where a tensor refuses to be a Python truth value or iterator.

    >>> def f(x):
    ...     return not x
    >>> print(tf.autograph.to_code(f))
    def tf__f(x):
        ...

    Args:
      entity: A Python function or bound method.
      recursive: As for `tf.autograph.to_graph`.
      experimental_optional_features: As for `tf.autograph.to_graph`.

    Returns: Python source.
    Raises: ConversionError: if `entity` has no Python code, or no source, or cannot be converted.
    """
    function = _python_function(entity)
    return ast.unparse(_conversion(entity, function).compact()) + "\n"


def _python_function(entity: object) -> types.FunctionType:
    function = entity.__func__ if isinstance(entity, types.MethodType) else entity
    if not isinstance(function, types.FunctionType):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't expose a __code__ "
            "object. If this is a @tf.function, try passing f.python_function instead."
        )
    return function


def _conversion(entity: object, function: types.FunctionType) -> Any:
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
    """Leaves a function, and the functions that it calls, unconverted.

    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return x if isinstance(x, int) else 0

    Args: func: A function or method; without `func`, the decorator itself is returned.
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
    parallel_iterations: object = _UNSET,
    swap_memory: object = _UNSET,
    maximum_iterations: object = _UNSET,
    shape_invariants: object = _UNSET,
) -> None:
    """Says how the loop around the call is to be built; must be the first statement in the loop's body.

    Only loops that depend on a tensor heed the options.

    >>> @tf.function
    ... def doubled_until(x, limit):
    ...     while tf.size(x) < limit:
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> doubled_until(tf.constant([1, 2]), 5).numpy()
    array([1, 2, 1, 2, 1, 2, 1, 2], dtype=int32)

    Args:
      parallel_iterations: As for `tf.while_loop`.
      swap_memory: As for `tf.while_loop`.
      maximum_iterations: A bound on the number of iterations.
      shape_invariants: Pairs of a variable of the loop and the static shape that holds in every iteration.

    Raises: ValueError: if the call is not the first statement of its loop.
    """


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is logged about conversions: 0 only warnings, from 1 on what is converted.

    >>> tf.autograph.set_verbosity(0)

    Args:
      level: The level; the environment variable AUTOGRAPH_VERBOSITY gives the first one.
      alsologtostdout: Whether to print what is logged, too.
    """
    calls.verbosity.level = int(level) if isinstance(level, (int, float)) else level
    calls.verbosity.prints = alsologtostdout


@export("autograph.trace")
def trace(*args: object) -> None:
    """Prints its arguments while a function is traced, not when the graph runs.

    >>> tf.autograph.trace("tracing", 1)
    tracing 1
    """
    print(*args)  # noqa: T201  # what the function is for


def _level_from_environment() -> int:
    text = os.environ.get("AUTOGRAPH_VERBOSITY", "0")
    return int(text) if text.lstrip("-").isdigit() else 0


calls.verbosity.level = _level_from_environment()
REPLACED_BUILTINS = (builtins_over_tensors, builtin_reductions)
"""The modules whose functions represent builtins in converted code; importing the modules registers the functions."""

__all__ = ["ConversionError", "Feature", "do_not_convert", "for_tracing", "to_code", "to_graph", "trace"]
