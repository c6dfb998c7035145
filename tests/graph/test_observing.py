"""An observer of operations."""

from __future__ import annotations

import millrace as tf
from millrace._src.graph.graph import Graph
from millrace._src.graph.observing import observe_operations


def test_an_observer_sees_each_operation_until_it_goes() -> None:
    plain, seen = Graph.add_operation, []
    observe_operations(lambda graph, operation: seen.append(operation.type))
    try:
        tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([]))
    finally:
        observe_operations(None)
    assert seen[:3] == ["Placeholder", "Const", "AddV2"]
    assert Graph.add_operation is plain
