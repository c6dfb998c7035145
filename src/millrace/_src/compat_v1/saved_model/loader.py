"""`tf.compat.v1.saved_model.load`: a SavedModel read into the graph and the variables of a session.

Tests: tests/compat_v1/saved_model/test_builder_and_loader.py
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.saved_model.collection_defs import with_scope
from millrace._src.compat_v1.saved_model.meta_graph_import import import_nodes_and_collections
from millrace._src.compat_v1.train.saver import Saver
from millrace._src.core.context import graph_scope
from millrace._src.ops.io import gfile
from millrace._src.saved_model.constants import (
    INIT_OP_SIGNATURE_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from millrace._src.saved_model.folder import folder_name
from millrace._src.saved_model.reading import (
    as_tags,
    asset_definitions,
    asset_paths,
    choose_meta_graph,
    contains_saved_model,
    parse_saved_model,
)
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export(v1=["saved_model.load", "saved_model.loader.load"])
def load(
    sess: Any, tags: Iterable[str], export_dir: object, import_scope: str | None = None, **saver_kwargs: Any
) -> Any:
    """Reads a SavedModel: adds its graph to that of a session, restores the variables, runs what initializes.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     sess.run(v.initializer)
    ...     tf.compat.v1.saved_model.simple_save(sess, folder, {"x": x}, {"y": tf.multiply(x, v, name="y")})
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     meta_graph = tf.compat.v1.saved_model.load(sess, ["serve"], folder)
    ...     sess.run("y:0", {"x:0": [1.0, 2.0]})
    array([3., 6.], dtype=float32)

    Args:
      sess: the session.
      tags: what the graph is for.
      export_dir: the folder of the SavedModel.
      import_scope: a name scope for the graph; None for its names as they are.
      **saver_kwargs: `clear_devices` and `input_map`, as `import_meta_graph` takes them.

    Returns: The `MetaGraphDef`, whose signatures say what can be fetched and fed.
    Raises:
      OSError: if there is no SavedModel in the folder.
      RuntimeError: if no graph of the SavedModel has the tags.
    """
    folder = folder_name(export_dir)
    meta_graph = choose_meta_graph(parse_saved_model(folder), as_tags(tags) or [], folder)
    definitions = asset_definitions(meta_graph)
    paths = asset_paths(definitions, folder, follows_links=True)
    with graph_scope(sess.graph):
        scope, _ = import_nodes_and_collections(meta_graph, import_scope=import_scope, **saver_kwargs)
        names = [with_scope(definition.tensor_info.name, scope) for definition in definitions]
        assets = dict(zip(names, paths, strict=True))
        _restore(sess, meta_graph, folder, scope)
        operation = _main_op(meta_graph, scope)
        if operation is not None:
            sess.run(operation, assets)
    return meta_graph


def _restore(session: Any, meta_graph: Any, folder: str, scope: str) -> None:
    """Restores the variables, if the SavedModel has any."""
    path = f"{folder}/{VARIABLES_DIRECTORY}/{VARIABLES_FILENAME}"
    if not gfile.exists(f"{path}.index") and not gfile.exists(path):
        get_logger().info("The specified SavedModel has no variables; no checkpoints were restored.")
    elif meta_graph.saver_def.restore_op_name:
        Saver.from_proto(meta_graph.saver_def, import_scope=scope or None).restore(session, path)


def _main_op(meta_graph: Any, scope: str) -> str | None:
    """Returns the name of the operation that initializes, or None."""
    signature = meta_graph.signature_def.get(INIT_OP_SIGNATURE_KEY)
    if signature is not None:
        return with_scope(signature.outputs[INIT_OP_SIGNATURE_KEY].name, scope)
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in meta_graph.collection_def and meta_graph.collection_def[key].node_list.value:
            return with_scope(meta_graph.collection_def[key].node_list.value[0], scope)
    return None


@export(v1=["saved_model.maybe_saved_model_directory", "saved_model.loader.maybe_saved_model_directory"])
def maybe_saved_model_directory(export_dir: object) -> bool:
    """Returns whether a folder holds a SavedModel, as `tf.saved_model.contains_saved_model` does.

    >>> tf.compat.v1.saved_model.maybe_saved_model_directory("/no/such/folder")
    False
    """
    return contains_saved_model(export_dir)
