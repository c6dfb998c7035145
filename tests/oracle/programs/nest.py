"""tf.nest: which containers are structures, their order, and the errors when two structures differ."""

# ruff: noqa: B033 (programs write what users write)
from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple

from tests.oracle.support import attempt

Point = namedtuple("Point", ["x", "y"])


def prog_flatten_containers(tf, np):
    """Lists, tuples, dicts, namedtuples flatten; arrays, strings and sets do not."""
    structures = [[1, [2, 3]], (1, (2,)), {"b": 1, "a": 2}, Point(1, [2]), [], (), {}, 5, "abc", None, [None, [None]], np.ones(2), {1, 1}, range(3)]
    return [tf.nest.flatten(s) for s in structures]


def prog_flatten_dict_order(tf, np):
    """Dicts flatten in sorted key order whatever their own order."""
    return [tf.nest.flatten({"c": 1, "a": 2, "b": 3}), tf.nest.flatten(OrderedDict([("z", 1), ("a", 2)])), tf.nest.flatten({2: "two", 1: "one"}), attempt(lambda: tf.nest.flatten({"a": 1, 2: 2}))]


def prog_flatten_tensors_and_specs(tf, np):
    """Tensors, specs and shapes are leaves."""
    values = [tf.constant([1, 2]), {"s": tf.TensorSpec([1], tf.int32), "t": tf.TensorShape([1])}, tf.Variable(1.0)]
    return tf.nest.flatten(values)


def prog_is_nested(tf, np):
    """is_nested of many kinds."""
    values = [[], (), {}, Point(1, 2), "a", 1, None, np.ones(1), tf.constant([1]), {1}, range(2), OrderedDict(), defaultdict(list), b"x", iter([])]
    return [tf.nest.is_nested(v) for v in values]


def prog_map_structure(tf, np):
    """Functions apply leaf by leaf and keep the containers."""
    return [
        tf.nest.map_structure(lambda v: v + 1, [1, (2, {"a": 3})]),
        tf.nest.map_structure(lambda a, b: a * b, {"x": 1, "y": [2, 3]}, {"x": 10, "y": [20, 30]}),
        tf.nest.map_structure(lambda v: v, Point(1, [2])),
        tf.nest.map_structure(lambda v: (v, v), [1, 2]),
        tf.nest.map_structure(str, OrderedDict([("b", 1), ("a", 2)])),
        tf.nest.map_structure(len, "abc"),
        tf.nest.map_structure(lambda v: v, []),
    ]


def prog_map_structure_errors(tf, np):
    """Different structures, no structures, non-callables."""
    return [
        attempt(lambda: tf.nest.map_structure(lambda a, b: a, [1], [1, 2])),
        attempt(lambda: tf.nest.map_structure(lambda a, b: a, [1], (1,))),
        attempt(lambda: tf.nest.map_structure(lambda a, b: a, {"a": 1}, {"b": 1})),
        attempt(lambda: tf.nest.map_structure(lambda: 1)),
        attempt(lambda: tf.nest.map_structure(3, [1])),
        attempt(lambda: tf.nest.map_structure(lambda a: a, [1], bad=1)),
        attempt(lambda: tf.nest.map_structure(lambda a, b: a, [1], [[1]])),
    ]


def prog_map_structure_check_types(tf, np):
    """check_types=False lets list match tuple."""
    return [tf.nest.map_structure(lambda a, b: a + b, [1, 2], (3, 4), check_types=False), tf.nest.map_structure(lambda a, b: a + b, (1, [2]), [3, (4,)], check_types=False)]


def prog_pack_sequence_as(tf, np):
    """Flat values take the form of a structure."""
    return [
        tf.nest.pack_sequence_as([1, (2, {"b": 3, "a": 4})], ["p", "q", "r", "s"]),
        tf.nest.pack_sequence_as(5, [7]),
        tf.nest.pack_sequence_as(Point(0, [0, 0]), [1, 2, 3]),
        tf.nest.pack_sequence_as({"z": 0, "a": 0}, [1, 2]),
        tf.nest.pack_sequence_as(OrderedDict([("z", 0), ("a", 0)]), [1, 2]),
        tf.nest.pack_sequence_as([], []),
        tf.nest.pack_sequence_as((), []),
    ]


def prog_pack_sequence_as_errors(tf, np):
    """Too many, too few, not a sequence."""
    return [
        attempt(lambda: tf.nest.pack_sequence_as([1, 2], [1])),
        attempt(lambda: tf.nest.pack_sequence_as([1], [1, 2])),
        attempt(lambda: tf.nest.pack_sequence_as(1, [1, 2])),
        attempt(lambda: tf.nest.pack_sequence_as([1], 5)),
        attempt(lambda: tf.nest.pack_sequence_as([1, [2]], [1])),
    ]


def prog_assert_same_structure_passes(tf, np):
    """Pairs that are the same structure."""
    pairs = [([1, 2], ["a", "b"]), ({"a": 1}, {"a": [] if False else 2}), (Point(1, 2), Point(3, 4)), (1, "x"), ([], []), ({"b": 1, "a": 2}, OrderedDict([("a", 1), ("b", 2)]))]
    return [attempt(lambda a=a, b=b: tf.nest.assert_same_structure(a, b)) for a, b in pairs]


def prog_assert_same_structure_fails(tf, np):
    """Pairs that are not, with the words of the complaint."""
    other = namedtuple("Other", ["x", "y"])
    pairs = [([1], [1, 2]), ([1], (1,)), ([1], 1), ({"a": 1}, {"b": 1}), (Point(1, 2), (1, 2)), (Point(1, 2), other(1, 2)), ([[1]], [1]), ({"a": [1]}, {"a": 1})]
    return [attempt(lambda a=a, b=b: tf.nest.assert_same_structure(a, b), words=10) for a, b in pairs]


def prog_same_name_namedtuples(tf, np):
    """Two namedtuples with the same name and fields count as the same type."""
    a, b = namedtuple("P", ["x"]), namedtuple("P", ["x"])
    return [attempt(lambda: tf.nest.assert_same_structure(a(1), b(2))), tf.nest.map_structure(lambda x, y: x + y, a(1), b(2))]


def prog_assert_same_structure_loose(tf, np):
    """check_types=False ignores container types."""
    pairs = [([1], (1,)), ([1, (2,)], ([1], [2])), (Point(1, 2), (1, 2)), ([1], {"a": 1})]
    return [attempt(lambda a=a, b=b: tf.nest.assert_same_structure(a, b, check_types=False), words=6) for a, b in pairs]


def prog_expand_composites(tf, np):
    """IndexedSlices are leaves unless composites are expanded."""
    s = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([3]))
    return [len(tf.nest.flatten([s])), tf.nest.flatten([s], expand_composites=True), tf.nest.map_structure(lambda t: t * 2, s, expand_composites=True), tf.nest.is_nested(s)]


def prog_defaultdict_and_subclass(tf, np):
    """Mapping subclasses are rebuilt as their own type."""
    d = defaultdict(int, {"b": 1, "a": 2})
    packed = tf.nest.pack_sequence_as(d, [10, 20])
    return [packed, type(packed).__name__, packed["missing"], tf.nest.flatten(d)]


def prog_list_subclass(tf, np):
    """Subclasses of list and tuple."""

    class MyList(list):
        pass

    class MyTuple(tuple):
        pass

    mapped = [tf.nest.map_structure(lambda v: v * 2, MyList([1, 2])), tf.nest.map_structure(lambda v: v * 2, MyTuple((1, 2)))]
    return [type(m).__name__ for m in mapped] + [list(m) for m in mapped]


def prog_mixed_deep_structure(tf, np):
    """A deep mixture flattens and packs back to itself."""
    deep = {"a": [1, (2, Point(3, {"z": 4, "y": 5}))], "b": ({}, [], 6)}
    flat = tf.nest.flatten(deep)
    return [flat, tf.nest.pack_sequence_as(deep, flat), tf.nest.pack_sequence_as(deep, [v * 10 for v in flat])]


def prog_functions_return_structures(tf, np):
    """tf.function gives back lists, tuples, dicts, namedtuples and None."""

    @tf.function(autograph=False)
    def f(x):
        return {"list": [x, x + 1], "tuple": (x,), "point": Point(x, None), "none": None, "number": 3, "empty": []}

    return f(tf.constant(1))


def prog_ops_accept_structures(tf, np):
    """cond and while_loop keep structures of their results."""
    c = tf.cond(tf.constant(True), lambda: {"a": tf.constant(1), "b": [tf.constant(2)]}, lambda: {"a": tf.constant(3), "b": [tf.constant(4)]})
    w = tf.while_loop(lambda p: p.x < 3, lambda p: [Point(p.x + 1, p.y * 2)], [Point(tf.constant(0), tf.constant(1))])
    return [c, w]


def prog_flatten_attrs_free_object(tf, np):
    """Plain objects are leaves."""

    class Thing:
        def __init__(self):
            self.a = [1, 2]

    t = Thing()
    return [tf.nest.flatten([t, 1])[0] is t, len(tf.nest.flatten(t)), tf.nest.is_nested(t)]


def prog_flatten_dataclass(tf, np):
    """Plain dataclasses are leaves."""
    import dataclasses

    @dataclasses.dataclass
    class Pair:
        a: int
        b: int

    return [len(tf.nest.flatten(Pair(1, 2))), tf.nest.is_nested(Pair(1, 2))]
