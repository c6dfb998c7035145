import pytest

import millrace as tf

v1 = tf.compat.v1


def test_a_variable_is_named_after_its_scope_and_its_operations_after_it():
    with tf.Graph().as_default() as graph, v1.variable_scope("layer"):
        variable = v1.get_variable("w", [2, 3])
    assert variable.name == "layer/w:0"
    names = [op.name for op in graph.get_operations()]
    assert names[-4:] == [
        "layer/w",
        "layer/w/IsInitialized/VarIsInitializedOp",
        "layer/w/Assign",
        "layer/w/Read/ReadVariableOp",
    ]
    assert graph.get_operation_by_name("layer/w/Initializer/random_uniform/min").colocation_groups() == [
        b"loc:@layer/w"
    ]


def test_a_name_that_is_there_is_refused_unless_it_is_reused():
    with tf.Graph().as_default():
        variable = v1.get_variable("v", [1])
        with pytest.raises(ValueError, match="Variable v already exists, disallowed"):
            v1.get_variable("v", [1])
        with v1.variable_scope("", reuse=True):
            assert v1.get_variable("v", [1]) is variable
            with pytest.raises(ValueError, match=r"Trying to share variable v, but specified shape \(2,\)"):
                v1.get_variable("v", [2])
            with pytest.raises(ValueError, match="Trying to share variable v, but specified dtype int32"):
                v1.get_variable("v", [1], tf.int32)
            with pytest.raises(ValueError, match="Variable w does not exist"):
                v1.get_variable("w", [1])


def test_custom_getters_are_called_from_the_inside_out():
    def appending(suffix):
        return lambda getter, name, *args, **kwargs: getter(name + suffix, *args, **kwargs)

    with tf.Graph().as_default():
        with v1.variable_scope("a", custom_getter=appending("_outer")):
            with v1.variable_scope("b", custom_getter=appending("_inner")):
                assert v1.get_variable("v", [1]).name == "a/b/v_inner_outer:0"


def test_the_scope_states_what_is_not_asked_for():
    with tf.Graph().as_default() as graph:
        with v1.variable_scope("a", initializer=v1.ones_initializer(), dtype=tf.float64, regularizer=tf.reduce_sum):
            variable = v1.get_variable("v", [2])
        assert variable.dtype is tf.float64
        session = v1.Session(graph=graph)
        session.run(variable.initializer)
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        assert [loss.name for loss in losses] == ["a/v/Regularizer/Sum:0"]
        assert session.run(losses) == [2.0]


def test_local_variables_are_neither_global_nor_trained():
    with tf.Graph().as_default():
        variable = v1.get_local_variable("v", [1], collections=["mine"])
        assert v1.local_variables() == v1.get_collection("mine") == [variable]
        assert not v1.global_variables()
        assert not v1.trainable_variables()


def test_eager_variables_are_new_on_each_call():
    first, second = v1.get_variable("v", [1]), v1.get_variable("v", [1])
    assert first is not second
    assert first.name == second.name == "v:0"


def test_a_function_finds_its_variable_at_the_next_trace():
    @tf.function
    def scaled(x):
        with v1.variable_scope("scope_of_a_function", reuse=v1.AUTO_REUSE):
            return x * v1.get_variable("v", [1], initializer=v1.ones_initializer())

    assert scaled(2.0).numpy() == scaled(2).numpy() + 0.0 == 2.0
