"""The functions of a SavedModel, and the names that they get in the file.

Problem: names of functions hold counters, so that no two functions of a process have the same name. The same program
would give other bytes each time that it is run.

Idea: the functions are numbered anew, in the order of the file: those of objects, in the order of the objects, and
after each the functions that it calls. The number replaces the counter at the end of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from millrace._src.graph.function_def import collect_functions, function_name, graph_of
from millrace._src.graph.graph import Graph
from millrace._src.graph.graph_def import MIN_CONSUMER_OF_FUNCTIONS, graph_to_graph_def
from millrace._src.graph.node_def import NodeStyle

_COUNTER = re.compile(r"_\d+$")


class SavedFunctions:
    """The functions of a SavedModel by name, in the order of the file."""

    def __init__(self) -> None:
        self._functions: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def functions(self) -> list[Any]:
        """Returns the functions, in the order of the file."""
        return list(self._functions.values())

    def bodies(self) -> Iterator[tuple[Any, Any]]:
        """Yields each function with its graph."""
        for function in self._functions.values():
            yield function, graph_of(function)

    def rename_gradient(self, name: str, new_name: str) -> None:
        """Lets operations refer to a gradient by another name."""
        self._texts[name] = new_name

    def add(self, functions: Iterable[Any]) -> None:
        """Adds functions, and after each the functions that it calls."""
        for function in functions:
            self._add(function)
            for called in collect_functions(graph_of(function)).values():
                self._add(called)

    def _add(self, function: Any) -> None:
        name = function_name(function)
        if name not in self._functions:
            self._functions[name] = function
            self._names[name] = f"{_COUNTER.sub('', name)}_{len(self._functions)}"

    def name_of(self, function: object) -> str:
        """Returns the name of a function in the file; of one that the file does not hold, its own name."""
        name = function_name(function)
        return self._names.get(name, name)

    def graph_def(self, graph: Graph) -> Any:
        """Writes a graph together with all functions; those that the graph calls have been added."""
        style = NodeStyle(add_shapes=True, strips_defaults=True, function_names=self._names, texts=self._texts)
        proto = graph_to_graph_def(graph, style=style, functions=self._functions.values())
        proto.versions.min_consumer = MIN_CONSUMER_OF_FUNCTIONS
        return proto
