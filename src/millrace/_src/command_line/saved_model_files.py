"""The message in the file of a SavedModel, and its MetaGraphs by tags.

Only protocol buffers are read: no graph is built, so a SavedModel that cannot be loaded can still be shown.
"""

from __future__ import annotations

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


def tag_sets(saved_model: Any) -> list[list[str]]:
    """Returns the tags of each MetaGraph, in the order of `ordered_meta_graphs`."""
    return [sorted(meta_graph.meta_info_def.tags) for meta_graph in ordered_meta_graphs(saved_model)]


def ordered_meta_graphs(saved_model: Any) -> list[Any]:
    """Returns the MetaGraphs in the order of their tags, which are in the order of the file."""
    return sorted(saved_model.meta_graphs, key=lambda meta_graph: list(meta_graph.meta_info_def.tags))


def meta_graph_of(saved_model: Any, tags: str) -> Any:
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
    """Returns the names of the ops of a MetaGraph's graph and of the functions that the graph calls.

    As in TensorFlow, the branches and bodies of control flow do not count.
    """
    functions = {function.signature.name: function for function in meta_graph.graph_def.library.function}
    ops: set[str] = set()
    waiting, seen = [meta_graph.graph_def.node], set()
    while waiting:
        for node in waiting.pop():
            callee = node.op if node.op in functions else node.attr["f"].func.name if "f" in node.attr else ""
            if callee in functions and callee not in seen:
                seen.add(callee)
                waiting.append(functions[callee].node_def)
            if node.op not in functions:
                ops.add(node.op)
    return ops
