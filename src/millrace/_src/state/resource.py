"""`tf.saved_model.experimental.TrackableResource`: an object behind a resource handle that a SavedModel can make again.

Problem: a table has no value that a file could hold. What can be kept is how to make the table, how to fill it, and how
to let go of it.

Idea: a class says the three as methods. In eager mode the resource is made when its handle is first asked for. A
SavedModel holds the three methods as functions, which the layer of SavedModels traces, and runs them when it is loaded.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.scopes import device
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export

_name_in_file: ContextVar[str] = ContextVar("name of a resource in a SavedModel", default="")


def name_in_file() -> str:
    """Returns the name that resources which are made now get in a SavedModel; "" where none is being written."""
    return _name_in_file.get()


@contextlib.contextmanager
def name_resources(name: str) -> Iterator[None]:
    """Gives resources that are made within a name, by which all graphs of a SavedModel mean the same resource."""
    token = _name_in_file.set(name)
    try:
        yield
    finally:
        _name_in_file.reset(token)


class CapturableResource(Trackable):
    """An object whose resource functions capture, and that a SavedModel makes again by calling `_create_resource`.

    Args: device: the device of the resource; "" for any.
    """

    _resource_device: str = ""
    _resource_handle_value: Any = None

    def __init__(self, device: str = "") -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Makes the resource; returns its handle.

        Raises: NotImplementedError: unless a subclass says how.
        """
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Fills the resource after it was made; by default, there is nothing to fill."""

    def _destroy_resource(self) -> Any:
        """Lets go of the resource; by default, the holder of the last handle does."""

    @property
    def _resource_handle(self) -> Any:
        return self._resource_handle_value

    @_resource_handle.setter
    def _resource_handle(self, handle: object) -> None:
        self._resource_handle_value = handle

    @property
    def resource_handle(self) -> Any:
        """The handle of the resource, which is made when it is first asked for."""
        if self._resource_handle is None:
            with init_scope(), device(self._resource_device or None):
                self._resource_handle = self._create_resource()
        return self._resource_handle

    def __del__(self) -> None:
        if isinstance(self._resource_handle, EagerTensor) and state.graph is None:
            self._destroy_resource()

    def _export_to_saved_model_graph(self, object_map: Any, tensor_map: Any, options: Any, **kwargs: Any) -> list[Any]:
        """Makes the resource in the graph, too, for a copy of the object."""
        del options, kwargs
        original = self.resource_handle
        duplicate = copy.copy(self)
        with device(self._resource_device or None):
            duplicate._resource_handle = duplicate._create_resource()
        object_map[self] = duplicate
        tensor_map[original] = duplicate._resource_handle
        return [original]

    def _write_object_proto(self, proto: Any, options: object) -> None:
        """Says in a SavedModel that the object is a resource, and its device."""
        del options
        proto.resource.device = self._resource_device


@export("saved_model.experimental.TrackableResource")
class TrackableResource(CapturableResource):
    """Base of the user's classes of resources, which SavedModels make and fill anew when they are loaded.

    >>> class Words(tf.saved_model.experimental.TrackableResource):
    ...     def _create_resource(self):
    ...         return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="words")
    ...     def _initialize(self):
    ...         tf.raw_ops.LookupTableImportV2(
    ...             table_handle=self.resource_handle, keys=["a"], values=tf.constant([1], tf.int64))
    >>> words = Words()
    >>> words._initialize()
    >>> tf.raw_ops.LookupTableSizeV2(table_handle=words.resource_handle).numpy()
    np.int64(1)

    A subclass defines `_create_resource`, and `_initialize` and `_destroy_resource` where there is something to do.
    None of the three takes an argument. Functions get to the resource by `resource_handle`.

    Args: device: the device of the resource; "" for any.
    """
