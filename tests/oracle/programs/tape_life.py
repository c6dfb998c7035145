"""The life of a tape: starting, stopping, entering again, nesting, watching, forgetting, and use at the wrong time."""

from __future__ import annotations

from tests.oracle.modes import in_modes


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


@in_modes()
def plain(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    return f, [_x(tf)]


@in_modes()
def persistent(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**3
            z = y * x
        return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y), tape.gradient([y, z], [x, y]), tape.gradient(y, z)

    return f, [_x(tf)]


@in_modes()
def watched_twice(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.watch(x)
            tape.watch([x, y])
            z = y * x
        return tape.gradient(z, [x, y])

    return f, [_x(tf)]


@in_modes()
def watched_too_late(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            tape.watch(x)
            z = y * x
        return tape.gradient(y, x), tape.gradient(z, x)

    return f, [_x(tf)]


@in_modes()
def intermediate_watched(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(y)
            z = y * x
        return tape.gradient(z, [x, y])

    return f, [_x(tf)]


@in_modes()
def entered_twice(tf, np):
    def f(x):
        tape = tf.GradientTape(persistent=True)
        with tape:
            tape.watch(x)
            y = x * x
        w = y * 10.0
        with tape:
            z = y * x
        return tape.gradient(z, x), tape.gradient(w, x), tape.gradient(w * 1.0, y)

    return f, [_x(tf)]


@in_modes()
def stopped_for_a_while(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * x
                g = tape.gradient(y, x)
            w = z + y + g
        return tape.gradient(w, x), g, tape.gradient(z, x)

    return f, [_x(tf)]


@in_modes()
def stopped_twice_in_a_row(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                a = x * 2.0
            b = x * 3.0
            with tape.stop_recording():
                c = x * 4.0
            y = a * b * c
        return tape.gradient(y, x)

    return f, [_x(tf)]


@in_modes()
def inner_stopped_outer_records(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                with inner.stop_recording():
                    y = x * x
                z = y * x
        return inner.gradient(z, x), outer.gradient(z, x)

    return f, [_x(tf)]


@in_modes()
def reset(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.reset()
            z = y * x
            tape.watch(x)
            w = z + x**2
        return tape.gradient(w, x)

    return f, [_x(tf)]


@in_modes()
def reset_forgets_watches(tf, np):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            tape.reset()
            y = x * x
        return tape.gradient(y, x)

    return f, [_x(tf)]


@in_modes()
def nested_both_watch(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**4
            g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    return f, [_x(tf)]


@in_modes()
def nested_gradient_outside_the_outer_scope(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**4
        g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    return f, [_x(tf)]


@in_modes()
def nested_outer_watches_a_function_of_the_source(tf, np):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            a = x * 2.0
            with tf.GradientTape() as inner:
                inner.watch(a)
                y = a**3
            g = inner.gradient(y, a)
            z = tf.reduce_sum(g * x)
        return outer.gradient(z, [x, a])

    return f, [_x(tf)]


@in_modes()
def nested_different_sources(tf, np):
    """The mixed derivative."""

    def f(x, y):
        with tf.GradientTape() as outer:
            outer.watch(y)
            with tf.GradientTape() as inner:
                inner.watch(x)
                z = x**2 * y**3
            g = inner.gradient(z, x)
        return outer.gradient(g, y)

    return f, [_x(tf), tf.constant([1.0, 2.0, 3.0])]


@in_modes()
def fourth_order(tf, np):
    def f(x):
        def nth(n):
            if n == 0:
                return x**5 + tf.sin(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = nth(n - 1)
            return tape.gradient(y, x)

        return [nth(n) for n in range(5)]

    return f, [_x(tf)]


@in_modes()
def gradient_inside_the_persistent_scope(tf, np):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**4
            g = tape.gradient(y, x)
            h = tape.gradient(g, x)
        return g, h, tape.gradient(h, x)

    return f, [_x(tf)]


@in_modes()
def side_by_side(tf, np):
    def f(x, y):
        with tf.GradientTape() as a, tf.GradientTape() as b:
            a.watch(x)
            b.watch(y)
            z = x * y * y
        return a.gradient(z, [x, y]), b.gradient(z, [x, y])

    return f, [_x(tf), tf.constant([1.0, 2.0, 3.0])]


@in_modes()
def interleaved_scopes(tf, np):
    """The first entered is left first."""

    def f(x):
        first, second = tf.GradientTape(), tf.GradientTape()
        first.__enter__()
        first.watch(x)
        y = x * x
        second.__enter__()
        second.watch(x)
        z = y * x
        first.__exit__(None, None, None)
        w = z * x
        second.__exit__(None, None, None)
        return first.gradient(z, x), second.gradient(w, x)

    return f, [_x(tf)]


@in_modes()
def recorded_in_a_helper(tf, np):
    def f(x):
        def helper(tape):
            tape.watch(x)
            return x * x

        with tf.GradientTape() as tape:
            y = helper(tape) + helper(tape)
        return tape.gradient(y, x)

    return f, [_x(tf)]


@in_modes()
def exception_leaves_the_scope(tf, np):
    def f(x):
        tape = tf.GradientTape()
        try:
            with tape:
                tape.watch(x)
                y = x * x
                raise KeyError("stop")
        except KeyError:
            pass
        z = y * x
        return tape.gradient(y, x), z

    return f, [_x(tf)]
