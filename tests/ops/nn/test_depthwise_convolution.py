"""tf.nn.depthwise_conv2d and separable_conv2d."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.depthwise_conv2d(wave(1, 3, 3, 2), wave(2, 2, 2, 2), [1, 1, 1, 1], 'SAME')",
        [
            (
                "float32",
                (1, 3, 3, 4),
                [
                    0.131412,
                    -0.575051,
                    0.603267,
                    -0.111263,
                    0.0211087,
                    0.586439,
                    -0.558886,
                    0.250945,
                    -0.825996,
                    0.108569,
                    -0.060799,
                    -0.71705,
                    0.31191,
                    0.49422,
                    -0.364199,
                    0.47215,
                    -0.43088,
                    -0.396736,
                    0.226821,
                    -0.538984,
                    0.755438,
                    -0.604541,
                    0.601106,
                    0.225205,
                    -0.480179,
                    0.215491,
                    -0.223535,
                    -0.12137,
                    0.434461,
                    -0.26161,
                    0.318119,
                    0.0295827,
                    0.0,
                    0.871944,
                    0.149654,
                    0.542192,
                ],
            ),
        ],
    ),
    (
        "tf.nn.depthwise_conv2d(wave(1, 4, 4, 2), wave(2, 2, 2, 1), [1, 1, 1, 1], 'VALID', dilations=[2, 2])",
        [
            (
                "float32",
                (1, 2, 2, 2),
                [-0.0620973, 0.338823, 0.0251872, -0.337561, 0.0853893, 0.206958, -0.11402, -0.130808],
            ),
        ],
    ),
    (
        "tf.nn.depthwise_conv2d(wave(1, 3, 3, 1), wave(2, 2, 1, 1), [1, 1, 1, 1], [[0, 0], [1, 0], [0, 1], [0, 0]])",
        [
            (
                "float32",
                (1, 3, 3, 1),
                [-0.918098, -0.0168274, 0.0653013, 0.762525, -1.11893, -0.204046, 1.24112, 0.154366, -0.219551],
            ),
        ],
    ),
    (
        "tf.nn.separable_conv2d(wave(1, 3, 3, 2), wave(2, 2, 2, 2), wave(1, 1, 4, 1), [1, 1, 1, 1], 'SAME')",
        [
            (
                "float32",
                (1, 3, 3, 1),
                [-0.621409, 0.492041, 0.787057, 0.146045, 0.0476079, -0.961607, 0.383183, -0.36811, 0.324464],
            ),
        ],
    ),
    (
        "tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 1], wave(2, 2, 1, 2), wave(1, 2, 2, 2), [1, 1, 1, 1], 'VALID')",  # noqa: E501
        [
            (
                "float32",
                (1, 3, 3, 1),
                [0.983399, -1.8362, 0.922434, 1.58366, -2.957, 1.50225, 0.88173, -1.67878, 0.871918],
            ),
        ],
    ),
    (
        "tf.nn.depthwise_conv2d_backprop_filter(wave(1, 3, 3, 1), [2, 2, 1, 2], wave(1, 2, 2, 2), [1, 1, 1, 1], 'VALID')",  # noqa: E501
        [
            (
                "float32",
                (2, 2, 1, 2),
                [-1.05669, -1.96278, -0.249392, 1.12095, -0.0394652, -1.5523, -1.11078, -1.27391],
            ),
        ],
    ),
    (
        "grads(lambda x, f, p: tf.nn.separable_conv2d(x, f, p, [1, 2, 2, 1], 'SAME'), wave(1, 3, 3, 2), wave(2, 2, 2, 1), wave(1, 1, 2, 2))",  # noqa: E501
        [
            (
                "float32",
                (1, 3, 3, 2),
                [
                    0.0,
                    -1.04806,
                    -0.230426,
                    0.978467,
                    0.0,
                    0.659057,
                    0.445551,
                    -0.843898,
                    -0.63109,
                    0.653291,
                    -0.370829,
                    0.530672,
                    0.0,
                    0.499533,
                    0.070807,
                    -0.466362,
                    0.0,
                    -1.07482,
                ],
            ),
            (
                "float32",
                (2, 2, 2, 1),
                [0.214807, 0.062629, 0.0388462, 1.15934, 0.0904337, 0.554267, 0.774722, -0.419304],
            ),
            ("float32", (1, 1, 2, 2), [-1.0472, -0.511716, 1.06254, 0.0409781]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.separable_conv2d(wave(1, 4, 4, 3), wave(3, 3, 3, 3), wave(3, 3, 9, 4), [1, 1, 1, 1], "SAME"),
        ValueError,
        "Dimensions 3 and 1 are not compatible",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
        [(tf.float32, [2, 8, 8, 3]), (tf.float32, [3, 3, 3, 2])],
        [
            "depthwise/Shape",
            "depthwise/dilation_rate",
            "depthwise/stack",
            "depthwise/required_space_to_batch_paddings/input_shape",
            "depthwise/required_space_to_batch_paddings/paddings",
            "depthwise/required_space_to_batch_paddings/crops",
            "depthwise/SpaceToBatchND/block_shape",
            "depthwise/SpaceToBatchND/paddings",
            "depthwise/SpaceToBatchND",
            "depthwise",
            "depthwise/BatchToSpaceND/block_shape",
            "depthwise/BatchToSpaceND/crops",
            "depthwise/BatchToSpaceND",
        ],
    ),
    (
        lambda x, f, g: tf.nn.separable_conv2d(x, f, g, [1, 1, 1, 1], "SAME"),
        [(tf.float32, [2, 8, 8, 3]), (tf.float32, [3, 3, 3, 2]), (tf.float32, [1, 1, 6, 5])],
        ["separable_conv2d/Shape", "separable_conv2d/dilation_rate", "separable_conv2d/depthwise", "separable_conv2d"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
