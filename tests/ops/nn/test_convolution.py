"""tf.nn.conv1d, conv2d, conv3d, convolution, atrous_conv2d."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 1, 'SAME', dilations=1)",
        [
            (
                "float32",
                (1, 4, 5, 2),
                [
                    -0.199337,
                    -1.14517,
                    -0.553013,
                    0.146514,
                    0.541798,
                    -0.358756,
                    -0.494606,
                    0.547175,
                    0.549337,
                    1.03782,
                    1.27411,
                    -0.0365768,
                    0.179053,
                    -0.857114,
                    -0.0392123,
                    0.852402,
                    -0.103232,
                    -0.791086,
                    -1.25348,
                    0.301218,
                    -0.501838,
                    1.1653,
                    0.454475,
                    0.325179,
                    -0.520218,
                    -0.110343,
                    0.551417,
                    -0.11182,
                    0.140487,
                    -1.20359,
                    -0.426115,
                    -0.134071,
                    0.357573,
                    0.0110027,
                    -0.475425,
                    -0.194018,
                    0.561707,
                    0.36415,
                    0.691628,
                    -0.0715847,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 1, 'VALID', dilations=1)",
        [
            (
                "float32",
                (1, 3, 3, 2),
                [
                    -0.553013,
                    0.146514,
                    0.541798,
                    -0.358756,
                    -0.494606,
                    0.547175,
                    0.179053,
                    -0.857114,
                    -0.0392123,
                    0.852402,
                    -0.103232,
                    -0.791086,
                    0.454475,
                    0.325179,
                    -0.520218,
                    -0.110343,
                    0.551417,
                    -0.11182,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 2, 'SAME', dilations=1)",
        [
            (
                "float32",
                (1, 2, 3, 2),
                [
                    -0.199337,
                    -1.14517,
                    0.541798,
                    -0.358756,
                    0.549337,
                    1.03782,
                    -0.501838,
                    1.1653,
                    -0.520218,
                    -0.110343,
                    0.140487,
                    -1.20359,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 2, 'VALID', dilations=1)",
        [
            (
                "float32",
                (1, 2, 2, 2),
                [-0.553013, 0.146514, -0.494606, 0.547175, 0.454475, 0.325179, 0.551417, -0.11182],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 1, 'SAME', dilations=2)",
        [
            (
                "float32",
                (1, 4, 5, 2),
                [
                    -1.35677,
                    1.68571,
                    1.596,
                    -2.04658,
                    -2.54564,
                    2.32249,
                    2.30484,
                    -1.11545,
                    -2.52422,
                    1.25909,
                    0.405641,
                    -2.56801,
                    -0.625154,
                    1.84784,
                    1.96273,
                    -2.30717,
                    -1.42409,
                    1.41364,
                    1.14744,
                    -0.538054,
                    -0.98814,
                    -1.68201,
                    0.919784,
                    2.43176,
                    -0.713477,
                    -3.67504,
                    -0.471058,
                    2.72858,
                    0.868397,
                    -3.2133,
                    1.89068,
                    1.14933,
                    -1.55396,
                    -0.89896,
                    1.3465,
                    1.95576,
                    -0.803322,
                    -1.61355,
                    0.6036,
                    1.10489,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 2), wave(2, 3, 2, 2), 1, 'VALID', dilations=2)",
        [
            ("float32", (1, 2, 1, 2), [1.96273, -2.30717, -0.713477, -3.67504]),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 4, 5, 1), wave(2, 3, 1, 1), [1, 2], [[0, 0], [1, 0], [0, 2], [0, 0]])",
        [
            (
                "float32",
                (1, 4, 3, 1),
                [
                    0.285949,
                    0.173669,
                    -0.457457,
                    -0.529943,
                    0.269232,
                    -0.367308,
                    1.07869,
                    -1.00465,
                    0.899705,
                    -0.76883,
                    0.940395,
                    -0.715958,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 3, 3, 4), wave(2, 2, 2, 2), 1, 'VALID')",
        [
            ("float32", (1, 2, 2, 2), [1.84354, 0.34472, 2.67426, -0.815618, 2.20559, -2.24972, 1.02862, -2.1489]),
        ],
    ),
    (
        "tf.nn.conv2d(wave(2, 1, 3, 3, 1), wave(2, 2, 1, 1), 1, 'VALID')",
        [
            (
                "float32",
                (2, 1, 2, 2, 1),
                [0.762525, -1.11893, 1.24112, 0.154366, -1.10829, 0.779709, -1.01353, -0.646197],
            ),
        ],
    ),
    (
        "tf.nn.conv2d(wave(1, 3, 3, 1, dtype='float16'), wave(2, 2, 1, 1, dtype='float16'), 1, 'VALID')",
        [
            ("float16", (1, 2, 2, 1), [0.762695, -1.11914, 1.24121, 0.154175]),
        ],
    ),
    (
        "tf.nn.conv2d(tf.reshape(tf.range(9), [1, 3, 3, 1]), tf.ones([2, 2, 1, 1], tf.int32), 1, 'SAME')",
        [
            ("int32", (1, 3, 3, 1), [8, 12, 7, 20, 24, 13, 13, 15, 8]),
        ],
    ),
    (
        "tf.nn.conv1d(wave(2, 5, 2), wave(3, 2, 2), 2, 'SAME')",
        [
            (
                "float32",
                (2, 3, 2),
                [
                    -0.0235164,
                    -0.576423,
                    -0.0851393,
                    0.319123,
                    0.304814,
                    0.319029,
                    0.592668,
                    -0.262717,
                    0.614755,
                    0.530224,
                    -0.751471,
                    0.354526,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv1d(wave(2, 5, 2), wave(2, 2, 1), 1, 'VALID', dilations=2)",
        [
            ("float32", (2, 3, 1), [0.117882, -0.166971, 0.204972, -0.231844, 0.20977, -0.173767]),
        ],
    ),
    (
        "tf.nn.conv1d(wave(2, 1, 4, 1), wave(2, 1, 1), 1, 'VALID')",
        [
            ("float32", (2, 1, 3, 1), [0.983399, -0.253411, -0.918098, 0.791832, -0.694041, -0.612985]),
        ],
    ),
    (
        "tf.nn.conv3d(wave(1, 3, 3, 3, 1), wave(2, 2, 2, 1, 2), [1, 1, 2, 2, 1], 'SAME')",
        [
            (
                "float32",
                (1, 3, 2, 2, 2),
                [
                    1.31362,
                    -1.80975,
                    -0.705068,
                    0.430629,
                    -0.378882,
                    -0.110319,
                    -0.503157,
                    0.619654,
                    -1.17665,
                    1.73781,
                    0.959785,
                    -0.820889,
                    0.767907,
                    -0.293418,
                    0.185568,
                    -0.495065,
                    -0.440862,
                    -1.98246,
                    0.486998,
                    1.31166,
                    0.254541,
                    0.962546,
                    0.0,
                    0.214187,
                ],
            ),
        ],
    ),
    (
        "tf.nn.convolution(wave(1, 4, 4, 1), wave(2, 2, 1, 1), dilations=2, padding='SAME')",
        [
            (
                "float32",
                (1, 4, 4, 1),
                [
                    -0.739251,
                    0.521688,
                    0.368234,
                    0.178847,
                    0.616091,
                    0.417114,
                    -0.881536,
                    0.245677,
                    0.892409,
                    -0.0498241,
                    -0.917645,
                    0.248334,
                    0.393434,
                    -0.953384,
                    -0.147757,
                    0.0,
                ],
            ),
        ],
    ),
    (
        "tf.nn.convolution(wave(1, 6, 1), wave(2, 1, 1), dilations=[3])",
        [
            ("float32", (1, 3, 1), [-0.918098, 0.489995, 0.791832]),
        ],
    ),
    (
        "tf.nn.convolution(wave(1, 4, 4, 1), wave(2, 2, 1, 1), strides=2)",
        [
            ("float32", (1, 2, 2, 1), [0.117882, -0.166971, 0.238523, -0.231844]),
        ],
    ),
    (
        "tf.nn.atrous_conv2d(wave(1, 5, 5, 1), wave(2, 2, 1, 1), 2, 'VALID')",
        [
            (
                "float32",
                (1, 3, 3, 1),
                [-0.933357, -0.779445, 1.13421, -0.162547, 1.30164, -0.17287, 1.12907, -0.787757, -0.926072],
            ),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.conv2d(x, f, 2, 'SAME'), wave(1, 4, 3, 2), wave(2, 2, 2, 1))",
        [
            (
                "float32",
                (1, 4, 3, 2),
                [
                    0.0,
                    0.834457,
                    -0.21503,
                    -0.779046,
                    0.0,
                    0.901718,
                    0.415782,
                    0.671904,
                    -0.588924,
                    -0.520144,
                    0.449296,
                    0.726062,
                    0.0,
                    0.139944,
                    -0.036062,
                    -0.130651,
                    0.0,
                    -0.750494,
                    0.0697293,
                    0.112683,
                    -0.0987663,
                    -0.0872315,
                    -0.373946,
                    -0.604297,
                ],
            ),
            ("float32", (2, 2, 2, 1), [-0.0750493, 1.9884, -0.352171, -0.728376, -1.3429, -1.2924, 0.797624, 0.205474]),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.conv1d(x, f, 1, 'VALID'), wave(1, 4, 2), wave(2, 2, 2))",
        [
            ("float32", (1, 4, 2), [0.901718, -1.05687, 0.39135, -0.486398, -0.811654, 0.872773, -0.696927, 0.843844]),
            (
                "float32",
                (2, 2, 2),
                [-0.509879, 0.0553312, -0.0618825, 1.37927, 0.525826, -0.410753, -0.073617, -1.27342],
            ),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.conv3d(x, f, [1, 1, 1, 1, 1], 'VALID'), wave(1, 2, 2, 3, 1), wave(2, 1, 2, 1, 1))",
        [
            (
                "float32",
                (1, 2, 2, 3, 1),
                [
                    0.0,
                    0.834457,
                    0.901718,
                    0.0,
                    0.139944,
                    -0.750494,
                    -0.21503,
                    -1.01141,
                    -0.841841,
                    -0.036062,
                    0.0627432,
                    0.700659,
                ],
            ),
            ("float32", (2, 1, 2, 1, 1), [0.397121, 0.0675265, -0.367419, 0.23818]),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.convolution(x, f, dilations=2), wave(1, 4, 4, 1), wave(2, 2, 1, 1))",
        [
            (
                "float32",
                (1, 4, 4, 1),
                [
                    0.0,
                    0.0,
                    0.834457,
                    0.901718,
                    0.0,
                    0.0,
                    0.139944,
                    -0.750494,
                    -0.21503,
                    -0.232363,
                    -0.779046,
                    -0.841841,
                    -0.036062,
                    0.193394,
                    -0.130651,
                    0.700659,
                ],
            ),
            ("float32", (2, 2, 1, 1), [0.36715, -0.68783, 1.30702, -1.35335]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.conv2d(wave(1, 4, 4, 1), wave(2, 2, 1, 1), [1, 2, 3], "SAME"),
        ValueError,
        "strides should be of length 1, 2 or 4. Received: strides=[1, 2, 3] of length 3",
    ),
    (
        lambda: tf.nn.conv2d(wave(1, 4, 4, 1), wave(2, 2, 1, 1), 1, [[0, 0]]),
        ValueError,
        "When padding is a list, it must be of size 4. Received: padding=[[0, 0]] of size 1",
    ),
    (
        lambda: tf.nn.conv2d(wave(1, 4, 4, 1), wave(2, 2, 1, 1), 1, "EXPLICIT"),
        ValueError,
        "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list.",
    ),
    (
        lambda: tf.nn.conv2d(wave(1, 4, 4, 1), wave(2, 2, 1, 1), 1, [[0, 0], [-1, 0], [0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "All elements of explicit_paddings must be nonnegative",
    ),
    (
        lambda: tf.nn.conv2d(wave(1, 4, 4, 1), wave(2, 2, 1, 1), 1, [[1, 0], [1, 0], [0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "Nonzero explicit padding in the batch or depth dimensions is not supported",
    ),
    (
        lambda: tf.nn.conv3d(wave(1, 4, 4, 4, 1), wave(2, 2, 2, 1, 1), 1, "SAME"),
        TypeError,
        "Expected list for 'strides' argument to 'conv3d' Op, not 1.",
    ),
    (
        lambda: tf.nn.convolution(wave(1, 9, 9, 1), wave(2, 2, 1, 1), strides=2, dilations=2),
        ValueError,
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=[2 2] and dilation_rate=[2 2]",  # noqa: E501
    ),
    (
        lambda: tf.nn.atrous_conv2d(wave(1, 9, 9, 1), wave(2, 2, 1, 1), 0, "SAME"),
        ValueError,
        "all values of `dilation_rate` must be positive. Received: dilation_rate=[0 0]",
    ),
    (
        lambda: tf.nn.convolution(wave(1, 1, 1, 1, 1, 1), wave(1, 1, 1, 1, 1, 1)),
        ValueError,
        "`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims=4.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, f: tf.nn.conv2d(x, f, 2, "SAME", name="c"),
        [(tf.float32, [None, 8, 8, 3]), (tf.float32, [3, 3, 3, 4])],
        ["c"],
    ),
    (
        lambda x, f: tf.nn.conv2d(x, f, 1, "SAME"),
        [(tf.float32, [2, None, 8, 8, 3]), (tf.float32, [3, 3, 3, 4])],
        [
            "squeeze_batch_dims/Shape",
            "squeeze_batch_dims/strided_slice/stack",
            "squeeze_batch_dims/strided_slice/stack_1",
            "squeeze_batch_dims/strided_slice/stack_2",
            "squeeze_batch_dims/strided_slice",
            "squeeze_batch_dims/Reshape/shape",
            "squeeze_batch_dims/Reshape",
            "squeeze_batch_dims/Conv2D",
            "squeeze_batch_dims/concat/values_1",
            "squeeze_batch_dims/concat/axis",
            "squeeze_batch_dims/concat",
            "squeeze_batch_dims/Reshape_1",
        ],
    ),
    (
        lambda x, f: tf.nn.conv1d(x, f, 1, "SAME"),
        [(tf.float32, [None, 8, 3]), (tf.float32, [3, 3, 4])],
        [
            "conv1d/ExpandDims/dim",
            "conv1d/ExpandDims",
            "conv1d/ExpandDims_1/dim",
            "conv1d/ExpandDims_1",
            "conv1d",
            "conv1d/Squeeze",
        ],
    ),
    (
        lambda x, f: tf.nn.convolution(x, f, dilations=2),
        [(tf.float32, [None, 8, 3]), (tf.float32, [3, 3, 4])],
        [
            "convolution/dilation_rate",
            "convolution/required_space_to_batch_paddings/input_shape",
            "convolution/required_space_to_batch_paddings/base_paddings",
            "convolution/required_space_to_batch_paddings/paddings",
            "convolution/required_space_to_batch_paddings/crops",
            "convolution/SpaceToBatchND/block_shape",
            "convolution/SpaceToBatchND/paddings",
            "convolution/SpaceToBatchND",
            "convolution/ExpandDims/dim",
            "convolution/ExpandDims",
            "convolution/ExpandDims_1/dim",
            "convolution/ExpandDims_1",
            "convolution",
            "convolution/Squeeze",
            "convolution/BatchToSpaceND/block_shape",
            "convolution/BatchToSpaceND/crops",
            "convolution/BatchToSpaceND",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
