"""tf.compat.v1.train.Saver and its kin: operations, files byte for byte, what is kept, what is refused."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile

from tests.oracle.programs._v1_helpers import eagerly, in_session, initialized, operations, said


def _folder(call):
    """Makes a program of a function that is given a folder."""

    def program(tf, v1, s, np):
        with _new_folder() as folder:
            return call(tf, v1, s, np, folder)

    return in_session(program)


@contextlib.contextmanager
def _new_folder():
    """Makes an empty folder whose name, which messages show, is always the same."""
    outside = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        os.mkdir("files")
        try:
            yield "files"
        finally:
            os.chdir(outside)


def _variables(v1, s, np):
    """Makes three variables of several kinds with values."""
    found = [
        v1.get_variable("a/v", initializer=[[1.0, 2.0], [3.0, 4.0]]),
        v1.get_variable("w", initializer=np.arange(5)),
        v1.get_variable("t", initializer=["x", "yz"]),
    ]
    initialized(v1, s)
    return found


def _files(folder):
    """The files of a folder: names, sizes and digests, but for graphs, which name the release."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        found[name] = None if name.endswith(".meta") else (len(content), hashlib.sha256(content).hexdigest())
    return found


def _relative(paths, folder):
    return [os.path.relpath(path, folder) for path in paths]


_KINDS = {
    "plain": {},
    "sharded": {"sharded": True},
    "v1": {"write_version": 1},
    "v1_sharded": {"write_version": 1, "sharded": True},
    "reshape": {"reshape": True},
    "sequential": {"restore_sequentially": True, "name": "mine", "filename": "else"},
}


def _operations(arguments):
    def program(tf, v1, s, np):
        _variables(v1, s, np)
        saver = v1.train.Saver(**arguments)
        names = [operation for operation in operations(tf) if operation[1].startswith(("save", "mine"))]
        constants = [op for op in v1.get_default_graph().get_operations() if op.type == "Const" and op.name.startswith(("save", "mine"))]
        return names, [(op.name, s.run(op.outputs[0])) for op in constants], str(saver.saver_def)

    return program


def _saved(arguments):
    def program(tf, v1, s, np, folder):
        variables = _variables(v1, s, np)
        saver = v1.train.Saver(**arguments)
        path = saver.save(s, folder + "/m", global_step=3)
        s.run([variables[0].assign([[0.0, 0.0], [0.0, 0.0]]).op, variables[1].assign([0, 0, 0, 0, 0]).op, variables[2].assign(["", ""]).op])
        saver.restore(s, path)
        digests = {name: digest for name, digest in _files(folder).items() if name != "checkpoint"}
        return os.path.relpath(path, folder), s.run(variables), digests, tf.train.list_variables(path)

    return program


def _partitioned_files(tf, v1, s, np, folder):
    whole = v1.get_variable("p", initializer=tf.reshape(tf.range(8.0), [4, 2]), partitioner=v1.fixed_size_partitioner(2))
    s.run([part.initializer for part in whole])
    saver = v1.train.Saver({"q": whole})
    path = saver.save(s, folder + "/m", write_state=False, write_meta_graph=False)
    return _files(folder), tf.train.list_variables(path), tf.train.load_variable(path, "q"), [op for op in operations(tf) if op[1].startswith("save")]


def _kept(tf, v1, s, np, folder):
    _variables(v1, s, np)
    saver = v1.train.Saver(max_to_keep=2)
    found = []
    for step in (None, 1, 2, 2, 3):
        saver.save(s, folder + "/m", global_step=step)
        found.append((_relative(saver.last_checkpoints, folder), sorted(os.listdir(folder))))
    state = tf.train.get_checkpoint_state(folder)
    return found, _relative(state.all_model_checkpoint_paths, folder), os.path.relpath(state.model_checkpoint_path, folder)


def _arguments_of_save(tf, v1, s, np, folder):
    _variables(v1, s, np)
    step = v1.get_variable("step", initializer=np.int64(9))
    s.run(step.initializer)
    saver = v1.train.Saver()
    made = [
        saver.save(s, folder + "/a", global_step=step),
        saver.save(s, folder + "/b", global_step=np.int32(4), latest_filename="newest", meta_graph_suffix="mg"),
        saver.save(s, folder + "/c", write_meta_graph=False, write_state=False),
        v1.train.Saver(pad_step_number=True).save(s, folder + "/d", 7),
        v1.train.Saver([step], save_relative_paths=True, max_to_keep=0).save(s, folder + "/e", 7),
    ]
    with open(folder + "/checkpoint", encoding="utf-8") as file:
        state = file.read()
    return _relative(made, folder), sorted(os.listdir(folder)), state, _relative(saver.last_checkpoints, folder)


def _refused(tf, v1, s, np, folder):
    variables = _variables(v1, s, np)
    saver = v1.train.Saver()
    found = [
        said(call)
        for call in [
            lambda: saver.save(s, folder + "/m", latest_filename="a/b"),
            lambda: saver.save(s, folder + "/checkpoint"),
            lambda: saver.save(None, folder + "/m"),
            lambda: saver.restore(s, None),
            lambda: saver.restore(s, folder + "/none"),
            lambda: saver.set_last_checkpoints("a"),
            lambda: v1.train.Saver([tf.zeros([2])]),
            lambda: v1.train.Saver(3),
            lambda: v1.train.Saver([variables[0], variables[0]]),
            lambda: v1.train.Saver({"x": variables[0], "y": variables[0]}),
            lambda: v1.train.Saver([]),
            lambda: v1.train.Saver(saver_def=3),
            lambda: v1.train.Saver(saver_def=v1.train.SaverDef()),
            lambda: v1.train.Saver(var_list=variables, defer_build=True),
            lambda: v1.train.Saver(defer_build=True).save(s, folder + "/m"),
            lambda: v1.train.Saver(var_list=[], allow_empty=True).save(s, folder + "/m"),
        ]
    ]
    path = saver.save(s, folder + "/m")
    v1.get_variable("u", [])
    found.append(said(lambda: v1.train.Saver().restore(s, path), 10))
    with tf.Graph().as_default(), v1.Session() as other:
        v1.get_variable("w", [5], tf.float32)
        found.append(said(lambda: v1.train.Saver().restore(other, path), 10))
    return found


def _messages(tf, v1, s, np):
    _variables(v1, s, np)
    saver = v1.train.Saver(name="mine", max_to_keep=3, keep_checkpoint_every_n_hours=2.0)
    again = v1.train.Saver.from_proto(saver.to_proto("mine"), import_scope="mine")
    return str(saver.to_proto()), str(saver.to_proto("mine")), saver.to_proto("other"), str(again.saver_def), str(again.as_saver_def())


def _deferred(tf, v1, s, np, folder):
    saver = v1.train.Saver(defer_build=True)
    before = saver.saver_def
    _variables(v1, s, np)
    saver.build()
    return before, str(saver.saver_def), os.path.relpath(saver.save(s, folder + "/m"), folder)


def _reshaped(tf, v1, s, np, folder):
    _variables(v1, s, np)
    path = v1.train.Saver().save(s, folder + "/m")
    with tf.Graph().as_default(), v1.Session() as other:
        column = v1.get_variable("a/v", [4, 1])
        v1.train.Saver(reshape=True).restore(other, path)
        return other.run(column)


def _read(tf, v1, s, np, folder):
    v = v1.get_variable("v", [2])
    step = v1.train.get_or_create_global_step()
    initialized(v1, s)
    path = v1.train.Saver([v, step]).save(s, folder + "/m", step)
    reader = v1.train.NewCheckpointReader(path)
    return sorted(reader.get_variable_to_shape_map().items()), reader.has_tensor("v"), reader.get_tensor("global_step")


def _recovered(tf, v1, s, np, folder):
    _variables(v1, s, np)
    saver = v1.train.Saver()
    paths = [saver.save(s, folder + "/m", step) for step in (1, 2)]
    other = v1.train.Saver(max_to_keep=2)
    other.recover_last_checkpoints([*paths, folder + "/none"])
    found = [_relative(other.last_checkpoints, folder)]
    other.save(s, folder + "/m", 3)
    found.append((_relative(other.last_checkpoints, folder), sorted(os.listdir(folder))))
    other.set_last_checkpoints_with_time([(paths[1], 3.0)])
    found.append(_relative(other.last_checkpoints, folder))
    other.set_last_checkpoints(paths)
    return [*found, _relative(other.last_checkpoints, folder)]


def _averaged(tf, v1, s, np, folder):
    v = v1.get_variable("v", initializer=[1.0])
    averages = v1.train.ExponentialMovingAverage(0.5)
    moved = averages.apply([v])
    initialized(v1, s)
    s.run(v.assign([3.0]).op)
    s.run(moved)
    path = v1.train.Saver().save(s, folder + "/m")
    v1.train.Saver(averages.variables_to_restore()).restore(s, path)
    return s.run(v), tf.train.list_variables(path)


def _initialized_from(tf, v1, s, np, folder):
    _variables(v1, s, np)
    path = v1.train.Saver().save(s, folder + "/m")
    with tf.Graph().as_default(), v1.Session() as other:
        with v1.variable_scope("b"):
            v = v1.get_variable("v", [2, 2])
        w, t = v1.get_variable("w2", [5], tf.int64), v1.get_variable("t", [2], tf.string)
        v1.train.init_from_checkpoint(path, {"a/": "b/", "w": w, "t": "t"})
        initialized(v1, other)
        nodes = [(op.type, op.name) for op in v1.get_default_graph().get_operations() if "checkpoint_initializer" in op.name]
        return other.run([v, w, t]), nodes, [x.initializer.name for x in (v, w, t)]


def _refused_initial_values(tf, v1, s, np, folder):
    _variables(v1, s, np)
    path = v1.train.Saver().save(s, folder + "/m")
    with tf.Graph().as_default():
        v, x = v1.get_variable("v", [2, 2]), v1.get_variable("x", [3])
        start = v1.train.init_from_checkpoint
        return [
            said(call, 2)
            for call in [
                lambda: start(path, {"nope": v}),
                lambda: start(path, {"a/v": x}),
                lambda: start(path, {"a/v": "nope"}),
                lambda: start(path, {"nope/": "/"}),
                lambda: start(path + "none", {"/": "/"}),
            ]
        ]


def _warm_started(tf, v1, s, np, folder):
    v1.get_variable("p", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
    v1.get_variable("c", initializer=7.0)
    initialized(v1, s)
    path = v1.train.Saver().save(s, folder + "/m")
    for name, text in (("old", "a\nb\nc\nd\n"), ("new", "d\nx\nb\n")):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    info = v1.train.VocabInfo(f"{folder}/new", 3, 0, f"{folder}/old")
    found = []
    for arguments in ({}, {"vars_to_warm_start": ["c", "p"]}, {"vars_to_warm_start": None}):
        with tf.Graph().as_default(), v1.Session() as other:
            p, c = v1.get_variable("p", initializer=np.full((3, 2), 9.0, np.float32)), v1.get_variable("c", initializer=9.0)
            v1.train.warm_start(path, var_name_to_vocab_info={"p": info}, **arguments)
            initialized(v1, other)
            found.append(other.run([p, c]))
    return found, info.axis, info.old_vocab_size, said(lambda: v1.train.warm_start(path, "c", {"p": info}))


def _tables(tf, v1, s, np, folder):
    v = v1.get_variable("v", initializer=1.0)
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="tab")
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=-3, deleted_key=-4, name="den", initial_num_buckets=4)
    tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="unsaved", checkpoint=False)
    saver = v1.train.Saver()
    nodes = [op for op in operations(tf, "save") if op[0] not in ("Const", "PlaceholderWithDefault")]
    listed = [(type(item).__mro__[1].__name__, item.name) for item in v1.get_collection("saveable_objects")]
    s.run(v.initializer)
    s.run([table.insert(tf.constant(["a"]), tf.constant([1], tf.int64)), dense.insert(tf.constant([5], tf.int64), tf.constant([2], tf.int64))])
    path = saver.save(s, folder + "/m", write_meta_graph=False)
    s.run(table.insert(tf.constant(["a", "b"]), tf.constant([9, 9], tf.int64)))
    saver.restore(s, path)
    found = s.run([table.lookup(tf.constant(["a", "b"])), dense.lookup(tf.constant([5, 6], tf.int64))])
    return nodes, listed, tf.train.list_variables(path), found


def _eager(tf, v1, np):
    with _new_folder() as folder:
        v = tf.Variable([1.0, 2.0], name="ev")
        saver = v1.train.Saver([v])
        path = saver.save(None, folder + "/e", 3)
        v.assign([0.0, 0.0])
        saver.restore(None, path)
        return [
            os.path.relpath(path, folder), v.numpy(), _relative(saver.last_checkpoints, folder),
            said(lambda: v1.train.Saver({"q": v}).restore(None, path), 8),
            said(lambda: v1.train.Saver()),
            said(saver.export_meta_graph),
            {name: digest for name, digest in _files(folder).items() if name != "checkpoint"},
        ]


globals().update(
    {
        **{f"prog_operations_{name}": in_session(_operations(arguments)) for name, arguments in _KINDS.items()},
        **{f"prog_saved_{name}": _folder(_saved(arguments)) for name, arguments in _KINDS.items()},
        "prog_partitioned_files": _folder(_partitioned_files),
        "prog_kept": _folder(_kept),
        "prog_arguments_of_save": _folder(_arguments_of_save),
        "prog_refused": _folder(_refused),
        "prog_messages": in_session(_messages),
        "prog_deferred": _folder(_deferred),
        "prog_reshaped": _folder(_reshaped),
        "prog_read": _folder(_read),
        "prog_recovered": _folder(_recovered),
        "prog_averaged": _folder(_averaged),
        "prog_initialized_from": _folder(_initialized_from),
        "prog_refused_initial_values": _folder(_refused_initial_values),
        "prog_warm_started": _folder(_warm_started),
        "prog_tables": _folder(_tables),
        "prog_eager": eagerly(_eager),
    }
)
