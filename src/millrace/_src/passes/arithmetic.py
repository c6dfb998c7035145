"""Simplifies arithmetic where the result is the same to the bit.

The laws are facts of the ops (`core/op_algebra.py`): an op declares its neutral operands, that it undoes itself, that
it only reshapes. Each rule here is one law, pattern -> replacement, in its docstring; `_rules_of` says which fact asks
for which rule.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.dtypes import int64
from millrace._src.core.op_algebra import ElementOrder
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import get_op
from millrace._src.passes.constant_folding import constant
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rewriting, Rule

_Result: TypeAlias = "Sequence[Value] | None"
_ArithmeticRule: TypeAlias = "Callable[[Node, _Uses], _Result]"


class _Uses:
    """Counts how often each value of a graph is read, for the few rules that ask."""

    __slots__ = ("_graph", "_counts")

    def __init__(self, graph: OptimizedGraph) -> None:
        self._graph = graph
        self._counts: Counter[Value] | None = None

    def __call__(self) -> Counter[Value]:
        """Returns the counts."""
        if self._counts is None:
            self._counts = Counter(value for node in self._graph.nodes for value in node.inputs)
            self._counts.update(self._graph.outputs)
        return self._counts


def _rule(graph: OptimizedGraph) -> Rule:
    uses = _Uses(graph)

    def simplified(node: Node) -> _Result:
        for apply in _rules_of(node.op_def):
            replacement = apply(node, uses)
            if replacement is not None:
                return replacement
        return None

    return simplified


def _without_neutral(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(x, neutral) -> x."""
    kind = node.outputs[0].dtype.np_dtype.kind
    for row in node.op_def.traits.neutral_operands:
        operand = node.inputs[1 - row.argument]
        if (
            kind in row.kinds
            and _is_filled(node.inputs[row.argument], row.value)
            and _keeps_shape(node, operand, row.argument)
        ):
            return [operand]
    return None


def _is_filled(value: Value, number: float) -> bool:
    """Returns whether all elements of a constant equal one number."""
    array = value.constant
    if array is None or array.dtype.kind not in "biuf" or array.size and array.item(0) != number:
        return False
    same_sign = number != 0 or array.dtype.kind != "f" or bool((np.signbit(array) == np.signbit(number)).all())
    return same_sign and bool((array == number).all())


def _keeps_shape(node: Node, operand: Value, index: int) -> bool:
    """Returns whether the result has the shape of an operand: the other is a scalar, or both shapes are known."""
    return node.inputs[index].shape.rank == 0 or _same_shape(node.outputs[0], operand)


def _same_shape(a: Value, b: Value) -> bool:
    dims = a.shape.dim_sizes
    return dims is not None and dims == b.shape.dim_sizes and None not in dims


def _twice(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(f(x)) -> x."""
    inner_node = node.inputs[0].node
    return [inner_node.inputs[0]] if inner_node is not None and inner_node.op_def is node.op_def else None


def _cast_to_itself(node: Node, uses: _Uses) -> _Result:
    """Rewrites cast(x, dtype of x) -> x."""
    return [node.inputs[0]] if node.inputs[0].dtype is node.outputs[0].dtype else None


def _keeps_elements(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(x) -> x, where f keeps the elements of an array and the shape is the same."""
    return [node.inputs[0]] if _cannot_fail(node) and _same_shape(node.inputs[0], node.outputs[0]) else None


def _keeps_order(node: Node) -> bool:
    return node.op_def.traits.element_order is ElementOrder.SAME


def _cannot_fail(node: Node) -> bool:
    """Returns whether the shape or axis argument of a node is known; an unknown argument may be one to refuse."""
    return all(value.constant is not None for value in node.inputs[1:])


def _reshape_once(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(g(x)) -> reshape(x, shape of f(g(x))), where f and g keep the order of the elements."""
    inner_node = node.inputs[0].node
    shapes = [value.shape for value in (*node.outputs, *(inner_node.inputs[:1] if inner_node is not None else ()))]
    if inner_node is None or not _keeps_order(inner_node) or not all(s.is_fully_defined() for s in shapes):
        return None
    if not (_cannot_fail(node) and _cannot_fail(inner_node)):
        return None
    if shapes[0] == shapes[1]:
        return [inner_node.inputs[0]]
    shape = constant(np.array(shapes[0].as_list(), np.int64), int64)  # an empty array may have dimensions over 2**31
    attrs = {"T": node.outputs[0].dtype, "Tshape": int64}
    node.become(get_op("Reshape"), attrs, [inner_node.inputs[0], shape], node.origin)
    return None


def _reduce_without_dims(node: Node, uses: _Uses) -> _Result:
    """Rewrites reshape(f(x, axes, keep_dims=True), shape without the axes) -> f(x, axes, keep_dims=False)."""
    inner_node = node.inputs[0].node
    if (
        inner_node is None
        or not inner_node.op_def.traits.is_reduction
        or uses()[node.inputs[0]] > 1
        or not inner_node.attrs["keep_dims"]
    ):
        return None
    axes, input_shape, output_shape = inner_node.inputs[1].constant, inner_node.inputs[0].shape, node.outputs[0].shape
    if axes is None or input_shape.rank is None or not output_shape.is_fully_defined():
        return None
    reduced = {int(axis) % input_shape.rank for axis in axes.reshape(-1)} if input_shape.rank else set()
    if [dim for index, dim in enumerate(input_shape) if index not in reduced] != output_shape.as_list():
        return None
    node.become(inner_node.op_def, {**inner_node.attrs, "keep_dims": False}, inner_node.inputs, inner_node.origin)
    return None


def _over_no_axes(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(x, axes=[]) -> x."""
    axes = node.inputs[1].constant
    return [node.inputs[0]] if axes is not None and axes.size == 0 else None


def _merge_transposes(node: Node, uses: _Uses) -> _Result:
    """Rewrites transpose(x, [0, 1, ...]) -> x, and transpose(transpose(x, p), q) -> transpose(x, p[q])."""
    order, inner_node = node.inputs[1].constant, node.inputs[0].node
    if order is None or not _is_permutation(order):
        return None
    if inner_node is not None and inner_node.op_def is node.op_def and inner_node.inputs[1].constant is not None:
        first_order = inner_node.inputs[1].constant
        if not _is_permutation(first_order) or first_order.size != order.size:
            return None
        order = first_order[order].astype(order.dtype)
        node.become(node.op_def, node.attrs, [inner_node.inputs[0], constant(order, node.inputs[1].dtype)], node.origin)
    if node.inputs[0].shape.rank is None:
        return None  # an order for another rank has to be refused
    return [node.inputs[0]] if bool((order == np.arange(order.size)).all()) else None


def _is_permutation(order: Any) -> bool:
    return order.ndim == 1 and sorted(order.tolist()) == list(range(order.size))


def _sum_of_one(node: Node, uses: _Uses) -> _Result:
    """Rewrites add_n([x]) -> x."""
    return [node.inputs[0]] if len(node.inputs) == 1 and node.outputs[0].dtype.name != "variant" else None


@functools.lru_cache(4096)
def _rules_of(op_def: OpDef) -> tuple[_ArithmeticRule, ...]:
    """Returns the rules of an op, in the order in which they are tried."""
    traits = op_def.traits
    rules: list[tuple[_ArithmeticRule, bool]] = [
        (_without_neutral, bool(traits.neutral_operands)),
        (_twice, traits.is_involution),
        (_over_no_axes, traits.is_reduction),
        (_keeps_elements, traits.element_order.keeps_elements),
        (_reshape_once, traits.element_order is ElementOrder.SAME),
        (_reduce_without_dims, traits.element_order is ElementOrder.SAME),
        (_cast_to_itself, traits.is_conversion),
        (_merge_transposes, traits.permutes_axes),
        (_sum_of_one, traits.is_sum),
    ]
    return tuple([rule for rule, holds in rules if holds])


REWRITING = Rewriting(_rule)
