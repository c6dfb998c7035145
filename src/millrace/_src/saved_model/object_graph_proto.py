"""The objects of a SavedModel as a message, from which readers that know objects make them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.placeholders import unique_names
from millrace._src.function.polymorphic_function import Function
from millrace._src.proto import saved_object_graph_pb2
from millrace._src.saved_model.export_graph import ExportGraph
from millrace._src.saved_model.function_library import SavedFunctions
from millrace._src.saved_model.function_spec import (
    concrete_function_spec_of,
    encode_concrete_function,
    function_spec_of,
)
from millrace._src.saved_model.gradient_functions import GradientFunction, find_captures, wire_name_of
from millrace._src.saved_model.revived_types import serialize
from millrace._src.saved_model.saved_objects import SavedObjects
from millrace._src.saved_model.saver_functions import SaverFunctions
from millrace._src.state.asset import Asset
from millrace._src.util import nest
from millrace._src.util.identity_collections import IdentityDict, IdentitySet


def object_graph_proto(export: ExportGraph, saver: SaverFunctions, library: SavedFunctions, options: object) -> Any:
    """Returns the message `SavedObjectGraph`."""
    proto = saved_object_graph_pb2.SavedObjectGraph()
    objects = export.objects
    traced_by_calls = _traces_of_calls(objects)
    assets = {node_id: index for index, (node_id, _, _) in enumerate(export.assets)}
    for node_id, trackable in enumerate(objects.nodes()):
        message = proto.nodes.add()
        for name, child_id in objects.number_children(node_id):
            message.children.add(node_id=child_id, local_name=name)
        for name, child in objects.dependencies(trackable).items():
            message.dependencies.add(node_id=objects.node_ids[id(child)], local_name=name)
        message.registered_name = trackable._registered_name
        if isinstance(trackable, Asset):
            message.asset.asset_file_def_index = assets[node_id]
        else:
            _write_kind(message, trackable, objects, library, options)
        if isinstance(trackable, ConcreteFunction):
            _write_graph(proto, trackable, export, library)
            if trackable in traced_by_calls:
                message.bare_concrete_function.argument_keywords[:] = keywords_by_position(trackable)
    for slot in objects.slot_variables():
        proto.nodes[slot.optimizer_id].slot_variables.add(
            original_variable_node_id=slot.variable_id, slot_name=slot.slot_name, slot_variable_node_id=slot.node_id
        )
    _write_saveables(proto, export, saver, library)
    return proto


def _write_kind(message: Any, trackable: Any, objects: SavedObjects, library: SavedFunctions, options: Any) -> None:
    """States what kind of object this is."""
    if isinstance(trackable, Function):
        message.function.function_spec.CopyFrom(function_spec_of(trackable))
        message.function.concrete_functions.extend(
            library.name_of(concrete.graph_function) for concrete in objects.children(trackable).values()
        )
    elif isinstance(trackable, ConcreteFunction):
        _write_bare_function(message.bare_concrete_function, trackable, library)
    else:
        trackable._write_object_proto(message, options)
        if message.WhichOneof("kind") == "user_object":
            registered = serialize(trackable)
            if registered is not None:
                message.user_object.MergeFrom(registered)


def _write_bare_function(message: Any, concrete: ConcreteFunction, library: SavedFunctions) -> None:
    message.concrete_function_name = library.name_of(concrete.graph_function)
    message.argument_keywords.extend(concrete._arg_keywords)
    message.allowed_positional_arguments = concrete._num_positional_args
    message.function_spec.CopyFrom(concrete_function_spec_of(concrete))


def _traces_of_calls(objects: SavedObjects) -> IdentitySet[ConcreteFunction]:
    """Returns the traces of functions that were made for arguments, not for an `input_signature`."""
    functions = (n for n in objects.nodes() if type(n) is Function and n.input_signature is None)
    return IdentitySet(trace for function in functions for trace in objects.children(function).values())


def keywords_by_position(concrete: ConcreteFunction) -> list[str]:
    """Returns the names by which the tensors of a trace can be passed when it is loaded: `p_left` is a part of `p`.

    A composite tensor's parts have the argument's own name, as have all parts as long as the trace is not saved.
    """
    known = [tensor.op.attrs.get("_user_specified_name") for tensor in concrete.inputs]
    names: list[Any] = []
    for spec in nest.flatten(concrete.structured_input_signature):
        if isinstance(spec, TensorSpec):
            names.append(spec.name)
        elif isinstance(spec, TypeSpec):
            names.extend([None] * len(spec.flatten()))
    if len(names) != len(concrete._arg_keywords):
        return concrete._arg_keywords
    names = [name or given or keyword for name, given, keyword in zip(names, known, concrete._arg_keywords)]
    return unique_names(names)


def _write_graph(proto: Any, concrete: ConcreteFunction, export: ExportGraph, library: SavedFunctions) -> None:
    """Writes arguments, results and captures of one graph."""
    saved = encode_concrete_function(concrete, export.bind_inputs(concrete))
    proto.concrete_functions[library.name_of(concrete.graph_function)].CopyFrom(saved)


def write_gradients(
    meta_graph: Any, export: ExportGraph, gradients: Sequence[GradientFunction], library: SavedFunctions
) -> None:
    """Adds what gradients of `tf.custom_gradient` capture, to a message whose functions and objects are written."""
    proto = meta_graph.object_graph_def
    definitions = {definition.signature.name: definition for definition in meta_graph.graph_def.library.function}
    numbers: IdentityDict[Any, int] = IdentityDict()
    for gradient in gradients:
        name = library.name_of(gradient.function)
        for tensor in (tensor for tensor in find_captures(gradient) if tensor not in numbers):
            numbers[tensor] = len(proto.nodes)
            captured = proto.nodes.add().captured_tensor
            captured.name, captured.concrete_function = wire_name_of(tensor, definitions[name]), name
        bound = export.bind_inputs(gradient.concrete, numbers)
        saved = encode_concrete_function(gradient.concrete, bound)
        proto.concrete_functions[library.name_of(gradient.concrete.graph_function)].CopyFrom(saved)


def _write_saveables(proto: Any, export: ExportGraph, saver: SaverFunctions, library: SavedFunctions) -> None:
    """Adds the functions that save and restore objects which are not variables, after all objects."""
    for node_id, pairs in saver.functions.items():
        for pair in pairs:
            numbers = []
            for concrete in (pair.save, pair.restore):
                numbers.append(len(proto.nodes))
                _write_bare_function(proto.nodes.add().bare_concrete_function, concrete, library)
                _write_graph(proto, concrete, export, library)
            saveable = proto.nodes[node_id].saveable_objects[pair.name]
            saveable.save_function, saveable.restore_function = numbers
