"""Whether the numbers and names in the object graph of a SavedModel lead somewhere; found out before they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from millrace._src.core.errors import DataLossError


def check_object_graph(meta_graph: object, export_dir: str) -> None:
    """Refuses an object graph with numbers or names that lead nowhere.

    Raises: DataLossError: with the first wrong number or name.
    """
    complaint = next(_complaints(meta_graph), None)
    if complaint is not None:
        raise DataLossError(None, None, f"The SavedModel at {export_dir} is damaged: {complaint}.")


def _complaints(meta_graph: Any) -> Iterator[str]:
    object_graph = meta_graph.object_graph_def
    count = len(object_graph.nodes)
    if not count:
        yield "it has no objects"
    definitions = {function.signature.name for function in meta_graph.graph_def.library.function}
    for name, concrete in object_graph.concrete_functions.items():
        if name not in definitions:
            yield f"the function {name!r} has no graph"
        yield from _outside(concrete.bound_inputs, count, f"a capture of the function {name!r}")
    for number, node in enumerate(object_graph.nodes):
        yield from _complaints_of_node(number, node, meta_graph)


def _complaints_of_node(number: int, node: Any, meta_graph: Any) -> Iterator[str]:
    nodes = meta_graph.object_graph_def.nodes
    for child in node.children:
        yield from _outside([child.node_id], len(nodes), f"the child {child.local_name!r} of object {number}")
    for slot in node.slot_variables:
        ids = [slot.original_variable_node_id, slot.slot_variable_node_id]
        yield from _outside(ids, len(nodes), f"the variable {slot.slot_name!r} of object {number}")
        if any(nodes[node_id].WhichOneof("kind") != "variable" for node_id in ids if 0 <= node_id < len(nodes)):
            yield f"the variable {slot.slot_name!r} of object {number} is none"
    for name, functions in node.saveable_objects.items():
        for node_id in (functions.save_function, functions.restore_function):
            yield from _outside([node_id], len(nodes), f"the saving of {name!r} of object {number}")
            if 0 <= node_id < len(nodes) and not _is_function(nodes[node_id]):
                yield f"the saving of {name!r} of object {number} is done by no function"
    yield from _complaints_of_kind(number, node, meta_graph)


def _is_function(node: Any) -> bool:
    return node.WhichOneof("kind") in ("function", "bare_concrete_function")


def _complaints_of_kind(number: int, node: Any, meta_graph: Any) -> Iterator[str]:
    nodes = meta_graph.object_graph_def.nodes
    kind = node.WhichOneof("kind")
    names: Iterable[str] = ()
    if kind == "function":
        names = node.function.concrete_functions
    elif kind == "bare_concrete_function":
        names = [node.bare_concrete_function.concrete_function_name]
    for name in names:
        if name not in meta_graph.object_graph_def.concrete_functions:
            yield f"object {number} is the unknown function {name!r}"
    for child in node.children if kind == "resource" else ():
        is_method = child.local_name in ("_create_resource", "_initialize", "_destroy_resource")
        if is_method and 0 <= child.node_id < len(nodes) and not _is_function(nodes[child.node_id]):
            yield f"the child {child.local_name!r} of object {number} is not a function"
    if kind == "asset" and not 0 <= node.asset.asset_file_def_index < len(meta_graph.asset_file_def):
        yield f"object {number} is the asset {node.asset.asset_file_def_index} of {len(meta_graph.asset_file_def)}"


def _outside(node_ids: Iterable[int], count: int, what: str) -> Iterator[str]:
    for node_id in node_ids:
        if not 0 <= node_id < count:
            yield f"{what} is object {node_id} of {count}"
