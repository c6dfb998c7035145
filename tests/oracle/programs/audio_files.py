"""tf.audio: WAV files."""

from __future__ import annotations

import struct

from tests.oracle.support import attempt


def _audio(np):
    return np.sin(np.arange(24) * 1.3).reshape(12, 2).astype("float32")


def _wav(kind=1, channels=1, rate=8000, bits=16, data=b"\0\1\2\3", extra=b"", before=b"", behind=b"", size=None, speed=None, length=None):
    size = channels * bits // 8 if size is None else size
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * size if speed is None else speed, size, bits) + extra
    body = before + b"fmt " + struct.pack("<I", len(form)) + form + behind + b"data" + struct.pack("<I", len(data) if length is None else length) + data
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


def prog_encode(tf, np):
    """Bytes of files, rounding and clipping."""
    x = np.array([[0.5, 1.5, -0.5, -1.5, 1e9, -1e9, np.inf, -np.inf]], np.float32).T / 32768
    return [tf.audio.encode_wav(_audio(np), 44100), tf.audio.encode_wav(x, 1), tf.audio.encode_wav([[1.0], [-1.0], [2.0], [-2.0], [0.3], [np.nan]], 8000), tf.audio.encode_wav(_audio(np)[:0], 8000), tf.audio.encode_wav([[1], [0]], 8000)]


def prog_encode_errors(tf, np):
    """Shapes, rates, channels."""
    f, x = tf.audio.encode_wav, _audio(np)
    return [attempt(lambda: f(x[0], 8000), words=4), attempt(lambda: f(x, [8000]), words=7), attempt(lambda: f(x, 0), words=9), attempt(lambda: f(x, -5), words=9), attempt(lambda: f(x[:, :0], 1), words=9), attempt(lambda: f(np.zeros((1, 70000), np.float32), 1), words=9), attempt(lambda: f(tf.constant([[1.0]], tf.float64), 1), words=8)]


def prog_decode(tf, np):
    """All samples; some; more."""
    contents = tf.audio.encode_wav(_audio(np), 8000)
    return [tuple(tf.audio.decode_wav(contents, c, n)) for c in (-1, 0, 1, 2, 4) for n in (-1, 0, 5, 20)]


def prog_decode_every_value(tf, np):
    """All 65536 samples."""
    audio, rate = tf.audio.decode_wav(_wav(data=np.arange(-32768, 32768).astype("<i2").tobytes()))
    return [tf.reduce_sum(audio), audio[0], audio[-1], audio[40000], rate, tf.audio.encode_wav(audio, 8000).numpy()[44:] == np.arange(-32768, 32768).astype("<i2").tobytes()]


def prog_decode_result(tf, np):
    """A named tuple."""
    result = tf.audio.decode_wav(_wav())
    return [type(result).__name__, result._fields, result.audio, result.sample_rate]


def prog_decode_other_chunks(tf, np):
    """Chunks that are skipped."""
    chunk = b"LIST" + struct.pack("<I", 5) + b"abcde"
    return [tuple(tf.audio.decode_wav(w)) for w in (_wav(extra=b"\0\0"), _wav(behind=chunk), _wav() + chunk, _wav(rate=0), _wav(channels=2), _wav(data=b""))]


def prog_decode_errors(tf, np):
    """What is no file."""
    chunk = b"LIST" + struct.pack("<I", 5) + b"abcde"
    bad = [b"", b"junkjunkjunk", _wav().replace(b"WAVE", b"WAVX"), _wav(before=chunk), _wav(extra=b"\0" * 4), _wav(kind=3), _wav(channels=0), _wav(bits=24), _wav(size=3), _wav(speed=1), _wav()[:36], _wav(length=100), _wav(length=2**32 - 1), _wav() + b"data" + struct.pack("<I", 0), _wav() + b"xyz", _wav(length=3), _wav(behind=chunk + b"\0")]
    return [attempt(lambda w=w: tf.audio.decode_wav(w), words=7) for w in bad]


def prog_decode_arguments(tf, np):
    """Sizes below -1, shapes."""
    f = tf.audio.decode_wav
    return [attempt(lambda: f(_wav(), -2), words=7), attempt(lambda: f(_wav(), -1, -3), words=7), attempt(lambda: f([_wav()]), words=6)]


def prog_decode_shapes(tf, np):
    """What a trace knows."""
    out = []
    for options in ({}, {"desired_channels": 1}, {"desired_samples": 4}, {"desired_channels": 2, "desired_samples": 5}):
        traced = tf.function(lambda c, options=options: tf.audio.decode_wav(c, **options), autograph=False)
        out.append([str(o.shape) for o in traced.get_concrete_function(tf.TensorSpec([], tf.string)).outputs])
    return out


def prog_in_a_dataset(tf, np):
    """Files decoded by a dataset."""
    files = tf.data.Dataset.from_tensor_slices([_wav(), _wav(data=b"\5\6")])
    return list(files.map(lambda c: tf.audio.decode_wav(c, desired_samples=2).audio))
