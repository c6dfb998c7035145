"""WAV files."""

from __future__ import annotations

import io
import struct
import wave
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_AUDIO = (np.sin(np.arange(24) * 1.3)).reshape(12, 2).astype(np.float32)


def _wav(
    kind: int = 1,
    channels: int = 1,
    rate: int = 8000,
    bits: int = 16,
    data: bytes = b"\0\1\2\3",
    extra: bytes = b"",
    before: bytes = b"",
    behind: bytes = b"",
    frame_bytes: int | None = None,
    second_bytes: int | None = None,
    length: int | None = None,
) -> bytes:
    """Writes a file, in which fields may be wrong."""
    size = channels * bits // 8 if frame_bytes is None else frame_bytes
    speed = rate * size if second_bytes is None else second_bytes
    form = struct.pack("<HHIIHH", kind, channels, rate, speed, size, bits) + extra
    body = before + _chunk(b"fmt ", form) + behind
    body += b"data" + struct.pack("<I", len(data) if length is None else length) + data
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


def _bytes(value: bytes) -> Any:
    array = np.empty((), object)
    array[()] = value
    return array


SAMPLES = [
    Sample("EncodeWav", (_AUDIO, np.int32(8000))),
    Sample("EncodeWav", (_AUDIO[:0], np.int32(1))),
    Sample("DecodeWav", (_bytes(_wav()),)),
    Sample("DecodeWav", (_bytes(_wav(data=b"")),)),
    Sample("DecodeWav", (_bytes(_wav(channels=2)),), {"desired_channels": 3, "desired_samples": 4}),
]


def test_a_file_is_what_the_standard_library_reads() -> None:
    contents = tf.audio.encode_wav(_AUDIO, 44100).numpy()
    with wave.open(io.BytesIO(contents)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 44100, 2)
        values = np.frombuffer(file.readframes(100), "<i2").reshape(12, 2)
    np.testing.assert_array_equal(values, np.clip(np.rint(_AUDIO * 32768), -32768, 32767))


def test_a_file_of_the_standard_library_is_read() -> None:
    values, stream = np.arange(-32768, 32768, 7, dtype="<i2"), io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setparams((1, 2, 22050, 0, "NONE", ""))
        file.writeframes(values.tobytes())
    audio, rate = tf.audio.decode_wav(stream.getvalue())
    assert rate.numpy() == 22050
    np.testing.assert_array_equal(audio.numpy()[:, 0], values / np.float32(32768))


def test_samples_are_rounded_and_clipped() -> None:
    samples = np.array([[0.5, 1.5, -0.5, -1.5, 1e9, -1e9, np.inf, -np.inf, np.nan]], np.float32).T / 32768
    values = np.frombuffer(tf.audio.encode_wav(samples, 1).numpy()[44:], "<i2")
    assert values.tolist() == [1, 2, -1, -2, 32767, -32768, 32767, -32768, 0]
    edges = np.frombuffer(tf.audio.encode_wav([[1.0], [-1.0], [2.0], [-2.0]], 1).numpy()[44:], "<i2")
    assert edges.tolist() == [32767, -32768, 32767, -32768]


@pytest.mark.parametrize("channels", [-1, 0, 1, 2, 4])
@pytest.mark.parametrize("samples", [-1, 0, 5, 20])
def test_channels_and_samples_are_repeated_appended_and_cut(channels: int, samples: int) -> None:
    contents = tf.audio.encode_wav(_AUDIO, 8000)
    whole = tf.audio.decode_wav(contents).audio.numpy()
    expected = whole if channels == -1 else whole[:, [0, 1, 1, 1][:channels]]
    if samples != -1:
        expected = np.pad(expected[:samples], [(0, max(0, samples - 12)), (0, 0)])
    result = tf.audio.decode_wav(contents, channels, samples)
    np.testing.assert_array_equal(result.audio, expected)
    shape = tf.function(lambda c: tf.audio.decode_wav(c, channels, samples)).get_concrete_function(
        tf.TensorSpec([], tf.string)
    )
    assert shape.outputs[0].shape.as_list() == [n if n != -1 else None for n in (samples, channels)]


@pytest.mark.parametrize(
    "contents",
    [_wav(extra=b"\0\0"), _wav(behind=_chunk(b"LIST", b"abcde")), _wav() + _chunk(b"LIST", b"abc"), _wav(rate=0)],
)
def test_other_chunks_are_skipped(contents: bytes) -> None:
    np.testing.assert_allclose(tf.audio.decode_wav(contents).audio, [[0.0078125], [0.02349854]], rtol=1e-6)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "Data too short when trying to read string"),
        (b"junkjunkjunk", "Header mismatch: Expected RIFF but found junk"),
        (_wav().replace(b"WAVE", b"WAVX"), "Header mismatch: Expected WAVE but found WAVX"),
        (_wav(before=_chunk(b"LIST", b"abcd")), "Unexpected field LIST"),
        (_wav(extra=b"\0" * 4), "Bad format chunk size for WAV: Expected 16 or 18, but got20"),
        (_wav(kind=3), r"Bad audio format for WAV: Expected 1 \(PCM\), but got3"),
        (_wav(channels=0), "Bad number of channels for WAV: Expected at least 1, but got 0"),
        (_wav(bits=24), "Can only read 16-bit WAV files, but received 24"),
        (_wav(frame_bytes=3), "Bad bytes per sample in WAV header: Expected 2 but got 3"),
        (_wav(second_bytes=1), r"Bad bytes per second in WAV header: Expected 16000 but got 1 \(sample_rate=8000"),
        (_wav()[:36], "No data chunk found in WAV"),
        (_wav(length=100), "Data too short when trying to read string"),
        (_wav(length=2**32 - 1), "WAV data chunk 'data' is too large: 4294967295 bytes, but the limit is 2147483647"),
        (_wav() + _chunk(b"data", b"\1\1"), "More than one data chunk found in WAV"),
        (_wav() + b"xyz", "Data too short when trying to read string"),
    ],
)
def test_what_is_no_wav_file_raises(contents: bytes, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.audio.decode_wav(contents)


def test_bad_arguments_raise() -> None:
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match="desired_samples must be >= -1, got -2"):
        tf.audio.decode_wav(_wav(), desired_samples=-2)
    with pytest.raises(error, match=r"contents must be scalar, got shape \[1\]"):
        tf.audio.decode_wav([_wav()])
    with pytest.raises(error, match=r"audio must be 2-dimensional\[2\]"):
        tf.audio.encode_wav([0.0, 1.0], 8000)
    with pytest.raises(error, match="Input sample_rate should be a scalar tensor, got"):
        tf.audio.encode_wav(_AUDIO, [8000])
    with pytest.raises(error, match=r"sample_rate must be in \(0, 2\^32\), got: 18446744073709551611"):
        tf.audio.encode_wav(_AUDIO, -5)
    with pytest.raises(error, match=r"num_channels must be in \(0, 2\^16\), got: 0"):
        tf.audio.encode_wav(_AUDIO[:, :0], 8000)
    with pytest.raises(ValueError, match="channels must be non-negative, got -2"):
        tf.function(lambda c: tf.audio.decode_wav(c, -2))(_wav())
    with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
        tf.function(tf.audio.encode_wav)(tf.zeros([3]), 8000)
