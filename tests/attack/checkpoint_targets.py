"""Checkpoints: the table of the index, the entries in it, and the data."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.checkpoint.bundle.index_file import key_text
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.table_format import FOOTER_SIZE
from millrace._src.checkpoint.bundle.table_reader import TableBlock
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.ops.io.wire_format import read_varint
from millrace._src.proto import saved_tensor_slice_pb2, tensor_bundle_pb2
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from millrace._src.util.crc32c import masked_crc32c
from tests.attack.mutations import change_a_byte, damaged, damaged_message, flip_a_bit, insert_an_absurd_number
from tests.attack.target import Files, Target, WrongAnswer, put, read_back
from tests.checkpoint.bundle.tables import stored, table

_REFUSALS = (tf.errors.DataLossError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError)


def _bundles(folder: Path) -> Sequence[Files]:
    specimens = []
    for number, shards in enumerate((1, 2)):
        path = folder / str(number)
        path.mkdir(parents=True)
        with BundleWriter(str(path / "c"), shards) as writer:
            writer.add("layer/kernel", np.arange(24.0, dtype=np.float32).reshape(4, 6))
            writer.add("layer/bias", np.zeros(6, np.float16), shard=shards - 1)
            writer.add("layer/kernel/.OPTIMIZER_SLOT/m", np.ones((4, 6), np.float64))
            writer.add("names", np.array([b"", b"a", b"long text" * 9], object), shard=shards - 1)
            writer.add("step", np.int64(7))
            writer.add("empty", np.zeros((0, 3), np.int8))
            writer.add("flag", np.array(True))
            for start in (0, 3):
                part = TensorSlice((start, 0), (3, -1))
                writer.add_slice("parted", (6, 2), part, np.full((3, 2), start, np.int32), shard=shards - 1)
            for index in range(30):
                writer.add(f"many/{index:02}", np.float32(index))
        specimens.append(read_back(path))
    return specimens


def _read_bundle(folder: Path) -> Any:
    """All values that can be read, by name."""
    values: dict[str, Any] = {}
    with BundleReader(f"{folder}/c") as reader:
        for entry in reader.entries():
            try:
                array = reader.read(entry.key)
            except _REFUSALS:
                continue
            content = array.tolist() if array.dtype == object else array.tobytes()
            values[key_text(entry.key)] = array.dtype, array.shape, content
    return values


def _no_other_values(whole: Any, read: Any) -> None:
    for key, value in read.items():
        if whole.get(key) != value:
            raise WrongAnswer(f"{key} was read as {value}")


# --- damages behind the checksums --------------------------------------------------------------------------------


def _blocks(data: bytes) -> list[tuple[int, int]]:
    """Offset and size of each block of a table: the index block, and the blocks to which it leads."""
    footer, at, numbers = data[-FOOTER_SIZE:], 0, []
    for _ in range(4):
        number, at = read_varint(footer, at, FOOTER_SIZE)
        numbers.append(number)
    index = numbers[2], numbers[3]
    handles = [value for _, value in TableBlock(_content(data, index)).entries()]
    return [index, *((read_varint(h, 0, len(h))[0], read_varint(h, *_after_first(h))[0]) for h in handles)]


def _after_first(handle: bytes) -> tuple[int, int]:
    return read_varint(handle, 0, len(handle))[1], len(handle)


def _content(data: bytes, extent: tuple[int, int]) -> bytes:
    return data[extent[0] : sum(extent)]


def damaged_block(data: bytes, rng: random.Random) -> bytes:
    """A table with damage within one block, the checksum of which is right."""
    offset, size = rng.choice(_blocks(data))
    block = data[offset : offset + size]
    for _ in range(rng.choice((1, 2, 3))):
        block = rng.choice((flip_a_bit, change_a_byte, insert_an_absurd_number))(block, rng)
    compression = data[offset + size] if rng.random() < 0.8 else rng.choice((0, 1, 2, 255))
    whole = stored(block[:size].ljust(size, b"\0"), compression)
    return data[:offset] + whole + data[offset + len(whole) :]


def damaged_entries(data: bytes, rng: random.Random) -> bytes:
    """A table of which some entries are changed, exchanged, left out or there twice."""
    _, *extents = _blocks(data)
    entries = [entry for extent in extents for entry in TableBlock(_content(data, extent)).entries()]
    for _ in range(rng.choice((1, 1, 2, 4))):
        index = rng.randrange(len(entries)) if rng.random() < 0.9 else 0
        key, value = entries[index]
        kind = rng.randrange(6)
        if kind < 3:
            message = tensor_bundle_pb2.BundleEntryProto if key else tensor_bundle_pb2.BundleHeaderProto
            entries[index] = key, damaged_message(value, message, rng)
        elif kind == 3:
            entries[index] = key, entries[rng.randrange(len(entries))][1]
        elif kind == 4:
            entries[index] = damaged(key, rng), value
        else:
            entries[index : index + 1] = rng.choice(([], [(key, value)] * 2))
        if not entries:
            break
    if rng.random() < 0.8:
        entries = sorted(dict(entries).items())
    compression = 1 if rng.random() < 0.1 else 0
    return table(entries, compression=compression)


def damaged_values(files: Files, rng: random.Random) -> Files:
    """A checkpoint of damaged data whose checksums, for each tensor, are right."""
    name = rng.choice([name for name in sorted(files) if ".data-" in name])
    data = damaged(files[name], rng)
    shard = int(name.partition(".data-")[2][:5])
    _, *extents = _blocks(files["c.index"])
    entries = []
    for key, value in (e for extent in extents for e in TableBlock(_content(files["c.index"], extent)).entries()):
        entry = tensor_bundle_pb2.BundleEntryProto.FromString(value)
        if key and entry.shard_id == shard:
            entry.crc32c = masked_crc32c(data[entry.offset : entry.offset + entry.size])
            value = entry.SerializeToString()
        entries.append((key, value))
    return {**files, name: data, "c.index": table(entries)}


BUNDLES = Target(
    "checkpoints",
    _bundles,
    {".index": (damaged, damaged_block, damaged_entries, damaged_entries), "": (damaged,)},
    _read_bundle,
    _no_other_values,
    whole_damages=(damaged_values,),
)

# --- checkpoints of the first form -------------------------------------------------------------------------------


def _single_files(folder: Path) -> Sequence[Files]:
    names = ["bias", "names", "part", "step"]
    data = [np.ones(3, np.float16), np.array([b"a", b""], object), np.zeros((2, 3), np.int32), np.int64(7)]
    tf.raw_ops.Save(filename=f"{folder}/c", tensor_names=names, data=data)
    whole = read_back(folder)
    slices = ["3 0,3", "2 0,2", "4 3 0,2:0,3", ""]
    tf.raw_ops.SaveSlices(filename=f"{folder}/c", tensor_names=names, shapes_and_slices=slices, data=data)
    return [whole, read_back(folder)]


def damaged_slices(data: bytes, rng: random.Random) -> bytes:
    """A file some entries of which say something else; their checksums are right."""
    _, *extents = _blocks(data)
    entries = [entry for extent in extents for entry in TableBlock(_content(data, extent)).entries()]
    for _ in range(rng.choice((1, 1, 2))):
        index = rng.randrange(len(entries)) if rng.random() < 0.7 else 0
        key, value = entries[index]
        entries[index] = key, damaged_message(value, saved_tensor_slice_pb2.SavedTensorSlices, rng)
    return table(entries)


def _read_with_reader(folder: Path) -> Any:
    reader = tf.train.load_checkpoint(f"{folder}/c")
    values = {}
    for name, _ in tf.train.list_variables(f"{folder}/c"):
        try:
            array = reader.get_tensor(name)
        except _REFUSALS:
            continue
        values[name] = repr(array)
    return values


SINGLE_FILES = Target(
    "checkpoints in one file",
    _single_files,
    {"": (damaged, damaged_block, damaged_slices, damaged_slices)},
    _read_with_reader,
    _no_other_values,
    refusals=(tf.errors.InternalError,),  # TensorFlow's for shapes that contradict each other
)


# --- objects -----------------------------------------------------------------------------------------------------


class _Optimizer(tf.Module):
    """An object with slot variables, as optimizers have them."""

    @tf.__internal__.tracking.no_automatic_dependency_tracking
    def __init__(self) -> None:
        super().__init__()
        self._slots: dict[Any, Any] = {}

    def get_slot_names(self) -> list[str]:
        return ["m"]

    def get_slot(self, variable: Any, name: str) -> Any:
        return self._slots.get((variable.ref(), name))

    def add_slot(self, variable: Any, name: str, initializer: Any = None) -> Any:
        value = tf.zeros(variable.shape) if initializer is None else initializer
        return self._slots.setdefault((variable.ref(), name), tf.Variable(value))

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        slot = self.get_slot(variable, slot_name)
        slot = self.add_slot(variable, slot_name) if slot is None else slot
        slot_variable_position.restore(slot)


def _root(value: float) -> Any:
    model = tf.Module()
    model.layers = [tf.Module(), tf.Module()]
    model.table = {"a": tf.Variable([value, value]), "b": [tf.Variable(np.int64(3)), 7]}
    for layer in model.layers:
        layer.kernel = tf.Variable(tf.fill([2, 3], value))
    model.layers[0].twin = model.layers[1]
    model.layers[1].back = model
    return model, _Optimizer()


def _checkpoints_of_objects(folder: Path) -> Sequence[Files]:
    model, optimizer = _root(2.0)
    optimizer.add_slot(model.layers[0].kernel, "m", tf.ones([2, 3]))
    tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.Variable(4)).write(f"{folder}/c")
    return [read_back(folder)]


def damaged_objects(files: Files, rng: random.Random) -> Files:
    """A checkpoint whose object graph is another one, written with the right checksums."""
    with tempfile.TemporaryDirectory() as name:
        folder = put(files, Path(name))
        with BundleReader(f"{folder}/c") as reader:
            values = {entry.key: reader.read(entry.key) for entry in reader.entries()}
        graph = values[_OBJECTS].item()
        values[_OBJECTS] = np.array(damaged_message(graph, TrackableObjectGraph, rng), object)
        with BundleWriter(f"{folder}/c") as writer:
            for key, value in values.items():
                writer.add(key, value)
        return {**files, **read_back(folder)}


_OBJECTS = b"_CHECKPOINTABLE_OBJECT_GRAPH"


def _restore(folder: Path) -> Any:
    model, optimizer = _root(0.0)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.Variable(0))
    status = checkpoint.read(f"{folder}/c")
    with contextlib.suppress(AssertionError):
        status.assert_existing_objects_matched()
    with contextlib.suppress(AssertionError):
        status.assert_consumed()
    str(status)
    later = tf.Variable(tf.zeros([2]))
    checkpoint.later = later  # restored when it appears
    return [v.numpy().tolist() for v in (*model.variables, *optimizer.variables)]


OBJECTS = Target(
    "checkpoints of objects",
    _checkpoints_of_objects,
    {".index": (damaged_entries,), "": (damaged,)},
    _restore,
    whole_damages=(damaged_objects,),
    whole_share=0.9,
)


# --- the file that says which checkpoint is the newest -----------------------------------------------------------


def _states(folder: Path) -> Sequence[Files]:
    text = 'model_checkpoint_path: "c-2"\nall_model_checkpoint_paths: "c-1"\nall_model_checkpoint_paths: "c-2"\n'
    times = "all_model_checkpoint_timestamps: 1.5\nall_model_checkpoint_timestamps: 2.5\nlast_preserved_timestamp: 1\n"
    return [{"checkpoint": (text + times).encode(), "c-2.index": b"", "c-2.data-00000-of-00001": b""}]


def _read_state(folder: Path) -> Any:
    return tf.train.latest_checkpoint(str(folder)), tf.train.get_checkpoint_state(str(folder))


STATES = Target(
    "states of checkpoints", _states, {"checkpoint": (damaged,), "": (lambda data, rng: data,)}, _read_state
)

TARGETS = (BUNDLES, SINGLE_FILES, OBJECTS, STATES)
