"""tf.nn.max_pool, avg_pool and pool."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.max_pool2d(wave(1, 5, 4, 1), 2, 2, 'SAME')",
        [
            ("float32", (1, 3, 2, 1), [0.991665, -0.255541, 0.999793, 0.359058, 0.879273, 0.773328]),
        ],
    ),
    (
        "tf.nn.max_pool2d(wave(1, 5, 4, 1), 2, 2, 'VALID')",
        [
            ("float32", (1, 2, 2, 1), [0.991665, -0.255541, 0.999793, 0.359058]),
        ],
    ),
    (
        "tf.nn.max_pool2d(wave(1, 5, 4, 1), 3, 2, 'SAME')",
        [
            ("float32", (1, 3, 2, 1), [0.991665, -0.255541, 0.999793, 0.359058, 0.999793, 0.773328]),
        ],
    ),
    (
        "tf.nn.max_pool2d(wave(1, 5, 4, 1), 3, 2, 'VALID')",
        [
            ("float32", (1, 2, 1, 1), [0.991665, 0.999793]),
        ],
    ),
    (
        "tf.nn.avg_pool2d(wave(1, 5, 4, 1), 2, 2, 'SAME')",
        [
            ("float32", (1, 3, 2, 1), [0.571066, -0.624842, 0.536765, -0.430784, 0.146818, 0.0224836]),
        ],
    ),
    (
        "tf.nn.avg_pool2d(wave(1, 5, 4, 1), 2, 2, 'VALID')",
        [
            ("float32", (1, 2, 2, 1), [0.571066, -0.624842, 0.536765, -0.430784]),
        ],
    ),
    (
        "tf.nn.avg_pool2d(wave(1, 5, 4, 1), 3, 2, 'SAME')",
        [
            ("float32", (1, 3, 2, 1), [0.221475, -0.624842, 0.0896209, -0.506858, -0.0858945, -0.141943]),
        ],
    ),
    (
        "tf.nn.avg_pool2d(wave(1, 5, 4, 1), 3, 2, 'VALID')",
        [
            ("float32", (1, 2, 1, 1), [0.180373, -0.0245403]),
        ],
    ),
    (
        "tf.nn.max_pool1d(wave(1, 5, 2), 2, 2, 'SAME')",
        [
            ("float32", (1, 3, 2), [0.0, 0.991665, 0.494113, 0.798487, 0.859162, 0.396741]),
        ],
    ),
    (
        "tf.nn.avg_pool1d(wave(1, 5, 2), 2, 2, 'SAME')",
        [
            ("float32", (1, 3, 2), [-0.127771, 0.0329251, -0.102881, 0.090175, 0.859162, 0.396741]),
        ],
    ),
    (
        "tf.nn.max_pool3d(wave(1, 2, 3, 2, 1), 2, 1, 'SAME')",
        [
            (
                "float32",
                (1, 2, 3, 2, 1),
                [
                    0.991665,
                    0.991665,
                    0.859162,
                    0.798487,
                    0.798487,
                    0.798487,
                    0.859162,
                    0.396741,
                    0.859162,
                    0.396741,
                    -0.148999,
                    -0.148999,
                ],
            ),
        ],
    ),
    (
        "tf.nn.avg_pool3d(wave(1, 2, 3, 2, 1), 2, 1, 'SAME')",
        [
            (
                "float32",
                (1, 2, 3, 2, 1),
                [
                    -0.0314751,
                    -0.0388866,
                    0.0320938,
                    0.0301035,
                    0.045551,
                    0.324744,
                    -0.0155273,
                    -0.110698,
                    0.0363765,
                    0.123871,
                    -0.555198,
                    -0.148999,
                ],
            ),
        ],
    ),
    (
        "tf.nn.max_pool(wave(1, 4, 2), 2, 2, [[0, 0], [1, 1], [0, 0]])",
        [
            ("float32", (1, 3, 2), [0.0, 0.991665, 0.494113, 0.798487, -0.699875, -0.618137]),
        ],
    ),
    (
        "tf.nn.max_pool2d(wave(1, 3, 3, 1), 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]])",
        [
            ("float32", (1, 2, 2, 1), [0.991665, -0.255541, 0.494113, 0.859162]),
        ],
    ),
    (
        "tf.nn.avg_pool(wave(1, 4, 4, 1), [2, 1], [2, 2], 'VALID')",
        [
            ("float32", (1, 2, 2, 1), [0.247057, -0.477708, 0.929477, -0.966598]),
        ],
    ),
    (
        "tf.nn.max_pool2d(wave(1, 2, 2, 4), [1, 1, 1, 2], [1, 1, 1, 2], 'VALID')",
        [
            (
                "float32",
                (1, 2, 2, 2),
                [0.991665, -0.255541, 0.798487, -0.618137, 0.859162, -0.148999, 0.999793, 0.359058],
            ),
        ],
    ),
    (
        "tf.nn.pool(wave(1, 5, 5, 1), [2, 2], 'AVG', dilations=[2, 2])",
        [
            (
                "float32",
                (1, 3, 3, 1),
                [
                    -0.0542864,
                    -0.0479464,
                    0.0666417,
                    -0.0115573,
                    0.0775498,
                    -0.0084265,
                    0.0682016,
                    -0.0454255,
                    -0.056496,
                ],
            ),
        ],
    ),
    (
        "tf.nn.pool(wave(1, 5, 1), [2], 'MAX', strides=[2], padding='SAME')",
        [
            ("float32", (1, 3, 1), [0.991665, -0.255541, 0.494113]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.max_pool(wave(1, 4), 2, 2, "VALID"),
        ValueError,
        "`input.shape.rank` must be 3, 4 or 5. Received: input.shape=(1, 4) of rank 2.",
    ),
    (lambda: tf.nn.pool(wave(1, 4, 4, 3), [2, 2], "FOO"), ValueError, "2-D FOO pooling is not supported."),
    (lambda: tf.nn.pool(wave(1, 4, 4, 3), [2], "MAX"), ValueError, "Shape (1, 4, 4, 3) must have rank 3"),
    (
        lambda: tf.nn.pool(wave(1, 4, 4, 3), [2, 2], "MAX", strides=[2, 2], dilations=[2, 2]),
        ValueError,
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=[2 2] and dilation_rate=[2 2]",  # noqa: E501
    ),
    (
        lambda: tf.nn.pool(wave(1, 4, 4, 3), [2, 2], "MAX", padding="SAME", dilations=[2, 2]),
        ValueError,
        "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding=SAME and dilation_rate=[2 2]",  # noqa: E501
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x: [
            tf.nn.max_pool2d(x, 2, 2, "SAME"),
            tf.nn.avg_pool2d(x, 2, 2, "SAME"),
            tf.nn.avg_pool(x, 2, 2, "SAME"),
            tf.nn.max_pool(x, 2, 2, "SAME", name="m"),
        ],
        [(tf.float32, [None, 8, 8, 3])],
        ["MaxPool2d", "AvgPool2D", "AvgPool", "m"],
    ),
    (
        lambda x: tf.nn.max_pool1d(x, 2, 2, "SAME"),
        [(tf.float32, [None, 8, 3])],
        ["MaxPool1d/ExpandDims/dim", "MaxPool1d/ExpandDims", "MaxPool1d", "MaxPool1d/Squeeze"],
    ),
    (
        lambda x: tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 2]),
        [(tf.float32, [None, 8, 8, 3])],
        [
            "max_pool/dilation_rate",
            "max_pool/required_space_to_batch_paddings/input_shape",
            "max_pool/required_space_to_batch_paddings/base_paddings",
            "max_pool/required_space_to_batch_paddings/paddings",
            "max_pool/required_space_to_batch_paddings/crops",
            "max_pool/SpaceToBatchND/block_shape",
            "max_pool/SpaceToBatchND/paddings",
            "max_pool/SpaceToBatchND",
            "max_pool",
            "max_pool/BatchToSpaceND/block_shape",
            "max_pool/BatchToSpaceND/crops",
            "max_pool/BatchToSpaceND",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
