"""Tensors on the wire: NumPy arrays to `TensorProto` and back.

Problem: a `TensorProto` has two forms, raw bytes (`tensor_content`) or a list of values in a field that depends on the
dtype, and files must come out byte for byte as TensorFlow writes them.

Idea: one table row for each dtype says which list field holds the elements, which NumPy type the elements have in that
field, and whether several elements go as raw bytes. Encoding and decoding are two small functions over the table. A
list may be shorter than the tensor: the last element fills the rest. An array broadcast from one element is written
that way (and read that way, so that `tf.zeros([1000])` costs one element in memory too).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from millrace._src.core import dtypes
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.proto import tensor_pb2
from millrace._src.util.export import export


class _Wire(NamedTuple):
    """The wire form of a dtype: the list field, the NumPy type of elements there, and whether raw bytes are allowed."""

    field: str | None
    element: Any
    raw: bool
    bits: bool = False
    """Whether the list holds the element's bits rather than its value."""


_TABLE: dict[DType, _Wire] = {
    dtypes.float16: _Wire("half_val", np.uint16, True, bits=True),
    dtypes.bfloat16: _Wire("half_val", np.uint16, True, bits=True),
    dtypes.float32: _Wire("float_val", np.float32, True),
    dtypes.float64: _Wire("double_val", np.float64, True),
    dtypes.int32: _Wire("int_val", np.int32, True),
    dtypes.uint8: _Wire("int_val", np.int32, True),
    dtypes.uint16: _Wire("int_val", np.int32, False),
    dtypes.int8: _Wire("int_val", np.int32, True),
    dtypes.int16: _Wire("int_val", np.int32, True),
    dtypes.int64: _Wire("int64_val", np.int64, True),
    dtypes.uint32: _Wire("uint32_val", np.uint32, True),
    dtypes.uint64: _Wire("uint64_val", np.uint64, True),
    dtypes.bool: _Wire("bool_val", np.bool_, False),
    dtypes.qint8: _Wire("int_val", np.int32, True),
    dtypes.quint8: _Wire("int_val", np.int32, True),
    dtypes.qint16: _Wire("int_val", np.int32, True),
    dtypes.quint16: _Wire("int_val", np.int32, True),
    dtypes.qint32: _Wire("int_val", np.int32, True),
    dtypes.int4: _Wire("int_val", np.int32, False),
    dtypes.uint4: _Wire("int_val", np.int32, False),
    dtypes.int2: _Wire("int_val", np.int32, False),
    dtypes.uint2: _Wire("int_val", np.int32, False),
    dtypes.complex64: _Wire("scomplex_val", np.float32, False),
    dtypes.complex128: _Wire("dcomplex_val", np.float64, False),
    dtypes.string: _Wire("string_val", object, False),
    dtypes.float8_e5m2: _Wire("float8_val", np.uint8, True, bits=True),
    dtypes.float8_e4m3fn: _Wire("float8_val", np.uint8, True, bits=True),
    dtypes.float4_e2m1fn: _Wire("float8_val", np.uint8, True, bits=True),
    dtypes.float8_e4m3fnuz: _Wire(None, np.uint8, True),
    dtypes.float8_e4m3b11fnuz: _Wire(None, np.uint8, True),
    dtypes.float8_e5m2fnuz: _Wire(None, np.uint8, True),
}

_MAX_BYTES = 1 << 31


# --- arrays to protos --------------------------------------------------------------------------------------------


def encode_tensor(array: Array, dtype: DType) -> tensor_pb2.TensorProto:
    """Writes an array of `dtype`'s storage type; an array broadcast from one element is written as that element."""
    if array.size > 1 and all(step == 0 for step, dim in zip(array.strides, array.shape) if dim != 1):
        return _encode(array.reshape(-1)[:1], dtype, array.shape)
    return _encode(array, dtype, array.shape)


def encode_listed(array: Array, dtype: DType) -> tensor_pb2.TensorProto:
    """Writes an array with each element in the list field of its dtype, as variants hold tensors.

    Raises: TypeError: for a dtype without a list field.
    """
    wire = _TABLE.get(dtype)
    if wire is None or wire.field is None:
        raise TypeError(f"Element type not supported in TensorProto: {dtype.name}.")
    proto = tensor_pb2.TensorProto(dtype=cast(Any, dtype.enum))
    proto.tensor_shape.SetInParent()
    for dim in array.shape:
        proto.tensor_shape.dim.add(size=dim)
    if wire.field == "float8_val":
        proto.float8_val = array.tobytes()
    else:
        getattr(proto, wire.field).extend(_list_elements(array.reshape(-1), wire))
    return proto


def _encode(array: Array, dtype: DType, shape: Sequence[int]) -> tensor_pb2.TensorProto:
    """Writes `array` as a tensor of `shape`; if `shape` has more elements, the last element of `array` repeats."""
    dtype = dtype.base_dtype
    proto = tensor_pb2.TensorProto(dtype=cast(Any, dtype.enum))
    proto.tensor_shape.SetInParent()
    for dim in shape:
        proto.tensor_shape.dim.add(size=dim)
    wire = _TABLE.get(dtype)
    if wire is not None and wire.raw and array.size > 1 and array.size == math.prod(shape):
        if array.nbytes >= _MAX_BYTES:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        proto.tensor_content = _little_endian(array).tobytes()
    elif wire is None or wire.field is None:
        raise TypeError(f"Element type not supported in TensorProto: {dtype.name}.")
    elif wire.field == "float8_val":
        proto.float8_val = array.tobytes() if array.size else b""
    else:
        getattr(proto, wire.field).extend(_list_elements(array.reshape(-1), wire))
    return proto


def _little_endian(array: Array) -> Array:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _list_elements(flat: Array, wire: _Wire) -> list[Any]:
    """Returns the elements as Python values of the list field."""
    if wire.element is object:
        return [_as_bytes(item) for item in flat.tolist()]
    if flat.dtype.kind == "c":
        return np.ascontiguousarray(flat).view(wire.element).tolist()
    listed = flat.view(wire.element) if wire.bits else flat.astype(wire.element)
    return listed.tolist()


def _as_bytes(item: object) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode("utf-8", "surrogateescape")
    raise TypeError(f"Expected binary or unicode string, got {item!r}")


@export("make_tensor_proto")
def make_tensor_proto(
    values: object, dtype: object = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> tensor_pb2.TensorProto:
    """Creates a `TensorProto`.

    >>> tf.make_tensor_proto([1, 2], dtype=tf.int64).int64_val
    []
    >>> tf.make_tensor_proto(7, shape=[3]).int_val
    [7]

    Args:
        values: a Python value or nested list, a NumPy array, an eager tensor, or a `TensorProto`, which is returned
            unchanged.
        dtype: the dtype of the result; None infers the dtype.
        shape: the shape of the result; None takes the shape of `values`. A larger shape repeats the last value.
        verify_shape: whether `values` must have exactly `shape`.
        allow_broadcast: whether a single value may fill `shape`; otherwise sizes must agree.

    Raises:
        TypeError: if the values have no tensor form of that dtype, or not the required shape.
        ValueError: if both flags are set, or `values` is None, is ragged or does not fit into `shape`.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if getattr(getattr(values, "DESCRIPTOR", None), "name", None) == "TensorProto":
        return cast(tensor_pb2.TensorProto, values)
    wanted_dtype = None if dtype is None else as_dtype(dtype).base_dtype
    array, found_dtype = _array_of(values, wanted_dtype, shape)
    if wanted_dtype is not None and wanted_dtype is not found_dtype:
        raise TypeError(f"`dtype` {wanted_dtype} is not compatible with {values} of dtype {array.dtype}.")
    dims = array.shape if shape is None else tuple(int(dim) for dim in shape)
    _check_size(array, dims, verify_shape, allow_broadcast)
    return _encode(array, found_dtype, dims)


def _check_size(array: Array, dims: tuple[int, ...], verify_shape: bool, allow_broadcast: bool) -> None:
    wrong = allow_broadcast and array.shape not in ((), (1,)) and array.size != math.prod(dims)
    if wrong or (verify_shape and array.shape != dims):
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    if array.size > math.prod(dims):
        raise ValueError(f"Too many elements provided. Takes at most {math.prod(dims)}, but got {array.size}.")


def _array_of(values: object, dtype: DType | None, shape: Any) -> tuple[Array, DType]:
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, EagerTensor):
        values = (
            values._eager_array
            if dtype is None or dtype.is_quantized
            else values._eager_array.astype(dtype.as_numpy_dtype)
        )
        return values, dtype if dtype is not None and dtype.is_quantized else as_dtype(values.dtype)
    if isinstance(values, (np.ndarray, np.generic)):
        return _as_stored(np.asarray(values), dtype)
    if shape is not None and math.prod(int(dim) for dim in shape) == 0:
        kind = dtype or dtypes.float32
        return np.empty([int(dim) for dim in shape], kind.np_dtype), kind
    _refuse_misfits(values, dtype)
    if dtype is not None and dtype.is_quantized:
        return _as_stored(np.array(values, dtype=dtype.as_numpy_dtype), dtype)
    array, found_dtype = _convert(values, dtype)
    nested = _nested_shape(values)
    if array.shape != nested:
        raise ValueError(
            f"Expected values {values!r} to be a dense tensor with shape {list(nested)}, "
            f"but got shape {list(array.shape)}."
        )
    return array, found_dtype


def _convert(values: object, dtype: DType | None) -> tuple[Array, DType]:
    """Converts a Python value to an array; numbers too large for `dtype` wrap around as in NumPy, unlike in
    `tf.constant`.
    """
    array = np.array(values)
    if array.dtype.kind in "SU" and all(isinstance(item, (str, bytes)) for item in _leaves(values)):
        return np.array(values, dtype=object), dtypes.string
    if array.dtype.kind not in "biufc":
        raise TypeError(
            f"Failed to convert elements of {values} to Tensor. Consider casting elements to a supported type. See "
            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
        )
    if dtype is None:
        dtype = _default_dtype(array)
    if not dtype.is_numpy_compatible:
        return array, as_dtype(array.dtype)
    with np.errstate(all="ignore"):
        return array.astype(dtype.np_dtype), dtype


def _leaves(values: object) -> list[Any]:
    """Lists the elements of nested lists and tuples."""
    if isinstance(values, (list, tuple)):
        return [leaf for item in values for leaf in _leaves(item)]
    return [values]


def _default_dtype(array: Array) -> DType:
    """Returns the dtype that TensorFlow gives Python numbers: float32 for floats, int32 for integers that fit."""
    if array.dtype == np.float64:
        return dtypes.float32
    if array.dtype == np.int64 and np.array_equal(array, array.astype(np.int32)):
        return dtypes.int32
    return as_dtype(array.dtype)


def _as_stored(array: Array, dtype: DType | None) -> tuple[Array, DType]:
    """Returns a NumPy array in the storage type of its dtype: NumPy stores quantized types as records, Millrace as
    integers.
    """
    if dtype is not None and dtype.is_numpy_compatible and not (dtype is dtypes.string and array.dtype.kind in "SU"):
        array = array.astype(dtype.as_numpy_dtype)
    array_dtype = as_dtype(array.dtype)
    if array_dtype.is_quantized:
        return array.view(array_dtype.np_dtype).reshape(array.shape), array_dtype
    if array_dtype is dtypes.string:
        return array.astype(object), array_dtype
    return array.astype(array.dtype.newbyteorder("="), copy=False), array_dtype


def _nested_shape(values: object) -> tuple[int, ...]:
    """Returns the shape that the nesting of lists and tuples suggests."""
    dims: list[int] = []
    while isinstance(values, (list, tuple)):
        dims.append(len(values))
        if not values:
            break
        values = values[0]
    return tuple(dims)


_FITS: dict[str, tuple[type, ...]] = {
    "int": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
    "complex": (int, float, complex, np.number),
    "bool": (bool, np.bool_),
    "string": (str, bytes, np.str_, np.bytes_),
    "quantized": (tuple,),
}


def _family(dtype: DType) -> str | None:
    for family in ("complex", "bool", "quantized"):
        if getattr(dtype, f"is_{family}"):
            return family
    if dtype is dtypes.string:
        return "string"
    return "int" if dtype.is_integer else "float" if dtype.is_floating else None


def _refuse_misfits(values: object, dtype: DType | None) -> None:
    """Raises TypeError for the first element that is a tensor or does not fit `dtype`."""
    family = None if dtype is None else _family(dtype)
    if isinstance(values, list) or (isinstance(values, tuple) and family != "quantized"):
        for item in values:
            _refuse_misfits(item, dtype)
    elif isinstance(values, Tensor):
        raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    elif isinstance(values, (int, float, complex, str, bytes, np.generic)) and family is not None and dtype is not None:
        if not isinstance(values, _FITS[family]):
            raise TypeError(f"Expected {dtype.name}, but got {values!s} of type '{type(values).__name__}'.")


# --- protos to arrays --------------------------------------------------------------------------------------------


def decode_tensor(proto: Any) -> tuple[Array, DType]:
    """Reads a `TensorProto` of any package: the array in its dtype's storage type, read-only, and the dtype.

    Raises:
        TypeError: if the dtype has no values on the wire (resource, variant, references).
        ValueError: if contents and shape disagree.
    """
    dtype = as_dtype(proto.dtype)
    wire = _TABLE.get(dtype)
    if wire is None:
        raise TypeError(
            f"Unsupported tensor type: {proto.dtype}. See https://www.tensorflow.org/api_docs/python/tf/dtypes "
            "for supported TF dtypes."
        )
    shape = () if proto.tensor_shape.unknown_rank else tuple(dim.size for dim in proto.tensor_shape.dim)
    if any(dim < 0 for dim in shape):
        raise ValueError(f"TensorProto: the shape {list(shape)} is not fully defined.")
    if proto.tensor_content:
        elements = _from_content(proto.tensor_content, dtype, math.prod(shape))
        return elements.reshape(shape), dtype
    elements = _from_list(proto, dtype, wire)
    return _fill(elements, shape), dtype


def decode_listed(proto: object, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Reads the elements that a `TensorProto` has in the list field of a dtype, whatever dtype and shape it states.

    Raises:
        TypeError: for a dtype without a list field.
        ValueError: if there are not as many elements as the shape asks for.
    """
    wire = _TABLE.get(dtype)
    if wire is None or wire.field is None:
        raise TypeError(f"Element type not supported in TensorProto: {dtype.name}.")
    elements = _from_list(proto, dtype, wire)
    if elements.size != math.prod(shape):
        raise ValueError(f"TensorProto: {elements.size} values for the shape {list(shape)}.")
    return elements.reshape(shape)


def _from_content(content: bytes, dtype: DType, size: int) -> Array:
    if dtype is dtypes.string:
        return _strings_from_content(content, size)
    byte_count = size * dtype.np_dtype.itemsize
    if len(content) != byte_count:
        raise ValueError(
            f"TensorProto: tensor_content has {len(content)} bytes, but {size} x {dtype.name} take {byte_count}."
        )
    array = np.frombuffer(content, dtype=dtype.np_dtype.newbyteorder("<"))
    return array.astype(dtype.np_dtype, copy=False)


def _strings_from_content(content: bytes, size: int) -> Array:
    """Reads `size` varint lengths followed by the bytes of all strings."""
    lengths, position = [], 0
    for _ in range(size):
        length = shift = 0
        while True:
            if position >= len(content):
                raise ValueError("TensorProto: tensor_content ends within the lengths of its strings.")
            byte = content[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    if position + sum(lengths) != len(content):
        raise ValueError("TensorProto: tensor_content does not have the length that its strings announce.")
    array = np.empty(size, dtype=object)
    for index, length in enumerate(lengths):
        array[index] = content[position : position + length]
        position += length
    return array


def _from_list(proto: object, dtype: DType, wire: _Wire) -> Array:
    """Returns all values of the list field."""
    if wire.field is None:
        return np.empty(0, dtype.np_dtype)
    values = getattr(proto, wire.field)
    if wire.field == "float8_val":
        return np.frombuffer(values, dtype=dtype.np_dtype)
    if dtype is dtypes.string:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
        return array
    if dtype.is_complex:
        pairs = np.array(values, dtype=wire.element)
        return pairs[: len(pairs) // 2 * 2].view(dtype.np_dtype)
    if wire.bits:
        return np.array(values, dtype=np.int64).astype(wire.element).view(dtype.np_dtype)
    return np.array(values, dtype=wire.element).astype(dtype.np_dtype, copy=False)


def _fill(flat: Array, shape: tuple[int, ...]) -> Array:
    """Gives a list of values the tensor's shape: the last value repeats, none at all means zeros.

    Raises: ValueError: if the tensor is larger than any message with all elements.
    """
    size = math.prod(shape)
    if flat.size >= size:
        return flat[:size].reshape(shape)
    if size * flat.itemsize > _MAX_BYTES:
        what = f"{flat.size} values for the shape {list(shape)}"
        raise ValueError(f"TensorProto: {what}; no tensor of a file is so large.")
    if flat.size > 1:
        return np.concatenate([flat, np.broadcast_to(flat[-1:], (size - flat.size,))]).reshape(shape)
    if flat.size == 0:
        flat = np.zeros(1, flat.dtype) if flat.dtype.kind != "O" else np.array([b""], dtype=object)
    return np.broadcast_to(flat.reshape(()), shape)


@export("make_ndarray")
def make_ndarray(tensor: Any) -> Any:
    """Creates a NumPy array from a `TensorProto`.

    >>> tf.make_ndarray(tf.make_tensor_proto([[1, 2], [3, 4]]))
    array([[1, 2],
           [3, 4]], dtype=int32)

    Args:
        tensor: a `TensorProto`.

    Returns:
        A new array of the proto's shape and dtype; strings are objects of type bytes.

    Raises:
        TypeError: the dtype has no NumPy form.
        ValueError: the values do not fit the shape.
    """
    array, dtype = decode_tensor(tensor)
    wire = _TABLE[dtype]
    if not tensor.tensor_content and wire.field is not None:
        given_count = len(getattr(tensor, wire.field)) // (2 if dtype.is_complex else 1)
        if given_count > array.size:
            raise ValueError(f"make_ndarray: {given_count} values do not fit into shape {list(array.shape)}.")
    if dtype.is_quantized:
        return np.array(array).view(dtype.as_numpy_dtype)
    return np.array(array)
