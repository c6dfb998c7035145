"""Which unknown sizes of values are equal, because the values are computed from each other element by element.

Problem: in a function of batches of any size, each gradient of a broadcasting op asks at run time over which axes the
op has repeated its operands, although `x - mean(x)` can repeat `mean(x)` along one axis only.

Idea: an unknown size gets a name when it first occurs: the value and the axis. Ops that work element by element,
reductions that leave the axis, and ops that give an array the shape of another one pass names on. Two sizes with one
name are equal in each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from millrace._src.core.op_algebra import ElementOrder
from millrace._src.core.op_def import Elementwise
from millrace._src.passes.optimized_graph import Node, Value

Size: TypeAlias = "int | tuple[Value, int]"
"""A known size, or the name of an unknown one."""


class EqualSizes:
    """The sizes of the values of one graph, whose nodes are noted in run order."""

    def __init__(self) -> None:
        self._known: dict[Value, tuple[Size, ...]] = {}

    def note(self, node: Node) -> None:
        """Notes the sizes of the results of a node."""
        traits, result = node.op_def.traits, node.outputs[0] if node.outputs else None
        dims = None if result is None else result.shape.dim_sizes
        if result is None or dims is None or None not in dims:
            return  # a result of unknown rank has no sizes
        if node.op_def.elementwise is not Elementwise.NO:
            self._known[result] = tuple(
                self._broadcast(node.inputs, result, axis) if size is None else size for axis, size in enumerate(dims)
            )
        elif traits.returns_input:
            self._known[result] = self.sizes_of(node.inputs[0]) or _own_sizes(result, dims)
        elif (like := _array_of_same_shape(node)) is not None:
            self._known[result] = self.sizes_of(like) or _own_sizes(result, dims)
        elif traits.is_reduction or traits.total is not None:
            self._known[result] = self._reduce(node) or _own_sizes(result, dims)

    def sizes_of(self, value: Value) -> tuple[Size, ...] | None:
        """Returns the size of each axis of a value; None if the rank is unknown."""
        dims = value.shape.dim_sizes
        if dims is None:
            return None
        return self._known.get(value) or _own_sizes(value, dims)

    def _broadcast(self, inputs: Sequence[Value], result: Value, axis: int) -> Size:
        """Returns the unknown size of a result along an axis: that of the only input that may decide it."""
        from_end = len(result.shape.dim_sizes or ()) - axis
        found: set[Size] = set()
        for value in inputs:
            sizes = self.sizes_of(value)
            if sizes is None:
                return result, axis
            if from_end <= len(sizes):
                found.add(sizes[-from_end])
        found.discard(1)
        return found.pop() if len(found) == 1 else (result, axis)

    def _reduce(self, node: Node) -> tuple[Size, ...] | None:
        """Returns the sizes of a reduction's result; None where the axes are unknown."""
        sizes, axes = self.sizes_of(node.inputs[0]), node.inputs[1].constant
        if sizes is None or axes is None:
            return None
        reduced = {int(axis) % len(sizes) for axis in axes.reshape(-1)} if sizes else set()
        if node.attrs["keep_dims"]:
            return tuple(1 if axis in reduced else size for axis, size in enumerate(sizes))
        return tuple(size for axis, size in enumerate(sizes) if axis not in reduced)


def _array_of_same_shape(node: Node) -> Value | None:
    """Returns the array whose shape the result of a node gets from another input; None if there is none."""
    traits = node.op_def.traits
    if traits.shape_argument is not None:
        return shape_source(node.inputs[traits.shape_argument])
    # What has size 1 along all axes is repeated so many times: the repetitions are the shape.
    is_spread = traits.element_order is ElementOrder.REPEATED and set(node.inputs[0].shape.dim_sizes or [None]) == {1}
    return shape_source(node.inputs[1]) if is_spread else None


def shape_source(shape: Value) -> Value | None:
    """Returns the value whose shape a vector is; None for another vector."""
    return shape.node.inputs[0] if shape.node is not None and shape.node.op_def.traits.is_shape else None


def _own_sizes(value: Value, dims: Sequence[int | None]) -> tuple[Size, ...]:
    return tuple((value, axis) if size is None else size for axis, size in enumerate(dims))
