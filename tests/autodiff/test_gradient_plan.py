"""What a tape keeps alive for the gradients of ops: values that their rules name, and no others."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff.gradient_plan import gradient_plan
from millrace._src.core.op_registry import get_op
from tests.contracts.sample import all_samples

BOTH = (0, 1)


def kept(op: Callable[..., Any], watched: tuple[int, ...], *shapes: tuple[int, ...]) -> str:
    """Which arrays live on only because a tape recorded `op`: the letters of its inputs, `a` and `b`, and `y`."""
    with tf.GradientTape() as tape:
        inputs = [tf.constant(np.random.default_rng(i).uniform(0.5, 1.5, s), tf.float32) for i, s in enumerate(shapes)]
        inputs = [i + 0.0 for i in inputs]  # arrays of their own
        for index in watched:
            tape.watch(inputs[index])
        result = op(*inputs)
        arrays = {name: weakref.ref(t._eager_array) for name, t in zip("abcd", inputs, strict=False)}
        arrays["y"] = weakref.ref(result._eager_array)
        del inputs, result
    gc.collect()
    return "".join(name for name, array in arrays.items() if array() is not None)


M, V, I = (3, 3), (3,), (1, 5, 5, 2)
F = (3, 3, 2, 4)

CASES = [
    ("exp keeps its result", tf.exp, (0,), (M,), "y"),
    ("tanh keeps its result", tf.tanh, (0,), (M,), "y"),
    ("sigmoid keeps its result", tf.sigmoid, (0,), (M,), "y"),
    ("relu keeps its result", tf.nn.relu, (0,), (M,), "y"),
    ("sqrt keeps its result", tf.sqrt, (0,), (M,), "y"),
    ("softmax keeps its result", tf.nn.softmax, (0,), (M,), "y"),
    ("sin keeps its argument", tf.sin, (0,), (M,), "a"),
    ("log keeps its argument", tf.math.log, (0,), (M,), "a"),
    ("negation keeps nothing", tf.negative, (0,), (M,), ""),
    ("addition keeps nothing", tf.add, BOTH, (M, M), ""),
    ("addition of a row keeps nothing", tf.add, BOTH, (M, V), ""),
    ("subtraction keeps nothing", tf.subtract, BOTH, (M, V), ""),
    ("addition of a bias keeps nothing", tf.nn.bias_add, BOTH, (M, V), ""),
    ("a sum keeps nothing", tf.reduce_sum, (0,), (M,), ""),
    ("a mean keeps at most its result", lambda a: tf.reduce_mean(a, 0), (0,), (M,), "y"),
    ("reshape keeps nothing of its own", lambda a: tf.reshape(a, [9]) + 0.0, (0,), (M,), ""),
    ("transpose keeps nothing", lambda a: tf.transpose(a) + 0.0, (0,), (M,), ""),
    ("slicing keeps nothing", lambda a: a[1:] + 0.0, (0,), (M,), ""),
    ("padding keeps nothing", lambda a: tf.pad(a, [[1, 1], [0, 0]]), (0,), (M,), ""),
    ("joining keeps nothing", lambda a, b: tf.concat([a, b], 0), BOTH, (M, M), ""),
    ("stacking keeps nothing", lambda a, b: tf.stack([a, b]), BOTH, (M, M), ""),
    ("tiling keeps nothing", lambda a: tf.tile(a, [2, 1]), (0,), (M,), ""),
    ("broadcasting keeps nothing", lambda a: tf.broadcast_to(a, [3, 3]) + 0.0, (0,), (V,), ""),
    ("gathering keeps nothing", lambda a: tf.gather(a, [0, 0]), (0,), (M,), ""),
    ("a cast keeps nothing", lambda a: tf.cast(a, tf.float64), (0,), (M,), ""),
    ("average pooling keeps nothing", lambda a: tf.nn.avg_pool2d(a, 2, 1, "VALID"), (0,), (I,), ""),
    ("a product keeps both", tf.multiply, BOTH, (M, M), "ab"),
    ("a product keeps the other of a watched factor", tf.multiply, (0,), (M, M), "b"),
    ("a product keeps the other of a watched row", tf.multiply, (1,), (M, V), "a"),
    ("a quotient keeps both", tf.divide, BOTH, (M, M), "ab"),
    ("a quotient keeps a constant divisor", tf.divide, (0,), (M, M), "b"),
    ("a matrix product keeps both", tf.matmul, BOTH, (M, M), "ab"),
    ("a matrix product keeps the other of the first", tf.matmul, (0,), (M, M), "b"),
    ("a matrix product keeps the other of the second", tf.matmul, (1,), (M, M), "a"),
    ("a batch of products keeps the other", tf.matmul, (0,), ((2, 3, 3), (2, 3, 3)), "b"),
    ("a convolution keeps both", lambda a, b: tf.nn.conv2d(a, b, 1, "SAME"), BOTH, (I, F), "ab"),
    ("a convolution with frozen filters keeps them", lambda a, b: tf.nn.conv2d(a, b, 1, "SAME"), (0,), (I, F), "b"),
    ("a convolution of data keeps them", lambda a, b: tf.nn.conv2d(a, b, 1, "SAME"), (1,), (I, F), "a"),
]


@pytest.mark.parametrize(("op", "watched", "shapes", "expected"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_a_tape_keeps(op: Any, watched: tuple[int, ...], shapes: Any, expected: str) -> None:
    assert kept(op, watched, *shapes) == expected


SAMPLES = [s for s in all_samples() if s.grad and hasattr(get_op(s.op).rules.gradient, "values_for")]


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_gradient_needs_no_more_than_is_kept_for_it(sample: Any) -> None:
    """Watching one input alone gives the gradient that it has when all are watched."""
    inputs = [[tf.constant(v) for v in x] if isinstance(x, list) else tf.constant(x) for x in sample.inputs]
    flat = [t for t in tf.nest.flatten(inputs) if t.dtype.is_floating or t.dtype.is_complex]

    def gradients(watched: list[Any]) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(watched)
            names = get_op(sample.op).signature.input_names
            result = getattr(tf.raw_ops, sample.op)(**dict(zip(names, inputs, strict=True)), **sample.attrs)
            parts = [t for t in tf.nest.flatten(result) if t.dtype.is_floating or t.dtype.is_complex]
            sums = [tf.reduce_sum(tf.abs(t) ** 2) for t in parts]
        found = tape.gradient(sums, watched)
        return [None if g is None else tf.convert_to_tensor(g).numpy() for g in found]

    together = gradients(flat)
    for index, tensor in enumerate(flat):
        (alone,) = gradients([tensor])
        if together[index] is None:
            assert alone is None
        else:
            np.testing.assert_allclose(alone, together[index], rtol=1e-12)


def test_a_stand_in_holds_one_element_and_says_so_when_it_is_read() -> None:
    plan = gradient_plan(get_op("AddV2"))
    assert plan is not None
    saved = {"x": tf.ones([1000, 1000], tf.bfloat16), "y": tf.ones([2], tf.complex64)}
    plan.without_unread(saved, [1, 1])
    x, y = saved["x"], saved["y"]
    assert (x.shape, x.dtype, y.dtype) == ([1000, 1000], tf.bfloat16, tf.complex64)
    assert x._eager_array.base.size == 1
    assert np.isnan(y.numpy()).all()
