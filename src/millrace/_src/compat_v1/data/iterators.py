"""Iterators of graphs: `tf.compat.v1.data.Iterator`, and how datasets make such iterators."""

from __future__ import annotations

import warnings
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.op_def import Effects
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterator_handles import (
    iterator_from_string_handle_v2,
    iterator_to_string_handle,
    iterator_v2,
    one_shot_iterator,
)
from millrace._src.data.iterator_ops import iterator_get_next, iterator_get_next_as_optional, make_iterator
from millrace._src.data.iterators import OwnedIterator
from millrace._src.data.legacy_structure import (
    LegacyStructure,
    legacy_classes,
    legacy_shapes,
    legacy_types,
    spec_of_legacy,
)
from millrace._src.data.optionals import Optional, optional_of
from millrace._src.data.structure import ElementStructure
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_def import find_guarded_operation
from millrace._src.graph.graph import Graph
from millrace._src.graph.import_graph_def import import_graph_def
from millrace._src.graph.operation import Operation
from millrace._src.trackable.base import Trackable
from millrace._src.util import nest
from millrace._src.util.export import export

_MANY_CALLS = 32
_TOO_MANY_CALLS = (
    "`Iterator.get_next()` was called an unusually high number of times. Each call adds nodes to the graph: a loop "
    "that trains should use the result of one call, made before the loop."
)


@export(v1=["data.Iterator"])
class Iterator(Trackable, LegacyStructure):
    """An iterator of a graph, which a session runs.

    Args:
      iterator_resource: the handle of the iterator.
      initializer: the operation that begins a pass; None if there is none.
      output_types: the nest of dtypes of an element.
      output_shapes: the nest of shapes of an element.
      output_classes: the nest of classes of an element.
    """

    def __init__(
        self, iterator_resource: Any, initializer: Any, output_types: Any, output_shapes: Any, output_classes: Any
    ) -> None:
        if iterator_resource is None:
            raise ValueError("`iterator_resource` must be given.")
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._structure = ElementStructure(spec_of_legacy(output_types, output_shapes, output_classes))
        self._string_handle = iterator_to_string_handle(iterator_resource)
        self._calls = 0

    # --- making --------------------------------------------------------------------------------------------------

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """Makes an iterator that `make_initializer` lets begin with one dataset or another.

        Args:
          output_types: the nest of dtypes of an element.
          output_shapes: the nest of shapes of an element; None for unknown shapes.
          shared_name: a name under which graphs of one session share the iterator.
          output_classes: the nest of classes of an element; None for tensors.

        Returns: An Iterator without an initializer.
        """
        structure = ElementStructure(spec_of_legacy(output_types, output_shapes, output_classes))
        return _iterator(_new_handle(structure, shared_name), None, structure)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Makes an iterator that is another one, named by the text that is fed.

        Args:
          string_handle: a scalar of string, a value of `string_handle()` of the other iterator.
          output_types: the nest of dtypes of an element.
          output_shapes: the nest of shapes of an element; None for unknown shapes.
          output_classes: the nest of classes of an element; None for tensors.

        Returns: An Iterator without an initializer.
        """
        structure = ElementStructure(spec_of_legacy(output_types, output_shapes, output_classes))
        text = convert_to_tensor(string_handle, dtype=string)
        types, shapes = structure.dtypes, structure.shapes
        handle = iterator_from_string_handle_v2(text, output_types=types, output_shapes=shapes)
        return _iterator(handle, None, structure)

    @property
    def initializer(self) -> Any:
        """The operation that begins a pass.

        Raises: ValueError: if there is none.
        """
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """Returns an operation that lets the iterator begin a pass over a dataset.

        Args:
          dataset: a dataset of elements as the iterator declares them.
          name: a name for the operation.

        Raises:
          TypeError: if dtypes, shapes or classes differ.
          ValueError: if the structures differ.
        """
        spec = dataset.element_spec
        pairs = (
            (self.output_types, legacy_types(spec), "types"),
            (self.output_classes, legacy_classes(spec), "classes"),
        )
        for own, of_dataset, what in pairs:
            nest.assert_same_structure(own, of_dataset)
            if nest.flatten(own) != nest.flatten(of_dataset):
                raise TypeError(f"Expected output {what} {own!r} but got dataset with output {what} {of_dataset!r}.")
        shapes = self._structure.shapes, dataset._structure.shapes
        if not all(own.is_compatible_with(other) for own, other in zip(*shapes, strict=True)):
            raise TypeError(
                f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output shapes "
                f"{legacy_shapes(spec)!r}."
            )
        with state.graph.colocate_with(self._iterator_resource):
            return make_iterator(dataset._variant_tensor, self._iterator_resource, name=name or "make_initializer")

    # --- elements ------------------------------------------------------------------------------------------------

    def get_next(self, name: str | None = None) -> Any:
        """Returns the next element: tensors of the graph, with a new element in each run of the session."""
        self._calls += 1
        if self._calls > _MANY_CALLS:
            warnings.warn(_TOO_MANY_CALLS, stacklevel=2)
        types, shapes = self._structure.dtypes, self._structure.shapes
        with _colocate(self._iterator_resource):
            row = iterator_get_next(self._iterator_resource, output_types=types, output_shapes=shapes, name=name)
        return self._structure.pack(row)

    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty after the last element."""
        types, shapes = self._structure.dtypes, self._structure.shapes
        with _colocate(self._iterator_resource):
            variant = iterator_get_next_as_optional(self._iterator_resource, output_types=types, output_shapes=shapes)
        return optional_of(variant, self.element_spec)

    def string_handle(self, name: str | None = None) -> Any:
        """Returns the text that identifies the iterator, a scalar of string."""
        return self._string_handle if name is None else iterator_to_string_handle(self._iterator_resource, name=name)

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        return self._structure.spec


def _iterator(handle: Any, initializer: Any, structure: ElementStructure) -> Iterator:
    """Returns the iterator with a handle."""
    spec = structure.spec
    return Iterator(handle, initializer, legacy_types(spec), legacy_shapes(spec), legacy_classes(spec))


def _new_handle(structure: ElementStructure, shared_name: str | None) -> Any:
    """Returns the handle of a new iterator."""
    types, shapes = structure.dtypes, structure.shapes
    return iterator_v2(container="", shared_name=shared_name or "", output_types=types, output_shapes=shapes)


def _colocate(tensor: Any) -> Any:
    """Puts operations beside that of a tensor."""
    return tensor.graph.colocate_with(tensor.op)


# --- iterators of datasets ---------------------------------------------------------------------------------------


@export(v1=["data.make_one_shot_iterator"])
def make_one_shot_iterator(dataset: DatasetBase) -> Any:
    """Makes an iterator that goes once over a dataset, and needs no initializer.

    Args: dataset: a dataset that reads no variables and no placeholders.
    Returns: A `tf.compat.v1.data.Iterator`; in eager mode, `iter(dataset)`.
    Raises: ValueError: if the dataset reads a variable or a placeholder.
    """
    if state.graph is None:
        return OwnedIterator(dataset)
    structure, handle = dataset._structure, dataset._variant_tensor
    factory = _factory(handle)
    with _colocate(handle):
        made = one_shot_iterator(dataset_factory=factory, output_types=structure.dtypes, output_shapes=structure.shapes)
        return _iterator(made, None, structure)


@export(v1=["data.make_initializable_iterator"])
def make_initializable_iterator(dataset: DatasetBase, shared_name: str | None = None) -> Iterator:
    """Makes an iterator whose `initializer` begins a pass over a dataset.

    Args:
      dataset: a dataset.
      shared_name: a name under which graphs of one session share the iterator.

    Returns: A `tf.compat.v1.data.Iterator`.
    Raises: RuntimeError: in eager mode.
    """
    if state.graph is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
        )
    structure, variant = dataset._structure, dataset._variant_tensor
    with _colocate(variant):
        handle = _new_handle(structure, shared_name)
        initializer = make_iterator(variant, handle)
        return _iterator(handle, initializer, structure)


def _factory(handle: Any) -> GraphFunction:
    """Returns a function that makes a dataset anew: a copy of the operations that make it in its graph.

    Raises: ValueError: if an operation among them cannot be copied.
    """
    operations = _find_needed(handle.op)
    for operation in operations.values():
        _check_copyable(operation)
    guarded = find_guarded_operation(operations.values())
    if guarded is not None:
        raise ValueError(
            f"Cannot capture a guarded node of a loaded graph (name:{guarded.name}, type:{guarded.type}) by value. Use "
            "`make_initializable_iterator()` instead."
        )
    graph: Graph = handle.graph
    graph_def = graph.as_graph_def()
    kept = [node for node in graph_def.node if node.name in operations]
    for node in kept:
        node.attr.pop("_class", None)  # which may name an operation that is left out
    del graph_def.node[:]
    graph_def.node.extend(kept)
    copy = FuncGraph("_make_dataset")
    with copy.as_default():
        copy.outputs = import_graph_def(graph_def, return_elements=[handle.name], name="")
    return GraphFunction(copy, f"_make_dataset_{id(copy)}", on_host=True)


def _find_needed(last: Operation) -> dict[str, Operation]:
    """Returns the operations that an operation needs, and itself, by name."""
    needed: dict[str, Operation] = {}
    pending = [last]
    while pending:
        operation = pending.pop()
        if operation.name not in needed:
            needed[operation.name] = operation
            pending += [tensor.op for tensor in operation.inputs]
    return needed


def _check_copyable(operation: Operation) -> None:
    """Refuses operations whose copies would not be the same: those of variables, of other objects, of what is fed."""
    if operation.op_def.traits.is_placeholder:
        raise ValueError(f"Cannot capture a placeholder (name:{operation.name}, type:{operation.type}) by value.")
    if operation.op_def.traits.makes_shared_object or operation.effects in (Effects.READS, Effects.WRITES):
        raise ValueError(
            f"Cannot capture a stateful node (name:{operation.name}, type:{operation.type}) by value.: A likely cause "
            "of this error is that the dataset for which you are calling `make_one_shot_iterator()` captures a "
            "stateful object, such as a `tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. Use "
            "`make_initializable_iterator()` instead."
        )
