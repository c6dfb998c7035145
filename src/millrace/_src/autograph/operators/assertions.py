"""`assert` of a tensor.

A tensor of a graph has no truth while the function is traced. So the assertion becomes an `Assert` of the graph, which
is checked whenever the graph runs, and Python has nothing left to assert.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.staged_values import belongs_into_graph
from millrace._src.autograph.operators.tensorflow_refusals import AS_BOOL, refuse_if_strict
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops.debug.assertion import assert_that


def assert_stmt(test: object, message: Callable[[], Any]) -> Any:
    """Returns what is left for Python to assert: the test itself, or True once the graph has an `Assert`."""
    if not belongs_into_graph(test):
        return test
    refuse_if_strict(OperatorNotAllowedInGraphError, AS_BOOL)
    assert_that(condition_tensor(test, "assert statement"), [convert_to_tensor(str(message()))])
    return True
