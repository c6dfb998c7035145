"""tf.profiler.experimental: starting and stopping, files, traces."""

from __future__ import annotations

import os
import tempfile

from tests.oracle.support import attempt


def _files(folder):
    """The kinds of files below a folder, the folders on the way to them, and how many runs there are."""
    found = []
    for path, _, names in os.walk(folder):
        parts = os.path.relpath(path, folder).split(os.sep)
        found += [("/".join(parts[:2]), len(parts)) for name in names if name.endswith(".xplane.pb")]
    return found


def _stop_all(tf):
    """Ends a profile that a failed program left."""
    attempt(lambda: tf.profiler.experimental.stop(save=False))


def prog_a_profile_is_written(tf, np):
    """Where the plugin of TensorBoard looks."""
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        tf.tanh([1.0])
        answer = tf.profiler.experimental.stop()
        return [answer, _files(folder)]


def prog_a_profile_that_is_given_up(tf, np):
    """stop(save=False) writes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        tf.profiler.experimental.stop(save=False)
        return os.listdir(folder)


def prog_stopping_without_a_profile(tf, np):
    """An error, whether it would have been saved or not."""
    return [attempt(tf.profiler.experimental.stop, words=9), attempt(lambda: tf.profiler.experimental.stop(save=False), words=9)]


def prog_starting_twice(tf, np):
    """Only one profile runs at a time; the first goes on."""
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        second = attempt(lambda: tf.profiler.experimental.start(folder), words=4)
        first = attempt(tf.profiler.experimental.stop)
        third = attempt(tf.profiler.experimental.stop, words=9)
        return [second, first, third]


def prog_bad_arguments(tf, np):
    """Arguments of the wrong class; nothing runs afterwards."""
    answers = [attempt(lambda: tf.profiler.experimental.start(3), words=1), attempt(lambda: tf.profiler.experimental.start("x", options=3), words=3)]
    return [*answers, attempt(tf.profiler.experimental.stop, words=9)]


def prog_a_folder_that_cannot_be_made(tf, np):
    """The profile is over all the same."""
    with tempfile.NamedTemporaryFile() as file:
        tf.profiler.experimental.start(file.name + "/logs")
        return [isinstance(attempt(tf.profiler.experimental.stop).error, tf.errors.OpError), attempt(tf.profiler.experimental.stop, words=9)]


def prog_options(tf, np):
    """ProfilerOptions is a tuple with names."""
    options = tf.profiler.experimental.ProfilerOptions
    return [tuple(options()), repr(options(host_tracer_level=3)), options(1, 2, 3, 4)._asdict(), options()._replace(delay_ms=5).delay_ms, options() == options()]


def prog_blocks(tf, np):
    """Profile as a context, with options, and left by an error."""
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder, options=tf.profiler.experimental.ProfilerOptions(host_tracer_level=1)) as entered:
            tf.tanh([1.0])

        def failing():
            with tf.profiler.experimental.Profile(folder):
                raise KeyError("inside")

        return [entered, attempt(failing), len(_files(folder)) >= 1, attempt(tf.profiler.experimental.stop, words=9)]


def prog_traces(tf, np):
    """Trace with facts, in a profile and without one."""
    trace = tf.profiler.experimental.Trace
    with trace("alone", step_num=1, _r=1) as entered:
        entered.set_metadata(loss=0.5)
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder):
            for step in range(2):
                with trace("train", step_num=step, _r=1, kind="warm") as one:
                    one.set_metadata(more=3)
        return [type(entered).__name__, len(_files(folder))]


def prog_a_trace_that_raises(tf, np):
    """The error passes."""

    def failing():
        with tf.profiler.experimental.Trace("bad"):
            raise ValueError("inside")

    return attempt(failing)


def prog_results_are_the_same_while_a_profile_runs(tf, np):
    """Ops, functions, gradients."""
    x = tf.constant([1.0, 2.0, 3.0])
    v = tf.Variable([1.0, 2.0, 3.0])
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x) * v))

    def answers():
        with tf.GradientTape() as tape:
            y = f(x) + tf.reduce_sum(v * v)
        return [y, tape.gradient(y, v), f(x + 1.0), tf.nn.softmax(x)]

    before = answers()
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        during = answers()
        tf.profiler.experimental.stop()
    return [before, during, answers()]
