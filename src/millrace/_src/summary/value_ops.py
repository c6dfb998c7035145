"""The ops that return v1 summaries as strings, for a `FileWriter` to add to a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import DecodeError

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.type_sets import ANY
from millrace._src.summary import summary_messages as v
from millrace._src.summary.event_encoding import tensor_summary
from millrace._src.summary.writer_ops import normalize_metadata

REALS = (float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64)
COLORS = (uint8, float32, float16, float64)

_RETURNS: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "not_differentiable": "a summary is not a number",
    "not_batched": "the summary of a batch is one string",
}


@op("ScalarSummary", "tags: string, values: T -> summary: string", T=TypeSet(REALS), **_RETURNS)
def scalar_summary(xp: Xp, tags: Array, values: Array) -> bytes:
    """Returns the summary of numbers, one for each tag."""
    return _serialize(v.scalars(tags, values))


@op("HistogramSummary", "tag: string, values: T -> summary: string", T=TypeSet(REALS, default=float32), **_RETURNS)
def histogram_summary(xp: Xp, tag: Array, values: Array) -> bytes:
    """Returns the summary of the histogram of numbers."""
    return _serialize(v.histogram(_single(tag, "tags must be scalar"), values))


@op("ImageSummary", "tag: string, tensor: T -> summary: string", T=TypeSet(COLORS, default=float32), **_RETURNS)
def image_summary(xp: Xp, tag: Array, tensor: Array, *, max_images: int = 3, bad_color: Array = v.BAD_COLOR) -> bytes:
    """Returns the summary of the first images of a batch."""
    return _serialize(v.images(_single(tag, "Tags must be a scalar"), tensor, max_images, bad_color.reshape(-1)))


@op("AudioSummaryV2", "tag: string, tensor: float32, sample_rate: float32 -> summary: string", **_RETURNS)
def audio_summary(xp: Xp, tag: Array, tensor: Array, sample_rate: Array, *, max_outputs: int = 3) -> bytes:
    """Returns the summary of the first sounds of a batch."""
    name = _single(tag, "Tag must be a scalar")
    return _serialize(v.sounds(name, tensor, _single(sample_rate, "sample_rate must be a scalar"), max_outputs))


@op(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
    T=ANY,
    **_RETURNS,
)
def tensor_summary_op(xp: Xp, tag: Array, tensor: Array, serialized_summary_metadata: Array, *, T: DType) -> bytes:
    """Returns the summary of a tensor."""
    metadata = _single(serialized_summary_metadata, "serialized_summary_metadata must be a scalar")
    return tensor_summary(_single(tag, "tag must be a scalar"), tensor, T, normalize_metadata(metadata) or b"")


@op("MergeSummary", "inputs: N * string -> summary: string", **_RETURNS)
def merge_summary(xp: Xp, inputs: Sequence[Array]) -> bytes:
    """Returns the values of several summaries as one summary.

    Raises: InvalidArgumentError: if an input is not a summary, or a tag comes twice.
    """
    merged = v.Summary()
    tags: set[str] = set()
    for serialized in [item for array in inputs for item in array.reshape(-1).tolist()]:
        try:
            summary = v.Summary.FromString(serialized)
        except DecodeError:
            raise v.invalid("Could not parse one of the summary inputs") from None
        for value in summary.value:
            if value.tag and value.tag in tags:
                raise v.invalid(f"Duplicate tag {value.tag} found in summary inputs")
            tags.add(value.tag)
            merged.value.append(value)
    return _serialize(merged)


def _single(array: Array, complaint: str) -> Any:
    if array.size != 1:
        raise v.invalid(complaint)
    return array.item()


def _serialize(summary: Any) -> bytes:
    return bytes(summary.SerializeToString())
