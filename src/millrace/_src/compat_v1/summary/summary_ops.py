"""`tf.compat.v1.summary.scalar` and its neighbours: ops that return summaries as strings.

Where TensorFlow 2 runs and a writer of TensorFlow 2 is in force with a step, the summary goes to that writer at once,
as `tf.summary` would write it; the string is then empty.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.train.global_step import get_global_step
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.proto import summary_pb2
from millrace._src.summary import histograms, media, scalars, value_ops
from millrace._src.summary.plugins import TEXT
from millrace._src.summary.recording import recording, tag_of
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_ILLEGAL = re.compile(r"[^-/\w.]")
_NO_STEP = (
    "global step not set. To set step for summary writer, use `tf.summary.SummaryWriter.as_default(step=_)`, "
    "`tf.summary.experimental.set_step()` or `tf.compat.v1.train.create_global_step()`."
)


def _clean(name: Any) -> Any:
    """Returns a name in which `_` replaces what a name of an operation may not have; logs changes."""
    if name is None:
        return None
    cleaned = _ILLEGAL.sub("_", name).lstrip("/")
    if cleaned != name:
        get_logger().info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextlib.contextmanager
def _scope(name: Any, family: Any = None) -> Iterator[tuple[str, str | None]]:
    """Enters the scope of a summary; yields its tag and the name of the scope, which is that of its operation."""
    name, family = _clean(name), _clean(family)
    scope_base = name if family is None else f"{family}/{name}"
    if scope_base is None:
        raise ValueError(f"At least one of name ({name}) and default_name (None) must be provided.")
    outer = tag_of("")
    with context.name_scope(scope_base) as scope:
        tag = scope.rstrip("/") if context.state.graph is not None else f"{outer}{scope_base}"
        yield (tag if family is None else f"{family}/{tag}"), scope or None


def _collect(summary: object, collections: Any) -> Any:
    """Adds a summary to collections of the graph: to the summaries if none are named."""
    if context.state.graph is not None:
        for key in [GraphKeys.SUMMARIES] if collections is None else collections:
            context.state.graph.add_to_collection(key, summary)
    return summary


def _goes_to_the_writer_in_force() -> bool:
    """Returns whether summaries go to a writer of TensorFlow 2; warns where only the writer or the step is missing."""
    if context.outermost_context() is not None:
        return False
    reason = None
    if recording.writer is None:
        reason = "default summary writer not found."
    elif _step() is None:
        reason = _NO_STEP
    if reason is None:
        return True
    warnings.warn(f"Cannot activate TF2 compatibility support for TF1 summary ops: {reason}", stacklevel=4)
    return False


def _step() -> Any:
    """Returns the step of summaries: the one that was set, or else the global step of version 1."""
    return get_global_step(get_default_graph()) if recording.step is None else recording.step


def _write(
    write: Callable[..., Any], name: object, *arguments: object, family: object = None, **options: object
) -> Any:
    """Writes a summary by a function of `tf.summary`, whatever scope is in force; returns an empty string."""
    with _scope(name, family) as (tag, _), context.name_scope(None):
        write(tag, *arguments, step=_step(), **options)
    return convert_to_tensor(b"", string)


@export(v1=["summary.scalar"])
def scalar(name: object, tensor: TensorLike, collections: object = None, family: object = None) -> Any:
    """Returns the summary of a number.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.scalar("loss", tf.constant(0.5)))
    >>> tf.compat.v1.Summary.FromString(text).value[0].simple_value
    0.5

    Args:
      name: the name of the operation, which is the tag.
      tensor: a real scalar.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.
      family: a name that stands before the tag, by which TensorBoard groups tags.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    """
    if _goes_to_the_writer_in_force():
        return _write(scalars.scalar, name, tensor, family=family)
    with _scope(name, family) as (tag, scope):
        summary = value_ops.scalar_summary(tag, tensor, name=scope)
    return _collect(summary, collections)


@export(v1=["summary.histogram"])
def histogram(name: object, values: TensorLike, collections: object = None, family: object = None) -> Any:
    """Returns the summary of how numbers are distributed.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.histogram("weights", [1.0, 2.0, 2.0]))
    >>> tf.compat.v1.Summary.FromString(text).value[0].histo.num
    3.0

    Args:
      name: the name of the operation, which is the tag.
      values: real numbers, of any shape.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.
      family: a name that stands before the tag, by which TensorBoard groups tags.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    Raises: tf.errors.InvalidArgumentError: if a number is infinite or no number.
    """
    if _goes_to_the_writer_in_force():
        return _write(histograms.histogram, name, values, family=family)
    with _scope(name, family) as (tag, scope):
        summary = value_ops.histogram_summary(tag, values, name=scope)
    return _collect(summary, collections)


@export(v1=["summary.image"])
def image(
    name: object,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: object = None,
    family: object = None,
) -> Any:
    """Returns the summary of pictures.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.image("noise", tf.random.uniform([2, 4, 4, 3]), max_outputs=1))
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(text).value]
    ['noise/image']

    Args:
      name: the name of the operation, with which tags begin.
      tensor: pictures `[count, height, width, channels]` with 1, 3 or 4 channels: uint8, or floating point, whose
        numbers are spread over 0 to 255.
      max_outputs: how many pictures are shown at most.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.
      family: a name that stands before the tag, by which TensorBoard groups tags.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    Raises: tf.errors.InvalidArgumentError: for another shape.
    """
    if _goes_to_the_writer_in_force():
        return _write(media.image, name, tensor, family=family, max_outputs=max_outputs)
    if max_outputs < 1:
        raise ValueError(f"Attr 'max_images' of 'ImageSummary' Op passed {max_outputs} less than minimum 1.")
    with _scope(name, family) as (tag, scope):
        summary = value_ops.image_summary(tag, tensor, max_images=max_outputs, name=scope)
    return _collect(summary, collections)


@export(v1=["summary.audio"])
def audio(
    name: object,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: object = None,
    family: object = None,
) -> Any:
    """Returns the summary of sounds.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.audio("tone", tf.zeros([1, 100, 1]), sample_rate=8000))
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(text).value]
    ['tone/audio/0']

    Args:
      name: the name of the operation, with which tags begin.
      tensor: sounds `[count, frames, channels]` or `[count, frames]` of float32, from -1 to 1.
      sample_rate: frames each second, a float32 scalar.
      max_outputs: how many sounds are played at most.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.
      family: a name that stands before the tag, by which TensorBoard groups tags.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    Raises: tf.errors.InvalidArgumentError: for another shape, or a rate that is not positive.
    """
    if _goes_to_the_writer_in_force():
        return _write(media.audio, name, convert_to_tensor(tensor), sample_rate, family=family, max_outputs=max_outputs)
    if max_outputs < 1:
        raise ValueError(f"Attr 'max_outputs' of 'AudioSummaryV2' Op passed {max_outputs} less than minimum 1.")
    with _scope(name, family) as (tag, scope):
        rate = convert_to_tensor(sample_rate, "float32", name="sample_rate")
        summary = value_ops.audio_summary(tag, tensor, rate, max_outputs=max_outputs, name=scope)
    return _collect(summary, collections)


@export(v1=["summary.text"])
def text(name: Any, tensor: Any, collections: Any = None) -> Any:
    """Returns the summary of texts in Markdown.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.text("settings", tf.constant("the *learning rate* is 0.1")))
    >>> tf.compat.v1.Summary.FromString(text).value[0].metadata.plugin_data.plugin_name
    'text'

    Args:
      name: the name of the operation, which is the tag.
      tensor: a string Tensor of any shape.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    Raises: ValueError: if the tensor is not text.
    """
    if tensor.dtype != string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    if _goes_to_the_writer_in_force():
        return _write(scalars.text, name, tensor)
    data = summary_pb2.SummaryMetadata.PluginData(plugin_name=TEXT)
    metadata = summary_pb2.SummaryMetadata(plugin_data=data)
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


@export(v1=["summary.tensor_summary"])
def tensor_summary(
    name: object,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: object = None,
    summary_metadata: Any = None,
    family: object = None,
    display_name: str | None = None,
) -> Any:
    """Returns the summary of a tensor of any dtype and shape.

    >>> text = tf.compat.v1.summary.tensor_summary("weights", [1.0, 2.0])
    >>> tf.make_ndarray(tf.compat.v1.Summary.FromString(text.numpy()).value[0].tensor)
    array([1., 2.], dtype=float32)

    Args:
      name: the name of the operation, which is the tag.
      tensor: the tensor.
      summary_description: what the tensor is about, in Markdown.
      collections: the collections of the graph that get the summary; [GraphKeys.SUMMARIES] for None.
      summary_metadata: a `SummaryMetadata`, which says what plugin shows the tensor.
      family: a name that stands before the tag, by which TensorBoard groups tags.
      display_name: the name that TensorBoard shows.

    Returns: A serialized `tf.compat.v1.Summary`, a string scalar.
    """
    metadata = summary_pb2.SummaryMetadata()
    if summary_metadata is not None:  # perhaps of TensorBoard's own class
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with _scope(name, family) as (tag, scope):
        serialized = metadata.SerializeToString()
        summary = value_ops.tensor_summary_op(tag, tensor, serialized, name=scope)
    return _collect(summary, collections)
