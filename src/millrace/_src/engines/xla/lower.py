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
from millrace._src.core.op_signature import places
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.xla.cells import is_concrete
from millrace._src.engines.xla.namespace import xp
from millrace._src.passes.constant_folding import may_be_computed_ahead
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.pipeline import optimize

_NEEDS_VALUE = (jax.errors.JAXTypeError, jax.errors.JAXIndexError, jax.errors.UnexpectedTracerError)


@contextlib.contextmanager
def _explained(node: Node) -> Iterator[None]:
    """Turns the exceptions of a kernel into ones that name the node and what must be known of its inputs."""
    try:
        yield
    except _NEEDS_VALUE as error:
        why = f"its kernel needs a value that is not known while compiling ({type(error).__name__})"
        raise _unknown(node, why, _numbers(node.inputs)) from None
    except errors.UnknownWhileCompilingError as error:
        if error.tensors is None:
            named = [t for arg, t in _named_inputs(node) if arg in error.inputs]
            tensors = named if error.inputs else _numbers(node.inputs)
            message = f"{error.message} [{node.type} {{{{node {node.name}}}}}]{_place(node)}"
            raise errors.UnknownWhileCompilingError(message, error.inputs, tensors) from None
        if not set(map(id, error.tensors)) <= set(map(id, node.inputs)):  # of a graph inside this node
            error.tensors = _numbers(node.inputs)
        raise
    except errors.OpError:
        raise
    except (ValueError, TypeError, IndexError, NotImplementedError) as error:
        message = str(kernel_error(node.op_def, node.inputs, node.attrs, error))
        raise _cannot_compile(node, message) from None


class _Sparse:
    """The result of an op that knows how to add it to an array without making it."""

    def __init__(self, node: Node, arguments: Sequence[Any]) -> None:
        self.node, self.arguments = node, arguments
        self._whole: Any = None

    def whole(self) -> Any:
        """The array, made when it is first asked for."""
        if self._whole is None:
            with _explained(self.node):
                self._whole = _bind(self.node)(*self.arguments)
        return self._whole

    def added_to(self, total: Any) -> Any:
        """The sum of an array and this one; None if their shapes differ."""
        op, attrs = self.node.op_def, self.node.attrs
        given = {name: attrs.get(name, op.attr_defaults.get(name)) for name in op.kernel_attrs}
        assert op.rules.added_to is not None
        with _explained(self.node):
            return op.rules.added_to(xp, total, *self.arguments, **given)


class Lowering:
    """A graph as a function of arrays, for JAX to trace.

    Args:
      graph: the graph.
      is_call: whether the graph is that of a call: what it returns may be added up by who called it.
    """

    def __init__(self, graph: OptimizedGraph, *, is_call: bool = False) -> None:
        self.graph = graph
        self.is_call = is_call
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.passed_on = [i < len(self.outputs) and self.outputs[i] is v for i, v in enumerate(self.inputs)]
        """For each input, whether the output of the same number is that input: a loop's captures."""

    def __call__(self, *arguments: Any) -> list[Any]:
        arrays: dict[Value, Any] = dict(zip(self.inputs, arguments, strict=True))
        for node in self.graph.nodes:
            results = self._run(node, [_array(value, arrays) for value in node.inputs])
            arrays.update(zip(node.outputs, results, strict=True))
        found = [_array(value, arrays) for value in self.outputs]
        return found if self.is_call else [_whole(r) for r in found]

    def _run(self, node: Node, arguments: list[Any]) -> Sequence[Any]:
        op = node.op_def
        if op.traits.is_sum and any(isinstance(a, _Sparse) for a in arguments):
            return [self._summed(node, arguments)]
        arguments = [_whole(a) for a in arguments]
        if op.traits.reads_only_shapes:
            arguments = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in arguments]
        if may_be_computed_ahead(node) and all(isinstance(a, (np.ndarray, np.generic)) for a in arguments):
            kernel = eager_engine().bind(op, tuple(t.dtype for t in node.inputs), node.attrs)
            with _explained(node), np.errstate(all="ignore"):
                return [np.asarray(r) for r in flatten_result(op, kernel(*arguments))]
        with _explained(node):
            self._check_constants(node, arguments)
            if op.rules.added_to is not None:
                return [_Sparse(node, arguments)]
            return flatten_result(op, _bind(node)(*arguments))

    def _summed(self, node: Node, arguments: Sequence[Any]) -> Any:
        """The sum of whole arrays and of such that are mostly zeros."""
        sparse = [a for a in arguments if isinstance(a, _Sparse)]
        whole = [a for a in arguments if not isinstance(a, _Sparse)] or [sparse.pop(0).whole()]
        total = whole[0] if len(whole) == 1 else self._run(node, whole)[0]
        for part in sparse:
            found = part.added_to(jnp.asarray(total))
            total = self._run(node, [total, part.whole()])[0] if found is None else found
        return total

    @staticmethod
    def _check_constants(node: Node, arguments: list[Any]) -> None:
        op = node.op_def
        if not op.traits.constant_inputs:
            return
        unknown = [
            (name, tensor)
            for (name, tensor), argument in zip(_named_inputs(node), arguments, strict=True)
            if name in op.traits.constant_inputs and not is_concrete(argument)
        ]
        if unknown:
            names = ", ".join(dict.fromkeys(f"'{name}'" for name, _ in unknown))
            raise _unknown(node, f"input {names} must be a compile-time constant", [t for _, t in unknown])


def _whole(value: Any) -> Any:
    return value.whole() if isinstance(value, _Sparse) else value


def _named_inputs(node: Node) -> list[tuple[str, Value]]:
    """The values that a node reads, with the names of the arguments that they belong to."""
    arguments = places(node.op_def.signature.inputs, node.attrs)
    return [(arg.name, node.inputs[place]) for arg, at in arguments for place in at]


def _numbers(tensors: Sequence[Any]) -> list[Any]:
    """The tensors that can say a size or a place."""
    return [t for t in tensors if t.dtype.is_integer or t.dtype.is_bool]


def _bind(node: Node) -> Callable[..., Any]:
    op = node.op_def
    convert = _called if op.traits.control == "call" else _callable
    return bind_kernel(op, node.attrs, engine="xla", xp=xp, convert_function=convert, with_checks=False)


def _callable(function: Any) -> Callable[..., Any]:
    """A function attribute as a callable on traced arrays."""
    return Lowering(_graph(function))


def _called(function: Any) -> Callable[..., Any]:
    """The function of a call."""
    return Lowering(_graph(function), is_call=True)


def _graph(function: Any) -> OptimizedGraph:
    """The optimized graph of a function attribute."""
    return function if isinstance(function, OptimizedGraph) else optimize(getattr(function, "graph", function))


def _array(value: Value, arrays: dict[Value, Any]) -> Any:
    """What stands for a value while JAX traces."""
    return arrays[value] if value.constant is None else value.constant


def _cannot_compile(node: Node, why: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, _complaint(node, why))


def _unknown(node: Node, why: str, tensors: list[Any]) -> errors.UnknownWhileCompilingError:
    return errors.UnknownWhileCompilingError(_complaint(node, why), tensors=tensors)


def _complaint(node: Node, why: str) -> str:
    return f"XLA cannot compile {node.type} ({{{{node {node.name}}}}}): {why}.{_place(node)}"


def _place(node: Node) -> str:
    """Where the program made an operation, as the end of a message."""
    return f"\n\nDefined at:\n  {node.source}" if node.source is not None else ""
