"""`tf.summary.image` and `tf.summary.audio`: some pictures, or sounds, at a step.

A picture is written as PNG, a sound as WAV, so that a browser shows and plays them.

Tests: tests/oracle/programs/summary_values.py, tests/oracle/programs/v1_summary.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.control_flow.map_fn import map_fn
from millrace._src.core.dtypes import string, uint8
from millrace._src.ops.array.concat import concat, stack
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.tiling import tile
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.audio.wav_files import encode_wav
from millrace._src.ops.debug.static_checks import assert_rank
from millrace._src.ops.debug.value_assertions import assert_non_negative
from millrace._src.ops.image.encoding import encode_png
from millrace._src.ops.image.image_dtypes import convert_image_dtype
from millrace._src.ops.strings.numbers import as_string
from millrace._src.summary.plugins import AUDIO, IMAGES, metadata_of
from millrace._src.summary.recording import summary_scope
from millrace._src.summary.writing import write
from millrace._src.util.export import export

_WAV = "wav"


@export("summary.image", v1=[])
def image(name: Any, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None) -> Any:
    """Writes pictures, which TensorBoard shows.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     tf.summary.image("noise", tf.random.uniform([2, 8, 8, 3])).numpy()
    np.True_

    Args:
      name: the name of the summary; its tag is the name below the name scope in force.
      data: pictures `[count, height, width, channels]`, with 1 (gray), 2 (and opacity), 3 (red, green, blue) or 4 (and
        opacity) channels: floating point from 0 to 1, or integers up to the largest of their dtype.
      step: the step, as in `tf.summary.scalar`.
      max_outputs: how many pictures are written at most.
      description: what the pictures show, in Markdown.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises:
      ValueError: if `data` has another rank, or there is no step.
      tf.errors.InvalidArgumentError: for another number of channels, or a negative `max_outputs`.
    """
    with summary_scope(name, "image_summary", values=[data, max_outputs, step]) as (tag, _):
        return write(tag, lambda: _encode_images(data, max_outputs), step, metadata_of(IMAGES, description))


def _encode_images(data: Any, most: Any) -> Any:
    """Returns the width and height of pictures as text, and each picture as a PNG file."""
    assert_rank(data, 4)
    assert_non_negative(most)
    pictures = convert_image_dtype(data, uint8, saturate=True)
    files = encode_png(pictures[:most])
    dims = shape_of(pictures)
    sizes = stack([as_string(dims[2], name="width"), as_string(dims[1], name="height")], name="dimensions")
    return concat([sizes, files], axis=0)


@export("summary.audio", v1=[])
def audio(
    name: Any,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes sounds, which TensorBoard plays.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     tf.summary.audio("tone", tf.sin(tf.range(800.0) * 0.35)[None, :, None], sample_rate=8000).numpy()
    np.True_

    Args:
      name: the name of the summary; its tag is the name below the name scope in force.
      data: sounds `[count, samples, channels]` of float32, from -1 to 1.
      sample_rate: samples each second, an int32 scalar.
      step: the step, as in `tf.summary.scalar`.
      max_outputs: how many sounds are written at most.
      encoding: "wav"; None for a format that TensorBoard plays, which is the same.
      description: what is to be heard, in Markdown.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises:
      ValueError: if `data` has another rank, for another encoding, or if there is no step.
      tf.errors.InvalidArgumentError: for a negative `max_outputs`, or a rate that is not positive.
    """
    if encoding not in (None, _WAV):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    with summary_scope(name, "audio_summary", values=[data, sample_rate, max_outputs, step]) as (tag, _):
        encode = lambda: _encode_sounds(data, sample_rate, max_outputs)  # noqa: E731  # a name for a value
        return write(tag, encode, step, metadata_of(AUDIO, description))


def _encode_sounds(data: Any, sample_rate: Any, most: Any) -> Any:
    """Returns a row for each sound: the sound as a WAV file, and no text beside it."""
    assert_rank(data, 3)
    assert_non_negative(most)
    sounds = data[:most]
    files = map_fn(
        lambda sound: encode_wav(sound, sample_rate), sounds, fn_output_signature=string, name="encode_each_audio"
    )
    files = cond(shape_of(sounds)[0] > 0, lambda: files, lambda: constant([], string))
    texts = tile([""], shape_of(files))
    return transpose(stack([files, texts]))
