"""Iterators over datasets: `iter(dataset)`, in Python and in a `tf.function`."""

from __future__ import annotations

import collections.abc
import contextlib
from abc import abstractmethod
from collections.abc import Iterator as PythonIterator
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import resource, string
from millrace._src.core.errors import OperatorNotAllowedInGraphError, OpError, OutOfRangeError
from millrace._src.core.execute import scalar_array
from millrace._src.core.resources import resource_of
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor, note_devices
from millrace._src.core.type_specs import TypeSpec
from millrace._src.core.wire_forms import wire_form
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterator_ops import (
    END_OF_SEQUENCE,
    anonymous_iterator,
    iterator_get_next,
    iterator_get_next_as_optional,
    make_iterator,
)
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.iterator_states import restore_iterator, save_iterator
from millrace._src.data.legacy_structure import LegacyStructure
from millrace._src.data.optionals import Optional, optional_of
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.data.structure import ElementStructure
from millrace._src.data.transforms.with_options import options_of
from millrace._src.ops.host import numpy_function
from millrace._src.trackable.base import SavedTogether, Trackable
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_MAX_IN_GRAPH = 10_000
"""The most elements that a trace takes of one iterator, by as many nodes."""


STATE = "_STATE"
"""The name of an iterator's state in checkpoints, which is TensorFlow's."""


@export("data.Iterator", v1=[])
class IteratorBase(collections.abc.Iterator[Any], Trackable, CompositeTensor):
    """An iterator over a dataset; `iter(dataset)` makes one.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> next(iterator).numpy(), next(iterator).numpy(), next(iterator, None)
    (np.int64(0), np.int64(1), None)
    """

    @property
    @abstractmethod
    def _type_spec(self) -> TypeSpec:
        """The spec of the iterator."""

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The nest of specs of an element."""

    @abstractmethod
    def get_next(self) -> Any:
        """Returns the next element.

        Raises: tf.errors.OutOfRangeError: after the last element.
        """

    @abstractmethod
    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty after the last element."""


@tensorflow_home("python.data.ops.iterator_ops")
class OwnedIterator(IteratorBase, LegacyStructure):
    """An iterator whose resource ends with it.

    Args:
      dataset: the dataset to go through; None for an iterator that exists already.
      components: the handle of that iterator.
      element_spec: the nest of specs of its elements.
    """

    _saved_together = SavedTogether("ITERATOR", (STATE,))

    def __init__(
        self, dataset: DatasetBase | None = None, components: object = None, element_spec: object = None
    ) -> None:
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError(
                    "When `dataset` is not provided, both `components` and `element_spec` must be specified."
                )
            self._iterator_resource = components
            self._structure = ElementStructure(element_spec)
        else:
            if components is not None or element_spec is not None:
                raise ValueError("When `dataset` is provided, `element_spec` and `components` must not be specified.")
            self._structure = dataset._structure
            self._dataset = dataset
            types, shapes = self._structure.dtypes, self._structure.shapes
            with _beside(dataset._variant_tensor):
                self._iterator_resource = anonymous_iterator(output_types=types, output_shapes=shapes)
                make_iterator(dataset._variant_tensor, self._iterator_resource)
        self._resource = _referent(self._iterator_resource)
        self._taken_in_graph = 0
        self._dtype = self._structure.dtypes[0] if type(self._structure.spec) is TensorSpec else None

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        return self._structure.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        spec: IteratorSpec | None = self._structure.iterator_spec
        if spec is None:
            spec = self._structure.iterator_spec = IteratorSpec(self.element_spec)
        return spec

    def __iter__(self) -> PythonIterator[Any]:
        return self

    def __next__(self) -> Any:
        resource = self._resource
        if resource is None or state.graph is not None:
            return self._next_of_graph()
        with resource.lock:
            index = resource.index
            if index >= resource.count:
                if not _fill(resource):
                    raise StopIteration
                index = 0
            resource.index = index + 1
            columns = resource.columns
            if self._dtype is not None:
                (column,) = columns
                array = column[index] if type(column) is list else column[index, ...]
                tensor = EagerTensor(array, self._dtype)
                if state.logical_device is not None:
                    note_devices([tensor])
                return tensor
        return self._element([c[index] if type(c) is list else c[index, ...] for c in columns])

    def _element(self, row: list[Any]) -> Any:
        """Returns the element of arrays."""
        pairs = zip(row, self._structure.dtypes, strict=True)
        tensors = [EagerTensor(a if type(a) is np.ndarray else scalar_array(a, d), d) for a, d in pairs]
        if state.logical_device is not None:
            note_devices(tensors)
        return self._structure.pack(tensors)

    def _next_of_graph(self) -> Any:
        """Takes an element by an op.

        Raises: OperatorNotAllowedInGraphError: if Python seems to loop over the iterator, which would never end.
        """
        self._taken_in_graph += 1
        if self._taken_in_graph > _MAX_IN_GRAPH and self._resource is None:
            raise OperatorNotAllowedInGraphError(
                f"A Python loop took {_MAX_IN_GRAPH} elements of a dataset in a function; it would never end, since "
                "the graph alone knows where the dataset does. Let AutoGraph convert the loop (`autograph=True`), or "
                "use `Dataset.reduce`."
            )
        types, shapes = self._structure.dtypes, self._structure.shapes
        with _beside(self._iterator_resource):
            row = iterator_get_next(self._iterator_resource, output_types=types, output_shapes=shapes)
        return self._structure.pack(row)

    def get_next(self) -> Any:
        """Returns the next element.

        Raises: tf.errors.OutOfRangeError: after the last element.
        """
        if state.graph is not None:
            return self._next_of_graph()
        try:
            return self.__next__()
        except StopIteration:
            raise OutOfRangeError(None, None, f"{END_OF_SEQUENCE} [Op:IteratorGetNext] name: ") from None

    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty after the last element."""
        types, shapes = self._structure.dtypes, self._structure.shapes
        with _beside(self._iterator_resource):
            variant = iterator_get_next_as_optional(self._iterator_resource, output_types=types, output_shapes=shapes)
        return optional_of(variant, self.element_spec)

    next = __next__

    # --- saving --------------------------------------------------------------------------------------------------

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Returns the state of the iterator, a scalar of string.

        Raises:
          FailedPreconditionError: if a function depends on state outside of the pipeline, unless the option
            `experimental_external_state_policy` allows that.
        """
        resource = self._running()
        policy = options_of(resource.node).experimental_external_state_policy or ExternalStatePolicy.FAIL
        if state.graph is None:
            return {STATE: convert_to_tensor(save_iterator(resource, policy))}
        return {STATE: numpy_function(lambda: _hold(save_iterator(resource, policy)), [], string)}  # when it runs

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        """Goes on from a state that `_serialize_to_tensors` gave."""
        resource, saved = self._running(), restored_tensors[STATE]
        if isinstance(saved, EagerTensor):
            restore_iterator(resource, saved.numpy())
        else:
            numpy_function(lambda text: restore_iterator(resource, text), [saved], [])

    def _running(self) -> IteratorResource:
        """Returns the running iterator.

        Raises: NotImplementedError: in a graph.
        """
        if self._resource is None:
            raise NotImplementedError("An iterator of a graph is saved by `tf.raw_ops.SerializeIterator`.")
        return self._resource


def _hold(text: bytes) -> Any:
    """Returns bytes as an array of one object: an array of NumPy's own texts loses zeros at the end."""
    return np.array(text, object)


def _beside(tensor: object) -> AbstractContextManager[None]:
    """Puts the operations of a graph beside that of a tensor."""
    if state.graph is None or isinstance(tensor, EagerTensor):
        return contextlib.nullcontext()
    return state.graph.colocate_with(tensor)


def _referent(handle: object) -> IteratorResource | None:
    """Returns the running iterator behind an eager handle; None for the handle of a graph."""
    if not isinstance(handle, EagerTensor):
        return None
    resource: IteratorResource = resource_of(handle._eager_array)
    return resource


def _fill(resource: IteratorResource) -> bool:
    """Takes the next block; an error says which op of TensorFlow it is that of."""
    try:
        return resource.fill()
    except OpError as error:
        raise type(error)(None, None, f"{error.message} [Op:IteratorGetNext] name: ") from None  # type: ignore[call-arg]  # of a subclass


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: Any) -> Optional:
    """Takes the next element of an iterator as an optional.

    >>> tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(0))).has_value().numpy()
    np.False_

    Args:
      iterator: a `tf.data.Iterator`.

    Returns: A `tf.experimental.Optional`, which is empty after the last element.
    """
    optional: Optional = iterator.get_next_as_optional()
    return optional


@wire_form("DATA_ITERATOR_SPEC")
@export("data.IteratorSpec", v1=[])
class IteratorSpec(TypeSpec):
    """The spec of an iterator, as an argument of a `tf.function`.

    Args:
      element_spec: the nest of specs of an element.
    """

    __slots__ = ("_element_spec", "_hash")

    def __init__(self, element_spec: TensorLike) -> None:
        self._element_spec = element_spec
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """The class of iterators."""
        return OwnedIterator

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([], resource)

    def _to_components(self, value: Any) -> Any:
        return value._iterator_resource

    def _from_components(self, components: TensorLike) -> OwnedIterator:
        return OwnedIterator(components=components, element_spec=self._element_spec)

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """Returns the spec of an iterator."""
        return IteratorSpec(value.element_spec)
