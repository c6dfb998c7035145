"""`match` statements do what Python does: on Python values exactly, on tensors as on their values."""

from __future__ import annotations

import collections
import enum
import itertools
import linecache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.autograph.modes import assert_same_value


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __repr__(self) -> str:
        return f"Point({self.x}, {self.y})"


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Named:
    ONE = 1
    KEY = "k"


class NotATuple:
    __match_args__ = ["x"]  # wrong on purpose


class NotText:
    __match_args__ = (1,)


class Own(collections.abc.Sequence):
    """A sequence that is neither list nor tuple, and counts how it is used."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]


class OwnMapping(dict[str, Any]):
    def __missing__(self, key: str) -> Any:
        raise AssertionError("a mapping pattern must use get")


NAMES = {
    "Point": Point,
    "Color": Color,
    "Named": Named,
    "NotATuple": NotATuple,
    "NotText": NotText,
    "number": 3,
    "tf": tf,
}
_files = itertools.count()


def function_of(source: str) -> Any:
    """The function `f` that a source defines, with its source on record."""
    file = f"<match {next(_files)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "user_module", **NAMES}
    exec(compile(source, file, "exec"), names)
    return names["f"]


def outcome(function: Any, *args: Any) -> Any:
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error), str(error)


def in_graph(function: Any) -> Any:
    """The converted function, called while a graph is built."""
    converted = tf.autograph.to_graph(function)

    def call(*args: Any) -> Any:
        with tf.Graph().as_default():
            return converted(*args)

    return call


# --- random patterns ------------------------------------------------------------------------------------------------

LITERALS = ["0", "1", "-1", "2", "1.5", "'a'", "'ab'", "b'a'", "None", "True", "False", "Named.ONE", "Color.RED"]
CLASSES = ["int()", "str()", "list()", "tuple()", "dict()", "float()", "bool()", "int(1)", "str('a')", "Point()"]


class Names:
    """Gives the names that a pattern binds; a name is bound once."""

    def __init__(self) -> None:
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"v{self.count}"


@st.composite
def patterns(draw: Any, names: Names | None = None, depth: int = 2, refutable: bool = False) -> str:
    """The text of a pattern; names are bound if `names` is given."""
    names = names or Names()
    kinds = ["literal", "class"] if refutable else ["literal", "class", "capture", "wildcard", "as"]
    if depth:
        kinds += ["sequence", "star", "mapping", "point", "or", "or names"]
    kind = draw(st.sampled_from(kinds))

    def inner(refutable: bool = False) -> str:
        return draw(patterns(names, depth - 1, refutable))

    if kind == "literal":
        return draw(st.sampled_from(LITERALS))
    if kind == "class":
        return draw(st.sampled_from(CLASSES))
    if kind == "capture":
        return names.new()
    if kind == "wildcard":
        return "_"
    if kind == "as":
        return f"({draw(patterns(names, 0, True))} as {names.new()})"
    if kind == "sequence":
        return "[" + ", ".join(inner() for _ in range(draw(st.integers(0, 3)))) + "]"
    if kind == "star":
        parts = [inner() for _ in range(draw(st.integers(0, 2)))]
        parts.insert(draw(st.integers(0, len(parts))), draw(st.sampled_from(["*_", f"*{names.new()}"])))
        return "[" + ", ".join(parts) + "]"
    if kind == "mapping":
        keys = draw(st.lists(st.sampled_from(["'a'", "'b'", "1", "Named.KEY"]), unique=True, max_size=2))
        parts = [f"{key}: {inner()}" for key in keys]
        return "{" + ", ".join([*parts, *draw(st.sampled_from([[], [f"**{names.new()}"]]))]) + "}"
    if kind == "point":
        forms = [f"Point({inner()})", f"Point({inner()}, {inner()})", f"Point({inner()}, y={inner()})"]
        return draw(st.sampled_from([*forms, f"Point(y={inner()}, z={inner()})", f"int({inner()})"]))
    if kind == "or":
        parts = [draw(_without_names(depth - 1)) for _ in range(draw(st.integers(2, 3)))]
        return "(" + " | ".join(parts) + ")"
    name = names.new()
    parts = [f"[{name}, {draw(st.sampled_from(LITERALS))}]", f"Point({name}, _)", f"{{'a': {name}}}", f"[_, *{name}]"]
    return "(" + " | ".join(draw(st.permutations(parts))[: draw(st.integers(2, 4))]) + ")"


@st.composite
def _without_names(draw: Any, depth: int) -> str:
    literal = draw(st.sampled_from([*LITERALS, *CLASSES]))
    if not depth:
        return literal
    return draw(
        st.sampled_from([literal, f"[{literal}, _]", f"[{literal}, *_]", f"{{'a': {literal}}}", f"Point({literal})"])
    )


@st.composite
def functions(draw: Any) -> str:
    """The source of a function with a `match` statement that tells which case ran, and all that is bound."""
    lines = ["def f(s):", "    log = []", "    match s:"]
    for case in range(draw(st.integers(1, 4))):
        names = Names()
        pattern = draw(patterns(names, refutable=True))
        guard = ""
        if draw(st.booleans()):
            test = draw(st.sampled_from(["True", "False", "s", "v1 == 1"]))
            guard = f" if log.append(({case}, shown(locals()))) or {test}"
        lines.append(f"        case {pattern}{guard}:")
        ends = ["pass", f"return ({case}, log, shown(locals()))", f"log.append({case})"]
        lines.append(f"            {draw(st.sampled_from(ends))}")
    return "\n".join([*lines, "    return log, shown(locals())", ""])


def shown(variables: dict[str, Any]) -> Any:
    """What patterns bound, sorted; the variables of conversion are left out."""
    return sorted((name, repr(value)) for name, value in variables.items() if name[0] == "v")


NAMES["shown"] = shown

atoms: Any = st.sampled_from([0, 1, -1, 2, 1.5, "a", "ab", b"a", None, True, False, Color.RED, bytearray(b"a")])
subjects: Any = st.recursive(
    atoms,
    lambda part: st.one_of(
        st.lists(part, max_size=3),
        st.lists(part, max_size=3).map(tuple),
        st.lists(part, max_size=3).map(lambda items: Own(*items)),
        st.dictionaries(st.sampled_from(["a", "b", "k", 1]), part, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b"]), part, max_size=2).map(OwnMapping),
        st.builds(Point, part, part),
        st.sets(st.integers(0, 2)),
    ),
    max_leaves=5,
)


@given(functions(), st.lists(subjects, min_size=1, max_size=4))
def test_a_random_match_does_what_python_does(source: str, given_subjects: Any) -> None:
    plain = function_of(source)
    for call in (tf.autograph.to_graph(plain), in_graph(plain)):
        for subject in given_subjects:
            assert outcome(call, subject) == outcome(plain, subject), source


# --- by hand --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "subject"),
    [
        ("number()", 3),  # no class
        ("NotATuple(1)", NotATuple()),
        ("NotText(1)", NotText()),
        ("Point(1, 2, 3)", Point(1, 2)),
        ("int(1, 2)", 1),
        ("Named(1)", Named()),
        ("Point(1, x=1)", Point(1, 2)),
        ("{'k': 1, Named.KEY: 2}", {"k": 1, "b": 2}),
        ("Missing.name", 1),
        ("Missing()", 1),
        ("{Missing.name: 1}", {1: 1}),
        ("[1, 2]", range(1, 3)),
        ("[1, *_, 2]", collections.deque([1, 5, 2])),
        ("[0, *_]", range(10**12)),
        ("['a', 'b']", "ab"),
        ("[97]", b"a"),
        ("[1, 2]", {1, 2}),
        ("{}", {"a": 1}),
        ("{'a': 1, **rest}", collections.defaultdict(int, a=1, b=2)),
        ("1", True),
        ("True", 1),
        ("-1.0 | 2+3j", 2 + 3j),
    ],
)
def test_errors_and_kinds_are_those_of_python(pattern: str, subject: Any) -> None:
    plain = function_of(f"def f(s):\n    match s:\n        case {pattern}:\n            return 1\n    return 2\n")
    assert outcome(tf.autograph.to_graph(plain), subject) == outcome(plain, subject)
    assert outcome(in_graph(plain), subject) == outcome(plain, subject)


def test_the_subject_is_evaluated_once_and_patterns_in_order() -> None:
    seen: list[str] = []

    class Watched:
        def __eq__(self, other: object) -> bool:
            seen.append(f"== {other}")
            return other == 3

        __hash__ = None  # type: ignore[assignment]  # never used

    def subject():
        seen.append("subject")
        return (Watched(), Watched())

    def f():
        match subject():
            case (1, 2):
                return 1
            case (3, 2):
                return 2
            case (3, 3 | 4):
                return 3
        return 4

    assert f() == 3
    expected = list(seen)
    seen.clear()
    assert tf.autograph.to_graph(f)() == 3
    assert seen == expected


# --- tensors --------------------------------------------------------------------------------------------------------


def _values(x):
    match x:
        case 1 | 2:
            return x * 10
        case 3:
            y = 5
        case v if v > 5:
            y = v * 2
        case _:
            y = x * 0
    return y


def _pairs(x):
    match (x, x + 1):
        case (1, b):
            return b
        case (a, 4) if a > 3:
            return a * 100
        case (a, 4 | 5 as b):
            return a * 10 + b
        case [a, *rest]:
            return a + rest[0] * 1000


def _alternatives_with_names(x):
    match (x, x - 1):
        case (1, a) | (a, 1):
            return a
        case (a, b):
            return a * 7 + b


def _mappings(x):
    match {"k": x, "z": x * 2, "w": 3}:
        case {"k": 1, "z": b}:
            return b
        case {"k": a, **rest}:
            return a * len(rest) + rest["z"]


def _objects(x):
    match Point(x, x + 1):
        case Point(1, b):
            r = b
        case Point(a, y=4) if a > 1:
            r = a * 100
        case Point(x=a) | Point(y=a):
            r = a
    return r


def _guards_with_values(x):
    match (x, 3):
        case (2, k) if k + x > 9:
            return x
        case (2 | 3, k) if k + x > 5:
            return x * k
        case (k, 3):
            return -k


def _in_loops(x):
    total = 0
    for k in range(x):
        match k:
            case 0:
                continue
            case 2:
                total += 100
            case 4:
                break
            case n if n % 2 == 1:
                total += n
        total += 1
    while total < x:
        match total:
            case 3:
                return total
        total += 1
    return total


def _inside_with_and_try(x):
    with tf.name_scope("a"):
        match x:
            case 1:
                return x * 5
            case 2:
                try:
                    match x + 1:
                        case 3:
                            return x * 50
                finally:
                    x = x + 1
    return x


def _other_kinds(x):
    match x:
        case "a":
            return 1
        case 1.5:
            return 2
        case None | True:
            return 3
        case int() | str():
            return 4
        case {"a": 1} | [1, 2]:
            return 5
    return 6


class _Private:
    __least = 2

    def match(self, x):
        match (x, 5):
            case [__a, __b] if __a > self.__least:
                return __a * __b
        return __a + __b


def _private_names(x):
    return _Private().match(x)


@pytest.mark.parametrize(
    "function",
    [
        _private_names,
        _values,
        _pairs,
        _alternatives_with_names,
        _mappings,
        _objects,
        _guards_with_values,
        _in_loops,
        _inside_with_and_try,
        _other_kinds,
    ],
)
@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_a_tensor_matches_as_its_value(function: Any, jit_compile: bool) -> None:
    converted = tf.function(function, jit_compile=jit_compile)
    for value in (-1, 1, 2, 3, 4, 5, 8):
        assert_same_value(function(np.int32(value)), converted(tf.constant(value)))


def test_a_tensor_is_no_sequence_like_an_array() -> None:
    @tf.function
    def f(x):
        match x:
            case [a, b]:
                return a * 10 + b
            case [a, *_, b]:
                return a * 100 + b
            case tf.Tensor(shape=shape):
                return tf.constant(shape.rank)

    assert [f(tf.constant(x)).numpy() for x in ([1, 2], [1, 2, 3], 7)] == [1, 1, 0]


def test_a_class_pattern_asks_for_the_class_of_the_tensor() -> None:
    @tf.function
    def f(x):
        match x:
            case int() | float():
                return 1
            case tf.Tensor(dtype=tf.float32):
                return 2
            case tf.Tensor():
                return 3

    assert [f(x).numpy() for x in (1, tf.constant(1.0), tf.constant(1))] == [1, 2, 3]


def test_a_vector_does_not_equal_a_value() -> None:
    @tf.function
    def f(x):
        match x:
            case 1:
                return x

    with pytest.raises(ValueError, match=r"condition of case expected to be `tf.bool` scalar"):
        f(tf.constant([1, 2]))
