"""Checkpoints of objects: the bytes of the files, what is restored now and later, what is asserted, folders of checkpoints."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from tests.oracle.programs._file_helpers import folder
from tests.oracle.support import Raised


def _module(tf: Any, **children: Any) -> Any:
    made = tf.Module()
    for name, child in children.items():
        setattr(made, name, child)
    return made


def _optimizer(tf: Any, variables: Any) -> Any:
    """An object that keeps slot variables for variables, as optimizers of TensorFlow 1 do."""

    class Optimizer(tf.__internal__.tracking.AutoTrackable):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def __init__(self) -> None:
            self.slots = {
                (variable.ref(), name): tf.Variable(variable * 2.0, name=f"{variable.name[:-2]}/{name}")
                for variable in variables
                for name in ("m", "v")
            }

        def get_slot_names(self) -> Any:
            return ["v", "m"]

        def get_slot(self, variable: Any, name: str) -> Any:
            return self.slots.get((variable.ref(), name))

        def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
            slot = self.slots.setdefault((variable.ref(), slot_name), tf.Variable(variable * 0.0))
            slot_variable_position.restore(slot)

    return Optimizer()


def _two_slots(tf: Any) -> Any:
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(3.0, name="b")
    return _module(tf, w=w, b=b, optimizer=_optimizer(tf, [b, w]))


def _own_tensors(tf: Any) -> Any:
    class Own(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.values = {"b": tf.constant([1, 2]), "a_x": tf.constant("text")}

        def _serialize_to_tensors(self) -> Any:
            return self.values

        def _restore_from_tensors(self, restored_tensors: Any) -> None:
            self.values = dict(restored_tensors)

    return Own()


def _state(tf: Any) -> Any:
    class State(tf.train.experimental.PythonState):
        def serialize(self) -> Any:
            return "state"

        def deserialize(self, string_value: Any) -> None:
            self.seen = string_value

    return State()


def _cycle(tf: Any) -> Any:
    made = _module(tf, v=tf.Variable(1.0))
    made.itself, made.child = made, _module(tf, parent=made, w=tf.Variable(2.0))
    return made


def _shared(tf: Any) -> Any:
    v = tf.Variable(1.0)
    return _module(tf, a=v, b=[v, {"c": v}], d=tf.Variable(2.0))


STRUCTURES = {
    "scalar": lambda tf: tf.Variable(1.5),
    "vector": lambda tf: tf.Variable([1.0, 2.0], name="named"),
    "texts": lambda tf: tf.Variable(["a", "", "long" * 20]),
    "empty": lambda tf: tf.Variable(tf.zeros([0, 3])),
    "dtypes": lambda tf: [
        tf.Variable(tf.cast([1, 2], dtype)) for dtype in ("int8", "uint64", "float16", "bfloat16", "complex64", "bool")
    ],
    "module": lambda tf: _module(tf, w=tf.Variable([1.0]), b=tf.Variable(2.0)),
    "nested_modules": lambda tf: _module(
        tf, a=_module(tf, v=tf.Variable(1.0)), b=_module(tf, a=_module(tf, v=tf.Variable(2.0)))
    ),
    "without_values": lambda tf: _module(tf, a=tf.Module(), b=[], c={"x": 1}),
    "list": lambda tf: _module(tf, parts=[tf.Variable(float(i)) for i in range(12)]),
    "tuple": lambda tf: _module(tf, pair=(tf.Variable(1.0), [tf.Variable(2.0)])),
    "dict": lambda tf: _module(tf, parts={"z": tf.Variable(1.0), "a": tf.Variable(2.0)}),
    "odd_names": lambda tf: _module(
        tf,
        parts={
            "a/b": tf.Variable(1.0),
            "c.d": tf.Variable(2.0),
            "..": tf.Variable(3.0),
            "": tf.Variable(4.0),
            "é": tf.Variable(5.0),
        },
    ),
    "shared": _shared,
    "cycle": _cycle,
    "slots": _two_slots,
    "own_tensors": _own_tensors,
    "python_state": _state,
    "generator": lambda tf: tf.random.Generator.from_seed(7),
    "function": lambda tf: _module(tf, f=tf.function(lambda x: x), v=tf.Variable(1.0)),
    "static_table": lambda tf: _module(
        tf, table=tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1), v=tf.Variable(1.0)
    ),
    "one_entry_table": lambda tf: tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1),
    "many": lambda tf: [tf.Variable([float(i)] * 3) for i in range(300)],
    "large": lambda tf: tf.Variable(tf.reshape(tf.range(40000.0), [200, 200])),
}


def _digests(dir_: Any) -> Any:
    """The files that were written: names, sizes, checksums."""
    found = []
    for name in sorted(os.listdir(dir_.path)):
        if name.startswith("c"):
            data = dir_.read(name)
            found.append([name, len(data), hashlib.sha256(data).hexdigest()])
    return found


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
            return [dir_.hidden(path), _digests(dir_), _saved_objects(tf, path)]

    return program


def _as_root(build: Any) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            thing = build(tf)
            path = tf.train.Checkpoint(thing, extra=tf.Variable(9.0)).save(dir_("c"))
            return [_digests(dir_), _saved_objects(tf, path)]

    return program


def _changed(tf: Any, thing: Any) -> None:
    """Makes all variables zero."""
    for trackable in tf.train.TrackableView(thing).descendants():
        if isinstance(trackable, tf.Variable):
            trackable.assign(
                tf.zeros_like(trackable) if trackable.dtype != tf.string else tf.fill(trackable.shape, "?")
            )


def _values(tf: Any, thing: Any) -> Any:
    return [
        trackable.read_value()
        for trackable in tf.train.TrackableView(thing).descendants()
        if isinstance(trackable, tf.Variable)
    ]


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
            return [_values(tf, fresh), _values(tf, made), type(status).__name__]

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
    "fewer_tensors": (lambda tf: {"o": _own_tensors(tf)}, lambda tf: {"o": _named(tf, "b")}),
    "more_tensors": (lambda tf: {"o": _own_tensors(tf)}, lambda tf: {"o": _named(tf, "b", "c")}),
    "no_optimizer": (lambda tf: {"m": _two_slots(tf)}, lambda tf: {"m": _module(tf, w=_v(tf, [0.0, 0.0]), b=_v(tf))}),
    "no_slots": (
        lambda tf: {"m": _two_slots(tf)},
        lambda tf: {"m": _module(tf, w=_v(tf, [0.0, 0.0]), b=_v(tf), optimizer=_optimizer(tf, []))},
    ),
    "no_counter": (lambda tf: {"v": _v(tf, 1.0)}, lambda tf: {"v": _v(tf), "save_counter_": _v(tf)}),
}


def _named(tf: Any, *names: str) -> Any:
    made = _own_tensors(tf)
    made.values = {name: tf.constant([0, 0]) for name in names}
    return made


def _claims(status: Any) -> Any:
    found = []
    for claim in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match", "expect_partial"):
        try:
            found.append([claim, getattr(status, claim)() is status])
        except AssertionError as error:
            found.append([claim, Raised(error, words=7)])
    return found


def _differing(saved: Any, made: Any, act: str) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            path = tf.train.Checkpoint(**saved(tf)).write(dir_("c"))
            objects = made(tf)
            try:
                status = getattr(tf.train.Checkpoint(**objects), act)(path)
            except Exception as error:
                return [Raised(error, words=4), _values_of(tf, objects)]
            return [_claims(status), _values_of(tf, objects)]

    return program


def _values_of(tf: Any, objects: Any) -> Any:
    return _values(tf, _module(tf, **objects))


for _name, (_saved, _made) in PAIRS.items():
    globals()[f"prog_claims_{_name}"] = _differing(_saved, _made, "read")
for _name in ("nothing", "more", "no_counter"):
    globals()[f"prog_claims_of_restore_{_name}"] = _differing(*PAIRS[_name], "restore")


# --- calls ----------------------------------------------------------------------------------------------------------


def _attempt(call: Any, words: int = 6) -> Any:
    try:
        return call()
    except Exception as error:
        return Raised(error, words)


def prog_prefixes(tf: Any, np: Any) -> Any:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with folder() as dir_:
        prefixes = [
            dir_("c"),
            dir_("new/deep/c"),
            dir_("c").encode(),
            tf.constant(dir_("t")),
            __import__("pathlib").Path(dir_("p")),
        ]
        return [
            [dir_.hidden(checkpoint.write(prefix)) for prefix in prefixes],
            _attempt(lambda: checkpoint.write(None), 3),
        ]


def prog_what_can_be_tracked(tf: Any, np: Any) -> Any:
    def make(**objects: Any) -> Any:
        return _attempt(lambda: sorted(tf.train.Checkpoint(**objects)._trackable_children()), 8)

    return [make(x=x) for x in (3, "a", None, 1.5, [1], {"a": 1}, (1, 2), tf.constant(1), tf.Module(), tf.Variable(1))]


def prog_roots(tf: Any, np: Any) -> Any:
    root = _module(tf, v=tf.Variable(1.0))
    return [
        _attempt(lambda: list(tf.train.Checkpoint(root)._trackable_children())),
        _attempt(lambda: list(tf.train.Checkpoint(root, v=root.v)._trackable_children())),
        _attempt(lambda: tf.train.Checkpoint(root, v=tf.Variable(2.0)), 9),
        _attempt(lambda: tf.train.Checkpoint([tf.Variable(1.0)]), 8),
        _attempt(lambda: tf.train.Checkpoint(3), 8),
    ]


def prog_counter(tf: Any, np: Any) -> Any:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with folder() as dir_:
        found = [dir_.hidden(checkpoint.save(dir_("c"))) for _ in range(3)]
        checkpoint.restore(dir_("c-2"))
        found.append(dir_.hidden(checkpoint.save(dir_("c"))))
        counter = checkpoint.save_counter
        return [
            found,
            counter.read_value(),
            counter.dtype,
            counter.trainable,
            dir_.hidden(dir_.read("checkpoint").decode()),
        ]


def prog_missing(tf: Any, np: Any) -> Any:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with folder() as dir_:
        return [
            _attempt(lambda: checkpoint.read(dir_("none")), 4),
            _attempt(lambda: checkpoint.restore(dir_("none")), 4),
            _attempt(lambda: checkpoint.read(3), 5),
            _claims(checkpoint.read(None)),
            _attempt(lambda: checkpoint.restore(None).run_restore_ops(), 3),
            checkpoint.restore(None).initialize_or_restore(),
        ]


def prog_written_in_a_function(tf: Any, np: Any) -> Any:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    with folder() as dir_:

        @tf.function
        def write(prefix: Any) -> Any:
            v.assign_add(1.0)
            return checkpoint.write(prefix)

        found = []
        for name in ("c", "d", "c"):
            found.append(dir_.hidden(write(tf.constant(dir_(name))).numpy()))
            found.append(tf.train.load_variable(dir_(name), "v/.ATTRIBUTES/VARIABLE_VALUE").tolist())
        return found


def prog_saved_in_a_function(tf: Any, np: Any) -> Any:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    return _attempt(lambda: tf.function(lambda: checkpoint.save("c"))(), 3)


def prog_in_a_graph(tf: Any, np: Any) -> Any:
    with tf.Graph().as_default():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        return _attempt(lambda: checkpoint.write("c"), 4)


def prog_later_of_two(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        paths = [tf.train.Checkpoint(v=tf.Variable(value)).write(dir_(f"c{value}")) for value in (1.0, 2.0)]
        found = []
        for order in (paths, paths[::-1]):
            checkpoint = tf.train.Checkpoint()
            statuses = [checkpoint.read(path) for path in order]
            checkpoint.v = tf.Variable(0.0)
            found.append([checkpoint.v.read_value(), [_claims(status) for status in statuses]])
        return found


def prog_deleted_child(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(dir_("c"))
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.read(path)
        checkpoint.v = tf.Variable(0.0)
        before = _claims(status)
        del checkpoint.v
        return [before, _claims(status)]


def prog_deferred_root(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        path = tf.train.Checkpoint(_module(tf, v=tf.Variable(1.0)), x=tf.Variable(2.0)).save(dir_("c"))
        root, x = tf.Module(), tf.Variable(0.0)
        checkpoint = tf.train.Checkpoint(root, x=x)
        status = checkpoint.restore(path)
        found = [x.read_value(), checkpoint.save_counter.read_value(), _claims(status)]
        root.v = tf.Variable(0.0)
        return [*found, root.v.read_value(), _claims(status)]


def prog_skipped_slots(tf: Any, np: Any) -> Any:
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    with folder() as dir_:
        path = tf.train.Checkpoint(m=_two_slots(tf)).write(dir_("c"))
        fresh = _module(tf, w=tf.Variable([0.0, 0.0]), b=tf.Variable(0.0), optimizer=_optimizer(tf, []))
        return [_claims(tf.train.Checkpoint(m=fresh).read(path, options)), _values(tf, fresh)]


def prog_options(tf: Any, np: Any) -> Any:
    def make(**options: Any) -> Any:
        return _attempt(lambda: tf.train.CheckpointOptions(**options).experimental_enable_async_checkpoint, 0)

    return [
        make(),
        make(enable_async=True),
        make(experimental_enable_async_checkpoint=True),
        make(experimental_write_callbacks=[1]),
        make(experimental_write_callbacks=[lambda a, b: 1]),
        make(experimental_sharding_callback=3),
    ]


def prog_callbacks(tf: Any, np: Any) -> Any:
    seen: list[Any] = []
    with folder() as dir_:
        options = tf.train.CheckpointOptions(experimental_write_callbacks=[seen.append, lambda: seen.append("none")])
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(dir_("c"), options)
        return dir_.hidden(seen)


def prog_asynchronous(tf: Any, np: Any) -> Any:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    options = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)
    with folder() as dir_:
        paths = []
        for value in (1.0, 2.0, 3.0):
            v.assign(value)
            paths.append(checkpoint.save(dir_("c"), options))
            v.assign(-1.0)
        checkpoint.sync()
        found = []
        for path in paths:
            checkpoint.restore(path)
            found.append(v.read_value().numpy().tolist())
        return [dir_.hidden(paths), found, _digests(dir_)[1:]]


def _sharded(size: int) -> Any:
    def program(tf: Any, np: Any) -> Any:
        options = tf.train.CheckpointOptions(
            experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(size)
        )
        objects = {
            "v": tf.Variable(tf.reshape(tf.range(20.0), [5, 4])),
            "w": tf.Variable(tf.range(7)),
            "x": tf.Variable(1.0),
        }
        with folder() as dir_:
            tf.train.Checkpoint(**objects).write(dir_("c"), options)
            return _digests(dir_)

    return program


for _size in (20, 24, 36, 40, 48, 64, 100, 1000):
    globals()[f"prog_sharded_{_size}"] = _sharded(_size)


# --- folders ----------------------------------------------------------------------------------------------------------


def _listed(dir_: Any) -> Any:
    return [name for name in sorted(os.listdir(dir_.path)) if name.startswith(("c", "model", "checkpoint"))]


def _managed(use: Any, **options: Any) -> Any:
    def program(tf: Any, np: Any) -> Any:
        with folder() as dir_:
            checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            arguments = {name: value(tf) if callable(value) else value for name, value in options.items()}
            manager = tf.train.CheckpointManager(checkpoint, dir_.path, **{"max_to_keep": 2, **arguments})
            found = use(tf, manager, dir_)
            return dir_.hidden([found, manager.checkpoints, manager.latest_checkpoint, _listed(dir_)])

    return program


def _save(times: int) -> Any:
    return lambda tf, manager, dir_: [manager.save() for _ in range(times)]


def _at_intervals(tf: Any, manager: Any, dir_: Any) -> Any:
    step = manager._step_counter
    found = []
    for _ in range(12):
        found.append(manager.save())
        step.assign_add(1)
    return [*found, manager.save(check_interval=False), manager.save(7, False), manager.checkpoint_interval]


def _again(tf: Any, manager: Any, dir_: Any) -> Any:
    found = [manager.save() for _ in range(3)]
    other = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(0.0)), dir_.path, 2)
    return [
        found,
        other.checkpoints,
        other.restore_or_initialize(),
        other.save(),
        other.checkpoints,
        other.checkpoint.v.read_value(),
    ]


globals().update(
    {
        f"prog_manager_{name}": program
        for name, program in {
            "fresh": _managed(lambda tf, manager, dir_: [manager.directory, manager.checkpoint_interval]),
            "keeps_two": _managed(_save(4)),
            "keeps_all": _managed(_save(4), max_to_keep=None),
            "keeps_one": _managed(_save(3), max_to_keep=1),
            "named": _managed(_save(2), checkpoint_name="model"),
            "numbered": _managed(
                lambda tf, manager, dir_: [manager.save(n) for n in (100, tf.Variable(7), tf.constant(5), 100)]
            ),
            "of_text": _managed(lambda tf, manager, dir_: manager.save()),
            "at_intervals": _managed(
                _at_intervals,
                max_to_keep=None,
                step_counter=lambda tf: tf.Variable(0, dtype=tf.int64),
                checkpoint_interval=5,
            ),
            "with_last_step": _managed(
                _save(2), step_counter=lambda tf: tf.Variable(12), checkpoint_interval=5, last_checkpoint_step=10
            ),
            "again": _managed(_again),
            "initializes": _managed(
                lambda tf, manager, dir_: [
                    manager.restore_or_initialize(),
                    manager.save(),
                    manager.restore_or_initialize(),
                ]
            ),
            "asynchronous": _managed(
                lambda tf, manager, dir_: [
                    [manager.save(options=tf.train.CheckpointOptions(enable_async=True)) for _ in range(4)],
                    manager.sync(),
                ]
            ),
            "preserves": _managed(_save(3), max_to_keep=1, keep_checkpoint_every_n_hours=1e-9),
        }.items()
    }
)


def prog_manager_refusals(tf: Any, np: Any) -> Any:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with folder() as dir_:

        def make(*arguments: Any, **options: Any) -> Any:
            return _attempt(lambda: tf.train.CheckpointManager(checkpoint, *arguments, **options), 6)

        return [
            make(dir_.path, 0),
            make(dir_.path, -1),
            make(dir_.path, 1, checkpoint_interval=3),
            make(None, 1),
            make(3, 1),
        ]


def prog_states(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        found = [tf.train.get_checkpoint_state(dir_.path), tf.train.latest_checkpoint(dir_("none"))]
        contents = [
            "garbage",
            "",
            'all_model_checkpoint_paths: "x"',
            'model_checkpoint_path: "rel"',
            'model_checkpoint_path: "/abs"',
        ]
        for content in contents:
            dir_.write("checkpoint", content.encode())
            state = _attempt(lambda: tf.train.get_checkpoint_state(dir_.path), 5)
            found.append(dir_.hidden(str(state)) if not isinstance(state, Raised) and state is not None else state)
            found.append(_attempt(lambda: tf.train.latest_checkpoint(dir_.path), 5))
        return found


def prog_state_messages(tf: Any, np: Any) -> Any:
    make = tf.compat.v1.train.generate_checkpoint_state_proto
    return [
        _attempt(lambda: str(make("d", "/d/x")), 5),
        _attempt(lambda: str(make("/d", "x", ["x", "y"])), 5),
        _attempt(lambda: str(make("d", "d/x", ["d/y", "/z"])), 5),
        _attempt(lambda: str(make("/d", "/d/x", ["/d/x"], [1.5], 0.25)), 5),
        _attempt(lambda: str(make("/d", "/d/x", ["/d/y"], [1.5])), 7),
    ]


def prog_updated_state(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        tf.compat.v1.train.update_checkpoint_state(dir_.path, dir_("a-2"), [dir_("a-1")], "other", [1.0, 2.0], 0.5)
        return [
            dir_.hidden(dir_.read("other").decode()),
            _attempt(lambda: tf.compat.v1.train.update_checkpoint_state(dir_("none"), "x"), 0),
        ]


def prog_removed(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(dir_("c-1"))
        found = [
            tf.compat.v1.train.checkpoint_exists(path),
            len(tf.compat.v1.train.get_checkpoint_mtimes([path, dir_("no")])),
        ]
        tf.compat.v1.train.remove_checkpoint(path)
        return [*found, tf.compat.v1.train.checkpoint_exists(path), _listed(dir_)]


def prog_views(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        saved = _module(tf, a=[tf.Variable(1.0), {"k": tf.Variable(2.0)}], b=tf.Variable(3.0))
        view = tf.train.CheckpointView(tf.train.Checkpoint(m=saved).save(dir_("c")))
        other = tf.train.Checkpoint(m=_module(tf, a=[tf.Variable(1.0)], c=tf.Variable(3.0)))
        matches, left, rest = view.diff(other)
        return [
            view.descendants(),
            [view.children(node) for node in view.descendants()],
            sorted(matches),
            left,
            [one.read_value() for one in rest],
            sorted(view.match(other)),
            _attempt(lambda: view.match(3), 5),
            _attempt(lambda: view.children(99), 4),
            [type(one).__name__ for one in tf.train.TrackableView(saved).descendants()][:1],
        ]


def prog_python_states(tf: Any, np: Any) -> Any:
    class State(tf.train.experimental.PythonState):
        def __init__(self, value: Any) -> None:
            self.value = value

        def serialize(self) -> Any:
            return self.value

        def deserialize(self, string_value: Any) -> None:
            self.value = string_value

    def round_trip(value: Any) -> Any:
        with folder() as dir_:
            path = tf.train.Checkpoint(state=State(value)).write(dir_("c"))
            fresh = State("")
            tf.train.Checkpoint(state=fresh).read(path).assert_consumed()
            return fresh.value

    return [_attempt(lambda: round_trip(value), 0) for value in ("abc", b"\xff\x00", "é", tf.constant("t"))]
