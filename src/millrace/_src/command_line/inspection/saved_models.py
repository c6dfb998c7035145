"""SavedModels under `inspect`: signatures, variables, functions, ops by number, unknown ops, the fingerprint.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from millrace._src.command_line.reports import Report, count_text, shape_text
from millrace._src.command_line.saved_model_files import read_saved_model
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.op_homes import OP_HOMES
from millrace._src.graph.message_bytes import read_message
from millrace._src.graph.opaque_ops import opaque_op
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.io.gfile import exists, glob, stat
from millrace._src.proto import fingerprint_pb2
from millrace._src.saved_model.constants import FINGERPRINT_FILENAME
from millrace._src.util.text_table import size_text, table


def report_saved_model(folder: str) -> Report:
    """Returns the report of a SavedModel.

    Raises: CommandError: if its file is damaged.
    """
    meta_graphs = [_meta_graph(meta_graph) for meta_graph in read_saved_model(folder).meta_graphs]
    data: dict[str, Any] = {
        "kind": "saved_model",
        "folder": folder,
        "files": _files(folder),
        "fingerprint": _fingerprint(folder),
        "meta_graphs": meta_graphs,
    }
    size = sum(data["files"].values())
    heading = [f"SavedModel {folder}", f"{count_text(len(data['files']), 'file')}, {size_text(size)}"]
    if data["fingerprint"]:
        heading += [f"{name}: {value}" for name, value in data["fingerprint"].items()]
    paragraphs = ["\n".join(heading)]
    for meta_graph in meta_graphs:
        paragraphs += _text(meta_graph)
    return Report(data, paragraphs)


def _files(folder: str) -> dict[str, int]:
    names = [name for level in ("*", "*/*", "*/*/*") for name in glob(os.path.join(folder, level))]
    statistics = {os.path.relpath(name, folder): stat(name) for name in sorted(names)}
    return {name: facts.length for name, facts in statistics.items() if not facts.is_directory}


def _fingerprint(folder: str) -> dict[str, Any] | None:
    path = os.path.join(folder, FINGERPRINT_FILENAME)
    if not exists(path):
        return None
    message = read_message(fingerprint_pb2.FingerprintDef, content_of(path), path)
    return {field.name: getattr(message, field.name) for field, _ in message.ListFields() if field.name != "version"}


def _meta_graph(meta_graph: Any) -> dict[str, Any]:
    graph, objects = meta_graph.graph_def, meta_graph.object_graph_def
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    functions = {function.signature.name for function in graph.library.function}
    ops = Counter(node.op for node in nodes if node.op not in functions)
    return {
        "tags": list(meta_graph.meta_info_def.tags),
        "tensorflow_version": meta_graph.meta_info_def.tensorflow_version,
        "signatures": [_signature(key, meta_graph.signature_def[key]) for key in sorted(meta_graph.signature_def)],
        "objects": len(objects.nodes),
        "variables": list(_variables(objects)),
        "functions": list(_functions(objects)),
        "nodes": len(nodes),
        "library_functions": len(functions),
        "ops": dict(sorted(ops.items(), key=lambda pair: (-pair[1], pair[0]))),
        "ops_not_implemented": sorted(name for name in ops if name not in OP_HOMES and _is_tensorflows(name)),
        "ops_unknown": sorted(name for name in ops if name not in OP_HOMES and not _is_tensorflows(name)),
    }


def _is_tensorflows(op: str) -> bool:
    try:
        return opaque_op(op) is not None
    except KeyError:
        return False


def _signature(key: str, signature: Any) -> dict[str, Any]:
    return {
        "key": key,
        "inputs": {name: _tensor_text(signature.inputs[name]) for name in sorted(signature.inputs)},
        "outputs": {name: _tensor_text(signature.outputs[name]) for name in sorted(signature.outputs)},
        "method": signature.method_name,
    }


def _tensor_text(info: Any) -> str:
    if not info.dtype:
        return "an operation" if info.name else "composite"
    dims = [dim.size if dim.size >= 0 else None for dim in info.tensor_shape.dim]
    shape = "of any rank" if info.tensor_shape.unknown_rank else shape_text(dims)
    return f"{_dtype_text(info.dtype)} {shape}"


def _dtype_text(number: int) -> str:
    """Returns the name of a dtype in a file; the number of an unknown one."""
    try:
        return as_dtype(number).name
    except TypeError:
        return f"dtype {number}"


def _paths(objects: Any) -> dict[int, str]:
    """Returns the shortest path from the root to each object that is there, by the object's number."""
    paths = {0: ""} if objects.nodes else {}
    waiting = list(paths)
    for number in waiting:
        for child in objects.nodes[number].children:
            if child.node_id not in paths and 0 <= child.node_id < len(objects.nodes):
                paths[child.node_id] = f"{paths[number]}.{child.local_name}".lstrip(".")
                waiting.append(child.node_id)
    return paths


def _variables(objects: Any) -> Iterator[dict[str, Any]]:
    for number, path in _paths(objects).items():
        node = objects.nodes[number]
        if node.WhichOneof("kind") == "variable":
            variable = node.variable
            shape = [dim.size if dim.size >= 0 else None for dim in variable.shape.dim]
            yield {
                "path": path,
                "name": variable.name,
                "dtype": _dtype_text(variable.dtype),
                "shape": shape,
                "trainable": variable.trainable,
            }


def _functions(objects: Any) -> Iterator[dict[str, Any]]:
    for number, path in _paths(objects).items():
        node = objects.nodes[number]
        if node.WhichOneof("kind") == "function":
            yield {"path": path, "traces": len(node.function.concrete_functions)}


def _text(data: dict[str, Any]) -> list[str]:
    head = f"MetaGraph {', '.join(data['tags'])}"
    version = f", written by TensorFlow {data['tensorflow_version']}" if data["tensorflow_version"] else ""
    numbers = ", ".join(
        [
            count_text(data["nodes"], "node"),
            count_text(data["library_functions"], "function"),
            count_text(data["objects"], "object"),
        ]
    )
    paragraphs = [f"{head}{version}\n{numbers}"]
    if data["signatures"]:
        rows = [row for signature in data["signatures"] for row in _signature_rows(signature)]
        paragraphs.append("signatures:\n" + table(["key", "", "name", "tensor"], rows))
    if data["variables"]:
        rows = [[v["path"], v["dtype"], shape_text(v["shape"]), v["trainable"]] for v in data["variables"]]
        paragraphs.append("variables:\n" + table(["path", "dtype", "shape", "trainable"], rows))
    if data["functions"]:
        rows = [[f["path"], f["traces"]] for f in data["functions"]]
        paragraphs.append("functions:\n" + table(["path", "traces"], rows, ["traces"]))
    if data["ops"]:
        paragraphs.append("ops:\n" + table(["op", "nodes"], list(data["ops"].items()), ["nodes"]))
    for key, words in (("ops_not_implemented", "TensorFlow's, but not implemented"), ("ops_unknown", "unknown")):
        if data[key]:
            paragraphs.append(f"ops that are {words}: {', '.join(data[key])}")
    return paragraphs


def _signature_rows(signature: dict[str, Any]) -> Iterator[list[str]]:
    """Yields a row for each input and output; the key stands in the first one."""
    key = signature["key"]
    for word, tensors in (("in", signature["inputs"]), ("out", signature["outputs"])):
        for name, text in tensors.items():
            yield [key, word, name, text]
            key = ""
    if key:
        yield [key, "", "", ""]
