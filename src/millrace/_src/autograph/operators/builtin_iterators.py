"""`enumerate`, `zip`, `map`, `filter`, `reversed`, `iter`, `next`, `list`, ... where their arguments may be tensors.

Over tensors alone these builtins give a `GraphIterator`, which a `for` loop runs in the graph. With a Python
iterable among the arguments the builtins run in Python over the parts of the tensors, since the graph cannot choose
among Python objects. Functions that the builtins call are converted.

Tests: tests/autograph/operators/test_builtins_over_tensors.py
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.operators.builtins_over_tensors import truth
from millrace._src.autograph.operators.calls import callee
from millrace._src.autograph.operators.graph_iterators import (
    Elements,
    Enumerate,
    Filter,
    GraphIterator,
    Map,
    PythonFilter,
    RaggedRows,
    Reversed,
    Zip,
    unknown_length,
)
from millrace._src.autograph.operators.if_statements import if_exp
from millrace._src.autograph.operators.replacements import replaces
from millrace._src.autograph.operators.staged_lists import graph_list
from millrace._src.autograph.operators.staged_values import belongs_into_graph, plain, rows_belong_into_graph
from millrace._src.autograph.operators.tensorflow_refusals import ITERATED, refuse_if_strict
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that

_NONE: Any = object()


def in_python(value: Any) -> Any:
    """Returns what Python can iterate over: the parts of a tensor along its first axis; anything else unchanged.

    Raises: OperatorNotAllowedInGraphError: if the number of parts is only known when the graph runs.
    """
    if value.__class__ in plain:
        return value
    if rows_belong_into_graph(value):
        return list(RaggedRows(value))
    if not belongs_into_graph(value):
        return value
    refuse_if_strict(OperatorNotAllowedInGraphError, ITERATED)
    elements = Elements(convert_to_tensor(value))
    if elements.length is None:
        raise unknown_length(elements.tensor)
    return raw.Unpack(value=elements.tensor, num=elements.length, axis=0)


def graph_iterator(value: Any) -> GraphIterator | None:
    """Returns the iterator over a tensor, or an iterator of the graph itself; None for anything else."""
    if value.__class__ in plain:
        return None
    if isinstance(value, GraphIterator):
        return value
    if rows_belong_into_graph(value):
        return RaggedRows(value)
    return Elements(convert_to_tensor(value)) if belongs_into_graph(value) else None


def _all_in_graph(iterables: Sequence[Any]) -> list[GraphIterator] | None:
    """Returns the iterables as iterators of the graph; None if Python must iterate over the iterables.

    Python must iterate if one is a Python iterable, whose elements need not be tensors. Where a tensor has no known
    length, Python cannot iterate; Python lists and ranges of numbers then become tensors.
    """
    iterators = [graph_iterator(iterable) for iterable in iterables]
    sources = [source for source in iterators if source is not None]
    if not sources or len({id(source) for source in sources}) < len(sources):
        return None
    if len(sources) < len(iterators):
        if builtins.all(source.is_known() for source in sources):
            return None
        iterators = [s or Elements(_as_tensor(value)) for s, value in builtins.zip(iterators, iterables, strict=True)]
    return iterators  # type: ignore[return-value]  # no None in it


def _as_tensor(iterable: object) -> Any:
    if isinstance(iterable, (list, tuple, range)):
        try:
            return convert_to_tensor(list(iterable))
        except (TypeError, ValueError):
            pass
    raise unknown_length(
        f"a Tensor of unknown length goes together with {iterable!r}, whose elements cannot be those of a Tensor"
    )


@replaces(builtins.enumerate, beyond_tensorflow=True)
def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """Runs `enumerate(iterable, start)`; the numbers are int32, or of the dtype of `start`."""
    source = graph_iterator(iterable)
    if source is not None:
        return Enumerate(source, start)
    if belongs_into_graph(start):
        return ((start + number, item) for number, item in builtins.enumerate(iterable))
    return builtins.enumerate(iterable, start)


@replaces(builtins.zip, beyond_tensorflow=True)
def zip_(*iterables: object, strict: bool = False) -> Any:
    """Runs `zip(*iterables, strict=...)`."""
    sources = _all_in_graph(iterables)
    if sources is None:
        return builtins.zip(*builtins.map(in_python, iterables), strict=strict)
    if strict:
        _check_same_length(sources)
    return Zip(sources)


def _check_same_length(sources: Sequence[GraphIterator]) -> None:
    """Checks `strict=True`: at once where the lengths are known, else when the graph runs."""
    left = [None if s.length is None else s.length - s.position for s in sources]
    if None not in left:
        for _ in builtins.zip(*[builtins.range(n) for n in left], strict=True):  # type: ignore[arg-type]  # no None in it
            pass
        return
    for index, source in builtins.enumerate(sources[1:], 2):
        same = raw.Equal(x=sources[0].size() - sources[0].position, y=source.size() - source.position)
        assert_that(same, [convert_to_tensor(f"zip() argument {index} is shorter or longer than argument 1")])


@replaces(builtins.map, beyond_tensorflow=True)
def map_(function: object, *iterables: object) -> Any:
    """Runs `map(function, *iterables)`."""
    sources = _all_in_graph(iterables)
    if sources is None:
        return builtins.map(callee(function), *builtins.map(in_python, iterables))
    return Map(callee(function), sources)


@replaces(builtins.filter, beyond_tensorflow=True)
def filter_(function: Any, iterable: Any, /) -> Any:
    """Runs `filter(function, iterable)`; in a `for` loop the predicate may give a tensor."""
    if state.graph is None:
        return builtins.filter(function, iterable)
    predicate = callee(function) if function is not None else truth_of
    source = graph_iterator(iterable)
    return PythonFilter(predicate, builtins.iter(iterable)) if source is None else Filter(predicate, source)


def truth_of(value: object) -> Any:
    """Returns the truth of a tensor as a boolean tensor; any other value unchanged."""
    return truth(value) if belongs_into_graph(value) else value


@replaces(builtins.reversed, beyond_tensorflow=True)
def reversed_(sequence: Any, /) -> Any:
    """Runs `reversed(sequence)`."""
    if isinstance(sequence, GraphIterator):
        raise TypeError(f"'{sequence.kind}' object is not reversible")
    source = graph_iterator(sequence)
    return builtins.reversed(sequence) if source is None else Reversed(source)


@replaces(builtins.iter)
def iter_(*args: Any) -> Any:
    """Runs `iter(iterable)`, `iter(function, sentinel)`."""
    if len(args) == 2:
        return builtins.iter(callee(args[0]), args[1])
    source = graph_iterator(args[0]) if args else None
    return builtins.iter(*args) if source is None else source


@replaces(builtins.next)
def next_(iterator: Any, default: Any = _NONE, /) -> Any:
    """Runs `next(iterator, default)`; where the length is unknown, the graph checks that there is an element."""
    if not isinstance(iterator, GraphIterator) or iterator.is_known():
        return builtins.next(iterator) if default is _NONE else builtins.next(iterator, default)
    iterator.check_not_left()
    position, read = iterator.position, iterator.reader(in_loop=False)
    iterator.position += 1
    if default is _NONE:
        return read(position)
    is_there = raw.Less(x=convert_to_tensor(position), y=iterator.size())
    return if_exp(is_there, lambda: read(position), lambda: default, "next(...)")


def _replace_containers(*kinds: Callable[..., Any]) -> None:
    """Makes `list(iterable)` and other constructors go over the parts of a tensor."""

    def replace(kind: Callable[..., Any]) -> None:
        @replaces(kind)
        def make(*args: object, **kwargs: object) -> Any:
            items = graph_list(args[0]) if kind is list and args else None
            if items is not None:
                return items.copy()
            if args and args[0].__class__ not in plain:
                return kind(in_python(args[0]), *args[1:], **kwargs)
            return kind(*args, **kwargs)

    for kind in kinds:
        replace(kind)


_replace_containers(list, tuple, set, frozenset, dict)
