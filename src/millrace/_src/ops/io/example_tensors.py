"""The tensors that are made of columns: dense, sparse and ragged ones, of a batch or of a single Example.

A sparse tensor is its indices, values and shape, a ragged one its values and row splits. The tensors of a single
Example are those of a batch without the axis of the batch; a ragged one is a plain vector there, its splits empty.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_fields import MISSING, Column, Field, FieldLayout
from millrace._src.util.text import shape_brackets


def fits(column: Column, field: Field) -> bool:
    """Returns whether the counts of a column are what the field asks for."""
    counts = column.counts
    if field.layout is FieldLayout.FIXED:
        is_full = counts == field.size
        return b"\0" not in is_full.tobytes() or bool((is_full | (counts == MISSING) & (not field.is_required)).all())
    if field.layout is FieldLayout.PADDED:
        return not (np.maximum(counts, 0) % field.size if field.size else np.maximum(counts, 0)).any()
    return True


# --- dense -----------------------------------------------------------------------------------------------------------


def dense_tensor(column: Column, field: Field, default: Array, is_single: bool) -> Array:
    """Makes the tensor of a dense field; `default` is what a missing field has, or what rows are padded with."""
    if field.layout is FieldLayout.FIXED:
        values = _with_default(column, field, default)
        return values.reshape(field.shape if is_single else (len(column.counts), *field.shape))
    if is_single:
        return column.values.reshape(-1, *field.shape) if field.size else column.values.reshape(0, *field.shape)
    return pad_rows(column, field, default.reshape(-1)[0])


def _with_default(column: Column, field: Field, default: Array) -> Array:
    if len(column.values) == len(column.counts) * field.size:
        return column.values
    is_missing = column.counts == MISSING
    values = np.empty((len(column.counts), field.size), dtype=field.dtype.np_dtype)
    values[is_missing] = default.reshape(-1)
    values[~is_missing] = column.values.reshape(-1, field.size)
    return values


def pad_rows(column: Column, field: Field, padding: object) -> Array:
    """Makes a tensor of the rows of each Example, as long as the longest."""
    counts = np.maximum(column.counts, 0)
    longest = int(counts.max(initial=0))
    values = np.full((len(counts), longest), padding, dtype=field.dtype.np_dtype)
    values[np.arange(longest) < counts[:, None]] = column.values
    return values.reshape(len(counts), longest // field.size if field.size else 0, *field.shape)


# --- sparse and ragged -----------------------------------------------------------------------------------------------


def sparse_parts(column: Column, is_single: bool) -> tuple[Array, Array, Array]:
    """Returns the indices, values and shape of the sparse tensor of a column."""
    counts = np.maximum(column.counts, 0)
    columns = np.arange(len(column.values)) - np.repeat(np.cumsum(counts) - counts, counts)
    if is_single:
        return columns[:, None], column.values, counts
    owners = np.repeat(np.arange(len(counts)), counts)
    shape = np.array([len(counts), counts.max(initial=0)], dtype=np.int64)
    return np.stack([owners, columns], axis=1), column.values, shape


def row_splits(counts: Array, dtype: Any) -> Array:
    """Returns where rows of the given lengths begin, and where the last row ends."""
    splits = np.zeros(len(counts) + 1, dtype=dtype.np_dtype)
    np.cumsum(np.maximum(counts, 0), out=splits[1:])
    return splits


def ragged_parts(column: Column, split_dtype: Any, is_single: bool) -> tuple[Array, Array]:
    """Returns the values and row splits of the ragged tensor of a column."""
    if is_single:
        return column.values, np.empty(0, dtype=split_dtype.np_dtype)
    return column.values, row_splits(column.counts, split_dtype)


# --- what dense fields are declared as -------------------------------------------------------------------------------


def dense_fields(
    keys: Sequence[bytes], dtypes: Sequence[DType], shapes: Sequence[TensorShape], defaults: Sequence[Array]
) -> Sequence[Field]:
    """Makes the dense fields that an op is asked for.

    Raises: tf.errors.InvalidArgumentError: if a shape says too little, or a default does not fit its shape.
    """
    return _dense_fields(tuple(keys), tuple(dtypes), tuple(shapes), tuple([default.shape for default in defaults]))


@functools.lru_cache(maxsize=64)
def _dense_fields(
    keys: tuple[bytes, ...],
    dtypes: tuple[DType, ...],
    shapes: tuple[TensorShape, ...],
    default_shapes: tuple[tuple[int, ...], ...],
) -> Sequence[Field]:
    fields = []
    for index, (key, dtype, shape) in enumerate(zip(keys, dtypes, shapes, strict=True)):
        layout, row_shape = _dense_layout(index, shape)
        _check_default(index, default_shapes[index], shape, layout)
        is_required = layout is FieldLayout.FIXED and 0 in default_shapes[index]
        fields.append(Field(key, dtype, layout, row_shape, is_required))
    return tuple(fields)


def _dense_layout(index: int, shape: TensorShape) -> tuple[FieldLayout, tuple[int, ...]]:
    dims = shape.dim_sizes
    if dims is None or None in dims[1:]:
        raise invalid(f"dense_shapes[{index}] has unknown rank or unknown inner dimensions: {shape_brackets(dims)}")
    row_shape = tuple(dim for dim in dims if dim is not None)
    return (FieldLayout.PADDED if len(row_shape) < len(dims) else FieldLayout.FIXED), row_shape


def _check_default(index: int, default: tuple[int, ...], shape: TensorShape, layout: FieldLayout) -> None:
    if layout is FieldLayout.PADDED and math.prod(default) != 1:
        raise invalid(
            f"dense_shape[{index}] is a variable length shape: {shape_brackets(shape)}, therefore def_value[{index}] "
            f"must contain a single element (the padding element).  But its shape is: {shape_brackets(default)}"
        )
    if layout is FieldLayout.FIXED and 0 not in default and default != shape.dim_sizes:
        shown_shapes = shape_brackets(default), shape_brackets(shape)
        raise invalid(
            f"def_value[{index}].shape() == {shown_shapes[0]} is not compatible with dense_shapes_[{index}] == "
            f"{shown_shapes[1]}"
        )
