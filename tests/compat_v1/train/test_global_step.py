import pytest

import millrace as tf
from millrace._src.compat_v1.train.global_step import get_or_create_global_step_read, increment_global_step

v1 = tf.compat.v1


def test_a_graph_has_one_global_step():
    with tf.Graph().as_default() as graph:
        assert v1.train.get_global_step() is None
        step = v1.train.get_or_create_global_step()
        assert v1.train.get_global_step(graph) is step
        assert (step.name, step.dtype, step.trainable) == ("global_step:0", tf.int64, False)
        assert v1.get_collection(v1.GraphKeys.GLOBAL_STEP) == [step]
        with pytest.raises(ValueError, match='"global_step" already exists'):
            v1.train.create_global_step()


def test_a_step_is_a_scalar_integer():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="does not have integer type"):
            v1.train.assert_global_step(tf.zeros([]))
        with pytest.raises(TypeError, match="is not scalar"):
            v1.train.assert_global_step(v1.get_variable("k", [2], tf.int64))
        with pytest.raises(TypeError, match="must be a Variable or Tensor"):
            v1.train.assert_global_step(3)


def test_the_value_that_hooks_read_is_that_of_the_beginning_of_a_run():
    with tf.Graph().as_default(), v1.Session() as session:
        read = get_or_create_global_step_read()
        increment = increment_global_step(2)
        session.run(v1.global_variables_initializer())
        assert session.run([read, increment.op])[0] == 0
        assert v1.train.global_step(session, v1.train.get_global_step()) == 2
        assert get_or_create_global_step_read() is read
