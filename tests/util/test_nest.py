from __future__ import annotations

import dataclasses
import types
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.util import nest
from tests.ids import stable_repr

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")


class SubPoint(Point):
    __slots__ = ()


class TypedPoint(NamedTuple):
    x: int
    y: int


class Attribute:
    def __init__(self, name: str) -> None:
        self.name = name


class Attrs:
    """Looks like a class made by `attrs`."""

    __attrs_attrs__ = (Attribute("a"), Attribute("b"))

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and (self.a, self.b) == (other.a, other.b)

    __hash__ = None  # type: ignore[assignment]


class OtherAttrs(Attrs):
    pass


@dataclasses.dataclass
class Plain:
    a: int = 1


@dataclasses.dataclass
class Custom:
    a: Any
    b: Any
    mask: str = "m"

    def __tf_flatten__(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return (self.mask,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[Any, ...], components: tuple[Any, ...]) -> Custom:
        return cls(*components, mask=metadata[0])


class ListSubclass(list):  # type: ignore[type-arg]
    pass


class TupleSubclass(tuple):  # type: ignore[type-arg]
    __slots__ = ()


class DictSubclass(dict):  # type: ignore[type-arg]
    pass


class FrozenMapping(Mapping[Any, Any]):
    def __init__(self, items: Any) -> None:
        self.items_ = dict(items)

    def __getitem__(self, key: Any) -> Any:
        return self.items_[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


class OwnSequence(Sequence[Any]):
    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


class Composite:
    """One value made of several parts, as a ragged tensor is."""

    def __init__(self, *parts: Any, kind: str = "ragged") -> None:
        self.parts, self.kind = list(parts), kind

    def _nest_components(self) -> list[Any]:
        return self.parts

    def _nest_rebuild(self, components: list[Any]) -> Composite:
        return Composite(*components, kind=self.kind)

    def _nest_spec(self) -> CompositeSpec:
        return CompositeSpec(self.kind)

    def __repr__(self) -> str:
        return f"Composite({self.parts})"


class CompositeSpec:
    value_type = Composite

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def most_specific_common_supertype(self, others: list[CompositeSpec]) -> CompositeSpec | None:
        return self if all(other.kind == self.kind for other in others) else None

    def __repr__(self) -> str:
        return f"CompositeSpec({self.kind})"


# Recorded from TensorFlow 2.21.
@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (1, [1]), (None, [None]), ([1, (2, [3, {}])], [1, 2, 3]), ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
        (OrderedDict([("b", 1), ("a", 2)]), [2, 1]), ({(1, 2): 1, (0, 3): 2}, [2, 1]), (Point(1, [2, 3]), [1, 2, 3]),
        (Attrs(1, [2, 3]), [1, 2, 3]), (Custom(1, [2, 3]), [1, 2, 3]), (Plain(), [Plain()]), ("abc", ["abc"]),
        (b"abc", [b"abc"]), ({1, 2}, [{1, 2}]), (frozenset([1]), [frozenset([1])]), (range(3), [0, 1, 2]),
        ({"b": 1, "a": 2}.values(), [1, 2]), ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2]), (deque([1, 2]), [1, 2]),
        (types.MappingProxyType({"b": 1, "a": 2}), [2, 1]), (FrozenMapping({"b": 1, "a": 2}), [2, 1]),
        (OwnSequence([1, 2]), [1, 2]), (ListSubclass([1, 2]), [1, 2]), (bytearray(b"ab"), [97, 98]),
        (memoryview(b"ab"), [97, 98]), (UserList([1]), [1]), (UserDict({"b": 1, "a": 3}), [3, 1]),
        (ChainMap({"b": 1}), [1]), (Counter("ba"), [1, 1]), ({None: 1}, [1]), (np.str_("ab"), ["ab"]), ([], []),
        (Point, [Point]), (Custom, [Custom]),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_flatten(structure: Any, leaves: list[Any]) -> None:
    assert nest.flatten(structure) == leaves


def test_flatten_leaves_arrays_tensors_and_shapes_whole() -> None:
    array, tensor, shape = np.array([1, 2]), tf.constant([1]), tf.TensorShape([1, 2])
    assert [
        part is whole
        for part, whole in zip(tf.nest.flatten([array, [tensor], shape]), (array, tensor, shape), strict=True)
    ]


def test_keys_without_order_cannot_be_flattened() -> None:
    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        nest.flatten({1: 1, "a": 2})


def test_is_nested() -> None:
    nested: list[Any] = [
        [],
        {},
        (),
        range(2),
        Point(1, 2),
        Attrs(1, 2),
        Custom(1, 2),
        {}.values(),
        {}.keys(),
        {}.items(),
        deque(),
    ]
    leaves: list[Any] = [
        1,
        "a",
        None,
        np.array([1]),
        {1},
        Plain(),
        iter([]),
        tf.TensorShape([1]),
        tf.constant([1]),
        list,
    ]
    assert all(map(tf.nest.is_nested, nested))
    assert not any(map(tf.nest.is_nested, leaves))


@pytest.mark.parametrize(
    ("structure", "leaves", "packed"),
    [
        ([1, (2, 3)], [4, 5, 6], [4, (5, 6)]), (1, [4], 4), ([1], (4,), [4]), ([1, 2], range(2), [0, 1]),
        ({"b": 0, "a": 0}, [1, 2], {"b": 2, "a": 1}), (Point(0, [0, 0]), [1, 2, 3], Point(1, [2, 3])),
        (Attrs(0, [0, 0]), [1, 2, 3], Attrs(1, [2, 3])), (Custom(0, [0, 0], "q"), [1, 2, 3], Custom(1, [2, 3], "q")),
        ({"b": 1, "a": 2}.values(), [1, 2], [1, 2]), (range(2), [1, 2], [1, 2]), (deque([0, 0]), [1, 2], deque([1, 2])),
        (None, [1], 1), ("abc", [1], 1), (Counter("ba"), [1, 2], Counter({"b": 2, "a": 1})),
        (ChainMap({"b": 1, "a": 2}), [1, 2], ChainMap({"b": 2, "a": 1})),
        (bytearray(b"ab"), [1, 2], bytearray(b"\x01\x02")),
        (UserDict({"b": 1, "a": 2}), [1, 2], UserDict({"b": 2, "a": 1})),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_pack_sequence_as(structure: Any, leaves: Any, packed: Any) -> None:
    assert tf.nest.pack_sequence_as(structure, leaves) == packed


def test_packing_keeps_the_type_and_the_order_of_keys() -> None:
    assert list(nest.pack_sequence_as({"b": 0, "a": 0}, [1, 2])) == ["b", "a"]
    assert list(nest.pack_sequence_as(OrderedDict([("b", 0), ("a", 0)]), [1, 2]).items()) == [("b", 2), ("a", 1)]
    table = nest.pack_sequence_as(defaultdict(list, b=0, a=0), [1, 2])
    assert type(table) is defaultdict and table.default_factory is list
    for structure in (DictSubclass(a=1), ListSubclass([1]), FrozenMapping({"a": 1}), OwnSequence([1])):
        assert type(nest.pack_sequence_as(structure, [5])) is type(structure)
    assert type(nest.pack_sequence_as(SubPoint(0, 0), [1, 2])) is SubPoint


@pytest.mark.parametrize(
    ("structure", "leaves", "error", "message"),
    [
        (
            [1, (2, 3)], [4, 5], ValueError,
            "Could not pack sequence. Structure had 3 atoms, but flat_sequence had 2 items.  Structure: [1, (2, 3)], "
            "flat_sequence: [4, 5].",
        ),
        (
            [1], [4, 5], ValueError,
            "Could not pack sequence. Structure had 1 atoms, but flat_sequence had 2 items.  Structure: [1], "
            "flat_sequence: [4, 5].",
        ),
        (
            1, [4, 5], ValueError,
            "The target structure is of type `<class 'int'>`\n  1\nHowever the input is a sequence (<class 'list'>) of "
            "length 2.\n  [4, 5]\nnest cannot guarantee that it is safe to map one to the other.",
        ),
        (
            [1], 4, TypeError,
            "Attempted to pack value:\n  4\ninto a structure, but found incompatible type `<class 'int'>` instead.",
        ),
        (
            [1, 2], "ab", TypeError,
            "Attempted to pack value:\n  ab\ninto a structure, but found incompatible type `<class 'str'>` instead.",
        ),
        (
            types.MappingProxyType({"b": 1}), [1], TypeError,
            "Error creating an object of type <class 'mappingproxy'> like {'b': 1}. Note that it must accept a single "
            "positional argument representing an iterable of key-value pairs, in addition to self. Cause: "
            "mappingproxy() argument must be a mapping, not generator",
        ),
    ],
)  # fmt: skip
def test_packing_what_does_not_fit(structure: Any, leaves: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        nest.pack_sequence_as(structure, leaves)
    assert str(caught.value) == message


def test_packing_a_dict_of_leaves_looks_for_positions() -> None:
    with pytest.raises(KeyError):
        nest.pack_sequence_as([1, 2], {"b": 5, "a": 6})


def test_map_structure() -> None:
    assert tf.nest.map_structure(lambda x: x + 1, [1, (2, {"a": 3})]) == [2, (3, {"a": 4})]
    assert tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": (2,)}, OrderedDict(b=(20,), a=10)) == {
        "a": 11,
        "b": (22,),
    }
    assert tf.nest.map_structure(lambda x, y: x + y, [1, 2], (1, 2), check_types=False) == [2, 4]
    assert tf.nest.map_structure(lambda x: [x], [1, 2]) == [[1], [2]]
    assert tf.nest.map_structure(lambda x: 5, 3) == 5
    assert tf.nest.map_structure(lambda x, y: x + y, Custom(1, 2, "s"), Custom(1, 2, "t")) == Custom(2, 4, "s")


def test_map_structure_visits_leaves_in_the_order_of_flatten() -> None:
    seen: list[int] = []
    nest.map_structure(seen.append, {"b": 1, "a": [2, 3]})
    assert seen == [2, 3, 1]


def test_map_structure_refuses_bad_calls() -> None:
    with pytest.raises(ValueError, match=r"^Must provide at least one structure$"):
        nest.map_structure(lambda x: x)
    with pytest.raises(TypeError, match=r"^func must be callable, got: 3$"):
        nest.map_structure(3, [1])  # type: ignore[arg-type]
    message = "^Only valid keyword arguments are `check_types` and `expand_composites`, not: `foo`$"
    with pytest.raises(ValueError, match=message):
        nest.map_structure(lambda x: x, [1], foo=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 2], [3, 4]), (1, "a"), ({"a": 1}, OrderedDict(a=1)), ({"a": 1}, defaultdict(int, a=1)),
        (range(2), range(2)),
        ([1, 2], ListSubclass([1, 2])), (FrozenMapping({"a": 1}), {"a": 1}), (Custom(1, 2), Custom(1, 2, "n")),
        (Point(1, 2), namedtuple("Point", "x y")(1, 2)), (Plain(), Plain(2)), (1.5, np.array([1])),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_same_structures(a: Any, b: Any) -> None:
    tf.nest.assert_same_structure(a, b)


@pytest.mark.parametrize(
    ("a", "b", "error", "specifically", "structures"),
    [
        (
            [1, 2], [1], ValueError,
            "The two structures don't have the same number of elements. First structure: type=list str=[1, 2]. Second "
            "structure: type=list str=[1]",
            ("[., .]", "[.]"),
        ),
        (
            [1, 2], [1, [2]], ValueError,
            'Substructure "type=list str=[2]" is a sequence, while substructure "type=int str=2" is not',
            ("[., .]", "[., [.]]"),
        ),
        (
            [1, [2]], [[1], 2], ValueError,
            'Substructure "type=list str=[1]" is a sequence, while substructure "type=int str=1" is not',
            ("[., [.]]", "[[.], .]"),
        ),
        (
            [1], (1, 2), TypeError,
            "The two namedtuples don't have the same sequence type. First structure type=list str=[1] has type list, "
            "while second structure type=tuple str=(1, 2) has type tuple",
            ("[.]", "(., .)"),
        ),
        (
            {"a": 1}, {"a": 1, "b": 2}, ValueError,
            "The two dictionaries don't have the same set of keys. First structure has keys type=list str=['a'], while "
            "second structure has keys type=list str=['a', 'b']",
            ("{'a': .}", "{'a': ., 'b': .}"),
        ),
        (
            Point(1, 2), Pair(1, 2), TypeError,
            "The two namedtuples don't have the same sequence type. First structure type=Point str=Point(x=1, y=2) has "
            "type Point, while second structure type=Pair str=Pair(x=1, y=2) has type Pair",
            ("Point(x=., y=.)", "Pair(x=., y=.)"),
        ),
        (
            1, [1], ValueError,
            'Substructure "type=list str=[1]" is a sequence, while substructure "type=int str=1" is not',
            (".", "[.]"),
        ),
    ],
)  # fmt: skip
def test_different_structures(
    a: Any, b: Any, error: type[Exception], specifically: str, structures: tuple[str, str]
) -> None:
    with pytest.raises(error) as caught:
        tf.nest.assert_same_structure(a, b)
    assert str(caught.value) == (
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: type={type(a).__name__} str={a}\n\nSecond structure: type={type(b).__name__} str={b}\n\n"
        f"More specifically: {specifically}\n"
        f"Entire first structure:\n{structures[0]}\nEntire second structure:\n{structures[1]}"
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Point(1, 2), SubPoint(1, 2)), (Point(1, 2), TypedPoint(1, 2)), (Point(1, 2), (1, 2)),
        (Attrs(1, 2), OtherAttrs(1, 2)),
        ({"a": 1}, [1]), ([], {}), ([], ()), ({"b": 1}.values(), [1]), ([1, 2], range(2)), (deque([1]), [1]),
        (OwnSequence([1]), [1]), (Custom(1, 2), Attrs(1, 2)), ((1, 2), TupleSubclass((1, 2))),
        (Point(1, 2), namedtuple("Point", "x z")(1, 2)),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_types_differ(a: Any, b: Any) -> None:
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.assert_same_structure(a, b)
    nest.assert_same_structure(a, b, check_types=False)


def test_without_types_dicts_match_by_position() -> None:
    nest.assert_same_structure({"b": 1}, {"a": 1}, check_types=False)


def test_composites_are_leaves_unless_expanded() -> None:
    composite = Composite(1, [2])
    assert nest.flatten([composite]) == [composite]
    assert nest.flatten([composite], expand_composites=True) == [1, 2]
    assert not nest.is_nested(composite) and nest.is_nested_or_composite(composite)
    packed = nest.pack_sequence_as([composite, 0], [5, 6, 7], expand_composites=True)
    assert packed[0].parts == [5, [6]] and packed[1] == 7
    assert nest.map_structure(lambda x: x * 10, composite, expand_composites=True).parts == [10, [20]]


def test_expanded_composites_must_have_compatible_specs() -> None:
    ragged, other, sparse = Composite(1), Composite(2), Composite(1, kind="sparse")
    nest.assert_same_structure(ragged, sparse)
    nest.assert_same_structure(ragged, other, expand_composites=True)
    message = r"Incompatible CompositeTensor TypeSpecs: type=CompositeSpec str=CompositeSpec\(ragged\) vs\. type="
    with pytest.raises(ValueError, match=message):
        nest.assert_same_structure(ragged, sparse, expand_composites=True)
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        nest.assert_same_structure([ragged], [1], expand_composites=True)


structures = st.recursive(
    st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(Point, inner, inner)
    ),
    max_leaves=12,
)


@given(structures)
def test_packing_what_was_flattened_gives_it_back(structure: Any) -> None:
    assert nest.pack_sequence_as(structure, nest.flatten(structure)) == structure
    assert nest.map_structure(lambda leaf: leaf, structure) == structure
    nest.assert_same_structure(structure, structure)
