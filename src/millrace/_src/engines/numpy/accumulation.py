"""Sums of arrays that are zero but for a few places, in a generated program.

The gradient of `x[i]` is zeros with something in the place of the slice. A loop that reads `x` row by row adds one of
them in each iteration: with all the zeros that takes quadratic time. Here the line that makes such an array disappears
where only a sum reads it. The sum adds to the place of the slice alone, and if nobody else holds the other summand, as
in a loop that accumulates (see `instructions`), without a copy of it:

    v5 = k5(shape, i, v4)     # zeros, v4 in row i
    v7 = k7(s3, v5)           # -> v7 = t7(s3, shape, i, v4); in place: p7(s3, shape, i, v4)
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.engines.numpy.instructions import Choice, Instruction, Line, Loop
from millrace._src.engines.numpy.namespace import xp


def fuse_sums(block: list[Instruction], results: Sequence[str], engine: Any, scope: dict[str, Any]) -> None:
    """Rewrites the sums of a program.

    Args:
      block: the instructions; changed.
      results: the names that the program returns.
      engine: binds kernels.
      scope: the names that the program knows; further ones are added.
    """
    uses = Counter(results)
    uses.update(_all_uses(block))
    _Fuser(uses, engine, scope).block(block)


def _all_uses(block: Iterable[Instruction]) -> Iterator[str]:
    for instruction in block:
        yield from instruction.uses
        if isinstance(instruction, Loop):
            yield instruction.keep
            yield from _all_uses([*instruction.test, *instruction.body])
        elif isinstance(instruction, Choice):
            for inner, results in instruction.branches:
                yield from _all_uses(inner)
                yield from results


class _Fuser:
    def __init__(self, uses: Counter[str], engine: Any, scope: dict[str, Any]) -> None:
        self.uses, self.engine, self.scope = uses, engine, scope

    def block(self, block: list[Instruction]) -> None:
        """Goes through a block and those inside of it."""
        makers: dict[str, Line] = {}
        gone: set[int] = set()
        for instruction in block:
            if isinstance(instruction, Loop):
                self.block(instruction.test)
                self.block(instruction.body)
            elif isinstance(instruction, Choice):
                for inner, _ in instruction.branches:
                    self.block(inner)
            elif instruction.node is not None:
                gone.update(id(line) for line in self._line(instruction, makers))
        block[:] = [instruction for instruction in block if id(instruction) not in gone]

    def _line(self, line: Line, makers: dict[str, Line]) -> list[Line]:
        """Notes a line that makes mostly zeros, or rewrites a sum of such; returns the lines that it replaces."""
        op = line.node.op_def
        if op.rules.added_to is not None and self.uses[line.targets[0]] == 1:
            makers[line.targets[0]] = line
        if not op.traits.is_sum or line.node.outputs[0].dtype.name == "variant":
            return []
        sparse = [makers[name] for name in line.uses if name in makers]
        if len(sparse) == len(line.uses):
            sparse = sparse[1:]  # one of them has to be there
        if sparse:
            self._rewrite(line, sparse)
        return sparse

    def _rewrite(self, line: Line, sparse: Sequence[Line]) -> None:
        made = {maker.targets[0] for maker in sparse}
        whole = [name for name in line.uses if name not in made]
        line.arguments = line.uses
        line.uses = [*whole, *(name for maker in sparse for name in maker.uses)]
        steps = [(self._adder(maker), self._bound(maker), len(maker.uses)) for maker in sparse]
        number = line.targets[0]
        self.scope[f"t{number}"] = _Sum(self._bound(line), len(whole), steps, in_place=False)
        line.call = f"t{number}({', '.join(line.uses)})"
        line.makes_array = True
        if len(whole) == 1:
            self.scope[f"p{number}"] = _Sum(self._bound(line), 1, steps, in_place=True)
            line.consumed, line.call_in_place = whole[0], f"p{number}({', '.join(line.uses)})"

    def _bound(self, line: Line) -> Callable[..., Any]:
        node = line.node
        kernel: Callable[..., Any] = self.engine.bind(node.op_def, tuple(v.dtype for v in node.inputs), node.attrs)
        return kernel

    @staticmethod
    def _adder(line: Line) -> Callable[..., Any]:
        op, attrs = line.node.op_def, line.node.attrs
        given = {name: attrs.get(name, op.attr_defaults.get(name)) for name in op.kernel_attrs}
        return functools.partial(op.rules.added_to, xp, **given)


class _Sum:
    """A sum of whole arrays and of such that are mostly zeros.

    Args:
      plus: adds whole arrays.
      count: how many of these come first among the arguments.
      steps: for each of the others what adds it, what makes it, and the number of its arguments.
      in_place: whether the only whole array may be changed.
    """

    __slots__ = ("plus", "count", "steps", "in_place")

    def __init__(
        self,
        plus: Callable[..., Any],
        count: int,
        steps: Sequence[tuple[Callable[..., Any], Callable[..., Any], int]],
        *,
        in_place: bool,
    ) -> None:
        self.plus, self.count, self.steps, self.in_place = plus, count, steps, in_place

    def __call__(self, *arguments: Any) -> Any:
        position = self.count
        total = arguments[0]
        if position > 1:
            total = np.asarray(self.plus(*arguments[:position]))
        elif not self.in_place:
            total = np.array(total)
        for add, make, size in self.steps:
            given = arguments[position : position + size]
            position += size
            found = add(total, *given)
            total = np.asarray(self.plus(total, make(*given))) if found is None else found
        return total
