"""What a fetch or a feed may be besides a tensor: sparse tensors, slices and ragged tensors, which consist of several.

The values of the parts go in and come out as one value: a `SparseTensorValue` and the like.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.indexed_slices import IndexedSlices, IndexedSlicesValue
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.ragged_value import RaggedTensorValue
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util import nest
from millrace._src.util.class_table import ClassTable


class Parts(NamedTuple):
    """The tensors that something consists of.

    Attributes:
      tensors: the tensors.
      pack: makes one value of the values of the tensors.
    """

    tensors: Sequence[Any]
    pack: Callable[[Sequence[Any]], Any]


Taken: TypeAlias = Callable[[Any], Parts]
Fed: TypeAlias = Callable[[Any, Any], list[tuple[Any, Any]]]


class FetchKind(NamedTuple):
    """How a class of fetches and feeds comes apart.

    Attributes:
      fetched: returns the parts of an instance that is fetched.
      fed: returns the pairs of a tensor and its value for an instance and the value that is fed.
    """

    fetched: Taken
    fed: Fed


def _sparse_parts(sparse: Any) -> Parts:
    return Parts((sparse.indices, sparse.values, sparse.dense_shape), lambda values: SparseTensorValue(*values))


def _sparse_feeds(sparse: Any, value: Any) -> list[tuple[Any, Any]]:
    return list(zip((sparse.indices, sparse.values, sparse.dense_shape), value, strict=True))


def _slices_parts(slices: Any) -> Parts:
    tensors = [part for part in (slices.values, slices.indices, slices.dense_shape) if part is not None]
    return Parts(tensors, lambda values: IndexedSlicesValue(*values, *[None] * (3 - len(values))))


def _slices_feeds(slices: Any, value: Any) -> list[tuple[Any, Any]]:
    pairs = zip((slices.values, slices.indices, slices.dense_shape), value, strict=False)
    return [(tensor, part) for tensor, part in pairs if tensor is not None]


def _ragged_parts(ragged: Any) -> Parts:
    def pack(values: Sequence[Any]) -> Any:
        value = values[0]
        for row_splits in reversed(values[1:]):
            value = RaggedTensorValue(value, row_splits)
        return value

    return Parts((ragged.flat_values, *ragged.nested_row_splits), pack)


def _ragged_feeds(ragged: Any, value: Any) -> list[tuple[Any, Any]]:
    tensors = (ragged.flat_values, *ragged.nested_row_splits)
    return list(zip(tensors, (value.flat_values, *value.nested_row_splits), strict=True))


def _composite_parts(composite: Any) -> Parts:
    components = composite._nest_components()
    tensors = nest.flatten(components, expand_composites=True)
    return Parts(tensors, lambda values: composite._nest_rebuild(nest.pack_sequence_as(components, list(values))))


def _composite_feeds(composite: Any, value: object) -> list[tuple[Any, Any]]:
    tensors = nest.flatten(composite._nest_components(), expand_composites=True)
    return list(zip(tensors, nest.flatten(value, expand_composites=True), strict=True))


_KINDS: dict[type, FetchKind] = {
    SparseTensor: FetchKind(_sparse_parts, _sparse_feeds),
    IndexedSlices: FetchKind(_slices_parts, _slices_feeds),
    RaggedTensor: FetchKind(_ragged_parts, _ragged_feeds),
}
_COMPOSITE = FetchKind(_composite_parts, _composite_feeds)


def _kind_of_class(cls: type) -> FetchKind | None:
    for base in cls.__mro__:
        if base in _KINDS:
            return _KINDS[base]
    return _COMPOSITE if issubclass(cls, CompositeTensor) and not cls._stands_for_tensor else None


kind_of: ClassTable[FetchKind | None] = ClassTable(_kind_of_class)
"""How the instances of a class come apart; None for a class of single tensors, operations, names."""
