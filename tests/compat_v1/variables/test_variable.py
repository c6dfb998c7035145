import pytest

import millrace as tf

v1 = tf.compat.v1


def test_a_variable_is_listed_where_it_is_told():
    with tf.Graph().as_default():
        variable = v1.Variable([1.0], name="v", collections=["mine"], trainable=False)
        assert v1.get_collection("mine") == [variable]
        assert not v1.global_variables()
        with pytest.raises(ValueError, match="collections argument to Variable constructor must be"):
            v1.Variable(1.0, collections="mine")


@pytest.mark.parametrize("use_resource", [True, False])
def test_reference_variables_have_the_class_of_version_1_and_behave_alike(use_resource):
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable([1.0, 2.0], use_resource=use_resource)
        assert isinstance(variable, v1.Variable) is not use_resource
        session.run(variable.initializer)
        session.run(variable.assign_add([1.0, 1.0]).op)
        assert session.run(variable).tolist() == [2, 3]


def test_a_reference_variable_needs_a_known_shape_unless_told_otherwise():
    with tf.Graph().as_default():
        value = v1.placeholder(tf.float32, [None])
        with pytest.raises(ValueError, match="initial_value must have a shape specified"):
            v1.Variable(value, use_resource=False)
        assert v1.Variable(value, use_resource=False, validate_shape=False).shape.as_list() == [None]


def test_an_initialized_value_is_the_initial_value_before_initialization():
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(3.0, use_resource=False)
        value = variable.initialized_value()
        assert session.run(value) == 3
        session.run(variable.initializer)
        session.run(variable.assign(5.0).op)
        assert session.run(value) == 5
        with pytest.raises(NotImplementedError, match="use_resource=False"):
            v1.Variable(3.0).initialized_value()


def test_creators_see_and_change_the_arguments():
    def creator(next_creator, **kwargs):
        kwargs["collections"] = [*(kwargs["collections"] or []), "seen"]
        return next_creator(**kwargs)

    with tf.Graph().as_default(), v1.variable_creator_scope(creator):
        variable = v1.get_variable("v", [1])
        assert v1.get_collection("seen") == [variable]


def test_all_reads_of_a_run_share_the_copy_on_the_caching_device():
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable([1.0], caching_device="/cpu:0", name="v")
        assert (variable + 1.0).op.inputs[0] is (variable * 2.0).op.inputs[0]
        session.run(variable.initializer)
        assert session.run(variable + 1.0) == 2
        assert session.run(variable.assign([5.0])) == 5
