"""`Dataset.snapshot`: elements that the first whole pass writes into a folder, and later passes, of any program, read.

The folder has a part for each pipeline, named by the fingerprint of the pipeline: a changed pipeline finds nothing and
writes anew. Elements are numbered before they are written, so that the number may say which shard an element goes to.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.element_files import validate_compression
from millrace._src.data.nodes import DATASET, DatasetNode, PassContext, UnaryNode, node_of
from millrace._src.data.parallelism import CYCLE_LENGTH
from millrace._src.data.saved_folders import RunWriter, read_metadata, shard_files
from millrace._src.data.serialized_graphs import fingerprint_of
from millrace._src.data.shard_datasets import ElementFilesNode, apply_reader, trace_reader
from millrace._src.data.traced_functions import AppliedFunction, BoundFunction, TracedFunction, arguments_of
from millrace._src.data.transforms.save_load import check_shard_function
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


@dataclass(eq=False, repr=False)
class SnapshotNode(UnaryNode):
    """The elements of the source, from files once a pass has written them all.

    Attributes:
      original: the source as the program made it, by whose fingerprint the files are found.
      known_hash: a number to be used instead of the fingerprint; None for none.
    """

    original: DatasetNode
    path: str
    compression: str
    reader: BoundFunction
    sharding: BoundFunction
    known_hash: int | None

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    def folder(self) -> str:
        """Returns the name of the folder for this pipeline."""
        number = fingerprint_of(self.original) if self.known_hash is None else self.known_hash
        return os.path.join(self.path, str(number % (1 << 64)))

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the files, or over the source."""
        return SnapshotCursor(self, context)


class SnapshotCursor(Cursor):
    """Reads the files of a finished run; writes a new run where there is none."""

    __slots__ = ("_cursor", "_node", "_context", "_run_id", "_writer")

    def __init__(self, node: SnapshotNode, context: PassContext) -> None:
        self._node, self._context = node, context
        self._cursor: Cursor | None = None  # over the source while this pass does not read
        self._run_id = ""  # of the files that this pass reads
        self._writer: RunWriter | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the files or the source."""
        if self._cursor is None:
            self._begin()
        assert self._cursor is not None
        if self._writer is None:
            return self._cursor.next_block(limit)
        block = self._cursor.next_block(limit)
        if block is None:
            self._writer.finish()
            self._writer = None
            return None
        shards = AppliedFunction(self._node.sharding, _OneBlock(block)).next_blocks(block.count)
        assert shards is not None
        self._writer.write(block, shards[1].columns[0])
        return block

    def _begin(self) -> None:
        folder = self._node.folder()
        metadata = read_metadata(folder)
        if metadata is not None and metadata.finalized:
            self._read_files(metadata.run_id)
            return
        self._cursor = self._node.source.cursor(self._context)
        self._writer = RunWriter(
            folder, self._node.dtypes, validate_compression(self._node.compression), os.path.basename(folder)
        )

    def _read_files(self, run_id: str) -> None:
        node = self._node
        types, shapes, kind = node.dtypes, node.shapes, validate_compression(node.compression)
        files = shard_files(node.folder(), run_id)
        shards = [ElementFilesNode(types, shapes, paths, kind) for paths in files]
        self._run_id = run_id
        self._cursor = apply_reader(node.reader, shards).cursor(self._context)

    def save(self) -> State:
        """Returns which files this pass reads, and the position in these or in the source."""
        return self._run_id, None if self._cursor is None else self._cursor.save()

    def restore(self, state: State) -> None:
        """Goes on from a state; a pass that wrote goes on without writing, since it lacks the first elements."""
        run_id, position = state
        if position is None:
            return
        if run_id:
            self._read_files(run_id)
        else:
            self._cursor = self._node.source.cursor(self._context)
        assert self._cursor is not None
        self._cursor.restore(position)

    def close(self) -> None:
        """Closes the files and the source; a run that is not finished is not read."""
        if self._writer is not None:
            self._writer.close()
        if self._cursor is not None:
            self._cursor.close()


class _OneBlock(Cursor):
    """Gives one block, to which a function is applied."""

    __slots__ = ("_block",)

    def __init__(self, block: Block) -> None:
        self._block = block

    def next_block(self, limit: int) -> Block | None:
        """Returns the block."""
        return self._block

    def save(self) -> State:
        """Returns nothing: the cursor lives for one call."""
        return None

    def restore(self, state: State) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


@op(
    "SnapshotDatasetV2",
    "input_dataset: variant, path: string, reader_func_other_args: Treader_func_args, "
    "shard_func_other_args: Tshard_func_args -> handle: variant",
    Treader_func_args=TypeList(ANY),
    Tshard_func_args=TypeList(ANY),
    capabilities=Capability.READS_FILES | Capability.WRITES_FILES,
    **DATASET,
)
def snapshot_dataset(
    xp: Xp,
    input_dataset: Array,
    path: Array,
    reader_func_other_args: list[Array],
    shard_func_other_args: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reader_func: FunctionAttr,
    shard_func: FunctionAttr,
    compression: str = "",
    reader_prefix: str = "",
    writer_prefix: str = "",
    hash_valid: bool = False,
    hash: int = 0,  # TensorFlow's name of the attribute
    metadata: str = "",
) -> Any:
    """Makes a dataset of the elements of another one, which the first whole pass writes into a folder."""
    source = node_of(input_dataset)
    sharding = BoundFunction(shard_func, shard_func_other_args)
    check_shard_function(sharding)
    return SnapshotNode(
        tuple(output_types),
        tuple(output_shapes),
        source,
        source,
        path.item().decode(),
        compression,
        BoundFunction(reader_func, reader_func_other_args),
        sharding,
        hash if hash_valid else None,
    )


def snapshot(
    self: DatasetBase,
    path: object,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Writes the elements into a folder in the first whole pass, and reads them from there in the next ones.

    Other programs with the same pipeline read the folder too. A pipeline that has changed writes anew.

    >>> import tempfile
    >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * x).snapshot(tempfile.mkdtemp())
    >>> list(dataset.as_numpy_iterator()), list(dataset.as_numpy_iterator())
    ([np.int64(0), np.int64(1), np.int64(4)], [np.int64(0), np.int64(1), np.int64(4)])

    Args:
      path: the name of the folder.
      compression: "GZIP" or "ZLIB"; "AUTO" and None mean none.
      reader_func: takes the dataset of the shards, each a dataset, and returns the dataset of the elements; by default,
        shards are read in turn.
      shard_func: takes the components of an element and returns the number of the shard to which the element goes, a
        scalar of int64; elements are dealt out to shards by default.
      name: a name for the dataset.

    Returns: A Dataset of the same elements.
    Raises: tf.errors.InvalidArgumentError: if `shard_func` returns something else.
    """
    numbered: Any = _number_elements(self)
    sharding = TracedFunction(_shard_of(shard_func), arguments_of(numbered.element_spec), "Dataset.snapshot()")
    reader = trace_reader(reader_func, numbered.element_spec, "Dataset.snapshot()")
    kept = apply_op(
        "_SnapshotDataset",
        snapshot_dataset,
        [
            numbered,
            convert_to_tensor(file_name(path), dtype=string, name="path"),
            reader.captures,
            sharding.captures,
        ],
        numbered.element_spec,
        inputs=[numbered],
        functions=[reader, sharding],
        name=name,
        reader_func=reader.graph_function,
        shard_func=sharding.graph_function,
        compression=compression or "",
    )
    return kept.map(lambda number, element: element)


def _number_elements(dataset: Any) -> Any:
    return dataset.enumerate()


def _shard_of(shard_func: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns the function from a number and an element to the number of a shard."""
    if shard_func is None:
        return lambda number, element: number % convert_to_tensor(CYCLE_LENGTH, dtype=int64)
    return lambda number, element: shard_func(*arguments_of(element))


@export("data.experimental.snapshot")
def snapshot_transformation(
    path: object,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Callable[[Any], Any]:
    """Returns a transformation that writes elements into a folder; `Dataset.snapshot` does the same.

    >>> import tempfile
    >>> dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(tempfile.mkdtemp()))
    >>> list(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      path: the name of the folder.
      compression: "GZIP" or "ZLIB"; "AUTO" and None mean none.
      reader_func: takes the dataset of the shards and returns the dataset of the elements.
      shard_func: takes an element and returns the number of its shard.

    Returns: A function for `Dataset.apply`.
    Raises: as `Dataset.snapshot`.
    """
    return lambda dataset: snapshot(dataset, path, compression, reader_func, shard_func)
