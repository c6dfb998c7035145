"""Cross-entropy losses of logits."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(wave(2, 3)), wave(2, 3, shift=1.0))",
        [
            ("float32", (2,), [1.16326, 1.17035]),
        ],
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits(wave(2, 3, 2), wave(2, 3, 2, shift=1.0), axis=1)",
        [
            ("float32", (2, 2), [-0.333347, 0.497999, -3.13235, 0.0149872]),
        ],
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits(wave(2, 2, 3, 2), wave(2, 2, 3, 2, shift=1.0), axis=1)",
        [
            (
                "float32",
                (2, 3, 2),
                [
                    -1.37926,
                    0.178962,
                    -0.383383,
                    -0.127449,
                    -1.7569,
                    0.895823,
                    -0.130538,
                    -0.103216,
                    -0.231232,
                    -1.73857,
                    0.763638,
                    -0.911172,
                ],
            ),
        ],
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits(wave(3), wave(3))",
        [
            ("float32", (), [0.0535983]),
        ],
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits(wave(2, 3, dtype='float16'), wave(2, 3, dtype='float16'))",
        [
            ("float16", (2,), [0.0534363, -1.20703]),
        ],
    ),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], wave(2, 3))",
        [
            ("float32", (2,), [0.505772, 0.650178]),
        ],
    ),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 2], [0, 0]], wave(2, 2, 3))",
        [
            ("float32", (2, 2), [0.505772, 0.650178, 1.9227, 0.60789]),
        ],
    ),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits(1, wave(3))",
        [
            ("float32", (), [0.505772]),
        ],
    ),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits([1], wave(1, 2, dtype='float16'))",
        [
            ("float16", (1,), [0.31543]),
        ],
    ),
    (
        "grads(tf.nn.softmax_cross_entropy_with_logits, wave(2, 3), wave(2, 3, shift=1.0))",
        [
            ("float32", (2, 3), [0.507313, 0.855758, 2.01613, 1.52831, 0.454695, 1.431]),
            ("float32", (2, 3), [0.460477, -0.530109, 0.291676, 1.01118, 0.102193, -0.537595]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], x), wave(2, 3))",
        [
            ("float32", (2, 3), [0.188239, -0.33403, 0.145791, 0.0846218, 0.350065, -0.434687]),
        ],
    ),
    (
        "grads(lambda x, y: tf.nn.softmax_cross_entropy_with_logits(x, y, axis=0), wave(2, 3), wave(2, 3, shift=1.0))",
        [
            ("float32", (2, 3), [0.258298, 0.926542, 0.172797, 1.11966, 0.407185, 0.0491123]),
            ("float32", (2, 3), [0.619053, -0.573491, 0.0775391, 1.00146, 0.131774, -0.0130396]),
        ],
    ),
    (
        "grads(lambda z: grads(lambda x: tf.nn.softmax_cross_entropy_with_logits([[0.5, 0.5], [0.1, 0.9]], x), z)[0], wave(2, 2))",  # noqa: E501
        [
            ("float32", (2, 2), [-0.0112646, 0.0112646, 0.182807, -0.182807]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], wave(3)),
        ValueError,
        "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape=(2,) of rank 1 and logits.shape=(3,) of rank 1",  # noqa: E501
    ),
    (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(1, 1.0), ValueError, ""),
    (
        lambda: tf.nn.softmax_cross_entropy_with_logits(wave(2, 3), wave(3, 3)),
        tf.errors.InvalidArgumentError,
        "logits and labels must be broadcastable: logits_size=[3,3] labels_size=[2,3]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x),
        [(tf.float32, [4, 2])],
        [
            "softmax_cross_entropy_with_logits/Rank",
            "softmax_cross_entropy_with_logits/Shape",
            "softmax_cross_entropy_with_logits/Rank_1",
            "softmax_cross_entropy_with_logits/Shape_1",
            "softmax_cross_entropy_with_logits/Sub/y",
            "softmax_cross_entropy_with_logits/Sub",
            "softmax_cross_entropy_with_logits/Slice/begin",
            "softmax_cross_entropy_with_logits/Slice/size",
            "softmax_cross_entropy_with_logits/Slice",
            "softmax_cross_entropy_with_logits/concat/values_0",
            "softmax_cross_entropy_with_logits/concat/axis",
            "softmax_cross_entropy_with_logits/concat",
            "softmax_cross_entropy_with_logits/Reshape",
            "softmax_cross_entropy_with_logits/Rank_2",
            "softmax_cross_entropy_with_logits/Shape_2",
            "softmax_cross_entropy_with_logits/Sub_1/y",
            "softmax_cross_entropy_with_logits/Sub_1",
            "softmax_cross_entropy_with_logits/Slice_1/begin",
            "softmax_cross_entropy_with_logits/Slice_1/size",
            "softmax_cross_entropy_with_logits/Slice_1",
            "softmax_cross_entropy_with_logits/concat_1/values_0",
            "softmax_cross_entropy_with_logits/concat_1/axis",
            "softmax_cross_entropy_with_logits/concat_1",
            "softmax_cross_entropy_with_logits/Reshape_1",
            "softmax_cross_entropy_with_logits",
            "softmax_cross_entropy_with_logits/Sub_2/y",
            "softmax_cross_entropy_with_logits/Sub_2",
            "softmax_cross_entropy_with_logits/Slice_2/begin",
            "softmax_cross_entropy_with_logits/Slice_2/size",
            "softmax_cross_entropy_with_logits/Slice_2",
            "softmax_cross_entropy_with_logits/Reshape_2",
        ],
    ),
    (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x, axis=1, name="w"),
        [(tf.float32, [4, 2, 3])],
        [
            "w/Rank",
            "w/range/start",
            "w/range/limit",
            "w/range/delta",
            "w/range",
            "w/range_1/start",
            "w/range_1/delta",
            "w/range_1",
            "w/concat/values_2",
            "w/concat/axis",
            "w/concat",
            "w/transpose",
            "w/range_2/start",
            "w/range_2/limit",
            "w/range_2/delta",
            "w/range_2",
            "w/range_3/start",
            "w/range_3/delta",
            "w/range_3",
            "w/concat_1/values_2",
            "w/concat_1/axis",
            "w/concat_1",
            "w/transpose_1",
            "w/Shape",
            "w/Rank_1",
            "w/Shape_1",
            "w/Sub/y",
            "w/Sub",
            "w/Slice/begin",
            "w/Slice/size",
            "w/Slice",
            "w/concat_2/values_0",
            "w/concat_2/axis",
            "w/concat_2",
            "w/Reshape",
            "w/Rank_2",
            "w/Shape_2",
            "w/Sub_1/y",
            "w/Sub_1",
            "w/Slice_1/begin",
            "w/Slice_1/size",
            "w/Slice_1",
            "w/concat_3/values_0",
            "w/concat_3/axis",
            "w/concat_3",
            "w/Reshape_1",
            "w",
            "w/Sub_2/y",
            "w/Sub_2",
            "w/Slice_2/begin",
            "w/Slice_2/size",
            "w/Slice_2",
            "w/Reshape_2",
        ],
    ),
    (
        lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        [(tf.float32, [4, 2, 3]), (tf.int32, [4, 2])],
        [
            "SparseSoftmaxCrossEntropyWithLogits/Shape",
            "SparseSoftmaxCrossEntropyWithLogits/Shape_1",
            "SparseSoftmaxCrossEntropyWithLogits/Rank",
            "SparseSoftmaxCrossEntropyWithLogits/sub/y",
            "SparseSoftmaxCrossEntropyWithLogits/sub",
            "SparseSoftmaxCrossEntropyWithLogits/add/y",
            "SparseSoftmaxCrossEntropyWithLogits/add",
            "SparseSoftmaxCrossEntropyWithLogits/strided_slice/stack",
            "SparseSoftmaxCrossEntropyWithLogits/strided_slice/stack_1",
            "SparseSoftmaxCrossEntropyWithLogits/strided_slice/stack_2",
            "SparseSoftmaxCrossEntropyWithLogits/strided_slice",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape/shape/0",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape/shape",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape_1/shape",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape_1",
            "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits",
            "SparseSoftmaxCrossEntropyWithLogits/Reshape_2",
        ],
    ),
    (
        lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        [(tf.float16, [4, 2]), (tf.int32, [4])],
        [
            "SparseSoftmaxCrossEntropyWithLogits/Cast",
            "SparseSoftmaxCrossEntropyWithLogits/Shape",
            "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits",
            "SparseSoftmaxCrossEntropyWithLogits/Cast_1",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
