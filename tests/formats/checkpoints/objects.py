"""Checkpoints of variables, containers, modules, tables and other objects."""

from __future__ import annotations

import collections
import json
from typing import Any

from tests.formats.checkpoints.case import Cases, Objects, saved

OBJECTS = Cases()

_NUMBERS = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def _all(tf: Any, objects: Objects) -> Any:
    return objects


def _values(tf: Any, objects: Objects) -> Any:
    """Reports the variables, by the name of the object."""
    return {name: tf.identity(value) for name, value in objects.items()}


def _assigned(**values: Any) -> Any:
    def fill(tf: Any, objects: Objects) -> None:
        for name, value in values.items():
            objects[name].assign(value)

    return fill


@OBJECTS(fill=_assigned(v=[1.5, -2.0]), read=_values)
def one_variable(tf: Any) -> Objects:
    return {"v": tf.Variable(tf.zeros([2]))}


def _fill_dtypes(tf: Any, objects: Objects) -> None:
    for name in (*_NUMBERS, *_UNSIGNED):
        objects[name].assign(tf.cast([[1, 2, 3], [4, 5, 127]], name))
    for name in ("complex64", "complex128"):
        objects[name].assign(tf.constant([1 - 2j, 3.5j], name))
    objects["bool"].assign([True, False, True])


@OBJECTS(fill=_fill_dtypes, read=_values)
def dtypes(tf: Any) -> Objects:
    objects = {name: tf.Variable(tf.zeros([2, 3], name)) for name in (*_NUMBERS, *_UNSIGNED)}
    objects |= {name: tf.Variable(tf.zeros([2], name)) for name in ("complex64", "complex128")}
    return objects | {"bool": tf.Variable([False, False, False])}


_TEXTS = [b"", b"plain", b"\0\xff\n", "é日本".encode(), b"x" * 300]


@OBJECTS(fill=_assigned(v=_TEXTS, single="one", matrix=[["a", "bb"], ["", "d"]]), read=_values)
def texts(tf: Any) -> Objects:
    return {"v": tf.Variable([""] * 5), "single": tf.Variable(""), "matrix": tf.Variable([["", ""], ["", ""]])}


@OBJECTS(fill=_assigned(single=7, empty=[], deep=[[[[3.0]]]]), read=_values)
def shapes(tf: Any) -> Objects:
    return {
        "single": tf.Variable(0),
        "empty": tf.Variable(tf.zeros([0])),
        "deep": tf.Variable(tf.zeros([1, 1, 1, 1])),
        "flat": tf.Variable(tf.zeros([3, 0, 2], tf.int64)),
    }


def _fill_relaxed(tf: Any, objects: Objects) -> None:
    objects["rows"].assign([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    objects["any"].assign([1, 2, 3])


@OBJECTS(fill=_fill_relaxed, read=_values)
def relaxed_shapes(tf: Any) -> Objects:
    return {
        "rows": tf.Variable(tf.zeros([0, 2]), shape=[None, 2]),
        "any": tf.Variable(0, shape=tf.TensorShape(None)),
    }


_UNICODE = {"größe": 1, "a/b": 2, "a.b": 3, "日本": 4, " ": 5, "x" * 200: 6, ".": 7, "a//b": 8, ".S": 9, "": 10}


def _fill_names(tf: Any, objects: Objects) -> None:
    for name, number in _UNICODE.items():
        objects["parts"][name].assign(number)


@OBJECTS(fill=_fill_names, read=lambda tf, o: {name: tf.identity(o["parts"][name]) for name in _UNICODE})
def names_of_keys(tf: Any) -> Objects:
    return {"parts": {name: tf.Variable(0) for name in _UNICODE}}


@OBJECTS(fill=lambda tf, o: None, read=lambda tf, o: sorted(o))
def nothing(tf: Any) -> Objects:
    return {}


def _fill_many(tf: Any, objects: Objects) -> None:
    for index, variable in enumerate(objects["variables"]):
        variable.assign([float(index)] * (index % 4))


@OBJECTS(fill=_fill_many, read=lambda tf, o: [tf.identity(v) for v in o["variables"][::37]])
def many_variables(tf: Any) -> Objects:
    """More keys than one block of the index holds."""
    return {"variables": [tf.Variable(tf.zeros([index % 4])) for index in range(300)]}


def _fill_large(tf: Any, objects: Objects) -> None:
    objects["v"].assign(tf.reshape(tf.cast(tf.range(40_000) % 7, tf.float32), [200, 200]))


@OBJECTS(fill=_fill_large, read=lambda tf, o: [tf.reduce_sum(o["v"]), o["v"][7, :9]])
def large_variable(tf: Any) -> Objects:
    return {"v": tf.Variable(tf.zeros([200, 200]))}


Pair = collections.namedtuple("Pair", "left right")


def _containers(objects: Objects) -> list[Any]:
    parts = objects["list"]
    return [parts[0], parts[1][0], parts[2]["a"], *objects["tuple"], objects["dict"]["x"]["y"], objects["pair"].right]


def _fill_containers(tf: Any, objects: Objects) -> None:
    for index, variable in enumerate(_containers(objects)):
        variable.assign(index + 1.0)


@OBJECTS(fill=_fill_containers, read=lambda tf, o: [tf.identity(v) for v in _containers(o)])
def containers(tf: Any) -> Objects:
    def zero() -> Any:
        return tf.Variable(0.0)

    return {
        "list": [zero(), [zero()], {"a": zero()}],
        "tuple": (zero(), zero()),
        "dict": {"x": {"y": zero()}},
        "pair": Pair(zero(), zero()),
    }


def _network(tf: Any) -> Any:
    class Layer(tf.Module):
        def __init__(self, units):
            super().__init__(name="layer")
            self.w = tf.Variable(tf.zeros([2, units]), name="w")
            self.b = tf.Variable(tf.zeros([units]), name="b", trainable=False)

    network = tf.Module(name="network")
    network.layers = [Layer(2), Layer(3)]
    network.head = Layer(1)
    return network


def _fill_network(tf: Any, objects: Objects) -> None:
    for index, variable in enumerate(objects["network"].variables):
        variable.assign(tf.fill(variable.shape, float(index + 1)))


@OBJECTS(fill=_fill_network, read=lambda tf, o: [tf.identity(v) for v in o["network"].variables])
def modules(tf: Any) -> Objects:
    return {"network": _network(tf)}


def _write_root(tf: Any, objects: Objects, prefix: str) -> str:
    path: str = tf.train.Checkpoint(objects["network"]).write(prefix)
    return path


def _restore_root(tf: Any, objects: Objects, path: str) -> None:
    tf.train.Checkpoint(objects["network"]).read(path).assert_consumed()


@OBJECTS(
    fill=_fill_network,
    read=lambda tf, o: [tf.identity(v) for v in o["network"].variables],
    write=_write_root,
    restore=_restore_root,
)
def root_object(tf: Any) -> Objects:
    return {"network": _network(tf)}


def _write_root_and_more(tf: Any, objects: Objects, prefix: str) -> str:
    path: str = tf.train.Checkpoint(objects["network"], step=objects["step"]).write(prefix)
    return path


def _restore_root_and_more(tf: Any, objects: Objects, path: str) -> None:
    tf.train.Checkpoint(objects["network"], step=objects["step"]).read(path).assert_consumed()


@OBJECTS(
    fill=lambda tf, o: [_fill_network(tf, o), o["step"].assign(9)],
    read=lambda tf, o: [o["step"], *(tf.identity(v) for v in o["network"].variables)],
    write=_write_root_and_more,
    restore=_restore_root_and_more,
)
def root_object_and_attributes(tf: Any) -> Objects:
    return {"network": _network(tf), "step": tf.Variable(0, dtype=tf.int64)}


@OBJECTS(
    fill=lambda tf, o: o["a"].v.assign(4.0),
    read=lambda tf, o: [o["b"].v, o["b"].v is o["a"].v, o["a"].other.other is o["a"]],
)
def shared_and_cyclic(tf: Any) -> Objects:
    a, b = tf.Module(), tf.Module()
    a.v = b.v = tf.Variable(0.0)
    a.other, b.other = b, a
    return {"a": a, "b": b}


def _fill_nested(tf: Any, objects: Objects) -> None:
    objects["inner"].v.assign(1.0)
    objects["inner"].deeper.v.assign(2.0)


@OBJECTS(fill=_fill_nested, read=lambda tf, o: [o["inner"].v, o["inner"].deeper.v])
def nested_checkpoints(tf: Any) -> Objects:
    """`Checkpoint`s hold `save_counter`s of their own only if they were saved by themselves."""
    return {"inner": tf.train.Checkpoint(v=tf.Variable(0.0), deeper=tf.train.Checkpoint(v=tf.Variable(0.0)))}


def _insert(tf: Any, objects: Objects) -> None:
    objects["table"].insert(tf.constant(["a", "b", "c"]), tf.constant([1, 2, 3], tf.int64))


@OBJECTS(fill=_insert, read=lambda tf, o: [o["table"].lookup(tf.constant(["b", "z"])), o["table"].size()])
def mutable_table(tf: Any) -> Objects:
    return {"table": tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="words")}


def _insert_dense(tf: Any, objects: Objects) -> None:
    objects["table"].insert(tf.constant([5, 7], tf.int64), tf.constant([[1.0, 2.0], [3.0, 4.0]]))


@OBJECTS(fill=_insert_dense, read=lambda tf, o: [o["table"].lookup(tf.constant([7, 8], tf.int64)), o["table"].size()])
def dense_table(tf: Any) -> Objects:
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [-1.0, -1.0], empty_key=0, deleted_key=-1)
    return {"table": table}


@OBJECTS(fill=lambda tf, o: o["v"].assign(3), read=lambda tf, o: [o["v"], o["table"].lookup(tf.constant(["a"]))])
def static_table(tf: Any) -> Objects:
    """A table that is made from values has nothing to save."""
    initializer = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([5], tf.int64))
    return {"table": tf.lookup.StaticHashTable(initializer, -1), "v": tf.Variable(0)}


@OBJECTS(
    fill=lambda tf, o: [o["first"].normal([3]), o["second"].uniform([5]), o["second"].skip(7)],
    read=lambda tf, o: [o["first"].state, o["first"].normal([2]), o["second"].state],
)
def random_generators(tf: Any) -> Objects:
    return {"first": tf.random.Generator.from_seed(3), "second": tf.random.Generator.from_key_counter(4, [5, 6], 1)}


def _python_state(tf: Any) -> Any:
    class Settings(tf.train.experimental.PythonState):
        def __init__(self):
            self.settings: dict[str, Any] = {}

        def serialize(self):
            return json.dumps(self.settings)

        def deserialize(self, string_value):
            self.settings = json.loads(string_value)

    return Settings()


def _fill_settings(tf: Any, objects: Objects) -> None:
    objects["settings"].settings = {"rate": 0.5, "names": ["é", "b"]}


@OBJECTS(fill=_fill_settings, read=lambda tf, o: sorted(o["settings"].settings.items()))
def python_state(tf: Any) -> Objects:
    return {"settings": _python_state(tf)}


def _restore_first_three(tf: Any, objects: Objects, path: str) -> None:
    tf.train.Checkpoint(iterator=objects["iterator"]).read(path).assert_consumed()


@OBJECTS(
    fill=lambda tf, o: [next(o["iterator"]) for _ in range(3)],
    read=lambda tf, o: [next(o["iterator"]) for _ in range(2)],
    restore=_restore_first_three,
    needs="iterator",
)
def iterator(tf: Any) -> Objects:
    return {"iterator": iter(tf.data.Dataset.range(10).map(lambda x: x * x))}


@OBJECTS(
    fill=lambda tf, o: [next(o["iterator"]) for _ in range(2)],
    read=lambda tf, o: [next(o["iterator"]) for _ in range(3)],
    needs="iterator",
)
def iterator_of_shuffled(tf: Any) -> Objects:
    dataset = tf.data.Dataset.range(12).shuffle(5, seed=1).batch(2).repeat(2)
    return {"iterator": iter(dataset)}


def _write_mirrored(tf: Any, objects: Objects, prefix: str) -> str:
    with tf.distribute.MirroredStrategy(["cpu:0"]).scope():
        mirrored = tf.Variable([1.0, 2.0], name="mirrored")
    return saved(tf, {"v": mirrored}, prefix)


@OBJECTS(needs="session", fill=lambda tf, o: None, read=lambda tf, o: o["v"].numpy(), write=_write_mirrored)
def variable_of_a_strategy(tf: Any) -> Objects:
    return {"v": tf.Variable([0.0, 0.0])}


def _lazy(tf: Any) -> Any:
    class Lazy(tf.Module):
        def make(self):
            self.w = tf.Variable([0.0, 0.0])
            self.inner = tf.Module()
            self.inner.v = tf.Variable(0)

    return Lazy()


def _fill_lazy(tf: Any, objects: Objects) -> None:
    objects["lazy"].make()
    objects["lazy"].w.assign([1.0, 2.0])
    objects["lazy"].inner.v.assign(3)


def _restore_before_making(tf: Any, objects: Objects, path: str) -> None:
    status = tf.train.Checkpoint(**objects).read(path)
    objects["lazy"].make()
    status.assert_consumed()


@OBJECTS(fill=_fill_lazy, read=lambda tf, o: [o["lazy"].w, o["lazy"].inner.v], restore=_restore_before_making)
def restored_before_it_is_made(tf: Any) -> Objects:
    return {"lazy": _lazy(tf)}


def _restore_less(tf: Any, objects: Objects, path: str) -> Any:
    status = tf.train.Checkpoint(a=objects["a"], other=objects["other"]).read(path)
    raised = []
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        try:
            check()
        except AssertionError:
            raised.append(check.__name__)
    status.expect_partial()
    return raised


@OBJECTS(fill=_assigned(a=1.0, b=2.0), read=_values, restore=_restore_less)
def restored_in_part(tf: Any) -> Objects:
    return {"a": tf.Variable(0.0), "b": tf.Variable(0.0), "other": tf.Variable(-1.0)}
