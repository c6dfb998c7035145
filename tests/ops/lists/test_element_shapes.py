"""What list ops know and refuse while a graph is built; the words are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops
Call = Callable[[Any], Any]

PUSHED = (
    "Trying to push to list with wrong element dtype. List has type float but trying to push element with type int32"
)
POPPED = (
    "Trying to read from list with wrong element dtype. List has type float but trying to push element with type int32"
)
STACKED = "Trying to read from list with wrong element dtype. List has type float but expected type int32"
EXPECTED = "Expected list with element dtype int32 but got list with element dtype float"
JOINED = "input_a.type != element_dtype: float vs. int32"


@pytest.fixture
def handle() -> Iterator[Any]:
    """Yields a list of three float32 vectors of two numbers, in a graph."""
    with tf.Graph().as_default():
        yield raw.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda h: raw.TensorListPushBack(input_handle=h, tensor=tf.ones([2], tf.int32)), PUSHED),
        (
            lambda h: raw.TensorListPushBackBatch(input_handles=tf.stack([h, h]), tensor=tf.ones([2, 2], tf.int32)),
            PUSHED,
        ),
        (lambda h: raw.TensorListPopBack(input_handle=h, element_shape=-1, element_dtype=tf.int32), POPPED),
        (
            lambda h: raw.TensorListGetItem(input_handle=h, index=0, element_shape=-1, element_dtype=tf.int32),
            EXPECTED,
        ),
        (
            lambda h: raw.TensorListGather(input_handle=h, indices=[0], element_shape=-1, element_dtype=tf.int32),
            EXPECTED,
        ),
        (
            lambda h: raw.TensorListScatterIntoExistingList(
                input_handle=h, tensor=tf.ones([1, 2], tf.int32), indices=[0]
            ),
            EXPECTED,
        ),
        (lambda h: raw.TensorListStack(input_handle=h, element_shape=-1, element_dtype=tf.int32), STACKED),
        (
            lambda h: raw.TensorListConcatV2(
                input_handle=h,
                element_shape=tf.constant(-1),
                leading_dims=tf.constant([], tf.int64),
                element_dtype=tf.int32,
            ),
            STACKED,
        ),
        (lambda h: raw.TensorListConcatLists(input_a=h, input_b=h, element_dtype=tf.int32), JOINED),
    ],
    ids=["push", "push_batch", "pop", "get", "gather", "scatter", "stack", "concat", "two_lists"],
)
def test_a_list_of_another_dtype_is_refused_while_the_graph_is_built(handle: Any, call: Call, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        call(handle)
    assert str(caught.value).startswith(words)


def test_an_item_of_another_dtype_waits_for_the_run_as_in_tensorflow(handle: Any) -> None:
    assert raw.TensorListSetItem(input_handle=handle, index=0, item=tf.ones([2], tf.int32)).shape == []


@pytest.mark.parametrize(
    "call",
    [
        lambda h: raw.TensorListSetItem(input_handle=h, index=0, item=tf.ones([3])),
        lambda h: raw.TensorListGetItem(input_handle=h, index=0, element_shape=[3], element_dtype=tf.float32),
        lambda h: raw.TensorListStack(input_handle=h, element_shape=[3], element_dtype=tf.float32),
    ],
    ids=["set", "get", "stack"],
)
def test_an_element_of_another_shape_is_refused_while_the_graph_is_built(handle: Any, call: Call) -> None:
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
        call(handle)


def test_what_is_read_has_the_shape_that_the_list_declares(handle: Any) -> None:
    item = raw.TensorListGetItem(input_handle=handle, index=0, element_shape=-1, element_dtype=tf.float32)
    rows = raw.TensorListStack(input_handle=handle, element_shape=-1, element_dtype=tf.float32, num_elements=3)
    assert (item.shape, rows.shape) == ([2], [3, 2])
