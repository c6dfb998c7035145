"""Activations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check
from tests.ops.nn.samples import FLOATS, REALS, array

_FLOAT_OPS = ("Elu", "Selu", "Softsign", "LeakyRelu")

SAMPLES = [
    *(Sample(op, (array(2, 3, dtype=t) * 3,)) for op in ("Relu", "Relu6") for t in REALS),
    *(Sample(op, (array(2, 3, dtype=t) * 3,), grad=t == "float64") for op in _FLOAT_OPS for t in FLOATS),
    *(Sample(op, (array(dtype="float64"),), grad=True) for op in ("Relu", "Relu6", *_FLOAT_OPS)),
    *(Sample(op, (array(0, 2),)) for op in ("Relu", "Relu6", *_FLOAT_OPS)),
    *(
        Sample(op, (array(2, 3, dtype="float64"), array(2, 3, dtype="float64", shift=1.0)), grad=True)
        for op in ("ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftsignGrad", "LeakyReluGrad")
    ),
    Sample("LeakyRelu", (array(2, 3, dtype="float64"),), {"alpha": 0.3}, grad=True),
    Sample("ReluGrad", (array(3, dtype="int32"), array(3, dtype="int32"))),
]

GRADIENT_SAMPLES = [
    *(
        Sample(
            "LeakyReluGrad",
            (array(2, 3, dtype="float64"), array(2, 3, dtype="float64", shift=1.0)),
            {"alpha": a},
            grad=True,
        )
        for a in (0.0, 1.5, -0.3)
    ),
    *(Sample("LeakyRelu", (array(2, 3, dtype="float64"),), {"alpha": a}, grad=True) for a in (0.0, 1.5, -0.3)),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.relu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.96666, 0.0, 0.0, 1.97645, 3.19395]),
        ],
    ),
    (
        "tf.nn.relu6(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.96666, 0.0, 0.0, 1.97645, 3.19395]),
        ],
    ),
    (
        "tf.nn.elu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.96666, -0.640185, -0.975357, 1.97645, 3.19395]),
        ],
    ),
    (
        "tf.nn.selu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 4.16777, -1.12551, -1.71477, 2.07666, 3.35589]),
        ],
    ),
    (
        "tf.nn.leaky_relu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.96666, -0.204433, -0.740652, 1.97645, 3.19395]),
        ],
    ),
    (
        "tf.nn.softsign(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 0.798657, -0.50548, -0.787382, 0.66403, 0.761561]),
        ],
    ),
    (
        "tf.nn.gelu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.96651, -0.15675, -0.000394115, 1.92892, 3.19171]),
        ],
    ),
    (
        "tf.nn.silu(wave(2, 3) * 4)",
        [
            ("float32", (2, 3), [0.0, 3.89294, -0.270471, -0.0890649, 1.73592, 3.06813]),
        ],
    ),
    (
        "tf.nn.crelu(wave(2, 3) * 4)",
        [
            ("float32", (2, 6), [0.0, 3.96666, 0.0, 0.0, 0.0, 1.02216, 0.0, 1.97645, 3.19395, 3.70326, 0.0, 0.0]),
        ],
    ),
    (
        "tf.nn.gelu(wave(3) * 3, approximate=True)",
        [
            ("float32", (3,), [0.0, 2.97106, -0.169998]),
        ],
    ),
    (
        "tf.nn.silu(wave(3), beta=2.0)",
        [
            ("float32", (3,), [0.0, 0.871709, -0.0958126]),
        ],
    ),
    (
        "tf.nn.leaky_relu(tf.constant([-5, 5]))",
        [
            ("float32", (2,), [-1.0, 5.0]),
        ],
    ),
    (
        "tf.nn.leaky_relu(wave(3), alpha=0.5)",
        [
            ("float32", (3,), [0.0, 0.991665, -0.127771]),
        ],
    ),
    (
        "tf.nn.crelu(wave(2, 2), axis=0)",
        [
            ("float32", (4, 2), [0.0, 0.991665, 0.0, 0.0, 0.0, 0.0, 0.255541, 0.925815]),
        ],
    ),
    (
        "tf.nn.relu(tf.constant([-1, 2], tf.int8))",
        [
            ("int8", (2,), [0, 2]),
        ],
    ),
    (
        "tf.nn.relu([float('nan'), -1.0])",
        [
            ("float32", (2,), [float("nan"), 0.0]),
        ],
    ),
    (
        "tf.nn.elu(wave(3, dtype='float16'))",
        [
            ("float16", (3,), [0.0, 0.991699, -0.225586]),
        ],
    ),
    (
        "grads(tf.nn.relu, wave(4) * 4)",
        [
            ("float32", (4,), [0.0, 0.909297, 0.0, -0.0]),
        ],
    ),
    (
        "grads(tf.nn.relu6, wave(4) * 4)",
        [
            ("float32", (4,), [0.0, 0.909297, 0.0, -0.0]),
        ],
    ),
    (
        "grads(tf.nn.elu, wave(4) * 4)",
        [
            ("float32", (4,), [0.841471, 0.909297, 0.0507771, -0.0186499]),
        ],
    ),
    (
        "grads(tf.nn.selu, wave(4) * 4)",
        [
            ("float32", (4,), [0.884134, 0.9554, 0.0892712, -0.0327884]),
        ],
    ),
    (
        "grads(tf.nn.leaky_relu, wave(4) * 4)",
        [
            ("float32", (4,), [0.168294, 0.909297, 0.028224, -0.15136]),
        ],
    ),
    (
        "grads(tf.nn.softsign, wave(4) * 4)",
        [
            ("float32", (4,), [0.841471, 0.0368619, 0.0345109, -0.0342125]),
        ],
    ),
    (
        "grads(tf.nn.gelu, wave(4) * 4)",
        [
            ("float32", (4,), [0.420735, 0.909816, -0.0124893, 0.00109569]),
        ],
    ),
    (
        "grads(tf.nn.silu, wave(4) * 4)",
        [
            ("float32", (4,), [0.420735, 0.958185, 0.00927206, 0.047582]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.gelu([1, 2]),
        ValueError,
        "`features.dtype` must be a floating point tensor.Received:features.dtype=<dtype: 'int32'>",
    ),
    (
        lambda: tf.nn.relu(["a"]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of string is not in the list of allowed values: float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8",  # noqa: E501
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x: tf.nn.gelu(x),
        [(tf.float32, [4])],
        ["Gelu/mul/x", "Gelu/mul", "Gelu/Neg", "Gelu/Cast/x", "Gelu/mul_1", "Gelu/Erfc", "Gelu/mul_2"],
    ),
    (
        lambda x: tf.nn.gelu(x, approximate=True, name="g"),
        [(tf.float32, [4])],
        [
            "g/Cast/x",
            "g/mul/x",
            "g/mul",
            "g/Pow/y",
            "g/Pow",
            "g/mul_1",
            "g/add",
            "g/mul_2/x",
            "g/mul_2",
            "g/Tanh",
            "g/add_1/x",
            "g/add_1",
            "g/mul_3",
        ],
    ),
    (lambda x: tf.nn.crelu(x), [(tf.float32, [4])], ["CRelu/Neg", "CRelu/axis", "CRelu", "CRelu/Relu"]),
    (
        lambda x: [tf.nn.relu6(x), tf.nn.leaky_relu(x), tf.nn.relu(x, name="r")],
        [(tf.float32, [4])],
        ["Relu6", "LeakyRelu", "r"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.2, 1.0, 1.5])
def test_leaky_relu_takes_any_slope_and_infinities(alpha: float) -> None:
    x = np.float32([-np.inf, -2.0, 0.0, 3.0, np.inf, np.nan])
    with np.errstate(invalid="ignore"):
        expected = np.where(x > 0, x, x * np.float32(alpha))
        np.testing.assert_array_equal(tf.nn.leaky_relu(x, alpha), expected)
        np.testing.assert_array_equal(tf.nn.leaky_relu(np.tile(x, 2000), alpha), np.tile(expected, 2000))


@pytest.mark.parametrize("function", [tf.nn.elu, tf.nn.selu, tf.nn.relu6, tf.nn.softsign])
def test_large_arrays_have_the_activations_of_small_ones(function: Any) -> None:
    x = np.linspace(-9, 9, 20_000, dtype=np.float32)
    np.testing.assert_array_equal(function(x), np.concatenate([function(part) for part in np.split(x, 40)]))
    special = np.float32([np.nan, np.inf, -np.inf])
    bounded = {tf.nn.relu6: [np.nan, 6, 0], tf.nn.softsign: [np.nan, np.nan, np.nan]}
    expected = bounded.get(function, [np.nan, np.inf, function(np.float32([-90.0]))[0]])
    np.testing.assert_array_equal(function(special), expected)


@pytest.mark.parametrize("op", ["ReluGrad", "SoftsignGrad"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_of_large_arrays_are_those_of_small_ones(op: str, dtype: Any) -> None:
    x = np.resize(np.array([-2.5, -0.0, 0.0, 1e-45, 3.0, np.inf, -np.inf, np.nan, 7.0], dtype), 20_000)
    dy = np.resize(np.array([1.0, -2.0, np.inf, np.nan, 0.0], dtype), 20_000)
    function = getattr(tf.raw_ops, op)
    with np.errstate(invalid="ignore"):
        large = function(gradients=dy, features=x).numpy()
        pairs = zip(np.split(dy, 40), np.split(x, 40), strict=True)
        small = [function(gradients=a, features=b).numpy() for a, b in pairs]
        in_columns = function(gradients=dy.reshape(100, -1).T, features=x.reshape(100, -1).T).numpy()
    assert large.dtype == dtype
    np.testing.assert_array_equal(large, np.concatenate(small))
    np.testing.assert_array_equal(in_columns, large.reshape(100, -1).T)
