"""`tf.custom_gradient`: a function with a gradient of its own.

The function runs as any other code, so that a gradient of the gradient finds the values that the gradient function
uses. The results then pass through one more step. A tape that watches an argument records that step with the user's
gradient function. In a graph the step is an `IdentityN` operation over results, arguments and variables. The operation
carries the gradient function, so every mode of differentiating the graph uses that function.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.gradient_registry import ATTRIBUTE, validate_gradients
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_registry import get_op
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.graph import rewriting
from millrace._src.graph.captured_tensors import capture_here
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


class VariableCollector(VariableWatcher):
    """A tape that only notes which trainable variables are read."""

    def __init__(self) -> None:
        super().__init__(())
        self.variables: dict[int, Any] = {}

    def variable_accessed(self, variable: Any) -> None:
        """Notes a variable."""
        if variable.trainable:
            self.variables[id(variable)] = variable


class _WrappedSignature:
    """The signature of a wrapped function, for `inspect`, which takes instances that bind for built-in functions."""

    def __get__(self, instance: Any, owner: type | None = None) -> inspect.Signature:
        if instance is None:
            raise AttributeError("__signature__")
        return inspect.signature(instance.__wrapped__)


class CustomGradient:
    """A function with a gradient of its own, which binds to an instance as a method does.

    Args:
      f: the function that returns `(result, grad_fn)`.
      wrapped: the function to look like, if not `f`.
    """

    def __init__(self, f: Callable[..., Any], wrapped: Callable[..., Any] | None = None) -> None:
        functools.update_wrapper(self, f if wrapped is None else wrapped)
        self._with_gradient = f  # last: the attributes of a wrapped object came along

    __signature__ = _WrappedSignature()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if state.graph is None:
            return _call_eagerly(self._with_gradient, args, kwargs)
        return _call_in_graph(self._with_gradient, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> CustomGradient:
        bind = getattr(self._with_gradient, "__get__", None)
        return self if instance is None or bind is None else CustomGradient(bind(instance, owner))


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorates a function that returns its result and the function of its gradient.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     def grad(upstream):
    ...         return upstream * (1 - 1 / (1 + e))
    ...     return tf.math.log(1 + e), grad
    >>> x = tf.constant(100.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy().item()
    1.0

    The gradient function may use what the function computed, and is differentiated in turn for higher orders. Tensors
    that the function closes over and keyword arguments get no gradient once an argument or a variable of the function
    is differentiated. In eager mode a tape that watches no argument and no variable differentiates the function's own
    ops.

    Args:
      f: a function of tensors (or nested structures of them) that returns `(result, grad_fn)`; the result is a tensor
        or a nested structure. `grad_fn(*output_gradients)` gets one gradient per tensor of the result, zeros for a
        tensor without a gradient, and returns one gradient (a Tensor, `tf.IndexedSlices` or None) per tensor among the
        positional arguments, each of the shape of its argument. If `f` reads trainable variables that are not among
        its arguments, the call is `grad_fn(*output_gradients, variables=...)` and `grad_fn` returns a pair: the
        gradients of the arguments, and a list with one gradient per variable.

    Returns: A function that returns `result`.
    Raises:
      TypeError: if `f` reads variables and `grad_fn` does not accept `variables`.
      ValueError: if `grad_fn` returns another number of gradients than there are arguments; in a graph, if there are
        keyword arguments.
    """
    return custom_gradient if f is None else CustomGradient(f)


# --- eager -------------------------------------------------------------------------------------------------------


def _call_eagerly(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    arguments = nest.flatten(args, expand_composites=True)
    result, grad_fn, variables = _run(f, args, kwargs, {id(a) for a in arguments})
    tensors = _flat_result(result)
    results = [convert_to_tensor(r) for r in tensors]
    sources = [_source(a) for a in arguments] + [v.handle for v in variables]
    with context.tapes_scope(()):
        outputs = [raw.Identity(input=r) for r in results]
    backward = _EagerBackward(_Backward(grad_fn, variables, len(arguments)), outputs)
    for tape in state.tapes:
        if tape.is_forward:
            tape.pass_on(results, outputs)
        if any(getattr(s, "_tape_id", 0) in tape.watched for s in sources):
            tape.record_function(get_op("IdentityN"), sources, outputs, backward)
            continue
        for before, after in zip(results, outputs, strict=True):
            tape.record(get_op("Identity"), [before], [after], {"T": after.dtype})
    return _pack_result(result, tensors, outputs)


def _source(argument: Any) -> Any:
    """Returns the tensor that tapes follow for an argument: the argument as a tensor, for a variable the value read."""
    return argument if isinstance(argument, Tensor) else convert_to_tensor(argument)


class _EagerBackward:
    """The gradient function with zeros for outputs without a gradient of their own: integers and booleans."""

    def __init__(self, backward: _Backward, outputs: Sequence[Any]) -> None:
        self._backward = backward
        self._others = [(i, t.shape, t.dtype) for i, t in enumerate(outputs) if _needs_zeros(t.dtype)]

    def __call__(self, *output_gradients: object) -> list[Any]:
        dys = list(output_gradients)
        for index, shape, dtype in self._others:
            dys[index] = raw.Fill(dims=shape.as_list(), value=convert_to_tensor(0, dtype=dtype))
        return self._backward.gradients(dys)


def _needs_zeros(dtype: Any) -> bool:
    return not is_trainable(dtype) and (dtype.is_integer or dtype.is_bool)


# --- in a graph --------------------------------------------------------------------------------------------------


def _call_in_graph(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled."
        )
    tensors = [capture_here(convert_to_tensor(x)) for x in nest.flatten(args, expand_composites=True)]
    arguments = nest.pack_sequence_as(args, tensors, expand_composites=True)
    result, grad_fn, variables = _run(f, arguments, {}, {id(t) for t in tensors})
    result_tensors = _flat_result(result)
    # while tapes watch, as when the variables were read
    sources = [*tensors, *[capture_here(v.handle) for v in variables]]
    backward = _Backward(grad_fn, variables, len(tensors))
    return _pack_result(result, result_tensors, _graph_outputs(result_tensors, sources, backward))


def _graph_outputs(results: Sequence[Any], sources: Sequence[Any], backward: _Backward) -> list[Any]:
    count = len(results)
    tapes = state.tapes
    with context.tapes_scope(()):
        outputs: list[Any] = raw.IdentityN(input=[*results, *sources])
    operation = outputs[0].op

    def gradients(operation: Operation, dys: Sequence[Any]) -> list[Any]:
        full_gradients = [_zeros(t) if d is None else d for t, d in zip(operation.outputs[:count], dys, strict=False)]
        return validate_gradients(operation, [*[None] * count, *backward.for_graph(full_gradients)])

    rewriting.set_gradient(operation, gradients)
    rewriting.change_attrs(operation, {ATTRIBUTE: f"CustomGradient-{context.unique_id()}"})
    for tape in tapes:
        if tape.is_forward:
            tape.pass_on(operation.inputs[:count], outputs[:count])
        tape.record(operation.op_def, operation.inputs, outputs, operation.attrs)
    return outputs[:count]


def _zeros(tensor: Any) -> Any:
    """Makes the gradient of an output without a gradient: zeros of a number, nothing for a string or a handle."""
    numeric = is_trainable(tensor.dtype) and not tensor.dtype.is_handle
    return raw.ZerosLike(x=tensor) if numeric or _needs_zeros(tensor.dtype) else None


# --- common ------------------------------------------------------------------------------------------------------


def _run(
    f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], given: set[int]
) -> tuple[Any, Callable[..., Any], list[Any]]:
    """Calls the function; returns the result, the gradient function, and the variables read beside those `given`."""
    collector = VariableCollector()
    with context.tapes_scope((*state.tapes, collector)):
        result, grad_fn = f(*args, **kwargs)
    if not callable(grad_fn):
        raise TypeError(
            f"unsupported callable: the function under tf.custom_gradient returns (result, grad_fn); received "
            f"{grad_fn!r} as grad_fn."
        )
    variables = [v for v in collector.variables.values() if id(v) not in given]
    if variables:
        _require_variables_argument(grad_fn, variables)
    return result, grad_fn, variables


def _require_variables_argument(grad_fn: Callable[..., Any], variables: Sequence[Any]) -> None:
    parameters = inspect.signature(grad_fn).parameters.values()
    if not any(p.name == "variables" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
            f"variables: {list(variables)}"
        )


class _Backward:
    """The user's gradient function, called with output gradients and checked."""

    def __init__(self, grad_fn: Callable[..., Any], variables: Sequence[Any], argument_count: int) -> None:
        self._grad_fn = grad_fn
        self._variables = variables
        self._argument_count = argument_count

    def for_graph(self, output_gradients: Sequence[Any]) -> list[Any]:
        """Returns one gradient for each argument, then one for each variable; the operation checks the number of the
        first.
        """
        if not self._variables:
            return _flat_gradients(self._grad_fn(*output_gradients), self._argument_count)
        gradients, of_variables = self._grad_fn(*output_gradients, variables=list(self._variables))
        variable_gradients = list(nest.flatten(of_variables))
        if len(variable_gradients) != len(self._variables):
            raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        return [*_flat_gradients(gradients, self._argument_count), *variable_gradients]

    def gradients(self, output_gradients: Sequence[Any]) -> list[Any]:
        """Returns the gradients of `for_graph`, with the number checked."""
        input_gradients = self.for_graph(output_gradients)
        count = len(input_gradients) - len(self._variables)
        if count != self._argument_count:
            raise ValueError(
                f"custom_gradient function expected to return {self._argument_count} gradients, but "
                f"returned {count} instead."
            )
        return [g if g is None or _is_gradient(g) else convert_to_tensor(g) for g in input_gradients]


def _is_gradient(value: object) -> bool:
    return isinstance(value, (Tensor, IndexedSlices)) or is_variable(value)


def _flat_gradients(gradients: object, argument_count: int) -> list[Any]:
    if gradients is None:
        return [None] if argument_count else []
    return list(nest.flatten(gradients))


def _flat_result(result: object) -> list[Any]:
    """Returns the tensors of a result; an `IndexedSlices` becomes one tensor, as where any op takes one."""
    return [
        part
        for item in nest.flatten(result)
        for part in ([item] if isinstance(item, IndexedSlices) else nest.flatten(item, expand_composites=True))
    ]


def _pack_result(result: object, flat: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """Returns the outputs in the structure of the result."""
    expand = not any(isinstance(item, IndexedSlices) for item in flat)
    return nest.pack_sequence_as(result, outputs, expand_composites=expand)


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function the gradient of the identity: the gradients of the results go to the arguments unchanged.

    >>> x = tf.constant(1.4)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> tape.gradient(y, x).numpy().item()
    1.0

    Args: f: a function with as many results as arguments. Variables that it reads get no gradient.
    Returns: A function that returns what `f` returns.
    Raises: ValueError: when differentiated, if the numbers of results and arguments differ.
    """

    def pass_through(*args: object, **kwargs: object) -> Any:
        def grad(*dys: Any, **grad_kwargs: Any) -> Any:
            variables = grad_kwargs.get("variables")
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), grad

    return CustomGradient(pass_through, f)
