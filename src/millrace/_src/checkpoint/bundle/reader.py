"""Reading a checkpoint: any tensor of it, or any slice of any tensor, without the others.

A file may be damaged, or made to do harm. So nothing gets memory before the file is known to have as many bytes, and
the checksum of what is read is compared with the one in the index.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from millrace._src.checkpoint.bundle.index_file import (
    HEADER_KEY,
    IndexFileEntry,
    key_bytes,
    key_text,
    parse_entry,
    read_header,
)
from millrace._src.checkpoint.bundle.open_checkpoint import OpenCheckpoint
from millrace._src.checkpoint.bundle.partitions import covering
from millrace._src.checkpoint.bundle.publishing import NEXT, data_name, index_name
from millrace._src.checkpoint.bundle.ranged_file import SMALL, RangedFile
from millrace._src.checkpoint.bundle.stored_values import byte_view, check_storable, decode_strings, make_native
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.tensor_slice_reading import fill_from_box
from millrace._src.checkpoint.bundle.tensor_slices import (
    Box,
    TensorSlice,
    box_shape,
    index_of,
    intersection,
    relative,
)
from millrace._src.core import errors
from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.array_namespace import Array
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.proto.tensor_bundle_pb2 import BundleHeaderProto
from millrace._src.util.crc32c import extend, mask
from millrace._src.util.text import shape_brackets

_SHARDS_OPENED_AT_ONCE = 256
_TRIES = 10
_ITERATOR_ADVICE = (
    ". TensorFlow's iterators of datasets are stored so, and only TensorFlow reads them: "
    "restore without the iterator to get the other values"
)


class BundleReader(OpenCheckpoint):
    """A checkpoint that is open for reading; a context manager, which closes the files.

    Several threads may read at the same time. The files are open from the beginning, so what is read belongs together
    even if another process saves under the same name meanwhile.

    Args: prefix: what the names of the files begin with.
    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if the index is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._lock = threading.Lock()
        for _ in range(_TRIES):
            moment = self._index_status()
            self._open()
            if self._index_status() == moment:
                break
            self.close()
        else:
            self._open()

    def _open(self) -> None:
        self._data_files: dict[int, RangedFile] = {}
        self._table, name = self._open_index()
        self._is_overwriting = name.endswith(NEXT)
        try:
            header = read_header(self._table, name)
            self.num_shards: int = header.num_shards
            """The number of data files."""
            self._is_big_endian = header.endianness == BundleHeaderProto.BIG
            for shard in range(min(self.num_shards, _SHARDS_OPENED_AT_ONCE)):
                with suppress(errors.NotFoundError):  # it is missed when a tensor is read from it
                    self._data_files[shard] = self._open_data_file(shard)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the files."""
        self._table.close()
        for file in self._data_files.values():
            file.close()

    # --- what there is ---

    def __contains__(self, key: str | bytes) -> bool:
        return bool(key_bytes(key)) and self._table.get(key_bytes(key)) is not None

    def entries(self) -> list[IndexFileEntry]:
        """Returns what the checkpoint says of each tensor, in the order of the keys.

        Raises: tf.errors.DataLossError: if the index is damaged.
        """
        stored_entries = list(self.stored_entries())
        slice_keys = {key for entry in stored_entries for key in entry.slice_keys()}
        return [entry for entry in stored_entries if entry.key not in slice_keys]

    def stored_entries(self) -> Iterator[IndexFileEntry]:
        """Yields the entries of the tensors, and those of the slices of partitioned tensors, in the order of the keys.

        Raises: tf.errors.DataLossError: if the index is damaged.
        """
        return (parse_entry(key, value) for key, value in self._table.items() if key != HEADER_KEY)

    def entry(self, key: str | bytes) -> IndexFileEntry:
        """Returns what the checkpoint says of a tensor: dtype, shape, slices.

        Raises:
          tf.errors.NotFoundError: if there is no such tensor.
          tf.errors.DataLossError: if what it says cannot be.
        """
        name = key_bytes(key)
        value = self._table.get(name) if name != HEADER_KEY else None
        if value is None:
            raise errors.NotFoundError(None, None, f"Key {key_text(name)} not found in checkpoint")
        return parse_entry(name, value)

    # --- values ---

    def read(self, key: str | bytes, part: TensorSlice | None = None, *, verify: bool = True) -> Array:
        """Reads a tensor, or a slice of it.

        Args:
          key: the name of the tensor.
          part: the slice; None for the whole tensor.
          verify: whether checksums are compared. The checksum is that of the whole tensor, or of a stored slice: to
            compare it all the bytes are read, though not kept. Without it only the bytes asked for are read.

        Returns: A new array that may be changed; `bytes` objects for strings.
        Raises:
          tf.errors.NotFoundError: if there is no such tensor, or a data file is missing.
          tf.errors.DataLossError: if what is read is damaged.
          tf.errors.InvalidArgumentError: if the stored slices of a partitioned tensor do not cover what is asked for.
          tf.errors.InternalError: if the slice is not inside the tensor.
        """
        return self.read_stored(self.entry(key), part, verify=verify)

    def read_stored(self, entry: IndexFileEntry, part: TensorSlice | None = None, *, verify: bool = True) -> Array:
        """Reads a tensor of which the entry is known; for the rest as `read`."""
        check_storable(entry.dtype, key_text(entry.key), "read", _ITERATOR_ADVICE)
        if entry.slices:
            return self._read_slices(entry, part or TensorSlice.whole(len(entry.shape)), verify)
        if part is None or box_shape(part.box(entry.shape)) == entry.shape:
            return self._read_whole(entry, verify)
        return self._read_box(entry, part.box(entry.shape), verify)

    def read_into(self, key: str | bytes, array: Array) -> None:
        """Reads a tensor into an array that is there.

        Args:
          key: the name of the tensor.
          array: the array, of the shape and dtype of the tensor; what it holds is undefined if the reading fails.

        Raises: tf.errors.InvalidArgumentError: if the array is of another shape or dtype; and what `read` raises.
        """
        entry = self.entry(key)
        if array.shape != entry.shape or array.dtype != entry.dtype.np_dtype:
            stored = f"{entry.dtype.name} {shape_brackets(entry.shape)}"
            text = f"stored: {stored}, array: {array.dtype} {shape_brackets(array.shape)}"
            raise errors.InvalidArgumentError(None, None, f"{key_text(entry.key)} does not fit into the array: {text}")
        if entry.slices or entry.dtype.np_dtype.hasobject or not array.flags.c_contiguous:
            array[...] = self.read(key)
        else:
            self._fill(entry, array, verify=True)

    def _read_whole(self, entry: IndexFileEntry, verify: bool) -> Array:
        if entry.dtype.np_dtype.hasobject:
            return self._read_strings(entry, verify)
        if entry.size <= SMALL:
            return self._read_small(entry, verify)
        self._data_file(entry).check_range(entry.offset, entry.size)
        array = empty_array(entry.shape, entry.dtype.np_dtype)
        self._fill(entry, array, verify)
        return array

    def _read_small(self, entry: IndexFileEntry, verify: bool) -> Array:
        data = self._data_file(entry).read_small(entry.offset, entry.size)
        if verify:
            self._check_crc(entry, extend(0, data))
        array = np.frombuffer(data, entry.dtype.np_dtype).reshape(entry.shape).copy()
        make_native(array, entry.dtype, is_big_endian=self._is_big_endian)
        return array

    def _fill(self, entry: IndexFileEntry, array: Array, verify: bool) -> None:
        """Reads the bytes of an entry into the memory of a contiguous array."""
        crc = self._data_file(entry).read_into(entry.offset, byte_view(array), 0 if verify else None)
        if verify:
            self._check_crc(entry, crc)
        make_native(array, entry.dtype, is_big_endian=self._is_big_endian)

    def _read_strings(self, entry: IndexFileEntry, verify: bool) -> Array:
        data = self._data_file(entry).read(entry.offset, entry.size)
        source = f"{key_text(entry.key)} of {self.prefix}"
        elements, crc = decode_strings(data, entry.element_count, is_big_endian=self._is_big_endian, source=source)
        if verify:
            self._check_crc(entry, crc)
        return string_array(elements, entry.shape)

    def _check_crc(self, entry: IndexFileEntry, crc: int) -> None:
        actual = mask(crc)
        if entry.crc32c != actual:
            source = f"TensorBundle at {self.prefix} shard {entry.shard} ({entry.size} bytes)"
            words = f"stored {entry.crc32c} vs. calculated on the restored bytes {actual}"
            message = f"{source}: Checksum does not match: {words}; tensor: {key_text(entry.key)}"
            raise errors.DataLossError(None, None, message)

    def check_files(self) -> None:
        """Checks that the data files are there and have the bytes that the index speaks of.

        Raises: tf.errors.NotFoundError: if a file is missing; DataLossError: if one ends early or the index is damaged.
        """
        for entry in self.stored_entries():
            if not entry.slices:
                self._data_file(entry).check_range(entry.offset, entry.size)

    # --- slices ---

    def _read_box(self, entry: IndexFileEntry, box: Box, verify: bool) -> Array:
        """Reads a part of what an entry has bytes for."""
        if entry.dtype.np_dtype.hasobject:
            strings: Array = self._read_strings(entry, verify)[index_of(box)]
            return strings.copy()
        file = self._data_file(entry)
        file.check_range(entry.offset, entry.size)
        array = empty_array(box_shape(box), entry.dtype.np_dtype)
        if array.size:
            crc = fill_from_box(file, entry.offset, entry.shape, box, array, verify=verify)
            if verify:
                self._check_crc(entry, crc)
        make_native(array, entry.dtype, is_big_endian=self._is_big_endian)
        return array

    def _read_slices(self, entry: IndexFileEntry, part: TensorSlice, verify: bool) -> Array:
        """Puts a part of a partitioned tensor together."""
        target = part.box(entry.shape)
        pieces = self._pieces(entry, part)
        array = empty_array(box_shape(target), entry.dtype.np_dtype)
        for piece, box in pieces:
            common = intersection(box, target)
            if common is None:
                continue
            region = array[index_of(relative(common, target))]
            if common == box and region.flags.c_contiguous and not array.dtype.hasobject:
                self._fill(piece, region, verify)
            else:
                region[...] = self._read_box(piece, relative(common, box), verify)
        return array

    def _pieces(self, entry: IndexFileEntry, part: TensorSlice) -> list[tuple[IndexFileEntry, Box]]:
        """Returns the stored slices, and where they are, that together cover a part of a partitioned tensor."""
        keys = entry.slice_keys()
        boxes = [_stored_box(entry, slice_) for slice_ in entry.slices]
        chosen = covering(boxes, part.box(entry.shape))
        if chosen is None:
            text = f"partitioned tensor {key_text(entry.key)} to restore in slice_spec: {part}"
            raise errors.InvalidArgumentError(None, None, f"Does not have sufficient slices for {text}")
        pieces = [(self._piece(entry, keys[position], boxes[position]), boxes[position]) for position in chosen]
        self._check_pieces_fit([piece for piece, _ in pieces])
        return pieces

    def _piece(self, entry: IndexFileEntry, key: bytes, box: Box) -> IndexFileEntry:
        """Returns the entry of a stored slice."""
        value = self._table.get(key)
        if value is None:
            source = f"the slice {box} of {key_text(entry.key)}"
            raise errors.DataLossError(None, None, f"Key {key_text(key)} not found in checkpoint: {source}")
        piece = parse_entry(key, value)
        if piece.shape != box_shape(box) or piece.dtype is not entry.dtype or piece.slices:
            text = f"{piece.dtype.name} {shape_brackets(piece.shape)}"
            message = f"The entry of the slice {box} of {key_text(entry.key)} does not fit the tensor: {text}"
            raise errors.DataLossError(None, None, message)
        return piece

    def _check_pieces_fit(self, pieces: list[IndexFileEntry]) -> None:
        """Checks that slices do not share bytes: a small file must not become a large tensor."""
        file_size = sum({piece.shard: self._data_file(piece).size for piece in pieces}.values())
        size = sum(piece.size for piece in pieces)
        if size > file_size:
            message = f"Read less bytes than requested: slices of {size} bytes in files of {file_size}"
            raise errors.DataLossError(None, None, message)

    # --- files ---

    def _index_status(self) -> list[tuple[int, int]]:
        """Returns what changes when another process puts a checkpoint of the same name in place of this one."""
        statuses = []
        for name in (index_name(self.prefix) + NEXT, index_name(self.prefix)):
            file_system, path = file_system_of(name)
            with suppress(OSError):
                status = file_system.status(path)
                statuses.append((status.length, status.mtime_nsec))
        return statuses

    def _open_index(self) -> tuple[TableFileReader, str]:
        """Opens the index: that of a checkpoint that is just replacing another, if there is one."""
        target = index_name(self.prefix)
        try:
            return TableFileReader(RangedFile(target + NEXT)), target + NEXT
        except errors.NotFoundError:
            return TableFileReader(RangedFile(target)), target

    def _data_file(self, entry: IndexFileEntry) -> RangedFile:
        with self._lock:
            file = self._data_files.get(entry.shard)
            if file is None:
                if not 0 <= entry.shard < self.num_shards:
                    text = f"data file {entry.shard} of {self.num_shards}"
                    raise errors.DataLossError(None, None, f"{key_text(entry.key)} of {self.prefix} would be in {text}")
                file = self._data_files[entry.shard] = self._open_data_file(entry.shard)
        return file

    def _open_data_file(self, shard: int) -> RangedFile:
        name = data_name(self.prefix, shard, self.num_shards)
        if self._is_overwriting:
            with suppress(errors.NotFoundError):  # it has been moved
                return RangedFile(name + NEXT)
        return RangedFile(name)


def _stored_box(entry: IndexFileEntry, part: TensorSlice) -> Box:
    try:
        return part.box(entry.shape)
    except errors.InternalError as error:
        raise errors.DataLossError(None, None, f"{error.message}: {key_text(entry.key)}") from None


def is_whole(prefix: str) -> bool:
    """Says whether a checkpoint can be read as far as that costs little.

    A loss of power or half a copy may leave files that end early, or miss one. The index is read, and the sizes of the
    data files are compared with it; the checksums of the tensors are not.

    >>> from millrace._src.checkpoint.bundle.reader import is_whole
    >>> is_whole("/no/such/checkpoint")
    False

    Raises: tf.errors.OpError: if the files cannot be looked at for another reason.
    """
    try:
        with BundleReader(prefix) as reader:
            reader.check_files()
    except (errors.NotFoundError, errors.DataLossError):
        return False
    return True
