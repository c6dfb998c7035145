"""Reads Examples one after the other: slower than `example_scanner`, but for any bytes, and with TensorFlow's errors.

An Example is a map from keys to Features, and a Feature a list of values of one of three kinds. TensorFlow's parser
takes the entries of the map from the last to the first and passes over keys that it has seen, so of several entries the
last one with values counts. Of a Feature it reads the first list, and of a packed list the first piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from millrace._src.core import errors
from millrace._src.core.errors import invalid
from millrace._src.ops.io.example_fields import (
    KIND_OF_TAG,
    LIST_OF_TAG,
    Column,
    Field,
    FieldLayout,
    Values,
    column_of,
    show,
)
from millrace._src.ops.io.wire_format import (
    FIXED32_1,
    LENGTH_1,
    LENGTH_2,
    LENGTH_3,
    VARINT_1,
    MalformedError,
    read_int64,
    read_length,
    read_payload,
    read_varint,
    skip_field,
    unpack_varints,
)

Entry: TypeAlias = tuple[bytes, int, int]
"""The key of an entry of a map, and where its value starts and ends."""
_MANY = 32
"""Packed numbers of more bytes than this are read by NumPy."""


class ExampleOrigin:
    """Where in a batch an Example stands, for messages.

    Args:
      index: the number of the Example; None for an Example that is not a batch.
      name: the name that the user gave the Example; None if there are no names.
    """

    __slots__ = ("index", "name")

    def __init__(self, index: int | None, name: bytes | None) -> None:
        self.index, self.name = index, name

    def refuse(self, field: Field, complaint: str) -> errors.InvalidArgumentError:
        """Makes an error about a Feature."""
        if self.index is None:
            return invalid(f"Key: {field.shown_key}.  {complaint}")
        return invalid(f"{self.prefix}Key: {field.shown_key}, Index: {self.index}.  {complaint}")

    def unreadable(self, field: Field) -> errors.InvalidArgumentError:
        """Makes the error about a list of values that cannot be read; of a single Example TensorFlow says more."""
        if self.index is not None:
            return self.refuse(field, "Can't parse serialized Example.")
        detail = f"Parsing {LIST_OF_TAG[field.tag]}_list failed."
        if field.tag == LENGTH_1 and field.layout is not FieldLayout.FIXED:
            detail = "Could not get num elements in bytes_list."
        return self.refuse(field, f"Can't parse serialized Example: {detail}")

    @property
    def prefix(self) -> str:
        """The name as messages begin."""
        if self.index is None:
            return ""
        return f"Name: {'<unknown>' if self.name is None else show(self.name)}, "


def read_examples(
    serialized: Sequence[bytes], fields: Sequence[Field], names: Sequence[bytes] | None, is_single: bool
) -> list[Column]:
    """Reads the fields of Examples.

    Args:
      serialized: the Examples.
      fields: what to read.
      names: a name for each Example, for messages; None for none.
      is_single: whether the only Example is not a batch, which shows in messages.

    Returns: A column for each field.
    Raises: tf.errors.InvalidArgumentError: as TensorFlow, at the first Example that is not as it should be.
    """
    positions: dict[bytes, list[int]] = {}
    for position, field in enumerate(fields):
        positions.setdefault(field.key, []).append(position)
    parts: list[list[Values | None]] = [[] for _ in fields]
    for index, data in enumerate(serialized):
        origin = ExampleOrigin(None if is_single else index, None if names is None else names[index])
        for part, values in zip(parts, _read_example(data, fields, positions, origin), strict=True):
            part.append(values)
    return [column_of(part, field.dtype) for part, field in zip(parts, fields, strict=True)]


def _read_example(
    data: bytes, fields: Sequence[Field], positions: dict[bytes, list[int]], origin: ExampleOrigin
) -> list[Values | None]:
    """Returns the values of each field in one Example, None where the Example lacks the field."""
    try:
        entries = read_entries(data)
    except MalformedError:
        raise invalid(f"Could not parse example input, value: '{show(data)}'") from None
    found: list[Values | None] = [None] * len(fields)
    for key, start, end in reversed(entries):
        for position in positions.get(key, ()):
            if found[position] is None:
                found[position] = _read_feature(data, start, end, fields[position], origin)
    for field, values in zip(fields, found, strict=True):
        if values is None and field.is_required:
            complaint = f"Feature: {field.shown_key} (data type: {KIND_OF_TAG[field.tag]}) is required but could not"
            raise invalid(f"{origin.prefix}{complaint} be found.")
    return found


# --- the map ---------------------------------------------------------------------------------------------------------


def read_entries(data: bytes) -> list[Entry]:
    """Returns the entries of the map of an Example.

    Raises: MalformedError: if the bytes are not an Example.
    """
    entries: list[Entry] = []
    position, end = 0, len(data)
    while position < end:
        if data[position] == LENGTH_1:
            start, position = read_length(data, position + 1, end)
            _read_map(data, start, position, entries)
        else:
            position = skip_field(data, position, end)
    return entries


def _read_map(data: bytes, position: int, end: int, entries: list[Entry]) -> None:
    while position < end:
        if data[position] != LENGTH_1:
            raise MalformedError
        start, entry_end = read_length(data, position + 1, end)
        entry, position = _read_entry(data, start, entry_end)
        if position != entry_end:
            raise MalformedError
        entries.append(entry)


def _read_entry(data: bytes, position: int, end: int) -> tuple[Entry, int]:
    """Returns a key with its value, and the position after both: an entry is two fields, each a key or a value."""
    key, value_start, value_end = b"", end, end
    for _ in range(2):
        if position < end and data[position] == LENGTH_2:
            value_start, value_end = read_payload(data, LENGTH_2, position, end)
            position = value_end
        else:
            key_start, position = read_payload(data, LENGTH_1, position, end)
            key = data[key_start:position]
    return (key, value_start, value_end), position


# --- one Feature -----------------------------------------------------------------------------------------------------


def _read_feature(data: bytes, start: int, end: int, field: Field, origin: ExampleOrigin) -> Values | None:
    """Returns the values of a Feature, None if it counts as missing; refuses what does not fit the field.

    A Feature without a list of values is missing, and an entry before it may count. Only in a batch TensorFlow takes it
    for an empty list if the field is sparse or ragged.
    """
    if start == end:
        return None if field.layout.is_dense or origin.index is None else []
    tag = data[start]
    if tag not in KIND_OF_TAG:
        raise invalid("Unsupported datatype.")
    if tag != field.tag:
        expected, actual = KIND_OF_TAG[field.tag], KIND_OF_TAG[tag]
        if field.layout.is_dense:
            raise origin.refuse(field, f"Data types don't match. Data type: {actual} but expected type: {expected}")
        raise origin.refuse(field, f"Data types don't match. Expected type: {expected}, Actual type: {actual}")
    try:
        values = read_list(data, start + 1, end, tag)
    except MalformedError:
        raise origin.unreadable(field) from None
    _check_count(len(values), field, origin)
    return values


def _check_count(count: int, field: Field, origin: ExampleOrigin) -> None:
    """Refuses a number of values that does not fit a dense field."""
    kind = LIST_OF_TAG[field.tag]
    if field.layout is FieldLayout.FIXED and count != field.size:
        if field.tag == LENGTH_1 and count > field.size:
            raise origin.unreadable(field)
        if origin.index is None:
            raise origin.refuse(field, f"Can't parse serialized Example: Some {kind}_list slice was not parsed.")
        sizes = f"Values size: {count} but output shape: {field.shown_shape}"
        raise origin.refuse(field, f"Number of {kind} values != expected.  {sizes}")
    if field.layout is FieldLayout.PADDED and (count % field.size if field.size else count):
        if origin.index is None:
            expected = f"number of elements should be divisible by {field.size}, found {count} instead"
            raise invalid(f"Error while parsing feature with key {field.shown_key}: {expected}")
        sizes = f"Saw {count} values but output shape is: {field.shown_shape}"
        raise origin.refuse(field, f"Number of {kind} values is not a multiple of stride length. {sizes}")


def read_list(data: bytes, position: int, end: int, tag: int) -> Values:
    """Returns the values of a list, whose length stands at `position`.

    Raises: MalformedError: if the bytes are not a list of values of the kind that the tag says.
    """
    start, list_end = read_length(data, position, end)
    return _READ[tag](data, start, list_end)


def _read_bytes(data: bytes, position: int, end: int) -> list[bytes]:
    values = []
    while position < end:
        start, position = read_payload(data, LENGTH_1, position, end)
        values.append(data[start:position])
    return values


def _read_floats(data: bytes, position: int, end: int) -> Values:
    if position < end and data[position] == LENGTH_1:
        length, start = read_varint(data, position + 1, end)
        if start + length // 4 * 4 > end:
            raise MalformedError
        return np.frombuffer(data, dtype="<f4", count=length // 4, offset=start)
    size = end - position
    pieces = np.frombuffer(data, dtype=[("tag", "u1"), ("value", "<f4")], count=size // 5, offset=position)
    if size % 5 or (pieces["tag"] != FIXED32_1).any():
        raise MalformedError
    return pieces["value"]


def _read_ints(data: bytes, position: int, end: int) -> Values:
    values = []
    if position < end and data[position] == LENGTH_1:
        start, list_end = read_length(data, position + 1, end)
        if list_end - start > _MANY:
            content = np.frombuffer(data, dtype=np.uint8, count=list_end - start, offset=start)
            return unpack_varints(content, np.array([list_end - start]))[0]
        while start < list_end:
            value, start = read_int64(data, start, list_end)
            values.append(value)
        return values
    while position < end:
        if data[position] != VARINT_1:
            raise MalformedError
        value, position = read_int64(data, position + 1, end)
        values.append(value)
    return values


_READ = {LENGTH_1: _read_bytes, LENGTH_2: _read_floats, LENGTH_3: _read_ints}
