"""Opens a checkpoint and gives its values to the objects below a root.

Tests: tests/checkpoint/test_restore.py
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.checkpoint.load_status import CheckpointLoadStatus, LoadStatus, NameBasedSaverStatus
from millrace._src.checkpoint.name_based import NameBasedRestoration
from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.restore import Restoration
from millrace._src.checkpoint.supplementary_graph import SUPPLEMENT_KEY, merge_supplement
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.core.context import eager_mode
from millrace._src.core.errors import DataLossError
from millrace._src.graph.message_bytes import read_message
from millrace._src.ops.io import gfile
from millrace._src.proto import trackable_object_graph_pb2
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY, TrackableReference


def load(prefix: str, root: object, attached: Sequence[TrackableReference], options: CheckpointOptions) -> LoadStatus:
    """Restores a checkpoint, and returns what became of it.

    Args:
      prefix: what the names of the files begin with.
      root: the object that the first saved object belongs to.
      attached: further children of the root, within checkpoints.
      options: the options of the call.

    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if the checkpoint is damaged.
      ValueError: if a saved value has another shape than its variable.
    """
    reader = ValueReader(prefix)
    if OBJECT_GRAPH_PROTO_KEY not in reader:
        names = NameBasedRestoration(reader, root, attached, options)
        names.restore()
        return NameBasedSaverStatus(names)
    proto = saved_objects(reader)
    count = len(proto.nodes)
    if SUPPLEMENT_KEY in reader:
        merge_supplement(proto, _objects_message(reader, SUPPLEMENT_KEY))
        _require_numbers_in_range(proto, reader.prefix)
    restoration = Restoration(reader, proto, root, attached, options, count)
    restoration.restore()
    return CheckpointLoadStatus(restoration)


def checkpoint_of_saved_model(path: str) -> str:
    """Returns the checkpoint of the variables if a path is the folder of a SavedModel, else the path itself."""
    if any(gfile.exists(gfile.join(path, name)) for name in MODEL_FILES):
        return str(gfile.join(path, *CHECKPOINT_OF_MODEL))
    return path


MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt")
"""The files of which one makes a folder a SavedModel."""
CHECKPOINT_OF_MODEL = ("variables", "variables")
"""The folder and the name of the checkpoint in a SavedModel."""


def saved_objects(reader: ValueReader) -> trackable_object_graph_pb2.TrackableObjectGraph:
    """Returns the message of the saved objects.

    Raises: DataLossError: if it is damaged.
    """
    proto = _objects_message(reader, OBJECT_GRAPH_PROTO_KEY)
    _require_numbers_in_range(proto, reader.prefix)
    return proto


def _objects_message(reader: ValueReader, key: str) -> trackable_object_graph_pb2.TrackableObjectGraph:
    with eager_mode():
        content = reader.bytes(key)
    source = f"The objects of the checkpoint {reader.prefix}"
    return read_message(trackable_object_graph_pb2.TrackableObjectGraph, content, source)


def _require_numbers_in_range(proto: trackable_object_graph_pb2.TrackableObjectGraph, prefix: str) -> None:
    count = len(proto.nodes)
    numbers = [0]
    for node in proto.nodes:
        numbers.extend(child.node_id for child in node.children)
        for slot in node.slot_variables:
            numbers += (slot.original_variable_node_id, slot.slot_variable_node_id)
    if not 0 <= min(numbers) <= max(numbers) < count:
        raise DataLossError(None, None, f"The objects of the checkpoint {prefix} refer to objects that are not there.")
