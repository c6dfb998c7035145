"""Bitcast, fingerprint, unravel_index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Bitcast", [x([2, 3])], {"type": tf.uint16}),
    Sample("Bitcast", [x([2, 4], np.uint8)], {"type": tf.float32}),
    Sample("Bitcast", [x([], np.float32)], {"type": tf.int32}),
    Sample("Fingerprint", [x([2, 3]), np.array("farmhash64", object)]),
    Sample("Fingerprint", [np.array(["a", "b" * 70], object), np.array("farmhash64", object)]),
    Sample("UnravelIndex", [np.int32([5, 0]), np.int32([2, 3])]),
    Sample("UnravelIndex", [np.int64(5), np.int64([2, 3])]),
]


ANSWERS = [
    (lambda: tf.bitcast(tf.zeros([3, 2]), tf.float64), [("float64", [0.0, 0.0, 0.0])]),
    (lambda: tf.bitcast(1.0, tf.uint8), [("uint8", [0, 0, 128, 63])]),
    (lambda: tf.bitcast(1.0, tf.int32), [("int32", 1065353216)]),
    (
        lambda: tf.fingerprint(["a", "b"]),
        [("uint8", [[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]])],
    ),
    (
        lambda: tf.fingerprint([[1, 2], [3, 4]]),
        [("uint8", [[76, 18, 253, 133, 168, 204, 240, 10], [254, 162, 60, 240, 103, 244, 53, 255]])],
    ),
    (
        lambda: tf.fingerprint(tf.zeros([2])),
        [("uint8", [[191, 100, 99, 247, 252, 22, 120, 249], [191, 100, 99, 247, 252, 22, 120, 249]])],
    ),
    (
        lambda: tf.fingerprint([True, False]),
        [("uint8", [[62, 88, 126, 177, 19, 76, 162, 71], [84, 75, 233, 245, 237, 86, 96, 190]])],
    ),
    (lambda: tf.unravel_index([5], [2, 3]), [("int32", [[1], [2]])]),
    (lambda: tf.unravel_index([-1], [2, 3]), [("int32", [[0], [-1]])]),
    (lambda: tf.unravel_index(5, [2, 3]), [("int32", [1, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.bitcast(tf.zeros([3]), tf.float64), tf.errors.InvalidArgumentError, "Cannot bitcast from 1 to 2"),
    (lambda: tf.bitcast(tf.zeros([]), tf.float64), tf.errors.InvalidArgumentError, "Cannot bitcast from 1 to 2"),
    (lambda: tf.fingerprint(5), tf.errors.InvalidArgumentError, "`data` should have at least one dimension: []"),
    (
        lambda: tf.fingerprint(["a"], method="md5"),
        tf.errors.InvalidArgumentError,
        "Unsupported fingerprint method: md5",
    ),
    (lambda: tf.unravel_index([6], [2, 3]), tf.errors.InvalidArgumentError, "index is out of bound as with dims"),
    (
        lambda: tf.unravel_index([[5]], [2, 3]),
        tf.errors.InvalidArgumentError,
        'The indices can only be scalar or vector, got "[1,1]"',
    ),
    (
        lambda: tf.unravel_index([5], [[2, 3]]),
        tf.errors.InvalidArgumentError,
        'The indices can only be 1-D, got "[1,2]"',
    ),
    (
        lambda: tf.unravel_index([5], [2, 0]),
        tf.errors.InvalidArgumentError,
        "Input dims cannot contain a dim of zero, but dims contains zero at index 1",
    ),
    (lambda: tf.unravel_index([5], 6), tf.errors.InvalidArgumentError, 'The indices can only be 1-D, got "[]"'),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.bitcast(tf.zeros([3]), tf.float64),
        ValueError,
        "Cannot bitcast from 1 to 2 due to shape. 3 does not match 2",
    ),
    (lambda: tf.bitcast(tf.zeros([]), tf.float64), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (lambda: tf.fingerprint(5), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (lambda: tf.fingerprint(["a"], method="md5"), ValueError, "Unsupported method: md5"),
    (lambda: tf.unravel_index([5], [[2, 3]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.unravel_index([5], 6), ValueError, "Shape must be rank 1 but is rank 0"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.bitcast(x, tf.uint8), [(tf.float32, [None, 3])], ["Bitcast"]),
    (lambda x: tf.bitcast(x, tf.float64), [(tf.float32, [None, 2])], ["Bitcast"]),
    (lambda x: tf.bitcast(x, tf.float64), [(tf.float32, None)], ["Bitcast"]),
    (lambda x: tf.fingerprint(x), [(tf.float32, [None, 3])], ["Fingerprint/method", "Fingerprint"]),
    (lambda x: tf.unravel_index(x, [2, 3]), [(tf.int32, [None])], ["UnravelIndex/dims", "UnravelIndex"]),
    (lambda x: tf.unravel_index(x, [2, 3]), [(tf.int32, [])], ["UnravelIndex/dims", "UnravelIndex"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize(
    ("given", "wanted", "words"),
    [
        (np.array([1, 2, 3], np.uint8), tf.int32, "Cannot bitcast from 4 to 3"),
        (np.array([[1, 2]], np.int16), tf.int64, "Cannot bitcast from 5 to 9"),
    ],
)
def test_a_bitcast_that_does_not_fit_names_the_dtypes_by_number(given: Any, wanted: Any, words: str) -> None:
    check_refusal(lambda: tf.bitcast(given, wanted), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize("shape", [(60,), (60, 1), (60, 3), (60, 0), (60, 2, 2)])
def test_many_slices_have_the_fingerprints_of_each(shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    for values in (np.arange(count, dtype=np.int32), np.array([b"x" * i for i in range(count)], object)):
        data = values.reshape(shape)
        each = [tf.fingerprint(data[i : i + 1]).numpy()[0].tolist() for i in range(shape[0])]
        assert tf.fingerprint(data).numpy().tolist() == each
