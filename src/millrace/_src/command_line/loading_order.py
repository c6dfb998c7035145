"""The order in which `saved_model_cli` lists the traces of a function.

Problem: TensorFlow's tool loads the SavedModel and sorts the traces by the names that the loaded functions have. Such
a name ends in a number that counts functions and tensors, so `f_10` stands before `f_9`.

Idea: count as TensorFlow's loader does. The loader takes functions in an order in which each comes after those that it
calls; each takes a number for each of its tensors, and two more. A custom gradient takes one number before.

Tests: tests/command_line/test_show.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from millrace._src.core.errors import NotFoundError
from millrace._src.graph.opaque_ops import find_op

_NUMBERED = re.compile(r"__inference_(.*)_\d+")


def loaded_names(library: Any) -> dict[str, str]:
    """Returns the names that the functions of a library have once TensorFlow has loaded them."""
    functions = {function.signature.name: function for function in library.function}
    names, number = {}, 1 + len(library.registered_gradients)
    for name in _callees_first(library, functions):
        number += _count_tensors(functions[name], functions) + 2
        names[name] = f"{_base_of(name)}_{number}"
    return names


def _base_of(name: str) -> str:
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else name


def _callees_first(library: Any, functions: Mapping[str, Any]) -> Iterator[str]:
    """Yields all names, each after those of the functions that it calls; of those that may come next, the last one."""
    gradients = {gradient.registered_op_type: gradient.gradient_func for gradient in library.registered_gradients}
    waiting = {name: set(_callees(function, functions, gradients)) for name, function in functions.items()}
    callers: dict[str, list[str]] = {name: [] for name in functions}
    for name, callees in waiting.items():
        for callee in callees:
            callers[callee].append(name)
    ready = [name for name, callees in waiting.items() if not callees]
    while ready:
        name = ready.pop()
        yield name
        for caller in callers[name]:
            waiting[caller].remove(name)
            if not waiting[caller]:
                ready.append(caller)


def _callees(function: Any, functions: Mapping[str, Any], gradients: Mapping[str, str]) -> Iterator[str]:
    for node in function.node_def:
        attrs = node.attr.values()
        named = [node.op, *(a.func.name for a in attrs), *(f.name for a in attrs for f in a.list.func)]
        if "_gradient_op_type" in node.attr:
            named.append(gradients.get(node.attr["_gradient_op_type"].s.decode(), ""))
        yield from (name for name in named if name in functions)


def _count_tensors(function: Any, functions: Mapping[str, Any]) -> int:
    """Returns how many tensors the graph of a function has: its arguments, and what its nodes give."""
    return len(function.signature.input_arg) + sum(_count_outputs(node, functions) for node in function.node_def)


def _count_outputs(node: Any, functions: Mapping[str, Any]) -> int:
    if node.op in functions:
        return len(functions[node.op].signature.output_arg)
    try:
        op_def = find_op(node.op)
    except NotFoundError:  # an op of the user's own
        return 1
    return sum(_count(output, node, op_def) for output in op_def.signature.outputs)


def _count(output: Any, node: Any, op_def: Any) -> int:
    """Returns how many tensors an output is; a node may leave out an attribute that has its default."""
    attr = output.type_list_attr or output.number_attr
    if attr is None:
        return 1
    if attr in node.attr:
        return len(node.attr[attr].list.type) if output.type_list_attr else node.attr[attr].i
    return output.size(op_def.default_attrs)
