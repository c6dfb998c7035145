"""What algebra knows of an op, as facts of its declaration: `Traits` hold them, passes read them.

A fact holds to the bit. A law that holds for real numbers but not for floating-point numbers is not a fact: `x + 0`
makes 0.0 of -0.0, `x * 0` is not 0 if `x` is infinite. Only `Traits.formula` is about real numbers.

Tests: tests/contracts/test_every_algebra.py
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class NeutralOperand(NamedTuple):
    """An operand that changes nothing: the op returns the other one of its two inputs."""

    argument: int
    """The number of the input that changes nothing."""
    value: float
    """The value of all elements of that input; the sign of zero counts."""
    kinds: str
    """The kinds of NumPy dtype (b, i, u, f) for which the law holds."""


def neutral_on_both_sides(value: float, kinds: str) -> tuple[NeutralOperand, NeutralOperand]:
    """Returns the facts of a commutative op with a neutral element."""
    return NeutralOperand(1, value, kinds), NeutralOperand(0, value, kinds)


class ElementOrder(enum.Enum):
    """What becomes of the elements of the first input in the only output."""

    COMPUTED = "computed"
    """The op computes elements, or picks some."""
    SAME = "same"
    """The output has the same elements in the same order, perhaps in another shape (Reshape)."""
    REPEATED = "repeated"
    """The output repeats the elements, so that it is the input where the shape is the same (Tile)."""

    @property
    def keeps_elements(self) -> bool:
        """Whether the output is the input wherever both have one shape."""
        return self is not ElementOrder.COMPUTED


class Comparison(enum.Enum):
    """The comparison that an op makes of its two inputs, by the sign of Python."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="


class EpilogueStep(enum.Enum):
    """What an op does to each element of its first input, as a step after an op with `Traits.epilogue_op`.

    A sum or a product is symmetric, and broadcasts the other input.
    """

    ADD = "add"
    MULTIPLY = "multiply"
    RELU = "relu"
    """The larger of the element and 0; NaN stays NaN."""
    RELU6 = "relu6"
    """The smaller of that and 6."""

    @property
    def has_operand(self) -> bool:
        """Whether the step reads another input."""
        return self in (EpilogueStep.ADD, EpilogueStep.MULTIPLY)


class Total(enum.Enum):
    """What a reduction makes of the sum of elements."""

    SUM = "sum"
    MEAN = "mean"
