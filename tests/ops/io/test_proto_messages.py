"""Where message types come from, and what is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf
from millrace._src.ops.io.proto_messages import fields_of, show_dtype
from tests.oracle.programs._proto_sets import SERIALIZED_SET, SOURCE


def test_message_types_of_a_set_are_found(tmp_path: Path) -> None:
    path = tmp_path / "set.pb"
    path.write_bytes(SERIALIZED_SET)
    for source in (SOURCE.decode("utf-8", "surrogateescape"), str(path)):
        message, fields = fields_of("p.M", ["int32", "one"], source)
        assert (message.name, [field.number for field in fields]) == ("M", [5, 23])


def test_tensorflows_message_types_are_known() -> None:
    assert fields_of("tensorflow.Example", ["features"], "local://")[1][0].number == 1
    assert fields_of("tensorflow.GraphDef", ["node"], "")[1][0].is_repeated


@pytest.mark.parametrize(
    ("message", "field", "source", "words"),
    [
        ("p.Other", "int32", SOURCE, "No descriptor found for message type p.Other"),
        ("nobody.Knows", "x", b"local://", "No descriptor found for message type nobody.Knows"),
        ("p.M", "missing", SOURCE, "Unknown field: missing in message type p.M"),
        ("p.M", "int32", b"bytes://\xff", "Source does not represent serialized file descriptor set proto."),
        ("p.M", "int32", b"/no/such/file", "Source does not represent serialized file descriptor set proto."),
    ],
)
def test_what_is_unknown_is_refused(message: str, field: str, source: bytes, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        fields_of(message, [field], source.decode("utf-8", "surrogateescape"))
    assert str(caught.value).startswith(words)


def test_dtypes_are_shown_as_constants() -> None:
    assert [show_dtype(dtype) for dtype in (tf.float32, tf.int64)] == ["DT_FLOAT", "DT_INT64"]
