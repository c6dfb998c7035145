"""Writing a checkpoint.

Large arrays go from their own memory to the file, a piece at a time; a piece is summed up while it is in a cache of the
processor. Small ones are gathered, so that a hundred thousand scalars are not as many calls of the operating system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, cast

import numpy as np

from millrace._src.checkpoint.bundle.index_file import HEADER_KEY, VERSION, key_bytes, key_text
from millrace._src.checkpoint.bundle.ordered_code import slice_key
from millrace._src.checkpoint.bundle.publishing import data_name, index_name, make_directory_of, publish
from millrace._src.checkpoint.bundle.stored_values import (
    HOST_IS_BIG_ENDIAN,
    byte_pieces,
    check_storable,
    encode_strings,
    string_pieces,
)
from millrace._src.checkpoint.bundle.table_writer import TableWriter
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, from_np
from millrace._src.ops.io.whole_writes import PartFile, remove_abandoned_parts
from millrace._src.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from millrace._src.util.crc32c import extend, mask
from millrace._src.util.text import shape_brackets

_ENDIANNESS = BundleHeaderProto.BIG if HOST_IS_BIG_ENDIAN else BundleHeaderProto.LITTLE
_GATHERED = 1 << 20
_SMALL = 1 << 14
_WORTH_RESERVING = 1 << 20
_CHUNK = 1 << 20  # bytes that are summed up and written while they are in a cache of the processor


class _DataFile:
    """A data file that is being written."""

    def __init__(self, name: str) -> None:
        self.part = PartFile(name)
        self._gathered = bytearray()
        self._offset = 0

    def add(self, pieces: Iterable[Any], size: int = 0, lengths: bytes = b"", crc: int = 0) -> tuple[int, int, int]:
        """Appends the bytes of a tensor.

        Args:
          pieces: the bytes.
          size: how many bytes these are, if known.
          lengths: what stands before them, for strings.
          crc: the checksum of `lengths`.

        Returns: Where the bytes begin, how many they are, and the checksum.
        """
        offset = self._offset
        if lengths:
            self._append(lengths)
        if size >= _WORTH_RESERVING:
            self.flush()
            self.part.reserve(size)
        for piece in pieces:
            for start in range(0, len(piece), _CHUNK):
                chunk = piece[start : start + _CHUNK]
                crc = extend(crc, chunk)
                self._append(chunk)
        return offset, self._offset - offset, crc

    def add_small(self, data: bytes) -> tuple[int, int, int]:
        """Appends a few bytes of a tensor of numbers; returns the same as `add`."""
        offset, size = self._offset, len(data)
        self._offset += size
        self._gathered += data
        if len(self._gathered) >= _GATHERED:
            self.flush()
        return offset, size, extend(0, data)

    def _append(self, chunk: Any) -> None:
        self._offset += len(chunk)
        if len(chunk) < _CHUNK:
            self._gathered += memoryview(chunk)
            if len(self._gathered) < _GATHERED:
                return
            self.flush()
        else:
            self.flush()
            self.part.write(memoryview(chunk))

    def flush(self) -> None:
        """Writes what was gathered."""
        if self._gathered:
            self.part.write(self._gathered)
            self._gathered = bytearray()


class BundleWriter:
    """A checkpoint that is being written; it becomes visible as a whole when it is finished.

    The writer is a context manager, which finishes the checkpoint, or gives it up if its block raises.

    >>> import os, tempfile
    >>> import numpy as np
    >>> from millrace._src.checkpoint.bundle.reader import BundleReader
    >>> from millrace._src.checkpoint.bundle.writer import BundleWriter
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> with BundleWriter(prefix) as writer:
    ...     writer.add("weights", np.arange(3.0))
    >>> with BundleReader(prefix) as reader:
    ...     print(reader.read("weights"))
    [0. 1. 2.]

    Args:
      prefix: what the names of the files begin with. Their directory is made in one that exists.
      num_shards: the number of data files.

    Raises: tf.errors.OpError: if the files cannot be made.
    """

    def __init__(self, prefix: str, num_shards: int = 1) -> None:
        make_directory_of(prefix)
        remove_abandoned_parts(index_name(prefix))
        self._prefix = prefix
        self._entries: dict[bytes, BundleEntryProto] = {}
        self._files: list[_DataFile] = []
        try:
            for shard in range(num_shards):
                self._files.append(_DataFile(data_name(prefix, shard, num_shards)))
        except BaseException:
            self.abandon()
            raise

    def add(self, key: str | bytes, array: Array, dtype: DType | None = None, *, shard: int = 0) -> None:
        """Writes a tensor.

        Args:
          key: the name of the tensor.
          array: the values: numbers, or an array of `bytes` objects for strings.
          dtype: the dtype, where the array does not tell: quantized types are integers in memory.
          shard: the number of the data file that takes the values.

        Raises:
          tf.errors.InvalidArgumentError: if the key was added before, or is empty.
          tf.errors.UnimplementedError: if the dtype is resource or variant.
          tf.errors.OpError: if the file cannot be written.
        """
        self._add(key_bytes(key), np.asarray(array), dtype, shard)

    def add_slice(
        self,
        key: str | bytes,
        full_shape: Sequence[int],
        part: TensorSlice,
        array: Array,
        dtype: DType | None = None,
        *,
        shard: int = 0,
    ) -> None:
        """Writes a slice of a partitioned tensor; a slice that is all of the tensor is written as the tensor.

        Args:
          key: the name of the whole tensor.
          full_shape: the shape of the whole tensor.
          part: where the slice is.
          array: the values of the slice.
          dtype: the dtype, where the array does not tell.
          shard: the number of the data file that takes the values.

        Raises:
          tf.errors.InvalidArgumentError: if the slice was added before, the whole tensor is there already, or its shape
            or dtype is another; or if the array does not have the shape of the slice.
          tf.errors.InternalError: if the slice is not inside the whole tensor.
        """
        name, array = key_bytes(key), np.asarray(array)
        dtype = dtype or from_np(array.dtype)
        if part.shape_in(full_shape) != array.shape:
            text = f"{part} of {shape_brackets(tuple(full_shape))}, tensor: {shape_brackets(array.shape)}"
            raise _refusal(f"Slice does not match the shape of the tensor to save: {text}")
        if array.shape == tuple(full_shape):
            self._add(name, array, dtype, shard)
            return
        whole = self._entries.get(name)
        if whole is not None:
            _check_same_tensor(whole, name, full_shape, dtype)
        self._add(slice_key(name, part.starts, part.lengths), array, dtype, shard)
        if whole is None:
            whole = self._entries[name] = _entry(dtype, full_shape)
            whole.shard_id = shard  # that of the first slice, as TensorFlow has it
        whole.slices.append(part.to_proto())

    def finish(self) -> None:
        """Makes the checkpoint visible.

        Raises: tf.errors.OpError: if a file cannot be written or moved; the checkpoint that was there before stays.
        """
        try:
            for file in self._files:
                file.flush()
            header = BundleHeaderProto(num_shards=len(self._files), endianness=_ENDIANNESS)
            header.version.producer = VERSION
            index = write_index(self._prefix, header, self._entries)
        except BaseException:
            self.abandon()
            raise
        names = [data_name(self._prefix, shard, len(self._files)) for shard in range(len(self._files))]
        try:
            publish(self._prefix, dict(zip(names, (file.part for file in self._files), strict=True)), index)
        except BaseException:
            index.discard()
            self.abandon()
            raise

    def abandon(self) -> None:
        """Removes what was written."""
        for file in self._files:
            file.part.discard()

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.finish()
        else:
            self.abandon()

    def _add(self, key: bytes, array: Array, dtype: DType | None, shard: int) -> None:
        if key == HEADER_KEY:
            raise _refusal("A tensor needs a name: the key of a checkpoint cannot be empty")
        if key in self._entries:
            raise _refusal(f"Adding duplicate key: {key_text(key)}")
        dtype = dtype or from_np(array.dtype)
        check_storable(dtype, key_text(key), "save")
        if array.dtype != dtype.np_dtype:
            raise TypeError(f"{key_text(key)} has the dtype {dtype.name}, but its array is of {array.dtype}")
        file = self._files[shard]
        if array.dtype.hasobject:
            offset, size, crc = file.add(string_pieces(array), 0, *encode_strings(array))
        elif array.nbytes <= _SMALL:
            offset, size, crc = file.add_small(array.tobytes())
        else:
            offset, size, crc = file.add(byte_pieces(array), array.nbytes)
        entry = _entry(dtype, array.shape)
        entry.shard_id, entry.offset, entry.size, entry.crc32c = shard, offset, size, mask(crc)
        self._entries[key] = entry


def _entry(dtype: DType, shape: Sequence[int]) -> BundleEntryProto:
    entry = BundleEntryProto(dtype=cast(Any, dtype.enum))
    entry.shape.SetInParent()
    for size in shape:
        entry.shape.dim.add(size=size)
    return entry


def _check_same_tensor(entry: BundleEntryProto, name: bytes, shape: Sequence[int], dtype: DType) -> None:
    """Checks that another slice belongs to the same partitioned tensor."""
    if not entry.slices:
        raise _refusal(f"Adding duplicate key: {key_text(name)}")
    known_shape = tuple(dimension.size for dimension in entry.shape.dim)
    if known_shape != tuple(shape) or entry.dtype != dtype.enum:
        known = f"{DType(entry.dtype).name} {shape_brackets(known_shape)}"
        text = f"{known} and {dtype.name} {shape_brackets(tuple(shape))}"
        raise _refusal(f"Slices of {key_text(name)} are of tensors that differ in dtype or shape: {text}")


def _refusal(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)


def write_index(prefix: str, header: BundleHeaderProto, entries: dict[bytes, BundleEntryProto]) -> PartFile:
    """Writes the index of a checkpoint; returns the file, which has not been moved yet.

    Raises: tf.errors.OpError: if the file cannot be written.
    """
    file = PartFile(index_name(prefix))
    try:
        pieces: list[bytes] = []
        table = TableWriter(pieces.append)
        table.add(HEADER_KEY, header.SerializeToString(deterministic=True))
        for key in sorted(entries):
            table.add(key, entries[key].SerializeToString(deterministic=True))
        table.finish()
        file.write(b"".join(pieces))
    except BaseException:
        file.discard()
        raise
    return file
