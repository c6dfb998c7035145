"""Tapes used at the wrong time and with the wrong kinds of things; what is logged; threads and objects."""

from __future__ import annotations

from tests.oracle.support import attempt, logged


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


# --- use at the wrong time, wrong kinds -------------------------------------------------------------------------------


def prog_used_up(tf, np):
    """A second gradient of a plain tape, inside and outside of the scope."""
    x = _x(tf)
    out = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    out.append(attempt(lambda: tape.gradient(y, x), 14))
    out.append(attempt(lambda: tape.gradient(y, 5), 14))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.gradient(y, x)
        out.append(attempt(lambda: tape.gradient(y, x), 14))
        out.append(attempt(lambda: tape.watch(x), 2))
        out.append(attempt(lambda: tape.stop_recording().__enter__(), 4))
        out.append(attempt(tape.reset, 4))
    return out


def prog_used_before_the_scope(tf, np):
    """Methods of a tape that was never entered."""
    x = _x(tf)
    tape = tf.GradientTape()
    return [
        attempt(lambda: tape.gradient(x, x), 14),
        attempt(lambda: tape.jacobian(x, x), 14),
        attempt(lambda: tape.stop_recording().__enter__(), 4),
        attempt(tape.reset, 4),
        attempt(lambda: tape.__exit__(None, None, None), 3),
    ]


def prog_used_after_the_scope(tf, np):
    """watch, stop_recording and reset when the tape no longer records."""
    x, z = _x(tf), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [
        attempt(lambda: tape.watch(z), 3),
        attempt(lambda: tape.stop_recording().__enter__(), 6),
        attempt(tape.reset, 6),
        tape.gradient(y, x),
    ]


def prog_entered_while_recording(tf, np):
    """Entering an active tape."""
    tape = tf.GradientTape()

    def enter():
        with tape:
            with tape:
                return "entered"

    return [attempt(enter, 14)]


def prog_wrong_kinds(tf, np):
    """Targets, sources and weights of other kinds."""
    x = _x(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        text = tf.constant("a")
        whole = tf.constant(3)
    return [
        tape.gradient(text, x),
        tape.gradient(y, text),
        tape.gradient(whole, whole),
        tape.gradient(text, text),
        tape.gradient([y, text, whole], [x, whole]),
        attempt(lambda: tape.gradient(None, x), 8),
        attempt(lambda: tape.gradient([y, None], x), 8),
        attempt(lambda: tape.gradient(3.0, x), 0),
        attempt(lambda: tape.gradient("a", x), 0),
        attempt(lambda: tape.gradient(np.ones(3), x), 0),
        attempt(lambda: tape.gradient(y, None), 0),
        attempt(lambda: tape.gradient(y, 3.0), 0),
        attempt(lambda: tape.gradient(y, np.ones(3)), 0),
        attempt(lambda: tape.gradient(y, [x, "a"]), 0),
        attempt(lambda: tape.gradient(y, x, unconnected_gradients="nothing"), 8),
        attempt(lambda: tape.gradient(y, x, unconnected_gradients=None), 8),
    ]


def prog_wrong_weights(tf, np):
    """output_gradients of other shapes, dtypes and numbers."""
    x = _x(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [
        attempt(lambda: tape.gradient(y, x, output_gradients=tf.constant([1, 2, 3])), 0),
        attempt(lambda: tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0])), 0),
        tape.gradient(y, x, output_gradients=tf.constant(2.0)),
        tape.gradient(y, x, output_gradients=np.array([1.0, 2.0, 3.0], np.float32)),
    ]


def prog_wrong_things_to_watch(tf, np):
    """Only tensors and variables."""
    out = []
    with tf.GradientTape() as tape:
        for thing in (5, 2.0, "x", None, np.ones(2), [tf.constant(1.0), 3], object, {"a": 1.0}):
            result = attempt(lambda: tape.watch(thing), 3)
            out.append(result)
    return out


def prog_warnings_of_watch(tf, np):
    """The words, and how often."""

    def several():
        with tf.GradientTape() as tape:
            for _ in range(8):
                tape.watch(tf.constant(1))

    def kinds():
        with tf.GradientTape() as tape:
            tape.watch(tf.constant(True))
            tape.watch(tf.constant("a"))
            tape.watch(tf.Variable(1))
            tape.watch([tf.constant(1.0), tf.constant(1, tf.int64)])

    return logged(tf, several, 20), logged(tf, kinds, 20)


def prog_remarks_on_targets_and_sources(tf, np):
    """At level 1 of the logger, nothing above."""

    def run():
        x = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(tf.constant("a"), x)
        tape.gradient(y, tf.constant(1))
        tape.gradient([y, tf.constant(2)], [x, tf.constant("b")])

    logger = tf.get_logger()
    level = logger.level
    quiet = logged(tf, run)
    logger.setLevel(1)
    try:
        loud = logged(tf, run, 20)
    finally:
        logger.setLevel(level)
    return quiet, loud


def prog_warning_of_a_gradient_inside_the_scope(tf, np):
    """Once for one line."""

    def persistent():
        x = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            for _ in range(3):
                tape.gradient(y, x)

    def plain():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.gradient(y, x)

    return logged(tf, persistent, 18), logged(tf, plain, 18)


def prog_constructor(tf, np):
    """Arguments by position and by name."""
    x = _x(tf)
    out = []
    for tape in (tf.GradientTape(True), tf.GradientTape(True, False), tf.autodiff.GradientTape(persistent=True)):
        v = tf.Variable(2.0)
        with tape:
            tape.watch(x)
            y = x * v
        out.append([tape.gradient(y, x), tape.gradient(y, v)])
    return [*out, attempt(lambda: tf.GradientTape(nothing=True), 3)]


def prog_threads(tf, np):
    """A tape records the thread it was entered in."""
    import threading

    x = _x(tf)
    found = {}

    def other():
        found["y"] = x * x

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        z = x**3
    return [tape.gradient(found["y"], x), tape.gradient(z, x)]


def prog_tape_kept_in_an_object(tf, np):
    """Recording in one method, differentiating in another."""

    class Solver:
        def __init__(self):
            self.v = tf.Variable([1.0, 2.0])

        def forward(self):
            with tf.GradientTape() as self.tape:
                self.loss = tf.reduce_sum(self.v**3)

        def backward(self):
            return self.tape.gradient(self.loss, self.v)

    solver = Solver()
    out = []
    for _ in range(2):
        solver.forward()
        out.append(solver.backward())
    return out


def prog_deleted_tensors(tf, np):
    """What the user lets go of is kept as far as needed."""
    x = _x(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
        z = y * y
        del y
        w = tf.exp(z)
        del z
    return tape.gradient(w, x)
