import os

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def session_with(**values):
    variables = {name: v1.get_variable(name, initializer=value) for name, value in values.items()}
    session = v1.Session()
    session.run(v1.global_variables_initializer())
    return session, variables


def test_the_operations_have_tensorflows_names(graph):
    session_with(v=[1.0, 2.0])
    saver_def = v1.train.Saver().saver_def
    assert saver_def.filename_tensor_name == "save/Const:0"
    assert saver_def.save_tensor_name == "save/control_dependency:0"
    assert saver_def.restore_op_name == "save/restore_all"
    assert [c.name for c in graph.get_operation_by_name("save/restore_all").control_inputs] == ["save/AssignVariableOp"]


@pytest.mark.parametrize(
    "arguments", [{}, {"sharded": True}, {"write_version": 1}, {"write_version": 1, "sharded": True}]
)
def test_values_survive(tmp_path, arguments):
    session, variables = session_with(v=[1.0, 2.0], w=3)
    saver = v1.train.Saver(**arguments)
    path = saver.save(session, str(tmp_path / "model"), global_step=5)
    session.run([variables["v"].assign([0.0, 0.0]).op, variables["w"].assign(0).op])
    saver.restore(session, path)
    values = session.run(variables)
    assert values["v"].tolist() == [1, 2]
    assert values["w"] == 3
    assert v1.train.latest_checkpoint(str(tmp_path)) == path


def test_only_the_newest_checkpoints_are_kept(tmp_path):
    session, _ = session_with(v=1.0)
    saver = v1.train.Saver(max_to_keep=2)
    paths = [saver.save(session, str(tmp_path / "m"), step) for step in (1, 2, 3)]
    assert saver.last_checkpoints == paths[1:]
    assert [v1.train.checkpoint_exists(path) for path in paths] == [False, True, True]
    assert not os.path.exists(paths[0] + ".meta")
    assert os.path.exists(paths[1] + ".meta")


def test_the_step_may_be_a_variable(tmp_path):
    session, _ = session_with(v=1.0)
    step = v1.train.create_global_step()
    session.run(step.initializer)
    assert v1.train.Saver().save(session, str(tmp_path / "m"), step, write_meta_graph=False).endswith("m-0")
    padded = v1.train.Saver(pad_step_number=True).save(session, str(tmp_path / "m"), np.int64(7))
    assert padded.endswith("m-00000007")


def test_a_dictionary_renames(tmp_path):
    session, variables = session_with(v=1.0, w=2.0)
    path = v1.train.Saver({"a/b": variables["v"]}).save(session, str(tmp_path / "m"))
    assert tf.train.list_variables(path) == [("a/b", [])]
    v1.train.Saver({"a/b": variables["w"]}).restore(session, path)
    assert session.run(variables["w"]) == 1


def test_parts_are_saved_as_slices_of_one_tensor(tmp_path):
    whole = v1.get_variable("p", [4, 2], initializer=v1.ones_initializer(), partitioner=v1.fixed_size_partitioner(2))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "m"))
    assert tf.train.list_variables(path) == [("p", [4, 2])]
    with tf.Graph().as_default(), v1.Session() as session:
        one = v1.get_variable("p", [4, 2])
        v1.train.Saver().restore(session, path)
        assert session.run(one).tolist() == [[1, 1]] * 4
    del whole


def test_a_value_is_reshaped_only_if_asked(tmp_path):
    session, _ = session_with(v=[1.0, 2.0])
    path = v1.train.Saver().save(session, str(tmp_path / "m"))
    with tf.Graph().as_default(), v1.Session() as other:
        column = v1.get_variable("v", [2, 1])
        v1.train.Saver(reshape=True).restore(other, path)
        assert other.run(column).tolist() == [[1], [2]]


def test_what_is_missing_is_said_with_advice(tmp_path):
    session, _ = session_with(v=1.0)
    path = v1.train.Saver().save(session, str(tmp_path / "m"))
    v1.get_variable("u", [])
    with pytest.raises(tf.errors.NotFoundError, match="a Variable name or other graph key that is missing"):
        v1.train.Saver().restore(session, path)
    with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint"):
        v1.train.Saver().restore(session, str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Can't load save_path when it is None"):
        v1.train.Saver().restore(session, None)


def test_a_checkpoint_of_objects_is_read_by_the_names_of_variables(tmp_path):
    with tf.init_scope():
        path = _objects(tmp_path)
    with v1.Session() as session:
        variable = v1.get_variable("v", [2])
        v1.train.Saver().restore(session, path)
        assert session.run(variable).tolist() == [5, 6]
        v1.get_variable("www", [])
        with pytest.raises(tf.errors.NotFoundError, match="Existing variables not in the checkpoint: www"):
            v1.train.Saver().restore(session, path)


def _objects(folder):
    import subprocess
    import sys

    program = (
        "import millrace as tf, sys; print(tf.train.Checkpoint(a=tf.Variable([5., 6.], name='v')).save(sys.argv[1]))"
    )
    command = [sys.executable, "-c", program, str(folder / "objects")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_what_cannot_be_saved_is_refused():
    _, variables = session_with(v=1.0)
    for wrong, error, message in [
        ([tf.zeros([2])], TypeError, "Variable to save is not a Variable"),
        (3, TypeError, "Variables to save should be passed in a dict or a list"),
        ([variables["v"], variables["v"]], ValueError, "At least two variables have the same name: v"),
        ({"x": variables["v"], "y": variables["v"]}, ValueError, "will be restored with two names"),
        ([], ValueError, "No variables to save"),
    ]:
        with pytest.raises(error, match=message):
            v1.train.Saver(wrong)


def test_a_saver_of_a_message_uses_the_operations_there_are(tmp_path):
    session, variables = session_with(v=1.0)
    saver = v1.train.Saver(name="mine")
    path = v1.train.Saver.from_proto(saver.to_proto()).save(session, str(tmp_path / "m"))
    session.run(variables["v"].assign(0.0).op)
    v1.train.Saver(saver_def=saver.as_saver_def()).restore(session, path)
    assert session.run(variables["v"]) == 1
    assert saver.to_proto("mine").restore_op_name == "restore_all"
    assert saver.to_proto("other") is None
    with pytest.raises(ValueError, match="saver_def must specify the save_tensor_name"):
        v1.train.Saver(saver_def=v1.train.SaverDef())


def test_building_can_wait():
    saver = v1.train.Saver(defer_build=True)
    with v1.Session() as session, pytest.raises(RuntimeError, match="should be called before save"):
        saver.save(session, "m")
    v1.get_variable("v", [1])
    saver.build()
    assert saver.saver_def.restore_op_name == "save/restore_all"


def test_tables_are_saved_with_the_variables(tmp_path):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="table")
    insert = table.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    change = table.insert(tf.constant(["a", "b"]), tf.constant([2, 2], tf.int64))
    saver = v1.train.Saver()
    with v1.Session() as session:
        session.run(insert)
        path = saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
        session.run(change)
        saver.restore(session, path)
        assert session.run(table.lookup(tf.constant(["a", "b"]))).tolist() == [1, -1]
    assert tf.train.list_variables(path) == [("table-keys", [1]), ("table-values", [1])]
