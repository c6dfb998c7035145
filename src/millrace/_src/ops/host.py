"""Python functions as ops: `tf.py_function`, `tf.numpy_function`.

A graph cannot hold a Python function, so the op holds a token that names the function. Here the token is a `str` that
also carries the function. Whoever keeps the operation (a graph, a tape, a copy of the body) keeps the function, and
nobody else does.

`py_function` passes eager tensors and is differentiable. A tape records the function while the function runs, and waits
beside the op's first output until somebody asks for the gradient.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import graph_scope, state, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, from_np, runtime_name
from millrace._src.core.op_def import Effects, OpFunction, op
from millrace._src.core.resources import is_variable
from millrace._src.core.sequences import utf8_bytes
from millrace._src.core.source_trace import is_internal
from millrace._src.core.tensor import EagerTensor
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


def _function_of(token: str) -> Callable[..., Any]:
    holder = getattr(token, "holder", None) or _functions.get(str(token))
    if holder is None:
        raise errors.InternalError(
            None, None, f"Failed to run py callback {token}: see error log. Its Python function is not in this process."
        )
    function: Callable[..., Any] = holder.function
    return function


# --- what the user's function raises and returns ---------------------------------------------------------------------


def _call(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Calls the user's function as if from eager code; exceptions of the function become errors of `tf.errors`."""
    try:
        with graph_scope(None), tapes_scope(()):
            return function(*arguments)
    except Exception as error:
        raise _translated(error) from None


def _translated(error: Exception) -> errors.OpError:
    """Returns the error that TensorFlow's runtime reports for an exception of Python code."""
    kind: Any = errors.UnknownError
    for types, error_class in _ERROR_CLASSES:
        if isinstance(error, types):
            kind = error_class
            break
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not is_internal(f.filename)]
    places = "".join(f"\n{text}" for text in traceback.format_list(frames))
    text = f"{type(error).__name__}: {error}"
    translated_error: errors.OpError = kind(
        None, None, f"{text}\nTraceback (most recent call last):\n{places}\n{text}\n\n"
    )
    return translated_error


_ERROR_CLASSES: tuple[tuple[tuple[type[Exception], ...], Any], ...] = (
    ((ValueError, TypeError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
    ((NotImplementedError,), errors.UnimplementedError),
)


def _check_count(token: str, found: int, expected: int) -> None:
    if found != expected:
        raise errors.InvalidArgumentError(
            None, None, f"{token} returns {found} values, but expects to see {expected} values."
        )


# --- ops -------------------------------------------------------------------------------------------------------------


@op(
    "EagerPyFunc",
    "input: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    effects=Effects.IO,
    host_only=True,
    cacheable=False,
)
def eager_py_func(
    xp: Xp, input: list[Array], *, token: str, Tin: list[DType], Tout: list[DType], is_async: bool = False
) -> list[Array]:
    """Calls a Python function of eager tensors."""
    function = _function_of(token)
    arguments = [EagerTensor(array, dtype) for array, dtype in zip(input, Tin, strict=True)]
    differentiable_arguments = [t for t in arguments if _is_differentiable(t.dtype)]
    if not differentiable_arguments or not any(_is_differentiable(t) for t in Tout):
        outputs = _call(lambda *tensors: _eager_outputs(function(*tensors), list(Tout)), arguments)
        _check_count(token, len(outputs), len(Tout))
        return [t._value for t in outputs]
    tape = _new_tape()
    outputs = _call(lambda *tensors: _taped_outputs(function, tensors, Tout, tape), arguments)
    _check_count(token, len(outputs), len(Tout))
    arrays = [t._value.view() for t in outputs]
    _taped.keep(arrays[0], (tape, arguments, outputs))
    return arrays


def _eager_outputs(result: Any, dtypes: Sequence[DType]) -> list[EagerTensor]:
    """Returns the results of the function as eager tensors of the promised dtypes."""
    if isinstance(result, (list, tuple)):
        return [_eager_output(r, t) for r, t in zip(result, dtypes, strict=False)]
    return [] if result is None else [_eager_output(result, dtypes[0])]


def _eager_output(value: Any, dtype: DType) -> EagerTensor:
    if is_variable(value):
        raise RuntimeError(
            "Attempting to return a variable from an eagerly executed py_func. Only numeric data structures like "
            "Tensors or NumPy arrays should be returned; to return the value of a variable, make sure to obtain the "
            f"Tensor backing it by calling `.read_value()` on the variable in question: {value}"
        )
    tensor: EagerTensor = convert_to_tensor(0.0 if value is None else value, dtype=dtype)
    return tensor


def _taped_outputs(
    function: Callable[..., Any], arguments: Sequence[EagerTensor], dtypes: Sequence[DType], tape: Any
) -> list[EagerTensor]:
    with tape:
        for tensor in arguments:
            if _is_differentiable(tensor.dtype):
                tape.watch(tensor)
        return _eager_outputs(function(*arguments), dtypes)


def _is_differentiable(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def _new_tape() -> Any:
    """Makes a `tf.GradientTape`, found by name because `tf.GradientTape` lives above this layer."""
    return importlib.import_module("millrace._src.autodiff.gradient_tape").GradientTape(persistent=True)


class _TapeStore:
    """Tapes by the array that the taped function returned first; each tape lives as long as that array."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}

    def keep(self, array: Array, taped: Any) -> None:
        number = id(array)
        self._kept[number] = (weakref.ref(array, lambda _: self._kept.pop(number, None)), taped)

    def find(self, array: Array) -> Any:
        reference, taped_call = self._kept.get(id(array), (None, None))
        return taped_call if reference is not None and reference() is array else None


_taped = _TapeStore()


@eager_py_func.gradient
def eager_py_func_gradient(
    doutput: list[Any], input: list[Any], output: list[Any], token: str, Tin: Sequence[DType], Tout: Sequence[DType]
) -> list[Any]:
    """Calls Python once more: asks the tape that recorded the function, or records the function anew.

    The gradient of such a call records both functions anew, because the first tape knows only its own arguments.
    """
    given_outputs = [i for i, gradient in enumerate(doutput) if gradient is not None]
    wanted_inputs = [i for i, dtype in enumerate(Tin) if _is_differentiable(dtype)]
    function = _function_of(token)
    again = getattr(function, "func", None) is _backward
    if again:
        function = functools.partial(function, again=True)
    backward = functools.partial(_backward, function, tuple(Tout), given_outputs, wanted_inputs, len(Tin), again=again)
    found_gradients = _host_call(
        eager_py_func,
        backward,
        [*(doutput[i] for i in given_outputs), *input, output[0]],
        [Tin[i] for i in wanted_inputs],
        None,
    )
    gradients: list[Any] = [None] * len(Tin)
    for i, gradient in zip(wanted_inputs, found_gradients, strict=True):
        gradients[i] = gradient
    return [gradients]


def _backward(
    function: Callable[..., Any],
    dtypes: Sequence[DType],
    given: Sequence[int],
    wanted: Sequence[int],
    input_count: int,
    *arguments: EagerTensor,
    again: bool,
) -> list[EagerTensor]:
    """Computes the gradients of the wanted inputs from the output gradients that are given."""
    weights = arguments[: len(given)]
    inputs = arguments[len(given) : len(given) + input_count]
    taped_call = None if again else _taped.find(arguments[-1]._value)
    if taped_call is None:  # `again`, or the output went through another array: run the function again
        tape = _new_tape()
        taped_call = tape, inputs, _taped_outputs(function, inputs, dtypes, tape)
    tape, taped_arguments, outputs = taped_call
    sources = [taped_arguments[i] for i in wanted]
    found_gradients = tape.gradient([outputs[i] for i in given], sources, output_gradients=list(weights))
    return [
        EagerTensor(np.zeros_like(s._value), s.dtype) if g is None else convert_to_tensor(g)
        for g, s in zip(found_gradients, sources, strict=True)
    ]


def _numpy_kernel(input: Sequence[Array], token: str, dtypes: Sequence[DType]) -> list[Array]:
    arguments = [array.copy() if array.ndim else array[()] for array in input]
    result = _call(_function_of(token), arguments)
    values = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
    arrays = [_numpy_output(value) for value in values]
    _check_count(token, len(arrays), len(dtypes))
    for index, (array, dtype) in enumerate(zip(arrays, dtypes, strict=True)):
        actual = from_np(array.dtype)
        if actual.np_dtype != dtype.np_dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{index}-th value returned by {token} is {runtime_name(actual)}, but expects {runtime_name(dtype)}",
            )
    return arrays


def _numpy_output(value: Any) -> Array:
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
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    host_only=True,
    cacheable=False,
    not_differentiable="it computes with NumPy, which no tape records",
)
def py_func_stateless_op(xp: Xp, input: list[Array], *, token: str, Tout: list[DType]) -> list[Array]:
    """Calls a Python function of NumPy arrays whose result depends only on the arguments."""
    return _numpy_kernel(input, token, Tout)


def _host_call(
    host_op: OpFunction, function: Callable[..., Any], inputs: Sequence[Any], dtypes: Sequence[DType], name: str | None
) -> Any:
    """Calls a host op; returns a list of tensors, or the operation of an op without outputs in a graph."""
    return host_op(list(inputs), name=name, token=_token(function), Tout=tuple(dtypes))


# --- public functions ------------------------------------------------------------------------------------------------


@export("py_function")
def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Calls a Python function of tensors as an op that is differentiable and runs eagerly, also inside a graph.

    >>> @tf.function
    ... def double(x):
    ...     return tf.py_function(lambda v: v * 2 if v > 0 else v, [x], tf.float32)
    >>> double(tf.constant(3.0)).numpy()
    np.float32(6.0)

    Args:
      func: a function of as many eager tensors as `inp` has; None makes a decorator: `@tf.py_function(Tout=...)`.
      inp: the list of arguments, converted to tensors.
      Tout: the dtype of the result, or a list of dtypes; [] if nothing is returned.
      name: name of the operation in a graph.

    Returns: A Tensor, or a list of Tensors if `Tout` is a list; the static shape is unknown in a graph.
    Raises:
      tf.errors.InvalidArgumentError: if the function raises ValueError or TypeError, or returns too few values.
      tf.errors.UnknownError: if the function raises another exception.
    """
    if func is None or inp is None or Tout is None:
        return _decorator(py_function, func, inp, Tout, {"name": name})
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    dtypes = _dtypes(Tout)
    result = _host_call(eager_py_func, func, list(inp), dtypes, name)
    return result if isinstance(Tout, (list, tuple)) or not dtypes else result[0]


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
        return _decorator(numpy_function, func, inp, Tout, {"stateful": stateful, "name": name})
    return py_func(func, inp, Tout, stateful, name)


@export(v1=["py_func"])
def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
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
    dtypes = _dtypes(Tout)
    result = _host_call(py_func_op if stateful else py_func_stateless_op, func, list(inp), dtypes, name)
    return result if isinstance(Tout, (list, tuple)) or not dtypes else result[0]


def _numpy_eagerly(function: Callable[..., Any], inputs: Any) -> Any:
    """Calls the function at once and converts the results, in eager mode."""
    flat_results = nest.flatten(function(*[np.array(value) for value in inputs]))
    tensors = [None if value is None else convert_to_tensor(value) for value in flat_results]
    return tensors[0] if len(tensors) == 1 else tensors


def _dtypes(wanted: Any) -> list[DType]:
    """Returns `Tout` as a flat list of dtypes; specs stand for their dtypes."""
    items = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    return [item.dtype if isinstance(getattr(item, "dtype", None), DType) else as_dtype(item) for item in items]


def _decorator(call: Callable[..., Any], func: Any, inp: Any, Tout: Any, options: dict[str, Any]) -> Any:
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
        def wrapper(*args: Any) -> Any:
            return call(function, list(args), Tout, **options)

        return wrapper

    return decorate
