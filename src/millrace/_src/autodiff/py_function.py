"""`tf.py_function`: a Python function of eager tensors as an op, differentiable.

While the function runs, a tape records the function. The tape is stored under the op's first output until the gradient
asks for the tape. `ops/host.py` says how a graph holds a Python function.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.autodiff.gradient_tape import GradientTapeBase
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import EagerTensor
from millrace._src.ops.host import call_python, check_count, decorator_form, dtypes_of, function_of, host_call
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util.export import export


@op(
    "EagerPyFunc",
    "input: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    effects=Effects.IO,
    calls_python=True,
    host_only=True,
    cacheable=False,
)
def eager_py_func(
    xp: Xp, input: list[Array], *, token: str, Tin: list[DType], Tout: list[DType], is_async: bool = False
) -> list[Array]:
    """Calls a Python function of eager tensors."""
    function = function_of(token)
    arguments = [EagerTensor(array, dtype) for array, dtype in zip(input, Tin, strict=True)]
    differentiable_arguments = [t for t in arguments if _is_differentiable(t.dtype)]
    if not differentiable_arguments or not any(_is_differentiable(t) for t in Tout):
        outputs = call_python(lambda *tensors: _eager_outputs(function(*tensors), list(Tout)), arguments)
        check_count(token, len(outputs), len(Tout))
        return [t._value for t in outputs]
    tape = GradientTapeBase(persistent=True)
    outputs = call_python(lambda *tensors: _taped_outputs(function, tensors, Tout, tape), arguments)
    check_count(token, len(outputs), len(Tout))
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
    """Calls Python again for the gradients: asks the tape that recorded the function, or records the function anew.

    The gradient of such a call records both functions anew, because the first tape knows only its own arguments.
    """
    given_outputs = [i for i, gradient in enumerate(doutput) if gradient is not None]
    wanted_inputs = [i for i, dtype in enumerate(Tin) if _is_differentiable(dtype)]
    function = function_of(token)
    again = getattr(function, "func", None) is _backward
    if again:
        function = functools.partial(function, again=True)
    backward = functools.partial(_backward, function, tuple(Tout), given_outputs, wanted_inputs, len(Tin), again=again)
    found_gradients = host_call(
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
        tape = GradientTapeBase(persistent=True)
        taped_call = tape, inputs, _taped_outputs(function, inputs, dtypes, tape)
    tape, taped_arguments, outputs = taped_call
    sources = [taped_arguments[i] for i in wanted]
    found_gradients = tape.gradient([outputs[i] for i in given], sources, output_gradients=list(weights))
    return [
        EagerTensor(np.zeros_like(s._value), s.dtype) if g is None else convert_to_tensor(g)
        for g, s in zip(found_gradients, sources, strict=True)
    ]


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
        return decorator_form(py_function, func, inp, Tout, {"name": name})
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    dtypes = dtypes_of(Tout)
    result = host_call(eager_py_func, func, list(inp), dtypes, name)
    return result if isinstance(Tout, (list, tuple)) or not dtypes else result[0]
