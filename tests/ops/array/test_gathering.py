"""Gather and gather_nd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Gather", [x([3, 2]), np.int32([2, 0, 2])], grad=True),
    Sample("GatherV2", [x([3, 2]), np.int64([[2, 0], [2, 1]]), np.int32(0)], grad=True),
    Sample("GatherV2", [x([2, 3, 4]), np.int32([2, 0]), np.int32(-2)], grad=True),
    Sample("GatherV2", [x([2, 3, 4]), np.int32([[2, 0], [1, 1]]), np.int32(1)], {"batch_dims": 1}, grad=True),
    Sample("GatherV2", [x([2, 3, 4]), np.int32([[2, 0], [1, 1]]), np.int32(2)], {"batch_dims": 1}, grad=True),
    Sample("GatherV2", [x([3], np.int8), np.int16(1), np.int64(0)]),
    Sample("GatherV2", [x([3, 2], bool), np.zeros([0], np.int32), np.int32(0)]),
    Sample("GatherNd", [x([3, 4]), np.int32([[0, 1], [2, 3], [0, 1]])], grad=True),
    Sample("GatherNd", [x([3, 4]), np.int64([[1], [1]])], grad=True),
    Sample("GatherNd", [x([3], np.complex64), np.zeros([2, 0], np.int32)]),
]

GRADIENT_SAMPLES = [
    Sample("GatherNd", [x([3, 4]), np.int32([[0], [9], [0]])], {"bad_indices_policy": "IGNORE"}, grad=True),
    Sample("GatherNd", [x([2, 3]), np.zeros([2, 0], np.int32)], grad=True),
    Sample("Gather", [x([3, 2]), np.int32([[1, 1], [1, 0]])], {"validate_indices": False}, grad=True),
    Sample("GatherV2", [x([3, 2]), np.int32(1), np.int32(0)], grad=True),
    Sample("GatherV2", [x([3, 2]), np.int32([[1], [1]]), np.int32(1)], {"batch_dims": 0}, grad=True),
    Sample("GatherV2", [x([2, 3]), np.int32([[1], [1]]), np.int32(-1)], {"batch_dims": -1}, grad=True),
]


ANSWERS = [
    (
        lambda: tf.gather(tf.zeros([3, 4]), [[0], [1], [2]], batch_dims=1, axis=0),
        [("float32", [[[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]]])],
    ),
    (lambda: tf.gather(tf.zeros([0, 4]), tf.zeros([0], tf.int32)), [("float32", [])]),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]) + 1, [[3, 0], [0, 0]], bad_indices_policy="IGNORE"),
        [("float32", [0.0, 1.0])],
    ),
    (lambda: tf.gather_nd(tf.zeros([3, 4]), tf.zeros([0, 1], tf.int32)), [("float32", [])]),
    (lambda: tf.raw_ops.Gather(params=[1, 2], indices=[0]), [("int32", [1])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.gather(tf.zeros([3, 4]), [3]), tf.errors.InvalidArgumentError, "indices[0] = 3 is not in [0, 3)"),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [[0, -1]]),
        tf.errors.InvalidArgumentError,
        "indices[0,1] = -1 is not in [0, 3)",
    ),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [0, 7], axis=1),
        tf.errors.InvalidArgumentError,
        "indices[1] = 7 is not in [0, 4)",
    ),
    (
        lambda: tf.gather(tf.zeros([3, 4]), 0, axis=2),
        tf.errors.InvalidArgumentError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (
        lambda: tf.gather(tf.zeros([3, 4]), 0, axis=-3),
        tf.errors.InvalidArgumentError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (lambda: tf.gather(tf.zeros([]), 0), tf.errors.InvalidArgumentError, "params must be at least 1 dimensional"),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [0.0]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tindices' of float is not in the list of allowed values: int16, int32",
    ),
    (lambda: tf.gather(tf.zeros([3, 4]), [0], axis=[0]), tf.errors.InvalidArgumentError, "axis must be scalar"),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [[0], [1]], batch_dims=1),
        tf.errors.InvalidArgumentError,
        "params.shape[0]: 3 should be equal to indices.shape[0]: 2",
    ),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [0, 1, 2], batch_dims=2),
        tf.errors.InvalidArgumentError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [[0], [1], [9]], batch_dims=1),
        tf.errors.InvalidArgumentError,
        "indices[2,0] = 9 is not in [0, 4)",
    ),
    (lambda: tf.gather(tf.zeros([0, 4]), [0]), tf.errors.InvalidArgumentError, "indices[0] = 0 is not in [0, 0)"),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[3, 0]]),
        tf.errors.InvalidArgumentError,
        "indices[0] = [3, 0] does not index into param shape [3,4], node",
    ),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[0, 0, 0]]),
        tf.errors.InvalidArgumentError,
        "index innermost dimension length must be <= params rank; saw: 3 vs. 2",
    ),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [-1]),
        tf.errors.InvalidArgumentError,
        "indices = [-1] does not index into param shape [3,4], node",
    ),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[[0, 1], [2, 9]]]),
        tf.errors.InvalidArgumentError,
        "indices[0,1] = [2, 9] does not index into param shape [3,4], node",
    ),
    (lambda: tf.gather_nd(tf.zeros([3, 4]), 0), tf.errors.InvalidArgumentError, "indices must be at least a vector"),
    (
        lambda: tf.gather_nd(tf.zeros([0, 4]), [[0]]),
        tf.errors.InvalidArgumentError,
        "Requested more than 0 entries, but params is empty.  Params shape: [0,4]",
    ),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[1]], batch_dims=2),
        ValueError,
        "Argument `batch_dims` = 2 must be less than rank(`indices`) = 2",
    ),
    (
        lambda: tf.raw_ops.Gather(params=[1, 2], indices=[5]),
        tf.errors.InvalidArgumentError,
        "indices[0] = 5 is not in [0, 2)",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.gather(tf.zeros([3, 4]), 0, axis=2), ValueError, "Shape must be at least rank 3 but is rank 2"),
    (lambda: tf.gather(tf.zeros([3, 4]), 0, axis=-3), ValueError, "Shape must be at least rank 3 but is rank 2"),
    (lambda: tf.gather(tf.zeros([]), 0), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [0.0]),
        TypeError,
        "Value passed to parameter 'indices' has DataType float32 not in list of allowed value",
    ),
    (lambda: tf.gather(tf.zeros([3, 4]), [0], axis=[0]), ValueError, "Shape must be rank 0 but is rank 1"),
    (
        lambda: tf.gather(tf.zeros([3, 4]), [0, 1, 2], batch_dims=2),
        ValueError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[0, 0, 0]]),
        ValueError,
        "indices.shape[-1] must be <= params.rank, but saw indices shape: [1,3] and params sha",
    ),
    (lambda: tf.gather_nd(tf.zeros([3, 4]), 0), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (
        lambda: tf.gather_nd(tf.zeros([3, 4]), [[1]], batch_dims=2),
        ValueError,
        "Argument `batch_dims` = 2 must be less than rank(`indices`) = 2",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x, a: tf.gather(x, a), [(tf.float32, [None, 4, 5]), (tf.int32, [None])], ["GatherV2/axis", "GatherV2"]),
    (
        lambda x, a: tf.gather(x, a, axis=-1, batch_dims=1),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None, 2])],
        ["GatherV2/axis", "GatherV2"],
    ),
    (
        lambda x: tf.gather(x, [0, 1], axis=1),
        [(tf.float32, [None, 4, 5])],
        ["GatherV2/indices", "GatherV2/axis", "GatherV2"],
    ),
    (
        lambda x, a: tf.gather(x, a, batch_dims=1),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None, 2])],
        ["GatherV2/axis", "GatherV2"],
    ),
    (
        lambda x, a: tf.gather(x, a, batch_dims=-1),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None, 2])],
        ["GatherV2/axis", "GatherV2"],
    ),
    (lambda x, a: tf.gather(x, a), [(tf.float32, [None, 4, 5]), (tf.int16, [None, 2])], ["GatherV2/axis", "GatherV2"]),
    (
        lambda x, a, c: tf.gather(x, a, axis=c),
        [(tf.float32, [None, 4, 5]), (tf.int32, [2]), (tf.int32, [])],
        ["GatherV2"],
    ),
    (lambda x, a: tf.gather_nd(x, a), [(tf.float32, [None, 4, 5]), (tf.int32, [None, 2])], ["GatherNd"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def test_the_gradient_of_gathered_rows_is_sparse() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2, 0, 2])
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2]
    assert gradient.dense_shape.numpy().tolist() == [3, 2]
    assert tf.convert_to_tensor(gradient).numpy().tolist() == [[1, 1], [0, 0], [2, 2]]


def test_a_gather_that_nobody_uses_does_not_fail_in_a_function() -> None:
    @tf.function(autograph=False)
    def unused(x: Any) -> Any:
        tf.gather(x, [1])
        return x

    assert unused(tf.constant([0.0])).numpy().tolist() == [0.0]


def test_positions_out_of_range_may_be_ignored() -> None:
    picked = tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [5, 0]], bad_indices_policy="IGNORE")
    assert picked.numpy().tolist() == [2, 0]


def test_batches_of_positions() -> None:
    params = tf.reshape(tf.range(24), [2, 3, 4])
    picked = tf.gather_nd(params, [[[1], [0]], [[2], [2]]], batch_dims=1)
    assert picked.numpy().tolist() == params.numpy()[[[0, 0], [1, 1]], [[1, 0], [2, 2]]].tolist()


@pytest.mark.xla
def test_xla_clamps_what_it_cannot_check() -> None:
    @tf.function(jit_compile=True, autograph=False)
    def pick(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    assert pick(tf.constant([1.0, 2.0]), tf.constant([0, 7])).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("indices", [[], [[]], [1.0], True])
def test_indices_that_are_no_integers_are_refused(indices: Any) -> None:
    given = "bool" if indices is True else "float"
    words = f"Value for attr 'Tindices' of {given} is not in the list of allowed values"
    check_refusal(lambda: tf.gather(tf.zeros([3]), indices), tf.errors.InvalidArgumentError, words)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.int16, tf.int32, tf.int64])
def test_compiled_positions_outside_are_moved_into_each_axis(dtype: Any) -> None:
    params = tf.reshape(tf.range(12.0), [3, 4])
    pick = tf.function(tf.gather_nd, jit_compile=True)
    assert pick(params, tf.constant([[5, 1], [-1, 9], [2, 3]], dtype)).numpy().tolist() == [9.0, 3.0, 11.0]
    assert pick(params, tf.constant([[7], [-3]], dtype)).numpy().tolist() == [
        [8.0, 9.0, 10.0, 11.0],
        [0.0, 1.0, 2.0, 3.0],
    ]
