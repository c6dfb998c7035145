"""`MyType.Spec`: made, written by the user in part, ordered and taken apart."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.core.extension_types.test_extension_type import Pair, nested
from tests.core.extension_types.test_immutable_fields import Masked, masked

ExtensionType = tf.experimental.ExtensionType
T = tf.TensorSpec


class Sized(ExtensionType):
    x: tf.Tensor

    class Spec:
        def __init__(self, shape: Any, dtype: Any = tf.float32) -> None:
            self.x = tf.TensorSpec(shape, dtype)

        def __repr__(self) -> str:
            return f"Sized.Spec({self.x.shape})"

        shape = property(lambda self: self.x.shape)


def test_a_spec_has_the_fields_and_prints_as_its_constructor_call() -> None:
    spec = Masked.Spec(T([2]), mask=T([2], tf.bool), name="q")
    assert (spec.values, spec.name, spec.value_type) == (T([2]), "q", Masked)
    assert repr(spec) == f"Masked.Spec(values={T([2])!r}, mask={T([2], tf.bool)!r}, name='q')"
    assert "table={'b': TensorSpec(" in repr(nested()._type_spec)
    assert (Masked.Spec.__name__, Masked.Spec.__qualname__) == ("Masked.Spec", "Masked.Spec")


def test_a_spec_takes_every_field_defaults_or_not() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'name'"):
        Masked.Spec(T([]), T([]))
    with pytest.raises(TypeError, match="values: expected a TensorSpec, got 'int'"):
        Masked.Spec(1, 2, "s")


def test_a_value_names_its_spec() -> None:
    spec = Masked.Spec(T([2]), T([2], tf.bool), "m")
    value = masked()
    assert value._type_spec == spec and tf.type_spec_from_value(value) == spec and Masked.Spec.from_value(value) == spec
    assert hash(value._type_spec) == hash(spec) and value._type_spec is value._type_spec
    with pytest.raises(TypeError, match=r"Masked.Spec.from_value needs a value of type Masked; received 3"):
        Masked.Spec.from_value(3)


def test_components_are_the_tensors_and_composites_field_by_field() -> None:
    value = nested()
    spec = value._type_spec
    assert [type(part).__name__ for part in spec._component_specs] == ["TensorSpec", "Pair.Spec"] + ["TensorSpec"] * 4
    assert (spec._from_components(spec._to_components(value)) == value).numpy()
    assert (spec._from_tensor_list(spec._to_tensor_list(value)) == value).numpy()
    assert len(spec._flat_tensor_specs) == len(spec.flatten()) == 7
    with pytest.raises(
        ValueError, match="Cannot create a Pair from the tensor list because the TypeSpec expects 2 items"
    ):
        value.pair._type_spec._from_tensor_list([1])


def test_order_goes_by_the_fields() -> None:
    a, b = Masked.Spec(T([2]), T([2]), "m"), Masked.Spec(T([None]), T([None]), "m")
    other = Masked.Spec(T([2]), T([2]), "k")
    assert a.is_subtype_of(b) and not b.is_subtype_of(a) and a.is_compatible_with(b) and not a.is_compatible_with(other)
    assert a.most_specific_common_supertype([b]) == b and a.most_specific_common_supertype([other]) is None
    assert a.most_specific_common_supertype([Masked.Spec(T([3]), T([5]), "m")]) == b
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        a.most_specific_compatible_type(other)


def test_a_spec_of_a_subclass_is_no_subtype() -> None:
    class Wider(Pair):
        z: int = 0

    assert not Wider(1, 2)._type_spec.is_subtype_of(Pair(1, 2)._type_spec)
    assert not issubclass(Wider.Spec, Pair.Spec)


def test_the_user_may_write_the_constructor_and_properties() -> None:
    spec = Sized.Spec([2])
    assert spec == Sized([1.0, 2.0])._type_spec and spec.shape == [2] and repr(spec) == "Sized.Spec((2,))"
    f = tf.function(lambda value: value, input_signature=[Sized.Spec([None])])
    assert f(Sized([1.0])).x.numpy() == 1.0
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'shape'"):
        Sized.Spec()


def test_the_users_constructor_of_a_spec_sets_all_fields_which_are_validated() -> None:
    class Empty(ExtensionType):
        x: tf.Tensor

        class Spec:
            def __init__(self, a: Any) -> None:
                pass

    class Checked(ExtensionType):
        x: tf.Tensor

        class Spec:
            def __validate__(self) -> None:
                raise RuntimeError("seen")

    with pytest.raises(ValueError, match=r"Missing required fields: {'x'}"):
        Empty.Spec(3)
    with pytest.raises(RuntimeError, match="seen"):
        Checked.Spec(T([]))
    assert Checked(1)._type_spec.x == T([], tf.int32)  # of a value: nothing to check


def test_spec_must_be_a_class() -> None:
    with pytest.raises(ValueError, match=r"Bad\.Spec must be a nested class; got 5\."):

        class Bad(ExtensionType):
            x: tf.Tensor
            Spec = 5


def test_legacy_structures_need_a_shape_of_the_spec() -> None:
    spec = masked()._type_spec
    with pytest.raises(NotImplementedError, match="Spec of the ExtensionType is missing a shape property"):
        spec._to_legacy_output_shapes()
    with pytest.raises(NotImplementedError, match=r"Masked\.Spec\._to_legacy_output_types\(\)"):
        spec._to_legacy_output_types()
    assert spec._to_legacy_output_classes() is Masked and Sized.Spec([2])._to_legacy_output_shapes() == [2]


def test_a_registered_type_is_found_by_its_name() -> None:
    from millrace._src.core.type_spec_registry import lookup

    class Registered(ExtensionType):
        __name__ = "extension_spec_test.Registered"
        x: int

    assert lookup("extension_spec_test.Registered.Spec") is Registered.Spec and Registered.__name__ == "Registered"
