"""The objects of a SavedModel: those below the root, their functions, and what the functions capture.

Problem: a checkpoint holds what has values. A SavedModel also holds functions, the graphs that were traced of them, and
whatever these graphs use from outside: variables, tables, files, tensors.

Idea: functions have their graphs as children, and graphs the tensors that they capture. Each such tensor becomes an
object, unless an asset represents it. Then the objects are numbered breadth first, as those of a checkpoint are.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from millrace._src.checkpoint.object_graph import ObjectGraphView
from millrace._src.core.context import eager_mode, state
from millrace._src.core.tensor import EagerTensor
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterators import IteratorBase
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.graph.static_values import get_static_value
from millrace._src.graph.structured_values import NotEncodableError
from millrace._src.saved_model.dataset_resource import DatasetResource
from millrace._src.saved_model.function_spec import encode_concrete_function
from millrace._src.saved_model.signature_map import _SignatureMap
from millrace._src.saved_model.signatures import captured_tensors
from millrace._src.state.asset import Asset
from millrace._src.state.lookup.interface import LookupInterface
from millrace._src.state.resource import CapturableResource, name_resources
from millrace._src.trackable.base import SaveType, Trackable
from millrace._src.util.identity_collections import IdentityDict


class TrackableConstant(Trackable):
    """A tensor that functions capture, as an object of a SavedModel.

    Args:
      captured: the tensor: an eager one, or one of a graph whose value is known.
    """

    _registered_name = "tf.TrackableConstant"

    def __init__(self, captured: Any) -> None:
        self.captured = captured
        self.operation_name = ""

    def _export_to_saved_model_graph(self, object_map: Any, tensor_map: Any, options: Any, **kwargs: Any) -> list[Any]:
        """Adds the value to the graph as a constant."""
        del options, kwargs
        tensor = self.captured
        array = tensor._eager_array if isinstance(tensor, EagerTensor) else get_static_value(tensor)
        constant = state.graph.constant(np.asarray(array), tensor.dtype, "Const")
        self.operation_name = constant.op.name
        tensor_map[tensor] = constant
        object_map[self] = constant
        return [tensor]

    def _write_object_proto(self, proto: Any, options: object) -> None:
        """Refers to the node that holds the value."""
        proto.constant.operation = self.operation_name


class SavedObjects(ObjectGraphView):
    """The objects of a SavedModel, numbered.

    Args: root: the object to save.
    """

    def __init__(self, root: Any) -> None:
        super().__init__(root, SaveType.SAVEDMODEL, cache={})
        self._signatures = _SignatureMap()
        self.resource_names: IdentityDict[Any, str] = IdentityDict()
        """The names by which the graphs of the SavedModel mean the same resources."""
        self._listed: IdentityDict[Any, dict[str, Any]] = IdentityDict()
        self._assets: IdentityDict[Any, Asset] = IdentityDict()
        self._constants: IdentityDict[Any, TrackableConstant] = IdentityDict()
        self._list_children()

    def add_signatures(self, signatures: Mapping[str, ConcreteFunction]) -> None:
        """Makes functions the signatures of the root, before the objects are numbered."""
        for name, function in signatures.items():
            self._signatures._add_signature(name, function)

    def children(self, trackable: object) -> dict[str, Any]:
        """Returns the children of an object by name, the same ones each time."""
        if isinstance(trackable, ConcreteFunction):
            return self._find_captured(trackable)
        if trackable is self._signatures:
            return dict(self._signatures)
        children = self._listed.get(trackable)
        return super().children(trackable) if children is None else children

    def _list_children(self) -> None:
        """Lists the children of all objects, and notes assets by their names' tensors, which functions capture."""
        seen: IdentityDict[Any, None] = IdentityDict([(self.root, None)])
        waiting = deque([(self.root, type(self.root).__name__)])
        while waiting:
            trackable, path = waiting.popleft()
            if not isinstance(trackable, ConcreteFunction):
                self._listed[trackable] = children = self._find_children(trackable, path)
                for name, child in children.items():
                    if child not in seen:
                        seen[child] = None
                        waiting.append((child, f"{path}/{name}"))

    def _find_children(self, trackable: object, path: str) -> dict[str, Any]:
        children = super().children(trackable)
        if isinstance(trackable, Function):
            return {f"trace_{index}": trace for index, trace in enumerate(filter(_is_encodable, children.values()))}
        for name, child in children.items():
            if isinstance(child, Asset):  # one of several objects for the same file name
                children[name] = self._assets.setdefault(child.asset_path, child)
        if isinstance(trackable, CapturableResource):
            self.resource_names[trackable] = name = _name_of_resource(trackable, path)
            with eager_mode(), name_resources(name):
                children |= _resource_functions(trackable)
        if isinstance(trackable, IteratorBase):
            raise NotImplementedError(
                f"The iterator at {path} cannot be saved in a SavedModel, as in TensorFlow: a loaded model could not "
                "go on where it stands. Save it in a checkpoint, or hold it in an attribute that is not tracked."
            )
        if isinstance(trackable, DatasetBase):
            children["_variant_tracker"] = DatasetResource(trackable)
        if trackable is self.root:
            _check_reserved(trackable, children.pop("signatures", None))
            children["signatures"] = self._signatures
        return children

    def _find_captured(self, concrete: ConcreteFunction) -> dict[str, Any]:
        """Returns the captured tensors of a graph that are objects of their own, by their names."""
        children = {}
        for index, tensor in enumerate(captured_tensors(concrete)):
            if not tensor.dtype.is_handle:
                children[f"capture_{index}"] = self._object_of(tensor)
        return children

    def _object_of(self, tensor: object) -> Any:
        if tensor in self._assets:
            return self._assets[tensor]
        if tensor not in self._constants:
            self._constants[tensor] = TrackableConstant(tensor)
        return self._constants[tensor]

    def dependencies(self, trackable: Any) -> dict[str, Any]:
        """Returns the children that are loaded before an object is."""
        children = self.children(trackable)
        if isinstance(trackable, (Function, ConcreteFunction)):
            return children
        wanted = trackable._deserialization_dependencies(children)
        return dict(wanted)

    def in_order_of_dependency(self) -> list[int]:
        """Returns the numbers of the objects, each after what it depends on, in TensorFlow's order."""
        ids = self.node_ids
        depends = [[ids[id(child)] for child in self.dependencies(node).values()] for node in self.nodes()]
        counts = [0] * len(depends)
        for wanted in depends:
            for node_id in wanted:
                counts[node_id] += 1
        waiting = deque(node_id for node_id, count in enumerate(counts) if not count)
        order = []
        while waiting:
            order.append(node_id := waiting.popleft())
            for wanted_id in depends[node_id]:
                counts[wanted_id] -= 1
                if not counts[wanted_id]:
                    waiting.append(wanted_id)
        return order[::-1]


def _check_reserved(root: object, child: object) -> None:
    """Refuses an attribute that has the name of the signatures.

    Raises: ValueError: unless the attribute is the signatures of an object that was loaded.
    """
    if child is not None and not isinstance(child, _SignatureMap):
        raise ValueError(
            f"Exporting an object {root} which has an attribute named 'signatures'. This is a reserved attribute used "
            "to store SavedModel signatures in objects which come from `tf.saved_model.load`. Delete this attribute "
            "(e.g. `del obj.signatures`) before saving if this shadowing is acceptable."
        )


def _is_encodable(concrete: ConcreteFunction) -> bool:
    """Returns whether a file can hold the arguments of a trace; not objects that Python alone knows."""
    try:
        encode_concrete_function(concrete, ())
    except NotEncodableError:
        return False
    return True


# --- resources -------------------------------------------------------------------------------------------------------


def _resource_functions(resource: CapturableResource) -> dict[str, Function]:
    """Returns the functions that make, fill and destroy a resource, by the names that SavedModels have for these."""

    def creator() -> Any:
        return resource._create_resource()

    def initializer() -> int:
        resource._initialize()
        return 1

    def destroyer() -> int:
        resource._destroy_resource()
        return 1

    functions = {
        "_create_resource": (creator, "_creator"),
        "_initialize": (initializer, "_initializer"),
        "_destroy_resource": (destroyer, "_destroyer"),
    }
    made = {
        name: Function(body, function_name, FunctionOptions(input_signature=[], autograph=False))
        for name, (body, function_name) in functions.items()
    }
    for function in made.values():
        function.get_concrete_function()
    return made


def _name_of_resource(resource: CapturableResource, path: str) -> str:
    """Returns a name for a resource that no other resource has, unless it has the same device and contents."""
    digest = hashlib.blake2b(path.encode(), digest_size=8)
    for tensor in resource._contents() if isinstance(resource, LookupInterface) else ():
        digest.update(repr(tensor.numpy().tolist()).encode())
    return f"{path}_{digest.hexdigest()}"
