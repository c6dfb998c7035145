"""The parts of batching rules: an op of one row, run on all rows of a batch at once.

A rule is `(operation, arguments, rows) -> results`. The operation belongs to the function of one row, with its
attributes and static shapes. An argument is a `BatchedValue`: a tensor, the same for all rows or with the rows along a
new first axis. The results are tensors with the rows first, or `BatchedValue`s that say otherwise; None leaves the
operation to a loop over the rows. A list of tensors (dtype `variant`) has the rows first in each element.

Tests: tests/contracts/test_every_batching.py, tests/autodiff/test_vectorize.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.handle_types import HandleType, ListHandle
from millrace._src.core.op_signature import argument_indices as positions_by_argument
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw


class BatchedValue(NamedTuple):
    """The batched counterpart of a tensor of the function of one row."""

    tensor: Any
    is_batched: bool
    by_row: bool = False
    """Whether the tensor is a vector of lists, one list for each row; else a list's tensors have the rows first."""
    lengths: Any = None
    """For a list whose tensors have the rows first: how many tensors each row has, where the rows differ."""

    @property
    def is_uneven(self) -> bool:
        """Whether the value is lists that differ in length from row to row, which rules do not see."""
        return self.by_row or self.lengths is not None


class BatchedRows:
    """The rows of a batch, for a rule.

    Attributes:
      count: the number of rows, an int or a tensor.
      loop: `(operation, arguments, count) -> Values`: runs an operation row by row.
      carry: `(graph, arguments, outputs) -> Values`: runs a graph on all rows.
      trial: `(loop) -> BatchedRows`: the same rows with another loop, to find out what is batched; no value is used.
      is_trial: whether these rows belong to a trial.
      used: the tensors, by `(id of the operation, index)`, that something in the graph being run needs.
    """

    __slots__ = ("count", "loop", "carry", "trial", "is_trial", "used")

    def __init__(
        self,
        count: object,
        loop: Callable[..., Any],
        carry: Callable[..., list[BatchedValue]],
        trial: Callable[[Any], BatchedRows],
        is_trial: bool,
    ) -> None:
        self.count, self.loop, self.carry, self.trial, self.is_trial = count, loop, carry, trial, is_trial
        self.used: set[tuple[int, int]] = set()

    def spread(self, value: BatchedValue) -> Any:
        """Returns a value with the rows first."""
        if self.is_trial and value.tensor.dtype.name == "variant" and not value.is_batched:
            return self.stand_in(value.tensor, [])
        return spread(value, self.count)

    def stand_in(self, tensor: Any, shape: ShapeLike) -> Any:
        """Adds to the current graph, which is thrown away, a placeholder for what `tensor` of one row is for all."""
        placeholder = state.graph.placeholder_like(tensor, shape, "rows")
        if tensor.dtype.name == "variant":
            placeholder.handle_type = _list_with_rows(tensor.handle_type, self.count)
        return placeholder

    def used_outputs(self, operation: Operation) -> list[int]:
        """Returns the positions of the outputs of an operation that something needs."""
        return [i for i in range(len(operation.outputs)) if (id(operation), i) in self.used]

    def vector(self) -> Any:
        """Returns the number of rows as a vector of one element: a list where the number is known, else a tensor."""
        return [self.count] if isinstance(self.count, int) else vector(self.count)

    def numbers(self) -> Any:
        """Returns the numbers of the rows: 0, 1, 2 ..."""
        return raw.Range(start=0, limit=convert_to_tensor(self.count, dtype="int32"), delta=1)


Rule = Callable[[Any, Sequence[BatchedValue], BatchedRows], "Sequence[Any] | None"]


def scatter_results(found: Sequence[BatchedValue], used: Sequence[int], operation: Operation) -> list[BatchedValue]:
    """Puts the used results of an operation in their positions among all results, which nothing else reads."""
    results = [BatchedValue(t, False) for t in operation.outputs]
    for position, value in zip(used, found, strict=True):
        results[position] = value
    return results


def by_name(operation: Operation, arguments: Sequence[BatchedValue]) -> dict[str, Any]:
    """Returns the arguments by the names of the signature; a list where the input is a list."""
    signature = operation.op_def.signature
    return dict(zip(signature.input_names, signature.split_inputs(arguments, operation.attrs), strict=True))


def argument_positions(operation: Operation, names: Sequence[str]) -> set[int]:
    """Returns the positions of the named inputs among the flat inputs; an input that is a list has several."""
    arguments = positions_by_argument(operation.op_def.signature.inputs, operation.attrs)
    return {position for arg, at in arguments if arg.name in names for position in at}


def any_batched(values: Sequence[BatchedValue]) -> bool:
    """Returns whether one of the values differs from row to row."""
    return any(v.is_batched for v in values)


def known_value(value: BatchedValue) -> Any:
    """Returns the NumPy value of an argument that is the same for all rows and known while tracing, or None."""
    return None if value.is_batched else static_value(value.tensor)


# --- shapes ----------------------------------------------------------------------------------------------------------


def vector(count: object) -> Any:
    """Returns a number as a vector of one element."""
    return raw.Reshape(tensor=convert_to_tensor(count, dtype="int32"), shape=[1])


def int32(tensor: Any) -> Any:
    """Casts whole numbers to int32."""
    return tensor if tensor.dtype.name == "int32" else raw.Cast(x=tensor, DstT="int32")


def dimensions(tensor: Any) -> Any:
    """Returns the shape of a tensor: a list where the shape is known, else a vector."""
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else raw.Shape(input=tensor)


def join(*parts: Any) -> Any:
    """Joins dimensions: a list where all dimensions are known, else a vector."""
    if all(isinstance(part, list) for part in parts):
        return [n for part in parts for n in part]
    return raw.ConcatV2(values=[convert_to_tensor(part, dtype="int32") for part in parts], axis=0)


def product(dims: object) -> Any:
    """Multiplies dimensions; returns the product as a vector of one element."""
    if isinstance(dims, list):
        total = 1
        for n in dims:
            total *= n
        return [total]
    return raw.Prod(input=dims, reduction_indices=[0], keep_dims=True)


def reshape_rows(tensor: object, shape: ShapeLike) -> Any:
    """Reshapes a tensor."""
    return raw.Reshape(tensor=tensor, shape=shape)


def spread(value: BatchedValue, count: object) -> Any:
    """Gives a value the rows as its first axis: repeats a value that is the same for every row."""
    tensor = value.tensor
    if value.is_batched:
        return tensor
    if tensor.dtype.name == "variant":
        return _spread_list(tensor, count)
    dims = dimensions(tensor)
    first = [count] if isinstance(count, int) else vector(count)
    if tensor.dtype.is_resource:
        raise NotImplementedError("vectorized_map: a resource cannot be repeated for every row.")
    return raw.BroadcastTo(input=raw.ExpandDims(input=tensor, dim=0), shape=join(first, dims))


def _spread_list(handle: object, count: object) -> Any:
    """Makes a list of as many tensors, each of which is repeated for every row."""
    made = _origin(handle)
    if made is not None and made.op_def.signature.input_names[:1] == ("element_shape",):
        shape, size = made.inputs
        (fresh,) = call(made, [element_with_rows(shape, made.attrs["element_dtype"], count), size])
        return fresh
    stacked_list = stack(handle)
    rows = raw.ExpandDims(input=stacked_list, dim=1)
    dims = raw.Shape(input=stacked_list)
    full_shape = raw.ConcatV2(values=[dims[:1], vector(count), dims[1:]], axis=0)
    return unstack(raw.BroadcastTo(input=rows, shape=full_shape))


def _list_with_rows(kind: HandleType | None, count: object) -> HandleType | None:
    """Returns the type of a list of one row once its tensors, which may be lists again, have the rows first."""
    if not isinstance(kind, ListHandle) or kind.element_dtype.name == "variant":
        return kind
    rows = TensorShape([count if isinstance(count, int) else None])
    return ListHandle(kind.element_dtype, rows.concatenate(kind.element_shape))


def _origin(handle: object) -> Any:
    """Finds the operation that made a list, looking through identities; None in eager mode."""
    operation = getattr(handle, "op", None)
    while operation is not None and operation.op_def is not None and operation.op_def.traits.returns_input:
        operation = operation.inputs[0].op
    return operation if operation is not None and operation.op_def is not None else None


def element_with_rows(shape: Any, dtype: Any, count: Any) -> Any:
    """Returns the shape of the elements of a list, as list ops take shapes, with the rows first; a scalar -1 stays.

    The elements of a list of lists are lists, whose own elements have the rows.
    """
    if shape.shape.rank == 0 or dtype.name == "variant":
        return shape
    first = convert_to_tensor([count], dtype=shape.dtype) if isinstance(count, int) else vector(count)
    if first.dtype is not shape.dtype:
        first = raw.Cast(x=first, DstT=shape.dtype)
    return raw.ConcatV2(values=[first, shape], axis=0)


def stack(handle: Any) -> Any:
    """Returns the tensors of a list along a new first axis.

    Raises: NotImplementedError: if the elements of the list are lists, or have an unknown dtype.
    """
    kind = handle.handle_type
    if not isinstance(kind, ListHandle) or kind.element_dtype.is_handle:
        raise NotImplementedError("vectorized_map: a list of which the dtype is not known cannot be stacked.")
    return raw.TensorListStack(input_handle=handle, element_shape=-1, element_dtype=kind.element_dtype)


def unstack(tensor: Any) -> Any:
    """Makes a list of the rows of a tensor."""
    shape = tensor.shape[1:] if tensor.shape.rank else None
    if shape is not None and shape.is_fully_defined():
        return raw.TensorListFromTensor(tensor=tensor, element_shape=convert_to_tensor(shape.as_list(), dtype="int32"))
    return raw.TensorListFromTensor(tensor=tensor, element_shape=raw.Shape(input=tensor)[1:])


# --- axes ------------------------------------------------------------------------------------------------------------


def pad_rank(value: BatchedValue, axes: int) -> Any:
    """Puts axes of size 1 behind the rows of a batched value, where broadcasting would put such axes in front."""
    if not value.is_batched or not axes:
        return value.tensor
    dims = dimensions(value.tensor)
    return reshape_rows(value.tensor, join(dims[:1], [1] * axes, dims[1:]))


def after_rows(axis: int) -> int:
    """Returns the position in the batch of an axis of a row."""
    return axis + 1 if axis >= 0 else axis


def after_rows_tensor(value: BatchedValue) -> Any:
    """Returns axes of a row, a tensor of any rank that is the same for all rows, as axes of the batch."""
    tensor, static_axes = value.tensor, known_value(value)
    if static_axes is not None:
        batch_axes = [after_rows(int(a)) for a in static_axes.reshape(-1)]
        return convert_to_tensor(batch_axes[0] if static_axes.ndim == 0 else batch_axes, dtype=tensor.dtype)
    is_counted = raw.GreaterEqual(x=tensor, y=convert_to_tensor(0, dtype=tensor.dtype))
    return raw.AddV2(x=tensor, y=raw.Cast(x=is_counted, DstT=tensor.dtype))


def prepend(number: int, vector_: Any) -> Any:
    """Puts one more number in front of a vector."""
    return raw.ConcatV2(values=[convert_to_tensor([number], dtype=vector_.dtype), vector_], axis=0)


def rows_last(tensor: object, rank: int) -> Any:
    """Moves the rows of a batch of tensors of rank `rank` to the end."""
    return raw.Transpose(x=tensor, perm=[*range(1, rank + 1), 0])


def rows_first(tensor: Any, rank: int | None = None) -> Any:
    """Moves the rows of a tensor of rank `rank` from the end to the front."""
    rank = tensor.shape.rank if rank is None else rank
    return raw.Transpose(x=tensor, perm=[rank - 1, *range(rank - 1)])


def swap(tensor: Any, rank: int | None = None) -> Any:
    """Exchanges the first two axes of a tensor."""
    rank = tensor.shape.rank if rank is None else rank
    if rank is not None:
        return raw.Transpose(x=tensor, perm=[1, 0, *range(2, rank)])
    other_axes = raw.Range(start=2, limit=raw.Rank(input=tensor), delta=1)
    return raw.Transpose(x=tensor, perm=raw.ConcatV2(values=[[1, 0], other_axes], axis=0))


def fold(tensor: object) -> Any:
    """Merges a batch of batches into one batch."""
    dims = dimensions(tensor)
    return reshape_rows(tensor, join(product(dims[:2]), dims[2:]))


def unfold(tensor: object, like: object) -> Any:
    """Splits one batch into a batch of batches, with the sizes of `like`."""
    return reshape_rows(tensor, join(dimensions(like)[:2], dimensions(tensor)[1:]))
