"""Batch normalizations and their gradients as single nodes: what is recognized, what is not, and equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes.channel_algebra import NotPolynomialError, Polynomial, Symbols
from tests.passes.tracing import optimized, types

CHANNELS = 5
IMAGES = tf.TensorSpec([4, 3, 2, CHANNELS], tf.float32)
ANY_BATCH = tf.TensorSpec([None, 3, 2, CHANNELS], tf.float32)
ANY_SIZE = tf.TensorSpec([None, None, None, CHANNELS], tf.float32)
VOLUMES = tf.TensorSpec([2, 3, 1, 2, CHANNELS], tf.float32)
VECTOR = tf.TensorSpec([CHANNELS], tf.float32)
FORWARD, BACKWARD = "FusedBatchNormV3", "FusedBatchNormGradV3"


def normalize(x: Any, scale: Any, offset: Any, epsilon: float = 0.001) -> Any:
    mean, variance = tf.nn.moments(x, list(range(len(x.shape) - 1)))
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


def by_root(x: Any, scale: Any, offset: Any) -> Any:
    mean = tf.reduce_mean(x, [0, 1, 2])
    variance = tf.reduce_mean((x - mean) ** 2, [0, 1, 2])
    return scale * (x - mean) / tf.sqrt(variance + 0.001) + offset


def by_squares(x: Any, scale: Any, offset: Any) -> Any:
    mean = tf.reduce_mean(x, [0, 1, 2], keepdims=True)
    variance = tf.reduce_mean(x * x, [0, 1, 2], keepdims=True) - mean * mean
    return (x - mean) * tf.math.rsqrt(variance + 0.001) * scale + offset


def by_axes(x: Any, other: Any, axes: list[int], scale: Any, offset: Any) -> Any:
    moments = tf.nn.moments(other, axes, keepdims=True)
    return tf.nn.batch_normalization(x, *moments, offset, scale, 0.1)


def mean(x: Any) -> Any:
    return tf.reduce_mean(x, [0, 1, 2])


def with_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function of arrays, `dy` last, that gives the result and the gradients of all others."""

    def run(*arguments: Any) -> Any:
        *inputs, dy = arguments
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(*inputs)
        return [y, *tape.gradient(y, inputs, dy)]

    return run


def inputs_of(shape: tuple[int, ...], seed: int = 0) -> list[Any]:
    random = np.random.RandomState(seed)
    x, dy = (random.normal(3.0, 2.0, shape).astype(np.float32) for _ in range(2))
    scale, offset = random.uniform(0.5, 2.0, (2, shape[-1])).astype(np.float32)
    return [x, scale, offset, dy]


def check(function: Callable[..., Any], specs: list[Any], inputs: list[Any], fused: list[str]) -> Any:
    """Compares the optimized graph with the same graph without the pass; returns the graph."""
    graph = optimized(function, *specs)
    assert [t for t in types(graph) if t.startswith("FusedBatchNorm")] == fused
    other = optimized(function, *specs, passes="constant_folding dead_code_elimination")
    assert not any(t.startswith("FusedBatchNorm") for t in types(other))
    with np.errstate(all="ignore"):
        found, wanted = (eager_engine().compile(g).run(*inputs) for g in (graph, other))
    for array, expected in zip(found, wanted, strict=True):
        assert array.dtype == expected.dtype
        assert array.shape == expected.shape
        tolerance = 2e-5 * max(1.0, float(np.abs(np.nan_to_num(expected, posinf=0, neginf=0)).max(initial=0)))
        np.testing.assert_allclose(array, expected, rtol=1e-4, atol=tolerance)
    return graph


@pytest.mark.parametrize(
    ("function", "spec"),
    [(normalize, IMAGES), (normalize, ANY_BATCH), (normalize, ANY_SIZE), (by_root, IMAGES), (by_squares, IMAGES)],
    ids=lambda value: getattr(value, "__name__", None) or str(value.shape),
)
def test_the_normalization_and_its_gradients_are_one_node_each(function: Any, spec: Any) -> None:
    graph = check(
        with_gradients(function), [spec, VECTOR, VECTOR, spec], inputs_of((4, 3, 2, CHANNELS)), [FORWARD, BACKWARD]
    )
    if function is normalize:
        assert types(graph) == [FORWARD, BACKWARD]


def test_volumes_are_normalized_too() -> None:
    shape = (2, 3, 1, 2, CHANNELS)
    check(with_gradients(normalize), [VOLUMES, VECTOR, VECTOR, VOLUMES], inputs_of(shape), [FORWARD, BACKWARD])


@pytest.mark.parametrize("has_scale", [True, False])
@pytest.mark.parametrize("has_offset", [True, False])
def test_scale_and_offset_may_be_missing(has_scale: bool, has_offset: bool) -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        return normalize(x, scale if has_scale else None, offset if has_offset else None) + 0 * (scale + offset)

    specs = [IMAGES, VECTOR, VECTOR, IMAGES]
    inputs = inputs_of((4, 3, 2, CHANNELS))
    check(lambda x, s, o: normalize(x, s if has_scale else None, o if has_offset else None), specs[:3], inputs[:3], [
        FORWARD
    ])  # fmt: skip
    check(with_gradients(f), specs, inputs, [FORWARD, BACKWARD])


def test_the_moments_that_others_read_are_those_of_the_node() -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.01), mean * 0.9, variance * 0.9

    graph = check(f, [IMAGES, VECTOR, VECTOR], inputs_of((4, 3, 2, CHANNELS))[:3], [FORWARD])
    assert types(graph) == [FORWARD, "Mul", "Mul"]


def test_a_sum_is_normalized_and_a_normalization_is_added() -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        total = x + tf.nn.relu(x)
        first = normalize(total, scale, offset)
        return total + normalize(tf.nn.relu(first), offset, scale)

    specs = [ANY_BATCH, VECTOR, VECTOR, ANY_BATCH]
    check(with_gradients(f), specs, inputs_of((4, 3, 2, CHANNELS)), [FORWARD, FORWARD, BACKWARD, BACKWARD])


def test_a_normalization_is_normalized() -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        return normalize(normalize(x, scale, offset), offset, scale, 0.01)

    specs = [IMAGES, VECTOR, VECTOR, IMAGES]
    check(with_gradients(f), specs, inputs_of((4, 3, 2, CHANNELS)), [FORWARD, FORWARD, BACKWARD, BACKWARD])


def test_an_array_that_is_normalized_twice() -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        return tf.nn.relu(normalize(x, scale, offset)) * tf.tanh(normalize(x, offset, scale))

    specs = [IMAGES, VECTOR, VECTOR]
    check(f, specs, inputs_of((4, 3, 2, CHANNELS))[:3], [FORWARD, FORWARD])


def test_normalizations_inside_of_loops_and_choices() -> None:
    def f(x: Any, scale: Any, offset: Any) -> Any:
        y = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, normalize(y, scale, offset)), [0, x])[1]
        return tf.cond(scale[0] > 0, lambda: normalize(y, scale, offset), lambda: y)

    graph = optimized(f, IMAGES, VECTOR, VECTOR)
    inner = [t for node in graph.nodes for g in node.graphs for t in types(g)]
    assert inner.count(FORWARD) == 2
    x, scale, offset, _ = inputs_of((4, 3, 2, CHANNELS))
    (found,) = eager_engine().compile(graph).run(x, scale, offset)
    np.testing.assert_allclose(found, f(tf.constant(x), scale, offset), atol=1e-4)


def test_a_moment_that_is_read_before_the_scale_is_known() -> None:
    v = tf.Variable(np.zeros(CHANNELS, np.float32))

    def f(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        v.assign(mean)
        return tf.nn.batch_normalization(x, mean, variance, offset, v * scale, 0.01)

    x, scale, offset, _ = inputs_of((4, 3, 2, CHANNELS))
    found = tf.function(f, autograph=False)(x, scale, offset)
    np.testing.assert_allclose(found, f(tf.constant(x), scale, offset), atol=2e-4)


@pytest.mark.parametrize(
    ("why", "function"),
    [
        ("rows are normalized", lambda x, s, o: by_axes(x, x, [3], s, o)),
        ("each image is normalized", lambda x, s, o: by_axes(x, x, [1, 2], s, o)),
        ("the moments are those of another array", lambda x, s, o: by_axes(x, tf.tanh(x), [0, 1, 2], s, o)),
        ("the deviation is not squared", lambda x, s, o: (x - mean(x)) * tf.math.rsqrt(mean(x) + 1) * s + o),
        ("the mean stays", lambda x, s, o: x * tf.math.rsqrt(tf.nn.moments(x, [0, 1, 2])[1] + 0.1) * s + o),
        ("there is a third array", lambda x, s, o: (normalize(x, s, o) * 2 + tf.tanh(x)) * s),
        ("the epsilon is a vector", lambda x, s, o: normalize(x, s, o, epsilon=o)),
    ],
)
def test_what_is_no_batch_normalization_stays(why: str, function: Any) -> None:
    inputs = [abs(array) for array in inputs_of((4, 3, 2, CHANNELS))[:3]]
    fused = [FORWARD] if "third" in why else []  # the normalization in it is still found
    check(function, [IMAGES, VECTOR, VECTOR], inputs, fused)


def test_float64_and_matrices_stay() -> None:
    for spec in (tf.TensorSpec([4, 3, 2, CHANNELS], tf.float64), tf.TensorSpec([40, CHANNELS], tf.float32)):
        graph = optimized(lambda x: normalize(x, None, None), spec)
        assert FORWARD not in types(graph)


def test_nan_and_infinities_spoil_their_channel_alone() -> None:
    inputs = inputs_of((4, 30, 30, CHANNELS))
    inputs[0][1, 2, 1, 0], inputs[0][2, 1, 1, 3] = np.nan, np.inf
    spec = tf.TensorSpec([4, 30, 30, CHANNELS], tf.float32)
    check(with_gradients(normalize), [spec, VECTOR, VECTOR, spec], inputs, [FORWARD, BACKWARD])


def test_arrays_far_from_zero_keep_their_digits() -> None:
    x, scale, offset, _ = inputs_of((4, 40, 40, CHANNELS))
    x += 1000
    found = tf.function(normalize, autograph=False)(x, scale, offset)
    exact = x.astype(np.float64)
    wanted = (exact - exact.mean((0, 1, 2))) / np.sqrt(exact.var((0, 1, 2)) + 0.001) * scale + offset
    np.testing.assert_allclose(found, wanted, atol=2e-3)


@pytest.mark.xla
@pytest.mark.parametrize("shape", [(4, 3, 2, CHANNELS), (8, 31, 17, CHANNELS)])
def test_compiled_programs_give_the_same_results(shape: tuple[int, ...]) -> None:
    function, inputs = with_gradients(normalize), inputs_of(shape)
    found = tf.function(function, autograph=False, jit_compile=True)(*inputs)
    wanted = tf.function(function, autograph=False, jit_compile=False)(*inputs)
    eager = function(*map(tf.constant, inputs))
    for array, other, third in zip(found, wanted, eager, strict=True):
        atol = 1e-5 * max(1.0, float(np.abs(third).max()))
        np.testing.assert_allclose(array, other, rtol=1e-4, atol=atol)
        np.testing.assert_allclose(array, third, rtol=1e-4, atol=atol)


def test_the_pass_is_turned_off_by_remapping() -> None:
    tf.config.optimizer.set_experimental_options({"remapping": False})
    try:
        f = tf.function(normalize, autograph=False)
        x, scale, offset, _ = inputs_of((4, 3, 2, CHANNELS))
        np.testing.assert_allclose(f(x, scale, offset), normalize(tf.constant(x), scale, offset), rtol=1e-6)
    finally:
        tf.config.optimizer.set_experimental_options({"remapping": True})


# --- the algebra -----------------------------------------------------------------------------------------------------


def test_polynomials_add_multiply_and_divide() -> None:
    symbols = Symbols((2, 3, 4, CHANNELS))
    graph = optimized(lambda x, y: x + y, IMAGES, IMAGES)
    a, b = (symbols.value(value) for value in graph.inputs)
    assert ((a + b) * (a - b)).equals(a * a - b * b)
    assert (2.0 * a - a - a).terms == {}
    assert (a * b / b).equals(a)
    assert (1 - a).equals(-(a - 1))
    assert (a**2 - a * a).terms == {}
    assert not (a + b).equals(a + b * 1.001)
    assert ((a + 1) ** 0.5 * (1 + a) ** -0.5).terms == {(): 1.0}


@pytest.mark.parametrize("compute", [lambda a: a / (a + 1), lambda a: a**0.25, lambda a: a // 2, lambda a: a / (a - a)])
def test_what_is_not_a_polynomial_is_refused(compute: Any) -> None:
    symbols = Symbols((2, 3, 4, CHANNELS))
    graph = optimized(lambda x: x + 1.0, IMAGES)
    with pytest.raises(NotPolynomialError):
        compute(symbols.value(graph.inputs[0]))


def test_polynomials_of_many_terms_are_refused() -> None:
    symbols = Symbols((2, 3, 4, CHANNELS))
    with pytest.raises(NotPolynomialError):
        Polynomial({((number, 1),): 1.0 for number in range(100)}, symbols)
