"""base64, raw numbers and serialized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array([b"hello", b"", b"\xff\xfe\xfd>?"], dtype=object)
_RAW = np.array([b"\x01\x00\x02\x00", b"\xff\x3e\x00\x00"], dtype=object)

SAMPLES = [
    Sample("EncodeBase64", inputs=(_TEXTS,)),
    Sample("EncodeBase64", inputs=(np.array(b"a", dtype=object),), attrs={"pad": True}),
    Sample("DecodeBase64", inputs=(np.array([b"aGVsbG8", b""], dtype=object),)),
    *(
        Sample("DecodeRaw", inputs=(_RAW,), attrs={"out_type": t})
        for t in ("int8", "uint16", "float32", "bfloat16", "bool")
    ),
    Sample(
        "DecodeRaw",
        inputs=(np.array(b"\0" * 16, dtype=object),),
        attrs={"out_type": "complex64", "little_endian": False},
    ),
    Sample("DecodePaddedRaw", inputs=(_TEXTS, np.array(6, np.int32)), attrs={"out_type": "int16"}),
    Sample("SerializeTensor", inputs=(np.arange(6.0).reshape(2, 3),)),
    Sample("SerializeTensor", inputs=(_TEXTS,)),
    Sample(
        "ParseTensor",
        inputs=(np.array(b"\x08\x03\x12\x04\x12\x02\x08\x02\x3a\x01\x07", dtype=object),),
        attrs={"out_type": "int32"},
    ),
]


def test_base64_is_web_safe_and_pads_when_asked() -> None:
    encoded = tf.io.encode_base64(["hello", "", b"\xff\xfe\xfd>?", "a"])
    assert encoded.numpy().tolist() == [b"aGVsbG8", b"", b"__79Pj8", b"YQ"]
    assert tf.io.encode_base64(["hello", "a"], True).numpy().tolist() == [b"aGVsbG8=", b"YQ=="]
    assert tf.io.decode_base64(["aGVsbG8", "aGVsbG8=", "YQ", "YR", "aG-_"]).numpy().tolist() == [b"hello"] * 2 + [
        b"a"
    ] * 2 + [b"ho\xbf"]


@pytest.mark.parametrize("text", ["!!", "aGV sbG8", "aG+/", "YQ=", "YQ===", "YQ==YQ=="])
def test_what_is_no_base64_is_refused(text: str) -> None:
    check_refusal(
        lambda: tf.io.decode_base64(text), tf.errors.InvalidArgumentError, "Invalid character found in base64."
    )


@pytest.mark.parametrize("text", ["a", "="])
def test_base64_has_no_length_of_one_modulo_four(text: str) -> None:
    words = "Base64 string length cannot be 1 modulo 4."
    check_refusal(lambda: tf.io.decode_base64(text), tf.errors.InvalidArgumentError, words)


@given(st.binary(), st.booleans())
def test_base64_goes_there_and_back(data: bytes, pad: bool) -> None:
    assert tf.io.decode_base64(tf.io.encode_base64(data, pad)).numpy() == data


@pytest.mark.parametrize(
    ("data", "dtype", "options", "expected"),
    [
        ([b"\x01\x00\x02\x00"], tf.int16, {}, [[1, 2]]),
        ([b"\x01\x00\x02\x00"], tf.int16, {"little_endian": False}, [[256, 512]]),
        (b"\x00\x00\x80?", tf.float32, {}, [1.0]),
        ([[b"ab"]], tf.uint8, {}, [[[97, 98]]]),
        ([b""], tf.uint8, {}, [[]]),
        ([b"ab", b"abcd"], tf.uint8, {"fixed_length": 3}, [[97, 98, 0], [97, 98, 99]]),
        ([b"ab", b"abcd"], tf.uint16, {"fixed_length": 4, "little_endian": False}, [[24930, 0], [24930, 25444]]),
    ],
)
def test_decode_raw(data: Any, dtype: Any, options: dict[str, Any], expected: Any) -> None:
    decoded = tf.io.decode_raw(data, dtype, **options)
    assert decoded.dtype is dtype
    assert decoded.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("data", "dtype", "length", "words"),
    [
        ([b"abc"], tf.int16, None, "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16"),
        (
            [b"ab", b"abcd"],
            tf.uint8,
            None,
            "DecodeRaw requires input strings to all be the same size, but element 1 has",
        ),
        ([b"ab"], tf.uint16, 3, "fixed_length (3) must be a multiple of the size of out_type (2)"),
        ([b"ab"], tf.uint16, 0, "fixed_length (0) must be greater than zero."),
        (
            [b"a"],
            tf.string,
            None,
            "Value for attr 'out_type' of string is not in the list of allowed values: half, float",
        ),
    ],
)
def test_decode_raw_refuses(data: Any, dtype: Any, length: Any, words: str) -> None:
    call = lambda: tf.io.decode_raw(data, dtype, fixed_length=length)  # noqa: E731
    check_refusal(call, tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([[1, 2]], b'\x08\x03\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x01\x00\x00\x00\x02\x00\x00\x00'),
        (["a"], b"\x08\x07\x12\x04\x12\x02\x08\x01B\x01a"),
        (1.5, b'\x08\x01\x12\x00"\x04\x00\x00\xc0?'),
        ([True], b'\x08\n\x12\x04\x12\x02\x08\x01"\x01\x01'),
        (np.zeros([0, 2], np.float32), b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x02"),
    ],
)
def test_tensors_are_serialized_as_tensorflow_does(value: Any, expected: bytes) -> None:
    serialized = tf.io.serialize_tensor(value)
    assert serialized.numpy() == expected
    tensor = tf.convert_to_tensor(value)
    back = tf.io.parse_tensor(serialized, tensor.dtype)
    assert back.dtype is tensor.dtype
    np.testing.assert_array_equal(back.numpy(), tensor.numpy())


def test_parse_tensor_refuses_what_is_not_that_tensor() -> None:
    refused, parse = tf.errors.InvalidArgumentError, tf.io.parse_tensor
    one = tf.io.serialize_tensor([1])
    check_refusal(
        lambda: parse(one, tf.float32), refused, "Type mismatch between parsed tensor (int32) and dtype (float)"
    )
    check_refusal(
        lambda: parse("junk", tf.int32), refused, "Could not parse `serialized` as TensorProto, base64: anVuaw=="
    )
    check_refusal(lambda: parse(["a"], tf.int32), refused, "Expected `serialized` to be a scalar, got shape: [1]")
    for number_of_no_dtype in (b"", b"\x08\x63"):
        check_refusal(lambda n=number_of_no_dtype: parse(n, tf.int32), refused, "Cannot parse tensor from proto: ")


@pytest.mark.parametrize(
    "dtype", ["float8_e5m2", "float8_e4m3fn", "int4", "uint4", "qint8", "quint8", "qint16", "qint32"]
)
def test_dtypes_that_tensorflow_does_not_serialize_come_back_too(dtype: str) -> None:
    tensor = tf.zeros([2, 3], dtype) if "q" not in dtype else tf.bitcast(tf.zeros([2], dtype.replace("q", "")), dtype)
    back = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), dtype)
    assert back.dtype == dtype and back.shape == tensor.shape
