"""What a test gets from `with self.session() as sess`.

In a graph it is a session that runs the graph. In eager mode ops run at once and there is nothing to run, so a test
that asks the session for something is one of TensorFlow 1: it is told so.

Tests: tests/testing/test_test_case.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from millrace._src.core.context import state
from millrace._src.graph.graph import Graph
from millrace._src.graph.scopes import device, executing_eagerly
from millrace._src.testing.evaluation import evaluate
from millrace._src.testing.graph_sessions import session_of_graph


class EagerSession:
    """What `self.session()` gives in eager mode: nothing but an explanation."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            "while eager execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to "
            f"work with eager execution or build a tf.Graph and use it as the default; asked for was {name!r}."
        )


class EvaluatingSession(EagerSession):
    """What `self.cached_session()` gives in eager mode: `run` evaluates."""

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the values of tensors.

        Raises: NotImplementedError: if something is fed; eager tensors have their values.
        """
        if args or kwargs:
            raise NotImplementedError("A session in eager mode takes no feeds or options: eager tensors have values.")
        return evaluate(fetches)


@contextlib.contextmanager
def session_of_a_test(graph: Graph, use_gpu: bool, force_gpu: bool, evaluates: bool = False) -> Iterator[Any]:
    """Gives the session of a graph or, in eager mode, one that explains or evaluates.

    Args:
      graph: The graph to run, the default graph if None.
      use_gpu: Whether ops may run on a GPU.
      force_gpu: Whether ops must run on a GPU.
      evaluates: Whether the session of eager mode evaluates tensors.
    """
    placed = device("/device:GPU:0" if force_gpu else "/device:CPU:0")
    where = contextlib.nullcontext() if use_gpu and not force_gpu else placed
    if executing_eagerly():
        with where:
            yield EvaluatingSession() if evaluates else EagerSession()
        return
    chosen = state.graph if graph is None else graph
    with chosen.as_default(), where:
        yield session_of_graph(chosen)
