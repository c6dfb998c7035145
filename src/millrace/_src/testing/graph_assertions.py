"""`tf.test.assert_equal_graph_def`: fails where two `GraphDef`s differ.

Tests: tests/graph/test_graph_comparison.py, tests/oracle/programs/unit_tests.py
"""

from __future__ import annotations

from millrace._src.graph.graph_comparison import describe_difference, require_graph_def
from millrace._src.util.export import export


@export("test.assert_equal_graph_def", v1=[])
def assert_equal_graph_def(expected: object, actual: object) -> None:
    """Fails unless two `GraphDef`s have the same nodes, in any order.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.constant(1.0, name="x")
    >>> tf.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())

    Args:
      expected: A `GraphDef`.
      actual: A `GraphDef`.

    Raises:
      AssertionError: if they differ; the message names the first node that does.
      TypeError: if one of them is not a `GraphDef`.
    """
    require_graph_def("actual", actual)
    require_graph_def("expected", expected)
    difference = describe_difference(expected, actual)
    if difference:
        raise AssertionError(difference)
