"""Arithmetic on single numbers in loops: by Python's operators on NumPy's scalars.

Problem: a ufunc takes 230 ns for two arrays of rank 0. The counters and conditions of a loop are such arrays, and an
iteration that does little else costs what its counters cost.

Idea: an operator takes 20 ns for two scalars of NumPy, and gives the same bits. So within a loop the lines that compute
one number from others are written with operators, and hand scalars on to each other:

    s0 = a0[()]
    while True:
        v1 = s0 < n2
        if not v1: break
        v3 = s0 + n4
        s0 = v3
    s0 = asarray(s0)

Kernels get arrays, as ever: a scalar becomes an array in front of the first line that is no such arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType, float32, float64, int32, int64
from millrace._src.core.dtypes import bool as bool_
from millrace._src.engines.numpy.instructions import BranchChoice, Instruction, Line, Loop

_NUMBERS = frozenset((int32, int64, float32, float64))
_OPERATORS: dict[Any, tuple[str, frozenset[DType]]] = {
    np.add: ("+", _NUMBERS),
    np.subtract: ("-", _NUMBERS),
    np.multiply: ("*", _NUMBERS),
    np.true_divide: ("/", frozenset((float32, float64))),
    np.negative: ("-", _NUMBERS),
    np.less: ("<", _NUMBERS),
    np.less_equal: ("<=", _NUMBERS),
    np.greater: (">", _NUMBERS),
    np.greater_equal: (">=", _NUMBERS),
    np.equal: ("==", _NUMBERS),
    np.not_equal: ("!=", _NUMBERS),
    np.logical_and: ("&", frozenset((bool_,))),
    np.logical_or: ("|", frozenset((bool_,))),
    np.logical_not: ("~", frozenset((bool_,))),
}
"""From ufuncs to the operators that do the same with scalars of certain dtypes."""


def use_scalars(block: list[Instruction], scope: dict[str, Any]) -> None:
    """Rewrites the loops of a block so that the arithmetic on single numbers works on scalars.

    Args:
      block: the instructions, which are changed.
      scope: the kernels and constants by their names; gets the constants as scalars, too.
    """
    for index in reversed(range(len(block))):
        instruction = block[index]
        if isinstance(instruction, BranchChoice):
            for inner, _ in instruction.branches:
                use_scalars(inner, scope)
        elif isinstance(instruction, Loop):
            _Rewriter(instruction, scope).rewrite()
            block[index + 1 : index + 1] = [_as_array(name) for name in sorted(instruction.scalars)]


def _as_array(name: str) -> Line:
    """Returns the line that makes an array of a scalar, under the same name."""
    return Line([name], name, f"asarray({name})", [name])


class _Rewriter:
    """Rewrites one loop; loops inside of the loop come first.

    Attributes:
      scalars: the names that hold scalars where the rewriting stands.
    """

    def __init__(self, loop: Loop, scope: dict[str, Any]) -> None:
        self.loop = loop
        self.scope = scope
        self.scalars: set[str] = set()

    def rewrite(self) -> None:
        loop = self.loop
        for block in (loop.test, loop.body):
            use_scalars(block, self.scope)
        if not loop.states:
            return
        computed_names = {i.targets[0] for i in loop.body if isinstance(i, Line) and self._operator(i) is not None}
        *steps, handing_on = loop.body
        assert isinstance(handing_on, Line)  # the new state, which is the last line of a loop with states
        pairs = zip(handing_on.targets, handing_on.uses, strict=True)
        loop.scalars = frozenset(state for state, value in pairs if value in computed_names)
        self.scalars.update(loop.scalars)
        loop.test = self._rewrite(loop.test)
        loop.body = [*self._rewrite(steps), *self._pass_state(handing_on)]

    def _rewrite(self, block: Sequence[Instruction]) -> list[Instruction]:
        rewritten: list[Instruction] = []
        for instruction in block:
            operator = self._operator(instruction) if isinstance(instruction, Line) else None
            if operator is not None and isinstance(instruction, Line):
                instruction.call = self._expression(operator, instruction.uses)
                self.scalars.update(instruction.targets)
            else:
                rewritten += self._arrays(_names_of_arrays(instruction))
            rewritten.append(instruction)
        return rewritten

    def _pass_state(self, line: Line) -> list[Instruction]:
        """Returns the lines that hand the state on to the next iteration: scalars to scalars, arrays to arrays."""
        pairs = list(zip(line.targets, line.uses, strict=True))
        arrays = self._arrays({value for state, value in pairs if state not in self.loop.scalars})
        line.call = ", ".join(self._scalar(value) if state in self.loop.scalars else value for state, value in pairs)
        return [*arrays, line]

    def _arrays(self, names: set[str]) -> list[Instruction]:
        """Returns the lines that make arrays of those of some names that hold scalars."""
        scalar_names = sorted(names & self.scalars)
        self.scalars.difference_update(scalar_names)
        return [_as_array(name) for name in scalar_names]

    def _operator(self, line: Line) -> str | None:
        """Returns the operator that does what a line does with single numbers, if there is one."""
        kernel = self.scope.get(line.kernel)
        if not isinstance(kernel, np.ufunc) or kernel not in _OPERATORS:
            return None
        symbol, dtypes = _OPERATORS[kernel]
        values = (*line.node.inputs, *line.node.outputs)
        fits = all(value.dtype in dtypes for value in line.node.inputs) and all(v.shape.rank == 0 for v in values)
        return symbol if fits else None

    def _expression(self, operator: str, names: Sequence[str]) -> str:
        operands = [self._scalar(name) for name in names]
        return f"{operator}{operands[0]}" if len(operands) == 1 else f"{operands[0]} {operator} {operands[1]}"

    def _scalar(self, name: str) -> str:
        """Returns the expression of a value as a scalar; a constant gets a second name."""
        if name in self.scalars:
            return name
        constant = self.scope.get(name)
        if constant is None:
            return f"{name}[()]"
        self.scope[f"n{name}"] = np.asarray(constant)[()]
        return f"n{name}"


def _names_of_arrays(instruction: Instruction) -> set[str]:
    """Returns the names that an instruction reads as arrays; the condition of a choice may be a scalar."""
    if not isinstance(instruction, BranchChoice):
        return instruction.reads()
    names = {name for _, results in instruction.branches for name in results}
    return names.union(*[inner.reads() for block, _ in instruction.branches for inner in block])
