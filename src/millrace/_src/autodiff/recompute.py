"""`tf.recompute_grad`: a function whose intermediate values are computed again for the backward pass.

The forward pass keeps the arguments and the results, nothing from between. The gradient function runs the function once
more on a tape of its own and differentiates that run. The second run stands behind a barrier that waits for the
gradients of the results. Without the barrier a compiler would reuse the values of the first run, or compute the values
early, and no memory would be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.backprop import UnconnectedGradients
from millrace._src.autodiff.custom_gradient import CustomGradient
from millrace._src.autodiff.gradient_tape import GradientTape
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function that saves memory: the intermediate values are computed again when the function is
    differentiated.

    >>> w = tf.Variable([[0.5, 0.1], [0.2, 0.3]])
    >>> block = tf.recompute_grad(lambda x: tf.tanh(x @ w))
    >>> x = tf.ones([1, 2])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_sum(block(x))
    >>> [g.shape for g in tape.gradient(y, [x, w])]
    [TensorShape([1, 2]), TensorShape([2, 2])]

    A network of many blocks, each recomputed, keeps only what passes between them; a training step runs each block's
    forward pass twice. The function must compute the same when it is run again: random numbers in it must be
    stateless, and it must not change variables. Gradients of any order are exact.

    Args:
      f: a function of tensors, or nested structures of them, that returns tensors. Keyword arguments get no gradient
        and are for eager mode only, as with `tf.custom_gradient`.

    Returns: A function that returns what `f` returns. Arguments that the result does not depend on have zeros as
      gradients.
    """
    return _Recomputed(f)


class _Recomputed(CustomGradient):
    """A function that is computed again for its gradient, and that binds to an instance as a method does."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__(self._run_unrecorded, f)
        self._recomputed = f

    def _run_unrecorded(self, *args: object, **kwargs: object) -> Any:
        with context.tapes_scope((VariableWatcher(state.tapes),)):
            result = self._recomputed(*args, **kwargs)
        return result, _gradient_function(self._recomputed, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> CustomGradient:
        bind = getattr(self._recomputed, "__get__", None)
        return self if instance is None or bind is None else _Recomputed(bind(instance, owner))


def _gradient_function(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    def grad(*dys: object, variables: Sequence[Any] | None = None) -> Any:
        leaves, output_gradients = _behind_barrier(nest.flatten(args, expand_composites=True), dys)
        sources = [a for a in leaves if _is_source(a)]
        with GradientTape() as tape:
            tape.watch(sources)
            result = f(*nest.pack_sequence_as(args, leaves, expand_composites=True), **kwargs)
        source_gradients = _gradients(tape, result, output_gradients, [*sources, *(variables or ())])
        remaining_gradients = iter(source_gradients)
        gradients = [next(remaining_gradients) if _is_source(a) else None for a in leaves]
        return gradients if variables is None else (gradients, list(remaining_gradients))

    return grad


def _gradients(tape: GradientTape, result: object, dys: Sequence[Any], sources: Sequence[Any]) -> list[Any]:
    """Returns the gradients by the results for which a gradient comes back."""
    targets = [convert_to_tensor(t) for t in nest.flatten(result)]
    weighted_targets = [(t, d) for t, d in zip(targets, dys, strict=True) if d is not None and is_trainable(t.dtype)]
    gradients: list[Any] = tape.gradient(
        [t for t, _ in weighted_targets],
        list(sources),
        output_gradients=[d for _, d in weighted_targets],
        unconnected_gradients=UnconnectedGradients.ZERO,
    )
    return gradients


def _is_source(argument: object) -> bool:
    """Returns whether an argument has a gradient: a variable, or a tensor of numbers that are not integers."""
    if is_variable(argument):
        return True
    return isinstance(argument, Tensor) and (argument.dtype.is_floating or argument.dtype.is_complex)


def _behind_barrier(arguments: Sequence[Any], dys: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Returns the arguments and the gradients of the results behind a barrier, which waits until all are computed."""
    values = [*arguments, *dys]
    handles = ("resource", "variant")
    positions = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.dtype.name not in handles]
    if positions:
        results = raw.XlaOptimizationBarrier(input=[values[i] for i in positions])
        for position, value in zip(positions, results, strict=True):
            values[position] = value
    return values[: len(arguments)], values[len(arguments) :]
