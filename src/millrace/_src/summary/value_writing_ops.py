"""The ops that write v1 summaries to the file of a writer: a scalar, a histogram, images, sounds.

Tests: tests/summary/test_writer_ops.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import bool as boolean
from millrace._src.core.dtypes import float32
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.summary import summary_messages as v
from millrace._src.summary.event_encoding import SUMMARY
from millrace._src.summary.value_ops import COLORS, REALS
from millrace._src.summary.writer_ops import WRITES, check_scalar, writer_of


@op(
    "WriteScalarSummary",
    "writer: resource, step: int64, tag: string, value: T ->",
    T=TypeSet(REALS),
    **WRITES,
)
def write_scalar_summary(xp: Xp, writer: Array, step: Array, tag: Array, value: Array) -> None:
    """Adds a number."""
    check_scalar(value, "value")
    _add(writer, step, tag, v.scalars(tag, value))


@op(
    "WriteHistogramSummary",
    "writer: resource, step: int64, tag: string, values: T ->",
    T=TypeSet((*REALS, boolean), default=float32),
    **WRITES,
)
def write_histogram_summary(xp: Xp, writer: Array, step: Array, tag: Array, values: Array) -> None:
    """Adds the histogram of numbers."""
    _add(writer, step, tag, v.histogram(tag.item(), values))


@op(
    "WriteImageSummary",
    "writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8 ->",
    T=TypeSet(COLORS, default=float32),
    **WRITES,
)
def write_image_summary(
    xp: Xp, writer: Array, step: Array, tag: Array, tensor: Array, bad_color: Array, *, max_images: int = 3
) -> None:
    """Adds the first images of a batch."""
    _add(writer, step, tag, v.images(tag.item(), tensor, max_images, bad_color.reshape(-1)))


@op(
    "WriteAudioSummary",
    "writer: resource, step: int64, tag: string, tensor: float32, sample_rate: float32 ->",
    **WRITES,
)
def write_audio_summary(
    xp: Xp, writer: Array, step: Array, tag: Array, tensor: Array, sample_rate: Array, *, max_outputs: int = 3
) -> None:
    """Adds the first sounds of a batch."""
    check_scalar(sample_rate, "sample_rate")
    _add(writer, step, tag, v.sounds(tag.item(), tensor, float(sample_rate), max_outputs))


def _add(writer: Array, step: Array, tag: Array, summary: Any) -> None:
    check_scalar(step, "step")
    check_scalar(tag, "tag")
    writer_of(writer).file.add_event(int(step), SUMMARY, summary.SerializeToString())
