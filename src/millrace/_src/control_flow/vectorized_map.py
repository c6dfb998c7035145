"""`tf.vectorized_map`: a function of one row applied to all rows at once.

The function is traced once; `autodiff.vectorize` runs the traced graph on the whole batch. Operations without a
batching rule run in a loop over the rows. An eager call traces the function again, for its Python code must run, but
traces of the same form (`graph.graph_form`) share the program for all rows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.autodiff.vectorize import vectorize
from millrace._src.control_flow.map_fn import map_fn
from millrace._src.control_flow.rows import MappedRows, stack_rows
from millrace._src.control_flow.traced_branches import Branch, finish_branch
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite_gradients import consists_of_parts
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_registry import late_bound
from millrace._src.core.specs import NoneTensorSpec, TensorSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.type_specs import BatchableTypeSpec, TypeSpec, type_spec_from_value
from millrace._src.graph.captured_tensors import capture_here, capture_into
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.graph.graph_form import form_of
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedValue, spread, stack, swap, unstack
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export("vectorized_map")
@late_bound("vectorized_map")
def vectorized_map(
    fn: Callable[..., Any], elems: TensorLike, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Applies `fn` to each row of `elems`, all rows at once.

    >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), tf.constant([[1., 2.], [3., 4.]])).numpy().tolist()
    [5.0, 25.0]

    Args:
      fn: takes one row, in the structure of `elems`. It is traced once, as by `tf.function`.
      elems: a Tensor, or a nest of Tensors with the same first dimension; a first dimension of 1 is repeated.
      fallback_to_while_loop: whether an operation that cannot be run on all rows at once runs in a loop.
      warn: whether to log which operations did.

    Returns: The stacked results, in the structure that `fn` returns.
    Raises:
      ValueError: if there is such an operation and `fallback_to_while_loop` is False.
      tf.errors.InvalidArgumentError: if two of `elems` have different numbers of rows, more than one, or `elems` has
        ragged or sparse tensors.
    """
    rows = MappedRows(elems, [_as_leaf(e) for e in nest.flatten(elems)], _has_no_rows)
    tensors = rows.tensors
    if any(t.dtype.name == "variant" for t in tensors):
        raise InvalidArgumentError(
            None,
            None,
            "vectorized_map: the rows of a ragged or sparse tensor differ in size and cannot be computed at once. "
            "tf.map_fn goes through them one after the other.",
        )
    if any(t.shape.rank == 0 for t in tensors):
        raise IndexError("list index out of range: elems must have at least one dimension")

    loop = _RowLoop(is_allowed=fallback_to_while_loop, warns=warn)
    return _map_eagerly(fn, rows, tensors, loop) if state.graph is None else _map_in_graph(fn, rows, tensors, loop)


class _RowLoop:
    """Runs operations without a batching rule row by row.

    Args:
      is_allowed: whether to do so, rather than to refuse.
      warns: whether to log the operations.
    """

    def __init__(self, *, is_allowed: bool, warns: bool) -> None:
        self.is_allowed, self.warns = is_allowed, warns
        self.was_used = False

    def __call__(self, operation: Operation, arguments: Sequence[BatchedValue], count: object) -> list[Any]:
        """Returns the results of an operation, with the rows first."""
        self.was_used = True
        if not self.is_allowed:
            raise ValueError(f"No pfor vectorization defined for {operation.type}\nname: {operation.name!r}")
        if self.warns:
            text = "Using a while_loop for converting %s cause there is no registered converter for this op."
            get_logger().warning(text, operation.type)
        return _per_row(operation, arguments, count)


class _OpenGraph(FuncGraph):
    """A graph that captures, and does not copy, every eager tensor from outside that can have a gradient."""

    def capture(self, tensor: Any, name: str | None = None) -> Any:
        """Returns the tensor of this graph that represents `tensor`, made on first use."""
        if isinstance(tensor, EagerTensor) and id(tensor) not in self._captures and is_trainable(tensor.dtype):
            return self._add_capture(tensor, name)
        return super().capture(tensor, name)


@contextlib.contextmanager
def _tracing(graph: FuncGraph) -> Iterator[None]:
    """Lets operations go to `graph`, while the tapes hear only of the variables that are read."""
    tapes = state.tapes
    with graph.as_default(), context.tapes_scope((VariableWatcher(tapes),) if tapes else ()):
        yield


# --- eager calls -----------------------------------------------------------------------------------------------------

_MAX_FUNCTIONS = 64
_functions: dict[Hashable, CallableFunction] = {}
"""The functions of all rows, by the form of the function of one row and the shapes; the least recently used first."""


def _map_eagerly(fn: Callable[..., Any], rows: MappedRows, tensors: Sequence[Any], loop: _RowLoop) -> Any:
    """Returns the result of `fn` for all rows; a trace of a form that has come before runs the same program."""
    counts = [t.shape[0] for t in tensors]
    count = max(counts)
    _check_rows(counts, count)
    graph, placeholders, result = _trace_row(fn, rows, tensors)
    captured_tensors = graph.external_captures
    form = form_of(graph, result.tensors)
    key = None if form is None else (form, tuple([t.shape for t in tensors]))
    function = _functions.pop(key, None)
    if function is None:
        function, captured_tensors = _function_of_rows(graph, placeholders, result.tensors, tensors, count, loop)
    if key is not None and not loop.was_used and len(captured_tensors) == len(graph.captures):
        _functions[key] = function
        if len(_functions) > _MAX_FUNCTIONS:
            _functions.pop(next(iter(_functions)), None)
    batches = function([*tensors, *captured_tensors])
    graph.let_go()
    return stack_rows(result.structure, result.specs, batches, count)


def _function_of_rows(
    graph: FuncGraph,
    placeholders: Sequence[Any],
    outputs: Sequence[Any],
    tensors: Sequence[Any],
    count: int,
    loop: _RowLoop,
) -> tuple[CallableFunction, list[Any]]:
    """Makes the function of all rows from the graph of one row; returns also what it takes after `tensors`."""
    outer = _OpenGraph(f"vectorized_map_{context.unique_id()}")
    with _tracing(outer):
        outer.inputs = [outer.add_placeholder(t.dtype, t.shape, "elems") for t in tensors]
        given = _row_arguments(graph, placeholders, outer.inputs[:], count > 1)
        batches = [spread(value, count) for value in vectorize(graph, given, outputs, count, loop)]
        finish_branch(Branch(outer, batches))
    captured_tensors = outer.external_captures
    outer.let_go()
    return make_function(outer), captured_tensors


# --- in a graph ------------------------------------------------------------------------------------------------------


def _map_in_graph(fn: Callable[..., Any], rows: MappedRows, tensors: Sequence[Any], loop: _RowLoop) -> Any:
    """Returns the result of `fn` for all rows, in the current graph."""
    known = [t.shape[0] if t.shape.rank else None for t in tensors]
    static = max(n or 0 for n in known)
    _check_rows(known, static)
    is_known = static > 1 or None not in known
    count = static if is_known else raw.Shape(input=tensors[known.index(None)])[0]
    graph, placeholders, result = _trace_row(fn, rows, tensors)
    given = _row_arguments(graph, placeholders, tensors, static > 1 or not is_known)
    batches = [spread(value, count) for value in vectorize(graph, given, result.tensors, count, loop)]
    graph.let_go()
    return stack_rows(result.structure, result.specs, batches, static if is_known else None)


def _row_arguments(
    graph: FuncGraph, placeholders: Sequence[Any], tensors: Sequence[Any], may_be_more: bool
) -> dict[int, BatchedValue]:
    """Returns the values of the inputs of the graph of one row, by their operations: the rows, and what it captured."""
    rows = {id(p.op): _row_value(t, may_be_more) for p, t in zip(placeholders, tensors, strict=True)}
    return rows | {id(inner.op): BatchedValue(capture_here(outer), False) for outer, inner in graph.captures}


def _check_rows(known: Sequence[int | None], rows: int) -> None:
    """Refuses arguments with different numbers of rows; a single row serves for all."""
    short = next((n for n in known if n is not None and n not in (1, rows)), None)
    if short is not None:
        raise InvalidArgumentError(
            None,
            None,
            f"indices[{short}] = {short} is not in [0, {short}): vectorized_map goes through {rows} rows, as one of "
            f"elems has, but another one has {short}.",
        )


class _Result(NamedTuple):
    """What a traced function returned: its nest, the specs of the leaves, and their tensors in the graph."""

    structure: Any
    specs: list[Any]
    tensors: list[Any]


def _trace_row(
    fn: Callable[..., Any], rows: MappedRows, tensors: Sequence[Any]
) -> tuple[FuncGraph, list[Any], _Result]:
    """Traces `fn`; returns the graph, the placeholders, and the result."""
    graph = _OpenGraph(f"loop_body_{context.unique_id()}")
    with _tracing(graph):
        placeholders = [graph.add_placeholder(t.dtype, t.shape[1:], "row") for t in tensors]
        structure = fn(rows.row(placeholders))
        leaves = [_as_leaf(leaf) for leaf in nest.flatten(structure)]
        specs = [_leaf_spec(leaf) for leaf in leaves]
        parts = [t for spec, leaf in zip(specs, leaves, strict=True) for t in spec._to_tensor_list(leaf)]
        inside = [capture_into(graph, t) for t in parts]
    return graph, placeholders, _Result(structure, specs, inside)


def _as_leaf(value: Any) -> Any:
    """Returns an argument or result: None and composites of several tensors unchanged, anything else as a tensor."""
    if value is None or consists_of_parts[type(value)]:
        return value
    return convert_to_tensor(value)


def _leaf_spec(leaf: Any) -> Any:
    spec = NoneTensorSpec() if leaf is None else type_spec_from_value(leaf)
    if not isinstance(spec, BatchableTypeSpec):
        raise _has_no_rows(spec, leaf)
    return spec


def _has_no_rows(spec: TypeSpec, value: object) -> Exception:
    return ValueError(
        f"CompositeTensor instance {value} returned from parallel_for or vectorized_map loop body must provide a "
        f"`BatchableTypeSpec` (saw: {spec})."
    )


def _row_value(tensor: Any, may_be_more: bool) -> BatchedValue:
    """Returns the rows of an argument; a single row serves for all rows, where there may be more."""
    if may_be_more and tensor.shape.rank and tensor.shape[0] == 1:
        return BatchedValue(raw.Squeeze(input=tensor, squeeze_dims=[0]), False)
    return BatchedValue(tensor, True)


def _per_row(operation: Operation, arguments: Sequence[BatchedValue], count: object) -> list[Any]:
    """Runs an operation once for each row; the lists that the operation returns make up a vector of lists."""
    batched_arguments = [a for a in arguments if a.is_batched]
    rows = [raw.Range(start=0, limit=count, delta=1), *[t for a in batched_arguments for t in _by_row(a)]]

    def one(items: Sequence[Any]) -> list[Any]:
        remaining = iter(items[1:])
        outputs = call(operation, [_row(a, remaining) if a.is_batched else a.tensor for a in arguments])
        return outputs or [convert_to_tensor(0)]

    specs = [TensorSpec(t.shape, t.dtype) for t in operation.outputs] or [TensorSpec([], "int32")]
    results: list[Any] = map_fn(one, rows, fn_output_signature=specs)
    return [BatchedValue(t, True, t.dtype.name == "variant") for t in results] if operation.outputs else []


def _is_list_of_rows(value: BatchedValue) -> bool:
    """Returns whether a value is a list whose tensors have the rows first."""
    return value.tensor.dtype.name == "variant" and not value.by_row


def _by_row(value: BatchedValue) -> list[Any]:
    """Returns a batched value as `tf.map_fn` goes through it: of uneven lists the tensors and the lengths."""
    if not _is_list_of_rows(value):
        return [value.tensor]
    stacked_rows = swap(stack(value.tensor))
    return [stacked_rows] if value.lengths is None else [stacked_rows, value.lengths]


def _row(value: BatchedValue, items: Iterator[Any]) -> Any:
    """Returns the argument of an operation of one row."""
    item = next(items)
    if not _is_list_of_rows(value):
        return item
    return unstack(item if value.lengths is None else item[: next(items)])
