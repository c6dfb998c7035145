"""Layer normalizations and their gradients as single nodes: what is recognized, what is not, and equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes.channel_algebra import NotPolynomialError
from millrace._src.passes.equal_sizes import EqualSizes
from millrace._src.passes.row_algebra import RowSymbols, SumKind
from tests.passes.test_batch_normalization import inputs_of, with_gradients
from tests.passes.tracing import optimized, types

FEATURES = 6
SEQUENCES = tf.TensorSpec([4, 3, FEATURES], tf.float32)
ROWS = tf.TensorSpec([5, FEATURES], tf.float32)
SQUARE = tf.TensorSpec([FEATURES, FEATURES], tf.float32)
ANY_BATCH = tf.TensorSpec([None, 3, FEATURES], tf.float32)
ANY_SIZES = tf.TensorSpec([None, None, FEATURES], tf.float32)
VECTOR = tf.TensorSpec([FEATURES], tf.float32)
FORWARD, BACKWARD = "LayerNormalization", "LayerNormalizationGrad"


def normalize(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.001)


def centered_first(x: Any, scale: Any, offset: Any) -> Any:
    centered = x - tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(centered), -1, keepdims=True)
    return scale * (centered / tf.sqrt(variance + 1e-3)) + offset


def by_squares(x: Any, scale: Any, offset: Any) -> Any:
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(x * x, -1, keepdims=True) - mean * mean
    return (x - mean) * tf.math.rsqrt(variance + 0.001) * scale + offset


def check(function: Callable[..., Any], specs: list[Any], inputs: list[Any], fused: list[str]) -> None:
    """Compares the optimized graph with the same graph without the pass."""
    graph = optimized(function, *specs)
    assert [t for t in types(graph) if t.startswith("LayerNorm")] == fused
    other = optimized(function, *specs, passes="constant_folding dead_code_elimination")
    assert not any(t.startswith("LayerNorm") for t in types(other))
    with np.errstate(all="ignore"):
        found, wanted = (eager_engine().compile(g).run(*inputs) for g in (graph, other))
    for array, expected in zip(found, wanted, strict=True):
        assert array.dtype == expected.dtype
        finite = np.abs(expected)[np.isfinite(expected)]
        atol = 2e-5 * (1 + (finite.max() if finite.size else 0.0))
        np.testing.assert_allclose(array, expected, rtol=1e-4, atol=atol)


@pytest.mark.parametrize("function", [normalize, centered_first, by_squares])
@pytest.mark.parametrize("spec", [SEQUENCES, ROWS, SQUARE], ids=["sequences", "rows", "square"])
def test_a_normalization_and_its_gradients_are_two_nodes(function: Any, spec: Any) -> None:
    specs = [spec, VECTOR, VECTOR, spec]
    check(with_gradients(function), specs, inputs_of(tuple(spec.shape)), [FORWARD, BACKWARD])


@pytest.mark.parametrize("function", [normalize, centered_first, by_squares])
@pytest.mark.parametrize("spec", [ANY_BATCH, ANY_SIZES], ids=["any batch", "any sizes"])
@pytest.mark.parametrize("sizes", [(4, 3), (1, 3), (0, 3)])
def test_unknown_sizes(function: Any, spec: Any, sizes: tuple[int, int]) -> None:
    def gradients(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(tf.sin(function(*inputs)))
        return tape.gradient(loss, inputs)

    check(gradients, [spec, VECTOR, VECTOR], inputs_of((*sizes, FEATURES))[:3], [FORWARD, BACKWARD])


def test_gradients_of_unknown_sizes_of_their_own() -> None:
    """The sizes of `dy` might be others than those of `x`."""
    inputs = inputs_of((4, 3, FEATURES))
    check(with_gradients(normalize), [ANY_BATCH, VECTOR, VECTOR, ANY_BATCH], inputs, [FORWARD, BACKWARD])
    check(with_gradients(by_squares), [ANY_BATCH, VECTOR, VECTOR, ANY_BATCH], inputs, [])


@pytest.mark.parametrize("function", [normalize, centered_first])
def test_inference_of_any_number_of_rows(function: Any) -> None:
    for batch in (0, 1, 7):
        inputs = inputs_of((batch, 3, FEATURES))[:3]
        check(lambda *a: [function(*a)], [ANY_BATCH, VECTOR, VECTOR], inputs, [FORWARD])


def test_blocks_with_residual_connections() -> None:
    def block(x: Any, scale: Any, offset: Any) -> Any:
        return x + tf.nn.relu(normalize(x, scale, offset))

    def two_blocks(x: Any, scale: Any, offset: Any) -> Any:
        return block(block(x, scale, offset), offset, scale)

    specs = [SEQUENCES, VECTOR, VECTOR, SEQUENCES]
    check(with_gradients(two_blocks), specs, inputs_of((4, 3, FEATURES)), [FORWARD, FORWARD, BACKWARD, BACKWARD])


@pytest.mark.parametrize("part", ["scale", "offset", "neither"])
def test_scale_and_offset_may_be_missing(part: str) -> None:
    def function(x: Any, vector: Any, other: Any) -> Any:
        scale, offset = {"scale": (vector, None), "offset": (None, vector), "neither": (None, None)}[part]
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.01)

    specs = [SEQUENCES, VECTOR, VECTOR]
    check(lambda *a: [function(*a)], specs, inputs_of((4, 3, FEATURES))[:3], [FORWARD])


def test_special_values_spoil_their_rows_alone() -> None:
    inputs = inputs_of((4, 3, FEATURES))
    inputs[0][1, 2, 0], inputs[0][2, 0, 1] = np.nan, np.inf
    graph = optimized(lambda *a: [normalize(*a)], SEQUENCES, VECTOR, VECTOR)
    with np.errstate(all="ignore"):
        (y,) = eager_engine().compile(graph).run(*inputs[:3])
    spoiled = ~np.isfinite(y).all(axis=-1)
    assert sorted(map(tuple, np.argwhere(spoiled).tolist())) == [(1, 2), (2, 0)]


def other_axis(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.001)


def other_mean(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean + 1.0, variance, offset, scale, 0.001)


def other_root(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) / (tf.sqrt(variance) + 0.001) * scale + offset


def unbiased(x: Any, scale: Any, offset: Any) -> Any:
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_sum((x - mean) ** 2, -1, keepdims=True) / (FEATURES - 1)
    return (x - mean) * tf.math.rsqrt(variance + 0.001) * scale + offset


def root_mean_square(x: Any, scale: Any, offset: Any) -> Any:
    return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 0.001) * scale + offset


@pytest.mark.parametrize("function", [other_axis, other_mean, other_root, unbiased, root_mean_square])
def test_what_is_nearly_a_layer_normalization_stays(function: Any) -> None:
    check(with_gradients(function), [SEQUENCES, VECTOR, VECTOR, SEQUENCES], inputs_of((4, 3, FEATURES)), [])


def test_steps_that_others_read_are_not_computed_twice() -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return [tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.001), tf.sqrt(variance), x - mean]

    check(function, [SEQUENCES, VECTOR, VECTOR], inputs_of((4, 3, FEATURES))[:3], [])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes_stay_as_they_are(dtype: str) -> None:
    spec, vector = tf.TensorSpec([4, 3, FEATURES], dtype), tf.TensorSpec([FEATURES], dtype)
    graph = optimized(lambda *a: [normalize(*a)], spec, vector, vector)
    assert FORWARD not in types(graph)


def test_shapes_that_do_not_tell_rows_from_features_are_left_alone() -> None:
    for dims in ((1, 6), (1, 1, 6), (4, 1)):
        assert not RowSymbols(dims, EqualSizes()).is_usable()


def test_a_sum_over_rows_of_what_belongs_to_features_has_no_polynomial() -> None:
    symbols = RowSymbols((4, 6), EqualSizes())
    with pytest.raises(NotPolynomialError):
        symbols.total(symbols._symbol(("root", frozenset())) * 0.0 + 1.0, SumKind.ALL_ROWS)


def test_engines_agree() -> None:
    function = tf.function(with_gradients(normalize))
    compiled = tf.function(with_gradients(normalize), jit_compile=True)
    inputs = [tf.constant(array) for array in inputs_of((64, 8, 32))]
    for found, wanted in zip(compiled(*inputs), function(*inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-4)


def test_a_mean_over_all_elements_of_the_result() -> None:
    def gradients(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = normalize(*inputs)
            loss = tf.reduce_mean(tf.sin(y)) + tf.cast(tf.size(y), tf.float32)
        return tape.gradient(loss, inputs)

    for batch in (1, 5):
        check(gradients, [ANY_BATCH, VECTOR, VECTOR], inputs_of((batch, 3, FEATURES))[:3], [FORWARD, BACKWARD])


def test_an_array_of_one_row_beside_arrays_of_more() -> None:
    def gradients(x: Any, scale: Any, offset: Any, other: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, other])
            y = normalize(x + other, scale, offset) + other
            loss = tf.reduce_sum(tf.sin(y))
        return tape.gradient(loss, [x, other])

    for first, second in ((4, 1), (1, 4), (4, 4)):
        inputs = [*inputs_of((first, 3, FEATURES))[:3], inputs_of((second, 3, FEATURES), seed=1)[0]]
        graph = optimized(gradients, ANY_BATCH, VECTOR, VECTOR, ANY_BATCH)
        found = eager_engine().compile(graph).run(*inputs)
        for array, wanted in zip(found, gradients(*map(tf.constant, inputs)), strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-4, atol=1e-4)
