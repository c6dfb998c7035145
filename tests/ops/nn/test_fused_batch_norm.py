"""FusedBatchNorm and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array

_VECTORS = (array(2), array(2, shift=1.0), array(2, shift=2.0), abs(array(2, shift=3.0)))
_MOMENTS = (array(2), array(2, shift=1.0), abs(array(2, shift=3.0)))

SAMPLES = [
    *(
        Sample(
            "FusedBatchNormV3",
            (array(2, 3, 2, 2, dtype=t), *_VECTORS),
            {"is_training": b},
            rtol=2e-2 if t != "float32" else 1e-4,
        )
        for t in FLOATS[:3]
        for b in (True, False)
    ),
    Sample(
        "FusedBatchNormV3",
        (array(2, 2, 3, 2), *_VECTORS),
        {"data_format": "NCHW", "exponential_avg_factor": 0.3},
        rtol=1e-4,
    ),
    Sample("FusedBatchNormV3", (array(2, 2, 3, 2, 2), *_VECTORS), {"data_format": "NDHWC"}, rtol=1e-4),
    Sample("FusedBatchNormV2", (array(2, 3, 2, 2), *_VECTORS), rtol=1e-4),
    Sample("FusedBatchNorm", (array(2, 3, 2, 2), *_VECTORS), rtol=1e-4),
    *(
        Sample(
            "FusedBatchNormGradV3",
            (array(2, 3, 2, 2), array(2, 3, 2, 2, shift=1.0), *_MOMENTS, array(0)),
            {"is_training": b},
            rtol=1e-4,
        )
        for b in (True, False)
    ),
    Sample("FusedBatchNormGradV2", (array(2, 3, 2, 2), array(2, 3, 2, 2, shift=1.0), *_MOMENTS), rtol=1e-4),
    Sample("FusedBatchNormGrad", (array(2, 3, 2, 2), array(2, 3, 2, 2, shift=1.0), *_MOMENTS), rtol=1e-4),
]


def _normalize(name: str, **attrs: Any) -> Any:
    """The images alone: TensorFlow lets nothing through the moments."""
    run = getattr(tf.raw_ops, name)
    is_training = attrs.get("is_training", True)

    def function(x: Any, scale: Any, offset: Any) -> Any:
        moments = [[], []] if is_training else _MOMENTS_OF_BEFORE
        return run(x=x, scale=scale, offset=offset, mean=moments[0], variance=moments[1], **attrs)[0]

    return function


def _of_gradient(name: str, **attrs: Any) -> Any:
    """The gradient op at the moments of its images, of which it takes them to be functions."""
    run = getattr(tf.raw_ops, name)

    def function(dy: Any, x: Any, scale: Any) -> Any:
        _, _, _, mean, deviation = tf.raw_ops.FusedBatchNorm(x=x, scale=scale, offset=scale, mean=[], variance=[])
        last = {"reserve_space_3": []} if name.endswith("V3") else {}
        moments = {"reserve_space_1": tf.stop_gradient(mean), "reserve_space_2": tf.stop_gradient(deviation)}
        return run(y_backprop=dy, x=x, scale=scale, **moments, **last, **attrs)[:3]

    return function


_MOMENTS_OF_BEFORE = (np.float32([0.3, -0.2]), np.float32([0.5, 1.5]))
_BATCH = (array(2, 3, 2, 2), np.float32([1.5, -0.5]), np.float32([0.1, 0.7]))
_CHANNELS_FIRST = (array(2, 2, 3, 2), *_BATCH[1:])

GRADIENT_PROGRAMS = [
    *(
        GradientProgram(f"FusedBatchNorm{v}", _normalize(f"FusedBatchNorm{v}", is_training=b), _BATCH)
        for v in ("", "V2", "V3")
        for b in (True, False)
    ),
    *(
        GradientProgram(
            "FusedBatchNormV3", _normalize("FusedBatchNormV3", is_training=b, data_format="NCHW"), _CHANNELS_FIRST
        )
        for b in (True, False)
    ),
    *(
        GradientProgram(
            f"FusedBatchNormGrad{v}",
            _of_gradient(f"FusedBatchNormGrad{v}"),
            (array(2, 3, 2, 2, shift=1.0), *_BATCH[:2]),
        )
        for v in ("", "V2", "V3")
    ),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.raw_ops.FusedBatchNormV3(x=wave(2, 2, 2, 2), scale=wave(2), offset=wave(2, shift=1.0), mean=wave(2, shift=2.0), variance=tf.abs(wave(2, shift=3.0)), is_training=True)[:3]",  # noqa: E501
        [
            (
                "float32",
                (2, 2, 2, 2),
                [
                    0.841471,
                    1.85614,
                    0.841471,
                    -1.19256,
                    0.841471,
                    1.549,
                    0.841471,
                    -0.703368,
                    0.841471,
                    0.910241,
                    0.841471,
                    0.0425401,
                    0.841471,
                    0.106715,
                    0.841471,
                    0.850328,
                ],
            ),
            ("float32", (2,), [-0.066943, 0.0930454]),
            ("float32", (2,), [0.624264, 0.444468]),
        ],
    ),
    (
        "tf.raw_ops.FusedBatchNormV3(x=wave(2, 2, 2, 2), scale=wave(2), offset=wave(2, shift=1.0), mean=wave(2, shift=2.0), variance=tf.abs(wave(2, shift=3.0)), exponential_avg_factor=0.3)[:3]",  # noqa: E501
        [
            (
                "float32",
                (2, 2, 2, 2),
                [
                    0.841471,
                    1.85614,
                    0.841471,
                    -1.19256,
                    0.841471,
                    1.549,
                    0.841471,
                    -0.703368,
                    0.841471,
                    0.910241,
                    0.841471,
                    0.0425401,
                    0.841471,
                    0.106715,
                    0.841471,
                    0.850328,
                ],
            ),
            ("float32", (2,), [0.616425, -0.342972]),
            ("float32", (2,), [0.286063, 0.833287]),
        ],
    ),
    (
        "tf.raw_ops.FusedBatchNormV3(x=wave(2, 2, 2, 2), scale=wave(2), offset=wave(2, shift=1.0), mean=wave(2, shift=2.0), variance=tf.abs(wave(2, shift=3.0)), is_training=False)[:3]",  # noqa: E501
        [
            (
                "float32",
                (2, 2, 2, 2),
                [
                    0.841471,
                    1.93618,
                    0.841471,
                    0.0347064,
                    0.841471,
                    1.74462,
                    0.841471,
                    0.339816,
                    0.841471,
                    1.34622,
                    0.841471,
                    0.805038,
                    0.841471,
                    0.845064,
                    0.841471,
                    1.30886,
                ],
            ),
            ("float32", (2,), [0.909297, -0.529836]),
            ("float32", (2,), [0.14112, 0.999923]),
        ],
    ),
    (
        "grads(lambda x, s, o: tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[0.0, 0.0], variance=[1.0, 1.0])[0], wave(2, 2, 1, 2), wave(2), wave(2))",  # noqa: E501
        [
            ("float32", (2, 2, 1, 2), [0.0, 0.54096, -0.0, -0.851767, -0.0, -0.79964, -0.0, 1.11045]),
            ("float32", (2,), [-2.06297, 0.847291]),
            ("float32", (2,), [0.680653, 0.862438]),
        ],
    ),
    (
        "grads(lambda x, s, o: tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[0.1, 0.2], variance=[1.0, 2.0], is_training=False)[0], wave(2, 2, 1, 2), wave(2), wave(2))",  # noqa: E501
        [
            ("float32", (2, 2, 1, 2), [0.0, 0.637595, 0.0, -0.530666, -0.0, -0.195925, 0.0, 0.693733]),
            ("float32", (2,), [-1.0377, 0.420874]),
            ("float32", (2,), [0.680653, 0.862438]),
        ],
    ),
    (
        "grads(lambda z, r: grads(lambda x: tf.raw_ops.FusedBatchNormV3(x=x, scale=r, offset=r, mean=[0.1, 0.2], variance=[1.0, 2.0])[0] ** 3, z)[0], wave(2, 2, 1, 2), wave(2))",  # noqa: E501
        [
            ("float32", (2, 2, 1, 2), [0.0, -4.88944, 0.0, 5.03058, 0.0, 0.36145, 0.0, -0.502582]),
            ("float32", (2,), [0.0, 26.9502]),
        ],
    ),
    (
        "grads(lambda z, r: grads(lambda x: tf.raw_ops.FusedBatchNormV3(x=x, scale=r, offset=r, mean=[0.1, 0.2], variance=[1.0, 2.0], is_training=False)[0] ** 3, z)[0], wave(2, 2, 1, 2), wave(2))",  # noqa: E501
        [
            ("float32", (2, 2, 1, 2), [0.0, 3.77284, 0.0, 0.341728, -0.0, 0.325055, 0.0, 1.20699]),
            ("float32", (2,), [0.0, 14.8158]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.raw_ops.FusedBatchNormV3(
            x=wave(2, 3, 3), scale=wave(3), offset=wave(3), mean=wave(3), variance=wave(3)
        ),
        tf.errors.InvalidArgumentError,
        "input must be 4 or 5-dimensional[2,3,3]",
    ),
    (
        lambda: tf.raw_ops.FusedBatchNormV3(
            x=wave(2, 3, 3, 3), scale=wave(4), offset=wave(4), mean=wave(4), variance=wave(4)
        ),
        tf.errors.InvalidArgumentError,
        "scale must have the same number of elements as the channels of x, got 4 and 3",
    ),
    (
        lambda: tf.raw_ops.FusedBatchNormV3(
            x=wave(2, 3, 3, 3), scale=wave(3), offset=wave(3), mean=[], variance=[], is_training=False
        ),
        tf.errors.InvalidArgumentError,
        "When is_training=false, mean must have the same number of elements as the channels of x, got 0 and 3",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
