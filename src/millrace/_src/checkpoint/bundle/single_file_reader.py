"""Reading checkpoints of TensorFlow's first form: a file, or several files that a pattern matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from millrace._src.checkpoint.bundle.index_file import IndexFileEntry, key_bytes, key_text, read_dtype, read_shape
from millrace._src.checkpoint.bundle.open_checkpoint import OpenCheckpoint
from millrace._src.checkpoint.bundle.ordered_code import slice_key
from millrace._src.checkpoint.bundle.partitions import covering
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.single_file import META_KEY, VERSION, decode_slice, parse_value
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.tensor_slices import (
    Box,
    TensorSlice,
    box_shape,
    index_of,
    intersection,
    relative,
)
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.ops.io.file_patterns import matching_names
from millrace._src.proto.saved_tensor_slice_pb2 import SavedSliceMeta, SavedTensorSliceMeta
from millrace._src.util.text import shape_brackets


@dataclass
class _Tensor:
    """What the files say of a tensor, and which table has which of its slices."""

    dtype: DType
    shape: tuple[int, ...]
    slices: list[TensorSlice] = field(default_factory=list)
    tables: list[TableFileReader] = field(default_factory=list)


class SingleFileReader(OpenCheckpoint):
    """A checkpoint of the first form that is open for reading; a context manager, which closes the files.

    Args: pattern: the name of the file, or a pattern such as `model-?????-of-00003`.
    Raises:
      tf.errors.NotFoundError: if no file matches.
      tf.errors.DataLossError: if a file is damaged, or is of another form.
      tf.errors.InternalError: if files contradict each other.
    """

    def __init__(self, pattern: str) -> None:
        self.prefix = pattern
        self._tables: list[TableFileReader] = []
        self._tensors: dict[bytes, _Tensor] = {}
        names = sorted(matching_names(pattern))
        if not names:
            message = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}"
            raise errors.NotFoundError(None, None, message)
        try:
            for name in names:
                self._add_file(name)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the files."""
        for table in self._tables:
            table.close()

    # --- what there is ---

    def __contains__(self, key: str | bytes) -> bool:
        return key_bytes(key) in self._tensors

    def entries(self) -> list[IndexFileEntry]:
        """Returns what the checkpoint says of each tensor, in the order of the names."""
        return [self.entry(key) for key in sorted(self._tensors)]

    def entry(self, key: str | bytes) -> IndexFileEntry:
        """Returns what the checkpoint says of a tensor: dtype, shape, slices.

        Raises: tf.errors.NotFoundError: if there is no such tensor.
        """
        name = key_bytes(key)
        tensor = self._tensors.get(name)
        if tensor is None:
            text = f'Tensor name "{key_text(name)}" not found in checkpoint files {self.prefix}'
            raise errors.NotFoundError(None, None, text)
        is_one = len(tensor.slices) == 1 and tensor.slices[0].is_whole
        return IndexFileEntry(name, tensor.dtype, tensor.shape, 0, 0, 0, 0, () if is_one else tuple(tensor.slices))

    # --- values ---

    def read(self, key: str | bytes, part: TensorSlice | None = None) -> Array:
        """Reads a tensor, or a slice of it.

        Args:
          key: the name of the tensor.
          part: the slice; None for the whole tensor.

        Returns: A new array that may be changed; `bytes` objects for strings.
        Raises:
          tf.errors.NotFoundError: if there is no such tensor.
          tf.errors.DataLossError: if what is read is damaged.
          tf.errors.InvalidArgumentError: if the stored slices do not cover what is asked for.
          tf.errors.InternalError: if the slice is not inside the tensor.
        """
        return self.read_stored(self.entry(key), part)

    def read_stored(self, entry: IndexFileEntry, part: TensorSlice | None = None) -> Array:
        """Reads a tensor of which the entry is known; for the rest as `read`."""
        tensor = self._tensors[entry.key]
        part = part or TensorSlice.whole(len(entry.shape))
        target = part.box(tensor.shape)
        boxes = [stored.box(tensor.shape) for stored in tensor.slices]
        chosen = covering(boxes, target)
        if chosen is None:
            text = f"no slices in {self.prefix} cover the slice {part} of {key_text(entry.key)}"
            raise errors.InvalidArgumentError(None, None, f"Error copying slice data: {text}")
        pieces = [(self._slice(entry.key, tensor, position, boxes[position]), boxes[position]) for position in chosen]
        return _assemble(pieces, target, tensor.dtype)

    def _slice(self, name: bytes, tensor: _Tensor, position: int, box: Box) -> Array:
        part, table = tensor.slices[position], tensor.tables[position]
        value = table.get(slice_key(name, part.starts, part.lengths))
        if value is None:
            text = f"the slice {part} of {key_text(name)} is missing in {self.prefix}"
            raise errors.DataLossError(None, None, f"Error copying slice data: {text}")
        return decode_slice(value, tensor.dtype, box_shape(box))

    # --- opening ---

    def _add_file(self, name: str) -> None:
        try:
            table = TableFileReader(RangedFile(name))
        except (errors.DataLossError, errors.FailedPreconditionError) as error:
            hint = "perhaps your file is in a different file format and you need to use a different restore operator?"
            message = f"Unable to open table file {name}: {error.message}: {hint}"
            raise errors.DataLossError(None, None, message) from None
        self._tables.append(table)
        for meta in _meta(table, name).tensor:
            self._add_tensor(meta, table)

    def _add_tensor(self, meta: SavedSliceMeta, table: TableFileReader) -> None:
        name = key_bytes(meta.name)
        found_tensor = _Tensor(read_dtype(meta.type, name), read_shape(meta.shape, name))
        tensor = self._tensors.setdefault(name, found_tensor)
        if tensor.shape != found_tensor.shape:
            shapes = f"existing = {shape_brackets(tensor.shape)}, new = {shape_brackets(found_tensor.shape)}"
            message = f"Incompatible tensor shapes detected for tensor {meta.name}: {shapes}"
            raise errors.InternalError(None, None, message)
        if tensor.dtype is not found_tensor.dtype:
            dtypes = f"existing = {tensor.dtype.name}, new = {found_tensor.dtype.name}"
            message = f"Incompatible tensor types detected for tensor {meta.name}: {dtypes}"
            raise errors.InternalError(None, None, message)
        for part in map(TensorSlice.from_proto, meta.slice):
            _check_inside(part, tensor.shape, meta.name)
            tensor.slices.append(part)
            tensor.tables.append(table)


def _meta(table: TableFileReader, name: str) -> SavedTensorSliceMeta:
    """Reads what a file says of its tensors."""
    try:
        value = table.get(META_KEY)
        meta = parse_value(value).meta if value is not None else None
    except errors.DataLossError:
        meta = None
    if meta is None:
        message = f"Failed to find the saved tensor slices at the beginning of the checkpoint file: {name}"
        raise errors.DataLossError(None, None, message)
    if meta.versions.min_consumer > VERSION or VERSION in meta.versions.bad_consumers:
        message = f"Checkpoint min consumer version {meta.versions.min_consumer} above current version {VERSION}"
        raise errors.InvalidArgumentError(None, None, f"{message}. Please upgrade. File: {name}")
    return meta


def _check_inside(part: TensorSlice, shape: tuple[int, ...], name: str) -> None:
    try:
        part.box(shape)
    except errors.InternalError as error:
        raise errors.DataLossError(None, None, f"{error.message}: {name}") from None


def _assemble(pieces: Iterable[tuple[Array, Box]], target: Box, dtype: DType) -> Array:
    """Puts arrays of boxes together to the array of a box that they cover."""
    array = np.empty(box_shape(target), dtype.np_dtype)
    for piece, box in pieces:
        common = intersection(box, target)
        if common is not None:
            array[index_of(relative(common, target))] = piece[index_of(relative(common, box))]
    return array
