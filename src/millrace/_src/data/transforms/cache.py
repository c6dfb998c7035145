"""`Dataset.cache`: elements that are made in the first pass and kept for the next ones, in memory or in files.

A pass fills the cache when it comes to the end of the elements, or has seen as many as the source says that it has: a
training loop that knows the number of steps never asks for more. A pass that ends before discards what it has seen. In
memory, passes at the same time each go through the source, and the first to see all fills the cache. In files, a lock
file marks the pass that writes; another pass that would write is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import in_plain_graph
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, string
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cache_files import CacheFiles
from millrace._src.data.caches import MemoryCache, dummy_memory_cache
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of
from millrace._src.util.logger import get_logger

_WARNING = (
    "The calling iterator did not fully read the dataset being cached. In order to avoid unexpected truncation of the "
    "dataset, the partially cached contents of the dataset  will be discarded. This can happen if you have an input "
    "pipeline similar to `dataset.cache().take(k).repeat()`. You should use `dataset.take(k).cache().repeat()` instead."
)


@dataclass(eq=False, repr=False)
class CacheNode(UnaryNode):
    """The elements of the source, kept from the first whole pass on.

    Attributes:
      file_name: the beginning of the names of the files; empty for a cache in memory.
      memory: the cache in memory.
    """

    file_name: str
    memory: MemoryCache = field(default_factory=MemoryCache)

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    @property
    def reads_ahead(self) -> bool:
        """Whether the cache is full, or the source may be read ahead."""
        return self.memory.blocks is not None or self.source.reads_ahead

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the cache, or over the source."""
        if self.file_name:
            return FileCacheCursor(self, context)
        return MemoryCacheCursor(self, context)


class MemoryCacheCursor(Cursor):
    """Hands on the elements of the source and remembers them, or reads the cache."""

    __slots__ = ("_cache", "_left", "_node", "_position", "_context", "_seen", "_source")

    def __init__(self, node: CacheNode, context: PassContext) -> None:
        self._node, self._cache, self._context = node, node.memory, context
        self._left = node.cardinality()  # elements to come; negative where unknown
        self._seen: list[Block] = []  # what the cache holds when this pass fills it
        self._position = (0, 0)  # of the next element in a full cache: the block, and the element there
        self._source: Cursor | None = None
        if self._cache.blocks is None:
            self._source = node.source.cursor(context)
        else:
            self._seen = list(self._cache.blocks)

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the cache or the source."""
        if self._source is None:
            return self._next_of_cache(limit)
        block = self._source.next_block(limit)
        if block is not None:
            self._seen.append(block)
            self._left -= block.count
            if self._left == 0:
                self._fill()
            return block
        self._fill()
        self._close_source()
        self._position = (len(self._seen), 0)
        return None

    def _fill(self) -> None:
        self._cache.complete([join_blocks(self._seen)] if self._seen else [])

    def _next_of_cache(self, limit: int) -> Block | None:
        index, start = self._position
        if index >= len(self._seen):
            return None
        block = self._seen[index]
        stop = min(start + limit, block.count)
        self._position = (index, stop) if stop < block.count else (index + 1, 0)
        return block.part(start, stop)

    def save(self) -> State:
        """Returns the elements that this pass has seen, and the state of the source; or those of the cache."""
        seen = [block.save() for block in self._seen]
        return seen, self._position, None if self._source is None else self._source.save()

    def restore(self, state: State) -> None:
        """Goes on from a state, which brings a full cache along."""
        seen, self._position, source = state
        self._seen = [Block.from_state(block) for block in seen]
        self._left = self._node.cardinality() - sum(block.count for block in self._seen)
        if source is None:
            self._cache.complete(self._seen)
            self._close_source()
            return
        if self._source is None:
            self._source = self._node.source.cursor(self._context)
        self._source.restore(source)
        if self._left == 0:
            self._fill()

    def _close_source(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None

    def close(self) -> None:
        """Closes the source."""
        if self._source is not None and self._seen and self._cache.blocks is None:
            get_logger().warning(_WARNING)
        self._close_source()


class FileCacheCursor(Cursor):
    """Hands on the elements of the source and writes them to files, or reads the files."""

    __slots__ = ("_files", "_has_ended", "_left", "_node", "_reader", "_context", "_source")

    def __init__(self, node: CacheNode, context: PassContext) -> None:
        self._node, self._context = node, context
        self._left = 0  # elements to write; negative where unknown
        self._files = CacheFiles(node.file_name, node.dtypes, node.shapes)
        self._source: Cursor | None = None  # while this pass writes
        self._reader: Cursor | None = None  # while this pass reads
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the files or the source."""
        if self._has_ended:
            return None
        if self._source is None and self._reader is None:
            self._begin()
        if self._reader is not None:
            return self._reader.next_block(limit)
        assert self._source is not None
        block = self._source.next_block(limit)
        if self._files.is_writing:
            self._write(block)
        if block is None:
            self._source.close()
            self._source, self._has_ended = None, True
        return block

    def _write(self, block: Block | None) -> None:
        """Writes a block of the source; None means the end."""
        if block is not None:
            self._files.write(block)
            self._left -= block.count
        if block is None or self._left == 0:
            self._files.finish()

    def _begin(self) -> None:
        """Opens the files, if there are any; else becomes the pass that writes."""
        if self._files.exist():
            self._reader = self._files.reader()
            return
        self._begin_writing()

    def _begin_writing(self, written: Sequence[Block] = ()) -> None:
        self._files.begin()
        self._left = self._node.cardinality()
        self._source = self._node.source.cursor(self._context)
        for block in written:
            self._write(block)

    def save(self) -> State:
        """Returns the position in the files; or what has been written, and the state of the source."""
        position = None if self._reader is None else self._reader.save()
        written = None if self._source is None else (self._files.list_written_elements(), self._source.save())
        return self._has_ended, position, written

    def restore(self, state: State) -> None:
        """Goes on from a state; what the pass that gave it had written is written again."""
        self._has_ended, position, written = state
        if position is not None:
            self._reader = self._files.reader()
            self._reader.restore(position)
        if written is not None:
            self._begin_writing([Block.from_state(block) for block in written[0]])
            assert self._source is not None
            self._source.restore(written[1])

    def close(self) -> None:
        """Closes the files and the source; discards what has not been finished."""
        if self._source is not None:
            if self._files.is_writing:
                get_logger().warning(_WARNING)
                self._files.discard()
            self._source.close()
            self._source = None
        if self._reader is not None:
            self._reader.close()


def _of_files(c: ShapeContext) -> Capability:
    """Says that the cache is in files, unless the graph itself says that the files have no name."""
    name = c.value("filename")
    is_in_memory = name is not None and name.tolist() == b""
    return Capability.NOTHING if is_in_memory else Capability.READS_FILES | Capability.WRITES_FILES


@op("CacheDataset", "input_dataset: variant, filename: string -> handle: variant", capabilities=_of_files, **DATASET)
def cache_dataset(
    xp: Xp,
    input_dataset: Array,
    filename: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset that keeps the elements of its first whole pass."""
    source = node_of(input_dataset)
    return CacheNode(tuple(output_types), tuple(output_shapes), source, filename.item().decode())


@op(
    "CacheDatasetV2",
    "input_dataset: variant, filename: string, cache: resource -> handle: variant",
    capabilities=_of_files,
    **{**DATASET, "effects": Effects.RANDOM},
)
def cache_dataset_v2(
    xp: Xp,
    input_dataset: Array,
    filename: Array,
    cache: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset that keeps the elements of its first whole pass in a cache."""
    given = resource_of(cache)
    memory = given if isinstance(given, MemoryCache) else MemoryCache()
    types, shapes = tuple(output_types), tuple(output_shapes)
    return CacheNode(types, shapes, node_of(input_dataset), filename.item().decode(), memory)


def cache(self: DatasetBase, filename: Any = "", name: str | None = None) -> Any:
    """Keeps the elements of the first whole pass for the next passes.

    >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * x).cache()
    >>> list(dataset.as_numpy_iterator()), list(dataset.as_numpy_iterator())
    ([np.int64(0), np.int64(1), np.int64(4)], [np.int64(0), np.int64(1), np.int64(4)])

    Elements that a pass has seen which did not come to the end are discarded. Files are in Millrace's own format; they
    outlive the program, and are read whatever the dataset before them has become.

    Args:
      filename: the beginning of the names of the files, a scalar of string; elements stay in memory without one.
      name: a name for the dataset.

    Returns: A Dataset of the same elements.
    Raises: tf.errors.AlreadyExistsError: while iterating, if another pass is writing the same files.
    """
    arguments = [self, convert_to_tensor(filename, dtype=string, name="filename")]
    if in_plain_graph():
        return apply_op("CacheDataset", cache_dataset, arguments, self.element_spec, inputs=[self], name=name)
    arguments.append(dummy_memory_cache())
    return apply_op("CacheDataset", cache_dataset_v2, arguments, self.element_spec, inputs=[self], name=name)
