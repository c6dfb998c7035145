"""A program that builds a graph; real TensorFlow and Millrace must give the same `GraphDef` for it.

`Programs` collects them by decorators: `graph` programs run inside a `tf.Graph`, `function` programs are traced as a
`tf.function` for the specs given; `with_shapes` programs are graphs written with the shapes of their tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Program:
    """A program: `body(tf)` in a graph, or `body(tf, *arguments)` as a function of `specs(tf)`."""

    name: str
    body: Callable[..., Any]
    specs: Callable[[Any], list[Any]] | None = None
    add_shapes: bool = False

    def graph_def(self, tf: Any) -> Any:
        """The `GraphDef` that `tf` (real TensorFlow or Millrace) builds."""
        if self.specs is None:
            graph = tf.Graph()
            with graph.as_default():
                self.body(tf)
        else:
            function = tf.function(lambda *arguments: self.body(tf, *arguments), autograph=False)
            graph = function.get_concrete_function(*self.specs(tf)).graph
        return graph.as_graph_def(add_shapes=self.add_shapes)


class Programs(list[Program]):
    """Programs in the order of their definition."""

    def graph(self, body: Callable[..., Any]) -> Callable[..., Any]:
        self.append(Program(body.__name__, body))
        return body

    def with_shapes(self, body: Callable[..., Any]) -> Callable[..., Any]:
        self.append(Program(body.__name__, body, add_shapes=True))
        return body

    def function(self, specs: Callable[[Any], list[Any]], add_shapes: bool = False) -> Callable[..., Any]:
        def note(body: Callable[..., Any]) -> Callable[..., Any]:
            self.append(Program(body.__name__, body, specs, add_shapes))
            return body

        return note
