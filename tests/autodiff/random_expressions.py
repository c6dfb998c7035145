"""Random differentiable expressions as text, with the shapes that they give, and where they stand in a program."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.autodiff import random_function_ops as ops
from tests.autodiff.random_function_ops import Shape

Choose = Callable[[int], int]
"""Gives a number below its argument."""

Value = tuple[str, Shape]
"""An expression and its shape."""

LARGEST = 24
"""The most elements of a value."""

MAX_AXES = 4


@dataclasses.dataclass
class ProgramPoint:
    """What holds at a point in a program.

    Attributes:
        values: The names there are, with their shapes; later ones are likelier to be used.
        depth: The number of blocks around.
        loops: The number of loops around.
        count: An integer that conditions may use, or nothing.
        trips: A text for the number of iterations of a loop.
        converts: Whether AutoGraph converts statements here.
        graphs: Whether this runs as a graph even in eager mode.
    """

    values: list[Value]
    depth: int = 1
    loops: int = 0
    count: str = ""
    trips: str = "tf.constant(2)"
    converts: bool = True
    graphs: bool = False

    def inside(self, *values: Value, **changes: Any) -> ProgramPoint:
        """The point at the start of a block here, with further names."""
        new = {name for name, _ in values}
        kept = [value for value in self.values if value[0] not in new]
        return dataclasses.replace(self, values=[*kept, *values], depth=self.depth + 1, **changes)


class Expressions:
    """Writes expressions over the values of a point.

    Args:
        choose: Makes the choices.
    """

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.numbers = itertools.count()
        self.has_empty = self.chance(8)

    # --- choices -----------------------------------------------------------------------------------------------------

    def pick(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[self.choose(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of 100 cases; False is simpler."""
        return self.choose(100) >= 100 - percent

    def number(self) -> float:
        """A number that no result hits by accident."""
        return round(0.0317 * (self.choose(60) - 30) + 0.00713, 5)

    def shape(self) -> Shape:
        """A small shape."""
        sizes = (2, 3, 1, 0) if self.has_empty else (2, 3, 1)
        return tuple(self.pick(sizes) for _ in range(self.pick((1, 2, 2, 0, 3))))

    def new(self, prefix: str = "t") -> str:
        """A name of its own."""
        return f"{prefix}{next(self.numbers)}"

    def write(self, point: ProgramPoint, text: str) -> None:
        """Adds lines at the indentation of a point."""
        self.lines += ["    " * point.depth + line for line in text.split("\n")]

    def assign(self, point: ProgramPoint, text: str, shape: Shape) -> str:
        """Gives a value a name."""
        name = self.new()
        self.write(point, f"{name} = {text}  # {shape}")
        point.values.append((name, shape))
        return name

    # --- expressions -------------------------------------------------------------------------------------------------

    def value(self, point: ProgramPoint) -> Value:
        """A value there is; mostly one of the last ones."""
        values = point.values
        return self.pick(values if self.chance(35) else values[-3:][::-1])

    def test(self, point: ProgramPoint, converts: bool | None = None) -> str:
        """A condition."""
        patterns = ops.TESTS if (point.converts if converts is None else converts) else ops.TESTS[: ops.OPERATORS_FROM]
        patterns = [p for p in patterns if "{n}" not in p] if not point.count else patterns
        found = self.pick(patterns).replace("{x}", self.value(point)[0]).replace("{n}", point.count)
        return found.replace("{c}", str(self.number())).replace("{i}", str(self.choose(4)))

    def fit(self, point: ProgramPoint, shape: Shape) -> str:
        """An expression of a given shape."""
        if self.chance(35):
            same = [name for name, has in point.values if has == shape]
            if same:
                return str(same[-1 - self.choose(len(same))])
        text, found = self.expression(point) if self.chance(70) else self.value(point)
        return self.adapted(text, found, shape)

    def adapted(self, text: str, found: Shape, shape: Shape) -> str:
        """A value of another shape as one of the given shape."""
        if found == shape:
            return text
        size, wanted = math.prod(found), math.prod(shape)
        if size == wanted:
            return f"tf.reshape({text}, {list(shape)})"
        if _broadcasts_to(found, shape):
            return f"tf.broadcast_to({text}, {list(shape)})"
        if size > wanted:
            return f"tf.reshape(tf.reshape({text}, [-1])[:{wanted}], {list(shape)})"
        return f"tf.fill({list(shape)}, tf.reduce_sum({text}))"

    def expression(self, point: ProgramPoint) -> Value:
        """An expression over the values there are; not larger than `LARGEST`."""
        kinds = [self.elementwise, self.broadcast, self.whole, self.reduction, self.layout, self.pair, self.contraction]
        kinds += [self.elementwise, self.broadcast, self.layout, self.joined, self.slice_, self.matrix]
        text, shape = self.pick(kinds)(point)
        while math.prod(shape) > LARGEST or len(shape) > MAX_AXES:
            text, shape = f"tf.reduce_sum({text}, axis=0) * 0.5", shape[1:]
        return text, shape

    def elementwise(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        pattern = self.pick(ops.ELEMENTWISE)
        if (
            point.graphs
            and pattern.startswith(("stop", "tripled", "passed"))
            or "clip_by_norm" in pattern
            and not math.prod(shape)
        ):
            pattern = ops.ELEMENTWISE[0]
        return pattern.replace("{x}", name), shape

    def broadcast(self, point: ProgramPoint) -> Value:
        (x, left), (y, right) = self.value(point), self.value(point)
        try:
            shape = np.broadcast_shapes(left, right)
        except ValueError:
            y, shape = self.adapted(y, right, left), left
        return self.pick(ops.BROADCASTING).replace("{x}", x).replace("{y}", y), shape

    def axis(self, shape: Shape) -> int:
        """An axis, counted from the front or from the back."""
        axis = self.choose(len(shape))
        return axis - len(shape) if self.chance(40) else axis

    def whole(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        if not shape or 0 in shape:
            return self.elementwise(point)
        pattern = self.pick(ops.WHOLE)
        return pattern.replace("{x}", name).replace("{a}", str(self.axis(shape))), shape

    def reduction(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        if not shape:
            return self.elementwise(point)
        axes = sorted({self.choose(len(shape)) for _ in range(1 + self.choose(2))})
        if self.chance(20):
            axes = list(range(len(shape)))
        keep = self.chance(40)
        pattern = ops.REDUCTIONS[0] if 0 in shape else self.pick(ops.REDUCTIONS)
        axis = axes if len(axes) > 1 else axes[0] - (len(shape) if self.chance(30) else 0)
        keywords = f", axis={axis}" + (", keepdims=True" if keep else "")
        if len(axes) == len(shape) and not keep and self.chance(60):
            keywords = ""
        left = tuple(1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes)
        return pattern.replace("{x}", name).replace("{k}", keywords), left

    def pair(self, point: ProgramPoint) -> Value:
        x, shape = self.value(point)
        same = [name for name, has in point.values if has == shape]
        return self.pick(ops.PAIRS).replace("{x}", x).replace("{y}", self.pick(same[::-1])), shape

    # --- shapes ------------------------------------------------------------------------------------------------------

    def layout(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        rank = len(shape)
        if not rank:
            count = self.choose(3) + 1
            return self.pick(
                (
                    (f"{name}[None]", (1,)),
                    (f"tf.repeat({name}, {count})", (count,)),
                    (f"tf.fill([{count}, 2], {name})", (count, 2)),
                    (f"tf.reshape({name}, [1, 1])", (1, 1)),
                )
            )
        axis = self.choose(rank)
        kind = self.choose(9)
        if kind == 0:
            order = [*range(rank)][::-1] if self.chance(50) else [*range(axis, rank), *range(axis)]
            return f"tf.transpose({name}, {order})", tuple(shape[i] for i in order)
        if kind == 1:
            return f"tf.expand_dims({name}, {axis - rank - 1})", _with(shape, axis, 1)
        if kind == 2:
            times = [1 + (i == axis) for i in range(rank)]
            return f"tf.tile({name}, {times})", tuple(n * t for n, t in zip(shape, times, strict=True))
        if kind == 3:
            pads = [[int(i == axis), self.choose(2)] for i in range(rank)]
            mode = self.pick(("CONSTANT", "SYMMETRIC", "REFLECT"))
            mode = "CONSTANT" if any(n < 2 for n in shape) else mode
            return f"tf.pad({name}, {pads}, '{mode}')", tuple(n + a + b for n, (a, b) in zip(shape, pads, strict=True))
        if kind == 4:
            return f"tf.reshape({name}, [{math.prod(shape)}])", (math.prod(shape),)
        if kind == 5 and 0 not in shape:
            return f"tf.reshape({name}, [{shape[0]}, -1])", (shape[0], math.prod(shape[1:]))
        if kind == 6:
            whole = (2, *shape)
            return f"tf.broadcast_to({name}, {list(whole)})", whole
        if kind == 7 and 1 in shape:
            at = shape.index(1)
            return f"tf.squeeze({name}, [{at}])", (*shape[:at], *shape[at + 1 :])
        return f"tf.repeat({name}, 2, axis={axis})", tuple(n * (1 + (i == axis)) for i, n in enumerate(shape))

    def slice_(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        rank = len(shape)
        if not rank or 0 in shape:
            return self.elementwise(point)
        axis, kind = self.choose(rank), self.choose(9)
        size = shape[axis]
        rest = (*shape[:axis], *shape[axis + 1 :])
        before = ":, " * axis
        if kind == 0:
            return f"{name}[{before}{self.choose(size)}]", rest
        if kind == 1:
            return f"{name}[{before}::-1]", shape
        if kind == 2:
            return f"{name}[{before}::2]", (*shape[:axis], (size + 1) // 2, *shape[axis + 1 :])
        if kind == 3:
            begin = self.choose(shape[-1])
            return f"{name}[..., tf.newaxis, {begin}:]", (*shape[:-1], 1, shape[-1] - begin)
        if kind == 4:
            indices = [self.choose(size) for _ in range(1 + self.choose(4))]
            return f"tf.gather({name}, {indices}, axis={axis})", (*shape[:axis], len(indices), *shape[axis + 1 :])
        if kind == 5:
            rows = [[self.choose(shape[0])] for _ in range(1 + self.choose(3))]
            return f"tf.gather_nd({name}, {rows})", (len(rows), *shape[1:])
        if kind == 6:
            begin = [self.choose(n) for n in shape]
            sizes = tuple(n - b for n, b in zip(shape, begin, strict=True))
            return f"tf.slice({name}, {begin}, {list(sizes)})", sizes
        ids = sorted(self.choose(2) for _ in range(shape[0]))
        if kind == 7:
            return f"tf.math.unsorted_segment_sum({name}, {ids[::-1]}, 3)", (3, *shape[1:])
        return f"tf.boolean_mask({name}, {[True, *[bool(i) for i in ids[1:]]]})", (1 + sum(ids[1:]), *shape[1:])

    def joined(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        if not shape:
            other = self.value(point)
            return f"tf.stack([{name}, {self.adapted(*other, ())}])", (2,)
        axis = self.choose(len(shape))
        same = [v for v in point.values if len(v[1]) == len(shape) and _agree(v[1], shape, axis)]
        other, also = self.pick(same[::-1])
        total = shape[axis] + also[axis]
        kind = self.choose(4)
        if kind == 0:
            return f"tf.concat([{name}, {other}], axis={axis})", (*shape[:axis], total, *shape[axis + 1 :])
        if kind == 1:
            return f"tf.stack([{name}, {name}], axis={axis - len(shape) - 1})", _with(shape, axis, 2)
        if kind == 2:
            return f"tf.split(tf.concat([{name}, {other}], {axis}), [{shape[axis]}, {also[axis]}], {axis})[1]", also
        part = (*shape[:axis], 1, *shape[axis + 1 :])
        if not shape[axis]:
            return self.elementwise(point)
        return f"tf.split({name}, {shape[axis]}, axis={axis})[{self.choose(shape[axis])}]", part

    # --- contractions ------------------------------------------------------------------------------------------------

    def contraction(self, point: ProgramPoint) -> Value:
        name, shape = self.value(point)
        rank = len(shape)
        if not rank:
            return self.broadcast(point)
        kind, last, size = self.choose(8), shape[-1], self.pick((2, 3, 1))
        if kind == 0 or rank == 1:
            other = self.fit(point, (last, size))
            return self.pick(
                (
                    (f"tf.einsum('...i,ij->...j', {name}, {other})", (*shape[:-1], size)),
                    (f"tf.tensordot({name}, {other}, 1)", (*shape[:-1], size)),
                    (f"tf.tensordot({name}, {other}, [[{rank - 1}], [0]])", (*shape[:-1], size)),
                )
            )
        if kind == 1:
            return f"tf.matmul({name}, {self.fit(point, (*shape[:-2], last, size))})", (*shape[:-1], size)
        if kind == 2:
            return f"tf.matmul({name}, {name}, transpose_b=True)", (*shape[:-1], shape[-2])
        if kind == 3:
            other = self.fit(point, (*shape[:-2], size, shape[-2]))
            return f"tf.matmul({name}, {other}, transpose_a=True, transpose_b=True)", (*shape[:-2], last, size)
        if kind == 4:
            return f"tf.linalg.matvec({name}, {self.fit(point, (last,))})", shape[:-1]
        if kind == 5:
            letters = "bcde"[:rank]
            kept = "".join(c for c in letters if self.chance(50))
            sizes = dict(zip(letters, shape, strict=True))
            other = self.fit(point, shape[::-1])
            text = f"tf.einsum('{letters},{letters[::-1]}->{kept[::-1]}', {name}, {other})"
            return text, tuple(sizes[c] for c in kept[::-1])
        if kind == 6 and rank == 2 and shape[0] > 1 and last:
            filters = self.fit(point, (2, last, size))
            return f"tf.nn.conv1d({name}[None], {filters}, 1, 'SAME')[0]", (shape[0], size)
        return f"tf.einsum('...ij,...kj->...ik', {name}, {name})", (*shape[:-1], shape[-2])

    def matrix(self, point: ProgramPoint) -> Value:
        size = self.pick((2, 3, 1))
        name = self.assign(point, self.fit(point, (size, size)), (size, size))
        pattern = self.pick(ops.MATRICES)
        spread = str([1.5 * k for k in range(size)])
        positive = f"(tf.matmul({name}, {name}, transpose_b=True) + 2.0 * tf.eye({size}, dtype=tf.float64))"
        distinct = f"tf.constant({spread}, tf.float64)"
        return pattern.replace("{m}", name).replace("{s}", positive).replace("{d}", distinct), (size, size)


def _with(shape: Shape, axis: int, size: int) -> Shape:
    """A shape with a further axis."""
    return (*shape[:axis], size, *shape[axis:])


def _agree(first: Shape, second: Shape, axis: int) -> bool:
    """Whether two shapes of a rank differ along one axis at the most."""
    return all(a == b for i, (a, b) in enumerate(zip(first, second, strict=True)) if i != axis)


def _broadcasts_to(shape: Shape, target: Shape) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False
