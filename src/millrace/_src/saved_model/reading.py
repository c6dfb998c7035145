"""The folder of a SavedModel as messages: which file it is in, which of its graphs is meant, where its assets are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from millrace._src.core.errors import DataLossError, FailedPreconditionError, PermissionDeniedError
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_registry import all_op_names
from millrace._src.graph.message_bytes import read_message
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import graph_debug_info_pb2, meta_graph_pb2, saved_model_pb2
from millrace._src.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    SAVED_MODEL_FILENAME_CPB,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
)
from millrace._src.saved_model.folder import finish_interrupted_save, is_below, leads_outside
from millrace._src.saved_model.load_options import how_to_allow
from millrace._src.util.export import export


@export("saved_model.contains_saved_model", v1=["saved_model.contains_saved_model"])
def contains_saved_model(export_dir: object) -> bool:
    """Returns whether a folder holds a SavedModel.

    >>> tf.saved_model.contains_saved_model("/no/such/folder")
    False

    Args: export_dir: the name of the folder: text, bytes or a path object.
    Returns: Whether `tf.saved_model.load` finds a file there; the file is not read.
    Raises: TypeError: for what is not a name.
    """
    folder = file_name(export_dir)
    names = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_FILENAME_CPB)
    return any(gfile.exists(gfile.join(folder, name)) for name in names)


@export("__internal__.saved_model.parse_saved_model", v1=[])
def parse_saved_model(export_dir: object) -> saved_model_pb2.SavedModel:
    """Reads the message of a SavedModel.

    Args: export_dir: the name of the folder.
    Returns: The `SavedModel` message.
    Raises:
      OSError: if there is no SavedModel in the folder, or its file cannot be parsed.
      NotImplementedError: if the message is split over several files, as TensorFlow writes one above 2 GB.
      FailedPreconditionError: if a save into the folder was cut off, and the folder cannot be written to finish it.
    """
    folder = file_name(export_dir)
    _finish_interrupted_save(folder)
    binary, text, split = (
        gfile.join(folder, name)
        for name in (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_FILENAME_CPB)
    )
    message = saved_model_pb2.SavedModel()
    if gfile.exists(split):
        raise NotImplementedError(f"The SavedModel in {split} is split into chunks, which Millrace does not read.")
    if not gfile.exists(binary) and not gfile.exists(text):
        raise OSError(
            f"SavedModel file does not exist at: {folder}{os.path.sep}"
            f"{{{SAVED_MODEL_FILENAME_PBTXT}|{SAVED_MODEL_FILENAME_PB}}}"
        )
    path = binary if gfile.exists(binary) else text
    try:
        if path == binary:
            message.ParseFromString(content_of(path))
        else:
            text_format.Parse(content_of(path), message)
    except (DecodeError, text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {path.encode()!r}: {error}.") from error
    return message


def _finish_interrupted_save(folder: str) -> None:
    """Moves the files of a save that was cut off after it had counted into place."""
    try:
        finish_interrupted_save(folder)
    except PermissionDeniedError as error:
        raise FailedPreconditionError(
            None,
            None,
            f"A save into {folder} was cut off before all files were in place, and the folder cannot be written: make "
            "it writable once and load the SavedModel again, so that the save is finished.",
        ) from error


def read_debug_info(export_dir: str) -> graph_debug_info_pb2.GraphDebugInfo:
    """Returns where the nodes of a SavedModel were made; an empty message if the folder does not say.

    Raises: OSError: if the file cannot be parsed.
    """
    message = graph_debug_info_pb2.GraphDebugInfo()
    path = gfile.join(export_dir, DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB)
    if gfile.exists(path):
        try:
            message.ParseFromString(content_of(path))
        except DecodeError as error:
            raise OSError(f"Cannot parse file {path.encode()!r}: {error}.") from error
    return message


def choose_meta_graph(message: Any, tags: Sequence[str] | None, export_dir: str) -> Any:
    """Returns the graph of a SavedModel that has the tags, or the only one.

    Raises:
      ValueError: if the only graph, which has objects, has other tags, or if there are no tags and not one graph.
      RuntimeError: if no graph has the tags.
    """
    meta_graphs = message.meta_graphs
    stated_tags = [list(meta_graph.meta_info_def.tags) for meta_graph in meta_graphs]
    if tags is None:
        if len(meta_graphs) == 1:
            return meta_graphs[0]
        raise ValueError(
            "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than one "
            f"MetaGraph. Got `tags=None`, but there are {len(meta_graphs)} MetaGraphs in the SavedModel with tag sets: "
            f"{stated_tags}. Pass a `tags=` argument to load this SavedModel."
        )
    for meta_graph, stated in zip(meta_graphs, stated_tags, strict=True):
        if set(stated) == set(tags):
            return meta_graph
    if len(meta_graphs) == 1 and meta_graphs[0].HasField("object_graph_def"):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {list(tags)}. The SavedModel at {export_dir} has one MetaGraph "
            f"with tags {stated_tags[0]}. You may omit the argument, pass 'None', or pass matching tags."
        )
    available = ", ".join("{" + ", ".join(map(repr, sorted(stated))) + "}" for stated in stated_tags)
    raise RuntimeError(
        f"MetaGraphDef associated with tags {', '.join(map(repr, tags))} could not be found in SavedModel, with "
        f"available tags '[{available}]'. To inspect available tag-sets in the SavedModel, please use the SavedModel "
        "CLI: `saved_model_cli`."
    )


def as_tags(tags: Any) -> list[str] | None:
    """Returns the argument `tags` as a list; a single tag may come without one."""
    if tags is None:
        return None
    return [tags] if isinstance(tags, str) else [str(tag) for tag in tags]


# --- ops -------------------------------------------------------------------------------------------------------------


def declared_ops(meta_graph: Any) -> dict[str, Any]:
    """Returns the `OpDef` messages of the ops that a graph uses, by name, as its writer declared them."""
    return {op.name: op for op in meta_graph.meta_info_def.stripped_op_list.op}


def unknown_ops(meta_graph: Any, answered: Iterable[str]) -> tuple[str, ...]:
    """Returns the names of the ops of a graph that Millrace does not implement.

    Args:
      meta_graph: the `MetaGraphDef` message.
      answered: the ops that are replaced by others when the graph is played.
    """
    graph_def = meta_graph.graph_def
    names = set(declared_ops(meta_graph)) or {node.op for node in graph_def.node}
    if not meta_graph.meta_info_def.stripped_op_list.op:
        names.update(node.op for function in graph_def.library.function for node in function.node_def)
        names.difference_update(function.signature.name for function in graph_def.library.function)
    return tuple(sorted(names.difference(all_op_names(), answered)))


# --- assets ----------------------------------------------------------------------------------------------------------


def asset_definitions(meta_graph: Any) -> list[Any]:
    """Returns what a graph says of the files that came along, as `AssetFileDef` messages.

    Raises: DataLossError: if one cannot be parsed.
    """
    if meta_graph.asset_file_def or ASSETS_KEY not in meta_graph.collection_def:
        return list(meta_graph.asset_file_def)
    definitions = {}
    for packed in meta_graph.collection_def[ASSETS_KEY].any_list.value:  # as TensorFlow 1 wrote it, perhaps twice
        definition = read_message(meta_graph_pb2.AssetFileDef, packed.value, "An asset of the SavedModel")
        definitions[definition.tensor_info.name] = definition
    return list(definitions.values())


def asset_paths(definitions: Iterable[Any], export_dir: str, follows_links: bool) -> list[str]:
    """Returns the names of the files that came along with a graph, in the order of the messages.

    Args:
      definitions: the `AssetFileDef` messages.
      export_dir: the folder of the SavedModel.
      follows_links: whether a file may be a link to outside of the folder of the assets.

    Raises:
      DataLossError: if the message names a file that is not in the folder of the assets.
      PermissionDeniedError: if the file is a link to outside, and `follows_links` is false.
    """
    paths = []
    for definition in definitions:
        path = _asset_path(definition.filename, export_dir)
        if not follows_links and _leads_outside(path, export_dir):
            advice = how_to_allow(Capability.READS_FILES)
            message = f"The asset {path} is a link to a file outside of the SavedModel. {advice}"
            raise PermissionDeniedError(None, None, message)
        paths.append(path)
    return paths


def _asset_path(name: str, export_dir: str) -> str:
    if not is_below(name):
        raise DataLossError(
            None, None, f"The SavedModel at {export_dir} names a file that is not in its folder of assets: {name!r}."
        )
    return str(gfile.join(export_dir, ASSETS_DIRECTORY, name))


def _leads_outside(path: str, export_dir: str) -> bool:
    """Returns whether links lead out of the folder of the assets."""
    assets = gfile.join(export_dir, ASSETS_DIRECTORY)
    return leads_outside(assets, export_dir) or leads_outside(path, assets)
