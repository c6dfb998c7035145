"""Writes what an object graph says into the files of a checkpoint, at once or by operations of a graph.

The values are those of the moment of the call: buffers of tensors never change, so that a thread can write the files
while the variables go on.

Tests: tests/checkpoint/test_checkpoint.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from millrace._src.checkpoint.bundle.tensor_slices import parse_shape_and_slice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.checkpoint.object_graph import SavedGraph, SavedTensor
from millrace._src.checkpoint.options import CheckpointOptions, io_device
from millrace._src.checkpoint.sharding import ShardableTensor, distribute
from millrace._src.checkpoint.supplementary_graph import SUPPLEMENT_KEY
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.dtypes import int32, string
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import directory_name

Shard: TypeAlias = Sequence[tuple[str, str, Any]]
"""What goes to one data file: key, slice and value of each tensor."""


def write_saved_graph(saved_graph: SavedGraph, prefix: Any, options: CheckpointOptions) -> Any:
    """Writes a checkpoint.

    Args:
      saved_graph: what to write.
      prefix: what the names of the files begin with.
      options: the options of the call.

    Returns: `prefix`; in a graph a tensor that has that value once the files are there.
    """
    shards = shards_to_write(saved_graph, options)
    if state.graph is not None:
        return write_in_graph(shards, prefix, options)
    write_shards(shards, prefix, options)
    return prefix


def shards_to_write(saved_graph: SavedGraph, options: CheckpointOptions) -> Sequence[Shard]:
    """Returns everything that a checkpoint holds, by data files, the message of the objects last."""
    saved_tensors = [*saved_graph.tensors, _message(saved_graph.key, saved_graph.proto)]
    if saved_graph.supplement is not None:
        saved_tensors.append(_message(SUPPLEMENT_KEY, saved_graph.supplement))
    if options.experimental_sharding_callback is None:
        return [[(saved.checkpoint_key, saved.slice_spec, _tensor(saved)) for saved in saved_tensors]]
    return distribute([_shardable(saved) for saved in saved_tensors], options.experimental_sharding_callback)


def _message(key: str, proto: Any) -> SavedTensor:
    content = convert_to_tensor(proto.SerializeToString(deterministic=True), string)
    return SavedTensor(0, key, key, "", content, "", None)


def _tensor(saved: SavedTensor) -> Any:
    return convert_to_tensor(saved.tensor())


def write_shards(shards: Sequence[Shard], prefix: str, options: CheckpointOptions) -> None:
    """Writes the files of a checkpoint, and the folder where it is missing.

    Raises: tf.errors.OpError: if a file cannot be written; what was there before stays.
    """
    with io_device(options.experimental_io_device):
        folder = directory_name(prefix)
        if folder:
            gfile.makedirs(folder)
        with BundleWriter(prefix, num_shards=len(shards)) as writer:
            for number, shard in enumerate(shards):
                for key, slice_spec, tensor in shard:
                    _add(writer, number, key, slice_spec, tensor)


def _add(writer: BundleWriter, shard: int, key: str, slice_spec: str, tensor: Any) -> None:
    if slice_spec:
        full_shape, part = parse_shape_and_slice(slice_spec)
        writer.add_slice(key, full_shape, part, tensor._eager_array, tensor.dtype, shard=shard)
    else:
        writer.add(key, tensor._eager_array, tensor.dtype, shard=shard)


def write_in_graph(shards: Sequence[Shard], prefix: Any, options: CheckpointOptions) -> Tensor:
    """Adds the operations that write a checkpoint, and returns a tensor that has the prefix once they have run.

    The operations are TensorFlow's: each data file is written beside, then all are merged into place.
    """
    with io_device(options.experimental_io_device):
        whole = convert_to_tensor(prefix, string)
        is_remote = raw.StaticRegexFullMatch(input=whole, pattern="^s3://.*")
        ending = raw.Select(condition=is_remote, x=".part", y="_temp/part")
        temporary = raw.StringJoin(inputs=[whole, ending])
        count = convert_to_tensor(len(shards), int32, name="num_shards")
        names, saves = [], []
        for number, shard in enumerate(shards):
            name = raw.ShardedFilename(basename=temporary, shard=number, num_shards=count)
            keys, slices, tensors = zip(*shard)
            saves.append(raw.SaveV2(prefix=name, tensor_names=keys, shape_and_slices=slices, tensors=tensors))
            names.append(name)
        with state.graph.control_dependencies(saves):
            merge = raw.MergeV2Checkpoints(checkpoint_prefixes=names, destination_prefix=whole, delete_old_dirs=True)
        with state.graph.control_dependencies([merge]):
            written: Tensor = raw.Identity(input=whole)
            return written


def _shardable(saved: SavedTensor) -> ShardableTensor:
    tensor = _tensor(saved)
    return ShardableTensor(
        _tensor_save_spec=saved,
        tensor=tensor,
        dtype=tensor.dtype,
        device=DeviceSpec.from_string(tensor.device),
        name=saved.checkpoint_key,
        shape=tensor.shape,
        slice_spec=saved.slice_spec,
        checkpoint_key=saved.checkpoint_key,
        trackable=saved.trackable,
    )
