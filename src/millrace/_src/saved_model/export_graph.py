"""The graph of a SavedModel: what a reader without Python runs.

Problem: programs in other languages know no objects. They find nodes by name: the placeholders and results of each
signature, the node that prepares all tables and files, the nodes that save and restore variables.

Idea: each object adds what represents it to one plain graph. A call of a function is then a node of that graph, whose
inputs are the arguments and, for what the function captures, the nodes that represent it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from typing import Any

from millrace._src.core import composite
from millrace._src.core.context import graph_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.resources import is_variable
from millrace._src.function.concrete_function import ConcreteFunction, live_variables
from millrace._src.graph.graph import Graph
from millrace._src.graph.structured_values import encode_spec
from millrace._src.graph.tensor_proto import encode_tensor
from millrace._src.ops.array.identity import placeholder, placeholder_with_default
from millrace._src.ops.grouping import no_op
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.proto import meta_graph_pb2
from millrace._src.saved_model.constants import (
    INIT_OP_SIGNATURE_KEY,
    MAIN_OP_KEY,
    PREDICT_METHOD_NAME,
)
from millrace._src.saved_model.saved_objects import SavedObjects
from millrace._src.saved_model.signatures import SavedSignature, placeholder_name
from millrace._src.state.asset import Asset
from millrace._src.state.resource import CapturableResource, name_resources
from millrace._src.util.identity_collections import IdentityDict


class ExportGraph:
    """The graph of a SavedModel, and which of its tensors represents which object.

    Args:
      objects: the objects of the SavedModel.
      options: the `tf.saved_model.SaveOptions`.

    Attributes:
      graph: the graph.
      object_map: what represents an object in the graph, for objects that are more than their children.
      tensor_map: what stands in the graph for a tensor that functions capture.
      node_ids: the number of the object behind each tensor that functions capture.
      initializers: the operations that have to run before anything else.
    """

    def __init__(self, objects: SavedObjects, options: Any) -> None:
        self.graph = Graph()
        self.objects = objects
        self.object_map: IdentityDict[Any, Any] = IdentityDict()
        self.tensor_map: IdentityDict[Any, Any] = IdentityDict()
        self.node_ids: IdentityDict[Any, int] = IdentityDict()
        self.assets: list[tuple[int, Asset, Any]] = []
        self.initializers: list[Any] = []
        nodes = objects.nodes()
        with graph_scope(self.graph):
            for node_id in objects.in_order_of_dependency():
                self._add_object(node_id, nodes[node_id], options)

    def _add_object(self, node_id: int, trackable: Any, options: object) -> None:
        with name_resources(self.objects.resource_names.get(trackable, "")):
            tensors = trackable._export_to_saved_model_graph(
                object_map=self.object_map, tensor_map=self.tensor_map, options=options
            )
        for tensor in tensors:
            self.node_ids[tensor] = node_id
        if isinstance(trackable, Asset):
            variable = self.object_map[trackable]
            self.assets.append((node_id, trackable, variable._initial_value))
            self.initializers.append(variable.initializer)

    # --- calls -----------------------------------------------------------------------------------------------------

    def call(self, concrete: ConcreteFunction, arguments: list[Any]) -> Any:
        """Adds a call of a function; returns the operation."""
        captured = [self.stand_in(tensor, concrete, index) for index, tensor in enumerate(concrete.saved_captures)]
        return concrete.graph_function.add_to_graph([*arguments, *captured])

    def stand_in(self, tensor: Any, concrete: ConcreteFunction, index: int) -> Any:
        """Returns the tensor of the graph that represents one that a function captures.

        Raises: AssertionError: if the tensor belongs to an object that is not below the root.
        """
        if tensor not in self.tensor_map:
            raise _untracked_error(tensor, concrete, index)
        substitute = self.tensor_map[tensor]
        return convert_to_tensor(substitute) if is_variable(substitute) else substitute

    def bind_inputs(self, concrete: ConcreteFunction, further: Mapping[Any, int] | None = None) -> list[int]:
        """Returns the numbers of the objects that a function captures; `further` has those of other tensors.

        Raises: AssertionError: if one of them is not below the root.
        """
        numbers = []
        for index, tensor in enumerate(concrete.saved_captures):
            known = further if further is not None and tensor in further else self.node_ids
            if tensor not in known:
                raise _untracked_error(tensor, concrete, index)
            numbers.append(known[tensor])
        return numbers

    # --- signatures ------------------------------------------------------------------------------------------------

    def add_signatures(self, meta_graph: Any, signatures: Mapping[str, SavedSignature]) -> None:
        """Adds a call of each signature, and writes the names of its tensors."""
        with graph_scope(self.graph):
            for key in sorted(signatures):
                if key != INIT_OP_SIGNATURE_KEY:
                    self._add_signature(meta_graph.signature_def[key], key, signatures[key])

    def _add_signature(self, message: Any, key: str, signature: SavedSignature) -> None:
        concrete = signature.function
        names = concrete._arg_keywords
        arguments = []
        for name, tensor in zip(names, concrete.inputs):
            default = signature.defaults.get(name)
            argument = _argument(placeholder_name(f"{key}_{name}"), tensor, default)
            message.inputs[name].CopyFrom(tensor_info(argument))
            arguments.append(argument)
        operation = self.call(concrete, arguments)
        results = concrete.function_type.output.from_tensors(iter(operation.outputs))
        for name, value in results.items():
            message.outputs[name].CopyFrom(tensor_info(value))
        message.method_name = PREDICT_METHOD_NAME
        for name, default in signature.defaults.items():
            message.defaults[name].CopyFrom(encode_tensor(default._eager_array, default.dtype))

    # --- preparations ----------------------------------------------------------------------------------------------

    def add_init_op(self, meta_graph: Any) -> None:
        """Adds the operation that prepares tables and names of files, and states its name."""
        with graph_scope(self.graph):
            with self.graph.control_dependencies(list(self.initializers)):
                calls = [self.call(initialize, []).outputs[0].op for initialize in self._resource_initializers()]
            with self.graph.control_dependencies([*self.initializers, *calls]):
                operation = no_op()
        info = meta_graph_pb2.TensorInfo(name=operation.name)
        info.tensor_shape.unknown_rank = True
        meta_graph.signature_def[INIT_OP_SIGNATURE_KEY].outputs[INIT_OP_SIGNATURE_KEY].CopyFrom(info)
        meta_graph.collection_def[MAIN_OP_KEY].node_list.value.append(operation.name)

    def _resource_initializers(self) -> Iterator[ConcreteFunction]:
        for trackable in self.objects.nodes():
            if isinstance(trackable, CapturableResource):
                initialize = self.objects.children(trackable)["_initialize"]
                yield self.objects.children(initialize)["trace_0"]


def _argument(name: str, tensor: Any, default: Any) -> Any:
    """Adds the node that takes a tensor of a signature, with its default value, if there is one."""
    if default is None:
        return placeholder(tensor.dtype, shape=tensor.shape, name=name)
    return placeholder_with_default(default.numpy(), shape=tensor.shape, name=name)


def tensor_info(value: Any) -> Any:
    """Returns the message that says where in the graph a value is found."""
    info: Any = meta_graph_pb2.TensorInfo()
    if isinstance(value, SparseTensor):
        info.dtype = value.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(value.shape.as_proto())
        info.coo_sparse.values_tensor_name = value.values.name
        info.coo_sparse.indices_tensor_name = value.indices.name
        info.coo_sparse.dense_shape_tensor_name = value.dense_shape.name
    elif isinstance(value, composite.CompositeTensor):
        spec = value._type_spec
        info.composite_tensor.type_spec.CopyFrom(encode_spec(spec))
        info.composite_tensor.components.extend(map(tensor_info, spec.to_tensors(value)))
    else:
        info.name = value.name
        info.dtype = value.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(value.shape.as_proto())
    return info


# --- captures that belong to no object --------------------------------------------------------------------------------


def _untracked_error(tensor: object, concrete: ConcreteFunction, index: int) -> AssertionError:
    """Makes the error for a captured tensor whose object is not below the root."""
    holders = [trackable for trackable in _candidates(concrete) if _is_behind(trackable, tensor)]
    holder = holders[0] if holders else None
    inner = concrete.inputs[len(concrete._arg_keywords) + index]
    return AssertionError(
        "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable) "
        "captured by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to "
        "an attribute of the main object directly. See the information below:\n"
        f"\tFunction name = {concrete.name!r}\n"
        f"\tCaptured Tensor = {tensor!r}\n"
        f"\tTrackable referencing this tensor = {holder!r}\n"
        f"\tInternal Tensor = {inner!r}\n"
        f"{_advice(holder, tensor)}"
    )


def _candidates(concrete: ConcreteFunction) -> list[Any]:
    """Returns the objects that may be behind a captured tensor: the function's variables, then all resources."""
    resources = [living for living in gc.get_objects() if issubclass(type(living), CapturableResource)]
    return [*live_variables(concrete.graph), *resources]


def _is_behind(trackable: Any, tensor: object) -> bool:
    handle = trackable.handle if is_variable(trackable) else trackable.resource_handle
    return handle is tensor


def _advice(holder: Any, tensor: Any) -> str:
    """Returns who holds the object, as far as that is known, and what would help."""
    if holder is None:
        kind = runtime_name(tensor.dtype)
        return f"The tensor is of dtype {kind}, and no object that still exists has it as its handle."
    known = ", ".join(_names_of(holder))
    return (
        f"No path of attributes leads from the object that is saved to this {type(holder).__name__}."
        f"{f' It is known as {known}.' if known else ''} Make it an attribute: `module.name = ...` before saving."
    )


def _names_of(holder: object) -> list[str]:
    """Returns the names by which dictionaries, such as those of attributes, hold an object."""
    owners = [owner for owner in gc.get_referrers(holder) if isinstance(owner, dict)]
    own_names = {name for owner in owners for name, value in owner.items() if value is holder and isinstance(name, str)}
    return sorted(own_names)
