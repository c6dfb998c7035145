from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.type_specs import TypeSpec, register_type_spec_from_value_converter
from tests.ids import stable_repr


class Couple:
    """A value made of two tensors."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second


class CoupleSpec(TypeSpec):
    value_type = Couple

    def __init__(self, label: Any, shape: Any) -> None:
        self.label, self.shape = label, shape

    def _serialize(self) -> tuple[Any, ...]:
        return self.label, self.shape

    @property
    def _component_specs(self) -> Any:
        return [tf.TensorSpec(self.shape), {"b": tf.TensorSpec(None, tf.int32, "n")}]

    def _to_components(self, value: Couple) -> Any:
        return [value.first, {"b": value.second}]

    def _from_components(self, components: Any) -> Couple:
        return Couple(components[0], components[1]["b"])


def spec(label: Any = 1, *dims: Any) -> CoupleSpec:
    return CoupleSpec(label, tf.TensorShape(list(dims)))


class Context:
    allow_specs = True
    naming_scope = "scope"

    def __init__(self, graph: Any = None) -> None:
        self.context_graph = graph


class Graph:
    def add_placeholder(self, dtype: Any, shape: Any, name: str) -> Any:
        return f"{name}: {dtype.name} {shape}"


ABSTRACT = "_component_specs.*_from_components.*_serialize.*_to_components.*value_type"


def test_the_base_class_is_abstract() -> None:
    with pytest.raises(TypeError, match=f"Can't instantiate abstract class TypeSpec with.*{ABSTRACT}"):
        TypeSpec()


def test_a_subclass_that_leaves_something_out_is_abstract_and_says_what() -> None:
    class Incomplete(TypeSpec):
        def _serialize(self) -> tuple[Any, ...]:
            return ()

    class Complete(Incomplete):
        value_type = int
        _component_specs = _to_components = _from_components = None

    with pytest.raises(TypeError, match=r"Incomplete.*_component_specs.*_from_components.*_to_components.*value_type"):
        Incomplete()
    assert isinstance(Complete(), Incomplete)


def test_equality_hash_text_and_pickle_come_from_the_fields() -> None:
    assert spec(1, 2, None) == spec(1, 2, None) and spec(1, 2) != spec(2, 2) and spec(1) != 3
    assert hash(spec(1, 2, None)) == hash(spec(1, 2, None))
    assert repr(spec(1, 2, None)) == "CoupleSpec(1, TensorShape([2, None]))"
    assert pickle.loads(pickle.dumps(spec(1, 2))) == spec(1, 2)


@pytest.mark.parametrize("label", [{"a": [1]}, np.array([1, 2]), [1, (2, {"b": 3})]], ids=stable_repr)
def test_fields_may_be_structures_and_arrays(label: Any) -> None:
    assert spec(label, 1) == spec(label, 1)
    assert hash(spec(label, 1)) == hash(spec(label, 1))
    assert spec(label, 1).is_subtype_of(spec(label, None))
    assert not spec(label, 1).is_subtype_of(spec("other", None))


def test_subtypes_and_supertypes_come_from_the_fields() -> None:
    assert spec(1, 2, 3).is_subtype_of(spec(1, 2, None)) and not spec(1, 2, None).is_subtype_of(spec(1, 2, 3))
    assert not spec(1, 2).is_subtype_of(spec(2, 2)) and not spec(None, 1).is_subtype_of(spec(3, 1))
    assert spec(1, 2, 3).most_specific_common_supertype([spec(1, 5, 3)]) == spec(1, None, 3)
    assert spec(1, 2).most_specific_common_supertype([spec(2, 2)]) is None
    assert spec(1, 2).most_specific_common_supertype([tf.TensorSpec([2])]) is None
    assert spec(1, 2).most_specific_common_supertype([spec([1], 2)]) is None
    assert spec(1, 2, 3).most_specific_compatible_type(spec(1, 2, None)) == spec(1, 2, None)
    with pytest.raises(ValueError, match=r"^No TypeSpec is compatible with both CoupleSpec"):
        spec(1, 2).most_specific_compatible_type(spec(2, 2))


def test_nested_specs_and_dtypes_know_their_own_order() -> None:
    narrow, wide = [tf.TensorSpec([1]), 2], [tf.TensorSpec([2]), 2]
    assert spec(narrow, 1).most_specific_common_supertype([spec(wide, 1)]) == spec([tf.TensorSpec([None]), 2], 1)
    assert spec({"a": tf.TensorSpec([1])}, 1).is_subtype_of(spec({"a": tf.TensorSpec([None])}, 1))
    assert spec(tf.float32, 1).most_specific_common_supertype([spec(tf.int32, 1)]) is None


def test_compatibility() -> None:
    assert spec(1, 2, None).is_compatible_with(spec(1, 2, 3)) and spec(1, 2, 3).is_compatible_with(spec(1, 2, None))
    assert not spec(2, 2).is_compatible_with(spec(1, 2)) and not spec(1, 2).is_compatible_with(3)
    assert not spec(1, 2).is_compatible_with(object())


def test_values_are_taken_apart_and_put_together() -> None:
    couple = Couple(tf.ones([2]), tf.constant([3]))
    tensors = spec(1, 2).to_tensors(couple)
    assert [tensor.numpy().tolist() for tensor in tensors] == [[1.0, 1.0], [3]]
    again = spec(1, 2).from_tensors(iter(tensors))
    assert isinstance(again, Couple) and again.second is tensors[1]
    assert (
        spec(1, 2).flatten()
        == spec(1, 2)._flat_tensor_specs
        == [tf.TensorSpec([2]), tf.TensorSpec(None, tf.int32, "n")]
    )
    assert spec(1, 2)._from_tensor_list(spec(1, 2)._to_tensor_list(couple)).first is couple.first


def test_a_list_of_the_wrong_length_makes_no_value() -> None:
    with pytest.raises(
        ValueError, match="because the TypeSpec expects 2 items, but the provided tensor list has 1 items"
    ):
        spec(1, 2)._from_tensor_list([tf.ones([2])])


def test_casting_goes_by_component() -> None:
    cast = spec(1, 2).cast(Couple([1.0, 2.0], 3), None)
    assert cast.first.dtype is tf.float32 and cast.second.dtype is tf.int32
    with pytest.raises(TypeError, match="Can not cast"):
        spec(1, 2).cast(Couple([1.0], 3), None)
    assert spec(1, None).cast(spec(1, 2), Context()) == spec(1, None)
    with pytest.raises(TypeError, match="Can not cast"):
        spec(1, 2).cast(spec(2, 2), Context())


def test_placeholders_are_made_by_component() -> None:
    assert spec(1, 2).placeholder_value(Context()) == spec(1, 2)
    value = spec(1, 2).placeholder_value(Context(Graph()))
    assert (value.first, value.second) == ("scope: float32 (2,)", "n: int32 <unknown>")


def test_a_spec_is_a_composite_of_its_component_specs() -> None:
    assert tf.nest.flatten([spec(1, 2)]) == [spec(1, 2)]
    assert tf.nest.flatten([spec(1, 2)], expand_composites=True) == [
        tf.TensorSpec([2]),
        tf.TensorSpec(None, tf.int32, "n"),
    ]
    packed = tf.nest.pack_sequence_as([spec(1, 2)], ["a", "b"], expand_composites=True)
    assert (packed[0].first, packed[0].second) == ("a", "b")


def test_variations() -> None:
    assert spec(1, 2, None)._with_tensor_ranks_only() == spec(1, None, None)
    nested = spec([tf.TensorSpec([1], name="x")], 2)
    assert nested._without_tensor_names() == spec([tf.TensorSpec([1])], 2)
    assert nested._with_tensor_ranks_only() == spec([tf.TensorSpec([None], name="x")], None)
    assert spec(1, 2)._to_legacy_output_types() == spec(1, 2)


def test_classes_register_how_they_are_described() -> None:
    register_type_spec_from_value_converter(Couple, lambda couple: spec("registered", *couple.first.shape))
    assert tf.type_spec_from_value(Couple(tf.ones([2]), 1)) == spec("registered", 2)
    assert spec("registered", None).is_compatible_with(Couple(tf.ones([2]), 1))
