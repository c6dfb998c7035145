"""`tf.while_loop`: repeats a body while a condition holds.

In eager mode the loop is a Python loop. In a graph, condition and body become graphs, the attributes of a `While` node.
The inputs and outputs of the node are the loop's state: a counter, the counter's bound, the loop variables, and what
the two graphs capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.control_flow.traced_branches import (
    Branch,
    finish_branch,
    into_current_graph,
    merge_captures,
    read_only_inputs,
)
from millrace._src.core import context, errors
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.execute import execute
from millrace._src.core.handle_types import HandleType, common_type
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import get_op, late_bound
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TypeSpec
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.graph.control_deps import body_effects, body_writes
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import make_function
from millrace._src.ops import raw
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.text import shape_parentheses

_COUNTERS = 2
"""The state starts with the loop counter and the maximum number of iterations."""
_IS_COUNTED = "_num_original_outputs"
"""The attribute by which TensorFlow marks the loops of `tf.while_loop`, whose state starts with counter and bound."""


def _while_shape(c: ShapeContext) -> Sequence[TensorShape]:
    declared_shapes: Sequence[TensorShape] = c.attr("output_shapes")
    return declared_shapes or [t.shape for t in c.inputs]


def _while_handles(c: ShapeContext) -> list[HandleType | None]:
    """Returns the handle types that hold in every iteration; a variable that the body passes on keeps its type."""
    body = c.attr("body").graph
    variables = zip(c.inputs, body.inputs, body.outputs, strict=True)
    return [
        first.handle_type if after is before else common_type([first.handle_type, after.handle_type])
        for first, before, after in variables
    ]


def _while_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects([attrs["cond"], attrs["body"]])


def _while_kernel(
    xp: Xp,
    input: list[Any],
    *,
    cond: FunctionAttr,
    body: FunctionAttr,
    output_shapes: list[TensorShape] = (),  # type: ignore[assignment]  # an empty list by default
    parallel_iterations: int = 10,
) -> Any:
    """Repeats `body` while `cond` holds."""
    return list(xp.while_loop(cond, body, input))


_WHILE = "input: T -> output: T"
_LOOP: dict[str, Any] = {
    "T": TypeList(ANY),
    "shape": _while_shape,
    "handles": _while_handles,
    "effects": _while_effects,
    "control": "loop",
}
while_ = op("While", _WHILE, **_LOOP)(_while_kernel)
stateless_while = op("StatelessWhile", _WHILE, is_stateless=True, **_LOOP)(_while_kernel)


@export("while_loop", v1=[])
@late_bound("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeats `body` while `cond` is true.

    >>> tf.while_loop(lambda i: i < 10, lambda i: [i * 2], [tf.constant(1)])
    [<tf.Tensor: shape=(), dtype=int32, numpy=16>]

    Args:
      cond: a function of the loop variables that returns a boolean scalar.
      body: a function of the loop variables that returns their new values, in the same structure.
      loop_vars: a list or tuple, possibly nested, of the first values.
      shape_invariants: the static shapes that hold in every iteration, in the structure of `loop_vars`.
      parallel_iterations: recorded in the graph; iterations run one after the other.
      back_prop: False: no gradient flows through the loop in a graph, as if `tf.stop_gradient` were around it; eager
        loops are not affected.
      swap_memory: accepted for compatibility; there is one memory.
      maximum_iterations: a bound on the number of iterations.
      name: name of the operation in a graph.

    Returns: The last values, in the structure of `loop_vars`.
    Raises:
      TypeError: if `cond` or `body` is not callable, or a variable changes its dtype in a graph.
      ValueError: if there are no loop variables, the structure changes, or a shape changes without an invariant.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if state.graph is None:
        return _eager_loop(cond, body, loop_vars, maximum_iterations)
    with context.name_scope(name, "while") as scope:
        loop = _GraphLoop(cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, scope)
        results = loop.build()
        return results if back_prop else _without_gradient(results)


def _without_gradient(values: Any) -> Any:
    return nest.map_structure(lambda v: raw.StopGradient(input=v), values, expand_composites=True)


def build_bounded_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum: Any, name: str
) -> Any:
    """Builds a loop in the current graph that is known to end after at most `maximum` iterations (-1: not known).

    The loop does not test the bound: the bound says to a compiler how much the loop may keep.
    """
    with context.name_scope(name, "while") as scope:
        loop = _GraphLoop(cond, body, loop_vars, invariants, 10, maximum, scope)
        loop.bounded = False
        return loop.build()


def iteration_bound(operation: Any) -> Any:
    """Returns the input of a loop that bounds its iterations (-1: no bound); None for a loop without that input."""
    return operation.inputs[1] if _IS_COUNTED in operation.attrs else None


def _eager_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum: Any) -> Any:
    iterations, limit = 0, None if maximum is None else _eager_limit(maximum)
    first_values = _without_arrays(loop_vars)
    while (limit is None or iterations < limit) and _goes_on(cond(*loop_vars), limit is not None):
        loop_vars = body(*loop_vars)
        if limit is not None and not isinstance(loop_vars, (list, tuple)):
            nest.assert_same_structure(list(first_values), loop_vars, expand_composites=True)
        nest.assert_same_structure(list(first_values), list(_without_arrays(loop_vars)), expand_composites=True)
        iterations += 1
    return nest.map_structure(_as_value, loop_vars)


def _goes_on(condition: Any, is_limited: bool) -> bool:
    """Returns whether a loop goes on; with a limit on its iterations the condition must convert to a boolean tensor."""
    return bool(convert_to_tensor(condition, dtype="bool") if is_limited else condition)


def _eager_limit(maximum: Any) -> int:
    """Returns the bound on the iterations as an int."""
    shape = getattr(maximum, "shape", ())
    if len(shape):
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {shape_parentheses(shape)}")
    return int(maximum.numpy() if isinstance(maximum, EagerTensor) else maximum)


def _without_arrays(values: Any) -> Any:
    """Replaces the TensorArrays of a structure by None, so that comparing structures does not look inside."""
    return nest.map_structure(lambda v: None if isinstance(v, TensorArray) else v, values)


def _as_value(value: Any) -> Any:
    """Turns a result of an eager loop into tensors."""
    if isinstance(value, TensorArray):
        return value
    return nest.map_structure(convert_to_tensor, value, expand_composites=True)


class _GraphLoop:
    """A loop while it is built into a graph."""

    def __init__(
        self,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Any,
        invariants: Any,
        parallel: int,
        maximum: Any,
        scope: str,
    ) -> None:
        self.cond, self.body, self.parallel, self.scope = cond, body, parallel, scope
        self.outer = state.graph
        with context.name_scope(None):
            self.first = [convert_to_tensor(v) for v in nest.flatten(loop_vars, expand_composites=True)]
        self.handle_types = [t.handle_type for t in self.first]
        bounds = invariants if invariants is None else specify_invariants(loop_vars, invariants)
        self.invariants = self._invariants(loop_vars, bounds)
        self.loop_vars = loop_vars if bounds is None else bound_values(loop_vars, bounds)
        self.wider_vars: Any = None
        """The loop variables with wider specs, if the body turns a composite into one that its spec does not cover."""
        self.bounded = maximum is not None
        if isinstance(maximum, Tensor) and maximum.dtype.name != "int32":
            maximum = raw.Cast(x=maximum, DstT="int32")
        self.maximum = convert_to_tensor(-1 if maximum is None else maximum, dtype="int32", name="maximum_iterations")
        self.counter = convert_to_tensor(0, dtype="int32", name="loop_counter")

    @property
    def structure(self) -> Any:
        """The first values, in the structure of the loop variables as that is now: a body may learn their specs."""
        return nest.pack_sequence_as(self.loop_vars, self.first, expand_composites=True)

    def _invariants(self, loop_vars: Any, invariants: Any) -> list[TensorShape]:
        if invariants is None:
            return every_shape(loop_vars, self.first)
        if len(self.first) != 1:
            nest.assert_same_structure(loop_vars, invariants, check_types=False)
        variables = nest.flatten(loop_vars)
        shapes = [
            shape
            for variable, invariant in zip(variables, nest.flatten(invariants), strict=True)
            for shape in _component_invariants(variable, invariant)
        ]
        for tensor, shape in zip(self.first, shapes, strict=True):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"The shape invariant specified for {tensor.name} is not compatible with the initial "
                    "shape of the loop variable. "
                    f"It enters the loop with shape {tensor.shape}, but the specified shape invariant is {shape}."
                )
        return shapes

    def build(self) -> Any:
        cond, body = self._trace_both()
        own_count = _COUNTERS + len(self.first)
        placeholders = [g.inputs for g in (cond.graph, body.graph)]

        def missing(graph: FuncGraph, index: int, tensor: Any) -> tuple[str, Any]:
            """Returns name and shape of the placeholder for a capture of the other graph.

            The body passes such a capture on; the condition ignores it.
            """
            if graph is cond.graph:
                stem = graph.name.rstrip("0123456789")  # the counter differs whenever the graph is made
                return f"{self.scope}{stem}0___redundant_placeholder{index}", None
            name = tensor.op.name if isinstance(tensor, SymbolicTensor) else "resource"
            return f"{self.scope}{name}", tensor.shape

        captures = into_current_graph(merge_captures([cond.graph, body.graph], missing), self.scope, own_count)
        for graph, mine in zip((cond.graph, body.graph), placeholders, strict=True):
            graph.inputs = [*mine[:own_count], *graph.inputs]
        body.graph.outputs += body.graph.inputs[own_count:]
        inputs = [self.counter, self.maximum, *self.first, *captures]
        outputs = self._add_node(cond.graph, body.graph, inputs)
        if not isinstance(self.outer, FuncGraph):
            outputs = [raw.Identity(input=t) for t in outputs]  # a session can fetch these, but no loop's output
        return nest.pack_sequence_as(self.structure, outputs[_COUNTERS:own_count], expand_composites=True)

    def _trace_both(self) -> tuple[Branch, Branch]:
        """Traces condition and body; once more where the body turns a variable into something of another type."""
        label = self.scope[:-1].replace("/", "_")
        while True:
            cond = self._trace(f"{label}_cond", self._run_cond)
            body = self._trace(f"{label}_body", self._run_body)
            after = [t.handle_type for t in body.graph.outputs[_COUNTERS:]]
            invariant = [common_type(types) for types in zip(self.handle_types, after, strict=True)]
            if invariant == self.handle_types and self.wider_vars is None:
                return cond, body
            self.handle_types = invariant
            self.loop_vars = self.loop_vars if self.wider_vars is None else self.wider_vars

    def _trace(self, name: str, run: Callable[[list[Any]], Any]) -> Branch:
        graph = FuncGraph(f"{name}_{context.unique_id()}")
        tapes = state.tapes
        watcher = (VariableWatcher(tapes),) if tapes else ()
        with graph.as_default(), context.tapes_scope(watcher), context.name_scope(self.scope):
            for tensor in (self.counter, self.maximum):
                label = tensor.op.name
                graph.inputs.append(graph.placeholder_like(tensor, tensor.shape, f"{self.scope}{label}", label))
            for tensor, shape, kind in zip(self.first, self.invariants, self.handle_types, strict=True):
                placeholder = graph.placeholder_like(tensor, shape, f"{self.scope}Placeholder")
                if tensor.dtype.is_handle:
                    placeholder.handle_type = kind
                graph.inputs.append(placeholder)
            branch = Branch(graph, run(graph.inputs[:]))
            finish_branch(branch)
        return branch

    def _variables(self, placeholders: Sequence[Any]) -> Any:
        return nest.pack_sequence_as(self.structure, list(placeholders[_COUNTERS:]), expand_composites=True)

    def _run_cond(self, placeholders: list[Any]) -> Any:
        variables = self._variables(placeholders)
        outputs = [out for out in nest.flatten(self.cond(*variables), expand_composites=True) if out is not None]
        if len(outputs) != 1:
            raise AssertionError(
                f"cond_graph has {len(outputs)} outputs; Expected: 1. cond of tf.while_loop must return one boolean."
            )
        keep = convert_to_tensor(outputs[0])
        if keep.dtype.name != "bool":
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Input 'input' passed {runtime_name(keep.dtype)} expected bool: cond of tf.while_loop must return a "
                f"boolean value; it returned {keep!r}.",
            )
        if keep.shape.num_elements() not in (1, None):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"The second input must be a scalar, but it has shape {keep.shape}: cond of tf.while_loop "
                f"must return a boolean value; it returned {keep!r}.",
            )
        if self.bounded:
            keep = raw.LogicalAnd(x=raw.Less(x=placeholders[0], y=placeholders[1]), y=keep)
        return [raw.Reshape(tensor=keep, shape=[]) if keep.shape.rank else keep]

    def _run_body(self, placeholders: list[Any]) -> Any:
        variables = self._variables(placeholders)
        results = self.body(*variables)
        if not isinstance(results, (list, tuple)) and len(self.structure) == 1:
            results = [results]
        nest.assert_same_structure(
            list(results) if isinstance(results, (list, tuple)) else results,
            list(self.structure),
            expand_composites=True,
        )
        self.wider_vars = _wider(list(self.loop_vars), list(results))
        new_values = [convert_to_tensor(v) for v in nest.flatten(results, expand_composites=True)]
        for before, after, invariant in zip(self.first, new_values, self.invariants, strict=True):
            _check_iteration(before, after, invariant)
        return [placeholders[0] + 1, placeholders[1], *new_values]

    def _add_node(self, cond: FuncGraph, body: FuncGraph, inputs: list[Any]) -> list[Any]:
        stateless = body_effects([cond, body]) is Effects.NONE
        attrs = {
            "cond": make_function(cond),
            "body": make_function(body),
            "output_shapes": [
                self.counter.shape,
                self.maximum.shape,
                *self.invariants,
                *[t.shape for t in inputs[_COUNTERS + len(self.first) :]],
            ],
            "parallel_iterations": self.parallel,
            "_lower_using_switch_merge": True,
            _IS_COUNTED: len(inputs),
            "_read_only_resource_inputs": read_only_inputs([body], 0, body_writes),
        }
        outputs: list[Any] = execute(get_op("StatelessWhile" if stateless else "While"), (inputs,), attrs, self.scope)
        return outputs


def every_shape(loop_vars: Any, tensors: Sequence[Any]) -> list[TensorShape]:
    """Returns the shapes that the tensors of loop variables have in every iteration, unless the user says otherwise.

    A tensor keeps its shape. A composite keeps its spec, which leaves some shapes of components open: a sparse tensor
    may have more values after an iteration.

    Args:
      loop_vars: a nest of the first values.
      tensors: the tensors of which these consist, in order.
    """
    remaining = iter(tensors)
    return [shape for value in nest.flatten(loop_vars) for shape in _shapes_of_variable(value, remaining)]


def _shapes_of_variable(value: Any, remaining: Iterator[Any]) -> list[TensorShape]:
    """Returns the lasting shapes of the tensors of one loop variable: the next of `remaining`."""
    if not needs_spec(value):
        count = len(nest.flatten(value, expand_composites=True))
        return [next(remaining).shape for _ in range(count)]
    shapes = [spec.shape for spec in value._type_spec.flatten()]
    return [shape.most_specific_compatible_shape(next(remaining).shape) for shape in shapes]


def specify_invariants(loop_vars: Any, invariants: Any) -> Any:
    """Returns invariants with specs instead of shapes for composites.

    Raises: TypeError: if a composite has no such spec, or is not of its spec.
    """
    if not any(map(needs_spec, nest.flatten(loop_vars))):
        return invariants
    nest.assert_same_structure(loop_vars, invariants, check_types=False)
    pairs = zip(nest.flatten(loop_vars), nest.flatten(invariants), strict=True)
    return nest.pack_sequence_as(invariants, [_spec_of(v, bound) if needs_spec(v) else bound for v, bound in pairs])


def needs_spec(variable: Any) -> bool:
    """Returns whether a spec describes what a loop variable is in every iteration; shapes describe any other."""
    return nest.is_composite(variable) and not isinstance(variable, (TensorArray, TypeSpec))


def _spec_of(composite: Any, bound: Any) -> Any:
    spec = bound if isinstance(bound, TypeSpec) else composite._shape_invariant_to_type_spec(as_shape(bound))
    if not spec.is_compatible_with(composite):
        raise TypeError(f"TypeSpec {spec} is not compatible with {composite!r}")
    return spec


def bound_values(loop_vars: Any, bounds: Any) -> Any:
    """Returns the nest of loop variables with the specs that bound composites instead of the composites."""
    pairs = zip(nest.flatten(loop_vars), nest.flatten(bounds), strict=True)
    return nest.pack_sequence_as(loop_vars, [bound if needs_spec(v) else v for v, bound in pairs])


def _wider(loop_vars: list[Any], results: list[Any]) -> Any:
    """Returns the nest of loop variables with specs that also describe what the body returned; None if they do."""
    leaves, is_wider = nest.flatten(loop_vars), False
    for index, (before, after) in enumerate(zip(leaves, nest.flatten(results), strict=True)):
        if not needs_spec(after) or isinstance(before, TensorArray):
            continue
        spec = before if isinstance(before, TypeSpec) else before._type_spec
        common = spec.most_specific_common_supertype([after._type_spec])
        if common is not None and common != spec:
            leaves[index], is_wider = common, True
    return nest.pack_sequence_as(loop_vars, leaves) if is_wider else None


def _component_invariants(variable: Any, bound: Any) -> list[TensorShape]:
    """Turns the invariant of a loop variable into shapes of its components."""
    if isinstance(variable, TensorArray):
        return [TensorShape([])]
    if isinstance(bound, TypeSpec) and nest.is_composite(variable):
        return [spec.shape for spec in bound.flatten()]
    return [bound.shape if isinstance(bound, TypeSpec) else as_shape(bound)]  # type: ignore[attr-defined]  # a tensor


def _check_iteration(before: Tensor, after: Tensor, invariant: TensorShape) -> None:
    """Refuses a loop variable whose dtype or shape changes."""
    name = before.name  # type: ignore[attr-defined]  # a tensor of a graph
    if before.dtype is not after.dtype:
        raise TypeError(
            f"Loop var {name} enters the loop with type {before.dtype!s} but has type {after.dtype!s} "
            f"after 1 iteration. {name} type "
            "should remain constant."
        )
    if not after.shape.is_subtype_of(invariant) and invariant.rank is not None:
        raise ValueError(
            f"Input tensor `{name}` enters the loop with shape {shape_parentheses(invariant)}, but has shape "
            f"{shape_parentheses(after.shape)} after one "
            "iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument "
            "of tf.while_loop to "
            "specify a less-specific shape."
        )
