"""Decoding, encoding, transcoding and splitting of text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array(["aé日".encode(), b"", b"a\xffb"], dtype=object)

SAMPLES = [
    Sample("UnicodeTranscode", inputs=(_TEXTS,), attrs={"input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"}),
    Sample("UnicodeDecode", inputs=(_TEXTS,), attrs={"input_encoding": "UTF-8"}),
    Sample(
        "UnicodeDecode", inputs=(np.array(b"a", dtype=object),), attrs={"input_encoding": "UTF-8", "Tsplits": "int32"}
    ),
    Sample("UnicodeDecodeWithOffsets", inputs=(_TEXTS.reshape(3, 1),), attrs={"input_encoding": "UTF-8"}),
    Sample(
        "UnicodeEncode",
        inputs=(np.array([97, 233, -5], np.int32), np.array([0, 1, 3])),
        attrs={"output_encoding": "UTF-8"},
    ),
    Sample(
        "UnicodeEncode",
        inputs=(np.array([], np.int32), np.array([0], np.int32)),
        attrs={"output_encoding": "UTF-32-BE"},
    ),
]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("aé日", {}, [97, 233, 26085]),
        (b"a\xffb\xe6\x97", {}, [97, 65533, 98, 65533]),
        (b"a\xffb", {"errors": "ignore"}, [97, 98]),
        (b"a\xffb", {"replacement_char": 63}, [97, 63, 98]),
        ("a\x01\nb", {"replace_control_characters": True}, [97, 65533, 65533, 98]),
        (b"\xf0\x9f\x98\x80\xed\xa0\x80", {}, [128512, 65533, 65533, 65533]),
        (b"\xc0\x80", {}, [65533, 65533]),
        (b"\xf4\x90\x80\x80x", {}, [65533, 65533, 65533, 65533, 120]),
        (b"\xe6\x97\xff", {}, [65533, 65533]),
        (b"\xef\xbb\xbfa", {}, [65279, 97]),
        (b"\x00\xe9", {"input_encoding": "UTF-16-BE"}, [233]),
        (b"abc", {"input_encoding": "UTF-16-BE"}, [24930, 65533]),
        (b"\xd8\x00\x00a", {"input_encoding": "UTF-16-BE"}, [65533, 97]),
        (b"\xff\xfe\xe9\x00", {"input_encoding": "UTF-16"}, [233]),
        (b"\xe9", {"input_encoding": "ISO-8859-1"}, [233]),
        (b"\x82\xa0", {"input_encoding": "SHIFT-JIS"}, [12354]),
    ],
)
def test_unicode_decode(text: Any, options: dict[str, Any], expected: list[int]) -> None:
    arguments = {"input_encoding": "UTF-8"} | options
    decoded = tf.strings.unicode_decode(text, **arguments)
    assert decoded.dtype is tf.int32
    assert decoded.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((b"a\xff", "UTF-8", "strict"), "Invalid formatting on input string"),
        (("a", "nonsense"), "Could not create converter for input encoding: nonsense"),
        (("a", "UTF-8", "bad"), "Value for attr 'errors' of \"bad\" is not in the list of allowed values"),
        (("a", "UTF-8", "replace", -1), "replacement_char out of unicode codepoint range"),
    ],
)
def test_unicode_decode_refuses(arguments: Any, words: str) -> None:
    check_refusal(lambda: tf.strings.unicode_decode(*arguments), tf.errors.InvalidArgumentError, words)


def test_offsets_count_bytes() -> None:
    codes, starts = tf.strings.unicode_decode_with_offsets(b"a\xff\xe6\x97b", "UTF-8")
    assert codes.numpy().tolist() == [97, 65533, 65533, 98]
    assert starts.numpy().tolist() == [0, 1, 2, 4]
    characters, starts = tf.strings.unicode_split_with_offsets("hé日", "UTF-8")
    assert characters.numpy().tolist() == [b"h", b"\xc3\xa9", b"\xe6\x97\xa5"]
    assert starts.numpy().tolist() == [0, 1, 3]


def test_several_strings_decode_to_values_and_row_splits() -> None:
    splits, codes = tf.raw_ops.UnicodeDecode(input=["aé", "", "日"], input_encoding="UTF-8")
    assert splits.numpy().tolist() == [0, 2, 2, 3]
    assert codes.numpy().tolist() == [97, 233, 26085]
    with pytest.raises(tf.errors.UnimplementedError, match="RaggedTensor"):
        tf.strings.unicode_decode(["a"], "UTF-8")


def test_unicode_split_keeps_the_encoding() -> None:
    split = tf.strings.unicode_split
    assert split(b"a\xffb", "UTF-8").numpy().tolist() == [b"a", b"\xef\xbf\xbd", b"b"]
    assert split(b"a\xffb", "UTF-8", errors="ignore").numpy().tolist() == [b"a", b"b"]
    assert split("", "UTF-8").shape.as_list() == [0]


@pytest.mark.parametrize(
    ("codes", "arguments", "expected"),
    [
        ([97, 233, 26085], ("UTF-8",), "aé日".encode()),
        ([[97, 233], [26085, 98]], ("UTF-8",), ["aé".encode(), "日b".encode()]),
        ([97, 0xD800], ("UTF-8",), b"a\xef\xbf\xbd"),
        ([97, 0xD800], ("UTF-8", "ignore"), b"a"),
        ([97, -5], ("UTF-8", "replace", 63), b"a?"),
        ([0x1F600], ("UTF-32-BE",), b"\x00\x01\xf6\x00"),
        ([233], ("UTF-16-BE",), b"\x00\xe9"),
    ],
)
def test_unicode_encode(codes: Any, arguments: Any, expected: Any) -> None:
    encoded = tf.strings.unicode_encode(codes, *arguments).numpy()
    assert (encoded.tolist() if isinstance(encoded, np.ndarray) else encoded) == expected


def test_unicode_encode_refuses() -> None:
    encode, refused = tf.strings.unicode_encode, tf.errors.InvalidArgumentError
    strict = "Code point is out of range for Unicode, or is a surrogate."
    check_refusal(lambda: encode([97, 0xD800], "UTF-8", "strict"), refused, strict)
    check_refusal(lambda: encode(97, "UTF-8"), ValueError, "input_tensor's rank must be at least 1.")
    check_refusal(lambda: encode([97], "latin1"), refused, "Value for attr 'output_encoding' of \"latin1\" is not in")
    raw = tf.raw_ops.UnicodeEncode
    last = "Last value in input_splits must be equal to length of input_tensor."
    check_refusal(lambda: raw(input_values=[97], input_splits=[0, 2], output_encoding="UTF-8"), refused, last)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("é", {"output_encoding": "UTF-16-BE"}, b"\x00\xe9"),
        (b"a\xffb", {}, b"a\xef\xbf\xbdb"),
        (b"a\xffb", {"errors": "ignore"}, b"ab"),
        ("a\x01b", {"errors": "ignore", "replace_control_characters": True}, b"ab"),
        (b"\xe9", {"input_encoding": "ISO-8859-1"}, b"\xc3\xa9"),
        (b"a\xc3", {}, b"a\xef\xbf\xbd"),
    ],
)
def test_unicode_transcode(text: Any, options: dict[str, Any], expected: bytes) -> None:
    arguments = {"input_encoding": "UTF-8", "output_encoding": "UTF-8"} | options
    assert tf.strings.unicode_transcode(text, **arguments).numpy() == expected


@given(st.text())
def test_text_survives_decoding_and_encoding(text: str) -> None:
    codes = tf.strings.unicode_decode(text, "UTF-8")
    assert codes.numpy().tolist() == [ord(c) for c in text]
    assert tf.strings.unicode_encode(codes, "UTF-8").numpy().decode() == text
