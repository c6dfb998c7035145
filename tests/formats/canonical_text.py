"""A `GraphDef` as text that two programs can be compared by.

The text is protobuf's own, one line per node and three per function. What says nothing is levelled first: the running
numbers in function names (`__inference_f_12`, `while_body_7`) become ordinals in the order in which the graph refers to
the functions, the library is put into that order, and names that are but a running number (those of captured tensors)
become ordinals too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from google.protobuf import text_format

_INNER_NUMBER = re.compile(r"_(cond|body|true|false)_\d+_")
_NUMBER = re.compile(r"_#?\d+$")


def graph_text(graph_def: Any) -> str:
    """The comparable text of a `GraphDef` of any package."""
    proto = type(graph_def)()
    proto.CopyFrom(graph_def)
    for nodes in (proto.node, *(function.node_def for function in proto.library.function)):
        _level_numbers(nodes)
    names = _ordinals(proto)
    lines = [_node_line(node, names) for node in proto.node]
    functions = {function.signature.name: function for function in proto.library.function}
    for name in names:
        if name in functions:
            lines.extend(_function_lines(functions[name], names))
    lines.append(f"versions {_one_line(proto.versions)}")
    return _INNER_NUMBER.sub(r"_\1_N_", "\n".join(lines)) + "\n"


def _one_line(message: Any) -> str:
    return text_format.MessageToString(message, as_one_line=True).strip()


def _ordinals(proto: Any) -> dict[str, str]:
    """New names of the functions, in the order in which nodes refer to them."""
    functions = {function.signature.name: function for function in proto.library.function}
    names: dict[str, str] = {}

    def visit(nodes: Any) -> None:
        for node in nodes:
            for name in _references(node.attr):
                if name in functions and name not in names:
                    names[name] = f"{_NUMBER.sub('', name)}_#{len(names)}"
                    visit(functions[name].node_def)

    visit(proto.node)
    for name in sorted(set(functions) - set(names)):
        names[name] = f"{_NUMBER.sub('', name)}_#{len(names)}"
    return names


def _level_numbers(nodes: Any) -> None:
    """Renames nodes called `1234` to `number_0`, `number_1`, ..."""
    numbers: dict[str, str] = {}
    for node in nodes:
        if node.name.isdigit():
            numbers[node.name] = f"number_{len(numbers)}"
            node.name = numbers[node.name]
            if node.attr["_user_specified_name"].s.isdigit():
                node.attr["_user_specified_name"].s = b"number"
        for position, text in enumerate(node.input):
            node.input[position] = numbers.get(text, text)


def _references(attrs: Any) -> Iterator[str]:
    for key in sorted(attrs):
        value = attrs[key]
        if value.HasField("func"):
            yield value.func.name
        for function in value.list.func:
            yield function.name


def _node_line(node: Any, names: dict[str, str]) -> str:
    for attr in node.attr.values():
        if attr.HasField("func"):
            attr.func.name = names.get(attr.func.name, attr.func.name)
        for function in attr.list.func:
            function.name = names.get(function.name, function.name)
    return f"node {_one_line(node)}"


def _function_lines(function: Any, names: dict[str, str]) -> Iterator[str]:
    yield f"function {names[function.signature.name]}"
    function.signature.name = names[function.signature.name]
    yield f"  signature {_one_line(function.signature)}"
    for node in function.node_def:
        yield f"  {_node_line(node, names)}"
    del function.node_def[:]
    function.ClearField("signature")
    yield f"  rest {_one_line(function)}"


def parse_graph_text(text: str, graph_def: Any) -> Any:
    """Fills the empty message `graph_def` from what `graph_text` gave."""
    function: Any = None
    for line in text.splitlines():
        kind, _, rest = line.strip().partition(" ")
        if kind == "versions":
            text_format.Merge(rest, graph_def.versions)
        elif kind == "function":
            function = graph_def.library.function.add()
        elif kind == "node":
            text_format.Merge(rest, (graph_def.node if function is None else function.node_def).add())
        else:
            text_format.Merge(rest, function.signature if kind == "signature" else function)
    return graph_def
