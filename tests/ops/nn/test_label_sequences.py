"""Sequences of labels without repetitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.nn.recorded import MODES, Answer, check

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 0, 0, 0]], [5, 2])",
        [
            ("int32", (2, 3), [1, 2, 1, 3, 0, 0]),
            ("int32", (2,), [3, 1]),
        ],
    ),
    (
        "tf.nn.collapse_repeated([[1, 1, 1]], [0])",
        [
            ("int32", (1, 0), []),
            ("int32", (1,), [0]),
        ],
    ),
    (
        "tf.nn.collapse_repeated(tf.constant([[1, 2, 2]], tf.int64), [3])",
        [
            ("int64", (1, 2), [1, 2]),
            ("int32", (1,), [2]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


@pytest.mark.parametrize("spec", ["eager", [3, 5], [None, None], None])
def test_the_different_labels_of_a_row_are_numbered_in_their_order(spec: Any) -> None:
    labels = np.array([[3, 4, 4, 3, 0], [0, 0, 0, 0, 0], [5, -1, 5, 2, -1]], np.int32)
    function: Any = tf.nn.ctc_unique_labels
    if spec != "eager":
        function = tf.function(function, input_signature=[tf.TensorSpec(spec, tf.int32)])
    values, columns = function(labels)
    assert (values.dtype, columns.dtype) == (tf.int64, tf.int32)
    assert values.numpy().tolist() == [[3, 4, 0, 0, 0], [0, 0, 0, 0, 0], [5, -1, 2, 0, 0]]
    np.testing.assert_array_equal(np.take_along_axis(values.numpy(), columns.numpy(), 1), labels)


def test_unique_labels_of_a_vector_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="unique expects a 1D vector"):
        tf.nn.ctc_unique_labels([1, 2])
