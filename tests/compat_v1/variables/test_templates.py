import pytest

import millrace as tf

v1 = tf.compat.v1


def scaled(x, by=1.0):
    return v1.get_variable("w", [], initializer=v1.ones_initializer()) * x * by


def test_calls_share_the_variables_of_the_first():
    with tf.Graph().as_default():
        first, second = v1.make_template("t", scaled, by=2.0), v1.make_template("t", scaled)
        assert first.var_scope is None
        first(1.0), first(2.0), second(1.0)
        assert [variable.name for variable in v1.global_variables()] == ["t/w:0", "t_1/w:0"]
        assert first.variables == first.trainable_weights == v1.global_variables("t/")


def test_a_name_may_be_taken_before_the_first_call():
    with tf.Graph().as_default():
        template = v1.make_template("t", scaled, create_scope_now_=True)
        with v1.variable_scope("elsewhere"):
            template(1.0)
        assert [variable.name for variable in template.variables] == ["t/w:0"]


def test_eager_templates_keep_their_variables():
    template, other = v1.make_template("t", scaled), v1.make_template("t", scaled)
    template(1.0), template(2.0), other(1.0)
    assert [variable.name for variable in template.variables] == ["t/w:0"]
    template.variables[0].assign(3.0)
    assert float(template(2.0)) == 6
    assert float(other(2.0)) == 2


@pytest.mark.parametrize("is_eager", [True, False])
def test_later_calls_make_no_variables(is_eager):
    count = iter(range(9))
    with tf.init_scope() if is_eager else tf.Graph().as_default():
        template = v1.make_template("g", lambda: v1.get_variable(f"w{next(count)}", []))
        template()
        with pytest.raises(
            ValueError, match=r"(Trainable variable created|does not exist)[\s\S]*originally defined at"
        ):
            template()
    with pytest.raises(ValueError, match="name cannot be None"):
        v1.make_template(None, scaled)
