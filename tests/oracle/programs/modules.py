"""tf.Module: collecting variables, submodules, names and scopes."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple

from tests.oracle.support import attempt, normalise


def _names(variables):
    return [v.name for v in variables]


def _dense_class(tf):
    class Dense(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b")

        def __call__(self, x):
            return tf.nn.relu(x @ self.w + self.b)

    return Dense


def prog_variables_of_simple_module(tf, np):
    """Attributes are collected in name order."""
    d = _dense_class(tf)(2, 3)
    return [_names(d.variables), _names(d.trainable_variables), type(d.variables).__name__, d(tf.ones([1, 2])), d.name, d.submodules]


def prog_nested_modules(tf, np):
    """Submodules, variables of variables."""
    dense = _dense_class(tf)

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.second = dense(2, 2)
            self.first = dense(3, 2, name="named")
            self.scale = tf.Variable(2.0, trainable=False, name="scale")

    n = Net()
    return [_names(n.variables), _names(n.trainable_variables), _names(n.non_trainable_variables), [s.name for s in n.submodules], n.name, len(n.variables)]


def prog_containers_of_variables(tf, np):
    """Lists, tuples, dicts and nests are searched."""
    point = namedtuple("point", ["p", "q"])
    m = tf.Module()
    m.items = [tf.Variable(1, name="l0"), [tf.Variable(2, name="l1")]]
    m.table = {"z": tf.Variable(3, name="z"), "a": tf.Variable(4, name="a")}
    m.pair = (tf.Variable(5, name="t"), point(tf.Variable(6, name="np"), 1))
    m.number = 5
    return [_names(m.variables), len(m.trainable_variables)]


def prog_attributes_added_later(tf, np):
    """Attributes set from outside count."""
    m = tf.Module(name="plain")
    before = m.variables
    m.v = tf.Variable(1.0)
    m.child = tf.Module()
    m.child.u = tf.Variable(2.0, name="u")
    return [before, _names(m.variables), [s.name for s in m.submodules], m.variables]


def prog_shared_variables_once(tf, np):
    """A variable reachable twice appears once."""
    m = tf.Module()
    v = tf.Variable(1.0, name="shared")
    m.a, m.b, m.c = v, [v], {"k": v}
    return _names(m.variables)


def prog_cyclic_modules(tf, np):
    """Cycles end."""
    a, b = tf.Module(name="a"), tf.Module(name="b")
    a.other, b.other = b, a
    a.v, b.v = tf.Variable(1, name="va"), tf.Variable(2, name="vb")
    return [_names(a.variables), _names(b.variables), [s.name for s in a.submodules]]


def prog_default_names(tf, np):
    """Class names become snake case."""
    names = ["Dense", "MyDenseLayer", "HTTPServer", "Conv2D", "lower", "A", "Layer1Norm", "_Private", "ABCTest"]
    return [attempt(lambda n=n: type(n, (tf.Module,), {})().name) for n in names]


def prog_bad_names(tf, np):
    """Names must be Python identifiers."""
    return [attempt(lambda n=n: tf.Module(name=n).name) for n in ("ok", "with space", "1a", "a/b", "", "a-b", "_x")]


def prog_name_scope(tf, np):
    """name_scope prefixes variables made inside."""

    class DemoModule(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.v = tf.Variable(6.0)
                self.child = Child()

        @tf.Module.with_name_scope
        def make(self):
            return tf.Variable(1.0, name="made")

    class Child(tf.Module):
        @tf.Module.with_name_scope
        def __init__(self):
            super().__init__()

        @tf.Module.with_name_scope
        def late(self):
            self.w = tf.Variable(1.0, name="w")
            return self.w

    class Simple(tf.Module):
        def __init__(self):
            super().__init__()
            with self.name_scope:
                self.v = tf.Variable(1.0)

    s = Simple()
    return [s.variables, s.name_scope.name, attempt(lambda: DemoModule().v.name, words=4)]


def prog_name_scope_of_methods(tf, np):
    """with_name_scope on methods, nested modules."""

    class Inner(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self):
            if not hasattr(self, "w"):
                self.w = tf.Variable(1.0, name="w")
            return self.w

    class Outer(tf.Module):
        def __init__(self):
            super().__init__(name="top")
            self.inner = Inner()

        @tf.Module.with_name_scope
        def __call__(self):
            return self.inner()

    a, b = Outer(), Inner(name="solo")
    return [a().name, b().name, a.name_scope.name, a.inner.name_scope.name]


def prog_with_scopes_in_graph(tf, np):
    """Op names inside with_name_scope in a function."""
    out = []

    class Block(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self, x):
            y = x + 1
            out.append(y.name)
            return tf.nn.relu(y, name="act")

    m = Block()

    @tf.function(autograph=False)
    def f(x):
        y = m(x)
        out.append(y.name)
        z = m(y)
        out.append(z.name)
        return z

    f(tf.constant([1.0]))
    return out


def prog_flatten_by_predicate(tf, np):
    """_flatten with predicates through public properties."""
    m = tf.Module()
    m.a = tf.Variable(1.0, name="a")
    m.b = tf.Variable(2, name="b", trainable=False)
    m.c = tf.Variable(3, name="c")
    return [_names(m.variables), _names(m.trainable_variables), _names(m.non_trainable_variables)]


def prog_module_repr_and_str(tf, np):
    """repr of a module is the object's."""

    class Thing(tf.Module):
        pass

    return [normalise(repr(Thing())).split(".")[-1], repr(Thing().variables), repr(tf.Module().submodules)]


def prog_forgotten_super_init(tf, np):
    """Without super().__init__ the name is missing; variables still work."""

    class Bad(tf.Module):
        def __init__(self):
            self.v = tf.Variable(1.0)

    b = attempt(lambda: Bad(), words=4)
    return [attempt(lambda: b.name, words=4), attempt(lambda: _names(b.variables), words=3)]


def prog_module_functions(tf, np):
    """tf.function on methods: one trace cache per instance."""
    traces = []

    class Scaler(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.k = tf.Variable(k)

        @tf.function(autograph=False)
        def __call__(self, x):
            traces.append(self.k.name)
            return x * self.k

    a, b = Scaler(2.0), Scaler(3.0)
    return [a(tf.constant(1.0)), a(tf.constant(2.0)), b(tf.constant(1.0)), len(traces), a.k.assign(10.0).numpy(), a(tf.constant(1.0)), _names(a.variables)]


def prog_lazy_variables_in_method(tf, np):
    """Variables created on the first call of a method."""

    class Lazy(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = None

        @tf.function(autograph=False)
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(tf.ones_like(x))
            return self.v.assign_add(x)

    m = Lazy()
    before = len(m.variables)
    return [before, m(tf.constant([1.0])), m(tf.constant([1.0])), len(m.variables), m.v]


def prog_deepcopy_of_module(tf, np):
    """deepcopy gives independent variables."""
    d = _dense_class(tf)(1, 1)
    c = copy.deepcopy(d)
    c.w.assign([[9.0]])
    return [d.w, c.w, _names(c.variables)]


def prog_pickle_of_module(tf, np):
    """A plain module of variables pickles."""
    m = tf.Module(name="m")
    m.x = 5
    return [attempt(lambda: pickle.loads(pickle.dumps(m)).x, words=0), attempt(lambda: pickle.loads(pickle.dumps(m)).name, words=0)]


def prog_training_a_module(tf, np):
    """Five steps of gradient descent on a line."""

    class Line(tf.Module):
        def __init__(self):
            super().__init__()
            self.a = tf.Variable(0.0)
            self.b = tf.Variable(0.0)

        def __call__(self, x):
            return self.a * x + self.b

    line, x, y = Line(), tf.constant([0.0, 1.0, 2.0]), tf.constant([1.0, 3.0, 5.0])
    losses = []

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((line(x) - y) ** 2)
        for v, g in zip(line.trainable_variables, tape.gradient(loss, line.trainable_variables)):
            v.assign_sub(0.1 * g)
        return loss

    for _ in range(5):
        losses.append(step())
    return [losses, line.a, line.b]


def prog_properties_are_searched_not_called(tf, np):
    """Properties and class attributes do not count as variables."""

    class Odd(tf.Module):
        shared = tf.Variable(1.0, name="class_level")

        @property
        def computed(self):
            raise RuntimeError("must not be called")

    return [_names(Odd().variables), [s.name for s in Odd().submodules]]


def prog_assigning_lists_and_dicts(tf, np):
    """Containers assigned to a module stay usable as list and dict."""
    m = tf.Module()
    m.items = [1, 2]
    m.items.append(tf.Variable(3.0, name="late"))
    m.table = {"a": 1}
    m.table["b"] = tf.Variable(4.0, name="inner")
    return [_names(m.variables), len(m.items), m.items[0], sorted(m.table), isinstance(m.items, list), isinstance(m.table, dict), m.items[:2] == [1, 2]]


def prog_delete_attribute(tf, np):
    """Deleted and replaced attributes are not tracked any more."""
    m = tf.Module()
    m.v = tf.Variable(1.0, name="v")
    m.w = tf.Variable(2.0, name="w")
    del m.v
    m.w = tf.Variable(3.0, name="w2")
    return _names(m.variables)


def prog_inheritance(tf, np):
    """Subclasses of subclasses with super()."""
    dense = _dense_class(tf)

    class Scaled(dense):
        def __init__(self):
            super().__init__(2, 2, name="scaled")
            self.k = tf.Variable(0.5, name="k")

        def __call__(self, x):
            return super().__call__(x) * self.k

    s = Scaled()
    return [_names(s.variables), s(tf.ones([1, 2])), s.name]
