from __future__ import annotations

import gc
import math
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_types import CastContext, Literal, PlaceholderContext, TraceType, Weakref


class Plain:
    pass


def test_literals_differ_by_type() -> None:
    assert len({Literal(1), Literal(1.0), Literal(True), Literal(1 + 0j)}) == 4


def test_literals_of_signed_zeros_differ_and_nan_equals_itself() -> None:
    assert Literal(0.0) != Literal(-0.0)
    assert Literal(math.nan) == Literal(float("nan"))
    assert hash(Literal(math.nan)) == hash(Literal(float("nan")))
    assert Literal(complex(0.0, 0.0)) != Literal(complex(0.0, -0.0))


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.binary(), st.none(), st.complex_numbers()))
def test_a_literal_is_its_own_type_again(value: object) -> None:
    assert from_value(value) == from_value(value)
    assert from_value(value).is_subtype_of(from_value(value))
    assert from_value(value).most_specific_common_supertype([from_value(value)]) == from_value(value)


def test_different_literals_have_no_common_supertype() -> None:
    assert Literal(1).most_specific_common_supertype([Literal(2)]) is None


def test_a_literal_casts_equal_numbers_and_nothing_else() -> None:
    assert Literal(3).cast(3.0, CastContext()) == 3
    with pytest.raises(ValueError, match=r"Can not cast 4 to Literal\[3\]"):
        Literal(3).cast(4, CastContext())
    with pytest.raises(ValueError, match=r"Can not cast '3' to Literal\[3\]"):
        Literal(3).cast("3", CastContext())


def test_a_weak_reference_compares_identity_then_equality() -> None:
    class Equal:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(self) -> int:
            return 7

    one, two, plain = Equal(), Equal(), Plain()
    assert from_value(one) == from_value(two)
    assert from_value(plain) == from_value(plain)
    assert from_value(plain) != from_value(Plain())


def test_a_weak_reference_does_not_keep_its_object_alive() -> None:
    thing = Plain()
    kind = from_value(thing)
    assert isinstance(kind, Weakref) and kind.value is thing
    reference = weakref.ref(thing)
    del thing
    gc.collect()
    assert reference() is None
    assert kind.is_dead and kind != from_value(Plain())


def test_a_weak_reference_casts_only_its_object() -> None:
    thing = Plain()
    assert from_value(thing).cast(thing, None) is thing
    with pytest.raises(ValueError, match="Can not cast"):
        from_value(thing).cast(Plain(), None)


def test_specs_are_trace_types() -> None:
    assert isinstance(tf.TensorSpec([]), tf.types.experimental.TraceType)
    assert isinstance(Literal(1), tf.types.experimental.TraceType)


class Fruit(TraceType):
    def __init__(self, name: str) -> None:
        self.name = name

    def is_subtype_of(self, other: object) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: object) -> None:
        return None

    def placeholder_value(self, placeholder_context: object) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fruit) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def test_the_protocol_has_defaults_for_types_without_tensors() -> None:
    fruit = Fruit("apple")
    assert fruit.flatten() == [] and fruit.to_tensors("apple") == []
    assert fruit.from_tensors(iter([])) == "apple"
    assert fruit.cast("apple", None) == "apple"
    with pytest.raises(AssertionError, match="Can not cast 'pear' to type"):
        fruit.cast("pear", None)


def test_an_object_with_the_protocol_decides_for_itself() -> None:
    class Basket:
        def __init__(self, fruit: str) -> None:
            self.fruit = fruit

        def __tf_tracing_type__(self, context: object) -> Fruit:
            return Fruit(self.fruit)

    assert isinstance(Basket("apple"), tf.types.experimental.SupportsTracingProtocol)
    traced = []

    @tf.function
    def f(basket: object) -> int:
        traced.append(basket)
        return 1

    f(Basket("apple"))
    f(Basket("apple"))
    f(Basket("pear"))
    assert traced == ["apple", "pear"]


def test_a_placeholder_context_remembers_names_and_aliases() -> None:
    context = PlaceholderContext()
    context.update_naming_scope("x")
    context.add_placeholder(0, "thing")
    assert context.naming_scope == "x"
    assert context.has_placeholder(0) and not context.has_placeholder(1)
    assert context.get_placeholder(0) == "thing"
