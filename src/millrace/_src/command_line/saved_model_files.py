"""The message in the file of a SavedModel, and its MetaGraphs by tags.

Only protocol buffers are read: no graph is built, so a SavedModel that cannot be loaded can still be shown.

Tests: tests/command_line/test_show.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.command_line.failures import CommandError
from millrace._src.interop import saved_model_utils
from millrace._src.saved_model.reading import parse_saved_model


def read_saved_model(folder: str) -> Any:
    """Reads the `SavedModel` message of a folder, in binary or text form.

    Raises:
      OSError: if there is none, or the file is damaged.
      CommandError: if the message is in several files.
    """
    try:
        return parse_saved_model(folder)
    except NotImplementedError as error:
        raise CommandError(str(error)) from None


def tag_sets(saved_model: object) -> list[list[str]]:
    """Returns the tags of each MetaGraph, in the order of `sort_meta_graphs`."""
    return [sorted(meta_graph.meta_info_def.tags) for meta_graph in sort_meta_graphs(saved_model)]


def sort_meta_graphs(saved_model: Any) -> list[Any]:
    """Returns the MetaGraphs in the order of their tags, which are in the order of the file."""
    return sorted(saved_model.meta_graphs, key=lambda meta_graph: list(meta_graph.meta_info_def.tags))


def meta_graph_of(saved_model: object, tags: str) -> Any:
    """Returns the MetaGraph that has exactly the tags.

    Args: tags: the tags, with commas between.
    Raises: CommandError: if no MetaGraph has them.
    """
    try:
        return saved_model_utils.meta_graph_of(saved_model, tags)
    except RuntimeError as error:
        raise CommandError(str(error)) from None


def signature_of(meta_graph: Any, key: str) -> Any:
    """Returns the `SignatureDef` of a MetaGraph under a key.

    Raises: CommandError: if there is none.
    """
    if key not in meta_graph.signature_def:
        known = ", ".join(sorted(meta_graph.signature_def))
        raise CommandError(f'Could not find signature "{key}". Please choose from: {known}')
    return meta_graph.signature_def[key]


def ops_of(meta_graph: Any) -> set[str]:
    """Returns the names of the ops of a MetaGraph: of its graph and of every function of its library, called or not.

    TensorFlow's tool leaves out functions that control flow, datasets and most attributes name. Here every function
    counts, and a name in an attribute that is not that of a function of the library counts as that of an op.
    """
    library = meta_graph.graph_def.library
    functions = {function.signature.name for function in library.function}
    ops: set[str] = set()
    for node in all_nodes(meta_graph):
        ops.add(node.op)
        ops.update(find_function_names(node.attr))
    for function in library.function:
        ops.update(find_function_names(function.attr))
    ops.update(name for gradient in library.gradient for name in (gradient.function_name, gradient.gradient_func))
    return ops - functions


def all_nodes(meta_graph: Any) -> Iterator[Any]:
    """Returns the nodes of the graph of a MetaGraph and of all functions of its library."""
    yield from meta_graph.graph_def.node
    for function in meta_graph.graph_def.library.function:
        yield from function.node_def


def find_function_names(attrs: Any) -> Iterator[str]:
    """Returns the names of the functions in attributes, and in the attributes of these functions."""
    waiting = [attrs]
    while waiting:
        for value in waiting.pop().values():
            for function in [value.func] if value.HasField("func") else value.list.func:
                yield function.name
                waiting.append(function.attr)
