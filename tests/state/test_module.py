"""`tf.Module`: names, scopes, and the walk that finds variables and submodules."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


class Dense(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(1.0, name="w")
        self.b = tf.Variable(2.0, name="b", trainable=False)


def names(variables: Any) -> list[str]:
    return [v.name for v in variables]


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("MyModule", "my_module"),
        ("MyMLModule", "my_ml_module"),
        ("A", "a"),
        ("Layer2D", "layer2_d"),
        ("HTTPServer2", "http_server2"),
    ],
)
def test_the_name_is_the_class_name_in_snake_case(class_name: str, name: str) -> None:
    assert type(class_name, (tf.Module,), {})().name == name


@pytest.mark.parametrize("name", ["1a", "a b", "", "a/b", "a-b"])
def test_a_name_that_is_no_identifier_raises(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid module name"):
        tf.Module(name=name)


def test_variables_come_in_the_order_of_attribute_names_own_ones_first() -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.z = tf.Variable(0.0, name="z")
            self.layers = [Dense("one"), {"k": Dense("two")}, (tf.Variable(0.0, name="t"),)]
            self.a = tf.Variable(0.0, name="a")

    net = Net()
    assert names(net.variables) == ["a:0", "t:0", "z:0", "b:0", "w:0", "b:0", "w:0"]
    assert names(net.trainable_variables) == ["a:0", "t:0", "z:0", "w:0", "w:0"]
    assert names(net.non_trainable_variables) == ["b:0", "b:0"]
    assert [m.name for m in net.submodules] == ["one", "two"]
    assert isinstance(net.variables, tuple)


def test_a_variable_found_twice_is_listed_once() -> None:
    m = tf.Module()
    m.a = m.b = tf.Variable(1.0, name="v")
    m.c = [m.a, Dense()]
    m.d = m.c[1]
    assert names(m.variables) == ["v:0", "b:0", "w:0"]
    assert len(m.submodules) == 1


def test_modules_may_refer_to_each_other_and_to_themselves() -> None:
    a, b = Dense("first"), Dense("second")
    a.other, b.other, a.me = b, a, a
    assert len(a.variables) == 4
    assert [m.name for m in a.submodules] in (["second"], ["first", "second"])


def test_attributes_set_later_and_from_outside_count() -> None:
    m = tf.Module()
    assert m.variables == ()
    assert m.submodules == ()
    m.v = tf.Variable(1.0, name="late")
    m.layers = []
    m.layers.append(Dense())
    assert names(m.variables) == ["late:0", "b:0", "w:0"]
    del m.v
    assert len(m.variables) == 2


def test_variables_in_the_module_scope_have_its_name() -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope:
                self.v = tf.Variable(1.0, name="v")
                self.sub = tf.Module(name="inner")
                with self.sub.name_scope:
                    self.w = tf.Variable(1.0, name="w")

        @tf.Module.with_name_scope
        def make(self) -> Any:
            """Makes one."""
            return tf.Variable(1.0, name="u")

    net = Net()
    assert (net.v.name, net.w.name, net.make().name) == ("net/v:0", "net/inner/w:0", "net/u:0")
    assert net.make.__doc__ == "Makes one."
    assert net.name_scope.name == "net/"


def test_a_module_created_inside_a_scope_has_the_outer_name_in_its_scope() -> None:
    with tf.name_scope("outer"):
        m = tf.Module(name="m")
    assert m.name == "m"
    with m.name_scope as scope:
        assert scope == "outer/m/"


def test_a_module_without_super_init_says_what_is_missing() -> None:
    class Forgetful(tf.Module):
        def __init__(self) -> None:
            pass

    with pytest.raises((AttributeError, ValueError)):
        Forgetful().name_scope.__enter__()


def test_functions_and_plain_values_are_not_listed() -> None:
    m = tf.Module()
    m.f = tf.function(lambda x: x)
    m.n, m.s, m.none, m.t = 3, "text", None, tf.constant(1.0)
    assert m.variables == ()
    assert m.submodules == ()


def test_a_module_trains_in_a_function() -> None:
    d = Dense()

    @tf.function(autograph=False)
    def step(x):
        with tf.GradientTape() as tape:
            loss = (d.w * x + d.b) ** 2
        grads = tape.gradient(loss, d.trainable_variables)
        for v, g in zip(d.trainable_variables, grads, strict=True):
            v.assign_sub(0.1 * g)
        return loss

    losses = [float(step(tf.constant(1.0))) for _ in range(3)]
    assert losses[0] == 9.0
    assert losses == sorted(losses, reverse=True)


def test_an_attribute_whose_parts_have_no_order_is_named() -> None:
    module = tf.Module()
    module.table = {1: tf.Variable(1.0), "a": tf.Variable(2.0)}
    with pytest.raises(ValueError, match=r"Error processing property 'table' of DictWrapper\(\{1: ") as refusal:
        _ = module.variables
    assert "not supported between instances" in str(refusal.value.__cause__)
