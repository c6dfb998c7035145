"""Saved states as bytes: every value comes back as it was; damage is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.optional_ops import OptionalValue
from millrace._src.data.sources.memory_blocks import HeldNode
from millrace._src.data.state_bytes import from_bytes, to_bytes
from tests.data.pipelines import rest


def elements_of(node: Any) -> Any:
    resource = IteratorResource(node.dtypes, node.shapes)
    resource.start(node)
    return rest(resource)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
NESTS = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
)


@given(NESTS)
def test_nests_of_plain_values_come_back(value: Any) -> None:
    assert from_bytes(to_bytes(value)) == value


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype="i2").reshape(2, 3),
        np.array(3.5, "f4"),
        np.zeros([0, 4], "c16"),
        np.array([True, False]),
        np.arange(3, dtype=">i4"),
        np.arange(12).reshape(3, 4)[:, ::2],
        np.array([1.5, -2.0]).astype(tf.bfloat16.as_numpy_dtype),
        np.array([b"a", b"", b"\xff\x00"], object),
        np.array(b"scalar", object),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_come_back(array: Any) -> None:
    again = from_bytes(to_bytes([array]))[0]
    assert again.shape == array.shape
    assert again.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(again, array)
    assert again.flags.writeable


def test_numbers_of_numpy_come_back_as_arrays() -> None:
    assert from_bytes(to_bytes(np.int32(7))) == np.array(7)


def test_optionals_come_back() -> None:
    full, empty = from_bytes(to_bytes((OptionalValue([np.array([1, 2])], [tf.int64]), OptionalValue(None, ()))))
    assert full.components[0].tolist() == [1, 2]
    assert full.dtypes == (tf.int64,)
    assert empty.components is None


def test_datasets_come_back_as_their_graphs() -> None:
    cell = np.empty([1], object)
    cell[0] = tf.data.Dataset.range(4).map(lambda x: x + 1).node
    assert elements_of(from_bytes(to_bytes([cell]))[0][0]) == [[1], [2], [3], [4]]


def test_datasets_in_memory_come_back_with_their_elements() -> None:
    windows = next(iter(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]]).window(2)))
    cell = np.empty([2], object)
    cell[:] = [windows.node, HeldNode((tf.int64,), (tf.TensorShape(None),), None)]
    full, empty = from_bytes(to_bytes([cell]))[0]
    assert elements_of(full) == [[[1, 2]], [[3, 4]]]
    assert full.shapes == windows.node.shapes
    assert elements_of(empty) == []


def test_other_objects_are_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be saved"):
        to_bytes([object()])


def test_other_bytes_are_refused() -> None:
    for text in (b"", b"something else", to_bytes([1])[:20]):
        with pytest.raises(tf.errors.DataLossError, match="not the saved state of an iterator"):
            from_bytes(text)


def test_each_changed_byte_behind_the_sizes_is_found() -> None:
    text = to_bytes([np.arange(3), "abc"])
    for index in range(29, len(text)):
        damaged = bytearray(text)
        damaged[index] ^= 1
        with pytest.raises(tf.errors.DataLossError, match="its checksum differs"):
            from_bytes(bytes(damaged))
    with pytest.raises(tf.errors.DataLossError):
        from_bytes(text[:-1])


def test_a_state_of_positions_is_small() -> None:
    iterator = tf.data.Dataset.from_tensor_slices(np.zeros([1000, 50])).batch(10).as_numpy_iterator()
    assert len(iterator.save().numpy()) < 200
