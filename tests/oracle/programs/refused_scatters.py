"""What scatter_nd refuses, and in which words."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_scatter_nd_in_eager_mode(tf, np):
    """Shapes that do not fit, positions out of range."""
    cases = [([[0], [1]], [1, 2], [3]), ([[5]], [1], [3]), ([[-1]], [1], [3]), ([[0]], [1, 2], [3]), ([[0]], [[1, 2]], [3]), ([0], [1], [3]), ([[0, 0, 0]], [1], [2, 2]), ([[0]], [1], []), ([[0]], [1], [-3]), ([[0]], [1], [[3]]), ([[0]], [1], [0]), (0, 1, [3]), ([[0]], 1, [3]), ([[0]], [1], 3), ([[0]], ["a"], [2]), ([[0], [7]], [[1], [2]], [2, 1])]
    return [attempt(lambda c=c: tf.scatter_nd(*c), words=20) for c in cases]


def prog_scatter_nd_in_a_graph(tf, np):
    """The same while tracing; what only the values tell, when the graph runs."""
    cases = [([[0]], [1, 2], [3]), ([[0]], [1], [[3]]), ([[0]], [1], 3), (0, 1, [3]), ([[0]], 1, [3]), ([[0]], [1], [-3])]
    return [attempt(lambda c=c: tf.function(lambda: tf.scatter_nd(*c), autograph=False)(), words=8) for c in cases]
