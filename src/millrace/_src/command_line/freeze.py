"""`python -m millrace freeze DIR TARGET`: writes a signature of a SavedModel as one graph without variables."""

from __future__ import annotations

import argparse

from millrace._src.command_line.commands import Command
from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.reports import Report, count_text
from millrace._src.command_line.run_signature import load_signature
from millrace._src.function.constant_graphs import convert_variables_to_constants_v2
from millrace._src.ops.io.gfile import exists
from millrace._src.ops.io.message_files import write_message
from millrace._src.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY, SERVING
from millrace._src.util.text import shape_brackets
from millrace._src.util.text_table import size_text, table

_TEXT = ".pbtxt"


def freeze(arguments: list[str]) -> int:
    """Runs `python -m millrace freeze` and returns the exit code."""
    return _FREEZE.run("millrace", arguments)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", help="folder of the SavedModel")
    parser.add_argument("target", help="file for the GraphDef; a name that ends in .pbtxt is written as text")
    parser.add_argument("--tag_set", default=SERVING, help="tags of the MetaGraph, with commas between")
    parser.add_argument("--signature_def", default=DEFAULT_SERVING_SIGNATURE_DEF_KEY, metavar="KEY", help="its key")
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it is there")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _output(given: argparse.Namespace) -> str:
    if exists(given.target) and not given.overwrite:
        raise CommandError(f"{given.target} is there already; --overwrite replaces it.")
    signature = load_signature(given.dir, given.tag_set, given.signature_def)
    try:
        frozen = convert_variables_to_constants_v2(signature)
    except ValueError as error:
        raise CommandError(str(error)) from None
    graph_def = frozen.graph.as_graph_def()
    size = write_message(given.target, graph_def, as_text=given.target.endswith(_TEXT))
    tensors = [("in", tensor) for tensor in frozen.inputs] + [("out", tensor) for tensor in frozen.outputs]
    rows = [[word, tensor.name, tensor.dtype.name, shape_brackets(tensor.shape)] for word, tensor in tensors]
    data = {
        "target": given.target,
        "nodes": len(graph_def.node),
        "bytes": size,
        "tensors": [dict(zip(("kind", "name", "dtype", "shape"), row, strict=True)) for row in rows],
    }
    summary = f"wrote {count_text(len(graph_def.node), 'node')}, {size_text(size)}, to {given.target}"
    report = Report(data, [summary, table(["", "tensor", "dtype", "shape"], rows)])
    return report.json() if given.json else report.text()


_FREEZE = Command("freeze", "write a signature as a graph without variables", _add_arguments, _output)
