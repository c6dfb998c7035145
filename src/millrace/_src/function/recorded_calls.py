"""Calls of functions under tapes and accumulators: each recorder gets the derivative that it needs.

A call is differentiated by the pair of functions in `control_flow/derivative.py`. Under several tapes, or a persistent
one (which may record its own gradient), the intermediates count as outputs too: the gradient of the gradient flows back
through the intermediates. Lists that a loop fills are the exception. A gradient flows into such a list only through a
further derivative, that of the forward function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.accumulator import mark_constants
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import output_specs
from millrace._src.control_flow.derivative import (
    Derivative,
    all_inputs,
    derivative_of,
    fill_gradient,
    reaching,
    zeros_if_missing,
)
from millrace._src.control_flow.forward_graph import forward_mode_of
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.op_registry import get_op
from millrace._src.graph.function_factory import CallableFunction
from millrace._src.ops import raw


def call_recorded(function: CallableFunction, inputs: Sequence[Any]) -> list[Any]:
    """Calls the function that the innermost recorders need; the recorders around them see that call.

    Tapes need the forward function, which also returns intermediates; an accumulator needs the forward derivative.
    """
    recorders = state.tapes
    count = len(recorders)
    while count and not recorders[count - 1].is_forward:
        count -= 1
    tapes = recorders[count:]
    if not tapes:
        return _call_forward(function, recorders[-1], recorders[:-1], inputs)
    if not any(getattr(t, "_tape_id", 0) in tape.watched for tape in tapes for t in inputs):
        with context.tapes_scope(recorders[:count]):
            return function(inputs)
    return _call_taped(function, tapes, recorders[:count], inputs)


def _call_forward(
    function: CallableFunction, accumulator: Any, outer: tuple[Any, ...], inputs: Sequence[Any]
) -> list[Any]:
    """Calls the forward derivative and notifies the accumulator of the tangents."""
    tangents = [accumulator.differentiable_tangent(t) for t in inputs]
    input_tangents = [t for t in tangents if t is not None]
    with context.tapes_scope(outer):
        if not input_tangents:
            return function(inputs)
        derivative, has = forward_mode_of(function, tuple(t is not None for t in tangents))
        results = derivative([*inputs, *input_tangents])
        mark_constants(outer, [*inputs, *input_tangents], results[len(has) :])
        has_zeros = _would_change(function, tangents, has)
    output_tangents = iter(results[len(has) :])
    for index, tensor in enumerate(results[: len(has)]):
        if has[index]:
            accumulator.set_tangent(tensor, next(output_tangents))
        elif has_zeros[index]:
            accumulator.set_tangent(tensor, raw.ZerosLike(x=tensor))
    return results[: len(has)]


def _would_change(function: CallableFunction, tangents: Sequence[Any], has: Sequence[bool]) -> Sequence[bool]:
    """Returns for each output whether it would have a tangent if all inputs had tangents.

    TensorFlow takes the missing tangents of these outputs to be zeros.
    """
    outputs = function.graph.outputs
    numbers = [t.dtype.is_floating or t.dtype.is_complex for t in outputs]
    if all(one or not number for one, number in zip(has, numbers, strict=True)):
        return has
    pairs = zip(function.graph.inputs, tangents, strict=True)
    everything = tuple(t is not None or x.dtype.is_floating or x.dtype.is_complex for x, t in pairs)
    return [one and number for one, number in zip(forward_mode_of(function, everything)[1], numbers, strict=True)]


def _call_taped(
    function: CallableFunction, tapes: Sequence[Any], outer: tuple[Any, ...], inputs: Sequence[Any]
) -> list[Any]:
    """Calls the forward function and gives the tapes the backward function; the tapes keep what that needs, no more."""
    order = max(len(tapes), 2 if tapes[0].persistent else 1)
    # As in TensorFlow, a higher order also differentiates by all arguments of the gradient's own call.
    wanted = _watched_positions(inputs, tapes) if order == 1 else all_inputs(function)
    is_closed = order > 1 or any(r.is_forward for r in outer)
    orders = _derivatives_of_orders(function, order, wanted, closed=is_closed)
    with context.tapes_scope(outer):
        results = orders[-1].forward(inputs) if outer else orders[-1].forward.call_unrecorded(inputs)
    backward = _make_backward(orders, inputs, results)
    call_op = get_op("PartitionedCall")
    for tape in tapes:
        tape.record_function(call_op, inputs, results, backward, takes_none=True)
    return results[: len(function.graph.outputs)]


def _derivatives_of_orders(
    function: CallableFunction, order: int, wanted: frozenset[int], *, closed: bool
) -> list[Derivative]:
    """Returns the derivatives for the first, second ... order.

    A function without loops has one derivative for all orders: gradients flow into the function's intermediates as
    into its outputs. The intermediates of a loop are lists. A gradient that flows into a list takes a derivative
    of its own.
    """
    derivatives = [derivative_of(function, closed=closed, wanted=wanted, copies_constants=not closed)]
    while len(derivatives) < order and derivatives[-1].keeps_lists:
        derivatives.append(derivative_of(derivatives[-1].forward, closed=True, wanted=wanted, copies_constants=False))
    return derivatives


def _watched_positions(inputs: Sequence[Any], tapes: Sequence[Any]) -> frozenset[int]:
    """Returns the positions of the inputs that a tape follows."""
    numbers = [getattr(t, "_tape_id", 0) if is_trainable(t.dtype) else 0 for t in inputs]
    return frozenset(i for i, n in enumerate(numbers) if n and any(n in tape.watched for tape in tapes))


def _make_backward(orders: Sequence[Derivative], inputs: Sequence[Any], results: Sequence[Any]) -> Any:
    """Makes the backward function of one call, which holds the values that it reads.

    The outputs that have a gradient determine the order: the intermediates of one order are outputs of the next order.
    """
    forward_outputs = orders[-1].forward.graph.outputs
    saved_values = [derivative.gather_saved(inputs, results) for derivative in orders]
    specs = output_specs(results)
    lists = {i: t for i, t in enumerate(results) if t.dtype.name == "variant"}

    def backward(*dys: Any) -> list[Any]:
        derivative = reaching(orders, dys, forward_outputs, frozenset())
        if derivative is None:
            raise LookupError(
                "No gradient defined for the gradient of a tf.while_loop: this derivative through a loop is of a "
                f"higher order than the {len(orders)} that the tapes asked for when the function was called."
            )
        positions = derivative.gradient_positions
        gradients = [fill_gradient(zeros_if_missing(dys[p], specs[p]), lists.get(p)) for p in positions]
        input_gradients: list[Any] = derivative.call_backward(gradients, saved_values[orders.index(derivative)])
        return input_gradients

    return backward
