"""`tf.custom_gradient`: a function with a gradient of its own.

The function runs unrecorded. In eager mode the tapes are told of it as one step with
the given backward function. In a graph its results pass through an `IdentityN`
operation that carries the backward function, so a gradient of the whole graph uses it
too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import get_op
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


class _VariableCollector:
    """A tape that only notes which variables the function reads, and passes the news on."""

    def __init__(self, tapes: Sequence[Any]) -> None:
        self.watched: frozenset[int] = frozenset()
        self.variables: dict[int, Any] = {}
        self._tapes = tapes

    def record(self, *args: Any) -> None:
        """Ignores an op."""

    record_function = record

    def variable_accessed(self, variable: Any) -> None:
        """Notes a variable."""
        if variable.trainable:
            self.variables[id(variable)] = variable
        for tape in self._tapes:
            tape.variable_accessed(variable)


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

    Args:
      f: a function of tensors that returns `(result, grad_fn)`. `grad_fn(*output_gradients)` returns one gradient per
        argument; if `f` reads trainable variables, `grad_fn(*output_gradients, variables=...)` returns a pair of those
        and a list with one gradient per variable.

    Returns: A function that returns `result`.
    Raises:
      TypeError: if `f` reads variables and `grad_fn` does not accept `variables`.
      ValueError: if `grad_fn` returns another number of gradients than there are arguments.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs and state.graph is not None:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled."
        )
    tapes = state.tapes
    collector = _VariableCollector(tapes)
    tensors = [x if hasattr(x, "handle") else convert_to_tensor(x) for x in nest.flatten(args, expand_composites=True)]
    arguments = nest.pack_sequence_as(args, tensors, expand_composites=True)
    with context.tapes_scope((collector,)):
        result, grad_fn = f(*arguments, **kwargs)
    passed = {id(x) for x in tensors}
    variables = [v for v in collector.variables.values() if id(v) not in passed]
    if variables:
        _require_variables_argument(grad_fn, variables)
    flat = [convert_to_tensor(r) for r in nest.flatten(result, expand_composites=True)]
    backward = _Backward(grad_fn, variables, len(tensors))
    sources = [getattr(x, "handle", x) for x in tensors] + [v.handle for v in variables]
    outputs = (
        _eager_outputs(flat, sources, backward) if state.graph is None else _graph_outputs(flat, sources, backward)
    )
    return nest.pack_sequence_as(result, outputs, expand_composites=True)


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
        self.grad_fn = grad_fn
        self.variables = variables
        self.argument_count = argument_count

    def __call__(self, *output_gradients: Any) -> list[Any]:
        """One gradient per argument, then one per variable."""
        if self.variables:
            gradients, of_variables = self.grad_fn(*output_gradients, variables=list(self.variables))
        else:
            gradients, of_variables = self.grad_fn(*output_gradients), []
        flat = nest.flatten(gradients) if gradients is not None else [None]
        if len(flat) != self.argument_count:
            raise ValueError(
                f"custom_gradient function expected to return {self.argument_count} gradients, but "
                f"returned {len(flat)} instead."
            )
        if len(of_variables) != len(self.variables):
            raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        return [*flat, *of_variables]


def _eager_outputs(results: Sequence[Any], sources: Sequence[Any], backward: _Backward) -> list[Any]:
    with context.tapes_scope(()):
        outputs = [raw.Identity(input=r) for r in results]
    for tape in state.tapes:
        tape.record_function(get_op("IdentityN"), sources, outputs, backward)
    return outputs


def _graph_outputs(results: Sequence[Any], sources: Sequence[Any], backward: _Backward) -> list[Any]:
    count = len(results)
    tapes = state.tapes
    with context.tapes_scope(()):
        outputs: list[Any] = raw.IdentityN(input=[*results, *sources])
    operation = outputs[0].op
    operation.gradient_override = lambda _, dys: [*[None] * count, *backward(*dys[:count])]
    attrs = operation.attrs
    for tape in tapes:
        tape.record(operation.op_def, operation.inputs, outputs, attrs)
    return outputs[:count]


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function of one tensor the gradient of the identity.

    >>> x = tf.constant(1.4)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> tape.gradient(y, x).numpy().item()
    1.0

    Args: f: a function; whatever its arguments, the gradient of the result goes to each of them unchanged.
    """

    @custom_gradient
    def pass_through(*args: Any, **kwargs: Any) -> Any:
        def grad(*dys: Any, **grad_kwargs: Any) -> Any:
            variables = grad_kwargs.get("variables")
            gradients = dys[0] if len(dys) == 1 else dys
            return (gradients, [None] * len(variables)) if variables is not None else gradients

        return f(*args, **kwargs), grad

    return functools.wraps(f)(pass_through)
