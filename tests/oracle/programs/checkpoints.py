"""Checkpoints of objects: the bytes of the files, what is restored now and later, what is asserted."""

from __future__ import annotations

from typing import Any

from tests.oracle.programs._checkpoint_helpers import (
    claims,
    cycle,
    digests,
    module,
    optimizer,
    own_tensors,
    shared_module,
    state_object,
    two_slots,
    values,
)
from tests.oracle.programs._file_helpers import folder
from tests.oracle.support import Raised

STRUCTURES = {
    "scalar": lambda tf: tf.Variable(1.5),
    "vector": lambda tf: tf.Variable([1.0, 2.0], name="named"),
    "texts": lambda tf: tf.Variable(["a", "", "long" * 20]),
    "empty": lambda tf: tf.Variable(tf.zeros([0, 3])),
    "dtypes": lambda tf: [
        tf.Variable(tf.cast([1, 2], dtype)) for dtype in ("int8", "uint64", "float16", "bfloat16", "complex64", "bool")
    ],
    "module": lambda tf: module(tf, w=tf.Variable([1.0]), b=tf.Variable(2.0)),
    "nested_modules": lambda tf: module(
        tf, a=module(tf, v=tf.Variable(1.0)), b=module(tf, a=module(tf, v=tf.Variable(2.0)))
    ),
    "without_values": lambda tf: module(tf, a=tf.Module(), b=[], c={"x": 1}),
    "list": lambda tf: module(tf, parts=[tf.Variable(float(i)) for i in range(12)]),
    "tuple": lambda tf: module(tf, pair=(tf.Variable(1.0), [tf.Variable(2.0)])),
    "dict": lambda tf: module(tf, parts={"z": tf.Variable(1.0), "a": tf.Variable(2.0)}),
    "odd_names": lambda tf: module(
        tf,
        parts={
            "a/b": tf.Variable(1.0),
            "c.d": tf.Variable(2.0),
            "..": tf.Variable(3.0),
            "": tf.Variable(4.0),
            "é": tf.Variable(5.0),
        },
    ),
    "shared": shared_module,
    "cycle": cycle,
    "slots": two_slots,
    "own_tensors": own_tensors,
    "python_state": state_object,
    "generator": lambda tf: tf.random.Generator.from_seed(7),
    "function": lambda tf: module(tf, f=tf.function(lambda x: x), v=tf.Variable(1.0)),
    "static_table": lambda tf: module(
        tf, table=tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1), v=tf.Variable(1.0)
    ),
    "one_entry_table": lambda tf: tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1),
    "many": lambda tf: [tf.Variable([float(i)] * 3) for i in range(300)],
    "large": lambda tf: tf.Variable(tf.reshape(tf.range(40000.0), [200, 200])),
}


def _saved_objects(tf: Any, path: str) -> Any:
    view = tf.train.CheckpointView(path)
    reader = tf.train.load_checkpoint(path)
    shapes = reader.get_variable_to_shape_map()
    dtypes = reader.get_variable_to_dtype_map()
    return [
        [sorted(view.children(node).items()) for node in view.descendants()],
        [[key, shapes[key], dtypes[key].name] for key in sorted(shapes)],
    ]


def _files(build: Any, act: str) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            path = getattr(tf.train.Checkpoint(thing=build(tf)), act)(dir_("c"))
            return [dir_.hidden(path), digests(dir_), _saved_objects(tf, path)]

    return program


def _as_root(build: Any) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            thing = build(tf)
            path = tf.train.Checkpoint(thing, extra=tf.Variable(9.0)).save(dir_("c"))
            return [digests(dir_), _saved_objects(tf, path)]

    return program


def _changed(tf: Any, thing: Any) -> None:
    """Makes all variables zero."""
    for trackable in tf.train.TrackableView(thing).descendants():
        if isinstance(trackable, tf.Variable):
            trackable.assign(
                tf.zeros_like(trackable) if trackable.dtype != tf.string else tf.fill(trackable.shape, "?")
            )


def _restored(build: Any) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            path = tf.train.Checkpoint(thing=build(tf)).write(dir_("c"))
            fresh = build(tf)
            _changed(tf, fresh)
            status = tf.train.Checkpoint(thing=fresh).read(path)
            status.assert_consumed().assert_existing_objects_matched()
            later = tf.train.Checkpoint()
            waiting = later.read(path)
            made = build(tf)
            _changed(tf, made)
            later.thing = made
            waiting.assert_consumed()
            return [values(tf, fresh), values(tf, made), type(status).__name__]

    return program


for _name, _build in STRUCTURES.items():
    globals()[f"prog_written_{_name}"] = _files(_build, "write")
    if _name not in ("many", "large"):  # their values would fill pages; the bytes of the files say enough
        globals()[f"prog_restored_{_name}"] = _restored(_build)
for _name in ("scalar", "module", "list", "shared", "cycle", "slots", "many"):
    globals()[f"prog_saved_{_name}"] = _files(STRUCTURES[_name], "save")
for _name in ("scalar", "module", "nested_modules", "shared", "cycle", "slots", "own_tensors"):
    globals()[f"prog_as_root_{_name}"] = _as_root(STRUCTURES[_name])


# --- programs that differ from what was saved ---------------------------------------------------------------------


def _v(tf: Any, value: Any = 0.0, **options: Any) -> Any:
    return tf.Variable(value, **options)


PAIRS = {
    "nothing": (lambda tf: {"v": _v(tf)}, lambda tf: {}),
    "other_name": (lambda tf: {"v": _v(tf)}, lambda tf: {"w": _v(tf)}),
    "more": (lambda tf: {"v": _v(tf, 1.0)}, lambda tf: {"v": _v(tf), "w": _v(tf)}),
    "fewer": (lambda tf: {"v": _v(tf, 1.0), "w": _v(tf)}, lambda tf: {"v": _v(tf)}),
    "many_more": (lambda tf: {"v": _v(tf)}, lambda tf: {"l": [_v(tf) for _ in range(14)]}),
    "more_modules": (
        lambda tf: {"v": _v(tf)},
        lambda tf: {"v": _v(tf), "m": tf.Module(), "l": [tf.Module()], "d": {"x": 1}},
    ),
    "module_for_variable": (lambda tf: {"v": _v(tf)}, lambda tf: {"v": tf.Module()}),
    "variable_for_module": (lambda tf: {"v": tf.Module()}, lambda tf: {"v": _v(tf)}),
    "longer_list": (lambda tf: {"l": [_v(tf)]}, lambda tf: {"l": [_v(tf), _v(tf)]}),
    "shorter_list": (lambda tf: {"l": [_v(tf), _v(tf)]}, lambda tf: {"l": [_v(tf)]}),
    "list_for_dict": (lambda tf: {"l": {"0": _v(tf)}}, lambda tf: {"l": [_v(tf)]}),
    "two_for_one": (lambda tf: (lambda v: {"a": v, "b": v})(_v(tf, 3.0)), lambda tf: {"a": _v(tf), "b": _v(tf)}),
    "one_for_two": (lambda tf: {"a": _v(tf, 1.0), "b": _v(tf, 2.0)}, lambda tf: (lambda v: {"a": v, "b": v})(_v(tf))),
    "wrong_shape": (lambda tf: {"v": _v(tf, [1.0, 2.0])}, lambda tf: {"v": _v(tf, [0.0])}),
    "wrong_rank": (lambda tf: {"v": _v(tf, [1.0])}, lambda tf: {"v": _v(tf, 0.0)}),
    "wrong_dtype": (lambda tf: {"v": _v(tf, 1)}, lambda tf: {"v": _v(tf, 0.0)}),
    "unknown_shape": (lambda tf: {"v": _v(tf, [1.0, 2.0])}, lambda tf: {"v": _v(tf, 0.0, shape=tf.TensorShape(None))}),
    "table_for_variable": (
        lambda tf: {"v": _v(tf)},
        lambda tf: {"v": tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)},
    ),
    "fewer_tensors": (lambda tf: {"o": own_tensors(tf)}, lambda tf: {"o": _named(tf, "b")}),
    "more_tensors": (lambda tf: {"o": own_tensors(tf)}, lambda tf: {"o": _named(tf, "b", "c")}),
    "no_optimizer": (lambda tf: {"m": two_slots(tf)}, lambda tf: {"m": module(tf, w=_v(tf, [0.0, 0.0]), b=_v(tf))}),
    "no_slots": (
        lambda tf: {"m": two_slots(tf)},
        lambda tf: {"m": module(tf, w=_v(tf, [0.0, 0.0]), b=_v(tf), optimizer=optimizer(tf, []))},
    ),
    "no_counter": (lambda tf: {"v": _v(tf, 1.0)}, lambda tf: {"v": _v(tf), "save_counter_": _v(tf)}),
}


def _named(tf: Any, *names: str) -> Any:
    made = own_tensors(tf)
    made.values = {name: tf.constant([0, 0]) for name in names}
    return made


def _differing(saved: Any, made: Any, act: str) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            path = tf.train.Checkpoint(**saved(tf)).write(dir_("c"))
            objects = made(tf)
            try:
                status = getattr(tf.train.Checkpoint(**objects), act)(path)
            except Exception as error:
                return [Raised(error, words=4), _values_of(tf, objects)]
            return [claims(status), _values_of(tf, objects)]

    return program


def _values_of(tf: Any, objects: Any) -> Any:
    return values(tf, module(tf, **objects))


for _name, (_saved, _made) in PAIRS.items():
    globals()[f"prog_claims_{_name}"] = _differing(_saved, _made, "read")
for _name in ("nothing", "more", "no_counter"):
    globals()[f"prog_claims_of_restore_{_name}"] = _differing(*PAIRS[_name], "restore")
