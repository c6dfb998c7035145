"""Sums that add arrays which are mostly zeros, without making these arrays: see the pass `sparse_sums`.

A sum adds only at the positions that are not zero. If nothing else holds the only whole summand, as in a loop that
accumulates (see `instructions`), the sum adds without a copy of that summand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.engines.binding import bind_addition
from millrace._src.engines.numpy.namespace import xp
from millrace._src.passes.optimized_graph import Node


def bind_sum(node: Node, engine: Any, *, in_place: bool = False) -> Callable[..., Any]:
    """Returns the callable on arrays for a sum that adds the results of some nodes without making them.

    Args:
      node: the sum, with those nodes as `added`.
      engine: binds kernels.
      in_place: whether the callable may change the first array.
    """
    count = len(node.inputs) - sum(len(maker.inputs) for maker in node.added)
    plus = engine.bind(node.op_def, (node.outputs[0].dtype,) * (count + len(node.added)), node.attrs)
    steps = [
        (bind_addition(maker.op_def, maker.attrs, xp), _bind(maker, engine), len(maker.inputs)) for maker in node.added
    ]
    return _Sum(plus, count, steps, in_place=in_place)


def _bind(node: Node, engine: Any) -> Callable[..., Any]:
    kernel: Callable[..., Any] = engine.bind(node.op_def, tuple([value.dtype for value in node.inputs]), node.attrs)
    return kernel


class _Sum:
    """A sum of whole arrays and of arrays that are mostly zeros.

    Args:
      plus: adds whole arrays.
      count: the number of whole arrays, which come first among the arguments.
      steps: for each other array the function that adds it, the function that makes it, and their number of arguments.
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

    def __call__(self, *arguments: object) -> Any:
        position = self.count
        total = arguments[0]
        if position > 1:
            total = np.asarray(self.plus(*arguments[:position]))
        elif not self.in_place:
            total = np.array(total)
        for add, make, size in self.steps:
            operands = arguments[position : position + size]
            position += size
            result = add(total, *operands)
            total = np.asarray(self.plus(total, make(*operands))) if result is None else result
        return total
