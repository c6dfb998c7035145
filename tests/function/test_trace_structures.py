from __future__ import annotations

from collections import OrderedDict, UserDict, defaultdict, namedtuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_structures import AttrsType, DictType, ListType, NamedTupleType, TupleType

Point = namedtuple("Point", "x y")

leaves = st.one_of(st.integers(), st.text(max_size=3), st.none(), st.floats())
structures = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.builds(Point, inner, inner),
    ),
    max_leaves=8,
)


class Attributes:
    """Stands for a class made by attrs."""

    class _Field:
        def __init__(self, name: str) -> None:
            self.name = name

    __attrs_attrs__ = (_Field("a"), _Field("b"))

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Box:
    """A custom nest."""

    def __init__(self, content: Any, label: str) -> None:
        self.content, self.label = content, label

    def __tf_flatten__(self) -> Any:
        return (self.label,), (self.content,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Box:
        return cls(components[0], metadata[0])


@given(structures)
def test_a_structure_is_of_its_own_type(value: Any) -> None:
    kind = from_value(value)
    assert kind == from_value(value) and hash(kind) == hash(from_value(value))
    assert kind.is_subtype_of(from_value(value))
    assert kind.most_specific_common_supertype([from_value(value)]) == kind


@given(structures)
def test_a_structure_survives_taking_apart_and_packing(value: Any) -> None:
    rebuilt = from_value(value).placeholder_value(None)
    assert from_value(rebuilt) == from_value(value)
    assert type(rebuilt) is type(value)


@given(structures)
def test_a_structure_casts_to_itself(value: Any) -> None:
    kind = from_value(value)
    assert from_value(kind.cast(value, None)) == kind


def test_lists_tuples_and_named_tuples_are_three_types() -> None:
    kinds = [from_value([1, 2]), from_value((1, 2)), from_value(Point(1, 2))]
    assert [type(kind) for kind in kinds] == [ListType, TupleType, NamedTupleType]
    assert not any(a.is_subtype_of(b) for a in kinds for b in kinds if a is not b)


def test_the_order_of_keys_does_not_matter() -> None:
    kinds = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, OrderedDict(b=2, a=1), defaultdict(int, a=1, b=2), UserDict(a=1, b=2)]
    assert len({from_value(mapping) for mapping in kinds}) == 1


def test_tensors_of_a_dict_come_in_the_order_of_sorted_keys() -> None:
    value = {"b": tf.constant(2), "a": tf.constant(1)}
    assert [int(t) for t in from_value(value).to_tensors(value)] == [1, 2]


def test_a_wider_shape_deep_inside_is_a_supertype() -> None:
    narrow = from_value({"a": [tf.ones([1, 2])]})
    wide = from_value({"a": [tf.TensorSpec([None, 2])]})
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    common = narrow.most_specific_common_supertype([from_value({"a": [tf.ones([3, 2])]})])
    assert common == wide


def test_structures_print_as_tensorflow_prints_them() -> None:
    assert repr(from_value([1, "a"])) == "List[Literal[1], Literal['a']]"
    assert repr(from_value((None,))) == "Tuple[Literal[None]]"
    assert repr(from_value({"b": 1, "a": 2})) == "Dict[['b', Literal[1]], ['a', Literal[2]]]"
    assert repr(from_value(Point(1, 2))) == "Point[['x', Literal[1]], ['y', Literal[2]]]"


@pytest.mark.parametrize(
    ("constraint", "value", "error", "message"),
    [
        ([1], (1,), TypeError, r"Can not cast \(1,\) to list type."),
        ((1,), [1], TypeError, r"Can not cast \[1\] to tuple type."),
        ((1,), (1, 2), TypeError, "of length 2"),
        ({"a": 1}, [1], TypeError, r"Can not cast \[1\] to a Dict type."),
        (
            {"a": 1},
            {"b": 1},
            ValueError,
            r"\{'b': 1\} has different keys with the TraceType Dict\[\['a', Literal\[1\]\]\].",
        ),
        (Point(1, 2), (1, 2), TypeError, r"Cannot cast \(1, 2\) to type <class .*Point'>."),
    ],
)
def test_casting_another_container_is_refused(constraint: Any, value: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        from_value(constraint).cast(value, None)


def test_attrs_instances_are_taken_apart() -> None:
    kind = from_value(Attributes(1, tf.constant(2.0)))
    assert isinstance(kind, AttrsType) and repr(kind).startswith("Attributes[['a', Literal[1]], ['b', TensorSpec")
    assert kind == from_value(Attributes(1, tf.constant(5.0)))
    assert kind != from_value(Attributes(2, tf.constant(2.0)))
    rebuilt = kind.placeholder_value(type("Context", (), {"context_graph": None})())
    assert isinstance(rebuilt, Attributes) and rebuilt.a == 1


def test_custom_nests_are_taken_apart_and_keep_their_metadata() -> None:
    seen = []

    @tf.function
    def f(box: Box) -> Any:
        seen.append(box.label)
        return box.content + 1

    assert int(f(Box(tf.constant(1), "a"))) == 2
    assert int(f(Box(tf.constant(5), "a"))) == 6
    assert int(f(Box(tf.constant(5), "b"))) == 6
    assert seen == ["a", "b"]


def test_what_a_traced_function_receives_for_subclasses_of_containers() -> None:
    class MyList(list[Any]):
        pass

    types = []

    @tf.function
    def f(x: Any) -> int:
        types.append(type(x))
        return 1

    f(MyList([1]))
    f(OrderedDict(a=1))
    f(defaultdict(int, b=1))
    assert types == [list, OrderedDict, dict]


def test_keys_that_cannot_be_sorted_are_refused() -> None:
    with pytest.raises(TypeError, match="not supported between"):
        tf.function(lambda x: 1)({"a": 1, 2: 3})


def test_a_dict_type_keeps_its_order_when_it_is_widened() -> None:
    kind = from_value({"b": tf.ones([1]), "a": 1})
    assert isinstance(kind, DictType)
    wider = kind.most_specific_common_supertype([from_value({"b": tf.ones([2]), "a": 1})])
    assert list(wider.mapping) == ["b", "a"]
