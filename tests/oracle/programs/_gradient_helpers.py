"""What several topics about gradients share."""

from __future__ import annotations


def taped(tf, f, *xs, order=1):
    """The value of `f` and its gradients by every argument, `order` times deep for the first one."""
    with tf.GradientTape(persistent=order > 1) as tape:
        tape.watch(xs)
        y = f(*xs)
        if order > 1:
            gradients = [tape.gradient(y, list(xs))]
            for _ in range(order - 1):
                last = gradients[-1][0]
                gradients.append(None if last is None else tape.gradient(last, list(xs)))
            return [y, *gradients]
    return [y, tape.gradient(y, list(xs))]


def modes(tf, f):
    """The function itself and as a graph; without AutoGraph, which cannot read every lambda."""
    return [f, tf.function(f, autograph=False)]


def by_nested_tapes(tf, f, x, value_of=lambda gradient: gradient):
    """The value of `f`, its gradient and, of a value of that, the gradient: by a tape in a tape."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
        value = value_of(first)
    return y, first, outer.gradient(value, x)


def value_and_gradient(tf, f, x, sources):
    """The value of `f` at a watched tensor, and its gradient by the sources."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, sources)]


def make_triple(tf):
    @tf.custom_gradient
    def triple(x):
        return x * 1.0, lambda dy: dy * 3.0

    return triple


def make_cube(tf):
    @tf.custom_gradient
    def cube(x):
        def grad(dy):
            return dy * 3.0 * x * x

        return x**3.0, grad

    return cube
