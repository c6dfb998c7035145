"""What `show` prints of a SavedModel: tag sets, signatures, ops and functions, in the words of `saved_model_cli`.

Other programs read this output, so it is TensorFlow's to the byte. What comes out of TensorFlow in an order that
changes from run to run (the ops, keyword arguments, keys of dictionaries) is in alphabetical order here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.command_line.functions import functions_text
from millrace._src.command_line.saved_model_files import (
    meta_graph_of,
    ops_of,
    read_saved_model,
    signature_of,
    sort_meta_graphs,
    tag_sets,
)
from millrace._src.proto import types_pb2

LIST_OPS_ALONE = "--list_ops must be paired with a tag-set or with --all.\n"


def show_report(folder: str, is_all: bool, tags: str | None, signature: str | None, is_listing_ops: bool) -> str:
    """Returns what `show` prints.

    Args:
      folder: the SavedModel.
      is_all: whether everything is shown, whatever the other arguments say.
      tags: the tags of a MetaGraph, with commas between, whose signatures are shown; None for the tag sets alone.
      signature: the key of the signature that is shown; None for the keys.
      is_listing_ops: whether the ops of the MetaGraph stand in front.

    Raises: CommandError: if the folder has no such SavedModel, MetaGraph or signature.
    """
    saved_model = read_saved_model(folder)
    if is_all:
        return everything(saved_model)
    if tags is None:
        return (LIST_OPS_ALONE if is_listing_ops else "") + _tag_sets_text(saved_model)
    meta_graph = meta_graph_of(saved_model, tags)
    text = _ops_text(meta_graph) if is_listing_ops else ""
    if signature is None:
        return text + _keys_text(meta_graph)
    return text + _lines(_signature_lines(signature_of(meta_graph, signature), indent=0))


def everything(saved_model: object) -> str:
    """Returns what is to be said of all MetaGraphs of a SavedModel."""
    text = ""
    for meta_graph in sort_meta_graphs(saved_model):
        tags = ", ".join(meta_graph.meta_info_def.tags)
        text += f"\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:\n"
        for key in sorted(meta_graph.signature_def):
            text += f"\nsignature_def['{key}']:\n"
            text += _lines(_signature_lines(meta_graph.signature_def[key], indent=1))
        text += _ops_text(meta_graph) + functions_text(meta_graph)
    return text


def _tag_sets_text(saved_model: object) -> str:
    sets = [f"'{', '.join(tags)}'" for tags in tag_sets(saved_model)]
    return _lines(["The given SavedModel contains the following tag-sets:", *sets])


def _keys_text(meta_graph: Any) -> str:
    keys = [f'SignatureDef key: "{key}"' for key in sorted(meta_graph.signature_def)]
    return _lines(["The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:", *keys])


def _ops_text(meta_graph: Any) -> str:
    tags = list(meta_graph.meta_info_def.tags)
    return f"The MetaGraph with tag set {tags} contains the following ops: {set_text(ops_of(meta_graph))}\n"


def set_text(names: set[str]) -> str:
    """Writes a set of names as Python does, in alphabetical order."""
    return "{" + ", ".join(map(repr, sorted(names))) + "}" if names else "set()"


def _signature_lines(signature: Any, indent: int) -> Iterator[str]:
    margin = "  " * indent
    for kind in ("input", "output"):
        yield f"{margin}The given SavedModel SignatureDef contains the following {kind}(s):"
        tensors = getattr(signature, f"{kind}s")
        for key in sorted(tensors):
            yield f"{margin}  {kind}s['{key}'] tensor_info:"
            yield from (f"{margin}      {line}" for line in _tensor_lines(tensors[key]))
    yield f"{margin}Method name is: {signature.method_name}"


def _tensor_lines(tensor: Any) -> Iterator[str]:
    shape = tensor.tensor_shape
    dims = "unknown_rank" if shape.unknown_rank else f"({', '.join(str(dim.size) for dim in shape.dim)})"
    known = tensor.dtype in types_pb2.DataType.values()
    yield f"dtype: {types_pb2.DataType.Name(tensor.dtype) if known else tensor.dtype}"
    yield f"shape: {dims}"
    yield f"name: {tensor.name}"


def _lines(lines: Any) -> str:
    return "".join(f"{line}\n" for line in lines)
