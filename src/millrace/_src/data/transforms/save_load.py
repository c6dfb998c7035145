"""`Dataset.save` and `Dataset.load`: datasets in folders that TensorFlow reads and writes too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.element_files import validate_compression
from millrace._src.data.nodes import DATASET, DatasetNode, PassContext, node_of
from millrace._src.data.pipeline_optimizer import begin
from millrace._src.data.saved_folders import RunWriter, read_metadata, read_spec, shard_files, write_spec
from millrace._src.data.shard_datasets import ElementFilesNode, apply_reader, trace_reader
from millrace._src.data.traced_functions import AppliedFunction, BoundFunction, TracedFunction, arguments_of
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_ELEMENTS_AT_ONCE = 256

# --- saving ------------------------------------------------------------------------------------------------------

_SAVE: dict[str, Any] = {
    "Tshard_func_args": TypeList(ANY),
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.IO,
    "capabilities": Capability.WRITES_FILES,
    "keeps_functions": True,
    "not_differentiable": "files have no gradient",
    "not_batched": "a dataset is a scalar",
}
_SAVE_INPUTS = "input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args ->"


@op("SaveDataset", _SAVE_INPUTS, shape=no_outputs, **_SAVE)
def save_dataset(
    xp: Xp,
    input_dataset: Array,
    path: Array,
    shard_func_other_args: list[Array],
    *,
    shard_func: FunctionAttr,
    compression: str = "",
    use_shard_func: bool = True,
) -> None:
    """Writes all elements of a dataset into a folder."""
    node = node_of(input_dataset)
    sharding = BoundFunction(shard_func, shard_func_other_args) if use_shard_func else None
    if sharding is not None:
        check_shard_function(sharding)
    writer = RunWriter(path.item().decode(), node.dtypes, validate_compression(compression))
    cursor, context = begin(node)
    try:
        _write_all(writer, cursor, sharding)
        writer.finish()
    finally:
        cursor.close()
        for closer in context.closers:
            closer()
        writer.close()


def check_shard_function(function: BoundFunction) -> None:
    """Refuses a function that returns no number of a shard.

    Raises: tf.errors.InvalidArgumentError: in TensorFlow's words.
    """
    outputs = function.function.graph.outputs
    if len(outputs) != 1 or outputs[0].dtype != int64 or not outputs[0].shape.is_compatible_with([]):
        raise errors.InvalidArgumentError(None, None, "`shard_func` must return a scalar int64.")


def _write_all(writer: RunWriter, cursor: Cursor, sharding: BoundFunction | None) -> None:
    if sharding is None:
        while (block := cursor.next_block(_ELEMENTS_AT_ONCE)) is not None:
            writer.write(block)
        return
    applied = AppliedFunction(sharding, cursor)
    while (pair := applied.next_blocks(_ELEMENTS_AT_ONCE)) is not None:
        writer.write(pair[0], pair[1].columns[0])


@op("SaveDatasetV2", f"{_SAVE_INPUTS} handle: variant", **{**DATASET, **_SAVE, "full_type": None})
def save_dataset_v2(
    xp: Xp,
    input_dataset: Array,
    path: Array,
    shard_func_other_args: list[Array],
    *,
    shard_func: FunctionAttr,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    compression: str = "",
    use_shard_func: bool = True,
) -> Any:
    """Makes a dataset of the same elements, which are written into a folder first."""
    save_dataset.op_def.kernel(
        xp,
        input_dataset,
        path,
        shard_func_other_args,
        shard_func=shard_func,
        compression=compression,
        use_shard_func=use_shard_func,
    )
    return node_of(input_dataset)


def save(
    self: DatasetBase,
    path: object,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: object = None,
) -> Any:
    """Writes all elements into a folder, from which `tf.data.Dataset.load` reads them.

    The folder is in TensorFlow's format. Saving to a folder again replaces what a reader finds.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> tf.data.Dataset.range(3).save(folder)
    >>> list(tf.data.Dataset.load(folder).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      path: the name of the folder.
      compression: "GZIP" or "ZLIB"; None for no compression.
      shard_func: takes the components of an element and returns the number of the shard to which the element goes, a
        scalar of int64; all elements go to one shard by default.
      checkpoint_args: a dict of arguments for a `tf.train.CheckpointManager`, except for its checkpoint: `directory`,
        `max_to_keep` and others. A checkpoint says after each element, or after `checkpoint_interval` elements, how far
        the dataset is saved; a `step_counter` counts elements. After an interruption, a call with the same arguments
        goes on from the last checkpoint. In eager mode only.

    Raises:
      NotImplementedError: if `checkpoint_args` are given in a graph.
      ValueError: if `checkpoint_args` hold a checkpoint.
      tf.errors.FailedPreconditionError: if `checkpoint_args` are given, and a function depends on state outside of the
        pipeline, unless the option `experimental_external_state_policy` allows that.
      tf.errors.NotFoundError: if the checkpoint is that of another pipeline.
      tf.errors.InvalidArgumentError: if `shard_func` returns something else.
    """
    folder = file_name(path)
    write_spec(folder, self.element_spec)
    caller = "Dataset.save()"
    function = TracedFunction(shard_func or _first_shard, arguments_of(self.element_spec), caller)
    if checkpoint_args:
        sharding = None if shard_func is None else function
        find_late_bound("save_dataset_in_steps")(self, folder, compression or "", sharding, checkpoint_args)
        return
    save_dataset(
        self._variant_tensor,
        convert_to_tensor(folder, dtype=string, name="path"),
        function.captures,
        shard_func=function.graph_function,
        compression=compression or "",
        use_shard_func=shard_func is not None,
    )


def _first_shard(*element: object) -> Any:
    return convert_to_tensor(0, dtype=int64)


# --- loading -----------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class LoadNode(DatasetNode):
    """The elements of a saved dataset."""

    shards: list[DatasetNode]
    reader: BoundFunction
    size: int

    def cardinality(self) -> int:
        """Returns the number of elements that the metadata say."""
        return self.size

    @property
    def reads_ahead(self) -> bool:
        """Whether the reader function has no effects."""
        return self.reader.is_pure

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over what the reader function makes of the shards."""
        return apply_reader(self.reader, self.shards).cursor(context)


@op(
    "LoadDataset",
    "path: string, reader_func_other_args: Treader_func_args -> handle: variant",
    Treader_func_args=TypeList(ANY),
    capabilities=Capability.READS_FILES,
    **{**DATASET, "effects": Effects.READS},
)
def load_dataset(
    xp: Xp,
    path: Array,
    reader_func_other_args: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
    reader_func: FunctionAttr,
    compression: str = "",
) -> Any:
    """Makes a dataset of the elements that a folder holds."""
    folder = path.item().decode()
    metadata = read_metadata(folder)
    if metadata is None:
        raise errors.NotFoundError(None, None, f"Could not find metadata file [{folder}]")
    if not metadata.finalized:  # TensorFlow gives the elements that it finds
        message = f"{folder}; the dataset was not saved to its end: its writer was stopped, or is still writing"
        raise errors.DataLossError(None, None, message)
    types, shapes, kind = tuple(output_types), tuple(output_shapes), validate_compression(compression)
    shards = [ElementFilesNode(types, shapes, files, kind) for files in shard_files(folder, metadata.run_id)]
    reader = BoundFunction(reader_func, reader_func_other_args)
    return LoadNode(types, shapes, list(shards), reader, metadata.num_elements)


def load(
    path: object,
    element_spec: object = None,
    compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
    wait: bool = False,
) -> Any:
    """Makes a dataset of the elements that `Dataset.save` wrote, here or in TensorFlow.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> tf.data.Dataset.range(6).save(folder, shard_func=lambda x: x % 2)
    >>> evens_first = tf.data.Dataset.load(folder, reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    >>> list(evens_first.as_numpy_iterator())
    [np.int64(0), np.int64(2), np.int64(4), np.int64(1), np.int64(3), np.int64(5)]

    Args:
      path: the name of the folder.
      element_spec: the nest of specs of an element; by default, what the folder says.
      compression: what was given to `save`.
      reader_func: takes the dataset of the shards, each a dataset, and returns the dataset of the elements; by default,
        shards are read in turn.
      wait: whether to wait until the dataset has been saved.

    Returns: A Dataset.
    Raises:
      tf.errors.NotFoundError: if there is no saved dataset.
      tf.errors.DataLossError: if it was not saved to its end.
      tf.errors.InvalidArgumentError: while iterating, if the elements do not fit `element_spec`.
    """
    folder = file_name(path)
    while wait and not _is_finished(folder):
        time.sleep(0.1)
    spec = read_spec(folder) if element_spec is None else element_spec
    function = trace_reader(reader_func, spec, "Dataset.load()")
    return apply_op(
        "_LoadDataset",
        load_dataset,
        [convert_to_tensor(folder, dtype=string, name="path"), function.captures],
        spec,
        functions=[function],
        reader_func=function.graph_function,
        compression=compression or "",
    )


def _is_finished(folder: str) -> bool:
    metadata = read_metadata(folder)
    return metadata is not None and metadata.finalized


# --- older names -------------------------------------------------------------------------------------------------


@export("data.experimental.save", v1=[])
def save_by_function(
    dataset: DatasetBase,
    path: object,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: object = None,
) -> Any:
    """Writes all elements of a dataset into a folder; `Dataset.save` does the same.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    >>> sorted(os.listdir(folder))[1:]
    ['dataset_spec.pb', 'snapshot.metadata']

    Args:
      dataset: the dataset.
      path: the name of the folder.
      compression: "GZIP" or "ZLIB"; None for no compression.
      shard_func: takes an element and returns the number of its shard.
      checkpoint_args: arguments of a `tf.train.CheckpointManager` for a dataset that is saved in steps.

    Raises: as `Dataset.save`.
    """
    return save(dataset, path, compression, shard_func, checkpoint_args)


@export("data.experimental.load", v1=[])
def load_by_function(
    path: object,
    element_spec: object = None,
    compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
) -> Any:
    """Makes a dataset of the elements that `Dataset.save` wrote; `tf.data.Dataset.load` does the same.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> tf.data.Dataset.range(3).save(folder)
    >>> len(tf.data.experimental.load(folder))
    3

    Args:
      path: the name of the folder.
      element_spec: the nest of specs of an element; by default, what the folder says.
      compression: what was given to `save`.
      reader_func: takes the dataset of the shards and returns the dataset of the elements.

    Returns: A Dataset.
    Raises: as `tf.data.Dataset.load`.
    """
    return load(path, element_spec, compression, reader_func)


@export("data.experimental.distributed_save")
def distributed_save(dataset: DatasetBase, path: str, data_service_address: str, compression: str = "AUTO") -> Any:
    """Refuses to save a dataset by TensorFlow's data service, which Millrace has not.

    Args:
      dataset: the dataset.
      path: the name of the folder.
      data_service_address: the address of a dispatcher.
      compression: the compression of the files.

    Raises: NotImplementedError: always; the message says what to do instead.
    """
    raise NotImplementedError(
        "tf.data.experimental.distributed_save: Millrace has no data service. Let each process save its part: "
        "`dataset.shard(num_processes, index).save(...)`."
    )
