"""What stays alive: functions, concrete functions, variables, tensors, graphs, instances."""

from __future__ import annotations

import gc
import weakref

from tests.oracle.support import attempt


def _alive(reference):
    gc.collect()
    return reference() is not None


def prog_instance_of_method_is_freed(tf, np):
    """A tf.function method does not keep its instance alive."""

    class C:
        @tf.function(autograph=False)
        def f(self, x):
            return x + 1

    c = C()
    r = [c.f(tf.constant(1))]
    w = weakref.ref(c)
    del c
    return r + [_alive(w)]


def prog_argument_objects_are_weak(tf, np):
    """Python objects given as arguments are not kept by the cache."""

    class Key:
        pass

    f = tf.function(lambda k, x: x * 2, autograph=False)
    k = Key()
    r = f(k, tf.constant(3))
    w = weakref.ref(k)
    del k
    return [r, _alive(w)]


def prog_dead_argument_retraces(tf, np):
    """A new object after the old one died is a new trace."""

    class Key:
        pass

    f = tf.function(lambda k, x: x, autograph=False)
    f(Key(), tf.constant(1))
    gc.collect()
    f(Key(), tf.constant(1))
    return f.experimental_get_tracing_count()


def prog_concrete_function_outlives_function(tf, np):
    """Deleting the function leaves the concrete function working."""
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v, autograph=False)
    cf = f.get_concrete_function(tf.TensorSpec([]))
    del f
    gc.collect()
    v.assign(5.0)
    return [cf(tf.constant(3.0))]


def prog_variable_deleted_while_captured(tf, np):
    """A function whose captured variable lost its Python object."""

    def make():
        v = tf.Variable(4.0)
        return tf.function(lambda x: x + v, autograph=False).get_concrete_function(tf.TensorSpec([])), weakref.ref(v)

    cf, _ = make()
    gc.collect()
    return [attempt(lambda: cf(tf.constant(1.0)), words=0)]


def prog_module_is_freed(tf, np):
    """Modules with variables and functions are collected."""

    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

        @tf.function(autograph=False)
        def f(self, x):
            return x * self.v

    m = M()
    r = m.f(tf.constant(2.0))
    w, wv = weakref.ref(m), weakref.ref(m.v)
    del m
    return [r, _alive(w), _alive(wv)]


def prog_tensors_are_freed(tf, np):
    """Eager tensors die with their last reference; weak references work."""
    x = tf.constant([1.0, 2.0])
    w = weakref.ref(x)
    first = w() is x
    del x
    return [first, w() is None]


def prog_tape_releases_tensors(tf, np):
    """Intermediate results go when a non-persistent tape has been used."""
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        z = y * y
    w = weakref.ref(y)
    del y
    g = tape.gradient(z, v)
    del tape, z
    return [g, _alive(w)]


def prog_graph_is_freed(tf, np):
    """A tf.Graph goes with its last reference."""
    g = tf.Graph()
    with g.as_default():
        tf.constant(1)
    w = weakref.ref(g)
    del g
    return _alive(w)


def prog_many_functions(tf, np):
    """A hundred short-lived functions."""
    total = 0
    for i in range(100):
        f = tf.function(lambda x, i=i: x + i, autograph=False)
        total += int(f(tf.constant(1)))
    return total


def prog_numpy_view_survives_assign(tf, np):
    """An array taken from a variable keeps its numbers after assigns."""
    v = tf.Variable([1.0, 2.0, 3.0])
    before = v.numpy()
    t = v.read_value()
    v.assign_add([1.0, 1.0, 1.0])
    v[0].assign(100.0)
    v.scatter_nd_update([[1]], [50.0])
    return [before, t, v]


def prog_numpy_view_of_function_result(tf, np):
    """Results of earlier calls stay as they were."""
    v = tf.Variable([0.0, 0.0])

    @tf.function(autograph=False)
    def f():
        v.assign_add([1.0, 2.0])
        return v.read_value(), v

    first = f()
    kept = [t.numpy() for t in first]
    f()
    return [first, kept, v]
