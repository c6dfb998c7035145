"""The op `ParseSingleSequenceExample`, which stands in graphs of TensorFlow 1: one SequenceExample in, tensors out.

TensorFlow reads this op's input with protobuf itself rather than with one of its own parsers. So does Millrace: unknown
fields are passed over, and the pieces of a list are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_fields import (
    KIND_OF_TAG,
    LIST_OF_TAG,
    MISSING,
    Field,
    FieldLayout,
    Values,
    column_of,
    show,
)
from millrace._src.ops.io.example_tensors import dense_tensor, sparse_parts
from millrace._src.ops.io.parse_example_ops import (
    NO_GRADIENT,
    VALUES,
    batch_dims,
    check_lengths,
    check_rank,
    dense_shapes,
    sparse_shapes,
)
from millrace._src.ops.io.parse_sequence_ops import NOT_BATCHED, transpose
from millrace._src.ops.io.sequence_fields import Fields, context_fields, list_fields, sparse_fields
from millrace._src.ops.io.sequence_reader import ListColumn
from millrace._src.ops.io.sequence_tensors import pad_lists, sparse_list_parts
from millrace._src.proto.example_pb2 import SequenceExample


def _shapes(c: ShapeContext) -> list[TensorShape]:
    batch_dims(c, "serialized", 0, 0)
    return [
        *sparse_shapes(c.attr("Ncontext_sparse"), 1),
        *dense_shapes((), c.attr("context_dense_shapes")),
        *sparse_shapes(c.attr("Nfeature_list_sparse"), 2),
        *dense_shapes((None,), c.attr("feature_list_dense_shapes")),
    ]


@op(
    "ParseSingleSequenceExample",
    "serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: Tcontext_dense, debug_name: string -> "
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types",
    context_sparse_types=VALUES,
    Tcontext_dense=VALUES,
    feature_list_dense_types=VALUES,
    feature_list_sparse_types=VALUES,
    shape=_shapes,
    host_only=True,
    not_differentiable=NO_GRADIENT,
    not_batched=NOT_BATCHED,
)
def parse_single_sequence_example_v1(
    xp: Xp,
    serialized: Array,
    feature_list_dense_missing_assumed_empty: Array,
    context_sparse_keys: list[Array],
    context_dense_keys: list[Array],
    feature_list_sparse_keys: list[Array],
    feature_list_dense_keys: list[Array],
    context_dense_defaults: list[Array],
    debug_name: Array,
    *,
    Ncontext_sparse: int = 0,
    Ncontext_dense: int = 0,
    Nfeature_list_sparse: int = 0,
    Nfeature_list_dense: int = 0,
    context_sparse_types: Sequence[DType] = (),
    Tcontext_dense: Sequence[DType] = (),
    feature_list_dense_types: Sequence[DType] = (),
    context_dense_shapes: Sequence[TensorShape] = (),
    feature_list_sparse_types: Sequence[DType] = (),
    feature_list_dense_shapes: Sequence[TensorShape] = (),
) -> tuple[list[Array], ...]:
    """Reads one serialized SequenceExample; features in the order of keys."""
    check_rank(serialized, (0,))
    for count, name, attr, values in (
        (Ncontext_sparse, "context_sparse", "types", context_sparse_types),
        (Ncontext_dense, "context_dense", "types", Tcontext_dense),
        (Ncontext_dense, "context_dense", "shapes", context_dense_shapes),
        (Nfeature_list_sparse, "feature_list_sparse", "types", feature_list_sparse_types),
        (Nfeature_list_dense, "feature_list_dense", "types", feature_list_dense_types),
        (Nfeature_list_dense, "feature_list_dense", "shapes", feature_list_dense_shapes),
    ):
        check_lengths(f"len({name}_keys) != len({name}_{attr})", count, len(values))
    key_lists = context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys
    keys = [_items(scalars) for scalars in key_lists]
    may_miss = feature_list_dense_missing_assumed_empty.reshape(-1).tolist()
    dense_lists = Nfeature_list_dense, feature_list_dense_types, feature_list_dense_shapes
    context = Fields(
        sparse_fields("context", keys[0], Ncontext_sparse, context_sparse_types),
        context_fields(keys[1], Tcontext_dense, context_dense_shapes, context_dense_defaults),
    )
    lists = Fields(
        sparse_fields("feature_list", keys[2], Nfeature_list_sparse, feature_list_sparse_types),
        list_fields(keys[3], *dense_lists, [key in may_miss for key in keys[3]]),
    )
    message = _Message(serialized.item(), show(debug_name.item()))
    return tuple(_context_tensors(message, context, context_dense_defaults) + _list_tensors(message, lists))


def _items(scalars: Sequence[Array]) -> list[bytes]:
    return [scalar.item() for scalar in scalars]


def _context_tensors(message: _Message, context: Fields, defaults: Sequence[Array]) -> list[list[Array]]:
    dense = [
        dense_tensor(column_of([message.dense(field)], field.dtype), field, default, is_single=True)
        for field, default in zip(context.dense, defaults, strict=True)
    ]
    columns = [column_of([message.sparse(field)], field.dtype) for field in context.sparse]
    return [*transpose([sparse_parts(column, is_single=True) for column in columns], 3), dense]


def _list_tensors(message: _Message, lists: Fields) -> list[list[Array]]:
    parts = [sparse_list_parts(message.feature_list(field), is_single=True) for field in lists.sparse]
    dense = [pad_lists(message.feature_list(field), field, is_single=True)[0] for field in lists.dense]
    return [*transpose(parts, 3), dense]


_KINDS = {"bytes": "bytes_list", "float": "float_list", "int64": "int64_list"}


class _Message:
    """A SequenceExample that protobuf has read, and its name in messages."""

    def __init__(self, data: bytes, name: str) -> None:
        self.prefix = f"Name: {name}, "
        try:
            message = SequenceExample.FromString(data)
        except DecodeError:
            raise invalid(f"Could not parse example input, value: '{show(data)}'") from None
        # Keys are text to protobuf and bytes to TensorFlow.
        self.features = {key.encode(): value for key, value in message.context.feature.items()}
        self.lists = {key.encode(): value for key, value in message.feature_lists.feature_list.items()}

    def dense(self, field: Field) -> Values | None:
        """Returns the values of a dense feature of the context, None if it is missing and has a default."""
        feature = self.features.get(field.key)
        if feature is None:
            if field.is_required:
                raise invalid(f"{self.prefix}Context feature '{field.shown_key}' is required but could not be found.")
            return None
        values = self._values(feature, field, f"Context feature: {field.shown_key}")
        self._check_count(values, field, 0)
        return values

    def sparse(self, field: Field) -> Values | None:
        """Returns the values of a sparse feature of the context, None if it is missing or empty."""
        feature = self.features.get(field.key)
        if feature is None or feature.WhichOneof("kind") is None:
            return None
        return self._values(feature, field, f"Context feature: {field.shown_key}")

    def feature_list(self, field: Field) -> ListColumn:
        """Returns the values of a feature list."""
        found_list = self.lists.get(field.key)
        if found_list is None and field.is_required:
            raise invalid(
                f"{self.prefix}Feature list '{field.shown_key}' is required but could not be found.  Did you mean to "
                "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
            )
        features = [] if found_list is None else found_list.feature
        values = [self._element(feature, field, index) for index, feature in enumerate(features)]
        column = column_of(values, field.dtype)
        return ListColumn(column.values, column.counts, np.array([MISSING if found_list is None else len(values)]))

    def _element(self, feature: Any, field: Field, index: int) -> Values:
        is_sparse = field.layout is FieldLayout.SPARSE
        if is_sparse and feature.WhichOneof("kind") is None:
            return []
        word = "List" if is_sparse else "list"
        values = self._values(feature, field, f"Feature {word}: {field.shown_key}, Index: {index}")
        if not is_sparse:
            self._check_count(values, field, index)
        return values

    def _values(self, feature: Any, field: Field, subject: str) -> Values:
        kind = _KINDS[LIST_OF_TAG[field.tag]]
        if feature.WhichOneof("kind") != kind:
            expected = f"Expected type: {KIND_OF_TAG[field.tag]}"
            raise invalid(f"{self.prefix}{subject}.  Data types don't match. {expected}  Feature is: {feature}")
        return list(getattr(feature, kind).value)

    def _check_count(self, values: Values, field: Field, index: int) -> None:
        if len(values) != field.size:
            complaint = f"Number of {LIST_OF_TAG[field.tag]} values != expected."
            sizes = f"values size: {len(values)} but output shape: {field.shown_shape}"
            raise invalid(f"{self.prefix}Key: {field.shown_key}, Index: {index}.  {complaint}  {sizes}")
