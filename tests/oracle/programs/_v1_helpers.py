"""Programs of version 1: a graph of its own and a session, and what may be said of variables and operations."""

from __future__ import annotations

from tests.oracle.support import attempt


def in_session(call):
    """Makes a program of a function of `tf`, `tf.compat.v1`, a session and NumPy, run in a graph of its own."""

    def program(tf, np):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return call(tf, tf.compat.v1, session, np)

    return program


def eagerly(call):
    """Makes a program of a function of `tf`, `tf.compat.v1` and NumPy, run in eager mode.

    The default graph is new, since names of scopes are counted there.
    """

    def program(tf, np):
        tf.compat.v1.reset_default_graph()
        return call(tf, tf.compat.v1, np)

    return program


def named(items):
    """The names of variables or operations."""
    return [item.name for item in items]


def said(call, words=6):
    """What a call returns or raises, by leading words."""
    return attempt(call, words)


def operations(tf, prefix=""):
    """The operations of the default graph whose names begin so: type, name, inputs, control inputs."""
    found = tf.compat.v1.get_default_graph().get_operations()
    return [
        (op.type, op.name, named(op.inputs), sorted(named(op.control_inputs)))
        for op in found
        if op.name.startswith(prefix)
    ]


def initialized(v1, session):
    """Gives the variables of the graph their initial values."""
    session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])


def repeated(session, operation, count, *fetches):
    """What fetches are after each of several runs of an operation."""
    found = []
    for _ in range(count):
        session.run(operation)
        found.append(session.run(list(fetches)))
    return found
