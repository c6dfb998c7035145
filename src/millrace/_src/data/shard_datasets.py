"""The shards of a saved dataset as datasets, and the datasets that a reader function makes of them.

Tests: tests/data/transforms/test_save_load.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, variant
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec
from millrace._src.data.element_files import ElementFilesCursor, validate_compression
from millrace._src.data.nodes import DATASET, UNKNOWN, DatasetNode, PassContext, node_of
from millrace._src.data.parallelism import AUTOTUNE, CYCLE_LENGTH
from millrace._src.data.saved_folders import files_of_shard
from millrace._src.data.sources.tensors import TensorSliceNode
from millrace._src.data.traced_functions import BoundFunction, TracedFunction


@dataclass(eq=False, repr=False)
class ElementFilesNode(DatasetNode):
    """The elements of files, from an element on."""

    paths: Sequence[str]
    compression: str
    start: int = 0

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first element that is wanted."""
        cursor = ElementFilesCursor(self.paths, self.dtypes, self.shapes, self.compression)
        cursor.skip(self.start)
        return cursor


def dataset_of_datasets(nodes: Sequence[DatasetNode]) -> TensorSliceNode:
    """Returns the dataset whose elements are datasets."""
    handles = np.empty(len(nodes), object)
    for index, node in enumerate(nodes):
        handles[index] = node
    return TensorSliceNode((variant,), (TensorShape([]),), [handles])


def apply_reader(reader: BoundFunction, nodes: Sequence[DatasetNode]) -> DatasetNode:
    """Returns the dataset that a reader function makes of shards."""
    handle = np.empty((), object)
    handle[()] = dataset_of_datasets(nodes)
    results = reader.call_row([handle])
    return node_of(results[0])


def trace_reader(reader_func: Callable[..., Any] | None, spec: Any, caller: str) -> TracedFunction:
    """Traces a function from a dataset of datasets to a dataset.

    Args:
      reader_func: the user's function; None to read all shards in turn.
      spec: the nest of specs of an element.
      caller: the caller in messages and names.

    Raises: TypeError: if the function returns something else.
    """
    function = TracedFunction(reader_func or _in_turn, [DatasetSpec(DatasetSpec(spec))], caller)
    if not isinstance(function.output.spec, DatasetSpec):
        raise TypeError(f"`reader_func` must return a `Dataset` object. Got {function.output.spec}.")
    return function


def _in_turn(datasets: DatasetBase) -> Any:
    """Reads one element of each shard after the other."""
    transformed: Any = datasets
    return transformed.interleave(lambda shard: shard, cycle_length=CYCLE_LENGTH, num_parallel_calls=AUTOTUNE)


# --- ops ---------------------------------------------------------------------------------------------------------


@op(
    "SnapshotDatasetReader",
    "shard_dir: string, start_index: int64 -> handle: variant",
    capabilities=Capability.READS_FILES,
    **DATASET,
)
def snapshot_dataset_reader(
    xp: Xp,
    shard_dir: Array,
    start_index: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    version: int,
    compression: str = "",
) -> Any:
    """Makes a dataset of the elements of a shard."""
    if version != 2:
        raise errors.UnimplementedError(None, None, f"Snapshots of version {version} cannot be read.")
    types, shapes = tuple(output_types), tuple(output_shapes)
    paths = files_of_shard(shard_dir.item().decode())
    return ElementFilesNode(types, shapes, paths, validate_compression(compression), int(start_index))


@op(
    "SnapshotChunkDataset",
    "chunk_file: string -> handle: variant",
    capabilities=Capability.READS_FILES,
    file_inputs=("chunk_file",),
    **DATASET,
)
def snapshot_chunk_dataset(
    xp: Xp,
    chunk_file: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    compression: str = "",
) -> Any:
    """Makes a dataset of the elements of one file."""
    types, shapes = tuple(output_types), tuple(output_shapes)
    return ElementFilesNode(types, shapes, [chunk_file.item().decode()], validate_compression(compression))


@op("SnapshotNestedDatasetReader", "inputs: N * variant -> handle: variant", **DATASET)
def snapshot_nested_dataset_reader(
    xp: Xp, inputs: list[Array], *, output_types: list[DType], output_shapes: list[TensorShape]
) -> Any:
    """Makes a dataset of datasets."""
    return dataset_of_datasets([node_of(handle) for handle in inputs])
