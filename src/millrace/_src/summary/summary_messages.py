"""Values of v1 summaries: scalars, histograms, images and sounds as messages that TensorBoard shows by their kind.

The ops that return summaries and those that write summaries to a file make the same messages here.

Tests: tests/summary/test_value_ops.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.ops.audio.wav_files import encode_wav
from millrace._src.ops.image import png_files
from millrace._src.proto import summary_pb2
from millrace._src.summary.number_buckets import histogram_of
from millrace._src.util.text import shape_brackets

Summary: Any = summary_pb2.Summary
BAD_COLOR = np.array([255, 0, 0, 255], np.uint8)
"""Red: the color of pixels that are not numbers."""
_COMPRESSION = -1
_SMALLEST_RANGE = 1e-6
_WAV = "audio/wav"


def invalid(message: str) -> errors.OpError:
    """Makes the error about a value that cannot be shown."""
    return errors.InvalidArgumentError(None, None, message)


def text_of(tag: bytes) -> str:
    """Returns a tag as text."""
    return tag.decode("utf-8", "replace")


def scalars(tags: Array, values: Array) -> Any:
    """Returns the summary of numbers, one for each tag."""
    if tags.shape != values.shape:
        shapes = f"{shape_brackets(tags.shape)} != {shape_brackets(values.shape)}"
        tag = f" (tag '{text_of(tags.item())}')" if tags.size == 1 else ""
        raise invalid(f"tags and values are not the same shape: {shapes}{tag}")
    numbers = values.reshape(-1).astype(np.float32).tolist()
    pairs = zip(tags.reshape(-1).tolist(), numbers, strict=True)
    return Summary(value=[Summary.Value(tag=text_of(tag), simple_value=number) for tag, number in pairs])


def histogram(tag: bytes, values: Array) -> Any:
    """Returns the summary of the histogram of some numbers."""
    name = text_of(tag)
    return Summary(value=[Summary.Value(tag=name, histo=histogram_of(values, name))])


def images(tag: bytes, tensor: Array, most: int, bad_color: Array) -> Any:
    """Returns the summary of the first images of a batch `[count, height, width, 1, 3 or 4]`."""
    if tensor.ndim != 4 or tensor.shape[-1] not in (1, 3, 4):
        raise invalid(f"Tensor must be 4-D with last dim 1, 3, or 4, not {shape_brackets(tensor.shape)}")
    _, height, width, depth = tensor.shape
    if bad_color.size < depth:
        raise invalid(f"expected depth <= bad_color.size, got depth = {depth}, bad_color.size = {bad_color.size}")
    shown = [image if image.dtype == np.uint8 else _pixels(image, bad_color[:depth]) for image in tensor[:most]]
    pictures = [
        Summary.Image(
            height=height,
            width=width,
            colorspace=depth,
            encoded_image_string=png_files.encode(image, _COMPRESSION),
        )
        for image in shown
    ]
    names = _names(tag, "image", len(pictures), most)
    return Summary(value=[Summary.Value(tag=name, image=image) for name, image in zip(names, pictures, strict=True)])


def _pixels(image: Array, bad_color: Array) -> Array:
    """Returns an image with its colors spread over 0 to 255; 0 stays black, or becomes gray where some are negative."""
    colors = image.astype(np.float32)
    is_good = np.isfinite(colors).all(axis=-1)
    good = colors[is_good]
    lowest, highest = (good.min(), good.max()) if good.size else (0.0, 0.0)
    if lowest < 0:
        largest, most, offset = max(abs(lowest), abs(highest)), 127.0, 128.0
    else:
        largest, most, offset = highest, 255.0, 0.0
    scale = np.float32(0 if largest < _SMALLEST_RANGE else most / largest)
    pixels = np.empty(image.shape, np.uint8)
    pixels[is_good] = (good * scale + np.float32(offset)).astype(np.uint8)
    pixels[~is_good] = bad_color
    return pixels


def sounds(tag: bytes, tensor: Array, sample_rate: float, most: int) -> Any:
    """Returns the summary of the first sounds of a batch `[count, frames, channels]`, or `[count, frames]`."""
    if sample_rate <= 0:
        raise invalid("sample_rate must be > 0")
    if tensor.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {shape_brackets(tensor.shape)}")
    batch = tensor.reshape(*tensor.shape[:2], -1 if tensor.ndim == 3 else 1)
    rate = np.array(sample_rate, np.int32)
    sounds_shown = [
        Summary.Audio(
            sample_rate=sample_rate,
            num_channels=sound.shape[1],
            length_frames=sound.shape[0],
            encoded_audio_string=encode_wav.op_def.kernel(np, sound, rate).item(),
            content_type=_WAV,
        )
        for sound in batch[:most]
    ]
    names = _names(tag, "audio", len(sounds_shown), most)
    pairs = zip(names, sounds_shown, strict=True)
    return Summary(value=[Summary.Value(tag=name, audio=sound) for name, sound in pairs])


def _names(tag: bytes, kind: str, count: int, most: int) -> Sequence[str]:
    """Returns the tags of several images or sounds, which are numbered unless there can be only one."""
    name = f"{text_of(tag)}/{kind}"
    return [name] * count if most == 1 else [f"{name}/{number}" for number in range(count)]
