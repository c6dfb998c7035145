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
