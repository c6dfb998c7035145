"""The ops on iterators: making one, beginning a pass, taking the next element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.handle_types import IteratorHandle, OptionalHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.declared_shapes import incompatible
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import ELEMENT_TYPES, declared_element_shapes, node_of
from millrace._src.data.optional_ops import OptionalValue
from millrace._src.ops.shape_rules import no_outputs, scalar

END_OF_SEQUENCE = "End of sequence"


def iterator_resource_of(handle: Array) -> IteratorResource:
    """Returns the running iterator behind a resource handle.

    Raises: InvalidArgumentError: if the handle refers to something else.
    """
    resource = resource_of(handle)
    if not isinstance(resource, IteratorResource):
        raise errors.InvalidArgumentError(
            None,
            None,
            "Trying to access a handle's resource using the wrong type. The handle points to a "
            f"{type(resource).__name__} but you are trying to access the resource as an iterator over a dataset.",
        )
    return resource


def check_elements(
    dtypes: Sequence[DType],
    shapes: Sequence[TensorShape],
    found_dtypes: Sequence[DType],
    found_shapes: Sequence[TensorShape],
) -> None:
    """Refuses elements of other dtypes or shapes than declared.

    Raises: InvalidArgumentError: in TensorFlow's words.
    """
    problem = None
    if len(dtypes) != len(found_dtypes):
        problem = f"Number of components does not match: expected {len(dtypes)} types but got {len(found_dtypes)}."
    for index, (dtype, found) in enumerate(zip(dtypes, found_dtypes)):
        if dtype is not found and problem is None:
            names = f"expected {runtime_name(dtype)} but got {runtime_name(found)}"
            problem = f"Data type mismatch at component {index}: {names}."
    for index, (shape, other) in enumerate(zip(shapes, found_shapes)):
        if not shape.is_compatible_with(other) and problem is None:
            problem = incompatible(index, shape, other)
    if problem is not None:
        raise errors.InvalidArgumentError(None, None, problem)


def _check_declared(handle: Array, dtypes: list[DType], shapes: list[TensorShape]) -> IteratorResource:
    """Returns the iterator behind a handle after a check that its elements are as a node declares them."""
    resource = iterator_resource_of(handle)
    if resource.declared is not shapes:  # checked once for each node that takes elements in turn
        check_elements(dtypes, shapes, resource.dtypes, resource.shapes)
        resource.declared = shapes
    return resource


def declared_iterator(c: ShapeContext) -> IteratorHandle:
    """Returns the handle type that the attributes of an iterator op declare."""
    return IteratorHandle(tuple(c.attr("output_types")), tuple(c.attr("output_shapes")))


@op(
    "AnonymousIteratorV3",
    "-> handle: resource",
    full_type="ITERATOR[PRODUCT[UNSET[output_types]]]",
    shape=scalar,
    output_types=ELEMENT_TYPES,
    handles=declared_iterator,
    host_only=True,
    refused_when_compiled=True,
    effects=Effects.RANDOM,
    cacheable=False,
    not_differentiable="an iterator is not a number",
    not_batched="it has no operands that could differ",
)
def anonymous_iterator(xp: Xp, *, output_types: list[DType], output_shapes: list[TensorShape]) -> Any:
    """Makes an iterator that lives as long as its handle."""
    return IteratorResource(output_types, output_shapes)


@op(
    "MakeIterator",
    "dataset: variant, iterator: resource ->",
    full_type="",
    shape=no_outputs,
    host_only=True,
    refused_when_compiled=True,
    effects=Effects.WRITES,
    not_differentiable="an iterator is not a number",
    not_batched="a dataset is a scalar",
)
def make_iterator(xp: Xp, dataset: Array, iterator: Array) -> None:
    """Lets an iterator begin a pass over a dataset."""
    resource, node = iterator_resource_of(iterator), node_of(dataset)
    check_elements(resource.dtypes, resource.shapes, node.dtypes, node.shapes)
    resource.start(node)


_NEXT: dict[str, Any] = {
    "shape": declared_element_shapes,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "not_differentiable": "what an iterator gives depends on no tensor",
    "not_batched": "an iterator gives one element after the other",
}


@op("IteratorGetNext", "iterator: resource -> components: output_types", output_types=ELEMENT_TYPES, **_NEXT)
def iterator_get_next(
    xp: Xp, iterator: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Takes the next element."""
    row = _check_declared(iterator, output_types, output_shapes).next_row()
    if row is None:
        raise errors.OutOfRangeError(None, None, END_OF_SEQUENCE)
    return row


@op("IteratorGetNextSync", "iterator: resource -> components: output_types", output_types=ELEMENT_TYPES, **_NEXT)
def iterator_get_next_sync(
    xp: Xp, iterator: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Takes the next element, in this thread."""
    return list(iterator_get_next.op_def.kernel(xp, iterator, output_types=output_types, output_shapes=output_shapes))


def _declared_optional(c: ShapeContext) -> OptionalHandle:
    return OptionalHandle(tuple(c.attr("output_types")), tuple(c.attr("output_shapes")))


@op(
    "IteratorGetNextAsOptional",
    "iterator: resource -> optional: variant",
    output_types=ELEMENT_TYPES,
    handles=_declared_optional,
    full_type="OPTIONAL[PRODUCT[TENSOR[output_types]]]",
    **{**_NEXT, "shape": scalar},
)
def iterator_get_next_as_optional(
    xp: Xp, iterator: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Takes the next element as an optional, which is missing after the last element."""
    return OptionalValue(_check_declared(iterator, output_types, output_shapes).next_row(), output_types)
