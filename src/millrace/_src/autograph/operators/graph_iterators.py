"""Iterators over tensors of the graph: `enumerate(x)`, `zip(x, y)`, `map(f, x)`, `filter(f, x)`, `reversed(x)`, ...

A `for` loop over such an iterator becomes one loop of the graph. The loop counts and asks the iterator for the element
at a position. So an iterator is a number of elements and a function from a position to an element; iterators nest by
nesting these functions. Where Python iterates (a comprehension, `list(...)`, unpacking), the number must be known.

`filter` has no such function: its loop runs over all elements and guards the body by the predicate. Nested in another
iterator, `filter` first works out the positions that pass.

Tests: tests/autograph/operators/test_builtins_over_tensors.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from millrace._src.autograph.operators.branch_merging import flatten, to_tensors
from millrace._src.autograph.operators.loops import ForLoop, for_each, for_each_element, register_loop
from millrace._src.autograph.operators.staged_values import (
    belongs_into_graph,
    is_symbolic,
    plain,
    rows_belong_into_graph,
)
from millrace._src.control_flow.map_fn import map_fn
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.core.specs import TensorSpec
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops import raw
from millrace._src.util import nest

Reader = Callable[[Any], Any]
"""A function from a position, an int or a scalar tensor, to the element at the position."""


def unknown_length(what: object) -> OperatorNotAllowedInGraphError:
    """Builds the error about something that Python cannot iterate over."""
    return OperatorNotAllowedInGraphError(
        "Iterating over a symbolic `tf.Tensor` is not allowed where its length is only known when the graph runs: "
        f"{what}. Python would make an object for each element here. Use a for loop, tf.map_fn, or a tensor of static "
        "shape."
    )


class GraphIterator:
    """An iterator over elements that the graph computes.

    Attributes:
      length: The number of elements, counted from the start; None if only the graph knows.
      position: The number of elements that Python has taken.
      is_left: Whether a loop of the graph has taken an unknown number of elements.
    """

    kind: ClassVar[str]
    """What messages call such an iterator."""

    def __init__(self, length: int | None) -> None:
        self.length = length
        self.position = 0
        self.is_left = False

    def size(self) -> Any:
        """Returns the number of elements as a scalar of the graph."""
        return convert_to_tensor(self.length)

    def reader(self, in_loop: bool) -> Reader:
        """Returns a function from positions to elements, for use in the current graph and graphs inside it.

        Args: in_loop: Whether many elements are read, at positions that are tensors.
        """
        raise NotImplementedError

    def is_known(self) -> bool:
        """Returns whether Python can iterate: whether the number of elements is known."""
        return self.length is not None

    def __iter__(self) -> GraphIterator:
        return self

    def __next__(self) -> Any:
        """Returns the next element; the element's position is a constant of the graph."""
        self.check_not_left()
        if self.length is None:
            raise unknown_length(self)
        if self.position >= self.length:
            raise StopIteration
        self.position += 1
        return self.reader(in_loop=False)(self.position - 1)

    def check_not_left(self) -> None:
        """Raises OperatorNotAllowedInGraphError after a loop of the graph that may have left elements behind."""
        if self.is_left:
            raise OperatorNotAllowedInGraphError(
                f"{self} cannot be used again: a loop over it depends on a Tensor and may be left early, so that the "
                "next element is only known when the graph runs."
            )

    def __repr__(self) -> str:
        return (
            f"<{self.kind} of {'an unknown number of' if self.length is None else self.length} elements of the graph>"
        )


class Elements(GraphIterator):
    """The elements of a tensor along its first axis.

    Args: tensor: A tensor.
    Raises: ValueError: if the tensor is a scalar.
    """

    kind = "elements"

    def __init__(self, tensor: Any) -> None:
        if tensor.shape.rank == 0:
            raise ValueError(
                f"len requires a non-scalar tensor, got one of shape {raw.Shape(input=tensor)}. Iteration runs over "
                "the first axis of a Tensor, and a scalar has none."
            )
        super().__init__(None if tensor.shape.rank is None else tensor.shape[0])
        self.tensor = tensor

    def size(self) -> Any:
        """Returns the size of the first axis."""
        return super().size() if self.length is not None else raw.Shape(input=self.tensor)[0]

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader that slices the tensor; in a loop, one that reads from a list of the elements."""
        tensor = self.tensor
        if not in_loop:
            return lambda index: tensor[index]
        if is_symbolic(tensor) and tensor.op.type == "Range":
            start, _, delta = tensor.op.inputs
            return lambda index: start + raw.Cast(x=index, DstT=delta.dtype) * delta
        shape = tensor.shape[1:] if tensor.shape.rank is not None else None
        dims = convert_to_tensor(
            -1 if shape is None else [-1 if d is None else d for d in shape.as_list()], dtype="int32"
        )
        elements = raw.TensorListFromTensor(tensor=tensor, element_shape=dims)

        def read(index: Any) -> Any:
            item = raw.TensorListGetItem(
                input_handle=elements, index=index, element_shape=dims, element_dtype=tensor.dtype
            )
            item.set_shape(shape)
            return item

        return read

    def __repr__(self) -> str:
        return str(self.tensor)


class RaggedRows(GraphIterator):
    """The rows of a ragged tensor.

    Args: ragged: A composite tensor that has rows.
    """

    kind = "rows"

    def __init__(self, ragged: Any) -> None:
        super().__init__(None if ragged.shape.rank is None else ragged.shape[0])
        self.ragged = ragged

    def size(self) -> Any:
        """Returns the number of rows."""
        return super().size() if self.length is not None else raw.Cast(x=self.ragged.nrows(), DstT="int32")

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader that slices the ragged tensor."""
        return lambda index: self.ragged[index]

    def __repr__(self) -> str:
        return str(self.ragged)


class _Wrapped(GraphIterator):
    """An iterator that makes its elements from the elements of other iterators.

    Args:
      sources: The other iterators; elements that Python has taken of them already are left out.
    """

    def __init__(self, sources: Sequence[GraphIterator]) -> None:
        self.starts = []
        for source in sources:
            source.check_not_left()
            self.starts.append(source.position)
        self.sources = sources
        left = [None if s.length is None else s.length - start for s, start in zip(sources, self.starts)]
        super().__init__(None if None in left else min(left))  # type: ignore[type-var]  # no None in it

    def size(self) -> Any:
        """Returns the size of the shortest source."""
        if self.length is not None:
            return super().size()
        first, *rest = [s.size() - start if start else s.size() for s, start in zip(self.sources, self.starts)]
        for size in rest:
            first = raw.Minimum(x=first, y=size)
        return first

    def readers(self, in_loop: bool) -> list[Reader]:
        """Returns the readers of the sources."""
        return [_shift(s.reader(in_loop), start) for s, start in zip(self.sources, self.starts)]


def _shift(read: Reader, start: int) -> Reader:
    return (lambda index: read(index + start)) if start else read


class Enumerate(_Wrapped):
    """The pairs of `enumerate(source, start)`."""

    kind = "enumerate"

    def __init__(self, source: GraphIterator, start: Any = 0) -> None:
        super().__init__([source])
        self.start = start

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader of pairs of a number and an element."""
        (read,) = self.readers(in_loop)
        return lambda index: (self._number(index), read(index))

    def _number(self, index: Any) -> Any:
        if is_symbolic(index) and belongs_into_graph(self.start):
            index = raw.Cast(x=index, DstT=convert_to_tensor(self.start).dtype)
        return index + self.start


class Zip(_Wrapped):
    """The tuples of `zip(*sources)`."""

    kind = "zip"

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader of tuples, with an element of each source."""
        readers = self.readers(in_loop)
        return lambda index: tuple([read(index) for read in readers])


class Map(_Wrapped):
    """The results of `map(function, *sources)`."""

    kind = "map"

    def __init__(self, function: Callable[..., Any], sources: Sequence[GraphIterator]) -> None:
        super().__init__(sources)
        self.function = function

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader that calls the function with an element of each source."""
        readers = self.readers(in_loop)
        return lambda index: self.function(*[read(index) for read in readers])


class Reversed(_Wrapped):
    """The elements of `reversed(tensor)`."""

    kind = "reversed"

    def __init__(self, source: GraphIterator) -> None:
        super().__init__([source])

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader that counts positions from the end."""
        (read,) = self.readers(in_loop)
        last = (self.length if self.length is not None else self.size()) - 1
        return lambda index: read(last - index)


class Filter(GraphIterator):
    """The elements of `filter(predicate, source)`."""

    kind = "filter"

    def __init__(self, predicate: Callable[[Any], Any], source: GraphIterator) -> None:
        super().__init__(None)
        self.predicate = predicate
        self.source = source
        self._passing: Any = None

    def is_known(self) -> bool:
        """Returns whether Python can iterate, if the predicate gives Python values."""
        return self.source.is_known()

    def __next__(self) -> Any:
        """Returns the next element that passes.

        Raises: OperatorNotAllowedInGraphError: if the next element is only known when the graph runs.
        """
        self.check_not_left()
        for item in self.source:
            passes = self.predicate(item)
            if belongs_into_graph(passes):
                raise OperatorNotAllowedInGraphError(_UNKNOWN_PASS.format(passes))
            if passes:
                return item
        raise StopIteration

    def passing(self) -> Any:
        """Returns the positions in the source that pass, as a vector of the graph."""
        if self._passing is None:
            mask = stack_elements(Map(self.predicate, [self.source]))
            self._passing = raw.Reshape(tensor=raw.Cast(x=raw.Where(condition=mask), DstT="int32"), shape=[-1])
        return self._passing

    def size(self) -> Any:
        """Returns the number of elements that pass."""
        return raw.Size(input=self.passing())

    def reader(self, in_loop: bool) -> Reader:
        """Returns a reader of the elements that pass."""
        positions = Elements(self.passing()).reader(in_loop)
        read = self.source.reader(in_loop=True)
        return lambda index: read(positions(index))


class PythonFilter:
    """The elements of `filter(predicate, source)` over a Python iterator.

    A `for` loop runs in Python until the predicate gives a tensor. The exception then names this object, so that the
    graph takes over the loop over what is left of the iterator.
    """

    def __init__(self, predicate: Callable[[Any], Any], source: Iterator[Any]) -> None:
        self.predicate = predicate
        self._source = source
        self._undecided: list[tuple[Any, Any]] = []

    def __iter__(self) -> PythonFilter:
        return self

    def __next__(self) -> Any:
        """Returns the next element that passes.

        Raises: OperatorNotAllowedInGraphError: if the next element is only known when the graph runs.
        """
        for item in self._source:
            passes = self.predicate(item)
            if passes.__class__ not in plain and belongs_into_graph(passes):
                self._undecided.append((item, passes))
                raise OperatorNotAllowedInGraphError(_UNKNOWN_PASS.format(passes), tensor=self)
            if passes:
                return item
        raise StopIteration

    def test_elements(self) -> Iterator[tuple[Any, Any]]:
        """Yields the elements that are left, each with the predicate's answer."""
        yield from self._undecided
        for item in self._source:
            yield item, self.predicate(item)


_UNKNOWN_PASS = (
    "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: filter(...) asks for it, and which elements pass "
    "is only known when the graph runs ({}). Iterate over the filter in a for loop, or use tf.boolean_mask."
)


def stack_elements(iterator: GraphIterator) -> Any:
    """Returns all elements of an iterator in one tensor; a loop of the graph calls mapped functions.

    Raises: TypeError: if an element is not one tensor.
    """
    read = iterator.reader(in_loop=True)
    trial = FuncGraph("element")
    with trial.as_default():
        example = to_tensors(item := read(convert_to_tensor(0)))
    if example is None or nest.is_nested(item):
        raise TypeError(f"the elements of {iterator} must be single Tensors here; the first is {item!r}.")
    spec = TensorSpec(example[0].shape, example[0].dtype)

    def element(index: object) -> Any:
        return convert_to_tensor(flatten(read(index))[0])

    positions = raw.Range(start=0, limit=iterator.size(), delta=1)
    if iterator.position:
        positions = positions[iterator.position :]
    return map_fn(element, positions, fn_output_signature=spec)


# --- loops -----------------------------------------------------------------------------------------------------------


def _for_each(iterator: GraphIterator, loop: ForLoop) -> None:
    """Builds a loop of the graph over an iterator; the loop counts positions."""
    iterator.check_not_left()
    size, read, step = iterator.size(), iterator.reader(in_loop=True), convert_to_tensor(1)

    def loop_test(counter: object) -> Any:
        return loop.unless_left(raw.Less(x=counter, y=size))

    def loop_body(counter: object) -> Any:
        loop.body(read(counter))
        return raw.AddV2(x=counter, y=step)

    start, length = iterator.position, iterator.length
    bound = None if length is None else max(length - start, 0)
    loop.stage(loop_test, loop_body, convert_to_tensor(start), bound)
    if loop.extra_test is None and length is not None:
        iterator.position = length
    else:
        iterator.is_left = True


def _for_each_passing(filtered: Filter, loop: ForLoop) -> None:
    """Builds a loop over all elements whose body runs only for elements that pass."""

    def guarded(item: object) -> None:
        loop.run_if(filtered.predicate(item), item)

    for_each(filtered.source, replace(loop, body=guarded))


def _for_each_tested(filtered: PythonFilter, loop: ForLoop) -> None:
    """Builds a loop over Python values whose body runs only for values that pass."""

    def guarded(tested: tuple[Any, Any]) -> None:
        item, passes = tested
        loop.run_if(passes, item)

    for_each(filtered.test_elements(), replace(loop, body=guarded))


def _for_each_row(composite: CompositeTensor, loop: ForLoop) -> None:
    """Builds a loop of the graph over the rows of a composite tensor, if it has rows."""
    if rows_belong_into_graph(composite):
        _for_each(RaggedRows(composite), loop)
    else:
        for_each_element(composite, loop)


register_loop(CompositeTensor, _for_each_row, from_start=False)
register_loop(PythonFilter, _for_each_tested, from_start=False)
register_loop(Filter, _for_each_passing)
register_loop(GraphIterator, _for_each)

__all__ = [
    "Elements",
    "Enumerate",
    "Filter",
    "GraphIterator",
    "Map",
    "PythonFilter",
    "Reversed",
    "RaggedRows",
    "Zip",
    "stack_elements",
    "unknown_length",
]
