"""Python functions as ops: `tf.numpy_function`, and what `tf.py_function` shares with it.

A graph cannot hold a Python function, so the op holds a token that names the function. Here the token is a `str` that
also carries the function. What keeps the operation (a graph, a tape, a copy of the body) keeps the function, and
no other op does.

`tf.py_function`, which is differentiable, is in `py_function.py`.
"""

from __future__ import annotations

import functools
import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import graph_scope, state, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, from_np, runtime_name
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.sequences import utf8_bytes
from millrace._src.core.source_trace import is_internal
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util import nest
from millrace._src.util.export import export

_serial = itertools.count()
_functions: weakref.WeakValueDictionary[str, _Holder] = weakref.WeakValueDictionary()


class _Holder:
    """A Python function that weak references may point to."""

    __slots__ = ("function", "__weakref__")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


class _Token(str):
    """The name of a Python function in an op's attribute, which keeps the function alive."""

    __slots__ = ("holder",)
    holder: _Holder


def _token(function: Callable[..., Any]) -> _Token:
    token = _Token(f"pyfunc_{next(_serial)}")
    token.holder = _functions[str(token)] = _Holder(function)
    return token


def function_of(token: str) -> Callable[..., Any]:
    holder = getattr(token, "holder", None) or _functions.get(str(token))
    if holder is None:
        raise errors.InternalError(
            None, None, f"Failed to run py callback {token}: see error log. Its Python function is not in this process."
        )
    function: Callable[..., Any] = holder.function
    return function


# --- what the user's function raises and returns ---------------------------------------------------------------------


def call_python(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Calls the user's function as if from eager code; exceptions of the function become errors of `tf.errors`."""
    try:
        with graph_scope(None), tapes_scope(()):
            return function(*arguments)
    except Exception as error:
        raise _translate(error) from None


def _translate(error: Exception) -> errors.OpError:
    """Returns the error that TensorFlow's runtime reports for an exception of Python code."""
    kind: Any = errors.UnknownError
    for types, error_class in _ERROR_CLASSES:
        if isinstance(error, types):
            kind = error_class
            break
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not is_internal(f.filename)]
    source_lines = "".join(f"\n{text}" for text in traceback.format_list(frames))
    text = f"{type(error).__name__}: {error}"
    translated_error: errors.OpError = kind(
        None, None, f"{text}\nTraceback (most recent call last):\n{source_lines}\n{text}\n\n"
    )
    return translated_error


_ERROR_CLASSES: tuple[tuple[tuple[type[Exception], ...], Any], ...] = (
    ((ValueError, TypeError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
    ((NotImplementedError,), errors.UnimplementedError),
)


def check_count(token: str, found: int, expected: int) -> None:
    if found != expected:
        raise errors.InvalidArgumentError(
            None, None, f"{token} returns {found} values, but expects to see {expected} values."
        )


# --- ops -------------------------------------------------------------------------------------------------------------


def _numpy_kernel(input: Sequence[Array], token: str, dtypes: Sequence[DType]) -> list[Array]:
    arguments = [array.copy() if array.ndim else array[()] for array in input]
    result = call_python(function_of(token), arguments)
    values = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
    arrays = [_numpy_output(value) for value in values]
    check_count(token, len(arrays), len(dtypes))
    for index, (array, dtype) in enumerate(zip(arrays, dtypes, strict=True)):
        actual = from_np(array.dtype)
        if actual.np_dtype != dtype.np_dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{index}-th value returned by {token} is {runtime_name(actual)}, but expects {runtime_name(dtype)}",
            )
    return arrays


def _numpy_output(value: object) -> Array:
    """Returns a result of a NumPy function as an array of its own."""
    array = np.array(value, order="C")
    if array.dtype.kind not in "USO":
        return array
    texts = np.empty(array.size, dtype=object)
    for index, item in enumerate(array.reshape(-1).tolist()):
        if not isinstance(item, (str, bytes)):
            raise errors.InternalError(None, None, f"Unsupported object type {type(item).__name__}")
        texts[index] = utf8_bytes(item)
    return texts.reshape(array.shape)


@op(
    "PyFunc",
    "input: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    effects=Effects.IO,
    capabilities=Capability.RUNS_PYTHON,
    calls_python=True,
    host_only=True,
    cacheable=False,
    not_differentiable="it computes with NumPy, which no tape records",
)
def py_func_op(xp: Xp, input: list[Array], *, token: str, Tout: list[DType]) -> list[Array]:
    """Calls a Python function of NumPy arrays."""
    return _numpy_kernel(input, token, Tout)


@op(
    "PyFuncStateless",
    "input: Tin -> output: Tout",
    capabilities=Capability.RUNS_PYTHON,
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    host_only=True,
    cacheable=False,
    not_differentiable="it computes with NumPy, which no tape records",
)
def py_func_stateless_op(xp: Xp, input: list[Array], *, token: str, Tout: list[DType]) -> list[Array]:
    """Calls a Python function of NumPy arrays whose result depends only on the arguments."""
    return _numpy_kernel(input, token, Tout)


def host_call(
    host_op: OpFunction, function: Callable[..., Any], inputs: Sequence[Any], dtypes: Sequence[DType], name: str | None
) -> Any:
    """Calls a host op; returns a list of tensors, or the operation of an op without outputs in a graph."""
    return host_op(list(inputs), name=name, token=_token(function), Tout=tuple(dtypes))


# --- public functions ------------------------------------------------------------------------------------------------


@export("numpy_function")
def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True, name: str | None = None
) -> Any:
    """Calls a Python function of NumPy arrays as an op; no gradient flows through the call.

    >>> @tf.function
    ... def plus_one(x):
    ...     return tf.numpy_function(lambda a: a + a.dtype.type(1), [x], tf.float32)
    >>> plus_one(tf.constant([1.0, 2.0])).numpy()
    array([2., 3.], dtype=float32)

    Args:
      func: a function of as many NumPy arrays as `inp` has; None makes a decorator: `@tf.numpy_function(Tout=...)`.
      inp: the list of arguments.
      Tout: the dtype of the result, or a list of dtypes, in a graph; eager calls take what comes.
      stateful: whether the function does more than compute from the arguments; if not, equal calls may be merged.
      name: name of the operation in a graph.

    Returns: A Tensor or a list of Tensors; None in eager mode if the function returns None.
    Raises: tf.errors.InvalidArgumentError: in a graph, if the results are not as `Tout` says.
    """
    if func is None or inp is None or Tout is None:
        return decorator_form(numpy_function, func, inp, Tout, {"stateful": stateful, "name": name})
    return py_func(func, inp, Tout, stateful, name)


def py_func(func: Any, inp: Any, Tout: object, stateful: bool = True, name: str | None = None) -> Any:
    """Calls a Python function of NumPy arrays as an op: `tf.numpy_function` with TensorFlow 1's arguments.

    >>> tf.compat.v1.py_func(lambda a: a.sum(), [[1.5, 2.5]], tf.float64).numpy()
    np.float64(4.0)

    Args:
      func: a function of as many NumPy arrays as `inp` has.
      inp: the list of arguments.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: whether the function does more than compute from its arguments.
      name: name of the operation in a graph.

    Returns: A Tensor or a list of Tensors.
    """
    if state.graph is None:
        return _numpy_eagerly(func, inp)
    dtypes = dtypes_of(Tout)
    result = host_call(py_func_op if stateful else py_func_stateless_op, func, list(inp), dtypes, name)
    return result if isinstance(Tout, (list, tuple)) or not dtypes else result[0]


def _numpy_eagerly(function: Callable[..., Any], inputs: Any) -> Any:
    """Calls the function at once and converts the results, in eager mode."""
    flat_results = nest.flatten(function(*[np.array(value) for value in inputs]))
    tensors = [None if value is None else convert_to_tensor(value) for value in flat_results]
    return tensors[0] if len(tensors) == 1 else tensors


def dtypes_of(wanted: Any) -> list[DType]:
    """Returns `Tout` as a flat list of dtypes; specs represent their dtypes."""
    items = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    return [item.dtype if isinstance(getattr(item, "dtype", None), DType) else as_dtype(item) for item in items]


def decorator_form(
    call: Callable[..., Any], func: object, inp: object, Tout: DTypeLike, options: dict[str, Any]
) -> Any:
    """Returns the decorator form of a function; raises the error for missing arguments."""
    public = f"tf.{call.__name__}"
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'\n"
            f"  If using {public} as a decorator, set `Tout`\n"
            f"  **by name** above the function:\n  `@{public}(Tout=tout)`"
        )
    if func is not None:
        raise TypeError(
            "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n"
            f"  function), unless you use `{public}` as a decorator(`func=None`)."
        )
    if inp is not None:
        raise TypeError(f"Don't set the `inp` argument when using {public} as a decorator (`func=None`).")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: object) -> Any:
            return call(function, list(args), Tout, **options)

        return wrapper

    return decorate
