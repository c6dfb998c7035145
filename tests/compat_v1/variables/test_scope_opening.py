import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def opened(default_name):
    with v1.variable_scope(None, default_name) as scope:
        return scope.name


def test_default_names_are_unique_within_the_scope_around():
    with v1.variable_scope("a") as a:
        assert (opened("d"), opened("d")) == ("a/d", "a/d_1")
    with v1.variable_scope(a):
        assert (opened("d"), opened("d")) == ("a/d", "a/d_1")
    assert (opened("a"), opened("d")) == ("a_1", "d")


def test_a_scope_that_is_opened_again_has_its_name_scope_made_unique():
    with v1.variable_scope("a") as first:
        assert tf.constant(1, name="c").name == "a/c:0"
    with v1.variable_scope(first) as again:
        assert again.original_name_scope == "a/"
        assert tf.constant(1, name="c").name == "a_1/c:0"
        assert v1.get_variable("v", [1]).name == "a/v:0"


def test_without_a_name_scope_operations_keep_their_names():
    with v1.variable_scope("a", auxiliary_name_scope=False):
        assert tf.constant(1, name="c").name == "c:0"
        assert v1.get_variable("v", [1]).name == "a/v:0"


def test_reuse_is_inherited_and_cannot_be_taken_back():
    with v1.variable_scope("a", reuse=True), v1.variable_scope("b", reuse=False) as inner:
        assert inner.reuse is True
    with v1.variable_scope("a") as scope:
        assert scope.reuse is False
        scope.reuse_variables()
        assert scope.reuse is True


def test_the_scope_around_is_in_force_again_after_an_error():
    with pytest.raises(KeyError), v1.variable_scope("a"):
        raise KeyError
    assert v1.get_variable_scope().name == ""


def test_scopes_of_two_graphs_are_apart():
    with v1.variable_scope("a"), tf.Graph().as_default():
        assert v1.get_variable_scope().name == ""


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
        v1.variable_scope(None)
    with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope"):
        v1.variable_scope(3).__enter__()
    with pytest.raises(ValueError, match="The reuse parameter must be True or False or None"):
        v1.variable_scope("a", reuse="yes").__enter__()


def test_values_choose_the_graph():
    with tf.Graph().as_default() as other:
        tensor = tf.constant(1)
    with v1.variable_scope("a", values=[tensor]), v1.variable_op_scope([tensor], "b"), v1.op_scope([tensor], "c"):
        assert v1.get_default_graph() is other
        assert v1.get_variable("v", [1]).name == "a/b/v:0"
