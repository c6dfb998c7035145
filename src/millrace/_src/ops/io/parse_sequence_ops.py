"""The ops `ParseSequenceExample` and `ParseSequenceExampleV2`: SequenceExamples in, the parts of tensors out.

The second has its keys as inputs and knows ragged features; the first has its keys as attributes. Both take a vector of
SequenceExamples or a single one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_fields import Field, Layout, invalid
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
from millrace._src.ops.io.sequence_reader import read_sequences
from millrace._src.ops.io.sequence_tensors import padded_lists, ragged_list_parts, sparse_list_parts
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.util.text import shape_brackets

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


# --- what is asked for -----------------------------------------------------------------------------------------------


def _check_sizes(name: str, number: int, *sizes: tuple[str, int]) -> None:
    """Refuses lists whose length is not the number that an attribute states."""
    if any(size != number for _, size in sizes):
        shown_sizes = " and ".join(f"{attr} ({size})" for attr, size in sizes)
        raise invalid(f"{name} ({number}) must match the size of {shown_sizes}")


def _check_keys(name: str, keys: Sequence[Any], number_name: str, number: int) -> None:
    if len(keys) != number:
        raise invalid(f"Expected len({name}) to match {number_name}")


def context_fields(
    keys: Sequence[bytes], dtypes: Sequence[DType], shapes: Sequence[TensorShape], defaults: Sequence[Array]
) -> list[Field]:
    """Makes the dense fields of a context; a default that is empty makes the field required."""
    fields = []
    for place, (key, dtype, shape, default) in enumerate(zip(keys, dtypes, shapes, defaults, strict=True)):
        field = fixed_field(key, dtype, shape, is_required=not default.size)
        if default.size and default.shape != field.shape:
            shown_shapes = shape_brackets(default.shape), shape_brackets(field.shape)
            raise invalid(
                f"default_value[{place}].shape() == {shown_shapes[0]} != context_dense_shapes[{place}] == "
                f"{shown_shapes[1]}"
            )
        fields.append(field)
    return fields


def fixed_field(key: bytes, dtype: DType, shape: TensorShape, *, is_required: bool) -> Field:
    dims = shape._dims
    if dims is None or None in dims:
        raise invalid(f"Shape {shape_brackets(dims)} is not fully defined")
    return Field(key, dtype, Layout.FIXED, tuple(dim for dim in dims if dim is not None), is_required)


def plain_fields(keys: Sequence[bytes], dtypes: Sequence[DType], layout: Layout) -> list[Field]:
    return [Field(key, dtype, layout) for key, dtype in zip(keys, dtypes, strict=True)]


def _names_of(debug_name: Array, serialized: Array) -> list[bytes] | None:
    if debug_name.size not in (0, serialized.size):
        raise invalid("example_names must be empty or have the correct number of elements")
    return list(debug_name.reshape(-1)) or None


class Fields:
    """The fields of a context, or of feature lists: the sparse, the dense and the ragged ones."""

    def __init__(self, sparse: list[Field], dense: list[Field], ragged: list[Field]) -> None:
        self.sparse, self.dense, self.ragged = sparse, dense, ragged

    @property
    def all(self) -> list[Field]:
        """All fields, in the order of the columns."""
        return [*self.sparse, *self.dense, *self.ragged]

    def groups(self, columns: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Splits the columns of all fields into those of sparse, dense and ragged fields."""
        first_dense, first_ragged = len(self.sparse), len(self.sparse) + len(self.dense)
        return columns[:first_dense], columns[first_dense:first_ragged], columns[first_ragged:]


def transposed(rows: Sequence[tuple[Array, ...]], count: int) -> list[list[Array]]:
    """Returns the parts of some tensors by part rather than by tensor."""
    return [[parts[place] for parts in rows] for place in range(count)]


def _read(
    serialized: Array,
    debug_name: Array,
    context: Fields,
    lists: Fields,
    defaults: Sequence[Array],
    split_types: tuple[Sequence[DType], Sequence[DType]] = ((), ()),
) -> tuple[list[list[Array]], list[list[Array]], list[list[Array]], list[list[Array]]]:
    """Returns the parts of the tensors of the context and its ragged ones, of the lists and their ragged ones."""
    is_single = serialized.ndim == 0
    names = _names_of(debug_name, serialized)
    found = read_sequences(serialized.reshape(-1).tolist(), context.all, lists.all, names)
    sparse, dense, ragged = context.groups(found[0])
    dense_parts = zip(dense, context.dense, defaults, strict=True)
    context_tensors = transposed([sparse_parts(column, is_single) for column in sparse], 3)
    context_tensors.append([dense_tensor(*parts, is_single) for parts in dense_parts])
    ragged_columns = zip(ragged, split_types[0], strict=True)
    context_ragged = transposed([ragged_parts(*parts, is_single) for parts in ragged_columns], 2)
    sparse, dense, ragged = lists.groups(found[1])
    list_tensors = transposed([sparse_list_parts(column, is_single) for column in sparse], 3)
    dense_lists = zip(dense, lists.dense, strict=True)
    list_tensors += transposed([padded_lists(*parts, is_single) for parts in dense_lists], 2)
    ragged_lists = zip(ragged, split_types[1], strict=True)
    list_ragged = transposed([ragged_list_parts(*parts, is_single) for parts in ragged_lists], 3)
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
    _check_sizes("num_context_sparse", Ncontext_sparse, ("context_sparse_types", len(context_sparse_types)))
    _check_dense_sizes("context_dense", len(Tcontext_dense), Tcontext_dense, context_dense_shapes)
    _check_ragged_sizes("context_ragged", context_ragged_value_types, context_ragged_split_types)
    sparse_sizes = ("feature_list_sparse_types", len(feature_list_sparse_types))
    _check_sizes("num_feature_list_sparse", Nfeature_list_sparse, sparse_sizes)
    _check_dense_sizes("feature_list_dense", Nfeature_list_dense, feature_list_dense_types, feature_list_dense_shapes)
    _check_ragged_sizes("feature_list_ragged", feature_list_ragged_value_types, feature_list_ragged_split_types)
    check_rank(serialized, (0, 1))
    keys = [
        array.reshape(-1).tolist()
        for array in (context_sparse_keys, context_dense_keys, context_ragged_keys, feature_list_sparse_keys,
                      feature_list_dense_keys, feature_list_ragged_keys)
    ]  # fmt: skip
    may_miss = feature_list_dense_missing_assumed_empty.reshape(-1).tolist()
    _check_keys("context_sparse_keys", keys[0], "Ncontext_sparse", Ncontext_sparse)
    _check_keys("context_dense_keys", keys[1], "len(Tcontext_dense)", len(Tcontext_dense))
    _check_keys("context_ragged_keys", keys[2], "len(context_ragged_value_types)", len(context_ragged_value_types))
    _check_keys("feature_list_sparse_keys", keys[3], "Nfeature_list_sparse", Nfeature_list_sparse)
    _check_keys("feature_list_dense_keys", keys[4], "Nfeature_list_dense", Nfeature_list_dense)
    ragged_count = len(feature_list_ragged_value_types)
    _check_keys("feature_list_ragged_keys", keys[5], "len(feature_list_ragged_value_types)", ragged_count)
    _check_keys("feature_list_dense_missing_assumed_empty", may_miss, "Nfeature_list_dense", Nfeature_list_dense)
    context = Fields(
        plain_fields(keys[0], context_sparse_types, Layout.SPARSE),
        context_fields(keys[1], Tcontext_dense, context_dense_shapes, context_dense_defaults),
        plain_fields(keys[2], context_ragged_value_types, Layout.RAGGED),
    )
    dense_lists = zip(keys[4], feature_list_dense_types, feature_list_dense_shapes, may_miss, strict=True)
    lists = Fields(
        plain_fields(keys[3], feature_list_sparse_types, Layout.SPARSE),
        [fixed_field(*parts, is_required=not is_optional) for *parts, is_optional in dense_lists],
        plain_fields(keys[5], feature_list_ragged_value_types, Layout.RAGGED),
    )
    splits = context_ragged_split_types, feature_list_ragged_split_types
    found = _read(serialized, debug_name, context, lists, context_dense_defaults, splits)
    return tuple(part for group in found for part in group)


def _check_dense_sizes(name: str, number: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    _check_sizes(f"num_{name}", number, (f"{name}_types", len(dtypes)), (f"{name}_shapes", len(shapes)))


def _check_ragged_sizes(name: str, dtypes: Sequence[DType], split_types: Sequence[DType]) -> None:
    sizes = (f"{name}_value_types", len(dtypes)), (f"{name}_split_types", len(split_types))
    _check_sizes(f"num_{name}", len(dtypes), *sizes)


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
        _check_sizes(f"num_{name}", number, (f"{name}_keys", len(keys)))
    _check_sizes("num_context_sparse", Ncontext_sparse, ("context_sparse_types", len(context_sparse_types)))
    _check_dense_sizes("context_dense", Ncontext_dense, Tcontext_dense, context_dense_shapes)
    sparse_sizes = ("feature_list_sparse_types", len(feature_list_sparse_types))
    _check_sizes("num_feature_list_sparse", Nfeature_list_sparse, sparse_sizes)
    _check_dense_sizes("feature_list_dense", Nfeature_list_dense, feature_list_dense_types, feature_list_dense_shapes)
    check_rank(serialized, (0, 1))
    dense_keys = [*map(attr_bytes, context_dense_keys)]
    context = Fields(
        plain_fields([*map(attr_bytes, context_sparse_keys)], context_sparse_types, Layout.SPARSE),
        context_fields(dense_keys, Tcontext_dense, context_dense_shapes, context_dense_defaults),
        [],
    )
    may_miss = feature_list_dense_missing_assumed_empty
    dense_lists = zip(feature_list_dense_keys, feature_list_dense_types, feature_list_dense_shapes, strict=True)
    lists = Fields(
        plain_fields([*map(attr_bytes, feature_list_sparse_keys)], feature_list_sparse_types, Layout.SPARSE),
        [
            fixed_field(attr_bytes(key), dtype, shape, is_required=key not in may_miss)
            for key, dtype, shape in dense_lists
        ],
        [],
    )
    context_tensors, _, list_tensors, _ = _read(serialized, debug_name, context, lists, context_dense_defaults)
    return tuple(context_tensors + list_tensors)
