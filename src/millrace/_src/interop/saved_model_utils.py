"""The functions of `tensorflow.python.tools.saved_model_utils`: a SavedModel's message, and its MetaGraphs by tags."""

from __future__ import annotations

from typing import Any

from millrace._src.saved_model.reading import parse_saved_model


def read_saved_model(saved_model_dir: Any) -> Any:
    """Reads the `SavedModel` message of a folder, in binary or text form.

    Args: saved_model_dir: the folder.
    Raises:
      OSError: if there is none, or the file is damaged.
      NotImplementedError: if the message is in several files.
    """
    return parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: object) -> list[list[str]]:
    """Returns the tags of each MetaGraph, in the order of the file.

    Raises: OSError: if there is no SavedModel, or the file is damaged.
    """
    return [list(meta_graph.meta_info_def.tags) for meta_graph in read_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: object, tag_set: str) -> Any:
    """Returns the MetaGraph of a SavedModel that has exactly some tags.

    Args:
      saved_model_dir: the folder.
      tag_set: the tags, with commas between.

    Raises:
      RuntimeError: if no MetaGraph has these tags.
      OSError: if there is no SavedModel, or the file is damaged.
    """
    return meta_graph_of(read_saved_model(saved_model_dir), tag_set)


def meta_graph_of(saved_model: Any, tag_set: str) -> Any:
    """Returns the MetaGraph of a `SavedModel` message that has exactly some tags.

    Raises: RuntimeError: if none has them.
    """
    wanted_tags = set(tag_set.split(","))
    for meta_graph in saved_model.meta_graphs:
        if set(meta_graph.meta_info_def.tags) == wanted_tags:
            return meta_graph
    known = [",".join(meta_graph.meta_info_def.tags) for meta_graph in saved_model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set} could not be found in the SavedModel. "
        f"Please use one of the following tag-sets: {known}"
    )
