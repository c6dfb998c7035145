"""`tf.saved_model.save`: a program with its variables, in a folder.

A SavedModel is one message, `saved_model.pb`, with the graph (`export_graph`), its functions (`function_library`) and
the objects (`object_graph_proto`); a checkpoint of the variables; the files that the program uses; and a fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.checkpoint.object_graph import SavedGraph, serialize_object_graph
from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.value_writing import write_saved_graph
from millrace._src.core.context import eager_mode, state
from millrace._src.core.op_capabilities import Capability
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.polymorphic_function import Function
from millrace._src.graph.function_def import collect_functions
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import saved_model_pb2
from millrace._src.saved_model.asset_files import add_assets
from millrace._src.saved_model.constants import (
    ASSETS_DIRECTORY,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    FINGERPRINT_FILENAME,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
)
from millrace._src.saved_model.debug_info import debug_info_of
from millrace._src.saved_model.export_graph import ExportGraph
from millrace._src.saved_model.fingerprint import fingerprint_of
from millrace._src.saved_model.folder import SavedModelFolder, write_files
from millrace._src.saved_model.function_library import SavedFunctions
from millrace._src.saved_model.gradient_functions import gradient_functions
from millrace._src.saved_model.meta_info import state_meta_info
from millrace._src.saved_model.object_graph_proto import object_graph_proto, write_gradients
from millrace._src.saved_model.save_options import SaveOptions
from millrace._src.saved_model.saved_objects import SavedObjects
from millrace._src.saved_model.saver_functions import SaverFunctions
from millrace._src.saved_model.signatures import canonical_signatures, default_signature
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export("saved_model.save", v1=["saved_model.save", "saved_model.experimental.save"])
def save(obj: object, export_dir: object, signatures: object = None, options: SaveOptions | None = None) -> None:
    """Writes an object, its functions and its variables as a SavedModel.

    >>> class Adder(tf.Module):
    ...     def __init__(self):
    ...         self.total = tf.Variable(0.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    ...     def add(self, x):
    ...         return self.total.assign_add(x)
    >>> adder = Adder()
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(adder, folder, signatures=adder.add)

    Written are the variables that attributes lead to, and the graphs that the functions have at this time: those of the
    calls so far, and of input signatures. What graphs use from outside must be an attribute, too.

    Args:
      obj: a `tf.Module`, or another trackable object.
      export_dir: the folder; what a SavedModel there holds is replaced.
      signatures: what programs that know no objects call: a `tf.function` with an input signature, a concrete function,
        or a dict of such by name. By default the only function whose arguments are known is the signature
        "serving_default", if there is exactly one.
      options: a `tf.saved_model.SaveOptions`.

    Raises:
      ValueError: if `obj` is not trackable, a signature cannot be one, or a function captures a tensor of a graph.
      AssertionError: inside a `tf.function`; if a function uses a variable or table that is not an attribute.
    """
    options = SaveOptions() if options is None else options
    _check(obj, options)
    with eager_mode():
        _save(obj, export_dir, signatures, options)


def _check(obj: object, options: SaveOptions) -> None:
    if state.graph is not None and state.graph.building_function:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    if state.graph is not None:
        raise RuntimeError(
            "tf.saved_model.save writes the values of variables, which a graph does not have without a session; save "
            "in eager mode. Sessions are not supported yet."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} with type {type(obj)}."
        )
    if options.experimental_image_format:
        raise ValueError("The option `experimental_image_format` is disabled in OSS.")


def _save(obj: object, export_dir: object, signatures: object, options: SaveOptions) -> None:
    objects = SavedObjects(obj)
    if signatures is None:
        signatures = default_signature(objects.children(obj))
    canonical = canonical_signatures(signatures)
    objects.add_signatures({key: signature.function for key, signature in canonical.items()})
    saved_graph = serialize_object_graph(objects)
    message = saved_model_pb2.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
    meta_graph = message.meta_graphs.add()
    graph = ExportGraph(objects, options)
    graph.add_signatures(meta_graph, canonical)
    graph.add_init_op(meta_graph)
    library = _fill(meta_graph, graph, saved_graph, options)
    copies = add_assets(meta_graph, graph.assets)
    content = message.SerializeToString(deterministic=True)
    with SavedModelFolder(export_dir) as folder:
        write_saved_graph(saved_graph, folder.variables_prefix, _checkpoint_options(options))
        fingerprint = fingerprint_of(content, meta_graph, content_of(f"{folder.variables_prefix}.index"))
        files = {FINGERPRINT_FILENAME: fingerprint.SerializeToString(deterministic=True)}
        if options.save_debug_info:
            debug_info = debug_info_of(library).SerializeToString(deterministic=True)
            files[f"{DEBUG_DIRECTORY}/{DEBUG_INFO_FILENAME_PB}"] = debug_info
        write_files(folder, {**files, SAVED_MODEL_FILENAME_PB: content}, copies)
    get_logger().info("Assets written to: %s/%s", folder.name, ASSETS_DIRECTORY)


def _fill(meta_graph: Any, graph: ExportGraph, saved_graph: SavedGraph, options: SaveOptions) -> SavedFunctions:
    """Writes the saver, the graph with its functions, the objects, and what is known of the message itself."""
    saver = SaverFunctions(graph, saved_graph)
    if not options.experimental_skip_saver:
        saver.add(meta_graph)
    library = SavedFunctions()
    library.add(_functions_of_objects(graph, saver))
    library.add(collect_functions(graph.graph).values())
    _warn_of_python(library)
    gradients = gradient_functions(library) if options.experimental_custom_gradients else []
    meta_graph.graph_def.CopyFrom(library.graph_def(graph.graph))
    for gradient in gradients:
        meta_graph.graph_def.library.registered_gradients.add(
            gradient_func=library.name_of(gradient.concrete.graph_function), registered_op_type=gradient.wire_name
        )
    meta_graph.object_graph_def.CopyFrom(object_graph_proto(graph, saver, library, options))
    write_gradients(meta_graph, graph, gradients, library)
    state_meta_info(meta_graph, strips_defaults=True)
    info = meta_graph.meta_info_def
    info.tags.extend([SERVING, *_extra_tags(options)])
    for alias, function in options.function_aliases.items():
        for name in _aliased_names(function, library):
            info.function_aliases[name] = alias
    return library


def _warn_of_python(library: SavedFunctions) -> None:
    """Warns of operations that call Python functions: a SavedModel holds no Python code; TensorFlow says nothing."""
    for function, graph in library.bodies():
        for operation in graph.get_operations():
            capabilities = operation.op_def.traits.capabilities
            if isinstance(capabilities, Capability) and Capability.RUNS_PYTHON in capabilities:
                get_logger().warning(
                    "The function %s of the SavedModel calls Python code by its operation %s (%s). The file does not "
                    "hold that code, so the function runs in this process only.",
                    library.name_of(function),
                    operation.name,
                    operation.type,
                )


def _checkpoint_options(options: SaveOptions) -> CheckpointOptions:
    return CheckpointOptions(
        experimental_io_device=options.experimental_io_device,
        experimental_sharding_callback=options.experimental_sharding_callback,
    )


def _extra_tags(options: SaveOptions) -> list[str]:
    tags = options.extra_tags or ()
    return sorted(tags) if isinstance(tags, (set, frozenset)) else list(tags)


def _functions_of_objects(graph: ExportGraph, saver: SaverFunctions) -> Iterator[Any]:
    for trackable in graph.objects.nodes():
        if isinstance(trackable, ConcreteFunction):
            yield trackable.graph_function
    for pair in (pair for pairs in saver.functions.values() for pair in pairs):
        yield pair.save.graph_function
        yield pair.restore.graph_function


def _aliased_names(function: object, library: SavedFunctions) -> Iterator[str]:
    """Yields the names in the file of the graphs that an alias names.

    Raises: TypeError: if the alias names something else.
    """
    if isinstance(function, Function):
        concretes = function._list_all_concrete_functions()
    elif isinstance(function, (list, tuple)) and all(isinstance(one, ConcreteFunction) for one in function):
        concretes = list(function)
    elif isinstance(function, ConcreteFunction):
        concretes = [function]
    else:
        raise TypeError(
            f"Unsupported type f{type(function)}. Functions in `function_aliases` should be created by tf.function, or "
            "concrete functions, or collections of concrete functions."
        )
    for concrete in concretes:
        yield library.name_of(concrete.graph_function)
