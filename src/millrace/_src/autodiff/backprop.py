"""One backward sweep, for tapes and for graphs.

Tapes and graphs give a list of entries in the order in which the ops ran. The sweep goes through the entries backwards,
passes the gradients of each op's outputs to the op's gradient, and adds up the gradients of the inputs. In eager mode
the sweep computes; in a graph the sweep builds nodes. An outer tape records the sweep, and so higher orders work.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.autodiff.gradient_plan import GradientPlan, compute_gradient, gradient_plan
from millrace._src.autodiff.op_recording import PackedEntry
from millrace._src.autodiff.tape import TapeEntry, unpack_entry
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.execute import execute
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_registry import get_op
from millrace._src.ops import raw
from millrace._src.util.export import export


@export("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """What the gradient is when the target does not depend on the source: nothing, or zeros."""

    NONE = "none"
    ZERO = "zero"


def sweep(
    entries: Iterable[TapeEntry | PackedEntry], gradients: dict[int, Any], wanted: frozenset[int]
) -> dict[int, Any]:
    """Propagates output gradients backwards.

    Args:
      entries: the recorded ops, last one first.
      gradients: the gradients known so far, by tensor number; consumed.
      wanted: the numbers whose gradients the caller will read.

    Returns: The gradients by tensor number.
    """
    _sweep(entries, gradients, wanted)
    for i in wanted:
        if i in gradients:
            gradients[i] = join(gradients[i])
    return gradients


def _sweep(entries: Iterable[TapeEntry | PackedEntry], gradients: dict[int, Any], wanted: frozenset[int]) -> None:
    for noted in entries:
        if type(noted) is not tuple or not gradients.keys().isdisjoint(noted[2]):
            _go_back(unpack_entry(noted), gradients, wanted)


def _go_back(entry: TapeEntry, gradients: dict[int, Any], wanted: frozenset[int]) -> None:
    """Takes the gradients of an op's outputs and adds the gradients of the inputs; no value outlives the call."""
    output_gradients = [join(gradients.get(i)) if i else None for i in entry.output_ids]
    if all(g is None for g in output_gradients):
        return
    for i in entry.output_ids:
        if i and i not in wanted:
            gradients.pop(i, None)
    if entry.scope is None:
        _collect(gradients, entry.input_ids, entry_gradients(entry, output_gradients))
        return
    with name_scope(entry.scope):
        results = entry_gradients(entry, output_gradients)
        gradients_found = [compute_gradient(g) for g in results]  # all nodes that TensorFlow writes, needed or not
    _collect(gradients, entry.input_ids, gradients_found)


def _collect(gradients: dict[int, Any], input_ids: Sequence[int], results: Sequence[Any]) -> None:
    """Adds the gradients of an op's inputs to the known gradients; calls a gradient on demand only if it is needed."""
    for i, gradient in zip(input_ids, results):
        if i and gradient is not None:
            gradient = compute_gradient(gradient)
            earlier_gradient = gradients.get(i)
            gradients[i] = gradient if earlier_gradient is None else add_gradients(earlier_gradient, gradient)


def entry_gradients(entry: TapeEntry, output_gradients: Sequence[Any]) -> Sequence[Any]:
    """Returns the gradients of an op's inputs, flat, each a tensor, None or a function that computes the gradient.

    A loop that is differentiated takes further inputs (the lists that it fills), which come last and have no gradient.
    """
    if entry.backward is not None:
        full_gradients = [_fill(g, spec) for g, spec in zip(output_gradients, entry.output_specs, strict=True)]
        return list(entry.backward(*full_gradients))
    plan = gradient_plan(entry.op)
    if plan is None:
        raise _no_gradient(entry)
    output_gradients = plan.as_accepted(output_gradients)
    if plan.is_plain:
        grouped = output_gradients
    else:
        specs = [None if none else s for none, s in zip(_takes_none(plan, entry), entry.output_specs, strict=True)]
        full_gradients = [_fill(g, spec) for g, spec in zip(output_gradients, specs, strict=True)]
        grouped = entry.op.signature.split_outputs(full_gradients, entry.attrs)
    result = plan.function(*grouped, **entry.saved)
    if plan.is_plain:
        return result if isinstance(result, (tuple, list)) else (result,)
    return _flat_input_gradients(entry, result)


def _takes_none(plan: GradientPlan, entry: TapeEntry) -> Sequence[bool]:
    """Returns, for each flat output, whether the gradient may be missing."""
    return plan.takes_none if len(plan.takes_none) == len(entry.output_specs) else [False] * len(entry.output_specs)


def _no_gradient(entry: TapeEntry) -> LookupError:
    """Makes the error for a missing gradient in TensorFlow's words, which differ between tapes and graphs."""
    op = entry.op
    reason = "" if op.traits.no_gradient is None else f" Reason: {op.traits.no_gradient}."
    if entry.scope is None:
        return LookupError(f"gradient registry has no entry for: {op.name}.{reason}")
    operation = entry.scope.removesuffix("_grad")
    return LookupError(
        f"No gradient defined for operation'{operation}' (op type: {op.name}).{reason} If it is a constant as far as "
        "you are concerned, put `tf.stop_gradient` around it; or give it a gradient with `tf.custom_gradient`."
    )


def _flat_input_gradients(entry: TapeEntry, result: Any) -> list[Any]:
    args = entry.op.signature.inputs
    parts = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(args) == 1 and args[0].is_list and not (len(parts) == 1 and isinstance(parts[0], (list, type(None)))):
        parts = [parts]
    input_gradients: list[Any] = []
    for arg, part in zip(args, parts, strict=True):
        if not arg.is_list:
            input_gradients.append(part)
            continue
        input_gradients.extend([None] * arg.size(entry.attrs) if part is None else part)
    return input_gradients


def _fill(gradient: object, spec: Any) -> Any:
    """Returns the gradient of an output, zeros for an output without a gradient."""
    if gradient is not None or spec is None:
        return gradient
    if isinstance(spec, tuple):
        shape, dtype = spec
        return None if not (dtype.is_floating or dtype.is_complex) else zeros(shape.as_list(), dtype)
    dtype = spec.dtype
    return raw.ZerosLike(x=spec) if dtype.is_floating or dtype.is_complex else None


def zeros(shape: Sequence[int], dtype: DTypeLike) -> Any:
    """Makes a tensor of zeros."""
    return execute(
        get_op("Fill"), (convert_to_tensor(list(shape), dtype="int32"), convert_to_tensor(0, dtype=dtype)), {}, "zeros"
    )


class _SlicesSum:
    """The sparse gradients of several uses of one tensor, which are joined when the last one is there.

    Joining at every addition would copy the first gradients again and again.
    """

    __slots__ = ("parts",)

    def __init__(self, *parts: IndexedSlices) -> None:
        self.parts = list(parts)

    def join(self) -> IndexedSlices:
        """Joins the gradients to one `IndexedSlices`, in the order of the sweep: the last use comes first."""
        parts = self.parts
        indices = [convert_to_tensor(p.indices) for p in parts]
        if len({i.dtype for i in indices}) > 1:
            indices = [raw.Cast(x=i, DstT="int64") for i in indices]
        values = raw.ConcatV2(values=[p.values for p in parts], axis=0)
        shape = next((p.dense_shape for p in parts if p.dense_shape is not None), None)
        return IndexedSlices(values, raw.ConcatV2(values=indices, axis=0), shape)


def join(gradient: object) -> Any:
    """Returns a gradient in its public form: a `_SlicesSum` becomes one `IndexedSlices`."""
    return gradient.join() if type(gradient) is _SlicesSum else gradient


def add_gradients(a: Any, b: Any) -> Any:
    """Adds another gradient to the gradient known so far; sparse gradients stay sparse, until `join`."""
    if isinstance(b, IndexedSlices):
        if type(a) is _SlicesSum:
            a.parts.append(b)
            return a
        if isinstance(a, IndexedSlices):
            return _SlicesSum(a, b)
    return raw.AddN(inputs=[convert_to_tensor(join(a)), convert_to_tensor(b)])


def fill_unconnected(gradient: object, source: Any, mode: UnconnectedGradients) -> Any:
    """Returns a gradient, or the value of a missing gradient: None or zeros."""
    if gradient is not None or mode is UnconnectedGradients.NONE:
        return gradient
    return raw.ZerosLike(x=convert_to_tensor(source))
