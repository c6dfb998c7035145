"""DepthwiseConv2dNative and its gradient ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import wave
from tests.ops.nn.samples import FLOATS, array


def D(*shape: int) -> Any:
    return array(*shape, dtype="float64")


SAMPLES = [
    *(
        Sample(
            "DepthwiseConv2dNative",
            (array(2, 4, 5, 2, dtype=t), array(2, 3, 2, m, dtype=t)),
            {"strides": [1, s, s, 1], "padding": p},
            grad=t == "float64",
        )
        for t in FLOATS
        for m, s, p in ((1, 1, "SAME"), (2, 2, "VALID"))
    ),
    Sample(
        "DepthwiseConv2dNative",
        (D(1, 2, 4, 5), D(2, 2, 2, 2)),
        {"strides": [1] * 4, "padding": "SAME", "data_format": "NCHW"},
        grad=True,
    ),
    Sample(
        "DepthwiseConv2dNative",
        (D(1, 4, 5, 2), D(2, 2, 2, 2)),
        {"strides": [1] * 4, "padding": "SAME", "dilations": [1, 2, 2, 1]},
        grad=True,
    ),
    Sample("DepthwiseConv2dNative", (array(0, 4, 5, 2), array(2, 2, 2, 2)), {"strides": [1] * 4, "padding": "SAME"}),
    *(
        Sample(
            "DepthwiseConv2dNativeBackpropInput",
            (np.int32([1, 4, 4, 2]), D(2, 2, 2, m), D(1, 2, 2, 2 * m)),
            {"strides": [1, 2, 2, 1], "padding": "SAME"},
            grad=True,
        )
        for m in (1, 2)
    ),
    *(
        Sample(
            "DepthwiseConv2dNativeBackpropFilter",
            (D(1, 4, 4, 2), np.int32([2, 2, 2, m]), D(1, 2, 2, 2 * m)),
            {"strides": [1, 2, 2, 1], "padding": "SAME"},
            grad=True,
        )
        for m in (1, 2)
    ),
]

_PADDED = {"strides": [1] * 4, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 1, 0, 0]}
_SPREAD = {"strides": [1] * 4, "padding": "VALID", "dilations": [1, 2, 1, 1]}
_FIRST = {"strides": [1] * 4, "padding": "SAME", "data_format": "NCHW"}

GRADIENT_SAMPLES = [
    Sample("DepthwiseConv2dNative", (D(1, 4, 3, 2), D(2, 2, 2, 1)), _PADDED, grad=True),
    *(
        Sample("DepthwiseConv2dNativeBackpropInput", (np.int32(x), D(2, 2, 2, 2), D(*y)), attrs, grad=True)
        for x, y, attrs in (
            ([1, 4, 3, 2], (1, 4, 3, 4), _PADDED),
            ([1, 4, 3, 2], (1, 2, 2, 4), _SPREAD),
            ([1, 2, 4, 3], (1, 4, 4, 3), _FIRST),
        )
    ),
    *(
        Sample("DepthwiseConv2dNativeBackpropFilter", (D(*x), np.int32([2, 2, 2, 2]), D(*y)), attrs, grad=True)
        for x, y, attrs in (
            ((1, 4, 3, 2), (1, 4, 3, 4), _PADDED),
            ((1, 4, 3, 2), (1, 2, 2, 4), _SPREAD),
            ((1, 2, 4, 3), (1, 4, 4, 3), _FIRST),
        )
    ),
]
REFUSED = [
    (
        lambda: tf.raw_ops.DepthwiseConv2dNative(
            input=wave(1, 4, 4, 3), filter=wave(2, 2, 2, 1), strides=[1, 1, 1, 1], padding="SAME"
        ),
        tf.errors.InvalidArgumentError,
        "input and filter must have the same depth: 3 vs 2",
    ),
    (
        lambda: tf.raw_ops.DepthwiseConv2dNative(
            input=wave(4, 4, 3), filter=wave(2, 2, 2, 1), strides=[1, 1, 1, 1], padding="SAME"
        ),
        tf.errors.InvalidArgumentError,
        "input must be 4-dimensional[4,4,3]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
