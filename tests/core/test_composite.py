from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.type_specs import TypeSpec


class Masked(CompositeTensor):
    def __init__(self, values: Any, mask: Any) -> None:
        self.values, self.mask = values, mask

    @property
    def _type_spec(self) -> MaskedSpec:
        return MaskedSpec(self.values.shape)


class MaskedSpec(TypeSpec):
    value_type = Masked

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape,)

    @property
    def _component_specs(self) -> Any:
        return {"values": tf.TensorSpec(self.shape), "mask": tf.TensorSpec(self.shape, tf.bool)}

    def _to_components(self, value: Masked) -> Any:
        return {"values": value.values, "mask": value.mask}

    def _from_components(self, components: Any) -> Masked:
        return Masked(**components)


def test_a_composite_is_a_structure_of_its_components() -> None:
    masked = Masked(tf.ones([2]), tf.constant([True, False]))
    flat = tf.nest.flatten(masked, expand_composites=True)
    assert [part is whole for part, whole in zip(flat, (masked.mask, masked.values), strict=True)] == [True, True]
    assert tf.nest.flatten(masked) == [masked]
    shapes = tf.nest.map_structure(lambda part: part.shape, masked, expand_composites=True)
    assert isinstance(shapes, Masked) and shapes.values == [2]


def test_a_composite_is_described_by_its_spec() -> None:
    masked = Masked(tf.ones([2]), tf.constant([True, False]))
    assert tf.type_spec_from_value(masked) == MaskedSpec(tf.TensorShape([2]))
    assert masked.__tf_tracing_type__(None) == masked._type_spec
    other = Masked(tf.ones([3]), tf.constant([True, False, True]))
    tf.nest.assert_same_structure(masked, other, expand_composites=True)


def test_a_composite_without_a_spec_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"CompositeTensor\._type_spec"):
        _ = CompositeTensor()._type_spec


class Rows:
    """The ragged tensors of the tests below."""

    @staticmethod
    def of(*rows: list[int]) -> Any:
        return tf.RaggedTensor.from_row_lengths([item for row in rows for item in row], [len(row) for row in rows])


def test_a_branch_may_give_a_composite_of_another_size() -> None:
    choose = tf.function(lambda p: tf.cond(p, lambda: Rows.of([1, 2], []), lambda: Rows.of([3])))
    assert choose(tf.constant(False)).to_list() == [[3]] and choose(tf.constant(True)).to_list() == [[1, 2], []]
    assert choose.get_concrete_function(tf.constant(True)).structured_outputs.shape == [None, None]
    sparse = tf.function(
        lambda p: tf.cond(p, lambda: tf.SparseTensor([[0]], [1], [2]), lambda: tf.SparseTensor([[4]], [1], [5]))
    )
    assert sparse(tf.constant(False)).dense_shape.numpy().tolist() == [5]

    @tf.function
    def f(p: Any) -> Any:
        x = Rows.of([1, 2], []) if p else Rows.of([3])
        return x.values

    assert f(tf.constant(False)).numpy().tolist() == [3]


def test_a_loop_may_make_a_composite_larger() -> None:
    def grown(bounds: Any, x: Any) -> Any:
        step = lambda i, x: (i + 1, tf.concat([x, x[:1]], 0))  # noqa: E731  # an argument
        return tf.function(lambda x: tf.while_loop(lambda i, _: i < 2, step, (0, x), shape_invariants=bounds)[1])(x)

    x = Rows.of([1, 2], [3])
    for bound in (tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorShape([None, None])):
        assert grown((tf.TensorShape([]), bound), x).to_list() == [[1, 2], [3], [1, 2], [1, 2]]
    with pytest.raises(TypeError, match=r"TypeSpec RaggedTensorSpec.* is not compatible with"):
        grown((tf.TensorShape([]), tf.RaggedTensorSpec([None, None, None], tf.int32)), x)
    with pytest.raises(ValueError, match="To allow the shape to vary across iterations"):
        grown(None, x)


def test_a_loop_forgets_what_its_body_does_not_keep() -> None:
    @tf.function
    def f(x: Any) -> Any:
        step = lambda i, x: (i + 1, tf.SparseTensor(x.indices, x.values, x.dense_shape + 1))  # noqa: E731  # an argument
        result = tf.while_loop(lambda i, _: i < 2, step, (0, x))[1]
        assert result.shape.as_list() == [None]
        return result

    assert f(tf.SparseTensor([[1]], [7], [2])).dense_shape.numpy().tolist() == [4]


def test_mapping_the_tensors_of_a_composite_may_change_their_sizes() -> None:
    doubled = tf.nest.map_structure(
        lambda t: tf.concat([t, t], 0), Masked(tf.constant([1.0]), tf.constant([True])), expand_composites=True
    )
    assert doubled.values.shape == [2]


def test_operations_wait_for_the_tensors_of_a_composite() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.control_dependencies([x]):
            return tf.constant(1)

    assert f(Rows.of([1])).numpy() == 1
