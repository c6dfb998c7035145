"""The session of a graph, for tests: `self.evaluate(y)` says no session, yet variables keep their values.

A graph has one such session, which lives as long as the graph.

Tests: tests/testing/test_test_case.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.session.session import Session
from millrace._src.core.default_session import default_session
from millrace._src.graph.graph import Graph

_SESSION = "session of a test"


def session_of_graph(graph: Graph) -> Any:
    """Returns the default session if it runs a graph, else the one session that tests have for the graph."""
    default = default_session()
    if default is not None and default.graph is graph:
        return default
    if _SESSION not in graph.attachments:
        graph.attachments[_SESSION] = Session(graph=graph)
    return graph.attachments[_SESSION]
