"""tf.ragged.cross and cross_hashed."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, check_everywhere, check_refusal_everywhere, ragged

ANSWERS = [
    (
        lambda: tf.ragged.cross([ragged([["a"], ["b", "c"]]), ragged([["d"], ["e"]]), ragged([["f"], ["g"]])]),
        R("string", [[b"a_X_d_X_f"], [b"b_X_e_X_g", b"c_X_e_X_g"]], [2, None]),
    ),
    (
        lambda: tf.ragged.cross_hashed(
            [ragged([["a"], ["b", "c"]]), ragged([["d"], ["e"]]), ragged([["f"], ["g"]])], num_buckets=100
        ),
        R("int64", [[78], [66, 74]], [2, None]),
    ),
    (
        lambda: tf.ragged.cross_hashed(
            [ragged([["a"], ["b", "c"]]), [["d"], ["e"]], tf.sparse.from_dense([["x"], ["y"]])],
            num_buckets=0,
            hash_key=3,
        ),
        R("int64", [[211113422543285246], [2632361432856014227, 6363893745783192477]], [2, None]),
    ),
    (
        lambda: tf.ragged.cross([ragged([["a"], ["b", "c"]]), [["d"], ["e"]], tf.sparse.from_dense([["x"], ["y"]])]),
        R("string", [[b"a_X_d_X_x"], [b"b_X_e_X_y", b"c_X_e_X_y"]], [2, None]),
    ),
    (lambda: tf.ragged.cross([]), R("string", [], [0, None])),
    (lambda: tf.ragged.cross([[[1, 2], [3, 4]]]), R("string", [[b"1", b"2"], [b"3", b"4"]], [2, None])),
    (lambda: tf.ragged.cross([tf.constant([[1]], tf.int32)]), R("string", [[b"1"]], [1, None])),
    (lambda: tf.ragged.cross([[[1, 2], [3, 4]]], name="q"), R("string", [[b"1", b"2"], [b"3", b"4"]], [2, None])),
]

REFUSED = [
    (lambda: tf.ragged.cross("a"), TypeError, "Inputs must be a list"),
    (lambda: tf.ragged.cross([ragged([[1], [2.0]])]), ValueError, "Unexpected dtype for inputs[0]: <dtype: 'float32'>"),
    (
        lambda: tf.ragged.cross([["a", "b"]]),
        tf.errors.InvalidArgumentError,
        "tf.ragged.cross only supports inputs with rank=2.",
    ),
    (lambda: tf.ragged.cross([ragged([[[1]]])]), ValueError, "tf.ragged.cross only supports inputs with rank=2"),
    (lambda: tf.ragged.cross([ragged([[True]])]), ValueError, "Unexpected dtype for inputs[0]: <dtype: 'bool'>"),
    (
        lambda: tf.ragged.cross_hashed([ragged([[1]])], num_buckets=-1),
        tf.errors.InvalidArgumentError,
        "Value for attr 'num_buckets' of -1 must be at least minimum 0",
    ),
    (
        lambda: tf.ragged.cross([ragged([[1], [2]], dtype=tf.int32), ragged([[1]], dtype=tf.int32)]),
        tf.errors.InvalidArgumentError,
        "inputs must all have the same batch dimension size.",
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
