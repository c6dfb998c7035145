"""What `scan` prints: whether a SavedModel has ops that a server should not run.

The first line about a MetaGraph has TensorFlow's words. The ops that TensorFlow's tool looks for are three; where no
others are asked for, a second line names all that can reach files or Python, if there are any, by what the ops declare
(`core/op_capabilities.py`), and a third line the ops that neither TensorFlow nor Millrace declares: what they do is
unknown.
Every SavedModel saves and restores its variables, so the checkpoint ops of its saver do not count.
"""

from __future__ import annotations

from typing import Any

from millrace._src.command_line.saved_model_files import find_function_names, meta_graph_of, ops_of, read_saved_model
from millrace._src.command_line.show import set_text
from millrace._src.core.errors import NotFoundError

DEFAULT_DENYLIST = frozenset({"WriteFile", "ReadFile", "PrintV2"})
SAVER_OPS = frozenset({"SaveV2", "RestoreV2", "MergeV2Checkpoints"})
"""The ops that read and write checkpoints in the graph part that the `SaverDef` of a MetaGraph names."""


def scan_report(folder: str, tags: str | None, denied: str | None) -> str:
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
    text = ""
    for meta_graph in meta_graphs:
        text += _line(meta_graph, denylist) + ("" if denied else _lines_of_others(meta_graph))
    return text


def _line(meta_graph: Any, denylist: set[str]) -> str:
    found_ops = ops_of(meta_graph) & denylist
    tags = list(meta_graph.meta_info_def.tags)
    if found_ops:
        return f"MetaGraph with tag set {tags} contains the following denylisted ops: {set_text(found_ops)}\n"
    return f"MetaGraph with tag set {tags} does not contain the default denylisted ops: {set_text(denylist)}\n"


def _lines_of_others(meta_graph: Any) -> str:
    """Returns the lines about other ops that can reach files or Python, and about ops that are not declared here."""
    reaches = {name: _can_reach(name) for name in ops_of(meta_graph) - DEFAULT_DENYLIST - SAVER_OPS}
    reaching_ops = {name for name, reach in reaches.items() if reach}
    reaching_ops |= _checkpoint_ops_outside_the_saver(meta_graph)
    unknown_ops = {name for name, reach in reaches.items() if reach is None}
    start = f"MetaGraph with tag set {list(meta_graph.meta_info_def.tags)} contains"
    lines = ""
    if reaching_ops:
        lines += f"{start} other ops that can reach files or Python: {set_text(reaching_ops)}\n"
    if unknown_ops:
        lines += f"{start} unknown ops, which cannot be judged: {set_text(unknown_ops)}\n"
    return lines


def _can_reach(name: str) -> bool | None:
    """Returns whether an op can reach files or Python; None if neither TensorFlow nor Millrace declares the op."""
    from millrace._src.core.op_capabilities import Capability  # with the ops comes much that `show` does without
    from millrace._src.graph.opaque_ops import find_op  # for the same reason

    try:
        return find_op(name).traits.capabilities is not Capability.NOTHING
    except NotFoundError:  # an op of a library that its users load: what it does is not known
        return None


def _checkpoint_ops_outside_the_saver(meta_graph: Any) -> set[str]:
    graph_def = meta_graph.graph_def
    functions = {function.signature.name: function for function in graph_def.library.function}
    own_nodes, own_functions = _saver_part(meta_graph, functions)
    nodes = [node for node in graph_def.node if node.name not in own_nodes]
    for name, function in functions.items():
        nodes += [] if name in own_functions else function.node_def
    return {node.op for node in nodes} & SAVER_OPS


def _saver_part(meta_graph: Any, functions: object) -> tuple[set[str], set[str]]:
    """Returns the names of the nodes that the saver runs, and of the functions that they alone call."""
    graph_def, saver = meta_graph.graph_def, meta_graph.saver_def
    nodes = {node.name: node for node in graph_def.node}
    own_nodes: set[str] = set()
    waiting = [node_name(saver.save_tensor_name), node_name(saver.restore_op_name)]
    while waiting:
        name = waiting.pop()
        if name in nodes and name not in own_nodes:
            own_nodes.add(name)
            waiting += [node_name(given) for given in nodes[name].input]
    others = [node for node in graph_def.node if node.name not in own_nodes]
    own_functions = _callees([nodes[name] for name in own_nodes], functions) - _callees(others, functions)
    return own_nodes, own_functions


def node_name(tensor: str) -> str:
    """Returns the name of the node of a tensor or of a control input."""
    return tensor.removeprefix("^").partition(":")[0]


def _callees(nodes: Any, functions: Any) -> set[str]:
    """Returns the names of the functions that nodes call, and that these functions call in turn."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        for name in {node.op, *find_function_names(node.attr)} & functions.keys() - found:
            found.add(name)
            waiting += functions[name].node_def
    return found
