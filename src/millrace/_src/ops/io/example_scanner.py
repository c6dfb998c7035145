"""Reads a whole batch of Examples at once, all Examples in step, with NumPy.

Problem: going through the bytes of one Example after the other costs Python some microseconds for each Feature.

Idea: the Examples are joined into one buffer, and a *cursor* is a vector of positions in the buffer. Reading a tag or a
length moves all cursors at once. One step for each entry of the maps finds the entries; then the keys, kinds and lists
of all entries are read in one go. The values are gathered by views of the buffer, float by float or list by list. The
scanner knows the form that every writer of Examples uses: nothing unknown, each key before its value, lists packed in
one piece. Anything else, and any error, is left to `example_reader`, which decides what the bytes mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import int64, string
from millrace._src.ops.io.example_fields import MISSING, Column, Field
from millrace._src.ops.io.wire_format import LENGTH_1, LENGTH_2, MalformedError, unpack_varints
from millrace._src.ops.strings.text_bytes import string_array

_LONGEST = 5
"""How many bytes of a length the scanner reads: lengths have 31 bits."""
_PADDING = bytes(8)
"""Zeros behind the last Example, so that a cursor at the very end has bytes to read."""


def scan_examples(serialized: Sequence[bytes], fields: Sequence[Field]) -> list[Column] | None:
    """Reads the fields of a batch of Examples.

    Returns: A column for each field, or None if the bytes are of a form that the scanner does not know. Whether the
      counts fit the fields is left to the caller.
    """
    try:
        return _Scan(serialized).columns(fields)
    except (MalformedError, IndexError):  # a wrong length moves a cursor beyond the buffer
        return None


class _Scan:
    """The buffer of a batch, and the entries found in the buffer."""

    __slots__ = ("text", "content", "count", "owners", "keys", "key_sizes", "starts", "ends")

    def __init__(self, serialized: Sequence[bytes]) -> None:
        self.text = b"".join([*serialized, _PADDING])
        self.content = np.frombuffer(self.text, dtype=np.uint8)
        self.count = len(serialized)
        sizes = np.fromiter(map(len, serialized), np.int64, self.count)
        ends = np.cumsum(sizes)
        filled = np.flatnonzero(sizes)
        self._find_entries(filled, (ends - sizes)[filled], ends[filled])

    def columns(self, fields: Sequence[Field]) -> list[Column]:
        """Reads the fields."""
        chosen = [self._chosen(field) for field in fields]
        found_rows = [chosen_rows[chosen_rows != MISSING] for chosen_rows in chosen]
        rows = np.concatenate([np.empty(0, np.int64), *found_rows])
        present = [len(part) for part in found_rows]
        tags = np.repeat(np.array([field.tag for field in fields], dtype=np.uint8), present)
        lists = self._lists(rows, tags)
        bounds = np.cumsum(present)
        columns = []
        for field, chosen_rows, size, stop in zip(fields, chosen, present, bounds.tolist(), strict=True):
            values, counts = self._values(field, *(part[stop - size : stop] for part in lists))
            all_counts = counts
            if size < self.count:
                all_counts = np.full(self.count, MISSING)
                all_counts[chosen_rows != MISSING] = counts
            columns.append(Column(values, all_counts))
        return columns

    # --- entries -----------------------------------------------------------------------------------------------------

    def _find_entries(self, owners: Array, position: Array, end: Array) -> None:
        """Notes for all entries the Example, the key, and where the Feature starts and ends; leaves out empty ones."""
        position, stop = self._payload(position, LENGTH_1)
        _demand(stop == end)
        steps = []
        while True:
            rest = position < stop
            if not rest.all():
                _demand(position <= stop)
                owners, position, stop = owners[rest], position[rest], stop[rest]
            start, end = self._payload(position, LENGTH_1)
            steps.append((owners, start, end))
            if not len(position):
                break
            position = end
        self.owners, entry_starts, entry_ends = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        self.keys, key_ends = self._payload(entry_starts, LENGTH_1)
        self.key_sizes = key_ends - self.keys
        self.starts, self.ends = self._payload(key_ends, LENGTH_2)
        _demand(self.ends == entry_ends)

    def _chosen(self, field: Field) -> Array:
        """Returns for each Example the last entry of a field, `MISSING` if there is none or its Feature is empty.

        For a dense field an entry whose Feature is empty does not count; see `example_reader`.
        """
        key = field.key
        has_list = self.ends > self.starts
        has_size = self.key_sizes == len(key)
        rows = np.flatnonzero(has_size & has_list if field.layout.is_dense else has_size)
        if key:
            # Texts of one length are equal if they are so without the zeros at the end, which NumPy leaves out.
            rows = rows[self._view(f"S{len(key)}")[self.keys[rows]] == key]
        chosen = np.full(self.count, MISSING)
        chosen[self.owners[rows]] = rows  # of several entries NumPy keeps the last, as TensorFlow does
        found = np.flatnonzero(chosen != MISSING)
        chosen[found[~has_list[chosen[found]]]] = MISSING
        return chosen

    # --- lists -------------------------------------------------------------------------------------------------------

    def _lists(self, rows: Array, tags: Array) -> tuple[Array, Array, Array, Array]:
        """Returns of the lists of Features where the lists start and end, and their first payloads start and end."""
        position, end = self._payload(self.starts[rows], tags)
        _demand(end == self.ends[rows])
        filled = position < end
        if filled.all():
            return position, end, *self._payload(position, LENGTH_1)
        starts, stops = position.copy(), position.copy()
        starts[filled], stops[filled] = self._payload(position[filled], LENGTH_1)
        return position, end, starts, stops

    def _values(self, field: Field, lists: Array, ends: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
        """Returns the values in some lists, and how many values each list has."""
        if field.dtype is string:
            return self._strings(lists, ends, starts, stops)
        _demand(stops == ends)
        sizes = stops - starts
        if field.dtype is int64:
            return unpack_varints(self._gathered(starts, sizes), sizes)
        _demand(sizes % 4 == 0)
        return self._gathered(starts, sizes).view("<f4").astype(np.float32, copy=False), sizes // 4

    def _strings(self, lists: Array, ends: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
        counts = (lists < ends).astype(np.int64)
        if (stops == ends).all():
            starts, stops = starts[lists < ends], stops[lists < ends]
        else:
            starts, stops, counts = self._elements(lists, ends)
        elements = [self.text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        return string_array(elements, (len(elements),)), counts

    def _elements(self, position: Array, end: Array) -> tuple[Array, Array, Array]:
        """Returns where the strings of all lists start and stop, list by list, and how many each list has."""
        count = len(position)
        numbers = np.arange(count)
        steps = []
        while True:
            rest = position < end
            if not rest.any():
                break
            numbers, position, end = numbers[rest], position[rest], end[rest]
            start, position = self._payload(position, LENGTH_1)
            steps.append((numbers, start, position))
        _demand(position <= end)
        owners, starts, stops = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        order = np.argsort(owners, kind="stable")
        return starts[order], stops[order], np.bincount(owners, minlength=count)

    # --- the buffer --------------------------------------------------------------------------------------------------

    def _payload(self, position: Array, tag: int | Array) -> tuple[Array, Array]:
        """Returns where payloads start and end; each cursor stands at the tag, which must be there."""
        _demand(self.content[position] == tag)
        length, start = self._varint(position + 1)
        return start, start + length

    def _varint(self, position: Array) -> tuple[Array, Array]:
        """Returns the numbers at the cursors, and the cursors after the numbers."""
        byte = self.content[position]
        number = (byte & 0x7F).astype(np.int64)
        position = position + 1
        goes_on = byte >= 0x80
        shift = 7
        while goes_on.any():
            if shift >= 7 * _LONGEST:
                raise MalformedError
            byte = self.content[position]
            number += np.where(goes_on, (byte & 0x7F).astype(np.int64) << shift, 0)
            position += goes_on
            goes_on &= byte >= 0x80
            shift += 7
        return number, position

    def _gathered(self, starts: Array, sizes: Array) -> Array:
        """Returns the bytes of payloads, one after the other."""
        if not len(sizes):
            return self.content[:0]
        size = int(sizes[0])
        if size and (sizes == size).all():
            return self._view(f"V{size}")[starts].view(np.uint8)
        stops = (starts + sizes).tolist()
        pieces = [self.text[start:stop] for start, stop in zip(starts.tolist(), stops, strict=True)]
        return np.frombuffer(b"".join(pieces), dtype=np.uint8)

    def _view(self, dtype: str) -> Array:
        """Returns the buffer as items of a dtype that begin at every byte."""
        size = np.dtype(dtype).itemsize
        return np.ndarray((max(0, len(self.text) - size + 1),), dtype=dtype, buffer=self.text, strides=(1,))


def _demand(holds: Array) -> None:
    """Gives up unless a condition holds for all cursors."""
    if not holds.all():
        raise MalformedError
