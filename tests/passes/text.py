"""An optimized graph as text, the same for two graphs that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


def text(graph: OptimizedGraph) -> str:
    """The text of a graph: a line for each node."""
    return "\n".join(_lines(graph, ""))


def _lines(graph: OptimizedGraph, indent: str) -> Iterator[str]:
    names: dict[Value, str] = {value: f"a{i}" for i, value in enumerate(graph.inputs)}
    yield f"{indent}inputs {', '.join(f'{names[v]}: {v.dtype.name} {v.shape}' for v in graph.inputs)}"
    for node in graph.nodes:
        for value in node.outputs:
            names[value] = f"v{len(names)}"
        yield f"{indent}{', '.join(names[v] for v in node.outputs)} = {_call(node, names)}"
        for inner in node.graphs:
            yield from _lines(inner, f"{indent}    ")
    yield f"{indent}return {', '.join(_name(v, names) for v in graph.outputs)}"


def _call(node: Node, names: dict[Value, str]) -> str:
    attrs: dict[str, Any] = {k: v for k, v in node.attrs.items() if not isinstance(v, (OptimizedGraph, tuple))}
    added = "".join(f" + {maker.type}" for maker in node.added)
    must_run = " !" if node.must_run else ""
    return f"{node.type}{added}({', '.join(_name(v, names) for v in node.inputs)}) {attrs}{must_run}"


def _name(value: Value, names: dict[Value, str]) -> str:
    return names[value] if value.constant is None else f"{value.constant!r}:{value.dtype.name}"
