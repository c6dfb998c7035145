"""Files of elements: TensorFlow's format for saved datasets.

A file is a row of records, one for each tensor of each element: a `TensorProto` whose content is the bytes of the
array, or, for strings, the lengths of all strings and then the strings. Where the tensors of a block have one size,
they are cut out of the records at once.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, as_dtype, resource, string, variant
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block, Column, column_of
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.variant_bytes import variant_from_bytes, variant_to_bytes
from millrace._src.graph.message_bytes import read_message
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.ops.io.record_writer import frame_records
from millrace._src.ops.io.wire_format import varint
from millrace._src.proto import tensor_pb2
from millrace._src.util.text import shape_brackets

_WINDOW_BITS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}
_RECORDS_AT_ONCE = 1024


def validate_compression(name: str) -> str:
    """Returns the compression of files for the user's name; as in TensorFlow, names other than these mean none.

    Raises: tf.errors.UnimplementedError: for snappy.
    """
    if name == "SNAPPY":
        raise errors.UnimplementedError(
            None, None, "Millrace neither writes nor reads files compressed by snappy; use GZIP, or no compression."
        )
    return name if name in _WINDOW_BITS else ""


# --- tensors -----------------------------------------------------------------------------------------------------


def record_of(array: Array, dtype: DType) -> bytes:
    """Returns an array as the bytes of a `TensorProto`.

    Raises: tf.errors.UnimplementedError: for a handle.
    """
    if dtype is resource:
        raise errors.UnimplementedError(None, None, f"Elements of dtype {dtype.name} cannot be written to files.")
    if dtype in (string, variant):
        to_bytes = bytes if dtype is string else variant_to_bytes
        strings = [to_bytes(item) for item in array.reshape(-1).tolist()]
        content = b"".join([*(varint(len(item)) for item in strings), *strings])
    else:
        content = array.tobytes()
    head = _head(dtype, array.shape)
    return head + b'"' + varint(len(content)) + content if content else head


@lru_cache(maxsize=1024)
def _head(dtype: DType, shape: tuple[int, ...]) -> bytes:
    """Returns the fields of a `TensorProto` before its content."""
    dimensions = TensorShape(shape).as_proto().SerializeToString()
    return b"\x08" + varint(dtype.as_datatype_enum) + b"\x12" + varint(len(dimensions)) + dimensions


def array_of(record: bytes, dtype: DType, shape: TensorShape, component: int) -> Array:
    """Returns the array of a record.

    Raises:
      tf.errors.InvalidArgumentError: if the array is of another dtype, or of a shape that does not fit.
      tf.errors.DataLossError: if the record is not an array, or has not the bytes that its shape takes.
    """
    proto = read_message(tensor_pb2.TensorProto, record, f"Component {component} of an element")
    if proto.dtype != dtype.as_datatype_enum:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Data type mismatch at component {component}: expected {dtype.name} but got {_dtype_name(proto.dtype)}.",
        )
    size = tuple(dim.size for dim in proto.tensor_shape.dim)
    if min(size, default=0) < 0:
        raise _damage_error(f"the array has the shape {shape_brackets(size)}")
    if not shape.is_compatible_with(size):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Incompatible shapes at component {component}: expected {shape_brackets(shape)} but got "
            f"{shape_brackets(size)}.",
        )
    if dtype is variant:
        return _variants(proto.tensor_content, size)
    if dtype == string:
        return _strings(proto.tensor_content, size)
    if len(proto.tensor_content) != math.prod(size) * dtype.size:
        raise _damage_error(f"{len(proto.tensor_content)} bytes are given for {shape_brackets(size)} of {dtype.name}")
    return np.frombuffer(proto.tensor_content, dtype.np_dtype).reshape(size)


def _dtype_name(number: int) -> str:
    try:
        return as_dtype(number).name
    except TypeError:
        return f"the unknown dtype {number}"


def _damage_error(what: str) -> errors.DataLossError:
    return errors.DataLossError(None, None, f"An element in a file is damaged: {what}.")


def _variants(content: bytes, shape: tuple[int, ...]) -> Array:
    """Returns the array of the variants whose messages stand in the content of a tensor, as strings do."""
    strings = _strings(content, shape)
    array = np.empty(shape, object)
    array.reshape(-1)[:] = [variant_from_bytes(item) for item in strings.reshape(-1).tolist()]
    return array


def _strings(content: bytes, shape: tuple[int, ...]) -> Array:
    """Returns the array of strings whose lengths and bytes stand in the content of a tensor.

    Raises: tf.errors.DataLossError: if the content is not that of so many strings.
    """
    count = math.prod(shape)
    at, size = 0, len(content)
    lengths: list[int] = []
    while len(lengths) < count:
        length = shift = 0
        while at < size and content[at] > 127:
            length |= (content[at] & 127) << shift
            shift, at = shift + 7, at + 1
        if at == size:
            raise _damage_error(f"{size} bytes are given for {count} strings")
        lengths.append(length | content[at] << shift)
        at += 1
    if at + sum(lengths) != size:
        raise _damage_error(f"{size} bytes are given for {count} strings")
    array = np.empty(shape, object)
    flat = []
    for length in lengths:
        flat.append(content[at : at + length])
        at += length
    array.reshape(-1)[:] = flat
    return array


def _column(records: Sequence[bytes], dtype: DType, shape: TensorShape, component: int) -> Column:
    """Returns the tensors of a component as a column."""
    first = array_of(records[0], dtype, shape, component)
    head = len(records[0]) - first.nbytes
    if dtype not in (string, variant) and first.nbytes and all(len(r) == len(records[0]) for r in records):
        table = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), -1)
        if (table[:, :head] == table[0, :head]).all():
            content = np.ascontiguousarray(table[:, head:])
            return content.view(dtype.np_dtype).reshape(len(records), *first.shape)
    return column_of([first, *(array_of(r, dtype, shape, component) for r in records[1:])])


# --- files -------------------------------------------------------------------------------------------------------


class ElementWriter:
    """Writes elements to a file.

    Args:
      path: the name of the file, which is emptied.
      dtypes: the dtypes of the tensors of an element.
      compression: "", "ZLIB" or "GZIP".
    """

    def __init__(self, path: str, dtypes: Sequence[DType], compression: str = "") -> None:
        self._path, self._dtypes = path, dtypes
        file_system, path_there = file_system_of(path)
        with file_errors(path):
            self._file = file_system.open(path_there, "w")
        self._compressor = zlib.compressobj(wbits=_WINDOW_BITS[compression]) if compression else None

    def write(self, block: Block) -> None:
        """Writes elements."""
        records = [
            record_of(array, dtype) for row in block.rows() for array, dtype in zip(row, self._dtypes, strict=True)
        ]
        if records:
            data = frame_records(records)
            self._write(data if self._compressor is None else self._compressor.compress(data))

    def _write(self, data: bytes) -> None:
        with file_errors(self._path):
            write_all(self._file, data)

    def close(self) -> None:
        """Finishes and closes the file."""
        if not self._file.closed:
            if self._compressor is not None:
                self._write(self._compressor.flush())
            with file_errors(self._path):
                self._file.close()


class ElementFilesCursor(Cursor):
    """Reads elements from files, one after the other.

    Args:
      paths: the names of the files.
      dtypes: the dtypes of the tensors of an element.
      shapes: their static shapes.
      compression: "", "ZLIB" or "GZIP".
    """

    __slots__ = ("_compression", "_dtypes", "_file", "_paths", "_reader", "_shapes")

    def __init__(
        self, paths: Sequence[str], dtypes: Sequence[DType], shapes: Sequence[TensorShape], compression: str = ""
    ) -> None:
        self._paths, self._dtypes, self._shapes, self._compression = paths, dtypes, shapes, compression
        self._file = 0
        self._reader: RecordReader | None = None

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the current file, or of the next file that has some."""
        while self._file < len(self._paths):
            if self._reader is None:
                self._reader = RecordReader(self._paths[self._file], self._compression)
            records = self._records(self._reader, limit)
            if records:
                return self._block(records)
            self._reader.close()
            self._reader = None
            self._file += 1
        return None

    def _records(self, reader: RecordReader, limit: int) -> list[bytes]:
        """Returns the records of whole elements."""
        width = len(self._dtypes)
        records = list(reader.read_block(min(limit, _RECORDS_AT_ONCE) * width))
        while len(records) % width:
            more = reader.read_block(width - len(records) % width)
            if not more:
                raise errors.DataLossError(None, None, f"{self._paths[self._file]}; the last element is cut off")
            records += more
        return records

    def _block(self, records: list[bytes]) -> Block:
        width = len(self._dtypes)
        types = zip(self._dtypes, self._shapes, strict=True)
        columns = [_column(records[i::width], dtype, shape, i) for i, (dtype, shape) in enumerate(types)]
        return Block(columns, len(records) // width)

    def save(self) -> State:
        """Returns the number of the file and the position there."""
        return self._file, None if self._reader is None else self._reader.position

    def restore(self, state: State) -> None:
        """Goes on at a position."""
        self._file, position = state
        if position is not None:
            self._reader = RecordReader(self._paths[self._file], self._compression, position=position)

    def close(self) -> None:
        """Closes the file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
