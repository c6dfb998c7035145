"""The ops that make iterators of graphs, and the texts that represent iterators in what a session is fed.

An iterator of a graph lives as long as the session that runs the graph. A text ("string handle") names a running
iterator of this process; an iterator without a reference has no text.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.handle_types import HandleType, Referent
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.iterator_ops import check_elements, declared_iterator, iterator_resource_of
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import ELEMENT_TYPES, node_of
from millrace._src.data.object_ops import DELETES_OBJECT, MAKES_OBJECT, with_deleter
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.ops.shape_rules import scalar

_serial = itertools.count()
_by_text: weakref.WeakValueDictionary[str, IteratorResource] = weakref.WeakValueDictionary()


class Deleter(Referent):
    """What ends an iterator, in ops that hand it out: here an iterator ends with its last handle."""

    __slots__ = ()

    @property
    def handle_type(self) -> HandleType:
        """The type of deleters."""
        return HandleType()


_MAKES: dict[str, Any] = {
    **MAKES_OBJECT,
    "output_types": ELEMENT_TYPES,
    "handles": declared_iterator,
    "not_differentiable": "an iterator is not a number",
    "not_batched": "it has no operands that could differ",
}


@op("IteratorV2", "-> handle: resource", makes_shared_object=True, **_MAKES)
def iterator_v2(
    xp: Xp, *, shared_name: str, container: str, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes an iterator of a graph."""
    return IteratorResource(output_types, output_shapes)


@op("Iterator", "-> handle: resource", makes_shared_object=True, **_MAKES)
def iterator(
    xp: Xp, *, shared_name: str, container: str, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes an iterator of a graph."""
    return IteratorResource(output_types, output_shapes)


@op("OneShotIterator", "-> handle: resource", makes_shared_object=True, keeps_functions=True, **_MAKES)
def one_shot_iterator(
    xp: Xp,
    *,
    dataset_factory: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    container: str = "",
    shared_name: str = "",
) -> Any:
    """Makes an iterator that goes once over the dataset of a function."""
    (handle,) = BoundFunction(dataset_factory, []).call_row([])
    node = node_of(handle)
    check_elements(output_types, output_shapes, node.dtypes, node.shapes)
    resource = IteratorResource(output_types, output_shapes)
    resource.start(node)
    return resource


@op("AnonymousIterator", "-> handle: resource", **_MAKES)
def anonymous_iterator_v1(xp: Xp, *, output_types: list[DType], output_shapes: list[TensorShape]) -> Any:
    """Makes an iterator that lives as long as its handle."""
    return IteratorResource(output_types, output_shapes)


@op(
    "AnonymousIteratorV2",
    "-> handle: resource, deleter: variant",
    **with_deleter(_MAKES),
)
def anonymous_iterator_v2(xp: Xp, *, output_types: list[DType], output_shapes: list[TensorShape]) -> Any:
    """Makes an iterator that lives as long as its handle."""
    return IteratorResource(output_types, output_shapes), Deleter()


@op(
    "DeleteIterator",
    "handle: resource, deleter: variant ->",
    not_differentiable="an iterator is not a number",
    not_batched="an iterator is a scalar",
    **DELETES_OBJECT,
)
def delete_iterator(xp: Xp, handle: Array, deleter: Array) -> None:
    """Ends an iterator."""
    iterator_resource_of(handle).close()


# --- texts -------------------------------------------------------------------------------------------------------

_TEXT: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.RANDOM,
    "not_differentiable": "a name is not a number",
    "not_batched": "an iterator is a scalar",
}


@op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", **_TEXT)
def iterator_to_string_handle(xp: Xp, resource_handle: Array) -> Array:
    """Returns the text that identifies an iterator."""
    resource = iterator_resource_of(resource_handle)
    if resource.text is None:
        resource.text = f"millrace iterator {next(_serial)}"
        _by_text[resource.text] = resource
    return np.array(resource.text.encode(), object)


def _resource_of_text(string_handle: Array, dtypes: list[DType], shapes: list[TensorShape]) -> IteratorResource:
    """Returns the iterator that a text names.

    Raises: InvalidArgumentError: if there is none, or one of other elements.
    """
    resource = _by_text.get(string_handle[()].decode("utf-8", "replace"))
    if resource is None:
        raise InvalidArgumentError(None, None, "Could not parse string_handle as a valid ResourceHandle")
    if dtypes:
        check_elements(dtypes, shapes, resource.dtypes, resource.shapes)
    return resource


_FROM_TEXT: dict[str, Any] = {
    **_TEXT,
    "handles": declared_iterator,
    "cacheable": False,
    "capabilities": Capability.RUNS_PYTHON,  # the iterator may be any of this process, over a generator of Python
}


@op("IteratorFromStringHandleV2", "string_handle: string -> resource_handle: resource", **_FROM_TEXT)
def iterator_from_string_handle_v2(
    xp: Xp,
    string_handle: Array,
    *,
    output_types: list[DType] = (),  # type: ignore[assignment]  # an empty list by default
    output_shapes: list[TensorShape] = (),  # type: ignore[assignment]  # an empty list by default
) -> Any:
    """Returns the iterator that a text names."""
    return _resource_of_text(string_handle, output_types, output_shapes)


@op("IteratorFromStringHandle", "string_handle: string -> resource_handle: resource", **_FROM_TEXT)
def iterator_from_string_handle(
    xp: Xp,
    string_handle: Array,
    *,
    output_types: list[DType] = (),  # type: ignore[assignment]  # an empty list by default
    output_shapes: list[TensorShape] = (),  # type: ignore[assignment]  # an empty list by default
) -> Any:
    """Returns the iterator that a text names."""
    return _resource_of_text(string_handle, output_types, output_shapes)
