"""The ops `ParseSequenceExample` and `ParseSequenceExampleV2`: SequenceExamples in, the parts of tensors out.

The second has its keys as inputs and knows ragged features; the first has its keys as attributes. Both take a vector of
SequenceExamples or a single one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_tensors import dense_tensor, ragged_parts, sparse_parts
from millrace._src.ops.io.parse_example_ops import (
    NO_GRADIENT,
    SPLITS,
    VALUES,
    batch_dims,
    check_rank,
    dense_shapes,
    ragged_shapes,
    sparse_shapes,
)
from millrace._src.ops.io.sequence_fields import (
    Fields,
    check_sizes,
    context_fields,
    list_fields,
    ragged_fields,
    sparse_fields,
)
from millrace._src.ops.io.sequence_reader import read_sequences
from millrace._src.ops.io.sequence_tensors import pad_lists, ragged_list_parts, sparse_list_parts
from millrace._src.ops.strings.text_bytes import attr_bytes

NOT_BATCHED = "the lists of the rows differ in length"


# --- shapes ----------------------------------------------------------------------------------------------------------


def _shapes(c: ShapeContext) -> list[TensorShape]:
    """Returns the shapes of the parts that both ops have."""
    batch = batch_dims(c, "serialized", 0, 1)
    rank = None if batch is None else len(batch)
    rows = None if batch is None else (*batch, None)
    context = [
        *sparse_shapes(c.attr("Ncontext_sparse"), None if rank is None else rank + 1),
        *dense_shapes(batch, c.attr("context_dense_shapes")),
    ]
    lists = [
        *sparse_shapes(c.attr("Nfeature_list_sparse"), None if rank is None else rank + 2),
        *dense_shapes(rows, c.attr("feature_list_dense_shapes")),
        *[TensorShape(batch)] * c.attr("Nfeature_list_dense"),
    ]
    if "context_ragged_value_types" not in c.attrs:
        return context + lists
    inner_splits = [TensorShape([None])] * len(c.attr("feature_list_ragged_value_types"))
    return [
        *context,
        *ragged_shapes(batch, len(c.attr("context_ragged_value_types"))),
        *lists,
        *ragged_shapes(batch, len(c.attr("feature_list_ragged_value_types"))),
        *inner_splits,
    ]


# --- reading ---------------------------------------------------------------------------------------------------------


def _names_of(debug_name: Array, serialized: Array) -> list[bytes] | None:
    if debug_name.size not in (0, serialized.size):
        raise invalid("example_names must be empty or have the correct number of elements")
    return list(debug_name.reshape(-1)) or None


def transpose(rows: Sequence[tuple[Array, ...]], count: int) -> list[list[Array]]:
    """Returns the parts of some tensors by part rather than by tensor."""
    return [[parts[part] for parts in rows] for part in range(count)]


def _read(
    serialized: Array,
    debug_name: Array,
    context: Fields,
    lists: Fields,
    defaults: Sequence[Array],
    split_types: tuple[Sequence[DType], Sequence[DType]] = ((), ()),
) -> tuple[list[list[Array]], list[list[Array]], list[list[Array]], list[list[Array]]]:
    """Returns the parts of the tensors of the context and its ragged ones, of the lists and their ragged ones."""
    check_rank(serialized, (0, 1))
    is_single = serialized.ndim == 0
    names = _names_of(debug_name, serialized)
    found = read_sequences(serialized.reshape(-1).tolist(), context.all, lists.all, names)
    sparse, dense, ragged = context.groups(found[0])
    dense_parts = zip(dense, context.dense, defaults, strict=True)
    context_tensors = transpose([sparse_parts(column, is_single) for column in sparse], 3)
    context_tensors.append([dense_tensor(*parts, is_single) for parts in dense_parts])
    ragged_columns = zip(ragged, split_types[0], strict=True)
    context_ragged = transpose([ragged_parts(*parts, is_single) for parts in ragged_columns], 2)
    sparse, dense, ragged = lists.groups(found[1])
    list_tensors = transpose([sparse_list_parts(column, is_single) for column in sparse], 3)
    dense_lists = zip(dense, lists.dense, strict=True)
    list_tensors += transpose([pad_lists(*parts, is_single) for parts in dense_lists], 2)
    ragged_lists = zip(ragged, split_types[1], strict=True)
    list_ragged = transpose([ragged_list_parts(*parts, is_single) for parts in ragged_lists], 3)
    return context_tensors, context_ragged, list_tensors, list_ragged


# --- the ops ---------------------------------------------------------------------------------------------------------


@op(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
    "context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, "
    "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, "
    "context_dense_defaults: Tcontext_dense -> context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, "
    "context_dense_values: Tcontext_dense, context_ragged_values: context_ragged_value_types, "
    "context_ragged_row_splits: context_ragged_split_types, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64, "
    "feature_list_ragged_values: feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    Tcontext_dense=VALUES,
    context_sparse_types=VALUES,
    context_ragged_value_types=VALUES,
    context_ragged_split_types=SPLITS,
    feature_list_dense_types=VALUES,
    feature_list_sparse_types=VALUES,
    feature_list_ragged_value_types=VALUES,
    feature_list_ragged_split_types=SPLITS,
    shape=_shapes,
    host_only=True,
    not_differentiable=NO_GRADIENT,
    not_batched=NOT_BATCHED,
)
def parse_sequence_example_v2(
    xp: Xp,
    serialized: Array,
    debug_name: Array,
    context_sparse_keys: Array,
    context_dense_keys: Array,
    context_ragged_keys: Array,
    feature_list_sparse_keys: Array,
    feature_list_dense_keys: Array,
    feature_list_ragged_keys: Array,
    feature_list_dense_missing_assumed_empty: Array,
    context_dense_defaults: list[Array],
    *,
    Tcontext_dense: Sequence[DType] = (),
    Ncontext_sparse: int = 0,
    context_sparse_types: Sequence[DType] = (),
    context_ragged_value_types: Sequence[DType] = (),
    context_ragged_split_types: Sequence[DType] = (),
    context_dense_shapes: Sequence[TensorShape] = (),
    Nfeature_list_sparse: int = 0,
    Nfeature_list_dense: int = 0,
    feature_list_dense_types: Sequence[DType] = (),
    feature_list_sparse_types: Sequence[DType] = (),
    feature_list_ragged_value_types: Sequence[DType] = (),
    feature_list_ragged_split_types: Sequence[DType] = (),
    feature_list_dense_shapes: Sequence[TensorShape] = (),
) -> tuple[list[Array], ...]:
    """Reads a vector of serialized SequenceExamples, or a single one."""
    context = Fields(
        sparse_fields("context", _as_list(context_sparse_keys), Ncontext_sparse, context_sparse_types),
        context_fields(_as_list(context_dense_keys), Tcontext_dense, context_dense_shapes, context_dense_defaults),
        ragged_fields("context", _as_list(context_ragged_keys), context_ragged_value_types, context_ragged_split_types),
    )
    list_keys = (
        _as_list(feature_list_sparse_keys),
        _as_list(feature_list_dense_keys),
        _as_list(feature_list_ragged_keys),
    )
    may_be_missing = _as_list(feature_list_dense_missing_assumed_empty)
    dense = Nfeature_list_dense, feature_list_dense_types, feature_list_dense_shapes
    ragged_types = feature_list_ragged_value_types, feature_list_ragged_split_types
    lists = Fields(
        sparse_fields("feature_list", list_keys[0], Nfeature_list_sparse, feature_list_sparse_types),
        list_fields(list_keys[1], *dense, may_be_missing),
        ragged_fields("feature_list", list_keys[2], *ragged_types),
    )
    splits = context_ragged_split_types, feature_list_ragged_split_types
    found = _read(serialized, debug_name, context, lists, context_dense_defaults, splits)
    return tuple(part for group in found for part in group)


def _as_list(array: Array) -> list[Any]:
    values: list[Any] = array.reshape(-1).tolist()
    return values


@op(
    "ParseSequenceExample",
    "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense -> "
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64",
    context_sparse_types=VALUES,
    Tcontext_dense=VALUES,
    feature_list_dense_types=VALUES,
    feature_list_sparse_types=VALUES,
    shape=_shapes,
    host_only=True,
    not_differentiable=NO_GRADIENT,
    not_batched=NOT_BATCHED,
)
def parse_sequence_example_v1(
    xp: Xp,
    serialized: Array,
    debug_name: Array,
    context_dense_defaults: list[Array],
    *,
    feature_list_dense_missing_assumed_empty: Sequence[str],
    context_sparse_keys: Sequence[str],
    context_dense_keys: Sequence[str],
    feature_list_sparse_keys: Sequence[str],
    feature_list_dense_keys: Sequence[str],
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
    """Reads a vector of serialized SequenceExamples, or a single one; the keys are attributes."""
    for name, number, keys in (
        ("context_sparse", Ncontext_sparse, context_sparse_keys),
        ("context_dense", Ncontext_dense, context_dense_keys),
        ("feature_list_sparse", Nfeature_list_sparse, feature_list_sparse_keys),
        ("feature_list_dense", Nfeature_list_dense, feature_list_dense_keys),
    ):
        check_sizes(f"num_{name}", number, (f"{name}_keys", len(keys)))
    dense_keys = [*map(attr_bytes, context_dense_keys)]
    context = Fields(
        sparse_fields("context", [*map(attr_bytes, context_sparse_keys)], Ncontext_sparse, context_sparse_types),
        context_fields(dense_keys, Tcontext_dense, context_dense_shapes, context_dense_defaults),
    )
    sparse_keys = [*map(attr_bytes, feature_list_sparse_keys)]
    list_keys = [*map(attr_bytes, feature_list_dense_keys)]
    may_be_missing = [key in feature_list_dense_missing_assumed_empty for key in feature_list_dense_keys]
    dense = Nfeature_list_dense, feature_list_dense_types, feature_list_dense_shapes
    lists = Fields(
        sparse_fields("feature_list", sparse_keys, Nfeature_list_sparse, feature_list_sparse_types),
        list_fields(list_keys, *dense, may_be_missing),
    )
    context_tensors, _, list_tensors, _ = _read(serialized, debug_name, context, lists, context_dense_defaults)
    return tuple(context_tensors + list_tensors)
