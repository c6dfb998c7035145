"""A program of TensorFlow 1 that trains, branches, loops and saves; it runs on real TensorFlow and on Millrace.

`build` adds the graph to the default graph and returns a saver. `steps` goes through a session by the names of tensors
and operations alone, so that it works as well on a graph that was imported from a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_X = np.arange(6, dtype=np.float32).reshape(2, 3)
_Y = np.array([1.0, 2.0], np.float32)


def build(v1: Any) -> Any:
    """Adds the graph to the default graph; returns its saver."""
    x = v1.placeholder(v1.float32, [None, 3], name="x")
    y = v1.placeholder(v1.float32, [None], name="y")
    with v1.variable_scope("layer"):
        w = v1.get_variable("w", [3], initializer=v1.constant_initializer(0.5))
        b = v1.get_variable("b", [], initializer=v1.zeros_initializer())
    prediction = v1.add(v1.reduce_sum(x * w, 1), b, name="prediction")
    loss = v1.reduce_mean(v1.square(prediction - y), name="loss")
    step = v1.train.get_or_create_global_step()
    v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step, name="train")
    v1.identity(v1.cond(x[0, 0] > 0, lambda: w * 2.0, lambda: w - 1.0), name="chosen")
    _, total = v1.while_loop(
        lambda i, a: i < 5, lambda i, a: (i + 1, a + v1.reduce_sum(w) * v1.cast(i, v1.float32)), [0, 0.0]
    )
    v1.identity(total, name="total")
    array = v1.TensorArray(v1.float32, 4)
    _, array = v1.while_loop(
        lambda i, t: i < 4, lambda i, t: (i + 1, t.write(i, v1.cast(i, v1.float32) * b + 1.0)), [0, array]
    )
    v1.identity(array.stack(), name="stacked")
    with v1.control_dependencies([v1.assign_add(b, 1.0)]):
        v1.identity(b.read_value(), name="after")
    rows = v1.get_variable("rows", [5, 2], initializer=v1.ones_initializer())
    v1.nn.embedding_lookup(rows, [1, 3], name="looked_up")
    v1.global_variables_initializer()
    return v1.train.Saver()


def train(session: Any) -> list[float]:
    """Takes three steps; returns the losses before each."""
    return [float(session.run(["train", "loss:0"], {"x:0": _X, "y:0": _Y})[1]) for _ in range(3)]


def looked_at(session: Any) -> list[Any]:
    """Returns what the graph computes after three steps, and the losses of three more."""
    found: list[Any] = [session.run("chosen:0", {"x:0": _X + offset}).tolist() for offset in (1, -1)]
    names = ["total:0", "stacked:0", "after:0", "looked_up:0"]
    found += [np.asarray(session.run(name)).tolist() for name in names]
    return [*found, *train(session), np.asarray(session.run("after:0")).tolist()]
