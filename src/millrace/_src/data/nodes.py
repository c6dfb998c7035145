"""Nodes: what the variant tensor of a dataset refers to.

A dataset op makes a node: its kernel keeps the values of the op's inputs and attributes. So the datasets that a program
builds are a tree of nodes, in eager mode and in graphs alike. A node has no position: each pass over a dataset is a
`Cursor`, and before the first element the tree may be rewritten (`optimizer`).

A node whose elements can be had by position says so (`is_random_access`): the state of its cursor is one number, a
shuffle of it moves numbers, and a skip costs nothing.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, string
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.handle_types import DatasetHandle, NotedCall, Referent
from millrace._src.core.op_signature import TypeList
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, PositionCursor
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.type_sets import ANY

INFINITE = -1
"""The cardinality of a dataset without end."""
UNKNOWN = -2
"""The cardinality of a dataset that must be gone through to be counted."""


@dataclass
class PassContext:
    """What the cursors of one pass over a dataset share.

    Attributes:
      options: the options in force, a `tf.data.Options`; None for the defaults.
    """

    options: Any = None
    streams: dict[int, Any] = field(default_factory=dict)
    """The random streams of the functions of this pass, for `ops.random.seeds`."""
    functions: dict[Any, Any] = field(default_factory=dict)
    """The `GraphFunction`s that draw from these streams, by the functions of the nodes."""
    closers: list[Any] = field(default_factory=list)
    """Functions that end threads of this pass; called when the pass ends."""


class PartOfStage(ABC):
    """A function that belongs to a stage of a pipeline, and names the stage in messages.

    Attributes:
      stage: the type of the stage's op.
    """

    stage: str = ""

    @property
    @abstractmethod
    def is_pure(self) -> bool:
        """Whether no program can tell when, or how often, the function runs."""


_USUAL_FRAMES = 1000
"""How many calls may be nested by Python's own limit."""
_FREE_FRAMES = 500
"""How many of these a pipeline may use."""
_FRAMES_A_STAGE = 10
"""How many calls a stage may nest before it asks the stage before it."""


@dataclass(eq=False)
class DatasetNode(Referent):
    """One dataset; never changed. A subclass is a dataclass with the inputs and attributes of its op.

    Attributes:
      dtypes: the dtypes of the tensors of an element.
      shapes: the static shapes of these tensors.
      rewritten: the dataset that passes read instead of this one, once `optimizer` has found one.
      is_optimal: whether passes go over the dataset as it is, since `optimizer` has found nothing to rewrite.
      is_made_ahead: whether passes may make some elements ahead, once `optimizer` has decided.
      call: the op call that made the node.
      depth: the number of stages on the longest path from a source to this dataset.
    """

    names_functions: ClassVar[bool] = True
    """Whether an error of a function says of which op the function is; TensorFlow does not say so of all ops."""

    dtypes: tuple[DType, ...]
    shapes: tuple[TensorShape, ...]
    rewritten: DatasetNode | None = field(default=None, init=False)
    is_optimal: bool = field(default=False, init=False)
    is_made_ahead: bool | None = field(default=None, init=False)
    call: NotedCall | None = field(default=None, init=False)
    depth: int = field(default=1, init=False)

    def note_call(self, call: NotedCall) -> None:
        """Keeps the op call that made the node; the node's functions name the op in messages.

        An op that forwards a dataset as it is has not made that dataset.
        """
        if self.call is not None:
            return
        self.call = call
        self.depth = 1 + max((node.depth for node in self.inputs), default=0)
        _allow_depth(self.depth)
        for function in self.functions if self.names_functions else ():
            function.stage = call.op.name

    @property
    def handle_type(self) -> DatasetHandle:
        """The type of the dataset."""
        return DatasetHandle(tuple(self.dtypes), tuple(self.shapes))

    @property
    def inputs(self) -> Sequence[DatasetNode]:
        """The datasets of which this dataset is made."""
        return ()

    @property
    def functions(self) -> list[PartOfStage]:
        """The functions of this stage."""
        return [value for value in vars(self).values() if isinstance(value, PartOfStage)]

    def with_inputs(self, inputs: Sequence[DatasetNode]) -> DatasetNode:
        """Returns a node like this one with other input datasets, as many as there are."""
        assert not inputs, f"{type(self).__name__} says nothing of its inputs"
        return self

    @abstractmethod
    def cardinality(self) -> int:
        """Returns the number of elements, `INFINITE` or `UNKNOWN`; never goes through the elements."""

    @abstractmethod
    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the elements."""

    def cursor_for_batches(self, context: PassContext, size: int) -> Cursor:
        """Starts a pass whose elements are taken `size` at a time, and had better lie side by side."""
        return self.cursor(context)

    @property
    def reads_ahead(self) -> bool:
        """Whether elements may be made before they are asked for, and again: no program sees when they are made."""
        for node in self.inputs:
            if not node.reads_ahead:
                return False
        return self.has_pure_functions

    @property
    def has_pure_functions(self) -> bool:
        """Whether no function of this stage has effects."""
        return all(function.is_pure for function in self.functions)

    @property
    def reads_block_ahead(self) -> bool:
        """Whether a block may have more elements than are asked for, as `reads_ahead`; for stages that take one block.

        It may be so though the next pass over a source must not begin too early: a block is of one pass.
        """
        return self.reads_ahead

    @property
    def draws_seeds(self) -> bool:
        """Whether each pass takes seeds of its own: a pass that begins too early is seen in the passes after it."""
        return any(node.draws_seeds for node in self.inputs)

    @property
    def begins_at_once(self) -> bool:
        """Whether a pass shows when it begins, because it takes seeds in its turn or may be refused."""
        return self.draws_seeds or any(node.begins_at_once for node in self.inputs)

    @property
    def begins_passes_unobserved(self) -> bool:
        """Whether no program can tell when this dataset begins passes over its inputs: none takes seeds meanwhile."""
        return all(node.begins_passes_unobserved for node in self.inputs)

    @property
    def works_ahead(self) -> bool:
        """Whether this stage makes elements before they are asked for, or says that none are to be."""
        return False

    @property
    def runs_loop_body(self) -> bool:
        """Whether the function of this stage is the body of a loop of the program, which is not run ahead."""
        return False

    @property
    def changes_nothing(self) -> bool:
        """Whether the elements are those of the first input, which may then replace this dataset."""
        return False

    @property
    def is_random_access(self) -> bool:
        """Whether `slice` and `gather` work, and `cardinality` is a number of elements."""
        return False

    @property
    def has_positions(self) -> bool:
        """Whether `slice` and `gather` work, be there infinitely many elements."""
        return self.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements from position `start` up to `stop`, of a random-access dataset."""
        return self.gather(np.arange(start, stop))

    def gather(self, indices: Array) -> Block:
        """Returns the elements at positions (a vector of int64, at least one), of a random-access dataset."""
        raise NotImplementedError(f"{type(self).__name__} gives no elements by position")

    def __repr__(self) -> str:
        return f"<{type(self).__name__.removesuffix('Node')}DatasetOp::Dataset>"


def _allow_depth(depth: int) -> None:
    """Lets calls be nested as deep as stages are: each stage asks the one before it.

    Python's limit is raised for good, and only for pipelines that need it: a pass may be begun anywhere, and goes on
    in several threads.
    """
    frames = _FRAMES_A_STAGE * depth
    if frames > _FREE_FRAMES and sys.getrecursionlimit() < _USUAL_FRAMES + frames:
        sys.setrecursionlimit(_USUAL_FRAMES + frames)


@dataclass(eq=False, repr=False)
class UnaryNode(DatasetNode):
    """A dataset that is made of one other dataset."""

    source: DatasetNode

    @property
    def inputs(self) -> Sequence[DatasetNode]:
        """The one dataset."""
        return (self.source,)

    def with_inputs(self, inputs: Sequence[DatasetNode]) -> DatasetNode:
        """Returns the node with another dataset as its input."""
        (source,) = inputs
        return self if source is self.source else replace_fields(self, source=source)


@dataclass(eq=False, repr=False)
class SameElementsNode(UnaryNode):
    """A dataset with the elements of its source."""

    def cardinality(self) -> int:
        """Returns the number of elements of the source."""
        return self.source.cardinality()

    @property
    def is_random_access(self) -> bool:
        """Whether the source is."""
        return self.source.is_random_access

    def slice(self, start: int, stop: int) -> Block:
        """Returns the elements of the source."""
        return self.source.slice(start, stop)

    def gather(self, indices: Array) -> Block:
        """Returns the elements of the source."""
        return self.source.gather(indices)


@dataclass(eq=False, repr=False)
class NaryNode(DatasetNode):
    """A dataset that is made of several other datasets."""

    sources: tuple[DatasetNode, ...]

    @property
    def inputs(self) -> Sequence[DatasetNode]:
        """The datasets, in order."""
        return self.sources

    def with_inputs(self, inputs: Sequence[DatasetNode]) -> DatasetNode:
        """Returns the node with other datasets as its inputs."""
        node: DatasetNode = replace_fields(self, sources=tuple(inputs))
        return node


def replace_fields(node: object, **changes: object) -> Any:
    """Returns a copy of a node with other values for some fields."""
    copy = object.__new__(type(node))
    copy.__dict__.update(node.__dict__, rewritten=None, is_optimal=False, is_made_ahead=None, **changes)
    return copy


def position_cursor(node: DatasetNode) -> Cursor:
    """Returns the cursor of a random-access node."""
    return PositionCursor(node)


def node_of(handle: Array) -> DatasetNode:
    """Returns the node behind a variant that a kernel was given.

    Raises: InvalidArgumentError: if the variant is not a dataset.
    """
    node = resource_of(handle)
    if not isinstance(node, DatasetNode):
        raise InvalidArgumentError(None, None, "Tensor must be a Dataset object.")
    return node


def scalar_of(array: Array, name: str) -> Any:
    """Returns the number in a scalar input of a dataset op.

    Raises: tf.errors.InvalidArgumentError: if the input is not a scalar.
    """
    if array.ndim:
        raise errors.InvalidArgumentError(None, None, f"{name} must be a scalar")
    return array.item()


# --- declaring dataset ops ---------------------------------------------------------------------------------------


def declared_dataset(c: ShapeContext) -> DatasetHandle:
    """Returns the handle type that the attributes of a dataset op declare."""
    return DatasetHandle(tuple(c.attr("output_types")), tuple(c.attr("output_shapes")))


def declared_components(c: ShapeContext) -> DatasetHandle:
    """Returns the handle type of a dataset op whose inputs have the dtypes of the elements."""
    return DatasetHandle(tuple(c.attr("Toutput_types")), tuple(c.attr("output_shapes")))


def declared_element_shapes(c: ShapeContext) -> list[TensorShape]:
    """Returns the shapes of the elements that an op declares: those of the tensors of one element."""
    shapes: list[TensorShape] = list(c.attr("output_shapes"))
    return shapes


ELEMENT_TYPES = TypeList(ANY, minimum=1)
"""The dtypes of an element, which has at least one tensor."""

_ANY_DATASET: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "cacheable": False,
    "keeps_functions": True,
    "notes_call": True,
    "not_differentiable": "a dataset is not a number",
    "not_batched": "a dataset is a scalar",
}

DATASET: dict[str, Any] = {
    **_ANY_DATASET,
    "output_types": ELEMENT_TYPES,
    "handles": declared_dataset,
    "full_type": "DATASET[PRODUCT[TENSOR[output_types]]]",
}
"""The traits of an op that makes a dataset with attributes `output_types` and `output_shapes`."""

DATASET_OF_COMPONENTS: dict[str, Any] = {
    **_ANY_DATASET,
    "Toutput_types": ELEMENT_TYPES,
    "handles": declared_components,
    "full_type": "DATASET[PRODUCT[TENSOR[Toutput_types]]]",
}
"""The traits of an op that makes a dataset with the dtypes of its inputs `components`, or of its padding."""

DATASET_OF_STRINGS: dict[str, Any] = {
    **_ANY_DATASET,
    "handles": lambda c: DatasetHandle((string,), (TensorShape([]),)),
    "full_type": "DATASET[TENSOR[STRING]]",
}
"""The traits of an op that makes a dataset of scalar strings, with no attributes that say so."""
