"""`tf.audio.decode_wav` and `encode_wav`: WAV files of 16 bit PCM.

A file is `RIFF <size> WAVE`, then chunks: a name of four letters, a length, and so many bytes. The first chunk, `fmt `,
says what the samples are; the chunk `data` holds them, for each time one 16 bit integer a channel; others are skipped.
Samples are numbers from -1 to 1, in steps of 1 / 32768.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import SCALAR, dims_text, require_scalar, with_rank
from millrace._src.util.export import export

_FILE = "the bytes of a file have no gradient"
_ONE_BY_ONE = "decodes and encodes one file at a time: tf.map_fn does it for many"
_PCM = 1
_BITS = 16
_SAMPLE_BYTES = 2
_SCALE = 32768
_MAX_CHUNK_LENGTH = 2**31 - 1


class _WavReader:
    """The bytes of a file, read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        """Reads bytes.

        Raises: InvalidArgumentError: if the file ends before.
        """
        end = self.at + count
        if end > len(self.data):
            raise invalid("Data too short when trying to read string")
        taken_bytes = self.data[self.at : end]
        self.at = end
        return taken_bytes

    def unpack(self, form: str) -> tuple[int, ...]:
        """Reads little-endian integers."""
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def expect(self, name: bytes) -> None:
        """Reads one of the names with which a file begins."""
        text = self.take(4)
        if text != name:
            raise invalid(f"Header mismatch: Expected {name.decode()} but found {text.decode('latin-1')}")


class _Format(NamedTuple):
    """What the chunk `fmt ` says."""

    channels: int
    sample_rate: int


def _read_format(reader: _WavReader) -> _Format:
    name = reader.take(4)
    if name != b"fmt ":
        raise invalid(f"Unexpected field {name.decode('latin-1')}")
    (size,) = reader.unpack("I")
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    kind, channels, rate, second_bytes, frame_bytes, bits = reader.unpack("HHIIHH")
    reader.take(size - 16)
    if kind != _PCM:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    if channels < 1:
        raise invalid(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    if bits != _BITS:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if frame_bytes != channels * _SAMPLE_BYTES:
        expected = channels * _SAMPLE_BYTES
        raise invalid(f"Bad bytes per sample in WAV header: Expected {expected} but got {frame_bytes}")
    if second_bytes != rate * frame_bytes:
        header = f"(sample_rate={rate}, bytes_per_sample={frame_bytes})"
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {rate * frame_bytes} but got {second_bytes} {header}"
        )
    return _Format(channels, rate)


def _read_samples(reader: _WavReader, channels: int) -> Any:
    """Reads all chunks; returns the samples `[time, channels]` of the chunk `data`."""
    samples = None
    while reader.at < len(reader.data):
        name = reader.take(4)
        (size,) = reader.unpack("I")
        if size > _MAX_CHUNK_LENGTH:
            limit = f"{size} bytes, but the limit is {_MAX_CHUNK_LENGTH}"
            raise invalid(f"WAV data chunk '{name.decode('latin-1')}' is too large: {limit}")
        if name != b"data":
            reader.at += size
            continue
        if samples is not None:
            raise invalid("More than one data chunk found in WAV")
        frames = size // (channels * _SAMPLE_BYTES)
        values = np.frombuffer(reader.take(frames * channels * _SAMPLE_BYTES), "<i2")
        samples = values.reshape(frames, channels).astype(np.float32) / np.float32(_SCALE)
    if samples is None:
        raise invalid("No data chunk found in WAV")
    return samples


def _fit(samples: Any, channels: int, count: int) -> Any:
    """Repeats the last channel and appends silence, or cuts; -1 leaves a size as it is."""
    given_count, given_channels = samples.shape
    if channels != -1:
        sources = np.minimum(np.arange(channels), given_channels - 1)
        samples = samples[:, sources]
    if count != -1:
        samples = np.pad(samples[:count], [(0, max(0, count - given_count)), (0, 0)])
    return np.ascontiguousarray(samples)


def _decode_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    require_scalar(c.shape("contents"))
    sizes = {name: c.attr(f"desired_{name}") for name in ("channels", "samples")}
    for name, size in sizes.items():
        if size < -1:
            raise ValueError(f"{name} must be non-negative, got {size}")
    known = [None if sizes[name] == -1 else sizes[name] for name in ("samples", "channels")]
    return TensorShape(known), SCALAR


@op(
    "DecodeWav",
    "contents: string -> audio: float32, sample_rate: int32",
    shape=_decode_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_wav_op(
    xp: Xp, contents: Array, *, desired_channels: int = -1, desired_samples: int = -1
) -> tuple[Array, Array]:
    """Decodes a WAV file; the op behind `tf.audio.decode_wav`."""
    for name, size in (("channels", desired_channels), ("samples", desired_samples)):
        if size < -1:
            raise invalid(f"desired_{name} must be >= -1, got {size}")
    if contents.ndim:
        raise invalid(f"contents must be scalar, got shape {dims_text(contents.shape)}")
    reader = _WavReader(contents.item())
    reader.expect(b"RIFF")
    reader.unpack("I")
    reader.expect(b"WAVE")
    form = _read_format(reader)
    samples = _fit(_read_samples(reader, form.channels), desired_channels, desired_samples)
    return samples, np.array(form.sample_rate, np.int32)


class DecodeWav(NamedTuple):
    """The pair that `tf.audio.decode_wav` returns."""

    audio: Any
    sample_rate: Any


@export("audio.decode_wav", v1=["audio.decode_wav"])
def decode_wav(
    contents: TensorLike, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Decodes a WAV file of 16 bit PCM to numbers from -1 to 1.

    >>> file = tf.audio.encode_wav([[0.0], [0.5], [-1.0]], sample_rate=8000)
    >>> audio, sample_rate = tf.audio.decode_wav(file)
    >>> audio.numpy().ravel(), sample_rate.numpy()
    (array([ 0. ,  0.5, -1. ], dtype=float32), np.int32(8000))

    Args:
      contents: string scalar: the bytes of the file.
      desired_channels: how many channels to return: the last channel is repeated, or channels are left out. -1 returns
        those of the file.
      desired_samples: how many samples of each channel to return: zeros are appended, or samples left out. -1 returns
        those of the file.
      name: name of the operation in a graph.

    Returns: `audio`, float32 `[samples, channels]`, and `sample_rate`, an int32 scalar: samples each second.
    Raises: tf.errors.InvalidArgumentError: if the bytes are not a WAV file of 16 bit PCM.
    """
    return DecodeWav(
        *decode_wav_op(contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name)
    )


def _encode_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("audio"), 2)
    require_scalar(c.shape("sample_rate"))
    return SCALAR


@export("audio.encode_wav", v1=["audio.encode_wav"])
@op(
    "EncodeWav",
    "audio: float32, sample_rate: int32 -> contents: string",
    shape=_encode_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def encode_wav(xp: Xp, audio: Array, sample_rate: Array) -> Any:
    """Encodes numbers from -1 to 1 as a WAV file of 16 bit PCM.

    >>> tf.audio.encode_wav([[0.0], [0.5]], sample_rate=8000).numpy()[-4:]
    b'\\x00\\x00\\x00@'

    Args:
      audio: A float32 Tensor `[samples, channels]`; numbers beyond -1 and 1 become these.
      sample_rate: an int32 scalar: samples each second.
      name: name of the operation in a graph.

    Returns: A string scalar: the bytes of the file.
    Raises: tf.errors.InvalidArgumentError: if a shape, the number of channels or the rate is out of range.
    """
    if audio.ndim != 2:
        raise invalid(f"audio must be 2-dimensional{dims_text(audio.shape)}")
    if sample_rate.ndim:
        raise invalid(f"Input sample_rate should be a scalar tensor, got {dims_text(sample_rate.shape)} instead.")
    rate, channels = sample_rate.item(), audio.shape[1]
    if rate <= 0:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate % 2**64}")
    if not 0 < channels < 2**16:
        raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
    data = _as_integers(audio).tobytes()
    frame_bytes = channels * _SAMPLE_BYTES
    form = struct.pack("<HHIIHH", _PCM, channels, rate, rate * frame_bytes % 2**32, frame_bytes % 2**16, _BITS)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    contents = np.empty((), object)
    contents[()] = b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks
    return contents


def _as_integers(audio: Any) -> Any:
    """Rounds samples, halves away from 0; a sample that is not a number becomes 0."""
    scaled = np.nan_to_num(audio * np.float32(_SCALE), nan=0.0)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    return np.clip(rounded, -_SCALE, _SCALE - 1).astype("<i2")
