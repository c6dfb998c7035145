import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture
def path(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("old/a", initializer=[1.0, 2.0])
        v1.get_variable("old/b", initializer=3.0)
        v1.get_variable("p", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path / "m"))


def test_scopes_variables_and_parts_begin_with_saved_values(path):
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("new"):
            a, b = v1.get_variable("a", [2]), v1.get_variable("b", [])
        c, q = v1.get_variable("c", [2]), v1.get_variable("q", [4, 2], partitioner=v1.fixed_size_partitioner(2))
        v1.train.init_from_checkpoint(path, {"old/": "new/", "old/a": c, "p": "q"})
        session.run(v1.global_variables_initializer())
        values = session.run([a, b, c, q.as_tensor()])
    assert [value.tolist() for value in values[:3]] == [[1, 2], 3, [1, 2]]
    assert values[3].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert a.initial_value.op.type == "RestoreV2"


def test_the_root_scope_is_a_slash(path):
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.get_variable("old/a", [2])
        v1.train.init_from_checkpoint(path, {"/": "/"})
        session.run(a.initializer)
        assert session.run(a).tolist() == [1, 2]


def test_eager_variables_take_the_values_at_once(path):
    variable = tf.Variable([0.0, 0.0])
    v1.train.init_from_checkpoint(path, {"old/a": variable})
    assert variable.numpy().tolist() == [1, 2]


def test_what_does_not_fit_is_refused(path):
    with tf.Graph().as_default():
        a, x = v1.get_variable("old/a", [2]), v1.get_variable("x", [3])
        for assignments, error, message in [
            ({"nope": a}, ValueError, "Tensor nope is not found in"),
            ({"old/a": x}, ValueError, r"Shape of variable x:0 \(\(3,\)\) doesn't match"),
            ({"old/a": "nope"}, ValueError, "Assignment map with scope only name"),
            ({"nope/": "old/"}, ValueError, r"Tensor nope/a \(a in nope/\) is not found"),
            ({"old/a": 3}, TypeError, "expected a variable"),
        ]:
            with pytest.raises(error, match=message):
                v1.train.init_from_checkpoint(path, assignments)
        with pytest.raises(tf.errors.NotFoundError):
            v1.train.init_from_checkpoint(path + "-none", {"/": "/"})
