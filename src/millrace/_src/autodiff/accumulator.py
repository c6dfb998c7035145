"""Forward mode: a recorder that carries a tangent along with every tensor that it follows.

To `execute` an accumulator is a tape like any other. Told of an op whose inputs have tangents, the accumulator computes
the tangents of the outputs at once, so nothing is kept for later: a tangent lives as long as its tensor. The recorders
outside of an accumulator see the ops that the accumulator runs; the recorders inside do not. So nesting gives higher
orders, and no tangent of one accumulator is taken for a tangent of another.

For a Python function with its own gradient (`tf.custom_gradient`), that gradient is run on ones under a tape. The
tape's gradient with respect to the ones, weighted with the input tangents, is the output tangent.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.backprop import sweep
from millrace._src.autodiff.gradient_plan import gradient_plan
from millrace._src.autodiff.gradient_registry import operation_rule
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tangent_plans import (
    TangentPlan,
    seed_like,
    tangent_plan,
    weigh_targets,
    whole_plan,
)
from millrace._src.autodiff.tape import Tape
from millrace._src.core.context import state, tapes_scope
from millrace._src.core.dispatch import BoundCall
from millrace._src.core.indexed_slices import dense
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import EagerTensor, tape_id
from millrace._src.ops import raw


class TangentAccumulator:
    """A recorder of tangents; `ForwardAccumulator` owns one."""

    persistent = True
    is_forward = True

    def __init__(self) -> None:
        self.watched: set[int] = set()
        """The numbers of the tensors that have a tangent."""
        self._tangents: dict[int, tuple[Any, Any]] = {}
        """By tape number: the tangent, and a weak reference to the eager tensor, whose end also ends the entry."""

        self._constant: set[int] = set()
        """The numbers of another accumulator's tangents that are constant although they were made from primals."""
        self.is_finished = False
        """Whether all tangents have been asked for: the outputs that an operation gets later need no tangents."""

    def watches(self, number: int) -> bool:
        """Returns whether the tensor of this number has a tangent."""
        return number in self.watched

    def tangent(self, tensor: object) -> Any:
        """Returns the tangent of a tensor, or None."""
        entry = self._tangents.get(getattr(tensor, "_tape_id", 0))
        return None if entry is None else entry[0]

    def tangent_or_zeros(self, tensor: object) -> Any:
        """Returns the tangent of a tensor, zeros where the tensor is known not to change, or None."""
        tangent = self.tangent(tensor)
        return (
            raw.ZerosLike(x=tensor) if tangent is None and getattr(tensor, "_tape_id", 0) in self._constant else tangent
        )

    def mark_constant(self, tensors: Sequence[Any]) -> None:
        """Notes tensors that do not change with the primals, although they were made from the primals."""
        numbers = [tape_id(t) for t in tensors if t is not None and is_trainable(t.dtype)]
        self._constant.update(numbers)
        self.watched.update(numbers)

    def differentiable_tangent(self, tensor: Any) -> Any:
        """Returns the tangent of a tensor through which changes flow, or None."""
        return self.tangent(tensor) if is_trainable(tensor.dtype) else None

    def set_tangent(self, tensor: object, tangent: object) -> None:
        """Gives a tensor its tangent."""
        number = tape_id(tensor)
        self.watched.add(number)
        reference = None
        if isinstance(tensor, EagerTensor):
            accumulator = weakref.ref(self)  # the accumulator holds the reference: a cycle would keep all tangents
            reference = weakref.ref(tensor, lambda _: _forget(accumulator, number))
        self._tangents[number] = (tangent, reference)

    def pass_on(self, results: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Gives the outputs of a function with a custom gradient the tangents of the function's own results.

        The accumulator has followed the ops of the function. It follows the gradient function only for results to which
        the ops gave no tangent; TensorFlow does the same.
        """
        for before, after in zip(results, outputs, strict=True):
            tangent = self.differentiable_tangent(before)
            if tangent is not None:
                self.set_tangent(after, tangent)

    def variable_read(self, variable: Any, call: BoundCall, value: EagerTensor) -> None:
        """Gives the value that was read from a variable the tangent of the variable."""
        self.record_call(call, (variable.handle,), (value,))

    def variable_accessed(self, variable: object) -> None:
        """Does nothing: a variable has a tangent only if it was given one."""

    # --- what the recorders around this one see ----------------------------------------------------------------

    def outer_recorders(self) -> tuple[Any, ...]:
        """Returns the recorders that were entered before this accumulator and see its ops."""
        tapes = state.tapes
        return tapes[: tapes.index(self)] if self in tapes else tapes

    def record_call(self, call: BoundCall, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Computes the tangents of an eager call's outputs, if an input has a tangent."""
        self.record(call.op, inputs, outputs, call.attrs)

    def record(self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        """Computes the tangents of an op's outputs, if an input has a tangent."""
        numbers = [getattr(t, "_tape_id", 0) for t in inputs]
        if self.watched.isdisjoint(numbers):
            return
        if op.traits.not_differentiable is not None and gradient_plan(op) is None:
            return
        tangents = [self.differentiable_tangent(t) for t in inputs]
        if not self._constant.isdisjoint(numbers):
            self.mark_constant(outputs)
        if not _some(tangents) or not any(is_trainable(t.dtype) for t in outputs):
            return
        if op.rules.operation_tangents is not None and not isinstance(outputs[0], EagerTensor):
            op.rules.operation_tangents(outputs[0].op, self)
            return
        rule = operation_rule(op, outputs[0], lambda: [1] * len(inputs))
        if rule is not None:
            self._record_rule(rule, inputs, outputs, tangents)
            return
        plan = tangent_plan(op, inputs, outputs, attrs, tangents)
        output_tangents: Sequence[Any] = [None] * len(outputs)
        if plan.found:
            output_tangents = self._through_plan(plan, inputs, outputs, tangents)
        if len(inputs) > 1:
            output_tangents = self._as_if_all_changed(plan, output_tangents, (op, inputs, outputs, attrs, tangents))
        self._keep(outputs, output_tangents)

    def _as_if_all_changed(self, plan: TangentPlan, found: Sequence[Any], call: tuple[Any, ...]) -> Sequence[Any]:
        """Puts zeros in place of missing tangents where TensorFlow has zeros.

        TensorFlow takes the tangent of an input that does not change to be zeros. So outputs that depend on such inputs
        only have zeros as tangents, and for outer tapes a tangent depends on such inputs, too.
        """
        _, inputs, outputs, _, _ = call
        tapes = [r for r in self.outer_recorders() if not r.is_forward]
        is_missing = any(t is None and is_trainable(x.dtype) for x, t in zip(outputs, found, strict=True))
        if not is_missing and not _any_watches(tapes, [*inputs, *outputs]):
            return found
        full_plan = whole_plan(*call)
        values = {"input": inputs, "output": outputs}
        sources = [values[kind][position] for kind, position in sorted(full_plan.links - plan.links)]
        sources = [t for t in sources if _any_watches(tapes, [t])]
        with tapes_scope(self.outer_recorders()):
            found = [
                raw.ZerosLike(x=x) if t is None and all_changed is not None else t
                for x, t, all_changed in zip(outputs, found, full_plan.results, strict=True)
            ]
        mark_constants(self.outer_recorders(), inputs, found)
        return [t if t is None or not sources else self._depending_on(sources, t) for t in found]

    def _depending_on(self, sources: Sequence[Any], tangent: object) -> Any:
        """Returns a tangent that depends on some tensors for the outer tapes, with zeros as derivatives."""
        with tapes_scope(()):
            copy = raw.Identity(input=tangent)

        def backward(dtangent: object) -> list[Any]:
            return [dtangent, *[raw.ZerosLike(x=t) for t in sources]]

        for recorder in self.outer_recorders():
            if recorder.is_forward:
                recorder.pass_on([tangent], [copy])
            else:
                recorder.record_function(get_op("Identity"), [tangent, *sources], [copy], backward)
        mark_constants(self.outer_recorders(), [tangent], [copy])
        return copy

    def _through_plan(
        self, plan: TangentPlan, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> list[Any]:
        """Computes the output tangents; by op calls only where a recorder around has to see the calls."""
        outer_recorders = self.outer_recorders()
        if state.graph is None and not plan.needs_seeds:
            arguments = plan.arguments(inputs, outputs, tangents)
            if not outer_recorders or not _any_watches(outer_recorders, [*inputs, *arguments]):
                return plan.run(arguments)
        with tapes_scope(outer_recorders):
            arguments = plan.arguments(inputs, outputs, tangents)
            output_tangents = plan.apply(arguments)
        mark_constants(outer_recorders, [*inputs, *arguments], output_tangents)
        return output_tangents

    def _keep(self, outputs: Sequence[Any], tangents: Sequence[Any]) -> None:
        for tensor, tangent in zip(outputs, tangents, strict=True):
            if tangent is not None:
                self.set_tangent(tensor, tangent)

    def record_function(
        self, name: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], backward: Callable[..., Any]
    ) -> None:
        """Computes the tangents of the results of a computation with its own backward function.

        A result that has a tangent already, because its computation was recorded, keeps that tangent.
        """
        tangents = [self.differentiable_tangent(t) for t in inputs]
        if _some(tangents):
            self._record_rule(backward, inputs, outputs, tangents)

    def _record_rule(
        self, backward: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> None:
        if all(self.tangent(t) is not None for t in outputs):
            return
        with tapes_scope(self.outer_recorders()):
            output_tangents = tangents_through(backward, outputs, tangents)
        for tensor, tangent in zip(outputs, output_tangents, strict=False):
            if tangent is not None and self.tangent(tensor) is None:
                self.set_tangent(tensor, tangent)


def _forget(accumulator: weakref.ref[TangentAccumulator], number: int) -> None:
    """Drops the tangent of a tensor that does not exist any more."""
    live_accumulator = accumulator()
    if live_accumulator is not None:
        live_accumulator._tangents.pop(number, None)
        live_accumulator.watched.discard(number)


def _some(tangents: Sequence[Any]) -> bool:
    return any(t is not None for t in tangents)


def mark_constants(recorders: Sequence[Any], sources: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Marks, for the accumulators that follow a source, the tangents that do not change with the source."""
    for recorder in recorders:
        if recorder.is_forward and _any_watches([recorder], sources):
            recorder.mark_constant([t for t in tangents if t is not None and recorder.tangent(t) is None])


def _any_watches(recorders: Sequence[Any], tensors: Sequence[Any]) -> bool:
    numbers = [getattr(t, "_tape_id", 0) for t in tensors]
    return any(not recorder.watched.isdisjoint(numbers) for recorder in recorders)


def tangents_through(backward: Callable[..., Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """Computes output tangents from input tangents and a backward function that is linear in the output gradients.

    Args:
      backward: `backward(*output_gradients) -> input gradients`.
      outputs: the outputs of the computation.
      tangents: for each input a tangent or None.

    Returns: For each output a tangent or None.
    """
    tape = Tape(persistent=True)
    seeds = [
        seed_like(t) if is_trainable(t.dtype) and not t.dtype.is_resource else None  # a handle is only passed on
        for t in outputs
    ]
    for seed in seeds:
        if seed is not None:
            tape.watch(seed)
    with tapes_scope((*state.tapes, tape)):
        gradients = list(backward(*seeds))
    weights = {tape_id(target): weight for target, weight in weigh_targets(gradients, tangents)}
    seed_numbers = [0 if s is None else tape_id(s) for s in seeds]
    results = sweep(reversed(tape.entries), weights, frozenset(seed_numbers))
    return [dense(results.get(number)) if number else None for number in seed_numbers]
