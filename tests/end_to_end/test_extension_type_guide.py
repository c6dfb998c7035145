"""Programs as the guide of extension types teaches them, with the values that TensorFlow 2.21 gives."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import millrace as tf


class MaskedSeries(tf.experimental.ExtensionType):
    """Measurements, of which some are missing."""

    values: tf.Tensor
    known: tf.Tensor

    def filled(self, default: Any) -> Any:
        return tf.where(self.known, self.values, default)

    @property
    def dtype(self) -> Any:
        return self.values.dtype


class Graph(tf.experimental.ExtensionType):
    """Nodes and the pairs of nodes that edges join, and the weights of the edges."""

    node_count: tf.Tensor
    edges: tf.Tensor
    weights: tf.Tensor

    def __validate__(self) -> None:
        self.edges.shape.assert_has_rank(2)
        self.edges.shape[1:].assert_is_compatible_with([2])


class Settings(tf.experimental.ExtensionType):
    """Numbers and texts that belong together."""

    rate: float
    name: str = "plain"
    sizes: tuple[int, ...] = (1, 2)
    shape: tf.TensorShape = (None, 3)
    limits: Mapping[str, tf.Tensor] = {"top": 1.0}


class Distance(tf.experimental.ExtensionType):
    """A length that remembers its unit; made from meters."""

    kilometers: tf.Tensor

    def __init__(self, meters: Any) -> None:
        self.kilometers = tf.convert_to_tensor(meters, tf.float32) / 1000.0


class Point(tf.experimental.BatchableExtensionType):
    """A position in the plane, with a label."""

    position: tf.Tensor
    label: tf.Tensor


@contextlib.contextmanager
def overridden(*pairs: tuple[Any, Any]) -> Iterator[None]:
    """Registers handlers by their decorators, and takes them off again."""
    for decorator, handler in pairs:
        decorator(handler)
    try:
        yield
    finally:
        for _, handler in pairs:
            tf.experimental.unregister_dispatch_for(handler)


@pytest.fixture
def series() -> Any:
    return MaskedSeries([3.0, -1.0, 5.0], [True, False, True])


# --- fields ------------------------------------------------------------------------------------------------------


def test_fields_become_tensors(series: Any) -> None:
    assert isinstance(series.values, tf.Tensor)
    assert series.filled(0.0).numpy().tolist() == [3.0, 0.0, 5.0]
    assert series.dtype == tf.float32
    assert repr(MaskedSeries(1, True)) == (
        "MaskedSeries(values=<tf.Tensor: shape=(), dtype=int32, numpy=1>, "
        "known=<tf.Tensor: shape=(), dtype=bool, numpy=True>)"
    )


def test_fields_have_defaults_and_are_checked() -> None:
    made = Settings(0.5, sizes=[4, 5])
    assert (made.name, made.sizes, made.shape.as_list()) == ("plain", (4, 5), [None, 3])
    assert made.limits["top"].numpy() == 1.0
    with pytest.raises(TypeError, match="rate: expected 'float', got 'str'"):
        Settings("fast")
    with pytest.raises(AttributeError, match="Cannot mutate attribute `name`"):
        made.name = "other"


def test_a_constructor_of_ones_own() -> None:
    assert Distance(1500).kilometers.numpy() == 1.5


def test_validation_refuses_what_does_not_fit() -> None:
    Graph(3, [[0, 1], [1, 2]], [1.0, 2.0])
    with pytest.raises(ValueError, match="must have rank 2"):
        Graph(3, [0, 1], [1.0])


def test_annotations_that_cannot_be_fields_are_refused() -> None:
    with pytest.raises(TypeError, match="Unsupported type annotation"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list[int]}})


def test_equality_compares_fields(series: Any) -> None:
    assert bool(series == MaskedSeries([3.0, -1.0, 5.0], [True, False, True]))
    assert not bool(series == MaskedSeries([3.0, -1.0, 6.0], [True, False, True]))


# --- type specs --------------------------------------------------------------------------------------------------


def test_the_spec_of_a_value(series: Any) -> None:
    spec = tf.type_spec_from_value(series)
    assert spec == MaskedSeries.Spec(tf.TensorSpec([3], tf.float32), tf.TensorSpec([3], tf.bool))
    assert spec.is_compatible_with(series)
    wider = spec.most_specific_common_supertype([tf.type_spec_from_value(MaskedSeries([1.0], [True]))])
    assert wider.values.shape.as_list() == [None]


# --- functions ---------------------------------------------------------------------------------------------------


def test_functions_take_and_return_extension_types(series: Any) -> None:
    traces = []

    @tf.function
    def centered(x: Any) -> Any:
        traces.append(x.values.shape)
        count = tf.reduce_sum(tf.cast(x.known, tf.float32))
        return MaskedSeries(x.values - tf.reduce_sum(x.filled(0.0)) / count, x.known)

    assert centered(series).filled(0.0).numpy().tolist() == [-1.0, 0.0, 1.0]
    centered(MaskedSeries([0.0, 0.0, 9.0], [True, True, True]))
    assert len(traces) == 1
    centered(MaskedSeries([1.0], [True]))
    assert [shape.as_list() for shape in traces] == [[3], [1]]


def test_a_signature_of_specs(series: Any) -> None:
    spec = MaskedSeries.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    total = tf.function(lambda x: tf.reduce_sum(x.filled(0.0)), input_signature=[spec])
    assert total(series).numpy() == 8.0
    assert total(MaskedSeries([1.0, 1.0], [True, True])).numpy() == 2.0
    with pytest.raises(TypeError):
        total(MaskedSeries([1], [True]))


def test_branches_and_loops(series: Any) -> None:
    @tf.function
    def doubled_until(x: Any, limit: Any) -> Any:
        while tf.reduce_max(x.values) < limit:
            x = MaskedSeries(x.values * 2.0, x.known)
        if tf.reduce_any(tf.logical_not(x.known)):
            x = MaskedSeries(x.values, tf.ones_like(x.known))
        return x

    found = doubled_until(series, 15.0)
    assert found.values.numpy().tolist() == [12.0, -4.0, 20.0]
    assert found.known.numpy().tolist() == [True, True, True]


def test_gradients_pass_through_fields() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(MaskedSeries(x * x, [True, False, True]).filled(0.0))
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 0.0, 6.0]


def test_a_graph_of_nodes_as_an_argument() -> None:
    @tf.function
    def spread(graph: Any, heat: Any) -> Any:
        source, target = graph.edges[:, 0], graph.edges[:, 1]
        flow = tf.gather(heat, source) * graph.weights
        return tf.math.unsorted_segment_sum(flow, target, graph.node_count)

    graph = Graph(3, [[0, 1], [0, 2], [2, 1]], [0.5, 0.25, 2.0])
    assert spread(graph, tf.constant([4.0, 0.0, 10.0])).numpy().tolist() == [0.0, 22.0, 1.0]


# --- overriding functions of TensorFlow --------------------------------------------------------------------------


def test_all_unary_functions_at_once(series: Any) -> None:
    def unary(function: Any, x: Any) -> Any:
        return MaskedSeries(function(x.values), x.known)

    with overridden((tf.experimental.dispatch_for_unary_elementwise_apis(MaskedSeries), unary)):
        assert tf.abs(series).values.numpy().tolist() == [3.0, 1.0, 5.0]
        assert tf.ones_like(series, dtype=tf.int32).values.numpy().tolist() == [1, 1, 1]
        assert tf.cast(series, tf.int64).dtype == tf.int64


def test_all_binary_functions_at_once(series: Any) -> None:
    def parts(x: Any) -> tuple[Any, Any]:
        return (x.values, x.known) if isinstance(x, MaskedSeries) else (tf.convert_to_tensor(x), True)

    def binary(function: Any, x: Any, y: Any) -> Any:
        (a, a_known), (b, b_known) = parts(x), parts(y)
        return MaskedSeries(function(a, b), tf.logical_and(a_known, b_known))

    decorator = tf.experimental.dispatch_for_binary_elementwise_apis(MaskedSeries, MaskedSeries)
    with overridden((decorator, binary)):
        found = tf.multiply(series, MaskedSeries([2.0, 2.0, 2.0], [True, True, False]))
        assert (found.values.numpy().tolist(), found.known.numpy().tolist()) == (
            [6.0, -2.0, 10.0],
            [True, False, False],
        )


def test_one_function(series: Any) -> None:
    def total(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
        return tf.reduce_sum(input_tensor.filled(0.0), axis, keepdims)

    decorator = tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": MaskedSeries})
    with overridden((decorator, total)):
        assert tf.reduce_sum(series).numpy() == 8.0
        assert tf.math.reduce_sum(series, keepdims=True).numpy().tolist() == [8.0]
        assert tf.reduce_sum([1.0, 2.0]).numpy() == 3.0
    with pytest.raises((TypeError, ValueError)):
        tf.reduce_sum(series)


def test_lists_of_values(series: Any) -> None:
    def joined(values: Any, axis: Any, name: Any = "concat") -> Any:
        return MaskedSeries(tf.concat([v.values for v in values], axis), tf.concat([v.known for v in values], axis))

    decorator = tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[MaskedSeries]})  # noqa: UP006
    with overridden((decorator, joined)):
        assert tf.concat([series, series], 0).values.shape.as_list() == [6]


def test_assertions(series: Any) -> None:
    def check(assertion: Any, x: Any, y: Any) -> None:
        both = tf.logical_and(x.known, y.known)
        assertion(tf.boolean_mask(x.values, both), tf.boolean_mask(y.values, both))

    decorator = tf.experimental.dispatch_for_binary_elementwise_assert_apis(MaskedSeries, MaskedSeries)
    with overridden((decorator, check)):
        tf.debugging.assert_equal(series, MaskedSeries([3.0, 7.0, 5.0], [True, True, True]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > y did not hold"):
            tf.debugging.assert_greater(series, series)


# --- batches -----------------------------------------------------------------------------------------------------


def test_datasets_of_batchable_types() -> None:
    points = Point([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], ["a", "b", "c"])
    dataset = tf.data.Dataset.from_tensor_slices(points)
    assert [point.label.numpy() for point in dataset] == [b"a", b"b", b"c"]
    assert [batch.position.shape.as_list() for batch in dataset.batch(2)] == [[2, 2], [1, 2]]
    moved = dataset.map(lambda point: Point(point.position + 10.0, point.label)).batch(3)
    assert next(iter(moved)).position.numpy().tolist() == [[10.0, 11.0], [12.0, 13.0], [14.0, 15.0]]


def test_maps_over_batches() -> None:
    points = Point([[3.0, 4.0], [6.0, 8.0]], ["a", "b"])
    lengths = tf.map_fn(lambda point: tf.norm(point.position), points, fn_output_signature=tf.float32)
    assert lengths.numpy().tolist() == [5.0, 10.0]
    turned = tf.map_fn(lambda point: Point(point.position[::-1], point.label), points)
    assert turned.position.numpy().tolist() == [[4.0, 3.0], [8.0, 6.0]]


def test_types_that_cannot_be_batched_say_so(series: Any) -> None:
    dataset = tf.data.Dataset.from_tensors(series)
    assert next(iter(dataset)).values.numpy().tolist() == [3.0, -1.0, 5.0]
    with pytest.raises((AttributeError, TypeError, ValueError)):
        dataset.batch(2)
