"""The ops on summary writers: making and opening one, adding events, flushing, closing.

A writer is a resource. It exists at once, but has a file only after `CreateSummaryFileWriter`: in a graph the file is
made when a session runs that op.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import DecodeError

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, string
from millrace._src.core.handle_types import ObjectHandle, Referent
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.kept_objects import keep_by_node
from millrace._src.ops.shape_rules import no_outputs, scalar
from millrace._src.ops.type_sets import ANY
from millrace._src.proto import event_pb2, graph_pb2, summary_pb2
from millrace._src.summary.event_encoding import GRAPH_DEF, SUMMARY, content, event, surroundings, tensor_summary
from millrace._src.summary.event_file import EventFile, numbered_name
from millrace._src.util.text import shape_brackets

_MAX_FRAMES = 4096
"""How many tags a writer remembers the encoding of."""
_TYPE_NAME = "N10tensorflow22SummaryWriterInterfaceE"


class SummaryResource(Referent):
    """What the handle of a summary writer refers to.

    Args: name: the name of the resource in errors.
    """

    __slots__ = ("__weakref__", "_file", "_frames", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._file: EventFile | None = None
        self._frames: dict[Any, tuple[bytes, bytes]] = {}

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of the handle."""
        return ObjectHandle("summary writer")

    def open(self, make_file: Callable[[], EventFile]) -> None:
        """Opens a file, unless one is open."""
        if self._file is None:
            file = make_file()
            file.open()
            self._file = file

    @property
    def file(self) -> EventFile:
        """The file that is open.

        Raises: NotFoundError: if no file was opened, or the file was closed.
        """
        if self._file is None:
            message = f"Resource localhost/{self._name}/{_TYPE_NAME} does not exist."
            raise errors.NotFoundError(None, None, message)
        return self._file

    def write_numbers(self, tag: bytes, array: Array, dtype: DType, step: int, metadata: bytes) -> None:
        """Adds the summary of a numeric tensor, whose surroundings are encoded once for all steps."""
        file = self.file
        key = tag, dtype.enum, array.shape, metadata
        frame = self._frames.get(key)
        if frame is None:
            frame = surroundings(tag, dtype, array.shape, normalize_metadata(metadata), array.nbytes)
            if len(self._frames) >= _MAX_FRAMES:
                self._frames.clear()
            self._frames[key] = frame
        now = file.now()
        file.add(event(now, step, SUMMARY, frame[0] + content(array) + frame[1]), now)

    def close(self) -> None:
        """Writes what waits and closes the file; the resource can be opened again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def destroy(self) -> None:
        """Closes the file."""
        self.close()


def writer_of(handle: Array) -> SummaryResource:
    """Returns the writer behind a resource handle.

    Raises: InvalidArgumentError: if the handle refers to something else.
    """
    writer = resource_of(handle)
    if isinstance(writer, SummaryResource):
        return writer
    raise errors.InvalidArgumentError(
        None,
        None,
        "Trying to access a handle's resource using the wrong type. The handle points to a "
        f"{type(writer).__name__} but you are trying to access the resource as a summary writer.",
    )


@functools.lru_cache(maxsize=256)
def normalize_metadata(serialized: bytes) -> bytes | None:
    """Returns serialized metadata as events hold it: nothing for nothing, and empty metadata for what is damaged."""
    if not serialized:
        return None
    try:
        return summary_pb2.SummaryMetadata.FromString(serialized).SerializeToString()
    except DecodeError:
        return b""


# --- making, opening, closing ----------------------------------------------------------------------------------------

_shared_writers: weakref.WeakValueDictionary[tuple[str, str], SummaryResource] = weakref.WeakValueDictionary()
_shared_lock = threading.Lock()

_ON_WRITER: dict[str, Any] = {
    "shape": no_outputs,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "not_differentiable": "it has no outputs",
    "not_batched": "rows would come in no particular order",
}


@keep_by_node
@op(
    "SummaryWriter",
    "-> writer: resource",
    shape=scalar,
    handles=lambda c: ObjectHandle("summary writer"),
    host_only=True,
    refused_when_compiled=True,
    makes_shared_object=True,
    effects=Effects.RANDOM,
    cacheable=False,
    not_differentiable="a writer is not a number",
    not_batched="it has no operands that could differ",
)
def summary_writer(xp: Xp, *, shared_name: str = "", container: str = "") -> Any:
    """Makes a writer, which has no file yet."""
    if not shared_name:
        return SummaryResource("SummaryWriter")
    with _shared_lock:
        made = SummaryResource(shared_name)
        return _shared_writers.setdefault((container, shared_name), made)


def _scalar_inputs(*names: str) -> Callable[[ShapeContext], Sequence[TensorShape]]:
    """Makes a rule that refuses inputs of these names that are not scalars."""

    def rule(c: ShapeContext) -> Sequence[TensorShape]:
        for name in names:
            shape = c.shape(name)
            if shape.rank not in (0, None):
                raise ValueError(f"Shape must be rank 0 but is rank {shape.rank}")
        return ()

    return rule


@op(
    "CreateSummaryFileWriter",
    "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string ->",
    capabilities=Capability.WRITES_FILES,
    **_ON_WRITER,
)
def create_summary_file_writer(
    xp: Xp, writer: Array, logdir: Array, max_queue: Array, flush_millis: Array, filename_suffix: Array
) -> None:
    """Opens a new event file in a folder, unless the writer has a file."""
    inputs = {
        "logdir": logdir,
        "max_queue": max_queue,
        "flush_millis": flush_millis,
        "filename_suffix": filename_suffix,
    }
    for name, array in inputs.items():
        if array.ndim:
            raise errors.InvalidArgumentError(None, None, f"{name} must be a scalar")
    folder, suffix = file_name(logdir.item()), file_name(filename_suffix.item())
    suffix = suffix if suffix.startswith(".") else f".{suffix}"
    most, patience = int(max_queue), int(flush_millis)
    writer_of(writer).open(lambda: EventFile(folder, numbered_name, suffix, most, patience))


@op("FlushSummaryWriter", "writer: resource ->", **_ON_WRITER)
def flush_summary_writer(xp: Xp, writer: Array) -> None:
    """Writes the events that wait."""
    writer_of(writer).file.flush()


@op("CloseSummaryWriter", "writer: resource ->", **_ON_WRITER)
def close_summary_writer(xp: Xp, writer: Array) -> None:
    """Writes the events that wait and closes the file."""
    writer_of(writer).close()


# --- events ----------------------------------------------------------------------------------------------------------


def check_scalar(array: Array, name: str) -> None:
    """Refuses a tensor that is not a scalar."""
    if array.ndim:
        message = f"{name} must be a scalar, but has the shape {shape_brackets(array.shape)}."
        raise errors.InvalidArgumentError(None, None, message)


WRITES: dict[str, Any] = {**_ON_WRITER, "shape": _scalar_inputs("step")}


@op(
    "WriteSummary",
    "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string ->",
    T=ANY,
    **WRITES,
)
def write_summary(
    xp: Xp, writer: Array, step: Array, tensor: Array, tag: Array, summary_metadata: Array, *, T: DType
) -> None:
    """Adds the summary of a tensor."""
    for array, name in ((step, "step"), (tag, "tag"), (summary_metadata, "summary_metadata")):
        check_scalar(array, name)
    if T is string:
        metadata = normalize_metadata(summary_metadata.item())
        summary = tensor_summary(tag.item(), tensor, T, metadata)
        writer_of(writer).file.add_event(int(step), SUMMARY, summary)
    else:
        writer_of(writer).write_numbers(tag.item(), tensor, T, int(step), summary_metadata.item())


@op("WriteRawProtoSummary", "writer: resource, step: int64, tensor: string ->", **WRITES)
def write_raw_proto_summary(xp: Xp, writer: Array, step: Array, tensor: Array) -> None:
    """Adds the values of serialized summaries as one event."""
    check_scalar(step, "step")
    summary = summary_pb2.Summary()
    for index, serialized in enumerate(tensor.reshape(-1).tolist()):
        try:
            summary.value.extend(summary_pb2.Summary.FromString(serialized).value)
        except DecodeError:
            message = f"Bad tf.compat.v1.Summary binary proto tensor string at index {index}"
            raise errors.DataLossError(None, None, message) from None
    writer_of(writer).file.add_event(int(step), SUMMARY, summary.SerializeToString())


@op("WriteGraphSummary", "writer: resource, step: int64, tensor: string ->", **WRITES)
def write_graph_summary(xp: Xp, writer: Array, step: Array, tensor: Array) -> None:
    """Adds an event that holds a serialized graph."""
    for array, name in ((step, "step"), (tensor, "tensor")):
        check_scalar(array, name)
    try:
        graph_pb2.GraphDef.FromString(tensor.item())
    except DecodeError:
        raise errors.DataLossError(None, None, "Bad tf.GraphDef binary proto tensor string") from None
    writer_of(writer).file.add_event(int(step), GRAPH_DEF, tensor.item())


@op("ImportEvent", "writer: resource, event: string ->", **{**_ON_WRITER, "shape": _scalar_inputs("event")})
def import_event(xp: Xp, writer: Array, event: Array) -> None:
    """Adds a serialized event as it is."""
    check_scalar(event, "event")
    file = writer_of(writer).file
    try:
        event_pb2.Event.FromString(event.item())
    except DecodeError:
        raise errors.DataLossError(None, None, "Bad tf.Event binary proto tensor string") from None
    file.add(event.item(), file.now())
