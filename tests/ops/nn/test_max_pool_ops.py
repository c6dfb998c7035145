"""Max pooling ops and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array

_DTYPES = (*FLOATS, "int32", "int64", "uint8", "int16", "int8", "uint16")
_WINDOW = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1]}
_TWO = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
_THREE = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
_PADDINGS = ({"padding": "VALID"}, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]})


def D(*shape: int) -> Any:
    return array(*shape, dtype="float64")


X, X3 = D(1, 4, 4, 1), array(1, 2, 2, 2, 1)
Y = X.reshape(1, 2, 2, 2, 2, 1).max((2, 4))
Y3 = X3.max((1, 2, 3), keepdims=True)

SAMPLES = [
    *(
        Sample("MaxPool", (array(1, 5, 4, 2, dtype=t),), {**_WINDOW, "padding": "SAME"}, grad=t == "float64")
        for t in _DTYPES
    ),
    *(Sample("MaxPool", (D(1, 5, 4, 2),), {**_WINDOW, **p}, grad=True) for p in _PADDINGS),
    Sample(
        "MaxPool",
        (D(1, 2, 5, 4),),
        {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"},
        grad=True,
    ),
    Sample(
        "MaxPool", (D(1, 2, 2, 4),), {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}, grad=True
    ),
    Sample("MaxPool", (array(0, 4, 4, 1),), {**_WINDOW, "padding": "VALID"}),
    Sample(
        "MaxPoolV2", (D(1, 5, 4, 2), np.int32([1, 2, 2, 1]), np.int32([1, 2, 2, 1])), {"padding": "SAME"}, grad=True
    ),
    Sample("MaxPoolGrad", (X, Y, D(1, 2, 2, 1)), {**_TWO, "padding": "VALID"}),
    Sample("MaxPoolGradGrad", (X, Y, D(1, 4, 4, 1)), {**_TWO, "padding": "VALID"}),
    Sample(
        "MaxPoolGradV2", (X, Y, D(1, 2, 2, 1), np.int32([1, 2, 2, 1]), np.int32([1, 2, 2, 1])), {"padding": "VALID"}
    ),
    Sample(
        "MaxPoolGradGradV2", (X, Y, D(1, 4, 4, 1), np.int32([1, 2, 2, 1]), np.int32([1, 2, 2, 1])), {"padding": "VALID"}
    ),
    *(
        Sample(
            "MaxPool3D",
            (array(1, 3, 4, 3, 2, dtype=t),),
            {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "SAME"},
            grad=t == "float32",
        )
        for t in FLOATS[:3]
    ),
    Sample("MaxPool3DGrad", (X3, Y3, array(1, 1, 1, 1, 1)), _THREE),
    Sample("MaxPool3DGradGrad", (X3, Y3, array(1, 2, 2, 2, 1)), _THREE),
]

_FIRST = {"padding": "VALID", "data_format": "NCHW"}
_FIRST_3D = {"ksize": [1, 1, 2, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": "VALID", "data_format": "NCDHW"}

GRADIENT_SAMPLES = [
    Sample("MaxPool3D", (array(1, 3, 4, 3, 2) * 10,), {**_THREE, "strides": [1, 1, 1, 1, 1]}, grad=True),
    Sample("MaxPool3D", (array(1, 2, 3, 4, 2) * 10,), _FIRST_3D, grad=True),
    Sample("MaxPoolV2", (D(1, 2, 5, 4), np.int32([1, 1, 2, 2]), np.int32([1, 1, 2, 1])), _FIRST, grad=True),
    Sample("MaxPool", (D(1, 5, 4, 2),), {"ksize": [1, 1, 1, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}, grad=True),
]


def _of_gradient(name: str, x: Any, y: Any, gradient: Any, **attrs: Any) -> GradientProgram:
    """An op that is linear in its last tensor, at an input and an output that fit each other."""
    run = getattr(tf.raw_ops, name)
    return GradientProgram(name, lambda g: run(orig_input=x, orig_output=y, grad=g, **attrs), [gradient])


_TENSORS = {"ksize": np.int32([1, 2, 2, 1]), "strides": np.int32([1, 2, 2, 1]), "padding": "VALID"}

GRADIENT_PROGRAMS = [
    _of_gradient("MaxPoolGrad", X, Y, D(1, 2, 2, 1), **_TWO, padding="VALID"),
    _of_gradient("MaxPoolGradGrad", X, Y, D(1, 4, 4, 1), **_TWO, padding="VALID"),
    _of_gradient("MaxPoolGradV2", X, Y, D(1, 2, 2, 1), **_TENSORS),
    _of_gradient("MaxPoolGradGradV2", X, Y, D(1, 4, 4, 1), **_TENSORS),
    _of_gradient("MaxPool3DGrad", X3, Y3, array(1, 1, 1, 1, 1), **_THREE),
    _of_gradient("MaxPool3DGradGrad", X3, Y3, array(1, 2, 2, 2, 1), **_THREE),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "grads(lambda x: tf.nn.max_pool2d(x, 3, 2, 'SAME'), tf.round(wave(1, 5, 4, 1) * 2))",
        [
            (
                "float32",
                (1, 5, 4, 1),
                [
                    0.0,
                    0.841471,
                    0.909297,
                    0.0,
                    0.0,
                    0.14112,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    -0.958924,
                    0.0,
                    0.0,
                    -0.756802,
                    0.0,
                    0.0,
                    0.0,
                    -0.279415,
                ],
            ),
        ],
    ),
    (
        "grads(lambda x: tf.nn.max_pool2d(x, 3, 1, 'VALID'), wave(1, 5, 4, 1))",
        [
            (
                "float32",
                (1, 5, 4, 1),
                [
                    0.0,
                    1.75077,
                    0.0,
                    0.0,
                    0.0,
                    -0.756802,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    -0.817804,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    -0.279415,
                ],
            ),
        ],
    ),
    (
        "grads(lambda x: tf.nn.max_pool3d(x, 2, 1, 'VALID'), wave(1, 2, 3, 3, 1))",
        [
            (
                "float32",
                (1, 2, 3, 3, 1),
                [
                    0.0,
                    0.909297,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.982591,
                    0.0,
                    0.0,
                    0.0,
                    -0.756802,
                    0.0,
                ],
            ),
        ],
    ),
    (
        "grads(lambda z: grads(lambda x: tf.nn.max_pool2d(x, 2, 1, 'VALID') ** 2, z)[0], wave(1, 3, 3, 1))",
        [
            ("float32", (1, 3, 3, 1), [0.0, 3.18394, 0.0, 0.0, -0.270647, 0.0, 0.0, 0.0, -0.623785]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 3), [2, 1, 1, 1], 1, "SAME"),
        tf.errors.UnimplementedError,
        "Pooling is not yet supported on the batch dimension.",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 3), 0, 1, "SAME"),
        tf.errors.InvalidArgumentError,
        "Sliding window ksize must be positive. The specified or inferred ksize is: 1,0,0,1",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 3), 1, 0, "SAME"),
        tf.errors.InvalidArgumentError,
        "Stride must be > 0, but got 0",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 4), [1, 1, 1, 2], 1, "VALID"),
        tf.errors.UnimplementedError,
        "Depthwise max pooling requires the depth window to equal the depth stride",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 4), [1, 2, 2, 2], [1, 1, 1, 2], "VALID"),
        tf.errors.UnimplementedError,
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(4, 4, 3), 2, 2, "SAME"),
        tf.errors.InvalidArgumentError,
        "tensor_in_shape must have 2 spatial dimensions. 3 0",
    ),
    (
        lambda: tf.nn.max_pool2d(wave(1, 4, 4, 1), 2, 2, [[0, 0], [3, 1], [0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "Top padding 3 needs to be smaller than the window size 2",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.nn.max_pool2d(tf.zeros([1, 4, 4, 3]), 5, 1, "VALID"),
        ValueError,
        "Negative dimension size caused by subtracting 5 from 4",
    ),
    (lambda: tf.nn.max_pool2d(tf.zeros([4, 4, 3]), 5, 1, "VALID"), ValueError, "Shape must be rank 4 but is rank 3"),
    (lambda: tf.nn.max_pool2d(tf.zeros([1, 4, 4, 3]), 1, 0, "VALID"), ValueError, "Stride must be > 0, but got 0"),
    (
        lambda: tf.nn.max_pool2d(tf.zeros([1, 4, 4, 3]), 1, 1, "foo"),
        ValueError,
        "Attr 'padding' of 'MaxPool' Op passed string 'foo' not in: \"SAME\", \"VALID\", \"EXPLICIT\".",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_bad_shapes_are_refused_while_tracing(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_while_tracing(call, error, words)
