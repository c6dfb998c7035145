"""A `SavedModel` message as named texts, so that two of them can be compared part by part.

An outline is what a loader or a server goes by: the object graph, concrete functions with what they capture,
signatures, saver, assets, collections, and the nodes of the graph with their inputs. Names of functions end in numbers
that count what a process traced before. An outline gives each function its name without the number, and a number of its
own in the order of the file. The nodes inside functions are left out: they are judged by what they compute.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from google.protobuf import text_format

_NUMBERED = re.compile(r"_\d+(?=_|$)")
_COUNTED = re.compile(r"(?<=_init)\d+|(?<=_(?:cond|body|true)_)\d+|(?<=_false_)\d+|(?<=\")\d+(?=\")")
"""Numbers that count what the process made before: initializers, branches, bodies, resources."""


def outline(saved: Any) -> dict[str, str]:
    """Returns the parts of the first meta graph: name -> text."""
    meta = saved.meta_graphs[0]
    names = _function_names(meta)
    parts = {
        "meta.tags": " ".join(meta.meta_info_def.tags),
        "meta.stripped_default_attrs": str(meta.meta_info_def.stripped_default_attrs),
        "meta.aliases": str(sorted((names.get(k, k), v) for k, v in meta.meta_info_def.function_aliases.items())),
        "saver": _text(meta.saver_def, names),
        "assets": "\n".join(_text(asset, names) for asset in meta.asset_file_def),
        "collections": "\n".join(f"{k}: {_text(v, names)}" for k, v in sorted(meta.collection_def.items())),
        "graph": "\n".join(_COUNTED.sub("N", _node(node)) for node in meta.graph_def.node),
        "versions": _text(meta.graph_def.versions, names),
    }
    parts |= {f"signature.{key}": _text(value, names) for key, value in meta.signature_def.items()}
    for index, node in enumerate(meta.object_graph_def.nodes):
        parts[f"object.{index}"] = _text(node, names)
    for name, concrete in meta.object_graph_def.concrete_functions.items():
        parts[f"concrete.{names.get(name, name)}"] = _text(concrete, names)
    for function in meta.graph_def.library.function:
        if function.signature.name in meta.object_graph_def.concrete_functions:
            parts[f"function.{names[function.signature.name]}"] = _interface(function, names)
    return parts


def _function_names(meta: Any) -> dict[str, str]:
    """Returns the name of each function without what depends on the process."""
    used: Counter[str] = Counter()
    names: dict[str, str] = {}
    ordered = [name for node in meta.object_graph_def.nodes for name in _concrete_names(node)]
    library = [function.signature.name for function in meta.graph_def.library.function]
    for name in dict.fromkeys([*ordered, *sorted(library, key=_number_of)]):
        base = _NUMBERED.sub("", name)
        names[name] = f"{base}#{used[base]}"
        used[base] += 1
    return names


def _concrete_names(node: Any) -> list[str]:
    if node.HasField("function"):
        return list(node.function.concrete_functions)
    if node.HasField("bare_concrete_function"):
        return [node.bare_concrete_function.concrete_function_name]
    return []


def _number_of(name: str) -> int:
    found = re.search(r"\d+$", name)
    return int(found[0]) if found else 0


def _interface(function: Any, names: dict[str, str]) -> str:
    """Returns what a caller of a function sees: dtypes of inputs and outputs, and whether there are effects."""
    signature = function.signature
    inputs, outputs = ([arg.type for arg in args] for args in (signature.input_arg, signature.output_arg))
    return f"{names[signature.name]}({inputs}) -> {outputs} stateful={signature.is_stateful}"


def _node(node: Any) -> str:
    return f"{node.name} = {node.op}({', '.join(node.input)}) {node.device}"


def _text(message: Any, names: dict[str, str]) -> str:
    """Returns a message as text, with maps in order and functions under their names in the outline."""
    text = text_format.MessageToString(message, use_index_order=True)
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(f'"{name}"', f'"{names[name]}"')
    return text
