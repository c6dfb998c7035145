"""Datasets that functions return: passes over them within a pass.

`flat_map` and `interleave` call a function that returns a dataset for each element, and go through these datasets. The
state of such a pass is the element and the state of the cursor: the function is called with the element again when a
pass is restored.

Tests: tests/data/transforms/test_interleave.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core.array_namespace import Array
from millrace._src.core.op_def import Effects
from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, DeferredError, State, collect
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec
from millrace._src.data.nodes import UNKNOWN, DatasetNode, PassContext, UnaryNode, node_of
from millrace._src.data.pass_streams import with_streams_of
from millrace._src.data.traced_functions import BoundFunction, TracedFunction, arguments_of, check_callable
from millrace._src.function.graph_function import GraphFunction


class InnerCursor(Cursor):
    """A pass over the dataset that a function returns for one element; begun by `open`, or when first asked.

    Args:
      function: returns the handle of a dataset.
      row: the arrays of the element.
      context: what the cursors of the outer pass share.
    """

    __slots__ = ("_cursor", "_error", "_function", "_has_failed", "_peeked", "_row", "_context")

    def __init__(self, function: BoundFunction, row: Sequence[Array], context: PassContext) -> None:
        self._function, self._row, self._context = function, row, context
        self._cursor: Cursor | None = None
        self._has_failed = False  # there is no dataset, because the function raised an error
        self._peeked: Block | None = None  # elements that have been made, but not passed on
        self._error = DeferredError()

    def open(self) -> Cursor:
        """Calls the function and begins the pass."""
        try:
            (handle,) = self._function.call_row(self._row)
        except Exception:
            self._has_failed = True
            raise
        self._cursor = with_streams_of(self._context, node_of(handle)).cursor(self._context)
        return self._cursor

    def next_block(self, limit: int) -> Block | None:
        """Returns the next elements of the dataset."""
        peeked = self._peeked
        if peeked is not None:
            stop = min(limit, peeked.count)
            self._peeked = peeked.part(stop, peeked.count) if stop < peeked.count else None
            return peeked.part(0, stop)
        self._error.check()
        cursor = self._cursor
        if cursor is None:
            if self._has_failed:
                return None
            cursor = self.open()
        return cursor.next_block(limit)

    def peek(self, count: int) -> int:
        """Makes `count` elements ready to be passed on in one block; returns how many there are before an error."""
        ready = 0 if self._peeked is None else self._peeked.count
        if ready < count and self._cursor is not None and not self._error.waits:
            try:
                blocks = collect(self._cursor, count - ready, self._error)
            except Exception as error:
                self._error.put(error)
                return ready
            if self._peeked is not None:
                blocks.insert(0, self._peeked)
            self._peeked = join_blocks(blocks) if blocks else None
            ready = sum(block.count for block in blocks)
        return min(ready, count)

    def save(self) -> State:
        """Returns the element, the state of the pass, and what is ready to be passed on."""
        cursor = None if self._cursor is None else self._cursor.save()
        peeked = None if self._peeked is None else self._peeked.save()
        return list(self._row), self._has_failed, cursor, peeked, self._error.save()

    def restore(self, state: State) -> None:
        """Goes on from a state, which names the element."""
        self._row, self._has_failed, cursor, peeked, error = state
        if cursor is not None:
            self.open().restore(cursor)
        self._peeked = None if peeked is None else Block.from_state(peeked)
        self._error.restore(error)

    @classmethod
    def from_state(cls, state: State, function: BoundFunction, context: PassContext) -> InnerCursor:
        """Returns the cursor that gave a state."""
        inner = cls(function, (), context)
        inner.restore(state)
        return inner

    def close(self) -> None:
        """Closes the pass."""
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None


@dataclass(eq=False, repr=False)
class InnerDatasetsNode(UnaryNode):
    """The elements of the datasets that a function returns."""

    function: BoundFunction

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    @property
    def reads_ahead(self) -> bool:
        """Whether neither the function nor the datasets have effects, and the source may be read ahead."""
        return reads_ahead(self.function, self.inputs)

    @property
    def begins_passes_unobserved(self) -> bool:
        """Whether no pass over a dataset that the function captures takes seeds."""
        return begins_passes_unobserved(self.function, self.inputs)


def reads_ahead(function: BoundFunction, sources: Iterable[DatasetNode]) -> bool:
    """Returns whether datasets that a function makes may be gone through before their elements are asked for.

    Args:
      function: returns the handle of a dataset.
      sources: the datasets whose elements the function takes.
    """
    nodes = (*sources, *_captured_nodes(function))
    return _captures_no_seeds(function) and all(n.reads_ahead for n in nodes) and _is_pure_throughout(function.function)


def begins_passes_unobserved(function: BoundFunction, sources: Iterable[DatasetNode]) -> bool:
    """Returns whether no pass over the datasets that a function makes, or over its sources, takes seeds meanwhile.

    Args:
      function: returns the handle of a dataset.
      sources: the datasets whose elements the function takes.
    """
    nodes = (*sources, *_captured_nodes(function))
    return _captures_no_seeds(function) and all(node.begins_passes_unobserved for node in nodes)


def _captures_no_seeds(function: BoundFunction) -> bool:
    return not any(node.draws_seeds for node in _captured_nodes(function))


def _captured_nodes(function: BoundFunction) -> list[DatasetNode]:
    captures = (c.flat[0] for c in function.captures if c.dtype == object and c.size)
    return [value for value in captures if isinstance(value, DatasetNode)]


def _is_pure_throughout(function: GraphFunction) -> bool:
    """Returns whether neither a function nor the functions that its dataset ops keep have effects."""
    if function.effects is not Effects.NONE:
        return False
    return all(_is_pure_throughout(kept) for kept in _kept_functions(function))


def _kept_functions(function: GraphFunction) -> Iterable[GraphFunction]:
    """Returns the functions that are attributes of the operations of a function."""
    for operation in function.graph.get_operations():
        op_def = operation.op_def
        if op_def.traits.keeps_functions:
            for name, kind in op_def.attr_kinds.items():
                if kind == "func":
                    yield operation.get_attr(name)


def trace_dataset_function(dataset: DatasetBase, map_func: Callable[..., Any], caller: str) -> TracedFunction:
    """Traces a function that returns a dataset for each element.

    Raises: TypeError: if the function returns something else.
    """
    check_callable(map_func)
    function = TracedFunction(map_func, arguments_of(dataset.element_spec), caller)
    if not isinstance(function.output.spec, DatasetSpec):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got {_kind_of_result(function.output.spec)!r}."
        )
    return function


def _kind_of_result(spec: Any) -> type:
    """Returns the class of what a function returned, as far as the spec says."""
    return type(spec) if isinstance(spec, (tuple, dict)) else spec.value_type
