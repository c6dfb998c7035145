"""Ops that give a graph its form: constants, and nodes that only order other nodes.

Nothing computes here: a Const hands out its attribute, a NoOp is there for its control inputs.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, KnownValue, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.ops.type_sets import ANY


def _const_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of(c.attr("value").shape)


@op(
    "Const",
    " -> output: dtype",
    dtype=ANY,
    shape=_const_shape,
    not_differentiable="a constant has no inputs",
    not_batched="it has no operands that could differ",
    known_value=KnownValue.WHOLE,
)
def const(xp: Xp, *, value: Array, dtype: DType) -> Array:
    """Returns a constant of the graph."""
    return value


@op(
    "NoOp",
    " -> ",
    shape=no_outputs,
    effects=Effects.NONE,
    not_differentiable="it has no outputs",
    not_batched="it has no operands that could differ",
)
def no_op(xp: Xp) -> Any:
    """Does nothing; the control inputs give the node its meaning."""
    return ()
