"""What `scan` prints: whether a SavedModel has ops that a server should not run."""

from __future__ import annotations

from typing import Any

from millrace._src.command_line.saved_model_files import meta_graph_of, ops_of, read_saved_model
from millrace._src.command_line.show import set_text

DEFAULT_DENYLIST = frozenset({"WriteFile", "ReadFile", "PrintV2"})


def scanned(folder: str, tags: str | None, denied: str | None) -> str:
    """Returns what `scan` prints, a line for each MetaGraph.

    Args:
      folder: the SavedModel.
      tags: the tags of the MetaGraph, with commas between; None for all MetaGraphs.
      denied: the names of the ops to look for, with commas between; the default ones for None or "".

    Raises: CommandError: if the folder has no such SavedModel or MetaGraph.
    """
    saved_model = read_saved_model(folder)
    denylist = {name.strip() for name in denied.split(",")} if denied else set(DEFAULT_DENYLIST)
    meta_graphs = [meta_graph_of(saved_model, tags)] if tags else saved_model.meta_graphs
    return "".join(_line(meta_graph, denylist) for meta_graph in meta_graphs)


def _line(meta_graph: Any, denylist: set[str]) -> str:
    found_ops = ops_of(meta_graph) & denylist
    tags = list(meta_graph.meta_info_def.tags)
    if found_ops:
        return f"MetaGraph with tag set {tags} contains the following denylisted ops: {set_text(found_ops)}\n"
    return f"MetaGraph with tag set {tags} does not contain the default denylisted ops: {set_text(denylist)}\n"
