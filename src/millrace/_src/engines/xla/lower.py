"""From a graph to a function of jax.numpy arrays.

The graph is walked once, while JAX traces, in the order of its operations. What
depends only on constants and static shapes is computed on the host with the NumPy
kernels, so an op whose shape argument comes from `tf.shape(x)` finds a plain array.

An array that is zero but for a few places (the gradient of a slice) is not made until an
op other than a sum asks for it: a sum adds to these places alone, and a loop that
accumulates such arrays takes linear time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from millrace._src.core import errors
from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result, kernel_error
from millrace._src.core.op_def import Effects
from millrace._src.core.op_signature import places
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.xla.cells import is_concrete
from millrace._src.engines.xla.namespace import xp
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import required_operations

_NEEDS_VALUE = (jax.errors.JAXTypeError, jax.errors.JAXIndexError, jax.errors.UnexpectedTracerError)


@contextlib.contextmanager
def _explained(operation: Operation) -> Iterator[None]:
    """Turns the exceptions of a kernel into ones that name the operation and what must be known of its inputs."""
    try:
        yield
    except _NEEDS_VALUE as error:
        why = f"its kernel needs a value that is not known while compiling ({type(error).__name__})"
        raise _unknown(operation, why, _numbers(operation.inputs)) from None
    except errors.UnknownWhileCompilingError as error:
        if error.tensors is None:
            named = [t for arg, t in _named_inputs(operation) if arg in error.inputs]
            tensors = named if error.inputs else _numbers(operation.inputs)
            message = f"{error.message} [{operation.type} {{{{node {operation.name}}}}}]{_place(operation)}"
            raise errors.UnknownWhileCompilingError(message, error.inputs, tensors) from None
        if not set(map(id, error.tensors)) <= set(map(id, operation.inputs)):  # of a graph inside this operation
            error.tensors = _numbers(operation.inputs)
        raise
    except errors.OpError:
        raise
    except (ValueError, TypeError, IndexError, NotImplementedError) as error:
        message = str(kernel_error(operation.op_def, operation.inputs, operation.attrs, error))
        raise _cannot_compile(operation, message) from None


class _Sparse:
    """The result of an op that knows how to add it to an array without making it."""

    def __init__(self, operation: Operation, arguments: Sequence[Any]) -> None:
        self.operation, self.arguments = operation, arguments
        self._whole: Any = None

    def whole(self) -> Any:
        """The array, made when it is first asked for."""
        if self._whole is None:
            with _explained(self.operation):
                self._whole = _bind(self.operation)(*self.arguments)
        return self._whole

    def added_to(self, total: Any) -> Any:
        """The sum of an array and this one; None if their shapes differ."""
        op, attrs = self.operation.op_def, self.operation.attrs
        given = {name: attrs.get(name, op.attr_defaults.get(name)) for name in op.kernel_attrs}
        assert op.added_to is not None
        with _explained(self.operation):
            return op.added_to(xp, total, *self.arguments, **given)


class Lowering:
    """A graph as a function of arrays, for JAX to trace.

    Args:
      graph: the graph.
      inputs: the tensors that are given.
      outputs: the tensors to compute.
      is_call: whether the graph is that of a call: what it returns may be added up by who called it.
    """

    def __init__(
        self, graph: Any, inputs: Sequence[Any], outputs: Sequence[Any], *, is_call: bool = False
    ) -> None:
        self.graph = graph
        self.is_call = is_call
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.passed_on = [i < len(self.outputs) and self.outputs[i] is t for i, t in enumerate(self.inputs)]
        """For each input, whether the output of the same number is that input: a loop's captures."""
        self.operations = required_operations(
            graph.get_operations(), [t.op for t in outputs], stop=[t.op for t in inputs]
        )

    def __call__(self, *arguments: Any) -> list[Any]:
        values: dict[tuple[int, int], Any] = {_key(t): a for t, a in zip(self.inputs, arguments, strict=True)}
        for operation in self.operations:
            results = self._run(operation, [values[_key(t)] for t in operation.inputs])
            for tensor, result in zip(operation.outputs, results, strict=True):
                values[_key(tensor)] = result
        found = [values[_key(t)] for t in self.outputs]
        return found if self.is_call else [_whole(r) for r in found]

    def _run(self, operation: Operation, arguments: list[Any]) -> Sequence[Any]:
        op = operation.op_def
        if op.is_sum and any(isinstance(a, _Sparse) for a in arguments):
            return [self._summed(operation, arguments)]
        arguments = [_whole(a) for a in arguments]
        if operation.static_values:
            return list(operation.static_values)
        if op.reads_only_shapes:
            arguments = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in arguments]
        if self._is_host_computation(operation, arguments):
            kernel = eager_engine().bind(op, tuple(t.dtype for t in operation.inputs), operation.attrs)
            with _explained(operation), np.errstate(all="ignore"):
                return [np.asarray(r) for r in flatten_result(op, kernel(*arguments))]
        with _explained(operation):
            self._check_constants(operation, arguments)
            if op.added_to is not None:
                return [_Sparse(operation, arguments)]
            return flatten_result(op, _bind(operation)(*arguments))

    def _summed(self, operation: Operation, arguments: Sequence[Any]) -> Any:
        """The sum of whole arrays and of such that are mostly zeros."""
        sparse = [a for a in arguments if isinstance(a, _Sparse)]
        whole = [a for a in arguments if not isinstance(a, _Sparse)] or [sparse.pop(0).whole()]
        total = whole[0] if len(whole) == 1 else self._run(operation, whole)[0]
        for part in sparse:
            found = part.added_to(jnp.asarray(total))
            total = self._run(operation, [total, part.whole()])[0] if found is None else found
        return total

    @staticmethod
    def _is_host_computation(operation: Operation, arguments: list[Any]) -> bool:
        if (
            operation.effects is not Effects.NONE
            or not arguments
            and operation.op_def.attr_kinds.get("value") != "tensor"
        ):
            return False
        if any(t.dtype.name == "variant" for t in operation.outputs):
            return False  # a list belongs to the engine
        if "func" in operation.op_def.attr_kinds.values() or "list[func]" in operation.op_def.attr_kinds.values():
            return False
        return all(type(a) is np.ndarray or isinstance(a, np.generic) for a in arguments)

    @staticmethod
    def _check_constants(operation: Operation, arguments: list[Any]) -> None:
        op = operation.op_def
        if not op.constant_inputs:
            return
        unknown = [
            (name, tensor)
            for (name, tensor), argument in zip(_named_inputs(operation), arguments, strict=True)
            if name in op.constant_inputs and not is_concrete(argument)
        ]
        if unknown:
            names = ", ".join(dict.fromkeys(f"'{name}'" for name, _ in unknown))
            raise _unknown(operation, f"input {names} must be a compile-time constant", [t for _, t in unknown])


def _whole(value: Any) -> Any:
    return value.whole() if isinstance(value, _Sparse) else value


def _named_inputs(operation: Operation) -> list[tuple[str, Any]]:
    """The tensors of an operation with the names of the arguments that they belong to."""
    arguments = places(operation.op_def.signature.inputs, operation.attrs)
    return [(arg.name, operation.inputs[place]) for arg, at in arguments for place in at]


def _numbers(tensors: Sequence[Any]) -> list[Any]:
    """The tensors that can say a size or a place."""
    return [t for t in tensors if t.dtype.is_integer or t.dtype.is_bool]


def _bind(operation: Operation) -> Callable[..., Any]:
    op = operation.op_def
    convert = _called if op.control == "call" else _callable
    return bind_kernel(op, operation.attrs, engine="xla", xp=xp, convert_function=convert)


def _callable(function: Any) -> Callable[..., Any]:
    """A function attribute as a callable on traced arrays."""
    graph = getattr(function, "graph", function)
    return Lowering(graph, graph.inputs, graph.outputs)


def _called(function: Any) -> Callable[..., Any]:
    """The function of a call."""
    graph = getattr(function, "graph", function)
    return Lowering(graph, graph.inputs, graph.outputs, is_call=True)


def _key(tensor: Any) -> tuple[int, int]:
    return id(tensor.op), tensor.value_index


def _cannot_compile(operation: Operation, why: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, _complaint(operation, why))


def _unknown(operation: Operation, why: str, tensors: list[Any]) -> errors.UnknownWhileCompilingError:
    return errors.UnknownWhileCompilingError(_complaint(operation, why), tensors=tensors)


def _complaint(operation: Operation, why: str) -> str:
    return f"XLA cannot compile {operation.type} ({{{{node {operation.name}}}}}): {why}.{_place(operation)}"


def _place(operation: Operation) -> str:
    """Where the program made an operation, as the end of a message."""
    return f"\n\nDefined at:\n  {operation.source}" if operation.source is not None else ""
