"""Reads a whole batch of Examples at once, all Examples in step, with NumPy.

Problem: going through the bytes of one Example after the other costs Python some microseconds for each Feature.

Idea: the Examples are joined into one buffer, over which vectors of positions move. Reading a tag or a length moves
all positions at once. One step for each entry of the maps finds the entries; then the keys, kinds and lists
of all entries are read in one go. The values are gathered by views of the buffer, float by float or list by list. The
scanner knows the form that every writer of Examples uses: nothing unknown, each key before its value, lists packed in
one piece. Anything else, and any error, is left to `example_reader`, which decides what the bytes mean.

A batch has some hundred positions, so a step costs what calling NumPy costs. Questions about all elements of an array
are therefore put to its bytes, which answer ten times sooner than a reduction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import int64, string
from millrace._src.ops.io.example_fields import MISSING, Column, Field
from millrace._src.ops.io.wire_format import LENGTH_1, LENGTH_2, MalformedError, unpack_varints
from millrace._src.ops.strings.text_bytes import string_array

_MAX_BITS = 28
"""How many bits of a length the scanner reads; longer Examples are rare enough for the exact reader."""
_PADDING = bytes(8)
"""Zeros behind the last Example, so that a position at the very end has bytes to read."""


def scan_examples(serialized: Sequence[bytes], fields: Sequence[Field]) -> list[Column] | None:
    """Reads the fields of a batch of Examples.

    Returns: A column for each field, or None if the bytes are of a form that the scanner does not know. Whether the
      counts fit the fields is left to the caller.
    """
    try:
        return _Scan(serialized).columns(fields)
    except (MalformedError, IndexError):  # a wrong length moves a position beyond the buffer
        return None


class _Scan:
    """The buffer of a batch, and the entries found in the buffer."""

    __slots__ = ("text", "content", "count", "everyone", "owners", "keys", "key_sizes", "starts", "ends", "has_list")

    def __init__(self, serialized: Sequence[bytes]) -> None:
        self.text = b"".join([*serialized, _PADDING])
        self.content = np.frombuffer(self.text, dtype=np.uint8)
        self.count = len(serialized)
        sizes = np.fromiter(map(len, serialized), np.int64, self.count)
        ends = sizes.cumsum()
        starts = ends - sizes
        self.everyone = np.arange(self.count)
        owners = self.everyone
        if not _all(sizes > 0):
            owners = sizes.nonzero()[0]
            starts, ends = starts[owners], ends[owners]
        self._find_entries(owners, starts, ends)

    def columns(self, fields: Sequence[Field]) -> list[Column]:
        """Reads the fields."""
        chosen = [self._choose(field) for field in fields]
        present = [len(rows) for _, rows in chosen]
        tags = np.repeat(np.array([field.tag for field in fields], dtype=np.uint8), present)
        lists = self._lists(np.concatenate([self.everyone[:0], *[rows for _, rows in chosen]]), tags)
        columns = []
        stop = 0
        for field, (owners, _), size in zip(fields, chosen, present, strict=True):
            start, stop = stop, stop + size
            values, counts = self._values(field, *[part[start:stop] for part in lists])
            if size < self.count:
                all_counts = np.full(self.count, MISSING)
                all_counts[owners] = counts
                counts = all_counts
            columns.append(Column(values, counts))
        return columns

    # --- entries -----------------------------------------------------------------------------------------------------

    def _find_entries(self, owners: Array, position: Array, end: Array) -> None:
        """Notes for all entries the Example, the key, and where the Feature starts and ends."""
        position, stop = self._payload(position, LENGTH_1)
        _demand(stop == end)
        steps = []
        while len(position):
            rest = position < stop
            if not _all(rest):
                _demand(position <= stop)
                owners, position, stop = owners[rest], position[rest], stop[rest]
            start, position = self._payload(position, LENGTH_1)
            steps.append((owners, start, position))
        if not steps:
            steps.append((owners, position, position))
        self.owners, entry_starts, entry_ends = [np.concatenate(parts) for parts in zip(*steps, strict=True)]
        self.keys, key_ends = self._payload(entry_starts, LENGTH_1)
        self.key_sizes = key_ends - self.keys
        self.starts, self.ends = self._payload(key_ends, LENGTH_2)
        _demand(self.ends == entry_ends)
        has_list = self.ends > self.starts
        self.has_list = None if _all(has_list) else has_list

    def _choose(self, field: Field) -> tuple[Array, Array]:
        """Returns the Examples that have a field, and for each its entry: the last one.

        For a dense field an entry whose Feature is empty does not count; for another field it counts as none.
        """
        key = field.key
        fits = self.key_sizes == len(key)
        if self.has_list is not None and field.layout.is_dense:
            fits &= self.has_list
        rows = fits.nonzero()[0]
        if key and len(rows):
            # Texts of one length are equal if they are so without the zeros at the end, which NumPy leaves out.
            is_key = self._view(f"S{len(key)}")[self.keys[rows]] == key
            rows = rows if _all(is_key) else rows[is_key]
        owners = self.owners[rows]
        if len(rows) != self.count or not _all(owners == self.everyone):
            last = np.full(self.count, MISSING)
            last[owners] = rows  # of several entries NumPy keeps the last, as TensorFlow does
            owners = (last != MISSING).nonzero()[0]
            rows = last[owners]
        if self.has_list is not None and not field.layout.is_dense:
            filled = self.has_list[rows]
            owners, rows = owners[filled], rows[filled]
        return owners, rows

    # --- lists -------------------------------------------------------------------------------------------------------

    def _lists(self, rows: Array, tags: Array) -> tuple[Array, Array, Array, Array]:
        """Returns of the lists of Features where the lists start and end, and their first payloads start and end."""
        position, end = self._payload(self.starts[rows], tags)
        _demand(end == self.ends[rows])
        filled = position < end
        if _all(filled):
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
            return unpack_varints(self._gather(starts, sizes), sizes)
        _demand(sizes & 3 == 0)
        return self._gather(starts, sizes).view("<f4").astype(np.float32, copy=False), sizes >> 2

    def _strings(self, lists: Array, ends: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
        filled = lists < ends
        counts = filled.astype(np.int64)
        if not _all(stops == ends):
            starts, stops, counts = self._elements(lists, ends)
        elif not _all(filled):
            starts, stops = starts[filled], stops[filled]
        text = self.text
        elements = [text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
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
        owners, starts, stops = [np.concatenate(parts) for parts in zip(*steps, strict=True)]
        order = np.argsort(owners, kind="stable")
        return starts[order], stops[order], np.bincount(owners, minlength=count)

    # --- the buffer --------------------------------------------------------------------------------------------------

    def _payload(self, position: Array, tag: int | Array) -> tuple[Array, Array]:
        """Returns where payloads start and end; each position is that of the tag, which must be there."""
        content = self.content
        _demand(content[position] == tag)
        at = position + 1
        byte = content[at]
        if byte.tobytes().isascii():  # one byte each, below 128
            at += 1
            return at, at + byte
        length, start = self._long_varint(at, byte)
        return start, start + length

    def _long_varint(self, position: Array, byte: Array) -> tuple[Array, Array]:
        """Returns the numbers at positions, of which the first bytes are given, and the positions after the numbers."""
        number = (byte & 0x7F).astype(np.int64)
        position = position + 1
        goes_on = byte > 0x7F
        for shift in range(7, _MAX_BITS, 7):
            byte = self.content[position]
            number += (byte & 0x7F).astype(np.int64) * goes_on << shift
            position += goes_on
            goes_on &= byte > 0x7F
            if not _any(goes_on):
                return number, position
        raise MalformedError

    def _gather(self, starts: Array, sizes: Array) -> Array:
        """Returns the bytes of payloads, one after the other."""
        if not len(sizes):
            return self.content[:0]
        size = int(sizes[0])
        if size and _all(sizes == size):
            return self._view(f"V{size}")[starts].view(np.uint8)
        text, stops = self.text, (starts + sizes).tolist()
        pieces = [text[start:stop] for start, stop in zip(starts.tolist(), stops, strict=True)]
        return np.frombuffer(b"".join(pieces), dtype=np.uint8)

    def _view(self, dtype: str) -> Array:
        """Returns the buffer as items of a dtype that begin at every byte."""
        size = np.dtype(dtype).itemsize
        return np.ndarray((max(0, len(self.text) - size + 1),), dtype=dtype, buffer=self.text, strides=(1,))


def _all(holds: Array) -> bool:
    """Returns whether a condition holds for all elements."""
    return b"\0" not in holds.tobytes()


def _any(holds: Array) -> bool:
    """Returns whether a condition holds for some element."""
    return b"\1" in holds.tobytes()


def _demand(holds: Array) -> None:
    """Gives up unless a condition holds for all elements."""
    if b"\0" in holds.tobytes():
        raise MalformedError
