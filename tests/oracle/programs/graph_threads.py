"""Threads that build one graph: what each sees of the scopes that others entered."""

from __future__ import annotations

import threading

SCOPES = {
    "name": lambda g, c: g.name_scope("outer"),
    "control": lambda g, c: g.control_dependencies([c]),
    "device": lambda g, c: g.device("/cpu:1"),
    "device_function": lambda g, c: g.device(lambda operation: "/cpu:2"),
    "colocation": lambda g, c: g.colocate_with(c),
}


def _in_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def _node(g):
    op = g.create_op("NoOp", [], [])
    return [op.name, op.device, [c.name for c in op.control_inputs], op.colocation_groups(), g.get_name_scope()]


def _seen(g, c, scope, switch=None):
    seen = []
    with scope(g, c):
        if switch is not None:
            seen.append(switch())
        seen += [_node(g), _in_thread(lambda: _node(g)), _node(g)]
        with scope(g, c):
            seen.append(_node(g))
    return [*seen, _node(g), _in_thread(lambda: _node(g))]


def prog_scopes_of_a_plain_graph(tf, np):
    """Each kind of scope, seen from its own thread and from another one."""
    out = {}
    for name, scope in SCOPES.items():
        g = tf.Graph()
        out[name] = _seen(g, g.create_op("NoOp", [], [], name="c"), scope)
    return out


def prog_scopes_of_a_function_graph(tf, np):
    """The same in a FuncGraph."""
    out = {}
    for name, scope in SCOPES.items():
        g = tf.__internal__.FuncGraph("f")
        out[name] = _seen(g, g.create_op("NoOp", [], [], name="c"), scope)
    return out


def prog_switch_to_thread_local(tf, np):
    """The switch within a scope changes nothing in TensorFlow 2."""
    out = {}
    for name, scope in SCOPES.items():
        g = tf.Graph()
        out[name] = _seen(g, g.create_op("NoOp", [], [], name="c"), scope, g.switch_to_thread_local)
    return out


def prog_container_and_gradient_overrides(tf, np):
    """What belongs to the graph holds in all threads."""
    g = tf.Graph()

    def build():
        with g.as_default():
            op = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[]).op
            return [op.get_attr("container"), op.get_attr("_gradient_op_type")]

    with g.container("box"), g.gradient_override_map({"VarHandleOp": "Other"}):
        return [build(), _in_thread(build)]


def prog_default_graphs(tf, np):
    """Each thread has a default graph, and enters graphs alone."""
    own = tf.compat.v1.get_default_graph()
    with tf.Graph().as_default() as g:
        entered = _in_thread(lambda: [tf.compat.v1.get_default_graph() is g, tf.executing_eagerly()])
    return [_in_thread(lambda: tf.compat.v1.get_default_graph() is own), entered]
