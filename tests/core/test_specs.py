from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.specs import BoundedTensorSpec, DenseSpec, NoneTensorSpec, TensorSpec

NAMED = TensorSpec([2, None], tf.float32, "x")
FULL = TensorSpec([2, 3], tf.float32)
UNKNOWN = TensorSpec(None, tf.int32)


class Graph:
    """Notes the placeholders asked for."""

    def add_placeholder(self, dtype: Any, shape: Any, name: str) -> tuple[Any, ...]:
        return dtype, shape, name


class Context:
    allow_specs = True
    naming_scope: str | None = "scope"

    def __init__(self, graph: Any = None) -> None:
        self.context_graph = graph


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (NAMED, "TensorSpec(shape=(2, None), dtype=tf.float32, name='x')"),
        (UNKNOWN, "TensorSpec(shape=<unknown>, dtype=tf.int32, name=None)"),
        (TensorSpec([1], "int32"), "TensorSpec(shape=(1,), dtype=tf.int32, name=None)"),
        (TensorSpec([1], np.float64), "TensorSpec(shape=(1,), dtype=tf.float64, name=None)"),
        (TensorSpec(shape=()), "TensorSpec(shape=(), dtype=tf.float32, name=None)"),
        (TensorSpec([1], "float32_ref"), "TensorSpec(shape=(1,), dtype=tf.float32_ref, name=None)"),
        (
            BoundedTensorSpec([1, 2], tf.int32, 0.5, 1.7),
            "BoundedTensorSpec(shape=(1, 2), dtype=tf.int32, name=None, minimum=array(0, dtype=int32), "
            "maximum=array(1, dtype=int32))",
        ),
    ],
)
def test_text(spec: TensorSpec, text: str) -> None:
    assert repr(spec) == str(spec) == text


def test_fields() -> None:
    assert (NAMED.shape, NAMED.dtype, NAMED.name, NAMED.value_type) == ([2, None], tf.float32, "x", tf.Tensor)
    assert isinstance(NAMED, tf.TypeSpec) and isinstance(NAMED, DenseSpec) and tf.TensorSpec is TensorSpec
    with pytest.raises(TypeError, match="Failed to convert ''a'' to a shape"):
        TensorSpec("a")
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: 'zz' to a TensorFlow DType"):
        TensorSpec([1], "zz")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'shape'"):
        TensorSpec()


def test_equality_includes_the_name() -> None:
    assert TensorSpec([2, None], tf.float32, "x") == NAMED and TensorSpec([2, None], tf.float32, "y") != NAMED
    assert NAMED != 3 and TensorSpec([2, None]) != NAMED and TensorSpec([2, 3], tf.int32) != FULL
    assert hash(NAMED) == hash(TensorSpec([2, None], tf.float32, "x"))


@pytest.mark.parametrize("spec", [NAMED, UNKNOWN, BoundedTensorSpec([1], tf.float32, 0, [1], "b"), NoneTensorSpec()])
def test_specs_survive_pickles_and_copies(spec: Any) -> None:
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert copy.deepcopy(spec) == spec
    assert type(spec)._deserialize(spec._serialize()) == spec


def test_specs_from_specs_and_tensors() -> None:
    assert TensorSpec.from_spec(NAMED) == NAMED
    assert TensorSpec.from_spec(NAMED, name="z") == TensorSpec([2, None], tf.float32, "z")
    assert TensorSpec.from_spec(BoundedTensorSpec([1], tf.float32, 0, 1)) == TensorSpec([1])
    assert TensorSpec.from_tensor(tf.constant([1, 2]), name="q") == TensorSpec([2], tf.int32, "q")
    assert TensorSpec.from_tensor(tf.constant([1, 2])).name is None
    with pytest.raises(ValueError, match=r"^`tensor` should be a tf\.Tensor, but got type <class 'int'>\.$"):
        TensorSpec.from_tensor(3)


def test_compatibility_looks_at_dtype_and_shape() -> None:
    assert NAMED.is_compatible_with(FULL) and NAMED.is_compatible_with(tf.ones([2, 3]))
    assert TensorSpec([1], tf.float32, "n").is_compatible_with(TensorSpec([1], tf.float32, "m"))
    for other in (TensorSpec([3, 3]), TensorSpec([2, 3], tf.int32), np.ones([2, 3], np.float32), [[1.0, 2.0]], 3, "x"):
        assert not NAMED.is_compatible_with(other)


def test_subtypes() -> None:
    nameless = TensorSpec([2, None])
    assert FULL.is_subtype_of(NAMED) and not NAMED.is_subtype_of(FULL) and NAMED.is_subtype_of(NAMED)
    assert nameless.is_subtype_of(NAMED) and not NAMED.is_subtype_of(nameless)
    assert not NAMED.is_subtype_of(TensorSpec([2, None], tf.float32, "y"))
    assert not FULL.is_subtype_of(TensorSpec([2, 3], tf.int32)) and not FULL.is_subtype_of(3)
    bounded = BoundedTensorSpec([1], tf.float32, 0, 1)
    assert bounded.is_subtype_of(TensorSpec([1])) and TensorSpec([1]).is_subtype_of(bounded)


def test_common_supertypes() -> None:
    assert FULL.most_specific_common_supertype([TensorSpec([2, 4])]) == TensorSpec([2, None])
    assert FULL.most_specific_common_supertype([TensorSpec([2])]) == TensorSpec(None)
    assert FULL.most_specific_common_supertype([]) == FULL
    assert NAMED.most_specific_common_supertype([TensorSpec([2, 4], tf.float32, "x")]) == NAMED
    for others in ([FULL], [TensorSpec([2, 4], tf.float32, "y")], [TensorSpec([2, 4], tf.int32, "x")], [3]):
        assert NAMED.most_specific_common_supertype(others) is None
    assert FULL.most_specific_compatible_type(TensorSpec([2, 4])) == TensorSpec([2, None])
    for other in (TensorSpec([2, 4], tf.int32), 3):
        with pytest.raises(ValueError, match=r"^No TypeSpec is compatible with both TensorSpec\(shape=\(2, 3\)"):
            FULL.most_specific_compatible_type(other)


def test_a_tensor_is_its_own_component() -> None:
    tensor = tf.ones([2, 3])
    assert NAMED._component_specs is NAMED and NAMED.flatten() == [NAMED] == NAMED._flat_tensor_specs
    assert NAMED._to_components(tensor) is tensor and NAMED._from_components(tensor) is tensor
    assert NAMED.to_tensors(tensor) == [tensor] and NAMED.from_tensors(iter([tensor])) is tensor
    assert NAMED._from_tensor_list(NAMED._to_tensor_list(tensor)) is tensor
    assert tf.nest.flatten([NAMED], expand_composites=True) == [NAMED]
    assert NAMED._to_components([[1.0], [2.0]]).dtype is tf.float32


@pytest.mark.parametrize("tensor", [np.ones([2, 3], np.int32), np.ones([3, 3], np.float32)])
def test_a_list_of_tensors_of_other_types_makes_no_tensor(tensor: Any) -> None:
    message = (
        r"^Cannot create a Tensor from the tensor list because item 0 \(.*\) is incompatible with the expected TypeSpec"
    )
    with pytest.raises(ValueError, match="(?s)" + message):
        NAMED._from_tensor_list([tf.constant(tensor)])


def test_casting() -> None:
    assert NAMED.cast([[1.0, 2.0], [3.0, 4.0]], None).shape == [2, 2]
    assert NAMED.cast(FULL, Context()) is NAMED
    for value in (tf.ones([3, 3]), 3, tf.ones([2, 3], tf.int32)):
        with pytest.raises(TypeError, match=r"^Can not cast TensorSpec\(.*\) to TensorSpec\(shape=\(2, None\)"):
            NAMED.cast(value, None)
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        NAMED.cast(TensorSpec([3, 3]), Context())


def test_placeholders_take_the_name_of_the_spec_or_the_scope() -> None:
    assert NAMED.placeholder_value(Context()) is NAMED
    assert NAMED.placeholder_value(Context(Graph())) == (tf.float32, [2, None], "x")
    assert FULL.placeholder_value(Context(Graph())) == (tf.float32, [2, 3], "scope")


def test_variations() -> None:
    assert NAMED._with_tensor_ranks_only() == TensorSpec([None, None], tf.float32, "x")
    assert UNKNOWN._with_tensor_ranks_only() == UNKNOWN
    assert NAMED._without_tensor_names() == TensorSpec([2, None]) and UNKNOWN._without_tensor_names() is UNKNOWN
    assert NAMED._batch(3) == TensorSpec([3, 2, None]) and NAMED._batch(None) == TensorSpec([None, 2, None])
    assert FULL._unbatch() == TensorSpec([3]) and UNKNOWN._unbatch() == UNKNOWN
    with pytest.raises(ValueError, match=r"^Unbatching a tensor is only supported for rank >= 1$"):
        TensorSpec([])._unbatch()
    assert NAMED._to_legacy_output_types() is tf.float32
    assert NAMED._to_legacy_output_shapes() == [2, None] and NAMED._to_legacy_output_classes() is tf.Tensor


@pytest.mark.parametrize("spec", [NAMED, FULL, UNKNOWN])
def test_specs_on_the_wire(spec: TensorSpec) -> None:
    proto = spec.experimental_as_proto()
    assert isinstance(proto, TensorSpec.experimental_type_proto())
    assert TensorSpec.experimental_from_proto(proto) == spec


def test_bounds() -> None:
    spec = BoundedTensorSpec([1, 2], tf.float32, [0, 0], [1, 2], "n")
    assert spec.minimum.tolist() == [0.0, 0.0] and spec.maximum.tolist() == [1.0, 2.0]
    assert not spec.maximum.flags.writeable
    assert BoundedTensorSpec([None, 2], tf.int32, 0, 1).maximum == 1
    for bound in ([0, 0, 0], [1, 2, 3]):
        with pytest.raises(
            ValueError, match=r"^`minimum` \[\d, \d, \d\] is not compatible with shape \((1|None), 2\)\.$"
        ):
            BoundedTensorSpec([1, 2], tf.float32, bound, 1)
    with pytest.raises(ValueError, match=r"^`maximum` can not be None\.$"):
        BoundedTensorSpec([1], tf.float32, 0, None)


def test_bounds_take_part_in_equality_and_generalization() -> None:
    spec = BoundedTensorSpec([1], tf.float32, 0, 1)
    assert spec == BoundedTensorSpec([1], tf.float32, 0, 1) and spec != BoundedTensorSpec([1], tf.float32, 0, 2)
    assert (
        spec != TensorSpec([1])
        and TensorSpec([1]) != spec
        and len({spec, BoundedTensorSpec([1], tf.float32, 0, 1)}) == 1
    )
    assert spec.most_specific_common_supertype([BoundedTensorSpec([2], tf.float32, 0, 1)]) == BoundedTensorSpec(
        [None], tf.float32, 0, 1
    )
    assert spec.most_specific_common_supertype([BoundedTensorSpec([1], tf.float32, 0, 2)]) is None


def test_bounds_from_a_spec_are_those_of_its_dtype() -> None:
    assert BoundedTensorSpec.from_spec(TensorSpec([1], tf.int8)).minimum == -128
    assert BoundedTensorSpec.from_spec(BoundedTensorSpec([1], tf.float32, 0, 1)).maximum == 1
    with pytest.raises(TypeError, match="Cannot find minimum value of <dtype: 'string'>"):
        BoundedTensorSpec.from_spec(TensorSpec([1], tf.string))


def test_nothing_has_a_spec_too() -> None:
    spec = tf.type_spec_from_value(None)
    assert spec == NoneTensorSpec() and repr(spec) == "NoneTensorSpec()" and spec.value_type is type(None)
    assert spec.is_compatible_with(None) and spec.is_compatible_with(spec) and not spec.is_compatible_with(1)
    assert spec.flatten() == [] and spec._from_components([]) is None and spec._to_components(None) == []
    assert spec._batch(3) == spec._unbatch() == spec


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        (3, TensorSpec([], tf.int32)),
        (1.5, TensorSpec([], tf.float32)),
        ("a", TensorSpec([], tf.string)),
        ([1, 2], TensorSpec([2], tf.int32)),
        (np.array([1, 2]), TensorSpec([2], tf.int64)),
    ],
)
def test_the_spec_of_a_value(value: Any, spec: TensorSpec) -> None:
    assert tf.type_spec_from_value(value) == spec
    assert tf.type_spec_from_value(tf.constant(value)) == spec


@pytest.mark.parametrize("value", [object(), {1: 2}, TensorSpec([1])], ids=["object", "dict", "spec"])
def test_values_without_a_spec(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^Could not build a TypeSpec for .* of unsupported type <class"):
        tf.type_spec_from_value(value)
