"""The scanner reads what the exact reader reads, or leaves it alone."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout
from millrace._src.ops.io.example_reader import read_examples
from millrace._src.ops.io.example_scanner import scan_examples
from millrace._src.ops.io.example_tensors import fits
from tests.oracle.programs._messages import block, entry, example, features, floats, int_values, ints, texts

_FIELDS = [
    Field(b"i", tf.int64, FieldLayout.RAGGED),
    Field(b"floats", tf.float32, FieldLayout.SPARSE),
    Field(b"b", tf.string, FieldLayout.SPARSE),
    Field(b"", tf.int64, FieldLayout.PADDED),
    Field(b"b\0", tf.string, FieldLayout.PADDED),
]
_FIXED = [Field(b"i", tf.int64, FieldLayout.FIXED, (1,)), Field(b"b", tf.string, FieldLayout.FIXED)]
_NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300), max_size=4)
_FLOATS = st.lists(st.floats(width=32), max_size=4)
_BYTES = st.lists(st.binary(max_size=200), max_size=4)
_ENTRY = st.one_of(
    st.builds(lambda key, values: entry(key, ints(*values)), st.sampled_from([b"i", b""]), _NUMBERS),
    st.builds(lambda values: entry(b"floats", floats(*values)), _FLOATS),
    st.builds(lambda key, values: entry(key, texts(*values)), st.sampled_from([b"b", b"b\0"]), _BYTES),
    st.builds(entry, st.sampled_from([b"i", b"b", b"other", b"floats", b"floatz"]), st.just(b"")),
    st.builds(lambda values: entry(b"unwanted", floats(*values)), _FLOATS),
)
_EXAMPLE = st.builds(lambda entries: features(*entries), st.lists(_ENTRY, max_size=6)) | st.just(b"")


def _plain(columns: Any) -> Any:
    """Columns as values that can be compared, NaN included; a field that is not fixed may be missing or empty."""
    return [(c.values.dtype, [_bits(v) for v in c.values], np.maximum(c.counts, 0).tolist()) for c in columns]


def _bits(value: Any) -> Any:
    return struct.pack("f", value) if isinstance(value, np.float32) else value


@given(st.lists(_EXAMPLE, max_size=8))
def test_batches_in_the_usual_form_are_read_as_the_exact_reader_reads(serialized: list[bytes]) -> None:
    columns = scan_examples(serialized, _FIELDS)
    assert columns is not None
    assert _plain(columns) == _plain(read_examples(serialized, _FIELDS, None, is_single=False))


@given(st.lists(_EXAMPLE, min_size=1, max_size=4), st.integers(0, 2**32))
def test_damaged_batches_are_read_as_the_exact_reader_reads_or_left_alone(serialized: list[bytes], seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(30):
        damaged = [_damaged(data, chance) for data in serialized]
        columns = scan_examples(damaged, _FIELDS)
        if columns is not None:
            assert _plain(columns) == _plain(read_examples(damaged, _FIELDS, None, is_single=False))


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Changes, drops or doubles a byte, or cuts the bytes off."""
    position = chance.randrange(len(data) + 1)
    middle = chance.choice([bytes([chance.randrange(256)]), b"", data[position : position + 1] * 2, None])
    return data[:position] if middle is None else data[:position] + middle + data[position + 1 :]


@given(st.lists(_EXAMPLE, max_size=8))
def test_fixed_fields_that_fit_are_read_as_the_exact_reader_reads(serialized: list[bytes]) -> None:
    columns = scan_examples(serialized, _FIXED)
    assert columns is not None
    if all(map(fits, columns, _FIXED)):
        exact = read_examples(serialized, _FIXED, None, is_single=False)
        assert [(c.values.tolist(), c.counts.tolist()) for c in columns] == [
            (c.values.tolist(), c.counts.tolist()) for c in exact
        ]
    else:
        with pytest.raises(tf.errors.InvalidArgumentError):
            read_examples(serialized, _FIXED, None, is_single=False)


def test_what_the_scanner_does_not_know_is_left_to_the_exact_reader() -> None:
    field = [Field(b"a", tf.int64, FieldLayout.SPARSE)]
    usual = example(a=ints(1))
    value_first = block(1, block(1, block(2, ints(3)) + block(1, b"a")))
    odd = [ints(1, packed=False), ints(1) + ints(2), floats(1), block(3, int_values(1) + int_values(2)), b"\x1a\x01"]
    for data in (*[example(a=value) for value in odd], value_first, usual + usual, b"\x28\x05" + usual, usual[:-1]):
        assert scan_examples([usual, data], field) is None
    assert scan_examples([usual], field) is not None


def test_orders_and_numbers_of_entries_may_differ() -> None:
    entries = [entry(b"a", ints(1)), entry(b"b", texts(b"x" * 300)), entry(b"c", floats(1, 2))]
    serialized = [features(*entries), features(*entries[::-1]), features(entries[1]), b"", features()]
    fields = [Field(b"a", tf.int64, FieldLayout.FIXED), Field(b"c", tf.float32, FieldLayout.SPARSE)]
    columns = scan_examples(serialized, fields)
    assert columns is not None
    assert columns[0].counts.tolist() == [1, 1, -1, -1, -1]
    assert columns[1].values.tolist() == [1, 2, 1, 2]
    assert scan_examples(serialized, []) == []
