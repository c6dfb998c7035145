"""Reads SequenceExamples: a context, which is a map of Features, and a map of lists of Features.

TensorFlow reads the context and the lists in two more dialects of the format. An entry has its key before its value.
Of several entries with one key the last one counts, even if it is empty. A Feature in a list has nothing behind its
list of values. Whatever is not a list of values of the wanted kind counts as one of another kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import string
from millrace._src.core.errors import invalid
from millrace._src.ops.io.example_fields import (
    KIND_OF_TAG,
    MISSING,
    Column,
    Field,
    FieldLayout,
    Values,
    column_of,
    show,
)
from millrace._src.ops.io.example_reader import read_list
from millrace._src.ops.io.wire_format import (
    LENGTH_1,
    LENGTH_2,
    MalformedError,
    read_length,
    read_payload,
    skip_field,
)
from millrace._src.util.text import shape_brackets

Slices = dict[bytes, tuple[int, int]]
"""Where the values of a map start and end, by key."""


class ListColumn(NamedTuple):
    """The values of one feature list in a batch."""

    values: Array
    """All values, one Feature after the other."""
    counts: Array
    """How many values each Feature has, int64."""
    lengths: Array
    """How many Features each SequenceExample has in the list, int64; `MISSING` where it lacks the list."""


def read_sequences(
    serialized: Sequence[bytes], context: Sequence[Field], lists: Sequence[Field], names: Sequence[bytes] | None
) -> tuple[list[Column], list[ListColumn]]:
    """Reads the fields of SequenceExamples.

    Args:
      serialized: the SequenceExamples.
      context: what to read of the contexts.
      lists: what to read of the feature lists; a field that is fixed has as many values in each Feature, and is
        required unless the list may be missing.
      names: a name for each SequenceExample, for messages; None for none.

    Returns: A column for each field of the context, and for each feature list.
    Raises: tf.errors.InvalidArgumentError: as TensorFlow.
    """
    shown_names = [show(name) for name in names] if names else ["<unknown>"] * len(serialized)
    slices = [_read_slices(data, name) for data, name in zip(serialized, shown_names, strict=True)]
    context_parts: list[list[Values | None]] = [[] for _ in context]
    list_parts: list[list[list[Values] | None]] = [[] for _ in lists]
    for data, (features, feature_lists), name in zip(serialized, slices, shown_names, strict=True):
        for part, field in zip(context_parts, context, strict=True):
            part.append(_read_context(data, features.get(field.key), field, name))
        for list_part, field in zip(list_parts, lists, strict=True):
            list_part.append(_read_feature_list(data, feature_lists.get(field.key), field, name))
    columns = [column_of(part, field.dtype) for part, field in zip(context_parts, context, strict=True)]
    for column, field in zip(columns, context, strict=True):
        _check_context(column, field, shown_names)
    for list_part, field in zip(list_parts, lists, strict=True):
        _check_lists(list_part, field, shown_names)
    return columns, [_list_column(part, field) for part, field in zip(list_parts, lists, strict=True)]


# --- the maps --------------------------------------------------------------------------------------------------------


def _read_slices(data: bytes, name: str) -> tuple[Slices, Slices]:
    """Returns where the Features of the context and the feature lists are."""
    features: Slices = {}
    feature_lists: Slices = {}
    maps = {LENGTH_1: features, LENGTH_2: feature_lists}
    position, end = 0, len(data)
    try:
        while position < end:
            found_map = maps.get(data[position])
            if found_map is None:
                position = skip_field(data, position, end)
            else:
                start, position = read_length(data, position + 1, end)
                _read_map(data, start, position, found_map)
    except MalformedError:
        raise invalid(f"Invalid protocol message input, example id: {name}") from None
    return features, feature_lists


def _read_map(data: bytes, position: int, end: int, found: Slices) -> None:
    while position < end:
        if data[position] != LENGTH_1:
            raise MalformedError
        start, entry_end = read_length(data, position + 1, end)
        key_start, key_end = read_payload(data, LENGTH_1, start, entry_end)
        value_start, position = read_payload(data, LENGTH_2, key_end, entry_end)
        if position != entry_end:
            raise MalformedError
        found[data[key_start:key_end]] = value_start, position


# --- Features --------------------------------------------------------------------------------------------------------


def _read_context(data: bytes, bounds: tuple[int, int] | None, field: Field, name: str) -> Values | None:
    """Returns the values of a Feature of the context, None if it is missing."""
    if bounds is None:
        return None
    try:
        return _read_feature(data, *bounds, field)[0]
    except MalformedError:
        expected = f"Expected type: {KIND_OF_TAG[field.tag]}"
        raise invalid(
            f"Name: {name}, Context feature: {field.shown_key}.  Data types don't match. {expected}"
        ) from None


def _read_feature(data: bytes, start: int, end: int, field: Field) -> tuple[Values, int]:
    """Returns the values of a Feature, and the position after the list of values."""
    if start == end:
        return [], end
    if data[start] != field.tag:
        raise MalformedError
    list_start, list_end = read_length(data, start + 1, end)
    values = read_list(data, start + 1, end, field.tag)
    if list_start < list_end and data[list_start] == LENGTH_1 and field.dtype is not string:
        list_end = _packed_end(data, list_start, list_end, field)
    return values, list_end


def _packed_end(data: bytes, position: int, end: int, field: Field) -> int:
    """Returns the position after a packed list, which must have whole values."""
    start, list_end = read_length(data, position + 1, end)
    if field.tag == LENGTH_2 and (list_end - start) % 4:
        raise MalformedError
    return list_end


def _read_feature_list(data: bytes, bounds: tuple[int, int] | None, field: Field, name: str) -> list[Values] | None:
    """Returns the values of each Feature in a list, None if the list is missing."""
    if bounds is None:
        if field.is_required:
            raise invalid(
                f"Name: {name}, Feature list '{field.shown_key}' is required but could not be found.  Did you mean to "
                "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
            )
        return None
    position, end = bounds
    found: list[Values] = []
    while position < end:
        if data[position] != LENGTH_1:
            raise _list_error(field, name)
        try:
            start, position = read_length(data, position + 1, end)
        except MalformedError:
            raise _list_error(field, name) from None
        try:
            values, values_end = _read_feature(data, start, position, field)
        except MalformedError:
            raise invalid(
                f"Name: {name}, Feature list: {field.shown_key}, Index: {len(found)}.  Data types don't match. "
                f"Expected type: {KIND_OF_TAG[field.tag]}"
            ) from None
        if values_end != position:
            raise _list_error(field, name)
        found.append(values)
    return found


def _list_error(field: Field, name: str) -> errors.InvalidArgumentError:
    return invalid(f"Error in sequence feature {field.shown_key} in example {name}")


# --- counts ----------------------------------------------------------------------------------------------------------


def _check_context(column: Column, field: Field, names: Sequence[str]) -> None:
    """Refuses numbers of values that do not fit a dense field of the context."""
    if field.layout is not FieldLayout.FIXED:
        return
    least = 0 if field.is_required else field.size
    most = max(least, int(column.counts.max(initial=0)))
    if most != field.size and len(column.counts):
        raise invalid(
            f"Inconsistent max number of elements for feature {field.shown_key}: expected {field.size}, "
            f"but found {most}"
        )
    for count, name in zip(column.counts.tolist(), names, strict=True):
        if count == MISSING and field.is_required:
            kind = KIND_OF_TAG[field.tag]
            raise invalid(f"Feature: {field.shown_key} (data type: {kind}) is required but could not be found.")
        if count not in (MISSING, field.size):
            raise invalid(f"Unexpected number of elements in example {name}")


def _check_lists(parts: Sequence[list[Values] | None], field: Field, names: Sequence[str]) -> None:
    """Refuses numbers of values that do not fit a dense feature list."""
    if field.layout is not FieldLayout.FIXED:
        return
    for part, name in zip(parts, names, strict=True):
        counts = [len(values) for values in part or ()]
        if field.size and sum(counts) % field.size:
            raise invalid(
                f"Feature list '{field.shown_key}' has an unexpected number of values.  Total values size: "
                f"{sum(counts)} is not consistent with output shape: {shape_brackets((None, *field.shape))}"
            )
        for index, count in enumerate(counts):
            if count != field.size:
                raise invalid(
                    f"Name: {name}, Key: {field.shown_key}, Index: {index}.  Number of values != expected.  "
                    f"values size: {count} but output shape: {field.shown_shape}"
                )


def _list_column(parts: Sequence[list[Values] | None], field: Field) -> ListColumn:
    column = column_of([values for part in parts for values in part or ()], field.dtype)
    lengths = np.array([MISSING if part is None else len(part) for part in parts], dtype=np.int64)
    return ListColumn(column.values, column.counts, lengths)
