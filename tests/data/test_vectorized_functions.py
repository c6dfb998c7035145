"""Functions that run for whole blocks: which do, in what portions, and with the bits of single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.blocks import Block
from millrace._src.data.traced_functions import BoundFunction, TracedFunction
from millrace._src.data.vectorized_functions import rows_at_once, vectorize_function

FLOAT = tf.TensorSpec([], tf.float32)


def traced(function: Any, *specs: Any) -> BoundFunction:
    found = TracedFunction(function, specs or (FLOAT,), "Dataset.map()")
    return BoundFunction(found.graph_function, [t._eager_array for t in found.captures])


def floats(count: int) -> Block:
    return Block([np.random.RandomState(0).randn(count).astype(np.float32)], count)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.exp(x) + tf.sin(x) / 3,
        lambda x: (x, tf.stack([x, x + 1]), x > 0),
        lambda x: tf.cond(x > 0, lambda: tf.sqrt(x), lambda: -x),
        lambda x: tf.strings.as_string(tf.cast(x, tf.int32)),
        lambda x: tf.constant(2.0),
    ],
)
def test_a_block_has_the_bits_of_its_elements(function: Any) -> None:
    bound, block = traced(function), floats(50)
    at_once = bound.call_block(block)
    rows = Block.of_rows([bound.call_row(block.row(i)) for i in range(block.count)])
    if at_once is not None:
        for one, other in zip(at_once.columns, rows.columns, strict=True):
            np.testing.assert_array_equal(one, other)


def test_elementwise_functions_run_for_blocks() -> None:
    assert traced(lambda x: tf.exp(x) * 2).call_block(floats(5)) is not None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.reduce_sum(tf.stack([x, x, x])),
        lambda x: tf.linalg.matvec(tf.stack([[x, x]]), tf.stack([x, x])),
        lambda x: x + tf.random.uniform([]),
        lambda x: tf.py_function(lambda y: y, [x], tf.float32),
        lambda x: tf.while_loop(lambda y: y < 10, lambda y: y + 1, [x])[0],
    ],
)
def test_functions_that_round_by_shape_or_have_effects_or_loop_run_for_single_elements(function: Any) -> None:
    assert traced(function).call_block(floats(5)) is None


def test_whole_numbers_may_be_added_up_in_blocks() -> None:
    bound = traced(lambda x: tf.reduce_sum(x), tf.TensorSpec([3], tf.int64))
    block = Block([np.arange(12).reshape(4, 3)], 4)
    found = bound.call_block(block)
    assert found is not None
    assert found.columns[0].tolist() == [3, 12, 21, 30]


def test_large_tensors_are_not_made_for_many_rows() -> None:
    assert rows_at_once(traced(lambda x: tf.fill([1000, 1000], x)[0, 0]).function.graph) == 1
    few = traced(lambda x: tf.fill([100, 100], x)[0, 0])
    rows = rows_at_once(few.function.graph)
    assert 1 < rows < 50
    found = few.call_block(floats(50))
    assert found is not None
    np.testing.assert_array_equal(found.columns[0], floats(50).columns[0])


def test_an_error_leaves_the_block_to_single_elements() -> None:
    bound = traced(lambda i: tf.gather([1.0, 2.0, 3.0], i), tf.TensorSpec([], tf.int32))
    assert bound.call_block(Block([np.array([1, 7], np.int32)], 2)) is None
    assert bound.call_block(Block([np.array([1, 2], np.int32)], 2)) is not None


def test_a_function_without_arguments_has_no_block_form() -> None:
    assert vectorize_function(traced(lambda x: x).function, 0) is None
