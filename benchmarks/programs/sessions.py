"""Sessions of TensorFlow 1: what a run costs besides its operations, a training step, the first run of a large graph.

The first run of a graph of 10,000 nodes fetches 100 of them; each repetition makes a new session, which knows nothing
of the runs before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("session_scalar", "run of a session, scalar add", "us"),
    Row("session_callable", "callable of a session, scalar add", "us"),
    Row("session_step", "training step of two dense layers in a session, batch 1", "us"),
    Row("session_step_60", "training step of two dense layers in a session, batch 60", "us"),
    Row("session_first", "first run of 10,000 nodes, 100 fetches, in a new session", "ms"),
)
_NODES, _EVERY = 10_000, 100


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    v1 = tf.compat.v1
    rng = np.random.RandomState(0)
    with tf.Graph().as_default() as graph:
        number = v1.placeholder(tf.float32, [])
        added = number + 1.0
        x, y = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
        weights = [tf.Variable((0.05 * rng.randn(*shape)).astype("float32")) for shape in ((784, 128), (128, 10))]
        loss = tf.reduce_mean((tf.nn.relu(x @ weights[0]) @ weights[1] - y) ** 2)
        found = tf.gradients(loss, weights)
        train = tf.group(*[w.assign_sub(1e-3 * gradient) for w, gradient in zip(weights, found)])
        init = v1.global_variables_initializer()
    session = v1.Session(graph=graph)
    session.run(init)
    call = session.make_callable(added, [number])
    inputs, wanted = rng.rand(60, 784).astype("float32"), rng.rand(60, 10).astype("float32")
    one = {x: inputs[:1], y: wanted[:1]}
    sixty = {x: inputs, y: wanted}
    with tf.Graph().as_default() as large:
        value = v1.placeholder(tf.float32, [10])
        start, fetches = value, []
        for i in range(_NODES):
            value = value + 0.001
            if i % _EVERY == 0:
                fetches.append(value)
    fed = {start: np.ones(10, "float32")}

    def first() -> Any:
        with v1.Session(graph=large) as fresh:
            return fresh.run(fetches, fed)

    return {
        "session_scalar": {"": lambda: session.run(added, {number: 1.0})},
        "session_callable": {"": lambda: call(1.0)},
        "session_step": {"": lambda: session.run([train, loss], one)},
        "session_step_60": {"": lambda: session.run([train, loss], sixty)},
        "session_first": {"": first},
    }
