"""The ops on iterators: making one, beginning a pass, taking the next element."""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.handle_types import IteratorHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.iteration import Iteration
from millrace._src.data.nodes import node_of
from millrace._src.ops.shape_rules import no_outputs, scalar
from millrace._src.ops.type_sets import ANY

END_OF_SEQUENCE = "End of sequence"


def _declared_iterator(c: ShapeContext) -> IteratorHandle:
    return IteratorHandle(tuple(c.attr("output_types")), tuple(c.attr("output_shapes")))


def _element_shapes(c: ShapeContext) -> list[TensorShape]:
    shapes: list[TensorShape] = list(c.attr("output_shapes"))
    return shapes


@op(
    "AnonymousIteratorV3",
    "-> handle: resource",
    shape=scalar,
    handles=_declared_iterator,
    host_only=True,
    effects=Effects.RANDOM,
    cacheable=False,
    not_differentiable="an iterator is not a number",
    not_batched="it has no operands that could differ",
)
def anonymous_iterator(xp: Xp, *, output_types: list[DType], output_shapes: list[TensorShape]) -> Any:
    """Makes an iterator that belongs to whoever holds its handle."""
    return Iteration(output_types, output_shapes)


@op(
    "MakeIterator",
    "dataset: variant, iterator: resource ->",
    shape=no_outputs,
    host_only=True,
    effects=Effects.WRITES,
    not_differentiable="an iterator is not a number",
    not_batched="a dataset is a scalar",
)
def make_iterator(xp: Xp, dataset: Array, iterator: Array) -> None:
    """Lets an iterator begin a pass over a dataset."""
    resource_of(iterator).start(node_of(dataset))


_NEXT: dict[str, Any] = {
    "shape": _element_shapes,
    "host_only": True,
    "effects": Effects.WRITES,
    "not_differentiable": "what an iterator gives depends on no tensor",
    "not_batched": "an iterator gives one element after the other",
}


@op("IteratorGetNext", "iterator: resource -> components: output_types", output_types=TypeList(ANY), **_NEXT)
def iterator_get_next(
    xp: Xp, iterator: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Takes the next element."""
    row: list[Array] | None = resource_of(iterator).next_row()
    if row is None:
        raise errors.OutOfRangeError(None, None, END_OF_SEQUENCE)
    return row


@op("IteratorGetNextSync", "iterator: resource -> components: output_types", output_types=TypeList(ANY), **_NEXT)
def iterator_get_next_sync(
    xp: Xp, iterator: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Takes the next element, in this thread."""
    return list(iterator_get_next.op_def.kernel(xp, iterator, output_types=output_types, output_shapes=output_shapes))
