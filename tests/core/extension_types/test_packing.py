"""Extension types in packed form."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.extension_types.packing import is_packed, pack, unpack
from tests.core.extension_types.test_immutable_fields import masked


class Mesh(tf.experimental.ExtensionType):
    __name__ = "packing_test.Mesh"
    points: tf.Tensor
    rows: tf.RaggedTensor
    scale: int = 2

    def total(self) -> Any:
        return tf.reduce_sum(self.points) * self.scale


def mesh() -> Mesh:
    return Mesh([1.0, 2.0], tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2]))


def test_a_packed_value_is_one_variant() -> None:
    packed = pack(mesh())
    (tensor,) = tf.nest.flatten(packed, expand_composites=True)
    assert tensor.dtype is tf.variant and tensor.shape == [] and "CompositeTensorVariant" in repr(tensor)
    assert is_packed(packed) and not is_packed(mesh()) and pack(packed) is packed
    assert packed._type_spec != mesh()._type_spec and packed._type_spec._flat_tensor_specs == [
        tf.TensorSpec([], tf.variant)
    ]
    assert repr(packed._type_spec).endswith("_tf_extension_type_is_packed=True)")


def test_fields_are_read_from_a_packed_value() -> None:
    packed = pack(mesh())
    assert packed.points.numpy().tolist() == [1.0, 2.0] and packed.rows.to_list() == [[1], [2, 3]]
    assert packed.total().numpy() == 6.0 and repr(packed) == repr(mesh())
    assert not is_packed(unpack(packed)) and unpack(packed).scale == 2
    with pytest.raises(AttributeError, match="'Mesh' object has no attribute 'foo'"):
        packed.foo


def test_a_field_with_a_default_keeps_its_value() -> None:
    packed = pack(Mesh([1.0], mesh().rows, scale=7))
    assert packed.scale == 7 and unpack(packed).scale == 7
    assert tf.function(lambda value: value)(packed).scale == 7


def test_packed_values_go_through_functions() -> None:
    same = tf.function(lambda value: (value, value.total()))
    packed, total = same(pack(mesh()))
    assert is_packed(packed) and packed.rows.to_list() == [[1], [2, 3]] and total.numpy() == 6.0


def test_gradients_pass_through_packed_values() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pack(Mesh(x * x, mesh().rows)).total()
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 8.0]


def test_only_registered_extension_types_are_packed() -> None:
    with pytest.raises(ValueError, match="ExtensionTypes must have a __name__ field in order to be packed"):
        pack(masked())
    for function in (pack, unpack, is_packed):
        with pytest.raises(ValueError, match="Expected `value` to be an object of type ExtensionType"):
            function(3)
