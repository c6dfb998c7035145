"""The steps of an einsum over one or two arrays: the plan for given shapes, made once.

Each operand is first reduced alone: diagonals of repeated labels, sums over labels that occur nowhere else. Two
operands are then one batched matrix product: the axes are sorted into batch, free and contracted axes, and each group
is merged. The whole plan follows from the equation and the shapes.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops.math.einsum_equation import Label, Labels, expand, merge_sizes, parse, unique

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EinsumOperand:
    """The steps for one operand: diagonals, then sums, a transpose, a reshape; None leaves a step out."""

    diagonals: tuple[tuple[int, int], ...]
    summed: tuple[int, ...]
    order: tuple[int, ...] | None
    shape: Shape | None

    def __call__(self, xp: Xp, x: Array) -> Array:
        for first, second in self.diagonals:
            x = xp.diagonal(x, axis1=first, axis2=second)
        if self.summed:
            x = xp.sum(x, axis=self.summed)
        if self.order is not None:
            x = xp.transpose(x, self.order)
        return x if self.shape is None else xp.reshape(x, self.shape)


@dataclass(frozen=True, slots=True)
class EinsumPlan:
    """The steps of an einsum: the operands, the shape and order of the operands' product, and the diagonals to fill."""

    operands: tuple[EinsumOperand, ...]
    shape: Shape | None
    order: tuple[int, ...] | None
    repeated: tuple[tuple[int, int], ...]

    def __call__(self, xp: Xp, inputs: Sequence[Array]) -> Array:
        arrays = [operand(xp, x) for operand, x in zip(self.operands, inputs)]
        if len(arrays) == 1:
            result = arrays[0]
        elif arrays[0].shape[-1] == 1 and arrays[0].ndim > 1:  # nothing is summed: a product of column and row
            result = arrays[0] * arrays[1]
        else:
            result = xp.matmul(arrays[0], arrays[1])
        if self.shape is not None:
            result = xp.reshape(result, self.shape)
        if self.order is not None:
            result = xp.transpose(result, self.order)
        for first, axis in self.repeated:
            result = _inflate(xp, result, first, axis)
        return result


def _inflate(xp: Xp, x: Array, first: int, axis: int) -> Array:
    """Inserts `axis` with `x` on its diagonal with axis `first`, and 0 elsewhere."""
    size = x.shape[first]
    shape = [1] * (x.ndim + 1)
    shape[first] = shape[axis] = size
    return xp.expand_dims(x, axis) * xp.reshape(xp.eye(size, dtype=x.dtype), shape)


@functools.lru_cache(maxsize=1024)
def plan_einsum(equation: str, shapes: tuple[Shape, ...]) -> EinsumPlan:
    """Makes the plan of an equation for operands of the given shapes.

    Raises: ValueError: if the shapes do not fit the equation.
    """
    operands, output = expand(parse(equation), [len(s) for s in shapes], is_eager=True)
    merge_sizes(operands, shapes, is_eager=True)
    wanted_labels = unique(output)
    alone = []
    for i, (labels, shape) in enumerate(zip(operands, shapes)):
        other_labels = {v for j, other in enumerate(operands) if j != i for v in other}
        alone.append(_reduce_alone(labels, shape, {*wanted_labels, *other_labels}))
    repetitions = tuple((output.index(v), i) for i, v in enumerate(output) if output.index(v) != i)
    if len(alone) == 1:
        diagonals, summed_axes, labels, _ = alone[0]
        operand = EinsumOperand(diagonals, summed_axes, None, None)
        return EinsumPlan((operand,), None, _order(labels, wanted_labels), repetitions)
    return _contraction(alone[0], alone[1], wanted_labels, repetitions)


Reduced = tuple[tuple[tuple[int, int], ...], tuple[int, ...], Labels, Shape]


def _reduce_alone(labels: Labels, shape: Shape, needed: set[Label]) -> Reduced:
    """Takes diagonals of repeated labels and sums over labels that are not needed.

    Returns the diagonals, the summed axes, and the labels and sizes that remain.
    """
    diagonals = []
    while len(unique(labels)) < len(labels):
        label = next(v for v in labels if labels.count(v) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        diagonals.append((first, second))
        kept_axes = [i for i in range(len(labels)) if i not in (first, second)]
        labels, shape = (*(labels[i] for i in kept_axes), label), (*(shape[i] for i in kept_axes), shape[first])
    summed_axes = tuple(i for i, v in enumerate(labels) if v not in needed)
    shape = tuple(d for i, d in enumerate(shape) if i not in summed_axes)
    return tuple(diagonals), summed_axes, tuple(v for v in labels if v in needed), shape


def _order(labels: Sequence[Label], wanted: Sequence[Label]) -> tuple[int, ...] | None:
    order = tuple(labels.index(v) for v in wanted)
    return None if order == tuple(range(len(order))) else order


def _contraction(a: Reduced, b: Reduced, wanted: Labels, repeated: tuple[tuple[int, int], ...]) -> EinsumPlan:
    """Plans the product of two reduced operands as one batched matrix product."""
    x, y = a[2], b[2]
    common_labels = [v for v in x if v in y]
    batch = [v for v in common_labels if v in wanted]
    summed_labels = [v for v in common_labels if v not in wanted]
    x_free, y_free = [v for v in x if v not in common_labels], [v for v in y if v not in common_labels]
    x_sizes, y_sizes = dict(zip(x, a[3])), dict(zip(y, b[3]))
    left = _arrange(a, x_sizes, batch, x_free, summed_labels)
    right = _arrange(b, y_sizes, batch, summed_labels, y_free)
    sizes = [max(x_sizes[v], y_sizes[v]) if 0 not in (x_sizes[v], y_sizes[v]) else 0 for v in batch]
    sizes += [x_sizes[v] for v in x_free] + [y_sizes[v] for v in y_free]
    is_matrix = len(x_free) == 1 == len(y_free)
    labels = [*batch, *x_free, *y_free]
    return EinsumPlan((left, right), None if is_matrix else tuple(sizes), _order(labels, wanted), repeated)


def _arrange(
    reduced: Reduced, sizes: dict[Label, int], batch: list[Label], rows: list[Label], columns: list[Label]
) -> EinsumOperand:
    """Transposes a reduced operand to batch, rows, columns, and merges the axes of rows and of columns."""
    diagonals, summed_axes, labels, _ = reduced
    shape = (*(sizes[v] for v in batch), _product(sizes, rows), _product(sizes, columns))
    is_merged = len(rows) == 1 == len(columns)
    return EinsumOperand(
        diagonals, summed_axes, _order(labels, (*batch, *rows, *columns)), None if is_merged else shape
    )


def _product(sizes: dict[Label, int], labels: list[Label]) -> int:
    result = 1
    for label in labels:
        result *= sizes[label]
    return result
