"""What ops declare to reach, held against their signatures and against what their kernels do.

The evidence comes from Python itself: `sys.addaudithook` sees every file that is opened, listed or removed, and of
every connection and process.
"""

from __future__ import annotations

import functools
import operator
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2

import millrace as tf
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import all_op_names, get_op
from millrace._src.data.dataset_base import new_dataset
from tests.contracts.calls import call
from tests.contracts.sample import Sample, all_samples

OPS = all_op_names()

NAMES_OF_THE_WORLD = re.compile(
    r"file|path|(^|_)dir(ectory)?$|prefix|pattern|address|url|uri|host|(^|_)port$|protocol|stream|token|driver"
    r"|(^|_)source(_|$)|^string_handle$"
)

# What is named like something of the world, and is not: (op, input or attribute) -> why.
HARMLESS = {
    ("CTCBeamSearchDecoder", "top_paths"): "a number of sequences",
    ("MergeV2Checkpoints", "delete_old_dirs"): "a flag",
    ("RegexFullMatch", "pattern"): "a regular expression",
    ("RegexReplace", "pattern"): "a regular expression",
    ("ShardedFilename", "basename"): "a text that becomes part of a text",
    ("StaticRegexFullMatch", "pattern"): "a regular expression",
    ("StaticRegexReplace", "pattern"): "a regular expression",
    ("TensorSliceDataset", "is_files"): "says that the elements are names; reads none of them",
}


def declared(name: str) -> bool:
    return get_op(name).traits.capabilities is not Capability.NOTHING


@pytest.mark.parametrize("name", OPS)
def test_an_op_with_an_argument_named_like_a_file_or_an_address_declares_its_capabilities(name: str) -> None:
    op = get_op(name)
    arguments = [*op.signature.input_names, *op.attr_kinds]
    worldly = [a for a in arguments if NAMES_OF_THE_WORLD.search(a) and (name, a) not in HARMLESS]
    assert declared(name) or not worldly, f"{name} names {worldly}, and declares no capability"


@pytest.mark.parametrize("name", [name for name in OPS if declared(name)])
def test_file_inputs_are_inputs_of_texts_of_an_op_that_only_reads(name: str) -> None:
    op = get_op(name)
    if op.traits.file_inputs:
        assert op.traits.capabilities is Capability.READS_FILES
    for file_input in op.traits.file_inputs:
        (arg,) = [arg for arg in op.signature.inputs if arg.name == file_input]
        assert arg.dtype is tf.string and not arg.is_list


# --- what kernels do ---------------------------------------------------------------------------------------------


class Witness:
    """Notes what the process does to files, to the network and to other processes while somebody watches."""

    def __init__(self) -> None:
        self.deeds: list[tuple[Capability, str]] | None = None
        self.ignored = tuple(
            {*map(sysconfig.get_path, ("stdlib", "purelib", "platlib")), str(SOURCES), "/proc", "/sys"}
        )

    def note(self, capabilities: Capability, words: str) -> None:
        """Notes a deed, unless no watcher is there."""
        if self.deeds is not None:
            self.deeds.append((capabilities, words))

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if self.deeds is None:
            return
        capabilities = self._capabilities_of_open(args) if event == "open" else EVENTS.get(event.partition("/")[0])
        if capabilities is not None and not (args and str(args[0]).startswith(self.ignored)):
            self.deeds.append((capabilities, f"{event} {args[:2]!r}"))

    @staticmethod
    def _capabilities_of_open(args: tuple[Any, ...]) -> Capability | None:
        path, _, flags = args
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return Capability.WRITES_FILES
        return None if os.path.isdir(path) else Capability.READS_FILES  # who writes files waits for their folder

    @contextmanager
    def watching(self) -> Iterator[list[tuple[Capability, str]]]:
        self.deeds = deeds = []
        try:
            yield deeds
        finally:
            self.deeds = None


SOURCES = Path(tf.__file__).parent

EVENTS = {
    **dict.fromkeys(("os.listdir", "os.scandir", "glob.glob"), Capability.READS_FILES),
    **dict.fromkeys(("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate"), Capability.WRITES_FILES),
    **dict.fromkeys(("os.link", "os.symlink", "os.chmod", "shutil.rmtree", "shutil.move"), Capability.WRITES_FILES),
    "sqlite3.connect": Capability.READS_FILES | Capability.WRITES_FILES,
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request"), Capability.EVERYTHING),
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn"), Capability.EVERYTHING),
}

WITNESS = Witness()
sys.addaudithook(WITNESS)  # there is no way to take a hook away: it does nothing unless somebody watches


def test_the_witness_sees_files(tmp_path: Path) -> None:
    with WITNESS.watching() as deeds:
        (tmp_path / "f").write_text("x")
        os.listdir(tmp_path)
    assert [capabilities for capabilities, _ in deeds] == [Capability.WRITES_FILES, Capability.READS_FILES]


SAMPLES = list(all_samples())


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_sample_of_an_op_reaches_nothing_but_what_the_op_declares(sample: Sample) -> None:
    op = get_op(sample.op)
    call(sample)  # imports what the kernel needs
    with WITNESS.watching() as deeds:
        call(sample)
    declared_capabilities = declared_by(op)
    assert not [deed for deed in deeds if deed[0] not in declared_capabilities]


# --- every declaration has a cause -------------------------------------------------------------------------------

EMPTY = np.zeros(0, np.int64)
TABLE = {"header": False, "field_delim": ",", "use_quote_delim": True, "na_value": "", "select_cols": EMPTY}
SHAPES = {"output_types": [tf.string], "output_shapes": [[]]}


Act = Callable[[], Any]
"""What makes an op do what it declares, after everything was prepared."""


def pass_over(variant: Any) -> list[Any]:
    """All elements of a dataset of texts."""
    return list(new_dataset("_VariantDataset", variant, tf.TensorSpec([], tf.string)))


def reads_lines(folder: Path, op: str, **arguments: Any) -> Act:
    (folder / "f").write_text("ab\n")
    known = {"filenames": [f"{folder}/f"], "buffer_size": 0, "compression_type": ""}
    given = {name: value for name, value in known.items() if name in get_op(op).signature.input_names}
    return lambda: pass_over(getattr(tf.raw_ops, op)(**given, **arguments))


def reads_table(folder: Path, op: str, **arguments: Any) -> Act:
    defaults = [tf.constant([""])]
    return reads_lines(folder, op, **TABLE, record_defaults=defaults, output_shapes=[[]], **arguments)


def reads_bytes(folder: Path, op: str) -> Act:
    return reads_lines(folder, op, header_bytes=0, record_bytes=1, footer_bytes=0)


def reads_records(folder: Path, op: str, **arguments: Any) -> Act:
    with tf.io.TFRecordWriter(f"{folder}/f") as writer:
        writer.write(b"r")
    given = {"filenames": [f"{folder}/f"], "compression_type": "", "buffer_size": 0}
    return lambda: pass_over(getattr(tf.raw_ops, op)(**given, **arguments))


def reads_a_folder(folder: Path, op: str) -> Act:
    texts().save(f"{folder}/s", compression=None)
    (shard,) = Path(f"{folder}/s").rglob("*.shard")
    (chunk,) = shard.rglob("*.snapshot")
    where = {"chunk_file": str(chunk)} if op == "SnapshotChunkDataset" else {"shard_dir": str(shard), "start_index": 0}
    version = {} if op == "SnapshotChunkDataset" else {"version": 2}
    return lambda: pass_over(getattr(tf.raw_ops, op)(**where, **version, **SHAPES))


def loads(folder: Path, op: str) -> Act:
    texts().save(f"{folder}/s")
    return lambda: list(tf.data.Dataset.load(f"{folder}/s"))


def saves(folder: Path, op: str) -> Act:
    function = tf.function(lambda i, x: np.int64(0), autograph=False)
    shard = function.get_concrete_function(tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.string))
    given = {"input_dataset": texts()._variant_tensor, "path": f"{folder}/s", "shard_func_other_args": []}
    shapes = SHAPES if op == "SaveDatasetV2" else {}
    result = functools.partial(getattr(tf.raw_ops, op), **given, shard_func=shard, use_shard_func=False, **shapes)
    return lambda: pass_over(result()) if shapes else result()


def snapshots(folder: Path, op: str) -> Act:
    dataset = texts().snapshot(f"{folder}/s")
    return lambda: [list(dataset), list(dataset)]


def asks_database(folder: Path, op: str) -> Act:
    query = {"driver_name": "sqlite", "data_source_name": f"{folder}/d", "query": "SELECT 'a'"}
    return lambda: pass_over(getattr(tf.raw_ops, op)(**query, **SHAPES))


def texts() -> Any:
    return tf.data.Dataset.from_tensor_slices(["a", "b"])


def caches(folder: Path, op: str) -> Act:
    cache = {} if op == "CacheDataset" else {"cache": tf.raw_ops.DummyMemoryCache()}
    given = {"input_dataset": texts()._variant_tensor, "filename": f"{folder}/c", **cache, **SHAPES}
    variant = getattr(tf.raw_ops, op)(**given)
    return lambda: [pass_over(variant), pass_over(variant)]


def writes_records(folder: Path, op: str) -> Act:
    given = {"input_dataset": texts()._variant_tensor, "filename": f"{folder}/r", "compression_type": ""}
    return lambda: getattr(tf.raw_ops, op)(**given)


def reads_a_descriptor(folder: Path, op: str, **arguments: Any) -> Act:
    described = descriptor_pb2.FileDescriptorSet()
    file = described.file.add(name="f.proto", package="p")
    file.message_type.add(name="M").field.add(name="x", number=1, type=5, label=1)
    (folder / "f").write_bytes(described.SerializeToString())
    given = {"message_type": "p.M", "field_names": ["x"], "descriptor_source": f"{folder}/f"}
    return lambda: getattr(tf.raw_ops, op)(**given, **arguments)


def calls_python(function: Callable[..., Any]) -> Act:
    """Calls a function of Python from a graph."""

    def noted_call(x: Any) -> Any:
        WITNESS.note(Capability.RUNS_PYTHON, "call")
        return x

    traced = tf.function(lambda x: function(noted_call, [x], tf.string), autograph=False)
    return functools.partial(traced, tf.constant("a"))


def iterates_by_text(folder: Path, op: str) -> Act:
    def elements() -> Any:
        WITNESS.note(Capability.RUNS_PYTHON, "generator")
        yield "a"

    iterator = iter(tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([], tf.string)))
    text = tf.raw_ops.IteratorToStringHandle(resource_handle=iterator._iterator_resource)

    def act() -> Any:
        handle = getattr(tf.raw_ops, op)(string_handle=text, **SHAPES)
        assert iterator is not None  # the text names the iterator as long as somebody holds it
        return tf.raw_ops.IteratorGetNext(iterator=handle, **SHAPES)

    return act


def runs_a_graph(folder: Path, op: str) -> Act:
    (folder / "f").write_text("ab\n")

    def everything(x: Any) -> Any:
        tf.io.write_file(f"{folder}/g", x)
        return tf.numpy_function(lambda y: WITNESS.note(Capability.RUNS_PYTHON, "call") or y, [x], tf.string)

    dataset = tf.data.TextLineDataset(f"{folder}/f").map(everything)
    graph = dataset._as_serialized_graph(allow_stateful=True)
    return lambda: (dataset, pass_over(tf.raw_ops.DatasetFromGraph(graph_def=graph)))


def initializes_a_table(folder: Path, op: str) -> Act:
    (folder / "f").write_text("a\n")
    table = tf.raw_ops.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    facts = {"key_index": -2, "value_index": -1, "vocab_size": -1, "delimiter": "\t", "offset": 0}
    return lambda: getattr(tf.raw_ops, op)(table_handle=table, filename=f"{folder}/f", **facts)


def samples_words(folder: Path, op: str) -> Act:
    (folder / "f").write_text("a,1\nb,2\n")
    facts = {"num_true": 1, "num_sampled": 1, "unique": True, "range_max": 2, "vocab_file": f"{folder}/f"}
    return lambda: getattr(tf.raw_ops, op)(true_classes=np.array([[0]]), **facts)


def reads_a_file(folder: Path, op: str) -> Act:
    (folder / "f").write_text("a")
    return lambda: tf.io.read_file(f"{folder}/f")


def saves_a_tensor(folder: Path, op: str) -> Act:
    given = {"prefix": f"{folder}/x", "tensor_names": ["a"], "shape_and_slices": [""]}
    return lambda: tf.raw_ops.SaveV2(**given, tensors=[tf.constant(1.0)])


def saves_to_one_file(folder: Path, op: str) -> Act:
    slices = {"shapes_and_slices": [""]} if op == "SaveSlices" else {}
    given = {"filename": f"{folder}/x", "tensor_names": ["a"], "data": [tf.constant(1.0)], **slices}
    return lambda: getattr(tf.raw_ops, op)(**given)


def restores_from_one_file(folder: Path, op: str) -> Act:
    saves_to_one_file(folder, "Save")()
    part = {"shape_and_slice": ""} if op == "RestoreSlice" else {}
    given = {"file_pattern": f"{folder}/x", "tensor_name": "a", "dt": tf.float32, **part}
    return lambda: getattr(tf.raw_ops, op)(**given)


def restores_a_tensor(folder: Path, op: str) -> Act:
    saves_a_tensor(folder, op)()
    given = {"prefix": f"{folder}/x", "tensor_names": ["a"], "shape_and_slices": [""]}
    return lambda: tf.raw_ops.RestoreV2(**given, dtypes=[tf.float32])


def merges_checkpoints(folder: Path, op: str) -> Act:
    saves_a_tensor(folder, op)()
    given = {"checkpoint_prefixes": [f"{folder}/x"], "destination_prefix": f"{folder}/y"}
    return lambda: tf.raw_ops.MergeV2Checkpoints(**given)


def opens_an_event_file(folder: Path, op: str) -> Act:
    facts = {"logdir": str(folder / "logs"), "max_queue": 10, "flush_millis": 1000, "filename_suffix": ".v2"}
    writer = tf.raw_ops.SummaryWriter()
    return lambda: tf.raw_ops.CreateSummaryFileWriter(writer=writer, **facts)


def reads_from_a_queue(folder: Path, op: str) -> Act:
    (folder / "lines").write_text("a\nb\n")
    queue = tf.queue.FIFOQueue(1, [tf.string], shapes=[[]])
    queue.enqueue(str(folder / "lines"))
    handles = {"reader_handle": tf.raw_ops.TextLineReaderV2(), "queue_handle": queue.queue_ref}
    count = {"num_records": 2} if op == "ReaderReadUpToV2" else {}
    return lambda: getattr(tf.raw_ops, op)(**handles, **count)


EVIDENCE: dict[str, Callable[[Path, str], Act]] = {
    "CSVDataset": reads_table,
    "CSVDatasetV2": functools.partial(reads_table, exclude_cols=EMPTY),
    "CacheDataset": caches,
    "CacheDatasetV2": caches,
    "CreateSummaryFileWriter": opens_an_event_file,
    "DatasetFromGraph": runs_a_graph,
    "DatasetToTFRecord": writes_records,
    "DecodeProtoV2": functools.partial(reads_a_descriptor, bytes=[b""], output_types=[tf.int32]),
    "EagerPyFunc": lambda folder, op: calls_python(tf.py_function),
    "EncodeProto": functools.partial(
        reads_a_descriptor, sizes=np.array([[1]], np.int32), values=[np.array([[1]], np.int32)]
    ),
    "ExperimentalCSVDataset": reads_table,
    "ExperimentalDatasetToTFRecord": writes_records,
    "ExperimentalSqlDataset": asks_database,
    "FixedLengthRecordDataset": reads_bytes,
    "FixedLengthRecordDatasetV2": reads_bytes,
    "FixedUnigramCandidateSampler": samples_words,
    "InitializeTableFromTextFileV2": initializes_a_table,
    "IteratorFromStringHandle": iterates_by_text,
    "IteratorFromStringHandleV2": iterates_by_text,
    "LoadDataset": loads,
    "MatchingFiles": lambda folder, op: lambda: tf.io.matching_files(f"{folder}/*"),
    "MergeV2Checkpoints": merges_checkpoints,
    "PrintV2": lambda folder, op: lambda: tf.raw_ops.PrintV2(input="a", output_stream=f"file://{folder}/p"),
    "PyFunc": lambda folder, op: calls_python(tf.numpy_function),
    "PyFuncStateless": lambda folder, op: calls_python(functools.partial(tf.numpy_function, stateful=False)),
    "ReadFile": reads_a_file,
    "ReaderReadUpToV2": reads_from_a_queue,
    "ReaderReadV2": reads_from_a_queue,
    "Restore": restores_from_one_file,
    "RestoreSlice": restores_from_one_file,
    "RestoreV2": restores_a_tensor,
    "Save": saves_to_one_file,
    "SaveDataset": saves,
    "SaveDatasetV2": saves,
    "SaveSlices": saves_to_one_file,
    "SaveV2": saves_a_tensor,
    "SnapshotChunkDataset": reads_a_folder,
    "SnapshotDatasetReader": reads_a_folder,
    "SnapshotDatasetV2": snapshots,
    "SqlDataset": asks_database,
    "TFRecordDataset": reads_records,
    "TFRecordDatasetV2": functools.partial(reads_records, byte_offsets=EMPTY),
    "TextLineDataset": reads_lines,
    "WriteFile": lambda folder, op: lambda: tf.io.write_file(f"{folder}/w", "x"),
}
"""For each op with a capability, what prepares a folder and gives an act that makes the op do what it declares."""

ALL_THAT_ATTRIBUTES_DECIDE = {
    "CacheDataset": Capability.READS_FILES | Capability.WRITES_FILES,
    "CacheDatasetV2": Capability.READS_FILES | Capability.WRITES_FILES,
    "DecodeProtoV2": Capability.READS_FILES,
    "EncodeProto": Capability.READS_FILES,
    "FixedUnigramCandidateSampler": Capability.READS_FILES,
    "PrintV2": Capability.WRITES_FILES,
}


def declared_by(op: OpDef) -> Capability:
    capabilities = op.traits.capabilities
    return capabilities if isinstance(capabilities, Capability) else ALL_THAT_ATTRIBUTES_DECIDE[op.name]


def test_every_capability_has_its_evidence() -> None:
    assert set(EVIDENCE) == {name for name in OPS if declared(name)}


@pytest.mark.parametrize("name", sorted(EVIDENCE))
def test_an_op_does_what_it_declares_and_no_more(name: str, tmp_path: Path) -> None:
    for folder in ("first", "second"):  # the first time imports what the kernel needs
        (tmp_path / folder).mkdir()
        act = EVIDENCE[name](tmp_path / folder, name)
        with WITNESS.watching() as deeds:
            act()
    declared_capabilities = declared_by(get_op(name))
    if Capability.WRITES_FILES in declared_capabilities:  # a writer removes what a dead process left in the folder
        deeds = [deed for deed in deeds if not deed[1].startswith("os.listdir")]
    seen = functools.reduce(operator.or_, [capabilities for capabilities, _ in deeds], Capability.NOTHING)
    assert seen is declared_capabilities, deeds
