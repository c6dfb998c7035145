"""Writing a checkpoint of TensorFlow's first form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from millrace._src.checkpoint.bundle.index_file import key_bytes, key_text
from millrace._src.checkpoint.bundle.single_file import META_KEY, VERSION, check_dtype, encode_slice
from millrace._src.checkpoint.bundle.table_writer import TableWriter
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, from_np
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto.saved_tensor_slice_pb2 import SavedSliceMeta, SavedTensorSlices
from millrace._src.util.text import shape_brackets


class SingleFileWriter:
    """A checkpoint in one file; the file appears as a whole when the writer is finished.

    The values stay in memory until then, since the first thing in the file is what is known of all tensors.

    >>> import os, tempfile
    >>> import numpy as np
    >>> from millrace._src.checkpoint.bundle.single_file_reader import SingleFileReader
    >>> from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
    >>> name = os.path.join(tempfile.mkdtemp(), "model.ckpt")
    >>> writer = SingleFileWriter(name)
    >>> writer.add("weights", np.arange(3.0))
    >>> writer.finish()
    >>> with SingleFileReader(name) as reader:
    ...     print(reader.read("weights"))
    [0. 1. 2.]

    Args: name: the name of the file. The directory exists.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._tensors: dict[bytes, SavedSliceMeta] = {}
        self._values: dict[bytes, bytes] = {}

    def add(self, key: str | bytes, array: Array, dtype: DType | None = None) -> None:
        """Adds a tensor.

        Args:
          key: the name of the tensor.
          array: the values: numbers, or an array of `bytes` objects for strings.
          dtype: the dtype, where the array does not tell: quantized types are integers in memory.

        Raises:
          tf.errors.InvalidArgumentError: if the tensor was added before, or the dtype cannot be written.
          tf.errors.UnimplementedError: if the dtype cannot be written.
        """
        array = np.asarray(array)
        self.add_slice(key, array.shape, TensorSlice.whole(array.ndim), array, dtype)

    def add_slice(
        self, key: str | bytes, full_shape: Sequence[int], part: TensorSlice, array: Array, dtype: DType | None = None
    ) -> None:
        """Adds a slice of a partitioned tensor.

        Args:
          key: the name of the whole tensor.
          full_shape: the shape of the whole tensor.
          part: where the slice is.
          array: the values of the slice.
          dtype: the dtype, where the array does not tell.

        Raises:
          tf.errors.InternalError: if other slices are of a tensor of another shape or dtype.
          tf.errors.InvalidArgumentError: if the slice was added before, or the dtype cannot be written.
          tf.errors.UnimplementedError: if the dtype cannot be written.
        """
        name, array = key_bytes(key), np.asarray(array)
        if not _is_text(name):
            raise errors.InvalidArgumentError(None, None, f"The name {name!r} is not UTF-8, which this form asks for")
        dtype = dtype or from_np(array.dtype)
        check_dtype(dtype)
        tensor = self._tensor(name, tuple(full_shape), dtype)
        slice_name, value = encode_slice(name, part, array, dtype)
        if slice_name in self._values:
            raise errors.InvalidArgumentError(None, None, f"Adding duplicate key: {key_text(name)} {part}".rstrip())
        tensor.slice.append(part.to_proto())
        self._values[slice_name] = value

    def _tensor(self, name: bytes, shape: tuple[int, ...], dtype: DType) -> SavedSliceMeta:
        """Returns what is known of a tensor, and checks that the next slice belongs to it."""
        tensor = self._tensors.get(name)
        if tensor is None:
            tensor = self._tensors[name] = SavedSliceMeta(name=key_text(name), type=cast(Any, dtype.enum))
            tensor.shape.SetInParent()
            for size in shape:
                tensor.shape.dim.add(size=size)
        known_shape = tuple(dimension.size for dimension in tensor.shape.dim)
        if known_shape != shape:
            text = f"existing tensor = {shape_brackets(known_shape)}, trying to add name {key_text(name)}"
            message = f"Mismatching shapes: {text}, shape = {shape_brackets(shape)}"
            raise errors.InternalError(None, None, message)
        if tensor.type != dtype.enum:
            text = f"existing = {DType(tensor.type).name}, trying to add name {key_text(name)}, type = {dtype.name}"
            raise errors.InternalError(None, None, f"Mismatching types: {text}")
        return tensor

    def finish(self) -> None:
        """Writes the file.

        Raises: tf.errors.OpError: if the file cannot be written; the one that was there before stays.
        """
        meta = SavedTensorSlices()
        meta.meta.versions.producer = VERSION
        for name in sorted(self._tensors):
            meta.meta.tensor.append(self._tensors[name])
        with atomic_write(self._name) as file:
            table = TableWriter(file.write)
            table.add(META_KEY, meta.SerializeToString(deterministic=True))
            for key in sorted(self._values):
                table.add(key, self._values[key])
            table.finish()


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
