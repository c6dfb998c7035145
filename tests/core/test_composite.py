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
