"""SavedModels as earlier releases of TensorFlow 2 wrote them, made from those of today by taking away what came later.

A style is a list of changes to the `SavedModel` message and to the files. Loading must not notice: what was added over
the years are shortcuts (children named `trace_0` and `capture_0`, dependencies, registered names, fingerprints) and
hints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Change = Callable[[Any], None]

_HINT = re.compile(r"trace_\d+|capture_\d+")


def _graphs(saved: Any) -> Iterator[Any]:
    for meta in saved.meta_graphs:
        yield meta.graph_def
        yield from meta.graph_def.library.function


def _nodes(saved: Any) -> Iterator[Any]:
    for graph in _graphs(saved):
        yield from getattr(graph, "node_def", None) or getattr(graph, "node", ())


def without_hints_on_ops(saved: Any) -> None:
    """Takes away shapes and other hints that no op needs."""
    for node in _nodes(saved):
        for hint in ("_output_shapes", "_has_manual_control_dependencies"):
            if hint in node.attr:
                del node.attr[hint]
        node.ClearField("experimental_debug_info")
    for meta in saved.meta_graphs:
        for function in meta.graph_def.library.function:
            function.arg_attr.clear()
            function.resource_arg_unique_id.clear()
            for hint in [key for key in function.attr if key.startswith("_") and key != "_gradient_op_type"]:
                del function.attr[hint]


def written_by(version: str, producer: int) -> Change:
    """Returns the change that names this release as the writer."""

    def change(saved: Any) -> None:
        for meta in saved.meta_graphs:
            meta.meta_info_def.tensorflow_version = version
            meta.meta_info_def.tensorflow_git_version = f"v{version}-rc2-26-g000000000"
            meta.graph_def.versions.producer = producer
            meta.graph_def.versions.min_consumer = 12

    return change


def without_registered_names(saved: Any) -> None:
    """Takes away what the object graph says of registered classes and of the order of loading."""
    for meta in saved.meta_graphs:
        for node in meta.object_graph_def.nodes:
            for name in ("registered_name", "registered_saver", "serialized_user_proto", "dependencies"):
                node.ClearField(name)


def without_traces_as_objects(saved: Any) -> None:
    """Takes away the traces and captures that functions name as children, and the objects only they name."""
    for meta in saved.meta_graphs:
        graph = meta.object_graph_def
        named = {
            child.node_id for node in graph.nodes for child in node.children if not _HINT.fullmatch(child.local_name)
        }
        for node in graph.nodes:
            kept = [child for child in node.children if not _HINT.fullmatch(child.local_name)]
            if len(kept) < len(node.children):
                del node.children[:]
                node.children.extend(kept)
            if node.WhichOneof("kind") in ("function", "bare_concrete_function"):
                del node.dependencies[:]
        _remove(graph, {i for i, node in enumerate(graph.nodes) if _is_trace(node) and i not in named and i > 0})


def _is_trace(node: Any) -> bool:
    return bool(node.WhichOneof("kind") == "bare_concrete_function")


def _remove(graph: Any, unwanted: set[int]) -> None:
    """Takes nodes out of an object graph, but for those that save and restore a resource; numbers the others anew."""
    saveables = [saveable for node in graph.nodes for saveable in node.saveable_objects.values()]
    needed = {index for saveable in saveables for index in (saveable.save_function, saveable.restore_function)}
    kept = [index for index in range(len(graph.nodes)) if index not in unwanted or index in needed]
    number = {old: new for new, old in enumerate(kept)}
    for node in (graph.nodes[index] for index in kept):
        for reference in (*node.children, *node.dependencies):
            reference.node_id = number[reference.node_id]
        for slot in node.slot_variables:
            slot.original_variable_node_id = number[slot.original_variable_node_id]
            slot.slot_variable_node_id = number[slot.slot_variable_node_id]
    for saveable in saveables:
        saveable.save_function = number[saveable.save_function]
        saveable.restore_function = number[saveable.restore_function]
    for concrete in graph.concrete_functions.values():
        concrete.bound_inputs[:] = [number[index] for index in concrete.bound_inputs]
    copies = [type(graph.nodes[index]).FromString(graph.nodes[index].SerializeToString()) for index in kept]
    del graph.nodes[:]
    graph.nodes.extend(copies)


def without_compilation_of_functions(saved: Any) -> None:
    """Takes away `jit_compile` and what signatures say of their Python arguments."""
    for meta in saved.meta_graphs:
        for node in meta.object_graph_def.nodes:
            if node.HasField("function"):
                node.function.function_spec.ClearField("jit_compile")
            if node.HasField("bare_concrete_function"):
                node.bare_concrete_function.ClearField("function_spec")
        for signature in meta.signature_def.values():
            signature.ClearField("defaults")


def without_kinds_of_specs(saved: Any) -> None:
    """Takes away the class names and the numbers of tensors of type specs."""
    for meta in saved.meta_graphs:
        for message in _messages(meta.object_graph_def):
            if message.DESCRIPTOR.name == "TypeSpecProto" and message.type_spec_class != message.EXTENSION_TYPE_SPEC:
                message.ClearField("num_flat_components")


def _messages(message: Any) -> Iterator[Any]:
    """Yields all messages inside a message."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type is not None:
                for each in value.values():
                    yield from _messages(each)
        elif hasattr(value, "DESCRIPTOR"):
            yield from _messages(value)
        else:
            for each in value:
                yield from _messages(each)


def as_layers_of_keras(saved: Any) -> None:
    """Says of modules that they are layers and models of Keras 2."""
    for meta in saved.meta_graphs:
        nodes = meta.object_graph_def.nodes
        for index, node in enumerate(nodes):
            if node.user_object.identifier == "_generic_user_object":
                node.user_object.identifier = "_tf_keras_layer" if index else "_tf_keras_model"
                node.user_object.version.producer = 1
                metadata = {"class_name": "Dense", "name": f"layer_{index}", "trainable": True, "dtype": "float32"}
                node.user_object.metadata = json.dumps(metadata)


_YOUNG = (without_registered_names, without_hints_on_ops)
_OLD = (*_YOUNG, without_compilation_of_functions, without_kinds_of_specs, without_traces_as_objects)

STYLES: dict[str, tuple[Change, ...]] = {
    "2.0": (written_by("2.0.0", 119), *_OLD),
    "2.3": (written_by("2.3.0", 440), *_OLD),
    "2.5": (written_by("2.5.0", 716), *_YOUNG, without_compilation_of_functions),
    "2.10": (written_by("2.10.0", 1205), *_YOUNG),
    "keras-2.1": (written_by("2.1.0", 175), *_OLD, as_layers_of_keras),
}
"""Name of a style -> the changes of the message. `2.0` has its variables in two files, `2.5` is written as text."""


OF_MANY_KINDS = (
    "variables-every_dtype",
    "variables-nested_modules",
    "containers-lists",
    "functions-several_traces",
    "functions-functions_call_functions",
    "structures-structured_outputs",
    "composites-ragged",
    "control_flow-resources_in_branches",
    "tables-table_of_a_file",
    "tables-mutable_table",
    "signatures-several",
    "gradients-training_step",
    "keras-convolutions",
)
"""Models that are read in every style; in the oldest style all are."""


def aged_models(names: Iterable[str]) -> list[tuple[str, str]]:
    """Returns the pairs of a style and a model that are tested, of these models of TensorFlow 2."""
    return [(style, name) for style in STYLES for name in (names if style == "2.0" else OF_MANY_KINDS)]


def without_shortcuts(differences: Mapping[str, str]) -> dict[str, str]:
    """Returns the differences of answers but for those about objects that no function names any more."""
    return {part: text for part, text in differences.items() if not _HINT.search(part)}


def age(tf: Any, folder: Path, style: str, message: Any, text_format: Any) -> None:
    """Rewrites the SavedModel in `folder` in a style; `message` is a `SavedModel` message to read it with."""
    path = folder / "saved_model.pb"
    message.ParseFromString(path.read_bytes())
    for change in STYLES[style]:
        change(message)
    if style == "2.5":
        path.unlink()
        path = folder / "saved_model.pbtxt"
        path.write_text(text_format.MessageToString(message), encoding="utf-8")
    else:
        path.write_bytes(message.SerializeToString())
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    if style == "keras-2.1":
        (folder / "keras_metadata.pb").write_bytes(b"")
    if style == "2.0":
        in_two_files(tf, f"{folder}/variables/variables")


def in_two_files(tf: Any, prefix: str) -> None:
    """Writes a checkpoint anew: the object graph in one file, all other tensors in a second one."""
    reader = tf.train.load_checkpoint(prefix)
    keys = sorted(reader.get_variable_to_shape_map())
    groups = [["_CHECKPOINTABLE_OBJECT_GRAPH"], [key for key in keys if key != "_CHECKPOINTABLE_OBJECT_GRAPH"]]
    parts = []
    for index, group in enumerate(groups):
        if group:
            parts.append(f"{prefix}_temp/part-{index:05d}-of-00002")
            tensors = [tf.constant(reader.get_tensor(key), reader.get_variable_to_dtype_map()[key]) for key in group]
            tf.raw_ops.SaveV2(prefix=parts[-1], tensor_names=group, shape_and_slices=[""] * len(group), tensors=tensors)
    for path in Path(prefix).parent.glob(f"{Path(prefix).name}.*"):
        path.unlink()
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix, delete_old_dirs=True)
