"""Strings that carry other data: base64, raw numbers, serialized tensors.

Web-safe base64 is Python's, with TensorFlow's checks. Raw numbers are read by NumPy from the bytes of all strings at
once. A tensor is serialized as a TensorProto.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.batching_rules import as_it_is, leading
from millrace._src.ops.shape_rules import UNKNOWN, same_shape, scalar
from millrace._src.ops.strings.text_bytes import map_strings, string_array
from millrace._src.ops.type_sets import ANY, TypeSet
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"


# --- base64 ----------------------------------------------------------------------------------------------------------

_TO_WEB_SAFE = bytes.maketrans(b"+/", b"-_")
_BASE64 = re.compile(rb"[A-Za-z0-9_-]*={0,2}")


@op(
    "EncodeBase64",
    "input: string -> output: string",
    shape=same_shape,
    host_only=True,
    batching=as_it_is,
    exact_on_rows=True,
    not_differentiable=_TEXT,
)
def encode_base64_op(xp: Xp, input: Array, *, pad: bool = False) -> Array:
    """Encodes every string in web-safe base64."""
    lines = b"".join(map(binascii.b2a_base64, input.reshape(-1)))  # each ends with a line break
    texts = lines.translate(_TO_WEB_SAFE, b"" if pad else b"=").split(b"\n")
    return string_array(texts[:-1], input.shape)


@op(
    "DecodeBase64",
    "input: string -> output: string",
    shape=same_shape,
    host_only=True,
    batching=as_it_is,
    exact_on_rows=True,
    not_differentiable=_TEXT,
)
def decode_base64_op(xp: Xp, input: Array) -> Array:
    """Decodes every string from web-safe base64."""
    return map_strings(_decode_base64, input)


def _decode_base64(text: bytes) -> bytes:
    digits = text.rstrip(b"=")
    if _BASE64.fullmatch(text) is None or (digits and digits != text and len(text) % 4):
        raise invalid("Invalid character found in base64.")
    if len(text) % 4 == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    try:
        return base64.urlsafe_b64decode(digits + b"=" * (-len(digits) % 4))
    except binascii.Error:
        raise invalid("Invalid character found in base64.") from None


@export("io.encode_base64", v1=["io.encode_base64", "encode_base64"], elementwise="unary")
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Any:
    """Encodes strings in web-safe base64 (`-` and `_` instead of `+` and `/`).

    >>> tf.io.encode_base64("hello", pad=True).numpy()
    b'aGVsbG8='

    Args:
      input: a string Tensor.
      pad: whether to fill up with `=` to a multiple of four characters.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    """
    return encode_base64_op(input, pad=pad, name=name)


@export("io.decode_base64", v1=["io.decode_base64", "decode_base64"], elementwise="unary")
def decode_base64(input: TensorLike, name: str | None = None) -> Any:
    """Decodes strings from web-safe base64, with padding or without.

    >>> tf.io.decode_base64("aGVsbG8").numpy()
    b'hello'

    Args:
      input: a string Tensor.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if a string is not a base64.
    """
    return decode_base64_op(input, name=name)


# --- raw numbers -----------------------------------------------------------------------------------------------------

_PADDED_TYPES = TypeSet(
    (d.float16, d.float32, d.float64, d.int32, d.uint16, d.uint8, d.int16, d.int8, d.int64, d.bfloat16)
)
_RAW_TYPES = TypeSet(
    (
        *(d.float16, d.float32, d.float64, d.int32, d.uint16, d.uint8, d.int16, d.int8, d.int64),
        *(d.complex64, d.complex128, d.bool, d.bfloat16),
    )
)


def _check_type(dtype: DType, allowed: TypeSet) -> None:
    if dtype not in allowed:
        names = ", ".join(map(runtime_name, allowed))
        raise invalid(
            f"Value for attr 'out_type' of {runtime_name(dtype)} is not in the list of allowed values: {names}"
        )


def _numbers(data: bytes, shape: tuple[int, ...], dtype: DType, little_endian: bool) -> Array:
    """Reads packed numbers as an array that owns its memory."""
    array = np.frombuffer(data, dtype=np.uint8).reshape(-1, dtype.size)
    item = dtype.size // 2 if dtype.is_complex else dtype.size
    if little_endian != (sys.byteorder == "little"):
        array = array.reshape(-1, item)[:, ::-1]
    return np.ascontiguousarray(array).reshape(-1).view(dtype.np_dtype).reshape(shape).copy()


def _raw_shape(c: ShapeContext) -> TensorShape:
    shape = c.inputs[0].shape
    return UNKNOWN if shape.rank is None else TensorShape([*shape.as_list(), None])


@op(
    "DecodeRaw",
    "bytes: string -> output: out_type",
    out_type=_RAW_TYPES,
    shape=_raw_shape,
    host_only=True,
    batching=leading("bytes"),
    exact_on_rows=True,
    not_differentiable=_TEXT,
)
def decode_raw_op(xp: Xp, bytes: Array, *, out_type: DType, little_endian: bool = True) -> Array:
    """Reads the numbers packed in each string; all strings have the same length."""
    _check_type(out_type, _RAW_TYPES)
    texts = bytes.reshape(-1).tolist()
    size = len(texts[0]) if texts else 0
    if list(map(len, texts)).count(size) != len(texts):  # quicker than a set of the lengths
        index, other = next((index, len(text)) for index, text in enumerate(texts) if len(text) != size)
        raise invalid(
            f"DecodeRaw requires input strings to all be the same size, but element {index} has size {size} != {other}"
        )
    if size % out_type.size:
        raise invalid(
            f"Input to DecodeRaw has length {size} that is not a multiple of {out_type.size}, the size of "
            f"{runtime_name(out_type)}"
        )
    return _numbers(b"".join(texts), (*bytes.shape, size // out_type.size), out_type, little_endian)


def _padded_shape(c: ShapeContext) -> TensorShape:
    shape, length = c.shape("input_bytes"), c.value("fixed_length")
    if shape.rank is None:
        return UNKNOWN
    return TensorShape([*shape.as_list(), None if length is None else int(length) // c.attr("out_type").size])


@op(
    "DecodePaddedRaw",
    "input_bytes: string, fixed_length: int32 -> output: out_type",
    out_type=_PADDED_TYPES,
    shape=_padded_shape,
    host_only=True,
    batching=leading("input_bytes"),
    exact_on_rows=True,
    not_differentiable=_TEXT,
)
def decode_padded_raw_op(
    xp: Xp, input_bytes: Array, fixed_length: Array, *, out_type: DType, little_endian: bool = True
) -> Array:
    """Reads the numbers packed in each string, cut or filled up with zeros to `fixed_length` bytes."""
    _check_type(out_type, _PADDED_TYPES)
    length = int(fixed_length)
    if length <= 0:
        raise invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % out_type.size:
        raise invalid(f"fixed_length ({length}) must be a multiple of the size of out_type ({out_type.size})")
    data = b"".join(text[:length].ljust(length, b"\0") for text in input_bytes.reshape(-1))
    return _numbers(data, (*input_bytes.shape, length // out_type.size), out_type, little_endian)


@export("io.decode_raw", v1=[])
def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Reads the bytes of strings as packed numbers.

    >>> tf.io.decode_raw(tf.constant(b"\\x01\\x00\\x02\\x00"), tf.int16).numpy()
    array([1, 2], dtype=int16)

    Args:
      input_bytes: a string Tensor; without `fixed_length` all strings have the same length.
      out_type: the dtype of the numbers.
      little_endian: whether the least significant byte comes first.
      fixed_length: to how many bytes each string is cut or filled up with zeros; a multiple of the dtype's size.
      name: name of the operation in a graph.

    Returns: A Tensor with one more dimension than `input_bytes`.
    Raises: tf.errors.InvalidArgumentError: if lengths differ or are not a multiple of the dtype's size.
    """
    dtype = as_dtype(out_type)
    if fixed_length is not None:
        return decode_padded_raw_op(input_bytes, fixed_length, out_type=dtype, little_endian=little_endian, name=name)
    return decode_raw_op(input_bytes, out_type=dtype, little_endian=little_endian, name=name)


# --- serialized tensors ----------------------------------------------------------------------------------------------


@op("SerializeTensor", "tensor: T -> serialized: string", T=ANY, shape=scalar, host_only=True, not_differentiable=_TEXT)
def serialize_tensor_op(xp: Xp, tensor: Array, *, T: DType) -> bytes:
    """Serializes the tensor as a TensorProto."""
    from millrace._src.proto.tensor_pb2 import TensorProto  # protobuf loads only when a proto is asked for

    proto: Any = TensorProto()
    proto.dtype = T.as_datatype_enum
    proto.tensor_shape.SetInParent()
    for size in tensor.shape:
        proto.tensor_shape.dim.add(size=size)
    if T is d.string:
        proto.string_val.extend(tensor.reshape(-1).tolist())
    elif T.is_numpy_compatible:
        if tensor.size:
            proto.tensor_content = np.ascontiguousarray(tensor).tobytes()
    else:
        raise invalid(f"Tensors of dtype {T.name} cannot be serialized.")
    serialized_proto: bytes = proto.SerializeToString(deterministic=True)
    return serialized_proto


@op(
    "ParseTensor",
    "serialized: string -> output: out_type",
    out_type=ANY,
    host_only=True,
    not_differentiable=_TEXT,
)
def parse_tensor_op(xp: Xp, serialized: Array, *, out_type: DType) -> Array:
    """Reads the tensor from a serialized TensorProto."""
    from millrace._src.graph.tensor_proto import decode_tensor  # protobuf loads only when a proto is asked for
    from millrace._src.proto.tensor_pb2 import TensorProto  # protobuf loads only when a proto is asked for

    if serialized.ndim:
        raise invalid(f"Expected `serialized` to be a scalar, got shape: {shape_brackets(serialized.shape)}")
    data: bytes = serialized.item()
    proto = TensorProto()
    try:
        proto.ParseFromString(data)
    except Exception:
        base64_text = base64.b64encode(data).decode()
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {base64_text}") from None
    try:
        found_name = runtime_name(DType(proto.dtype))
    except TypeError:
        raise invalid(f"Cannot parse tensor from proto: {proto.dtype} is the number of no dtype") from None
    if proto.dtype != out_type.as_datatype_enum:
        raise invalid(f"Type mismatch between parsed tensor ({found_name}) and dtype ({runtime_name(out_type)})")
    try:
        array: Array = decode_tensor(proto)[0]
    except (ValueError, TypeError, KeyError, errors.OpError) as error:
        raise invalid(f"Cannot parse tensor from proto: {error}") from None
    return array


@export("io.serialize_tensor", v1=["io.serialize_tensor", "serialize_tensor"])
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Any:
    """Writes a tensor, dtype and shape and values, into a string.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([[1, 2]]), tf.int32).numpy()
    array([[1, 2]], dtype=int32)

    Args:
      tensor: a Tensor.
      name: name of the operation in a graph.

    Returns: A scalar string Tensor that `tf.io.parse_tensor` reads.
    """
    return serialize_tensor_op(tensor, name=name)


@export("io.parse_tensor", v1=["io.parse_tensor", "parse_tensor"])
def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Any:
    """Reads a tensor that `tf.io.serialize_tensor` wrote.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor(["a"]), tf.string).numpy()
    array([b'a'], dtype=object)

    Args:
      serialized: a scalar string Tensor, a serialized TensorProto.
      out_type: the dtype of the tensor.
      name: name of the operation in a graph.

    Returns: A Tensor.
    Raises: tf.errors.InvalidArgumentError: if the serialized tensor is malformed, or of another dtype.
    """
    return parse_tensor_op(serialized, out_type=as_dtype(out_type), name=name)
