"""The section `Concrete Functions` of `show --all`: with which arguments the functions of a SavedModel can be called.

The object graph says which functions hang at the root, and the signature of each of their traces. Nothing is loaded:
the signature is a nest on the wire (`graph/structured_values.py`), and its texts are those of specs.

Tests: tests/command_line/test_show.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.loading_order import loaded_names
from millrace._src.core.specs import TensorSpec
from millrace._src.graph.structured_values import decode_structure


def functions_text(meta_graph: Any) -> str:
    """Returns the section; nothing for a MetaGraph without an object graph, as TensorFlow 1 wrote them."""
    if not meta_graph.HasField("object_graph_def"):
        return ""
    text = "\nConcrete Functions:"
    for name, traces in sorted(_functions(meta_graph.object_graph_def).items()):
        text += f"\n  Function Name: '{name}'\n"
        text += "".join(f"{line}\n" for line in _trace_lines(meta_graph, traces))
    return text


def _functions(objects: Any) -> dict[str, list[str]]:
    """Returns the names of the traces of the functions that are children of the root, by the names of the children."""
    functions: dict[str, list[str]] = {}
    for child in objects.nodes[0].children if objects.nodes else ():
        if not 0 <= child.node_id < len(objects.nodes):
            raise CommandError(f"the object graph has no node {child.node_id}, which it calls {child.local_name!r}.")
        node = objects.nodes[child.node_id]
        kind = node.WhichOneof("kind")
        if kind == "function":
            functions[child.local_name] = list(node.function.concrete_functions)
        elif kind == "bare_concrete_function":
            functions[child.local_name] = [node.bare_concrete_function.concrete_function_name]
    return functions


def _trace_lines(meta_graph: Any, traces: list[str]) -> Iterator[str]:
    for trace in traces:
        if trace not in meta_graph.object_graph_def.concrete_functions:
            raise CommandError(f"the SavedModel has no trace {trace!r} of a function.")
    if len(traces) > 1:
        names = loaded_names(meta_graph.graph_def.library)
        traces = sorted(traces, key=lambda trace: names.get(trace, trace))
    for number, trace in enumerate(traces, start=1):
        function = meta_graph.object_graph_def.concrete_functions[trace]
        try:
            arguments = decode_structure(function.canonicalized_input_signature)
        except (ValueError, NotImplementedError) as error:  # a spec of the user's own class, which is not at hand
            yield f"    Option #{number}"
            yield f"      The arguments cannot be shown: {error}"
        else:
            yield from _argument_lines(number, arguments)


def _argument_lines(number: int, arguments: object) -> Iterator[str]:
    """Yields the lines of one trace; as in TensorFlow, keyword arguments alone have no heading."""
    match arguments:
        case (list() | tuple() as positional, dict() as named):
            pass
        case _:
            raise CommandError(f"the arguments of a trace are not a pair of a tuple and a dict, but {arguments!r}.")
    if positional:
        yield f"    Option #{number}"
        yield "      Callable with:"
    for index, value in enumerate(positional, start=1):
        yield f"        Argument #{index}"
        yield from (f"          {line}" for line in _value_lines(value))
    for index, name in enumerate(sorted(named), start=1):
        yield f"        Named Argument #{index}"
        yield f"          {name}"


def _value_lines(value: object) -> list[str]:
    """Returns the lines that describe one argument."""
    if isinstance(value, TensorSpec):
        return [f"{value.name}: {value}"]
    if isinstance(value, str):
        return [value]
    return [f"DType: {type(value).__name__}", f"Value: {_value_text(value)}"]


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        return "{" + "".join(f"'{key}': {_item_text(value[key])}, " for key in sorted(value)) + _BACK + "}"
    if isinstance(value, (list, tuple)):
        return "[" + "".join(f"{_item_text(item)}, " for item in value) + _BACK + "]"
    return str(value)


_BACK = "\b\b"
"""What TensorFlow prints after the last comma: a terminal then writes the bracket over the comma."""


def _item_text(item: object) -> str:
    return f"'{item}'" if isinstance(item, str) else str(item)
