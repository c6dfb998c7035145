"""Blocks at positions that the program computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.array.dynamic_slices import dynamic_slice, dynamic_update_slice
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("XlaDynamicUpdateSlice", [x([4, 3]), x([2, 2]), np.int32([1, 1])], grad=True),
    Sample("XlaDynamicUpdateSlice", [x([4, 3]), x([2, 2]), np.int64([9, -5])], grad=True),
    Sample("XlaDynamicUpdateSlice", [x([3], bool), x([1], bool), np.int32([2])]),
    Sample("XlaDynamicUpdateSlice", [x([]), x([]), np.int32([])]),
    Sample("XlaDynamicSlice", [x([4, 3]), np.int32([1, 1]), np.int32([2, 2])], grad=True),
    Sample("XlaDynamicSlice", [x([4, 3], np.int16), np.int64([3, -2]), np.int64([2, 0])]),
]

_INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("update", "positions", "words"),
    [
        (x([5, 3]), [0, 0], "Update dim size 5 greater than dynamic slice dimension: 4."),
        (x([5]), [0, 0], "input and update must have the same rank, input shape is [4,3]; update shape is [5]"),
        (x([2, 2]), [0], "index must be a vector with length equal to the number of input dimensions"),
        (x([2, 2]), [[0, 1]], "index must be a vector with length equal to the number of input dimensions"),
    ],
)
def test_a_block_that_cannot_fit_is_refused(update: Any, positions: Any, words: str) -> None:
    check_refusal(lambda: dynamic_update_slice(x([4, 3]), update, positions), _INVALID, words)


def test_another_dtype_is_refused() -> None:
    words = (
        "cannot compute XlaDynamicUpdateSlice as input #1(zero-based) was expected to be a float tensor but is a double"
    )
    check_refusal(lambda: dynamic_update_slice(tf.zeros([2]), tf.ones([1], tf.float64), [0]), _INVALID, words)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_positions_are_known_when_the_program_runs(jit_compile: bool) -> None:
    @tf.function(jit_compile=jit_compile)
    def move(tensor: Any, start: Any) -> Any:
        block = dynamic_slice(tensor, [start, 0], [2, 2])
        return dynamic_update_slice(tensor, -block, [0, start])

    tensor = np.arange(12.0).reshape(4, 3)
    for start in (-1, 0, 1, 2, 7):
        row, column = np.clip(start, 0, 2), np.clip(start, 0, 1)
        expected = tensor.copy()
        expected[0:2, column : column + 2] = -tensor[row : row + 2, 0:2]
        assert move(tensor, tf.constant(start)).numpy().tolist() == expected.tolist()


def test_the_name_of_tensorflows_module_is_served() -> None:
    from millrace._src.interop import private_paths

    assert (
        private_paths._TABLE["compiler.tf2xla.python.xla"][1]["dynamic_slice"]
        == "ops.array.dynamic_slices:dynamic_slice"
    )
