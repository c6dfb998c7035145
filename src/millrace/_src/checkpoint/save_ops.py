"""The ops that save tensors to checkpoints and restore tensors from them.

A graph saves its variables by `SaveV2`, each device to files of its own, and `MergeV2Checkpoints` makes one checkpoint
of those. What stands in files is not a function of the files' names, so these ops are never computed ahead of time or
merged.
"""

from __future__ import annotations

from typing import Any

from millrace._src.checkpoint.bundle.bundle_merging import merge_bundles
from millrace._src.checkpoint.bundle.bundle_opening import StoredTensors, open_checkpoint
from millrace._src.checkpoint.bundle.index_file import IndexFileEntry
from millrace._src.checkpoint.bundle.single_file_reader import SingleFileReader
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice, parse_shape_and_slice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import SCALAR, UNKNOWN, merge_dims, require_scalar, with_rank
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.type_sets import ANY
from millrace._src.util.text import shape_brackets

TENSORS = TypeList(ANY, minimum=1)
"""The dtypes of one or more tensors."""
_NO_GRADIENT = "files have no gradient"
_BY_CALL = "a checkpoint is written or read once per call"

SAVING: dict[str, Any] = {
    "effects": Effects.IO,
    "capabilities": Capability.WRITES_FILES,
    "host_only": True,
    "not_differentiable": _NO_GRADIENT,
    "not_batched": _BY_CALL,
}
"""What is true of each op that writes a checkpoint."""

RESTORING: dict[str, Any] = {
    "effects": Effects.RANDOM,  # another call may find other files
    "capabilities": Capability.READS_FILES,
    "host_only": True,
    "not_differentiable": _NO_GRADIENT,
    "not_batched": _BY_CALL,
}
"""What is true of each op that reads a checkpoint."""


# --- what the ops have in common -------------------------------------------------------------------------------------


def invalid(message: str) -> errors.OpError:
    """Makes the error about an argument of an op."""
    return errors.InvalidArgumentError(None, None, message)


def with_length(shape: TensorShape, length: int) -> None:
    """Refuses a shape that is known not to be that of a vector of a length.

    Raises: ValueError: for such a shape.
    """
    (size,) = with_rank(shape, 1)
    if size not in (None, length):
        raise ValueError(f"Dimension must be {length} but is {size}")


def restored_shape(shape_and_slice: bytes) -> TensorShape:
    """Returns the shape of what is restored, as far as the text about the slice says.

    Raises: ValueError: for a text that says nothing; InternalError: for a slice outside of its tensor.
    """
    if not shape_and_slice:
        return UNKNOWN
    try:
        shape, part = parse_slice(shape_and_slice)
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
    return TensorShape(part.shape_in(shape))


def parse_slice(shape_and_slice: bytes) -> tuple[tuple[int, ...], TensorSlice]:
    """Reads the text about a slice.

    Raises: tf.errors.InvalidArgumentError: for a text that is none; InternalError: for a slice outside of its tensor.
    """
    return parse_shape_and_slice(shape_and_slice.decode("utf-8", "replace"))


def check_slice_fits(shape_and_slice: bytes, part_shape: tuple[int, ...], array: Array) -> None:
    """Checks that a tensor to save has the shape of its slice.

    Raises: tf.errors.InvalidArgumentError: if it has another.
    """
    if part_shape != array.shape:
        text = f"{shape_and_slice.decode()}, tensor: {shape_brackets(array.shape)}"
        raise invalid(f"Slice in shape_and_slice specification does not match the shape of the tensor to  save: {text}")


def _check_names(prefix: Array, tensor_names: Array, shape_and_slices: Array) -> None:
    if prefix.size != 1:
        raise invalid(f"Input prefix should have a single element, got {prefix.size} instead.")
    if tensor_names.ndim != 1 or shape_and_slices.ndim != 1:
        shapes = f"{shape_brackets(tensor_names.shape)} and {shape_brackets(shape_and_slices.shape)}"
        raise invalid(f"Input tensor_names and shape_and_slices should be an 1-D tensors, got {shapes} instead.")
    if tensor_names.size != shape_and_slices.size:
        sizes = f"{tensor_names.size} vs. {shape_and_slices.size}"
        raise invalid(f"tensor_names and shape_and_slices have different number of elements: {sizes}")


# --- saving ----------------------------------------------------------------------------------------------------------


def _save_shapes(c: ShapeContext) -> list[TensorShape]:
    require_scalar(c.shape("prefix"))
    for name in ("tensor_names", "shape_and_slices"):
        with_length(c.shape(name), len(c.tensors("tensors")))
    return []


@op(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
    dtypes=TENSORS,
    shape=_save_shapes,
    **SAVING,
)
def save_v2(
    xp: Xp, prefix: Array, tensor_names: Array, shape_and_slices: Array, tensors: list[Array], *, dtypes: list[DType]
) -> tuple[()]:
    """Saves tensors, or slices of partitioned tensors, to a checkpoint."""
    _check_names(prefix, tensor_names, shape_and_slices)
    if tensor_names.size != len(tensors):
        raise invalid(f"Got {tensor_names.size} tensor names but {len(tensors)} tensors.")
    with BundleWriter(file_name(prefix.item())) as writer:
        for name, text, array, dtype in zip(
            tensor_names.tolist(), shape_and_slices.tolist(), tensors, dtypes, strict=True
        ):
            if not text:
                writer.add(name, array, dtype)
                continue
            shape, part = parse_slice(text)
            check_slice_fits(text, part.shape_in(shape), array)
            writer.add_slice(name, shape, part, array, dtype)
    return ()


def _merge_shapes(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("checkpoint_prefixes"), 1)
    require_scalar(c.shape("destination_prefix"))
    return []


@op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string ->",
    shape=_merge_shapes,
    **{**SAVING, "capabilities": Capability.READS_FILES | Capability.WRITES_FILES},
)
def merge_v2_checkpoints(
    xp: Xp,
    checkpoint_prefixes: Array,
    destination_prefix: Array,
    *,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> tuple[()]:
    """Makes one checkpoint of several, whose data files are moved."""
    if checkpoint_prefixes.ndim != 1:
        found_shape = shape_brackets(checkpoint_prefixes.shape)
        raise invalid(f"Input checkpoint_prefixes should be an 1-D tensor, got {found_shape} instead.")
    if destination_prefix.ndim:
        found_shape = shape_brackets(destination_prefix.shape)
        raise invalid(f"Input destination_prefix should be a scalar tensor, got {found_shape} instead.")
    merge_bundles(
        [file_name(prefix) for prefix in checkpoint_prefixes.tolist()],
        file_name(destination_prefix.item()),
        delete_old_dirs=delete_old_dirs,
        allow_missing_files=allow_missing_files,
    )
    return ()


# --- restoring -------------------------------------------------------------------------------------------------------


def _restore_shapes(c: ShapeContext) -> list[TensorShape]:
    require_scalar(c.shape("prefix"))
    names, slices = with_rank(c.shape("tensor_names"), 1), with_rank(c.shape("shape_and_slices"), 1)
    merge_dims(names, slices)
    count, texts = len(c.attr("dtypes")), c.value("shape_and_slices")
    if texts is None:
        return [UNKNOWN] * count
    if len(texts) != count:
        raise ValueError("The number of shape_and_slice doesn't match tensor outputs.")
    return [restored_shape(text) for text in texts.tolist()]


@op(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
    dtypes=TENSORS,
    shape=_restore_shapes,
    file_inputs=("prefix",),
    **RESTORING,
)
def restore_v2(
    xp: Xp, prefix: Array, tensor_names: Array, shape_and_slices: Array, *, dtypes: list[DType]
) -> list[Array]:
    """Restores tensors, or slices of tensors, from a checkpoint."""
    _check_names(prefix, tensor_names, shape_and_slices)
    if tensor_names.size != len(dtypes):
        raise invalid(f"Got {tensor_names.size} tensor names, but {len(dtypes)} expected dtypes.")
    with open_checkpoint(file_name(prefix.item())) as reader:
        names = tensor_names.tolist()
        entries = [_find_entry(reader, name, dtype) for name, dtype in zip(names, dtypes, strict=True)]
        texts = shape_and_slices.tolist()
        return [_restore(reader, entry, text) for entry, text in zip(entries, texts, strict=True)]


def _find_entry(reader: StoredTensors, name: bytes, dtype: DType) -> IndexFileEntry:
    """Returns what a checkpoint says of a tensor, which is to be of a dtype."""
    if isinstance(reader, SingleFileReader):
        return check_single_file_dtype(reader, name, dtype)
    entry = reader.entry(name)
    if entry.dtype is not dtype:
        dtypes = f"expected dtype {runtime_name(dtype)} does not equal original dtype {runtime_name(entry.dtype)}"
        raise invalid(f"tensor_name = {entry.name}; {dtypes}")
    return entry


def check_single_file_dtype(reader: SingleFileReader, name: bytes, dtype: DType) -> IndexFileEntry:
    """Returns what a checkpoint of TensorFlow's first form says of a tensor, which is to be of a dtype.

    Raises: tf.errors.InvalidArgumentError: if it is of another; NotFoundError: if there is no such tensor.
    """
    entry = reader.entry(name)
    if entry.dtype is not dtype:
        dtypes = f"type {runtime_name(dtype)}, got a tensor of type {runtime_name(entry.dtype)} instead"
        raise invalid(f"Expected to restore a tensor of {dtypes}: tensor_name = {entry.name}")
    return entry


def _restore(reader: StoredTensors, entry: IndexFileEntry, text: bytes) -> Array:
    if not text:
        return reader.read_stored(entry)
    shape, part = parse_slice(text)
    if shape != entry.shape:
        spec = f"shape in shape_and_slice spec {shape_brackets(shape)}"
        stored = f"does not match the shape stored in checkpoint: {shape_brackets(entry.shape)}"
        raise invalid(f"tensor_name = {entry.name}; {spec} {stored}")
    return reader.read_stored(entry, part)


# --- names of files --------------------------------------------------------------------------------------------------


def _scalar_shapes(c: ShapeContext) -> TensorShape:
    for tensor in c.inputs:
        require_scalar(tensor.shape)
    return SCALAR


def _check_scalars(**arrays: Array) -> None:
    for name, array in arrays.items():
        if array.ndim:
            raise invalid(f"{name} must be a scalar, got shape {shape_brackets(array.shape)}")


_NAMING: dict[str, Any] = {
    "shape": _scalar_shapes,
    "host_only": True,
    "not_differentiable": "texts have no gradient",
    "not_batched": "a checkpoint has one name",
}


@op("ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string", **_NAMING)
def sharded_filename(xp: Xp, basename: Array, shard: Array, num_shards: Array) -> bytes:
    """Returns the name of one of the files that a checkpoint is spread over: `base-00001-of-00003`."""
    _check_scalars(basename=basename, shard=shard, num_shards=num_shards)
    return b"%s-%05d-of-%05d" % (basename.item(), shard.item(), num_shards.item())


@op("ShardedFilespec", "basename: string, num_shards: int32 -> filename: string", **_NAMING)
def sharded_filespec(xp: Xp, basename: Array, num_shards: Array) -> bytes:
    """Returns the pattern that matches all files which a checkpoint is spread over: `base-?????-of-00003`."""
    _check_scalars(basename=basename, num_shards=num_shards)
    return b"%s-?????-of-%05d" % (basename.item(), num_shards.item())
