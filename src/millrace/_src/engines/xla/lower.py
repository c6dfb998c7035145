"""From a graph to a function of jax.numpy arrays.

The graph is walked once, while JAX traces, in the order of its operations. Whatever depends only on constants and
static shapes is computed on the host with the NumPy kernels, so an op whose shape argument comes from `tf.shape(x)`
finds a plain array.

Tests: tests/engines/xla/test_engine.py
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
from millrace._src.core.op_signature import argument_indices
from millrace._src.engines.binding import bind_addition, bind_checks, bind_kernel
from millrace._src.engines.node_errors import is_explained, mark_explained
from millrace._src.engines.xla.compile_time_constants import is_concrete
from millrace._src.engines.xla.lists import EmptyListError
from millrace._src.engines.xla.namespace import xp
from millrace._src.passes.constant_folding import may_be_computed_ahead
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.pipeline import optimize_function
from millrace._src.passes.sparse_sums import split_summands

_NEEDS_VALUE = (jax.errors.JAXTypeError, jax.errors.JAXIndexError, jax.errors.UnexpectedTracerError)


@contextlib.contextmanager
def _explain_errors(node: Node) -> Iterator[None]:
    """Turns the exceptions of a kernel into exceptions that name the node and the inputs that must be known."""
    try:
        yield
    except _NEEDS_VALUE as error:
        why = f"its kernel needs a value that is not known while compiling ({type(error).__name__})"
        raise _unknown(node, why, _numbers(node.inputs)) from None
    except errors.UnknownWhileCompilingError as error:
        if error.tensors is None:
            named_inputs = [t for arg, t in _named_inputs(node) if arg in error.inputs]
            tensors = named_inputs if error.inputs else _numbers(node.inputs)
            message = f"{error.message} [{node.type} {{{{node {node.name}}}}}]{_location_note(node)}"
            raise errors.UnknownWhileCompilingError(message, error.inputs, tensors) from None
        if not set(map(id, error.tensors)) <= set(map(id, node.inputs)):  # tensors of a graph inside this node
            error.tensors = _numbers(node.inputs)
        raise
    except EmptyListError:
        raise  # the loop or the branch around the node handles the error
    except errors.OpError as error:
        raise error if is_explained(error) else _name_node(node, error) from None
    except (ValueError, TypeError, IndexError, NotImplementedError) as error:
        message = str(kernel_error(node.op_def, node.inputs, node.attrs, error, is_flat=True))
        raise _cannot_compile(node, message) from None


class Lowering:
    """A graph as a function of arrays, for JAX to trace.

    Args: graph: the graph.
    """

    def __init__(self, graph: OptimizedGraph) -> None:
        self.graph = graph
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.passed_on = [i < len(self.outputs) and self.outputs[i] is v for i, v in enumerate(self.inputs)]
        """For each input, whether the output of the same number is that input, as for a loop's captures."""
        self.stand_ins = [v.node is not None and v.node.op_def.traits.is_stand_in for v in self.outputs]
        """For each output, whether it represents a value of another branch, whose shape it takes."""

    def __call__(self, *arguments: object) -> list[Any]:
        arrays: dict[Value, Any] = dict(zip(self.inputs, arguments, strict=True))
        for node in self.graph.nodes:
            results = self._run(node, [_array(value, arrays) for value in node.inputs])
            arrays.update(zip(node.outputs, results, strict=True))
        return [_array(value, arrays) for value in self.outputs]

    def _run(self, node: Node, arguments: list[Any]) -> Sequence[Any]:
        op = node.op_def
        if node.added:
            return [self._sum(node, arguments)]
        if op.traits.reads_only_shapes and node.is_pure:
            arguments = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in arguments]
        are_known = all(isinstance(a, (np.ndarray, np.generic)) for a in arguments)
        if are_known and may_be_computed_ahead(node) and not _refuses(node, arguments):
            kernel = eager_engine().bind(op, tuple([value.dtype for value in node.inputs]), node.attrs)
            with _explain_errors(node), np.errstate(all="ignore"):
                return [np.asarray(r) for r in flatten_result(op, kernel(*arguments))]
        with _explain_errors(node), jax.named_scope(node.name):  # profiles show the node behind what XLA runs
            self._check_constants(node, arguments)
            return flatten_result(op, _bind(node)(*arguments))

    def _sum(self, node: Node, arguments: Sequence[Any]) -> Any:
        """Adds whole arrays, and arrays that are mostly zeros: see the pass `sparse_sums`."""
        whole_values, parts = split_summands(node, arguments)
        with _explain_errors(node):
            total = whole_values[0] if len(whole_values) == 1 else _bind(node)(*whole_values)
            for maker, part in zip(node.added, parts, strict=True):
                self._check_constants(maker, part)
                partial_sum = bind_addition(maker.op_def, maker.attrs, xp)(jnp.asarray(total), *part)
                total = _bind(node)(total, _bind(maker)(*part)) if partial_sum is None else partial_sum
        return total

    @staticmethod
    def _check_constants(node: Node, arguments: Sequence[Any]) -> None:
        op = node.op_def
        if not op.traits.constant_inputs:
            return
        unknown_inputs = [
            (name, tensor)
            for (name, tensor), argument in zip(_named_inputs(node), arguments, strict=True)
            if name in op.traits.constant_inputs and not is_concrete(argument)
        ]
        if unknown_inputs:
            names = ", ".join(dict.fromkeys(f"'{name}'" for name, _ in unknown_inputs))
            raise _unknown(node, f"input {names} must be a compile-time constant", [t for _, t in unknown_inputs])


def _named_inputs(node: Node) -> list[tuple[str, Value]]:
    """Returns the values that a node reads, each with the name of its argument."""
    arguments = argument_indices(node.op_def.signature.inputs, node.attrs)
    return [(arg.name, node.inputs[index]) for arg, at in arguments for index in at]


def _numbers(tensors: Sequence[Any]) -> list[Any]:
    """Returns the tensors that can hold a size or a position."""
    return [t for t in tensors if t.dtype.is_integer or t.dtype.is_bool]


def _refuses(node: Node, arrays: Sequence[Any]) -> bool:
    """Returns whether the host refuses the values of arrays, with which XLA computes on (an integer divided by 0)."""
    check = bind_checks(node.op_def, node.attrs)
    try:
        if check is not None:
            check(*arrays)
    except errors.OpError:
        return True
    return False


def _bind(node: Node) -> Callable[..., Any]:
    return bind_kernel(node.op_def, node.attrs, engine="xla", xp=xp, convert_function=callable_of, with_checks=False)


def callable_of(function: object) -> Callable[..., Any]:
    """Makes a callable on traced arrays of a function attribute."""
    return Lowering(optimize_function(function))


def _array(value: Value, arrays: dict[Value, Any]) -> Any:
    """Returns the array that represents a value while JAX traces."""
    return arrays[value] if value.constant is None else value.constant


def _name_node(node: Node, error: errors.OpError) -> Exception:
    """Returns the error of a kernel with the node's name after the message, as in TensorFlow's XLA."""
    message = f"{error.message}\n\t [[{{{{node {node.name}}}}}]]{_location_note(node)}"
    kind: Any = type(error)  # a subclass of OpError has its own code
    return mark_explained(kind(None, None, message))


def _cannot_compile(node: Node, why: str) -> Exception:
    return mark_explained(errors.InvalidArgumentError(None, None, _complaint(node, why)))


def _unknown(node: Node, why: str, tensors: list[Any]) -> errors.UnknownWhileCompilingError:
    return errors.UnknownWhileCompilingError(_complaint(node, why), tensors=tensors)


def _complaint(node: Node, why: str) -> str:
    return f"XLA cannot compile {node.type} ({{{{node {node.name}}}}}): {why}.{_location_note(node)}"


def _location_note(node: Node) -> str:
    """Returns the end of a message: the line where the program made an operation."""
    return f"\n\nDefined at:\n  {node.source}" if node.source is not None else ""
