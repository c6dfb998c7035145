"""The fields that the ops on SequenceExamples are asked for, made of keys, dtypes and shapes that must fit each other.

A context and the feature lists each have sparse, dense and ragged fields. A function here makes one of these groups
from the arguments of an op that belong to the group, and refuses lists of different lengths in TensorFlow's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_fields import Field, FieldLayout
from millrace._src.util.text import shape_brackets


class Fields:
    """The fields of a context, or of feature lists: the sparse, the dense and the ragged ones."""

    def __init__(self, sparse: list[Field], dense: list[Field], ragged: Sequence[Field] = ()) -> None:
        self.sparse, self.dense, self.ragged = sparse, dense, ragged

    @property
    def all(self) -> list[Field]:
        """All fields, in the order of the columns."""
        return [*self.sparse, *self.dense, *self.ragged]

    def groups(self, columns: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Splits the columns of all fields into those of sparse, dense and ragged fields."""
        first_dense, first_ragged = len(self.sparse), len(self.sparse) + len(self.dense)
        return columns[:first_dense], columns[first_dense:first_ragged], columns[first_ragged:]


def sparse_fields(kind: str, keys: Sequence[bytes], number: int, dtypes: Sequence[DType]) -> list[Field]:
    """Makes the sparse fields of a `kind`, "context" or "feature_list"; `number` is how many the attributes state."""
    check_sizes(f"num_{kind}_sparse", number, (f"{kind}_sparse_types", len(dtypes)))
    _check_keys(f"{kind}_sparse_keys", keys, f"N{kind}_sparse", number)
    return _plain_fields(keys, dtypes, FieldLayout.SPARSE)


def ragged_fields(
    kind: str, keys: Sequence[bytes], dtypes: Sequence[DType], split_types: Sequence[DType]
) -> list[Field]:
    """Makes the ragged fields of a kind."""
    sizes = (f"{kind}_ragged_value_types", len(dtypes)), (f"{kind}_ragged_split_types", len(split_types))
    check_sizes(f"num_{kind}_ragged", len(dtypes), *sizes)
    _check_keys(f"{kind}_ragged_keys", keys, f"len({kind}_ragged_value_types)", len(dtypes))
    return _plain_fields(keys, dtypes, FieldLayout.RAGGED)


def context_fields(
    keys: Sequence[bytes], dtypes: Sequence[DType], shapes: Sequence[TensorShape], defaults: Sequence[Array]
) -> list[Field]:
    """Makes the dense fields of a context; a default that is empty makes the field required."""
    _check_dense_sizes("context", len(dtypes), dtypes, shapes)
    _check_keys("context_dense_keys", keys, "len(Tcontext_dense)", len(dtypes))
    fields = []
    for index, (key, dtype, shape, default) in enumerate(zip(keys, dtypes, shapes, defaults, strict=True)):
        field = _fixed_field(key, dtype, shape, is_required=not default.size)
        if default.size and default.shape != field.shape:
            shown_shapes = shape_brackets(default.shape), shape_brackets(field.shape)
            raise invalid(
                f"default_value[{index}].shape() == {shown_shapes[0]} != context_dense_shapes[{index}] == "
                f"{shown_shapes[1]}"
            )
        fields.append(field)
    return fields


def list_fields(
    keys: Sequence[bytes],
    number: int,
    dtypes: Sequence[DType],
    shapes: Sequence[TensorShape],
    may_be_missing: Sequence[bool],
) -> list[Field]:
    """Makes the dense feature lists; a list that may be missing is taken for an empty one."""
    _check_dense_sizes("feature_list", number, dtypes, shapes)
    _check_keys("feature_list_dense_keys", keys, "Nfeature_list_dense", number)
    _check_keys("feature_list_dense_missing_assumed_empty", may_be_missing, "Nfeature_list_dense", number)
    parts = zip(keys, dtypes, shapes, may_be_missing, strict=True)
    return [_fixed_field(key, dtype, shape, is_required=not may_miss) for key, dtype, shape, may_miss in parts]


def _plain_fields(keys: Sequence[bytes], dtypes: Sequence[DType], layout: FieldLayout) -> list[Field]:
    return [Field(key, dtype, layout) for key, dtype in zip(keys, dtypes, strict=True)]


def _fixed_field(key: bytes, dtype: DType, shape: TensorShape, *, is_required: bool) -> Field:
    dims = shape.dim_sizes
    if dims is None or None in dims:
        raise invalid(f"Shape {shape_brackets(dims)} is not fully defined")
    return Field(key, dtype, FieldLayout.FIXED, tuple(dim for dim in dims if dim is not None), is_required)


# --- lengths ---------------------------------------------------------------------------------------------------------


def check_sizes(name: str, number: int, *sizes: tuple[str, int]) -> None:
    """Refuses lists whose length is not the number that an attribute states."""
    if any(size != number for _, size in sizes):
        shown_sizes = " and ".join(f"{attr} ({size})" for attr, size in sizes)
        raise invalid(f"{name} ({number}) must match the size of {shown_sizes}")


def _check_dense_sizes(kind: str, number: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    sizes = (f"{kind}_dense_types", len(dtypes)), (f"{kind}_dense_shapes", len(shapes))
    check_sizes(f"num_{kind}_dense", number, *sizes)


def _check_keys(name: str, keys: Sequence[Any], number_name: str, number: int) -> None:
    if len(keys) != number:
        raise invalid(f"Expected len({name}) to match {number_name}")
