"""Convolutions and the steps after them as single nodes: what is recognized, what is not, and equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from tests.passes.tracing import optimized, types

CONV, DEPTHWISE = "Conv2DWithEpilogue", "DepthwiseConv2dNativeWithEpilogue"
IMAGES = tf.TensorSpec([None, 8, 8, 4], tf.float32)
FILTERS = tf.TensorSpec([3, 3, 4, 4], tf.float32)
VECTOR = tf.TensorSpec([4], tf.float32)
WIDE = tf.TensorSpec([1, 1, 1, 4], tf.float32)
PLAIN = "constant_folding dead_code_elimination"


def conv(x: Any, filters: Any, **options: Any) -> Any:
    return tf.nn.conv2d(x, filters, 1, "SAME", **options)


def arrays_of(specs: list[Any], batch: int = 3, seed: int = 0) -> list[Any]:
    random = np.random.RandomState(seed)
    return [random.normal(size=[batch if n is None else n for n in s.shape]).astype(s.dtype.np_dtype) for s in specs]


def check(function: Callable[..., Any], specs: list[Any], expected: list[str], arrays: list[Any] | None = None) -> Any:
    """Compares the optimized graph with the graph without the pass; returns the optimized graph."""
    graph = optimized(function, *specs)
    assert types(graph) == expected
    other = optimized(function, *specs, passes=PLAIN)
    arrays = arrays_of(specs) if arrays is None else arrays
    with np.errstate(all="ignore"):
        found, wanted = (eager_engine().compile(g).run(*arrays) for g in (graph, other))
    for array, right in zip(found, wanted, strict=True):
        assert array.dtype == right.dtype
        np.testing.assert_allclose(array, right, rtol=1e-5, atol=1e-5)
    return graph


def steps(graph: Any) -> list[str]:
    return [step for node in graph.nodes for step in node.attrs.get("steps", ())]


def test_bias_and_rectifier_belong_to_the_convolution() -> None:
    graph = check(lambda x, f, b: tf.nn.relu(tf.nn.bias_add(conv(x, f), b)), [IMAGES, FILTERS, VECTOR], [CONV])
    assert steps(graph) == ["add", "relu"]


def test_a_frozen_batch_normalization_is_a_product_and_a_sum() -> None:
    def f(x: Any, filters: Any, scale: Any, offset: Any) -> Any:
        return tf.nn.relu6(offset + scale * conv(x, filters))

    assert steps(check(f, [IMAGES, FILTERS, WIDE, VECTOR], [CONV])) == ["multiply", "add", "relu6"]


def test_depthwise_convolutions_have_epilogues_too() -> None:
    def f(x: Any, filters: Any, bias: Any) -> Any:
        y = tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "SAME")
        return tf.nn.relu6(tf.nn.bias_add(y, bias))

    check(f, [IMAGES, tf.TensorSpec([3, 3, 4, 1], tf.float32), VECTOR], [DEPTHWISE])


def test_the_later_of_two_convolutions_takes_the_residual_connection() -> None:
    def f(x: Any, first: Any, second: Any, bias: Any) -> Any:
        return tf.nn.relu((conv(x, first) + bias) + conv(tf.nn.relu(conv(x, second)), second))

    graph = check(f, [IMAGES, FILTERS, FILTERS, VECTOR], [CONV, CONV, CONV])
    assert [node.attrs["steps"] for node in graph.nodes] == [("add",), ("relu",), ("add", "relu")]


def test_an_array_of_the_input_is_added() -> None:
    check(lambda x, f: tf.nn.relu(x + conv(x, f)), [IMAGES, FILTERS], [CONV])


def test_vectors_may_be_computed_after_the_convolution() -> None:
    def f(x: Any, filters: Any, bias: Any) -> Any:
        y = conv(x, filters)
        return tf.nn.relu(y * tf.math.rsqrt(tf.abs(bias) + 1.0))

    graph = optimized(f, IMAGES, FILTERS, VECTOR)
    assert types(graph)[-1] == CONV
    check(f, [IMAGES, FILTERS, VECTOR], types(graph))


def test_what_others_read_stays() -> None:
    def f(x: Any, filters: Any, bias: Any) -> Any:
        y = tf.nn.bias_add(conv(x, filters), bias)
        return tf.nn.relu(y), tf.exp(-y)

    check(f, [IMAGES, FILTERS, VECTOR], [CONV, "Relu", "Neg", "Exp"])


def test_an_output_of_the_function_stays() -> None:
    def f(x: Any, filters: Any) -> Any:
        y = conv(x, filters)
        return y, tf.nn.relu(y)

    check(f, [IMAGES, FILTERS], ["Conv2D", "Relu"])


def test_a_result_that_is_squared_stays() -> None:
    def f(x: Any, filters: Any) -> Any:
        y = conv(x, filters)
        return tf.raw_ops.Mul(x=y, y=y)

    assert CONV not in types(optimized(f, IMAGES, FILTERS))


@pytest.mark.parametrize(
    "operand",
    [
        tf.TensorSpec([8, 4], tf.float32),
        tf.TensorSpec([8, 8, 1], tf.float32),
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([None, 1, 1, 4], tf.float32),
        tf.TensorSpec(None, tf.float32),
    ],
    ids=lambda spec: str(spec.shape),
)
def test_other_operands_are_no_steps(operand: Any) -> None:
    assert CONV not in types(optimized(lambda x, f, o: conv(x, f) + o, IMAGES, FILTERS, operand))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64])
def test_other_dtypes_are_left_alone(dtype: Any) -> None:
    specs = [tf.TensorSpec(s.shape, dtype) for s in (IMAGES, FILTERS)]
    assert CONV not in types(optimized(lambda x, f: tf.nn.relu(conv(x, f)), *specs))


def test_images_whose_channels_stand_first_keep_their_bias() -> None:
    def f(x: Any, filters: Any, bias: Any) -> Any:
        return tf.nn.relu(tf.nn.bias_add(conv(x, filters, data_format="NCHW"), bias, data_format="NCHW"))

    specs = [tf.TensorSpec([None, 4, 8, 8], tf.float32), FILTERS, VECTOR]
    check(f, specs, ["Conv2D", "BiasAdd", "Relu"])


def test_a_step_in_a_loop_is_found() -> None:
    def f(x: Any, filters: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.nn.relu(conv(y, filters))), [0, x])[1]

    graph = optimized(f, IMAGES, FILTERS)
    assert any(CONV in types(inner) for node in graph.nodes for inner in node.graphs)


@pytest.mark.parametrize("batch", [0, 1, 3])
def test_any_batch_fits_and_nan_stays(batch: int) -> None:
    specs = [IMAGES, FILTERS, VECTOR, IMAGES]
    arrays = arrays_of(specs, batch)
    if batch:
        arrays[0][0, 1, 2, 3], arrays[3][0, 5, 5, 1] = np.nan, -np.inf
    check(lambda x, f, b, r: tf.nn.relu(tf.nn.bias_add(conv(x, f), b) + r), specs, [CONV], arrays)


def test_a_batch_of_one_is_added_to_all_images() -> None:
    specs = [IMAGES, FILTERS, IMAGES]
    arrays = [*arrays_of(specs[:2]), arrays_of(specs[2:], batch=1)[0]]
    check(lambda x, f, r: tf.nn.relu(conv(x, f) + r), specs, [CONV], arrays)


def test_training_steps_take_the_same_gradients() -> None:
    def f(x: Any, filters: Any, bias: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, filters, bias])
            y = tf.nn.relu(tf.nn.bias_add(conv(x, filters), bias))
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, filters, bias])

    specs = [IMAGES, FILTERS, VECTOR]
    assert types(optimized(f, *specs)).count(CONV) == 1
    check(f, specs, types(optimized(f, *specs)))


@pytest.mark.xla
def test_compiled_functions_give_the_same() -> None:
    function = tf.function(lambda x, f, b: tf.nn.relu6(tf.nn.bias_add(conv(x, f), b)))
    compiled = tf.function(function.python_function, jit_compile=True)
    arrays = [tf.constant(a) for a in arrays_of([IMAGES, FILTERS, VECTOR])]
    np.testing.assert_allclose(compiled(*arrays), function(*arrays), rtol=1e-5, atol=1e-5)


def test_an_error_names_the_convolution() -> None:
    specs = [IMAGES, FILTERS, IMAGES]
    arrays = [*arrays_of(specs[:2]), arrays_of(specs[2:], batch=2)[0]]
    function = tf.function(lambda x, f, r: tf.nn.relu(conv(x, f) + r), input_signature=specs)
    message = r"(?s)node Conv2D.*Dimensions must be equal, but are 3 and 2"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        function(*arrays)


def test_the_second_of_two_convolutions_takes_the_sum_although_both_come_before_the_vectors() -> None:
    def f(x: Any, first: Any, second: Any, scale: Any) -> Any:
        shortcut, main = conv(x, first), conv(x, second)
        shortcut = shortcut * tf.math.rsqrt(scale * scale + 1.0)
        return tf.nn.relu(shortcut + main * tf.math.rsqrt(scale * scale + 2.0))

    graph = optimized(f, IMAGES, FILTERS, FILTERS, VECTOR)
    assert [n.attrs["steps"] for n in graph.nodes if n.type == CONV] == [("multiply",), ("multiply", "add", "relu")]
    check(f, [IMAGES, FILTERS, FILTERS, VECTOR], types(graph))
