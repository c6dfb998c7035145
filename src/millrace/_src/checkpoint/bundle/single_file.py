"""Checkpoints of TensorFlow's first form: a table in a single file, with the values in it.

The key "" has what is known of all tensors: names, shapes, dtypes and slices. Each slice has a key of its own, made as
in bundles, and its values in the list fields of a `TensorProto`. A tensor that is not partitioned has one slice, all of
it.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError

from millrace._src.checkpoint.bundle.ordered_code import slice_key
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import (
    DType,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint32,
    quint8,
    runtime_name,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.graph.tensor_proto import decode_listed, encode_listed
from millrace._src.proto.saved_tensor_slice_pb2 import SavedTensorSlices

META_KEY = b""
VERSION = 1
"""The version of the format that is written, and the newest that is read."""

_STORED = {
    *(bool_, complex64, complex128, float16, float32, float64, int8, int16, int32, int64),
    *(qint8, qint32, quint8, string, uint8, uint16),
}
_LARGEST_VALUE = (1 << 31) - 1  # of a protocol buffer


def check_dtype(dtype: DType) -> None:
    """Checks that files of this form can hold a dtype.

    Raises: tf.errors.UnimplementedError, tf.errors.InvalidArgumentError: as TensorFlow does, for another dtype.
    """
    if dtype in (uint32, uint64):
        message = f"Tensor slice serialization not implemented for dtype {dtype.enum}"
        raise errors.InvalidArgumentError(None, None, message)
    if dtype not in _STORED:
        raise errors.UnimplementedError(None, None, f"Saving data type {runtime_name(dtype)} not yet supported")


def encode_slice(name: bytes, part: TensorSlice, array: Array, dtype: DType) -> tuple[bytes, bytes]:
    """Returns the key and the value of a slice.

    Raises: tf.errors.InvalidArgumentError: if the values are too many for one message.
    """
    if array.nbytes > _LARGEST_VALUE:
        text = f"{name.decode(errors='replace')} has {array.nbytes} bytes"
        raise errors.InvalidArgumentError(None, None, f"Tensor slice is too large to serialize: {text}")
    values = encode_listed(array, dtype)
    values.ClearField("dtype")
    values.ClearField("tensor_shape")
    message = SavedTensorSlices()
    message.data.name = name.decode("utf-8", "surrogateescape")
    message.data.slice.CopyFrom(part.to_proto())
    message.data.data.CopyFrom(values)
    return slice_key(name, part.starts, part.lengths), message.SerializeToString(deterministic=True)


def decode_slice(value: bytes, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Returns the values of a slice.

    Raises: tf.errors.DataLossError: if the value does not hold so many.
    """
    try:
        return decode_listed(parse_value(value).data.data, dtype, shape)
    except (TypeError, ValueError) as error:
        raise errors.DataLossError(None, None, str(error)) from None


def parse_value(value: bytes) -> SavedTensorSlices:
    """Reads a value of the table.

    Raises: tf.errors.DataLossError: if it is none.
    """
    try:
        return SavedTensorSlices.FromString(value)
    except DecodeError:
        raise errors.DataLossError(None, None, "a value that is not a message SavedTensorSlices") from None
