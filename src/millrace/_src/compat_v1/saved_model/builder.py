"""`tf.compat.v1.saved_model.Builder`: SavedModels of graphs, as programs of TensorFlow 1 write them.

A SavedModel holds one set of variables and assets, and one or more graphs that use them, each known by its tags. The
variables are written when the first graph is added, the graphs when the builder saves.

Tests: tests/compat_v1/saved_model/test_builder_and_loader.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import any_pb2

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.saved_model.meta_graphs import export_meta_graph
from millrace._src.compat_v1.saved_model.signature_defs import predict_signature_def
from millrace._src.compat_v1.train.saver import Saver
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.io.message_files import write_message
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto import meta_graph_pb2, saved_model_pb2
from millrace._src.saved_model.asset_files import name_of_copy
from millrace._src.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from millrace._src.saved_model.folder import folder_name
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_ASSET_TYPE = "type.googleapis.com/tensorflow.AssetFileDef"
"""How readers of a SavedModel know the messages that describe assets."""


@export(v1=["saved_model.Builder", "saved_model.builder.SavedModelBuilder"])
@tensorflow_home("python.saved_model.builder_impl")
class SavedModelBuilder:
    """Writes a SavedModel of the graphs of sessions.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> builder = tf.compat.v1.saved_model.Builder(folder)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     sess.run(v.initializer)
    ...     signature = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": x * v})
    ...     builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
    >>> _ = builder.save()
    >>> tf.saved_model.load(folder).signatures["serving_default"](tf.constant([1.0, 2.0]))["y"].numpy()
    array([3., 6.], dtype=float32)

    Args: export_dir: the folder, which is made.
    Raises: AssertionError: if the folder exists and is not empty.
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = folder_name(export_dir)
        if gfile.exists(self._folder) and gfile.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a different export "
                "directory, or delete all the contents of the specified directory."
            )
        gfile.makedirs(self._folder)
        self._message = saved_model_pb2.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: object,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: object = None,
        clear_devices: bool = False,
        main_op: object = None,
        strip_default_attrs: bool = False,
        saver: object = None,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables.

        Args:
          sess: the session, whose graph is the default graph.
          tags: what the graph is for.
          signature_def_map: `SignatureDef`s by name.
          assets_collection: string constants with the names of files, which are copied into the SavedModel.
          legacy_init_op: the same as `main_op`, in older programs.
          clear_devices: whether devices are left out.
          main_op: the operation that runs when the SavedModel is loaded.
          strip_default_attrs: whether attributes that have their default are left out.
          saver: what writes the variables; None for a new `Saver`.

        Raises:
          AssertionError: if variables were written before.
          ValueError: if there are two operations to run.
          TypeError: if an argument is of a wrong kind.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        self._add(
            tags,
            signature_def_map,
            assets_collection,
            legacy_init_op,
            clear_devices,
            main_op,
            strip_default_attrs,
            saver,
            sess,
        )
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, which uses the variables that were written.

        Args: the same as those of `add_meta_graph_and_variables`.
        Raises: AssertionError: if no variables were written yet.
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._add(
            tags,
            signature_def_map,
            assets_collection,
            legacy_init_op,
            clear_devices,
            main_op,
            strip_default_attrs,
            saver,
            None,
        )

    def _add(
        self,
        tags: Iterable[str],
        signatures: Mapping[str, Any] | None,
        assets: Iterable[Any] | None,
        legacy_init_op: Any,
        clear_devices: bool,
        main_op: Any,
        strip_default_attrs: bool,
        saver: Any,
        session: object,
    ) -> None:
        for signature in (signatures or {}).values():
            _check_signature(signature)
        _note_main_op(main_op if main_op is not None else legacy_init_op)
        copies = _note_assets(assets)
        saver = Saver(sharded=True, allow_empty=True) if saver is None else saver
        meta_graph = export_meta_graph(
            saver_def=saver.as_saver_def(), clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        meta_graph.meta_info_def.tags.extend(tags)
        for name, signature in (signatures or {}).items():
            meta_graph.signature_def[name].CopyFrom(signature)
        for name, original in copies.items():
            gfile.makedirs(f"{self._folder}/{ASSETS_DIRECTORY}")
            with atomic_write(f"{self._folder}/{ASSETS_DIRECTORY}/{name}") as file:
                file.write(content_of(original))
        if session is not None:
            self._write_variables(session, saver)
        self._message.meta_graphs.append(meta_graph)

    def _write_variables(self, session: Any, saver: Any) -> None:
        folder = f"{self._folder}/{VARIABLES_DIRECTORY}"
        gfile.makedirs(folder)
        saver.save(session, f"{folder}/{VARIABLES_FILENAME}", write_meta_graph=False, write_state=False)

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: object = None,
    ) -> bytes:
        """Writes the graphs.

        Args:
          as_text: whether the file is text.
          experimental_image_format: only False: the format in several files is not written.
          experimental_image_writer_options: only None.

        Returns: The name of the file.
        Raises: NotImplementedError: if the format in several files is asked for.
        """
        if experimental_image_format or experimental_image_writer_options is not None:
            raise NotImplementedError("SavedModelBuilder.save: experimental_image_format is not supported.")
        path = f"{self._folder}/{SAVED_MODEL_FILENAME_PBTXT if as_text else SAVED_MODEL_FILENAME_PB}"
        write_message(path, self._message, as_text)
        get_logger().info("SavedModel written to: %s", path)
        return path.encode()


def _check_signature(signature: Any) -> None:
    """Refuses signatures whose tensors have no dtype or shape, but for those of composites.

    Raises: AssertionError: if a dtype is missing.
    """
    for infos in (signature.inputs, signature.outputs):
        for name, info in infos.items():
            if info.WhichOneof("encoding") != "composite_tensor" and not info.dtype:
                raise AssertionError(f"dtype of TensorInfo {name!r} is not set: {info}")


def _note_main_op(operation: Any) -> None:
    """Notes the operation that runs when the SavedModel is loaded, in the collection of the graph."""
    graph = get_default_graph()
    if operation is None:
        return
    if not isinstance(operation, Operation):
        raise TypeError(f"Expected {operation} to be an Operation but got type {type(operation)} instead.")
    if graph.get_collection(MAIN_OP_KEY):
        raise ValueError(f"Graph already contains one or more main ops under the collection {MAIN_OP_KEY}.")
    graph.add_to_collection(MAIN_OP_KEY, operation)


def _note_assets(assets: Iterable[Any] | None) -> dict[str, str]:
    """Notes assets in the collection of the graph; returns the names of their copies with those of the originals."""
    copies: dict[str, str] = {}
    graph = get_default_graph()
    for tensor in assets or ():
        original = _path_of(tensor)
        name = name_of_copy(original, copies)
        copies[name] = original
        definition = meta_graph_pb2.AssetFileDef(filename=name)
        definition.tensor_info.name = tensor.name
        graph.add_to_collection(ASSETS_KEY, any_pb2.Any(type_url=_ASSET_TYPE, value=definition.SerializeToString()))
    return copies


def _path_of(tensor: Any) -> str:
    if not isinstance(tensor, SymbolicTensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor of a graph.")
    values = tensor.op.static_values
    if tensor.op.inputs or not values:
        raise TypeError(f"Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} instead.")
    path: bytes = values[tensor.value_index][()]
    return path.decode("utf-8", "surrogateescape")


@export(v1=["saved_model.simple_save"])
def simple_save(
    session: Any,
    export_dir: object,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: object = None,
) -> None:
    """Writes a SavedModel with one graph and one signature.

    Args:
      session: the session, whose graph is the default graph.
      export_dir: the folder, which is made.
      inputs: Tensors by the names of the signature's inputs.
      outputs: Tensors by the names of the signature's outputs.
      legacy_init_op: the operation that runs when the SavedModel is loaded.

    Raises: AssertionError: if the folder exists and is not empty.
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    with session.graph.as_default():
        builder.add_meta_graph_and_variables(
            session,
            tags=[SERVING],
            signature_def_map={DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=session.graph.get_collection("asset_filepaths"),
            main_op=legacy_init_op,
            clear_devices=True,
        )
    builder.save()
