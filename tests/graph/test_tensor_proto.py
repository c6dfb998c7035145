"""TensorProto, both ways; the bytes themselves are compared with TensorFlow's in tests/formats."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from millrace._src.core import dtypes
from millrace._src.graph.tensor_proto import decode_tensor, encode_tensor, make_ndarray, make_tensor_proto
from millrace._src.proto import tensor_pb2

WRITABLE = [d for d in dtypes.ALL_DTYPES if d.name not in ("resource", "variant")]


def _sample(dtype: dtypes.DType, shape: tuple[int, ...]) -> np.ndarray:
    flat = np.arange(int(np.prod(shape))) % 2
    if dtype is dtypes.string:
        array = np.empty(flat.shape, object)
        array[:] = [b"x" * int(v) for v in flat]
        return array.reshape(shape)
    return flat.astype(np.float32).astype(dtype.np_dtype).reshape(shape)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", WRITABLE, ids=lambda d: d.name)
def test_every_dtype_survives_encoding(dtype: dtypes.DType, shape: tuple[int, ...]) -> None:
    array = _sample(dtype, shape)
    if dtype.name in ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz") and array.size < 2:
        with pytest.raises(TypeError, match="Element type not supported in TensorProto"):
            encode_tensor(array, dtype)
        return
    proto = tensor_pb2.TensorProto.FromString(encode_tensor(array, dtype).SerializeToString())
    decoded, found = decode_tensor(proto)
    assert found is dtype and decoded.dtype == dtype.np_dtype and decoded.shape == shape
    assert decoded.tolist() == array.tolist()


@given(hnp.arrays(st.sampled_from([np.float32, np.int64, np.complex64]), hnp.array_shapes(min_dims=0, max_dims=3)))
def test_any_array_survives_encoding(array: np.ndarray) -> None:
    decoded = make_ndarray(make_tensor_proto(array))
    np.testing.assert_array_equal(decoded, array)
    assert decoded.dtype == array.dtype


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_strings_written_as_raw_bytes_are_read(items: list[bytes]) -> None:
    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    content = b"".join(varint(len(item)) for item in items) + b"".join(items)
    proto = tensor_pb2.TensorProto(dtype=7, tensor_content=content)
    proto.tensor_shape.dim.add(size=len(items))
    assert decode_tensor(proto)[0].tolist() == (items if content else [b""] * len(items))


@pytest.mark.parametrize("content", [b"\x05", b"\x02a", b"\x80", b"\x01abc"])
def test_broken_string_contents_are_refused(content: bytes) -> None:
    proto = tensor_pb2.TensorProto(dtype=7, tensor_content=content)
    with pytest.raises(ValueError, match="tensor_content"):
        decode_tensor(proto)


def test_contents_of_the_wrong_size_are_refused() -> None:
    proto = tensor_pb2.TensorProto(dtype=1, tensor_content=b"abcd")
    proto.tensor_shape.dim.add(size=2)
    with pytest.raises(ValueError, match="4 bytes, but 2 x float32 take 8"):
        decode_tensor(proto)


def test_shape_with_unknown_dimension_is_refused() -> None:
    proto = tensor_pb2.TensorProto(dtype=1, float_val=[1.0])
    proto.tensor_shape.dim.add(size=-1)
    with pytest.raises(ValueError, match="not fully defined"):
        decode_tensor(proto)


def test_values_beyond_the_shape_are_dropped_when_a_graph_is_read_but_refused_by_make_ndarray() -> None:
    proto = tensor_pb2.TensorProto(dtype=1, float_val=[1.0, 2.0])
    assert decode_tensor(proto)[0].tolist() == 1.0
    with pytest.raises(ValueError, match="2 values do not fit"):
        make_ndarray(proto)


def test_integers_too_large_for_the_dtype_wrap() -> None:
    proto = tensor_pb2.TensorProto(dtype=6, int_val=[300, -1])
    proto.tensor_shape.dim.add(size=2)
    assert decode_tensor(proto)[0].tolist() == [44, -1]


def test_resource_has_no_ndarray() -> None:
    with pytest.raises(TypeError, match="Unsupported tensor type: 20"):
        make_ndarray(tensor_pb2.TensorProto(dtype=20))


def test_broadcast_array_costs_one_element() -> None:
    proto = encode_tensor(np.broadcast_to(np.float32(7), (1000, 1000)), dtypes.float32)
    assert list(proto.float_val) == [7.0] and not proto.tensor_content
    decoded, _ = decode_tensor(proto)
    assert decoded.shape == (1000, 1000) and decoded.strides == (0, 0)
    assert encode_tensor(decoded, dtypes.float32) == proto


def test_partly_broadcast_array_is_written_in_full() -> None:
    proto = encode_tensor(np.broadcast_to(np.array([1, 2], np.int32), (3, 2)), dtypes.int32)
    assert make_ndarray(proto).tolist() == [[1, 2]] * 3


def test_ndarray_is_new_and_writable() -> None:
    proto = make_tensor_proto([1, 2, 3])
    array = make_ndarray(proto)
    array[0] = 9
    assert make_ndarray(proto).tolist() == [1, 2, 3]


def test_bytes_are_little_endian() -> None:
    swapped = np.array([1, 2], dtype=np.dtype(np.int32).newbyteorder(">"))
    assert make_tensor_proto(swapped) == make_tensor_proto([1, 2])


def test_eager_tensor_of_bfloat16() -> None:
    array = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    assert make_ndarray(make_tensor_proto(tf.convert_to_tensor(array))).tolist() == [1.5, 2.5]


def test_protos_of_another_package_are_read() -> None:
    class Other:
        DESCRIPTOR = type("D", (), {"name": "TensorProto"})

    other = Other()
    assert make_tensor_proto(other) is other
