"""How the outputs of one op change with its inputs, found from its gradient alone.

A gradient is linear in the gradients of the outputs: `dx = J^T dy`. Differentiating that with respect to `dy`, with a
change `tx` of the input as the weight, gives `J tx`, the change of the output. So an op needs no second rule: the op's
gradient is run on placeholders in a graph of its own, that graph is differentiated by the placeholders of `dy`, and
the operations that the result needs are kept as a *plan*. The values of `dy` drop out, and with `dy` most of the
backward computation: what is left of MatMul is `ta @ b + a @ tb`.

Plans are cached by op, attributes, dtypes and shapes. Where shapes keep changing, one plan with unknown dimensions
serves all shapes.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.autodiff.backprop import add_gradients, entry_gradients
from millrace._src.autodiff.gradient_plan import compute_gradient, gather_values, gradient_plan
from millrace._src.autodiff.graph_gradients import find_reached, graph_gradients
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import TapeEntry
from millrace._src.core.context import eager_engine, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.engine import Run
from millrace._src.core.execute import scalar_array
from millrace._src.core.indexed_slices import IndexedSlices, dense
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_signature import argument_indices
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, array_of, tape_id
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import replay
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw
from millrace._src.passes.pipeline import optimize

_MAX_SHAPES = 16
"""The most different shapes of one call that have a plan each; further shapes share a plan with unknown dimensions."""
_MAX_PLANS = 4096


class _Source(NamedTuple):
    """Where the value of a plan's placeholder comes from: an "input", an "output", a "tangent", or a "seed"."""

    kind: str
    position: int


class TangentPlan:
    """A graph from inputs, outputs and input tangents of one op to the output tangents.

    Args:
      graph: the graph.
      sources: for each placeholder the input, output or tangent that the placeholder represents.
      results: the tangent of each output, or None.
    """

    def __init__(self, graph: FuncGraph, sources: Sequence[tuple[Any, _Source]], results: Sequence[Any]) -> None:
        self.graph = graph
        self.results = list(results)
        self.found = [t for t in results if t is not None]
        roots = [t.op for t in self.found]
        source_operations = [t.op for t, _ in sources]
        needed_operations = find_required_operations(
            graph.get_operations(), roots, stop=source_operations, with_effects=False
        )
        used_operations = {t.op for operation in needed_operations for t in operation.inputs} | set(roots)
        self.operations: list[Operation] = needed_operations
        self.inputs = [t for t, _ in sources if t.op in used_operations]
        self.sources = [source for t, source in sources if t.op in used_operations]
        self.needs_seeds = any(source.kind == "seed" for source in self.sources)
        self._compiled: Run | None = None

    @functools.cached_property
    def links(self) -> frozenset[_Source]:
        """The inputs and outputs of the op into which gradients of the tangents flow."""
        values = [(t, s) for t, s in zip(self.inputs, self.sources, strict=True) if s.kind in ("input", "output")]
        return frozenset(s for t, s in values if is_trainable(t.dtype) and self._is_reached_from(t))

    def _is_reached_from(self, tensor: object) -> bool:
        numbers = find_reached(self.operations, [tensor])
        return any(tape_id(t) in numbers for t in self.found)

    def arguments(self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """Returns the tensors for the placeholders."""
        values = {"input": inputs, "output": outputs, "tangent": tangents}
        if not self.needs_seeds:
            return [values[kind][position] for kind, position in self.sources]
        return [seed_like(outputs[p]) if kind == "seed" else values[kind][p] for kind, p in self.sources]

    def run(self, arguments: Sequence[EagerTensor]) -> list[Any]:
        """Computes the output tangents at once; no recorder sees the computation."""
        if self._compiled is None:
            optimized = optimize(self.graph, self.inputs, self.found, with_effects=False)
            self._compiled = eager_engine().compile(optimized).quiet_run()
        arrays = self._compiled(*[t._eager_array for t in arguments])
        results = iter(arrays)
        return [None if t is None else _eager(next(results), t.dtype) for t in self.results]

    def apply(self, arguments: Sequence[Any]) -> list[Any]:
        """Computes the output tangents by op calls in the current context, where tapes and graphs see the calls."""
        values = {(id(t.op), t.value_index): a for t, a in zip(self.inputs, arguments, strict=True)}
        for operation in self.operations:
            replay(operation, values)
        return [None if t is None else values[id(t.op), t.value_index] for t in self.results]


def seed_like(tensor: Any) -> Any:
    """Makes an output gradient to differentiate by: ones, on which a rule that is not linear has a definite result."""
    return raw.ZerosLike(x=tensor) if tensor.dtype.name == "variant" else raw.OnesLike(x=tensor)


def _eager(value: Any, dtype: Any) -> EagerTensor:
    return EagerTensor(value if type(value) is np.ndarray else scalar_array(value, dtype), dtype)


# --- the cache -------------------------------------------------------------------------------------------------------

_plans: dict[Any, TangentPlan] = {}
_shapes_seen: dict[Any, int] = {}


def tangent_plan(
    op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any], tangents: Sequence[Any]
) -> TangentPlan:
    """Returns the plan for one call of an op.

    Args:
      op: an op that has a gradient.
      inputs: the input tensors of the call.
      outputs: the output tensors of the call.
      attrs: the attributes of the call.
      tangents: for each input a tangent or None.

    Raises: LookupError: if the plan needs a gradient that is not defined.
    """
    baked = _bake_attributes(op, inputs, attrs)
    constants = tuple((i, v.shape, v.tobytes()) for i, v in baked.items())
    call = (op, *attrs.items(), *[t.dtype for t in inputs], *[t is not None for t in tangents], constants)
    shapes = tuple([_shape(t) for part in (inputs, outputs, tangents) for t in part])
    if op.effects(attrs) is Effects.IO:
        return _build(op, inputs, outputs, attrs, tangents, shapes, baked)
    try:
        plan = _plans.get((call, shapes))
    except TypeError:  # an attribute that cannot be a key
        return _build(op, inputs, outputs, attrs, tangents, shapes, baked)
    if plan is None:
        shapes = _relax_shapes(call, shapes)
        plan = _plans.get((call, shapes))
    if plan is None:
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
            _shapes_seen.clear()
        plan = _plans[call, shapes] = _build(op, inputs, outputs, attrs, tangents, shapes, baked)
    return plan


def whole_plan(
    op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any], tangents: Sequence[Any]
) -> TangentPlan:
    """Returns the plan for a call as if all floating and complex inputs changed.

    TensorFlow takes the tangent of an input that does not change to be zeros. This plan shows which outputs have zeros
    as tangents for that reason, rather than None.
    """
    changing = [x if t is None and _is_number(x) else t for x, t in zip(inputs, tangents, strict=True)]
    return tangent_plan(op, inputs, outputs, attrs, changing)


def _is_number(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _shape(tensor: Any) -> Any:
    """Returns the shape in a form to look up: a tuple with None for unknown dimensions."""
    if isinstance(tensor, EagerTensor):
        return array_of(tensor).shape if hasattr(array_of(tensor), "shape") else ()
    if tensor is None or tensor.shape.rank is None:
        return None
    return tuple(tensor.shape.as_list())


def _relax_shapes(call: object, shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the shapes, or only their ranks after `_MAX_SHAPES` different shapes."""
    count = _shapes_seen[call] = _shapes_seen.get(call, 0) + 1
    if count <= _MAX_SHAPES:
        return shapes
    return tuple([None if s is None else (None,) * len(s) for s in shapes])


def _bake_attributes(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> dict[int, Any]:
    """Returns the known values of inputs that say axes and shapes: rules read such values while they build nodes."""
    if not op.traits.constant_inputs:
        return {}
    constant_positions = [
        i
        for arg, at in argument_indices(op.signature.inputs, attrs)
        if arg.name in op.traits.constant_inputs
        for i in at
    ]
    values = {i: static_value(inputs[i]) for i in constant_positions if not is_trainable(inputs[i].dtype)}
    return {i: value for i, value in values.items() if value is not None}


# --- building --------------------------------------------------------------------------------------------------------


def _build(
    op: OpDef,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    attrs: dict[str, Any],
    tangents: Sequence[Any],
    shapes: Sequence[Any],
    baked: dict[int, Any],
) -> TangentPlan:
    graph = FuncGraph(f"tangent_of_{op.name}")
    graph.outer_graph = None
    graph.copies_constants = True
    sources: list[tuple[Any, _Source]] = []

    def placeholder(kind: str, index: int, like: Any, shape: object) -> Any:
        tensor = graph.placeholder_like(like, TensorShape(shape), f"{kind}_{index}")
        sources.append((tensor, _Source(kind, index)))
        return tensor

    n, m = len(inputs), len(outputs)
    with graph.as_default(), tapes_scope(()):
        input_placeholders = [
            graph.constant(baked[i], t.dtype, f"input_{i}") if i in baked else placeholder("input", i, t, shapes[i])
            for i, t in enumerate(inputs)
        ]
        output_placeholders = [placeholder("output", j, t, shapes[n + j]) for j, t in enumerate(outputs)]
        changes = [
            None if t is None else placeholder("tangent", i, t, shapes[n + m + i]) for i, t in enumerate(tangents)
        ]
        seeds = [
            placeholder("seed", j, t, shapes[n + j]) if is_trainable(t.dtype) else None for j, t in enumerate(outputs)
        ]
        gradients = _input_gradients(op, input_placeholders, output_placeholders, attrs, seeds)
        return TangentPlan(graph, sources, transpose(graph, gradients, _complete(input_placeholders, changes), seeds))


def _input_gradients(
    op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any], seeds: Sequence[Any]
) -> list[Any]:
    """Returns the gradients that the op's rule gives for the inputs."""
    rule = gradient_plan(op)
    values = {} if rule is None else gather_values(op, rule.names, inputs, outputs, attrs)
    return [
        compute_gradient(g) for g in entry_gradients(TapeEntry(op, attrs, (), (), tuple(outputs), values), list(seeds))
    ]


def _complete(inputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """Returns tangents, with zeros for lists without a tangent: to a list's gradient belongs a list."""
    return [
        raw.ZerosLike(x=x) if t is None and x.dtype.name == "variant" else t
        for x, t in zip(inputs, tangents, strict=True)
    ]


def transpose(graph: FuncGraph, gradients: Sequence[Any], tangents: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
    """Transposes a backward computation that is linear in `seeds`; returns a tangent or None for each seed."""
    weighted = weigh_targets(gradients, tangents)
    targets, weights = [t for t, _ in weighted], [w for _, w in weighted]
    sources = [s for s in seeds if s is not None]
    results = iter(graph_gradients(graph.get_operations(), targets, weights, sources))
    return [None if s is None else dense(next(results)) for s in seeds]


def weigh_targets(gradients: Sequence[Any], tangents: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Joins input gradients with their weights, the tangents; a tensor that occurs twice gets the sum of weights."""
    pairs: dict[int, tuple[Any, Any]] = {}
    for gradient, tangent in zip(gradients, tangents, strict=False):
        if gradient is None or tangent is None:
            continue
        if isinstance(gradient, IndexedSlices):
            tangent = raw.GatherV2(params=tangent, indices=gradient.indices, axis=0)
            gradient = gradient.values
        gradient = convert_to_tensor(gradient)
        _, earlier_weight = pairs.get(tape_id(gradient), (None, None))
        pairs[tape_id(gradient)] = (
            gradient,
            tangent if earlier_weight is None else add_gradients(earlier_weight, tangent),
        )
    return list(pairs.values())
