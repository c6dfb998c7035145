"""Every kind of composite value passes through everything a tensor passes through, and comes out the same."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.composite import CompositeTensor
from millrace._src.graph.structured_values import decode_structure, encode_structure


def _array() -> tf.TensorArray:
    return tf.TensorArray(tf.float32, size=2, element_shape=[]).unstack([1.0, 2.0])


class Masked(tf.experimental.ExtensionType):
    """A user's class."""

    __name__ = "millrace.tests.Masked"
    values: tf.Tensor
    mask: tf.Tensor
    label: str = "plain"


class Nested(tf.experimental.BatchableExtensionType):
    """A user's class around composites."""

    __name__ = "millrace.tests.Nested"
    inner: tuple[Masked, ...]
    shape: tf.TensorShape


SAMPLES: dict[str, Callable[[], Any]] = {
    "indexed slices": lambda: tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([1, 3])),
    "indexed slices with a dense shape": lambda: tf.IndexedSlices(
        tf.constant([[1.0], [2.0]]), tf.constant([1, 3]), tf.constant([4, 1])
    ),
    "ragged matrix": lambda: tf.ragged.constant([[1.0, 2.0], [], [3.0]]),
    "ragged strings": lambda: tf.ragged.constant([["a"], []]),
    "ragged cube": lambda: tf.ragged.constant([[[1], [2, 3]], []]),
    "uniform ragged tensor": lambda: tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 1),
    "ragged matrix of short splits": lambda: tf.ragged.constant([[1]], row_splits_dtype=tf.int32),
    "row partition": lambda: tf.experimental.RowPartition.from_row_lengths([1, 0, 2]),
    "sparse matrix": lambda: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "sparse strings": lambda: tf.SparseTensor([[3]], ["a"], [5]),
    "extension type": lambda: Masked([1.0, 2.0], [True, False], "mine"),
    "nested extension type": lambda: Nested((Masked([1], [True]),), tf.TensorShape([1])),
    "tensor array": _array,
}
NOT_IN_DATASETS = {"tensor array", "indexed slices", "indexed slices with a dense shape"}
"""Samples that TensorFlow's datasets refuse too."""

every_sample = pytest.mark.parametrize("make", SAMPLES.values(), ids=SAMPLES.keys())


def _parts(value: Any) -> list[Any]:
    if isinstance(value, tf.TensorArray):
        return [value.stack().numpy()]
    return [np.asarray(part) for part in tf.nest.flatten(value, expand_composites=True)]


def _assert_same(actual: Any, expected: Any) -> None:
    assert type(actual) is type(expected)
    pairs = zip(_parts(actual), _parts(expected), strict=True)
    for one, other in pairs:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@every_sample
def test_spec_describes_the_value(make: Callable[[], Any]) -> None:
    value = make()
    spec = tf.type_spec_from_value(value)
    assert isinstance(value, CompositeTensor) and isinstance(value, spec.value_type)
    assert spec.is_compatible_with(value) and spec.is_compatible_with(spec) and spec.is_subtype_of(spec)
    assert spec == tf.type_spec_from_value(make()) and hash(spec) == hash(tf.type_spec_from_value(make()))
    assert spec.most_specific_compatible_type(spec) == spec
    assert type(spec).__name__ in repr(spec)
    assert spec != tf.TensorSpec([]) and not spec.is_compatible_with(tf.constant(1))


@every_sample
def test_spec_survives_pickle(make: Callable[[], Any]) -> None:
    spec = tf.type_spec_from_value(make())
    assert pickle.loads(pickle.dumps(spec)) == spec


@every_sample
def test_spec_survives_the_wire(make: Callable[[], Any]) -> None:
    spec = tf.type_spec_from_value(make())
    assert decode_structure(encode_structure({"a": [spec]})) == {"a": [spec]}


@every_sample
def test_value_comes_apart_and_together(make: Callable[[], Any]) -> None:
    value = make()
    leaves = tf.nest.flatten(value, expand_composites=True)
    assert all(isinstance(leaf, tf.Tensor) for leaf in leaves)
    assert tf.nest.flatten([value]) == [value] or tf.nest.flatten([value])[0] is value
    _assert_same(tf.nest.pack_sequence_as(value, leaves, expand_composites=True), value)


@every_sample
def test_function_takes_and_returns_it_with_one_trace(make: Callable[[], Any]) -> None:
    traces = []

    @tf.function
    def f(x: Any, n: int) -> Any:
        traces.append(type(x))
        return {"x": x, "y": (tf.nest.map_structure(tf.identity, x, expand_composites=True), n)}

    value = make()
    result = f(value, 1)
    f(make(), 1)
    assert traces == [type(value)]
    _assert_same(result["x"], value)
    _assert_same(result["y"][0], value)


@every_sample
def test_input_signature_takes_it(make: Callable[[], Any]) -> None:
    value = make()
    f = tf.function(lambda x: x, input_signature=[tf.type_spec_from_value(value)])
    _assert_same(f(value), value)
    with pytest.raises(TypeError):
        f(tf.constant(1))


@every_sample
def test_function_captures_it(make: Callable[[], Any]) -> None:
    value = make()
    if isinstance(value, tf.TensorArray):
        pytest.skip("an eager array cannot be captured, in TensorFlow neither")
    _assert_same(tf.function(lambda: value)(), value)
    _assert_same(tf.function(lambda: tf.function(lambda: value)())(), value)


@every_sample
def test_compiled_function_passes_it_on(make: Callable[[], Any]) -> None:
    value = make()
    if isinstance(value, tf.TensorArray):
        pytest.skip("an eager array is not an argument of a compiled function, in TensorFlow neither")
    f = tf.function(lambda x: x, jit_compile=True)
    if any(part.dtype == tf.string for part in tf.nest.flatten(value, expand_composites=True)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="on XLA_CPU_JIT: _Arg, _Retval"):
            f(value)
    else:
        _assert_same(f(value), value)


@every_sample
@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_branches_and_loops_carry_it(make: Callable[[], Any], decorate: Any) -> None:
    @decorate
    def f(x: Any, n: Any) -> Any:
        x = tf.cond(n > 2, lambda: x, lambda: x)
        x = tf.switch_case(n, [lambda: x, lambda: x])
        (x, _) = tf.while_loop(lambda x, i: i < n, lambda x, i: (x, i + 1), [x, 0])
        return x

    value = make()
    _assert_same(f(value, tf.constant(3)), value)


@every_sample
def test_converted_statements_carry_it(make: Callable[[], Any]) -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            if n > 1:
                x = tf.nest.map_structure(tf.identity, x, expand_composites=True)
        return x

    value = make()
    _assert_same(f(value, tf.constant(3)), value)


@every_sample
def test_identity_and_stop_gradient_keep_the_class(make: Callable[[], Any]) -> None:
    value = make()
    if isinstance(value, tf.TensorArray):
        return
    _assert_same(tf.identity(value), value)
    _assert_same(tf.stop_gradient(value), value)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in NOT_IN_DATASETS])
def test_datasets_hold_it(name: str) -> None:
    value = SAMPLES[name]()
    dataset = tf.data.Dataset.from_tensors({"a": value}).repeat(3).map(lambda element: element).prefetch(1)
    assert dataset.element_spec["a"].is_compatible_with(value)
    elements = list(dataset)
    assert len(elements) == 3
    for element in elements:
        _assert_same(element["a"], value)
