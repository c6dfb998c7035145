"""Simplifies arithmetic where the result is the same to the bit.

Each row of the tables is one rule, pattern -> replacement, with its formula as a comment. A formula that holds for real
numbers but not for floating-point numbers has no row: `x + 0` makes 0.0 of -0.0, `x * 0` is not 0 if `x` is infinite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from millrace._src.core.dtypes import int64
from millrace._src.core.op_registry import get_op
from millrace._src.passes.constant_folding import constant
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rewriting, Rule


class _Neutral(NamedTuple):
    """An input that changes nothing: the op returns the other input."""

    argument: int
    """The number of the input that changes nothing."""
    value: float
    """The value of all elements of that input; the sign of zero counts."""
    kinds: str
    """The kinds of dtype (b, i, u, f) for which the rule holds."""


_NEUTRAL: dict[str, tuple[_Neutral, ...]] = {
    "Mul": (_Neutral(1, 1, "iuf"), _Neutral(0, 1, "iuf")),  # x * 1 -> x; 1 * x -> x
    "RealDiv": (_Neutral(1, 1, "f"),),  # x / 1 -> x
    "Div": (_Neutral(1, 1, "iuf"),),  # x / 1 -> x
    "DivNoNan": (_Neutral(1, 1, "f"),),  # x / 1 -> x
    "FloorDiv": (_Neutral(1, 1, "iu"),),  # x // 1 -> x
    "Sub": (_Neutral(1, 0.0, "iuf"),),  # x - 0 -> x, also for x = -0.0
    "AddV2": (
        *(_Neutral(1, -0.0, "f"), _Neutral(0, -0.0, "f")),  # x + -0.0 -> x; -0.0 + x -> x
        *(_Neutral(1, 0, "iu"), _Neutral(0, 0, "iu")),  # x + 0 -> x; 0 + x -> x
    ),
    "LogicalAnd": (_Neutral(1, True, "b"), _Neutral(0, True, "b")),  # x and true -> x
    "LogicalOr": (_Neutral(1, False, "b"), _Neutral(0, False, "b")),  # x or false -> x
    "BitwiseXor": (_Neutral(1, 0, "iu"), _Neutral(0, 0, "iu")),  # x ^ 0 -> x
    "BitwiseOr": (_Neutral(1, 0, "iu"), _Neutral(0, 0, "iu")),  # x | 0 -> x
    "LeftShift": (_Neutral(1, 0, "iu"),),  # x << 0 -> x
    "RightShift": (_Neutral(1, 0, "iu"),),  # x >> 0 -> x
}
_INVOLUTIONS = frozenset({"Neg", "LogicalNot", "Invert", "Conj"})
"""f(f(x)) -> x"""
_KEEP_ORDER = frozenset({"Reshape", "ExpandDims", "Squeeze"})
"""Ops that keep the order of the elements: two in a row become one Reshape; an op that keeps the shape disappears."""
_KEEP_ELEMENTS = frozenset({*_KEEP_ORDER, "BroadcastTo", "Tile"})
"""f(x) -> x, where the shape of f(x) is that of x"""
_REDUCTIONS = frozenset({"Sum", "Prod", "Max", "Min", "All", "Any"})
"""f(x, axes=[]) -> x"""

_Result: TypeAlias = "Sequence[Value] | None"


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
        for apply in _RULES.get(node.op_def.name, ()):
            use_counts = apply(node, uses)
            if use_counts is not None:
                return use_counts
        return None

    return simplified


def _without_neutral(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(x, neutral) -> x."""
    kind = node.outputs[0].dtype.np_dtype.kind
    for row in _NEUTRAL[node.op_def.name]:
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


def _cannot_fail(node: Node) -> bool:
    """Returns whether the shape or axis argument of a node is known; an unknown argument may be one to refuse."""
    return all(value.constant is not None for value in node.inputs[1:])


def _reshaped_twice(node: Node, uses: _Uses) -> _Result:
    """Rewrites f(g(x)) -> reshape(x, shape of f(g(x))), where f and g keep the order of the elements."""
    inner_node = node.inputs[0].node
    shapes = [value.shape for value in (*node.outputs, *(inner_node.inputs[:1] if inner_node is not None else ()))]
    if inner_node is None or inner_node.op_def.name not in _KEEP_ORDER or not all(s.is_fully_defined() for s in shapes):
        return None
    if not (_cannot_fail(node) and _cannot_fail(inner_node)):
        return None
    if shapes[0] == shapes[1]:
        return [inner_node.inputs[0]]
    shape = constant(np.array(shapes[0].as_list(), np.int64), int64)  # an empty array may have dimensions over 2**31
    attrs = {"T": node.outputs[0].dtype, "Tshape": int64}
    node.become(get_op("Reshape"), attrs, [inner_node.inputs[0], shape], node.origin)
    return None


def _reduced_without_dims(node: Node, uses: _Uses) -> _Result:
    """Rewrites reshape(f(x, axes, keep_dims=True), shape without the axes) -> f(x, axes, keep_dims=False)."""
    inner_node = node.inputs[0].node
    if (
        inner_node is None
        or inner_node.op_def.name not in _REDUCTIONS
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


def _transposed(node: Node, uses: _Uses) -> _Result:
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


_RULES: dict[str, tuple[Callable[[Node, _Uses], _Result], ...]] = {
    **dict.fromkeys(_NEUTRAL, (_without_neutral,)),
    **dict.fromkeys(_INVOLUTIONS, (_twice,)),
    **dict.fromkeys(_REDUCTIONS, (_over_no_axes,)),
    **dict.fromkeys(_KEEP_ELEMENTS, (_keeps_elements,)),
    **dict.fromkeys(_KEEP_ORDER, (_keeps_elements, _reshaped_twice, _reduced_without_dims)),
    "Cast": (_cast_to_itself,),
    "Transpose": (_transposed,),
    "AddN": (_sum_of_one,),
}


REWRITING = Rewriting(_rule)
