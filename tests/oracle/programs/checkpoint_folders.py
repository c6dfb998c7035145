"""Calls of checkpoints: prefixes, functions, options, views; folders of checkpoints and their managers."""

from __future__ import annotations

import os
from typing import Any

from tests.oracle.programs._checkpoint_helpers import (
    attempt,
    claims,
    digests,
    module,
    optimizer,
    two_slots,
    values,
)
from tests.oracle.programs._file_helpers import folder
from tests.oracle.support import Raised

# --- calls ----------------------------------------------------------------------------------------------------------


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
            attempt(lambda: checkpoint.write(None), 3),
        ]


def prog_what_can_be_tracked(tf: Any, np: Any) -> Any:
    def make(**objects: Any) -> Any:
        return attempt(lambda: sorted(tf.train.Checkpoint(**objects)._trackable_children()), 8)

    return [make(x=x) for x in (3, "a", None, 1.5, [1], {"a": 1}, (1, 2), tf.constant(1), tf.Module(), tf.Variable(1))]


def prog_roots(tf: Any, np: Any) -> Any:
    root = module(tf, v=tf.Variable(1.0))
    return [
        attempt(lambda: list(tf.train.Checkpoint(root)._trackable_children())),
        attempt(lambda: list(tf.train.Checkpoint(root, v=root.v)._trackable_children())),
        attempt(lambda: tf.train.Checkpoint(root, v=tf.Variable(2.0)), 9),
        attempt(lambda: tf.train.Checkpoint([tf.Variable(1.0)]), 8),
        attempt(lambda: tf.train.Checkpoint(3), 8),
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
            attempt(lambda: checkpoint.read(dir_("none")), 4),
            attempt(lambda: checkpoint.restore(dir_("none")), 4),
            attempt(lambda: checkpoint.read(3), 5),
            claims(checkpoint.read(None)),
            attempt(lambda: checkpoint.restore(None).run_restore_ops(), 3),
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
    return attempt(lambda: tf.function(lambda: checkpoint.save("c"))(), 3)


def prog_in_a_graph(tf: Any, np: Any) -> Any:
    with tf.Graph().as_default():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        return attempt(lambda: checkpoint.write("c"), 4)


def prog_later_of_two(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        paths = [tf.train.Checkpoint(v=tf.Variable(value)).write(dir_(f"c{value}")) for value in (1.0, 2.0)]
        found = []
        for order in (paths, paths[::-1]):
            checkpoint = tf.train.Checkpoint()
            statuses = [checkpoint.read(path) for path in order]
            checkpoint.v = tf.Variable(0.0)
            found.append([checkpoint.v.read_value(), [claims(status) for status in statuses]])
        return found


def prog_deleted_child(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(dir_("c"))
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.read(path)
        checkpoint.v = tf.Variable(0.0)
        before = claims(status)
        del checkpoint.v
        return [before, claims(status)]


def prog_deferred_root(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        path = tf.train.Checkpoint(module(tf, v=tf.Variable(1.0)), x=tf.Variable(2.0)).save(dir_("c"))
        root, x = tf.Module(), tf.Variable(0.0)
        checkpoint = tf.train.Checkpoint(root, x=x)
        status = checkpoint.restore(path)
        found = [x.read_value(), checkpoint.save_counter.read_value(), claims(status)]
        root.v = tf.Variable(0.0)
        return [*found, root.v.read_value(), claims(status)]


def prog_skipped_slots(tf: Any, np: Any) -> Any:
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    with folder() as dir_:
        path = tf.train.Checkpoint(m=two_slots(tf)).write(dir_("c"))
        fresh = module(tf, w=tf.Variable([0.0, 0.0]), b=tf.Variable(0.0), optimizer=optimizer(tf, []))
        return [claims(tf.train.Checkpoint(m=fresh).read(path, options)), values(tf, fresh)]


def prog_options(tf: Any, np: Any) -> Any:
    def make(**options: Any) -> Any:
        return attempt(lambda: tf.train.CheckpointOptions(**options).experimental_enable_async_checkpoint, 0)

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
        return [dir_.hidden(paths), found, digests(dir_)[1:]]


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
            return digests(dir_)

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
            return attempt(lambda: tf.train.CheckpointManager(checkpoint, *arguments, **options), 6)

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
            state = attempt(lambda: tf.train.get_checkpoint_state(dir_.path), 5)
            found.append(dir_.hidden(str(state)) if not isinstance(state, Raised) and state is not None else state)
            found.append(attempt(lambda: tf.train.latest_checkpoint(dir_.path), 5))
        return found


def prog_state_messages(tf: Any, np: Any) -> Any:
    make = tf.compat.v1.train.generate_checkpoint_state_proto
    return [
        attempt(lambda: str(make("d", "/d/x")), 5),
        attempt(lambda: str(make("/d", "x", ["x", "y"])), 5),
        attempt(lambda: str(make("d", "d/x", ["d/y", "/z"])), 5),
        attempt(lambda: str(make("/d", "/d/x", ["/d/x"], [1.5], 0.25)), 5),
        attempt(lambda: str(make("/d", "/d/x", ["/d/y"], [1.5])), 7),
    ]


def prog_updated_state(tf: Any, np: Any) -> Any:
    with folder() as dir_:
        tf.compat.v1.train.update_checkpoint_state(dir_.path, dir_("a-2"), [dir_("a-1")], "other", [1.0, 2.0], 0.5)
        return [
            dir_.hidden(dir_.read("other").decode()),
            attempt(lambda: tf.compat.v1.train.update_checkpoint_state(dir_("none"), "x"), 0),
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
        saved = module(tf, a=[tf.Variable(1.0), {"k": tf.Variable(2.0)}], b=tf.Variable(3.0))
        view = tf.train.CheckpointView(tf.train.Checkpoint(m=saved).save(dir_("c")))
        other = tf.train.Checkpoint(m=module(tf, a=[tf.Variable(1.0)], c=tf.Variable(3.0)))
        matches, left, rest = view.diff(other)
        return [
            view.descendants(),
            [view.children(node) for node in view.descendants()],
            sorted(matches),
            left,
            [one.read_value() for one in rest],
            sorted(view.match(other)),
            attempt(lambda: view.match(3), 5),
            attempt(lambda: view.children(99), 4),
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

    return [attempt(lambda: round_trip(value), 0) for value in ("abc", b"\xff\x00", "é", tf.constant("t"))]
