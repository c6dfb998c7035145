"""Reductions as ops."""

from __future__ import annotations

import numpy as np

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)
AXES = (([0], False), ([1], True), ([0, 1], False), ([], False), ([-1, 0], True))
SAMPLES = [
    *(
        Sample(op, (numbers(d, (2, 3), 0.5), np.int32(axes)), {"keep_dims": keep}, grad=d in ("float64", "complex128"))
        for op in ("Sum", "Prod", "Mean", "EuclideanNorm")
        for d, (axes, keep) in zip(NUMBERS, AXES * 3, strict=False)
        if op != "EuclideanNorm" or d != "complex128"
    ),
    *(
        Sample(op, (numbers(d, (2, 3)), np.int64(axes)), {"keep_dims": keep}, grad=d == "float64")
        for op in ("Max", "Min")
        for d, (axes, keep) in zip((*FLOATS, *INTEGERS), AXES * 3, strict=False)
    ),
    *(
        Sample(op, (numbers("bool", (2, 3)), np.int32(axes)), {"keep_dims": keep})
        for op in ("All", "Any")
        for axes, keep in AXES
    ),
    *(Sample(op, (numbers("float32", (0, 3)), np.int32(0))) for op in ("Sum", "Prod", "Max", "Min")),
    *(Sample(op, (numbers("int32", ()), np.int32([]))) for op in ("Sum", "Prod", "Max", "Min", "Mean")),
    Sample("Prod", (numbers("float64", (2, 3, 2)), np.int32([0, 2])), grad=True),
]


def test_the_gradient_of_a_product_is_right_at_zero() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_prod(x)
    assert tape.gradient(y, x).numpy().tolist() == [[0.0, 0.0], [0.0, 6.0]]
