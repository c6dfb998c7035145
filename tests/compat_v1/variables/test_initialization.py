import pytest

import millrace as tf

v1 = tf.compat.v1


def test_initializers_wait_for_all_assignments():
    with tf.Graph().as_default(), v1.Session() as session:
        a, b, c = v1.get_variable("a", [1]), v1.get_variable("b", [1]), v1.get_local_variable("c", [1])
        initializer = v1.global_variables_initializer()
        assert initializer.control_inputs == [a.initializer, b.initializer]
        missing = v1.report_uninitialized_variables()
        assert session.run(missing).tolist() == [b"a", b"b", b"c"]
        session.run(initializer)
        assert session.run(missing).tolist() == [b"c"]
        session.run(v1.initialize_local_variables())
        assert session.run(missing).tolist() == []
        assert session.run(v1.is_variable_initialized(c))


def test_without_variables_there_is_an_operation_that_does_nothing():
    with tf.Graph().as_default(), v1.Session() as session:
        assert v1.initialize_all_variables().control_inputs == []
        assert v1.assert_variables_initialized() is None
        assert session.run(v1.report_uninitialized_variables()).tolist() == []


def test_an_assertion_names_what_is_not_initialized():
    with tf.Graph().as_default(), v1.Session() as session:
        unknown = v1.placeholder_with_default([1.0], None)
        a, b = (v1.get_variable(name, initializer=unknown, validate_shape=False) for name in "ab")
        assertion = v1.assert_variables_initialized([a, b])
        session.run(a.initializer)
        with pytest.raises(tf.errors.FailedPreconditionError, match="b"):
            session.run(assertion)
        session.run(v1.initialize_variables([b]))
        session.run(assertion)


def test_eager_variables_have_their_values():
    variable = tf.Variable(1.0)
    assert v1.variables_initializer([variable]) is None
    assert v1.is_variable_initialized(variable).numpy()
