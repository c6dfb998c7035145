"""`tf.io.decode_compressed`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_e = tf.errors
_decode = tf.io.decode_compressed
_COMPRESS = {"ZLIB": zlib.compress, "GZIP": gzip.compress}

SAMPLES = [
    Sample("DecodeCompressed", inputs=(np.array([[b"a", b""]], dtype=object),)),
    *(
        Sample("DecodeCompressed", inputs=(np.array(f(b"text"), dtype=object),), attrs={"compression_type": name})
        for name, f in _COMPRESS.items()
    ),
]


@pytest.mark.parametrize(("kind", "compress"), _COMPRESS.items())
def test_strings_are_decompressed(kind: str, compress: Callable[[bytes], bytes]) -> None:
    texts = [b"hello", b"", b"a" * 1_000_000]
    assert _decode([compress(text) for text in texts], kind).numpy().tolist() == texts
    assert _decode(["", compress(b"a")], kind).numpy().tolist() == [b"", b"a"]
    assert _decode(compress(b"hello" * 100)[:-4], kind).numpy() == b"hello" * 100
    two = _decode(compress(b"ab") + compress(b"cd"), compression_type=kind).numpy()
    assert two == (b"abcd" if kind == "GZIP" else b"ab")
    words = "inflate() failed with error -3: incorrect header check"
    check_refusal(lambda: _decode("junkjunk", kind), _e.DataLossError, words)


def test_damaged_strings() -> None:
    words = "inflate() failed with error -3: incorrect data check"
    check_refusal(lambda: _decode(zlib.compress(b"abc")[:-1] + b"w", "ZLIB"), _e.DataLossError, words)
    words = "inflate() failed with error -3: incorrect length check"
    check_refusal(lambda: _decode(gzip.compress(b"abc")[:-1] + b"w", "GZIP"), _e.DataLossError, words)
    words = "inflate() failed with error -3: incorrect header check"
    check_refusal(lambda: _decode(gzip.compress(b"ab") + b"junk", "GZIP"), _e.DataLossError, words)


def test_a_string_that_wants_a_preset_dictionary() -> None:
    compressor = zlib.compressobj(zdict=b"hello hello")
    text = compressor.compress(b"hello hello hello") + compressor.flush()
    check_refusal(lambda: _decode(text, "ZLIB"), _e.DataLossError, "inflate() failed with error 2")


def test_strings_that_are_not_compressed_stay() -> None:
    assert _decode([["a", "b"]]).numpy().tolist() == [[b"a", b"b"]]


def test_other_types_are_refused() -> None:
    words = "Only ZLIB, ZSTD, GZIP or NONE are supported compressions"
    for kind in ("LZ4", "gzip"):
        check_refusal(lambda k=kind: _decode("x", k), _e.InvalidArgumentError, words)
    words = "tf.io.decode_compressed: ZSTD is not supported here"
    check_refusal(lambda: _decode("x", "ZSTD"), _e.UnimplementedError, words)
