"""The exact reader; tests/oracle/programs/io_examples.py compares it with TensorFlow on many odd messages."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout
from millrace._src.ops.io.example_reader import read_entries, read_examples
from millrace._src.ops.io.wire_format import MalformedError
from tests.oracle.programs._messages import block, entry, example, features, floats, int_values, ints, texts

_INTS = Field(b"a", tf.int64, FieldLayout.SPARSE)


def _values(data: bytes, field: Field) -> Any:
    (column,) = read_examples([data], [field], None, is_single=True)
    return column.values.tolist() if column.counts.tolist() != [-1] else None


def _refusal(data: list[bytes], field: Field, names: list[bytes] | None = None, is_single: bool = False) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        read_examples(data, [field], names, is_single)
    return str(caught.value)


def test_entries_are_found_in_all_maps_and_in_order() -> None:
    data = features(entry(b"a", b"x")) + b"\x28\x05" + features(entry(b"b", b""), entry(b"a", b"yy"))
    assert [(key, data[start:end]) for key, start, end in read_entries(data)] == [
        (b"a", b"x"),
        (b"b", b""),
        (b"a", b"yy"),
    ]


@pytest.mark.parametrize("data", [b"hello", features(entry(b"a", b"x"))[:-1], features(b"\x12\x00")])
def test_other_bytes_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        read_entries(data)


def test_protobufs_own_messages_are_read() -> None:
    train = tf.train
    feature = {
        "i": train.Feature(int64_list=train.Int64List(value=[1, -2, 2**62, *range(100)])),
        "f": train.Feature(float_list=train.FloatList(value=[0.5, float("inf")])),
        "b": train.Feature(bytes_list=train.BytesList(value=[b"", b"\xff\0"])),
    }
    data = train.Example(features=train.Features(feature=feature)).SerializeToString()
    assert _values(data, Field(b"i", tf.int64, FieldLayout.RAGGED)) == [1, -2, 2**62, *range(100)]
    assert _values(data, Field(b"f", tf.float32, FieldLayout.RAGGED)) == [0.5, float("inf")]
    assert _values(data, Field(b"b", tf.string, FieldLayout.RAGGED)) == [b"", b"\xff\0"]
    assert _values(data, Field(b"z", tf.string, FieldLayout.RAGGED)) is None


def test_the_last_entry_with_values_counts() -> None:
    assert _values(features(entry(b"a", ints(1)), entry(b"a", ints(2))), _INTS) == [2]
    assert _values(features(entry(b"a", ints(1)), entry(b"a", b"")), _INTS) == [1]


def test_of_a_packed_list_the_first_piece_counts() -> None:
    assert _values(example(a=block(3, int_values(1, 2) + int_values(3))), _INTS) == [1, 2]


def test_numbers_may_stand_one_by_one() -> None:
    assert _values(example(a=ints(1, 300, packed=False)), _INTS) == [1, 300]
    assert _values(example(a=floats(1, 2.5, packed=False)), Field(b"a", tf.float32, FieldLayout.SPARSE)) == [1, 2.5]


def test_messages_name_key_and_index() -> None:
    fixed = Field(b"a", tf.int64, FieldLayout.FIXED, (), is_required=True)
    good, wrong = example(a=ints(1)), example(a=texts(b"x"))
    words = "Key: a, Index: 1.  Data types don't match. Data type: string but expected type: int64"
    assert _refusal([good, wrong], fixed) == f"Name: <unknown>, {words}"
    assert _refusal([good, wrong], fixed, [b"m", b"n"]) == f"Name: n, {words}"
    assert _refusal([wrong], fixed, is_single=True) == f"Key: a.  {words.split('.  ')[1]}"
    assert _refusal([good, b""], fixed, [b"m", b"n"]).startswith("Name: n, Feature: a (data type: int64) is required")
    assert _refusal([good, b"\xff"], fixed) == "Could not parse example input, value: '\\xff'"
