"""The index of a checkpoint: what stands in the table for each tensor.

The key "" has the header. Each other key has an entry: dtype, shape, and where in which data file the bytes are. The
entry of a partitioned tensor names its slices instead, which have entries of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from millrace._src.checkpoint.bundle.ordered_code import slice_key
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.core import errors
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from millrace._src.proto.tensor_shape_pb2 import TensorShapeProto

HEADER_KEY = b""
VERSION = 1
"""The version of the format that is written, and the newest that is read."""

_LARGEST_RANK = 64  # of NumPy's arrays
_MAX_SHARDS = 1 << 20
_LARGEST_SIZE = (1 << 63) - 1


def key_bytes(key: str | bytes) -> bytes:
    """Returns a key as it stands in a table."""
    return key if isinstance(key, bytes) else key.encode("utf-8", "surrogateescape")


def key_text(key: bytes) -> str:
    """Returns a key of a table as users see it."""
    return key.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class IndexFileEntry:
    """What a checkpoint says about a tensor, or about a slice of one.

    Attributes:
      key: the key in the table.
      dtype: the dtype of the values.
      shape: the shape of the tensor or slice.
      shard: the number of the data file.
      offset: where the bytes begin there.
      size: the number of bytes.
      crc32c: the masked checksum of the bytes.
      slices: the slices of a partitioned tensor, which has no bytes of its own; none for any other.
    """

    key: bytes
    dtype: DType
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc32c: int
    slices: tuple[TensorSlice, ...]

    @property
    def name(self) -> str:
        """The key as users see it."""
        return key_text(self.key)

    @property
    def element_count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def slice_keys(self) -> list[bytes]:
        """Returns the keys of the slices of a partitioned tensor."""
        return [slice_key(self.key, part.starts, part.lengths) for part in self.slices]


def parse_entry(key: bytes, value: bytes) -> IndexFileEntry:
    """Reads the entry of a key.

    Raises: tf.errors.DataLossError: if the value is not an entry, or says what cannot be.
    """
    proto = entry_proto(key, value)
    entry = IndexFileEntry(
        key,
        read_dtype(proto.dtype, key),
        read_shape(proto.shape, key),
        proto.shard_id,
        proto.offset,
        proto.size,
        proto.crc32c,
        tuple(map(TensorSlice.from_proto, proto.slices)),
    )
    _check_size(entry)
    return entry


def entry_proto(key: bytes, value: bytes) -> BundleEntryProto:
    """Returns the proto of an entry, which may say what cannot be.

    Raises: tf.errors.DataLossError: if the value is not an entry.
    """
    try:
        return BundleEntryProto.FromString(value)
    except DecodeError:
        raise _damage_error(f"Entry for key {key_text(key)} not parseable.") from None


def read_dtype(enum: int, key: bytes) -> DType:
    """Returns the dtype that a file states for a tensor.

    Raises: tf.errors.DataLossError: for a number that denotes no dtype of stored tensors.
    """
    try:
        dtype = DType(enum)
    except TypeError:
        raise _damage_error(f"Entry for key {key_text(key)} has the unknown dtype enum ({enum})") from None
    if dtype.is_ref:
        raise _damage_error(f"Entry for key {key_text(key)} has the dtype {dtype.name}, which no stored tensor has")
    return as_dtype(dtype)


def read_shape(proto: TensorShapeProto, key: bytes) -> tuple[int, ...]:
    """Returns the shape that a file states for a tensor.

    Raises: tf.errors.DataLossError: for a shape that no array has.
    """
    shape = tuple([dimension.size for dimension in proto.dim])
    if not shape and not proto.unknown_rank:
        return ()
    size = math.prod([dimension for dimension in shape if dimension])
    if proto.unknown_rank or min(shape, default=0) < 0 or size > _LARGEST_SIZE or len(shape) > _LARGEST_RANK:
        raise _damage_error(f"Invalid tensor shape: {key_text(key)} {list(shape)}")
    return shape


def _check_size(entry: IndexFileEntry) -> None:
    """Compares the number of bytes with the shape, where the dtype says how many bytes an element has."""
    if entry.slices or not entry.dtype.size:
        return
    expected_size = entry.element_count * entry.dtype.size
    if entry.size != expected_size:
        text = f"stored size {entry.size}; expected size {expected_size}"
        raise _damage_error(f"Invalid size in bundle entry: key {key_text(entry.key)}; {text}")


def _damage_error(message: str) -> errors.OpError:
    return errors.DataLossError(None, None, message)


# --- the header ------------------------------------------------------------------------------------------------------


def read_header(table: TableFileReader, name: str) -> BundleHeaderProto:
    """Reads the header of an index.

    Args:
      table: the index.
      name: the name of its file, for errors.

    Raises: tf.errors.DataLossError: if there is none; InvalidArgumentError: if a newer program is needed to read it.
    """
    header = BundleHeaderProto()
    try:
        header.ParseFromString(table.get(HEADER_KEY) or b"")
    except (errors.DataLossError, DecodeError) as error:
        hint = "Perhaps the file is corrupt or was produced by a newer version of TensorFlow with format changes"
        raise _damage_error(f"Unable to read file ({name}). {hint} ({error})") from None
    if header.version.min_consumer > VERSION:
        needed = f"Checkpoint min consumer version {header.version.min_consumer} above current version {VERSION}"
        raise errors.InvalidArgumentError(None, None, f"{needed}. Please upgrade. File: {name}")
    if not 0 <= header.num_shards <= _MAX_SHARDS:
        raise _damage_error(f"Unable to read file ({name}): it speaks of {header.num_shards} data files")
    if VERSION in header.version.bad_consumers:
        raise errors.InvalidArgumentError(None, None, f"Checkpoint disallows consumer version {VERSION}. File: {name}")
    return header


def shard_count_of(name: str) -> int:
    """Returns the number of data files that an index says there are.

    Raises: tf.errors.NotFoundError: if there is no such file; DataLossError: if it is not an index.
    """
    table = TableFileReader(RangedFile(name))
    try:
        return read_header(table, name).num_shards
    finally:
        table.close()
