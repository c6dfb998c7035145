"""Values of extension types: printing, equality, pickling, and as composite tensors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import pytest

import millrace as tf
from tests.core.extension_types.test_immutable_fields import Masked, masked

ExtensionType = tf.experimental.ExtensionType


class Pair(ExtensionType):
    first: tf.Tensor
    second: tf.Tensor

    def __add__(self, other: Any) -> Pair:
        return Pair(self.first + other, self.second)

    @property
    def shape(self) -> tf.TensorShape:
        return self.first.shape

    @classmethod
    def zeros(cls) -> Pair:
        return cls(0.0, 0.0)


class Nested(ExtensionType):
    x: tf.Tensor
    pair: Pair
    parts: tuple[tf.Tensor, ...]
    table: Mapping[str, tf.Tensor]
    sizes: tuple[int, ...]


def nested() -> Nested:
    return Nested(1, Pair(2, 3), [4, 5], {"b": 6, "a": 7}, [8])


def numbers(value: Any) -> list[Any]:
    return [tensor.numpy().tolist() for tensor in tf.nest.flatten(value, expand_composites=True)]


def test_a_value_prints_as_its_constructor_call() -> None:
    text = (
        "Pair(first=<tf.Tensor: shape=(), dtype=int32, numpy=1>, second=<tf.Tensor: shape=(1,), dtype=float32, numpy="
    )
    assert repr(Pair(1, [2.0])).startswith(text) and str(Pair(1, [2.0])) == repr(Pair(1, [2.0]))
    assert "table=ImmutableDict({'b': <tf.Tensor" in repr(nested())


def test_equality_is_a_tensor_where_the_specs_agree() -> None:
    value = masked()
    assert (value == masked()).numpy() and not (value != masked()).numpy()
    assert not (value == Masked([1.0, 3.0], [True, False])).numpy()
    for other in (3, None, Pair(1, 2), Masked([1.0], [True]), Masked([1, 2], [True, False])):
        assert (value == other) is False and (value != other) is True
    assert (value == Masked([1.0, 2.0], [True, False], name="q")) is False


def test_equality_without_tensors_is_a_tensor_too() -> None:
    class Plain(ExtensionType):
        a: int

    assert (Plain(1) == Plain(1)).numpy() and (Plain(1) == Plain(2)) is False


@pytest.mark.parametrize(
    ("other", "expected"), [([1.0, 2.0], True), ([1.0, 3.0], False), ([1.0], False), ([[1.0, 2.0]], False)], ids=str
)
def test_equality_in_a_graph_compares_shapes_that_are_not_known(other: Any, expected: bool) -> None:
    spec = Pair.Spec(tf.TensorSpec(None), tf.TensorSpec(None))
    equal = tf.function(lambda a, b: a == b, input_signature=[spec, spec])
    assert bool(equal(Pair([1.0, 2.0], 1.0), Pair(other, 1.0)).numpy()) is expected


def test_values_are_no_keys() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'Masked'"):
        hash(masked())


def test_values_and_specs_are_copied_and_pickled() -> None:
    value = nested()
    for made in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert (made == value).numpy() and made._type_spec == value._type_spec
    assert pickle.loads(pickle.dumps(value._type_spec)) == value._type_spec


def test_a_value_is_a_leaf_unless_composites_are_expanded() -> None:
    value = nested()
    assert tf.nest.flatten([value]) == [value] and not tf.nest.is_nested(value) and not tf.is_tensor(value)
    assert numbers(value) == [1, 2, 3, 4, 5, 7, 6]  # mappings by sorted keys
    doubled = tf.nest.map_structure(lambda x: 2 * x, value, expand_composites=True)
    assert numbers(doubled) == [2, 4, 6, 8, 10, 14, 12] and doubled.sizes == (8,) and list(doubled.table) == ["b", "a"]


def test_fields_as_a_dictionary() -> None:
    assert list(tf.experimental.extension_type.as_dict(masked())) == ["values", "mask", "name"]
    assert tf.experimental.extension_type.as_dict(masked()._type_spec)["name"] == "m"
    with pytest.raises(TypeError, match=r"as_dict needs a tf.experimental.ExtensionType; received 3\."):
        tf.experimental.extension_type.as_dict(3)


def test_operators_that_take_tensors_refuse_values() -> None:
    for call in (tf.convert_to_tensor, tf.constant, tf.shape, lambda v: tf.add(v, 1), lambda v: tf.stack([v])):
        with pytest.raises(ValueError, match=r"Attempt to convert a value .*unsupported type .*Masked"):
            call(masked())


def test_identity_and_stop_gradient_keep_the_type() -> None:
    for function in (tf.identity, tf.stop_gradient):
        assert isinstance(function(masked()), Masked) and numbers(function(masked())) == [[1.0, 2.0], [True, False]]


def test_a_function_traces_once_for_each_spec() -> None:
    traced = []

    @tf.function
    def f(x: Any) -> Any:
        traced.append(x)
        return x + 1.0, x.zeros()

    assert numbers(f(Pair(1.0, 2.0))) == [2.0, 2.0, 0.0, 0.0]
    assert numbers(f(Pair(3.0, 2.0))) == [4.0, 2.0, 0.0, 0.0] and len(traced) == 1
    f(Pair([1.0], 2.0))
    assert len(traced) == 2 and isinstance(traced[0], Pair)


def test_a_signature_takes_specs_and_refuses_other_values() -> None:
    spec = Pair.Spec(tf.TensorSpec([None]), tf.TensorSpec([]))
    f = tf.function(lambda x: x.first, input_signature=[spec])
    assert f(Pair([1.0, 2.0], 1.0)).numpy().tolist() == [1.0, 2.0]
    assert f.get_concrete_function().structured_input_signature == ((spec,), {})
    assert [tensor.name for tensor in f.get_concrete_function().inputs] == ["x:0", "x_1:0"]
    with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed due to `Can not cast TensorSpec"):
        f(Pair([1], 1.0))
    with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed"):
        f(3.0)


def test_a_method_may_be_a_function_and_values_may_be_captured() -> None:
    class Scaled(ExtensionType):
        x: tf.Tensor
        factor: int

        @tf.function
        def apply(self, y: Any) -> Any:
            return self.x * y * self.factor

    assert Scaled(2.0, 3).apply(tf.constant(5.0)).numpy() == 30.0
    captured = Pair(1.0, 2.0)
    f = tf.function(lambda: captured + 1.0)
    assert numbers(f()) == [2.0, 2.0] and len(f.get_concrete_function().captured_inputs) == 2


def test_loops_and_branches_carry_values() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x + 1.0 if x.first < 10.0 else x
        return x

    assert numbers(f(Pair(1.0, 2.0), 3)) == [4.0, 2.0] and numbers(f(Pair(9.0, 2.0), 3)) == [10.0, 2.0]
    _, last = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1.0), (0, Pair(1.0, 2.0)))
    assert numbers(last) == [4.0, 2.0]
    chosen = tf.function(lambda p: tf.cond(p, lambda: Pair(1.0, 2.0), lambda: Pair(1.0, 2.0) + 5.0))
    assert numbers(chosen(tf.constant(False))) == [6.0, 2.0]


def test_a_loop_may_widen_the_shape_of_a_field() -> None:
    spec = Pair.Spec(tf.TensorSpec([None]), tf.TensorSpec([]))

    @tf.function
    def f(x: Any) -> Any:
        step = lambda i, x: (i + 1, Pair(tf.concat([x.first, x.first], 0), x.second))  # noqa: E731  # an argument
        return tf.while_loop(lambda i, x: i < 2, step, (0, x), shape_invariants=(tf.TensorShape([]), spec))[1]

    assert f(Pair([1.0], 2.0)).first.numpy().tolist() == [1.0] * 4


def test_loops_of_autograph_widen_fields_by_a_spec() -> None:
    spec = Pair.Spec(tf.TensorSpec([None]), tf.TensorSpec([]))

    @tf.function
    def f(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, spec)])
            x = Pair(tf.concat([x.first, x.first], 0), x.second)
        return x

    assert f(Pair([1.0], 2.0), 2).first.numpy().tolist() == [1.0] * 4
