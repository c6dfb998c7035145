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


_NESTED = {
    "vector": ["aé", "", "日"],
    "empty": tf.zeros([0], tf.string),
    "matrix": [["aé", "b"], ["", "日"]],
    "no columns": tf.zeros([2, 0], tf.string),
    "ragged": tf.ragged.constant([["aé", "b"], [], ["日"]]),
    "deeply ragged": tf.ragged.constant([[["a"], []], [], [["bé", "日"]]]),
    "uniform inside": tf.ragged.constant([[["a"], ["é"]], []], inner_shape=(1,)),
}
_IDS = [key.replace(" ", "_") for key in _NESTED]


def _deeper(text: Any, function: Any) -> Any:
    if isinstance(text, tf.RaggedTensor):
        text = text.to_list()
    elif isinstance(text, tf.Tensor):
        text = text.numpy().tolist()
    if isinstance(text, list):
        return [_deeper(part, function) for part in text]
    return function(text.decode() if isinstance(text, bytes) else text)


def _offsets(text: str) -> list[int]:
    widths = [len(character.encode()) for character in text]
    return [sum(widths[:i]) for i in range(len(widths))]


@pytest.mark.parametrize("text", _NESTED.values(), ids=_IDS)
def test_characters_are_one_dimension_deeper(text: Any) -> None:
    codes = tf.strings.unicode_decode(text, "UTF-8")
    assert codes.to_list() == _deeper(text, lambda t: [ord(c) for c in t])
    assert (codes.dtype, codes.row_splits.dtype) == (tf.int32, tf.int64)
    characters = tf.strings.unicode_split(text, "UTF-8")
    assert characters.to_list() == _deeper(text, lambda t: [c.encode() for c in t])
    rank = text.shape.rank if isinstance(text, tf.RaggedTensor) else tf.convert_to_tensor(text).shape.rank
    assert codes.shape.rank == characters.shape.rank == rank + 1
    assert codes.ragged_rank == rank
    same_codes, starts = tf.strings.unicode_decode_with_offsets(text, "UTF-8")
    same_characters, same_starts = tf.strings.unicode_split_with_offsets(text, "UTF-8")
    assert same_codes.to_list() == codes.to_list()
    assert same_characters.to_list() == characters.to_list()
    assert starts.to_list() == same_starts.to_list() == _deeper(text, _offsets)


@pytest.mark.parametrize("text", _NESTED.values(), ids=_IDS)
def test_ragged_codes_encode_to_the_text(text: Any) -> None:
    encoded = tf.strings.unicode_encode(tf.strings.unicode_decode(text, "UTF-8"), "UTF-8")
    found = encoded.to_list() if isinstance(encoded, tf.RaggedTensor) else encoded.numpy().tolist()
    assert found == _deeper(text, str.encode)


def test_encoding_of_ragged_rows_treats_bad_numbers() -> None:
    codes = tf.ragged.constant([[97], [0xD800, 98]], dtype=tf.int32)
    assert tf.strings.unicode_encode(codes, "UTF-16-BE", errors="ignore").numpy().tolist() == [b"\0a", b"\0b"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Code point is out of range"):
        tf.strings.unicode_encode(codes, "UTF-8", errors="strict")
    with pytest.raises(tf.errors.InvalidArgumentError, match="replacement_char out of unicode codepoint range"):
        tf.strings.unicode_encode(codes, "UTF-8", replacement_char=-1)


def test_uniform_dimensions_are_encoded_too() -> None:
    codes = tf.ragged.constant([[[97, 233], [97, 98]], [], [[26085, 99]]], dtype=tf.int32, inner_shape=(2,))
    assert tf.strings.unicode_encode(codes, "UTF-8").to_list() == [["aé".encode(), b"ab"], [], ["日c".encode()]]


def test_malformed_strings_do_not_disturb_their_neighbours() -> None:
    codes = tf.strings.unicode_decode([b"\xe6\x97", b"\xa5", b"a\xff\nb"], "UTF-8")
    assert codes.to_list() == [[65533], [65533], [97, 65533, 10, 98]]
    dropped = tf.strings.unicode_split([b"a\xe9b", b"\xff"], "UTF-8", errors="ignore")
    assert dropped.to_list() == [[b"a", b"b"], []]


def test_ragged_text_in_functions() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.string)

    @tf.function(autograph=False, input_signature=[spec])
    def decode(text: Any) -> Any:
        codes = tf.strings.unicode_decode(text, "UTF-8")
        assert codes.shape.as_list() == [None, None, None]
        return codes, tf.strings.unicode_encode(codes, "UTF-8")

    codes, text = decode(_NESTED["ragged"])
    assert codes.to_list() == [[[97, 233], [98]], [], [[26085]]]
    assert text.to_list() == _NESTED["ragged"].to_list()


def test_the_rank_of_text_must_be_known() -> None:
    signature = [tf.TensorSpec(None, tf.string)]
    for function in (tf.strings.unicode_decode, tf.strings.unicode_split, tf.strings.unicode_split_with_offsets):
        call = tf.function(lambda text, f=function: f(text, "UTF-8"), autograph=False, input_signature=signature)
        with pytest.raises(ValueError, match="Rank of `input` must be statically known"):
            call(tf.constant("a"))
    encode = tf.function(
        lambda codes: tf.strings.unicode_encode(codes, "UTF-8"),
        autograph=False,
        input_signature=[tf.TensorSpec(None, tf.int32)],
    )
    with pytest.raises(ValueError, match="Rank of input_tensor must be statically known"):
        encode(tf.constant([97]))


def test_other_dtypes_than_text_are_refused() -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        tf.strings.unicode_decode([1], "UTF-8")


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


def test_a_graph_refuses_unknown_treatments_of_errors() -> None:
    decode = tf.function(lambda text: tf.strings.unicode_decode(text, "UTF-8", errors="nothing"), autograph=False)
    with pytest.raises(ValueError, match="Attr 'errors' of 'UnicodeDecode' Op passed string 'nothing' not in"):
        decode(tf.constant("a"))
