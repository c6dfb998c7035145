"""A warning about Python loops that put very many operations into a graph.

Such a loop is unrolled while it is traced. Many operations with one source line are taken for its sign.

Tests: tests/autograph/operators/test_loops.py
"""

from __future__ import annotations

from collections import Counter

from millrace._src.graph.graph import Graph
from millrace._src.util.logger import get_logger

_OPERATIONS = 3000
"""The number of operations from one line of the user's that looks like an unrolled loop."""


def warn_of_unrolled_loops(graph: Graph) -> None:
    """Warns if one line of the user's code has put very many operations into a graph that was traced."""
    operations = graph.get_operations()
    if len(operations) < _OPERATIONS:
        return
    sources = [operation.source for operation in operations if operation.source is not None]
    lines = Counter((source.code.co_filename, source.line, source.function) for source in sources)
    if not lines:
        return
    (filename, line, function), count = lines.most_common(1)[0]
    if count >= _OPERATIONS:
        get_logger().warning(
            "Large unrolled loop detected. Did you mean to use a TF loop? Line %d of %s, in %s, has put %d operations "
            "into the graph. Iterate over tf.range(n) instead of range(n), or over a Tensor, to make it a loop of the "
            "graph.",
            line,
            filename,
            function,
            count,
        )
