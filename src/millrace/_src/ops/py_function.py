"""`tf.py_function`: a Python function of eager tensors as an op, differentiable.

While the function runs, a tape, whose class stands above ops and is found by name, records the function. The tape is
stored under the op's first output until the gradient asks for the tape. `host.py` says how a graph holds a Python
function.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.composite_gradients import consists_of_parts
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.resources import is_variable
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.ops.host import call_python, check_count, decorator_form, dtypes_of, function_of, host_call
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util import nest
from millrace._src.util.export import export


@op(
    "EagerPyFunc",
    "input: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    effects=Effects.IO,
    capabilities=Capability.RUNS_PYTHON,
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
        return [t._eager_array for t in outputs]
    tape = find_late_bound("GradientTape")(persistent=True)
    outputs = call_python(lambda *tensors: _taped_outputs(function, tensors, Tout, tape), arguments)
    check_count(token, len(outputs), len(Tout))
    arrays = [t._eager_array.view() for t in outputs]
    _taped.keep(arrays[0], (tape, arguments, outputs))
    return arrays


def _eager_outputs(result: object, dtypes: Sequence[DType]) -> list[EagerTensor]:
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

    def keep(self, array: Array, taped: object) -> None:
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
    taped_call = None if again else _taped.find(arguments[-1]._eager_array)
    if taped_call is None:  # `again`, or the output went through another array: run the function again
        tape = find_late_bound("GradientTape")(persistent=True)
        taped_call = tape, inputs, _taped_outputs(function, inputs, dtypes, tape)
    tape, taped_arguments, outputs = taped_call
    sources = [taped_arguments[i] for i in wanted]
    found_gradients = tape.gradient([outputs[i] for i in given], sources, output_gradients=list(weights))
    return [
        EagerTensor(np.zeros_like(s._eager_array), s.dtype) if g is None else convert_to_tensor(g)
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
      func: a function of as many eager values as `inp` has; None makes a decorator: `@tf.py_function(Tout=...)`.
      inp: the list of arguments: composites, such as ragged tensors, and what converts to tensors.
      Tout: the dtype of the result, or a list of dtypes; [] if nothing is returned. A spec declares a composite.
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
    if any(map(nest.is_composite, inp)) or any(map(nest.is_composite, nest.flatten(Tout))):
        return _call_with_composites(func, list(inp), Tout, name)
    dtypes = dtypes_of(Tout)
    result = host_call(eager_py_func, func, list(inp), dtypes, name)
    return result if isinstance(Tout, (list, tuple)) or not dtypes else result[0]


def _call_with_composites(func: Callable[..., Any], inp: list[Any], wanted: Any, name: str | None) -> Any:
    """Calls a Python function whose arguments or results are composites, by the tensors of which these consist."""
    specs = [item if isinstance(item, TypeSpec) else TensorSpec(None, item) for item in nest.flatten(wanted)]
    arguments = [item if nest.is_composite(item) else convert_to_tensor(item) for item in inp]

    def run(*tensors: Any) -> list[Any]:
        values = nest.pack_sequence_as(arguments, list(tensors), expand_composites=True)
        return [tensor for spec, value in _match(func, specs, func(*values), wanted) for tensor in _flat(spec, value)]

    flat_specs = [tensor for spec in specs for tensor in spec.flatten()]
    inputs = nest.flatten(arguments, expand_composites=True)
    tensors = host_call(eager_py_func, run, inputs, [spec.dtype for spec in flat_specs], name)
    for tensor, spec in zip(tensors if flat_specs else (), flat_specs, strict=True):
        tensor.set_shape(spec.shape)
    remaining = iter(tensors if flat_specs else ())
    return nest.pack_sequence_as(wanted, [spec.from_tensors(remaining) for spec in specs])


def _flat(spec: Any, value: Any) -> list[Any]:
    return [convert_to_tensor(value, spec.dtype)] if isinstance(spec, TensorSpec) else spec.to_tensors(value)


def _match(func: object, specs: list[Any], result: object, wanted: object) -> list[tuple[Any, Any]]:
    """Returns pairs of a spec and a result.

    Raises: ValueError: if the function returned something else than was declared.
    """
    values = [] if result is None else nest.flatten(result)
    if not any(nest.is_composite(spec) for spec in nest.flatten(wanted)):
        values = values[: len(specs)]  # what is more than promised is left out, as it is without composites
    complaint = f"py_function: func={func} returned {values}, which did not match Tout={nest.flatten(wanted)}."
    if len(values) != len(specs):
        raise ValueError(complaint)
    for spec, value in zip(specs, values, strict=True):
        is_dense = isinstance(spec, TensorSpec)
        if consists_of_parts[type(value)] if is_dense else not spec.is_compatible_with(value):
            kind = "a Tensor" if is_dense else f"a value of {spec}"
            raise ValueError(f"{complaint}\nIn particular, {value} is not {kind}.")
    return list(zip(specs, values, strict=True))
