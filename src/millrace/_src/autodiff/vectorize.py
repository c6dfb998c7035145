"""Vectorisation: a traced function of one element, carried out on a batch of elements at once.

The graph of the function is gone through operation by operation. A value is either the
same for every element or *batched*: it has the elements along a new first axis. An
operation without batched inputs is carried out once, unless it has an effect. One that works element by element,
or whose rule knows what the new axis means for it, is carried out once on the whole
batch; any other one is left to the caller's loop over the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Effects
from millrace._src.core.shape_context import static_value
from millrace._src.graph.replay import call
from millrace._src.graph.traversal import required_operations
from millrace._src.ops import raw
from millrace._src.ops.math.broadcasting import broadcast_shape
from millrace._src.ops.shape_rules import merged_shape, same_shape


class Value(NamedTuple):
    """What stands for a tensor of the function: a tensor, and whether it has the batch as its first axis."""

    tensor: Any
    is_batched: bool


Loop = Callable[[Any, Sequence[Value], Any], list[Any]]
"""`(operation, inputs, count) -> batched outputs`: carries out an operation once per element."""


def vectorized(graph: Any, given: dict[int, Value], outputs: Sequence[Any], count: Any, loop: Loop) -> list[Value]:
    """Carries out a graph on a batch.

    Args:
      graph: the traced function of one element.
      given: the values of its inputs, by the id of the input's operation.
      outputs: the tensors to compute.
      count: the number of elements, an int or a tensor.
      loop: carries out what no rule is for.

    Returns: The values of `outputs`.
    """
    values: dict[tuple[int, int], Value] = {}
    inputs = [op for op in graph.get_operations() if id(op) in given]
    for operation in inputs:
        values[id(operation), 0] = given[id(operation)]
    for operation in required_operations(graph.get_operations(), [t.op for t in outputs], stop=inputs):
        arguments = [values[id(t.op), t.value_index] for t in operation.inputs]
        for tensor, value in zip(operation.outputs, _carried_out(operation, arguments, count, loop), strict=True):
            values[id(operation), tensor.value_index] = value
    return [values[id(t.op), t.value_index] for t in outputs]


def _carried_out(operation: Any, arguments: Sequence[Value], count: Any, loop: Loop) -> list[Value]:
    if operation.static_values:
        constants = zip(operation.static_values, operation.outputs, strict=True)
        return [Value(convert_to_tensor(v, dtype=t.dtype), False) for v, t in constants]
    if operation.effects is Effects.RANDOM and operation.op_def.signature.input_names[:1] == ("shape",):
        if not any(a.is_batched for a in arguments):
            shape = raw.ConcatV2(values=[_vector(count), _int32(arguments[0].tensor)], axis=0)
            return _batched(call(operation, [shape, *[a.tensor for a in arguments[1:]]]))
    elif not operation.effects.must_run and not any(a.is_batched for a in arguments):
        return [Value(t, False) for t in call(operation, [a.tensor for a in arguments])]
    if operation.type == "PartitionedCall":
        inner = operation.attrs["f"].graph
        given = {id(t.op): a for t, a in zip(inner.inputs, arguments, strict=True)}
        return vectorized(inner, given, inner.outputs, count, loop)
    rule = _rule_of(operation)
    found = None if rule is None else rule(operation, arguments, count)
    return _batched(loop(operation, arguments, count) if found is None else found)


def _batched(tensors: Sequence[Any]) -> list[Value]:
    return [Value(t, True) for t in tensors]


# --- rules -----------------------------------------------------------------------------------------------------------

Rule = Callable[[Any, Sequence[Value], Any], "list[Any] | None"]


def _rule_of(operation: Any) -> Rule | None:
    op = operation.op_def
    if op.name in _RULES:
        return _RULES[op.name]
    if op.host_only or op.effects(operation.attrs) is not Effects.NONE or len(operation.outputs) != 1:
        return None
    if op.shape_rule is broadcast_shape and len(operation.inputs) == 2:
        return _broadcasting
    if op.shape_rule is same_shape and len(operation.inputs) == 1:
        return _one_to_one
    return _all_alike if op.shape_rule in (same_shape, merged_shape) and _are_alike(operation.inputs) else None


def _are_alike(tensors: Sequence[Any]) -> bool:
    """Whether tensors have one dtype and one known shape: an op of them works by elements, or on the last axes."""
    shape, dtype = tensors[0].shape, tensors[0].dtype
    return shape.is_fully_defined() and all(t.dtype is dtype and t.shape == shape for t in tensors)


def _all_alike(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    if operation.outputs[0].dtype.name == "variant":
        return None
    return call(operation, [spread(a, count) for a in arguments])


def _one_to_one(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any]:
    """Each element of the result depends on the same axes of the operand: element by element, or the last axes."""
    return call(operation, [arguments[0].tensor])


def _broadcasting(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """Operands of different rank get axes of one behind the batch, where broadcasting would put them before it."""
    ranks = [t.shape.rank for t in operation.inputs]
    if None in ranks:
        return None
    return call(operation, [_padded(a, max(ranks) - r) for a, r in zip(arguments, ranks, strict=True)])


def _padded(value: Value, axes: int) -> Any:
    if not value.is_batched or not axes:
        return value.tensor
    shape = raw.Shape(input=value.tensor)
    return raw.Reshape(tensor=value.tensor, shape=raw.ConcatV2(values=[shape[:1], [1] * axes, shape[1:]], axis=0))


def spread(value: Value, count: Any) -> Any:
    """A value with the batch as its first axis: one that is the same for every element is repeated."""
    if value.is_batched:
        return value.tensor
    row = raw.ExpandDims(input=value.tensor, dim=0)
    ones = raw.Fill(dims=raw.Shape(input=raw.Shape(input=value.tensor)), value=1)
    return raw.Tile(input=row, multiples=raw.ConcatV2(values=[_vector(count), ones], axis=0))


def _vector(count: Any) -> Any:
    return raw.Reshape(tensor=convert_to_tensor(count, dtype="int32"), shape=[1])


def _int32(tensor: Any) -> Any:
    return tensor if tensor.dtype.name == "int32" else raw.Cast(x=tensor, DstT="int32")


def _reshape(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    tensor, shape = arguments
    if shape.is_batched:
        return None
    return [
        raw.Reshape(tensor=tensor.tensor, shape=raw.ConcatV2(values=[_vector(count), _int32(shape.tensor)], axis=0))
    ]


def _broadcast_to(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    tensor, shape = arguments
    rank, wanted = operation.inputs[0].shape.rank, operation.inputs[1].shape.num_elements()
    if shape.is_batched or rank is None or wanted is None:
        return None
    full = raw.ConcatV2(values=[_vector(count), _int32(shape.tensor)], axis=0)
    return [raw.BroadcastTo(input=_padded(tensor, wanted - rank), shape=full)]


def _tile(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    tensor, multiples = arguments
    if multiples.is_batched:
        return None
    return [raw.Tile(input=tensor.tensor, multiples=_preceded(1, multiples.tensor))]


def _slice(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    tensor, begin, size = arguments
    if begin.is_batched or size.is_batched:
        return None
    return [raw.Slice(input=tensor.tensor, begin=_preceded(0, begin.tensor), size=_preceded(-1, size.tensor))]


def _strided_slice(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """The whole first axis, then what is taken of an element; the same for the gradient, which comes with a shape."""
    places = arguments[1:4]
    if any(a.is_batched for a in places) or operation.type == "StridedSliceGrad" and arguments[0].is_batched:
        return None
    begin, end, strides = (_preceded(n, a.tensor) for n, a in zip((0, 0, 1), places, strict=True))
    masks = {name: value << 1 for name, value in operation.attrs.items() if name.endswith("_mask")}
    masks["begin_mask"] |= 1
    masks["end_mask"] |= 1
    if operation.type == "StridedSlice":
        return [raw.StridedSlice(input=arguments[0].tensor, begin=begin, end=end, strides=strides, **masks)]
    shape = raw.ConcatV2(values=[_vector(count), _int32(arguments[0].tensor)], axis=0)
    parts = [_int32(t) for t in (begin, end, strides)]
    dy = spread(arguments[4], count)
    return [raw.StridedSliceGrad(shape=shape, begin=parts[0], end=parts[1], strides=parts[2], dy=dy, **masks)]


def _preceded(number: int, vector: Any) -> Any:
    """A vector of whole numbers with one more in front."""
    return raw.ConcatV2(values=[convert_to_tensor([number], dtype=vector.dtype), vector], axis=0)


def _scatter_nd(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """The batch goes last: the rows that are scattered are rows of all elements."""
    indices, updates, shape = arguments
    ranks = operation.inputs[1].shape.rank, operation.inputs[2].shape.num_elements()
    if indices.is_batched or shape.is_batched or None in ranks:
        return None
    full = raw.ConcatV2(values=[_int32(shape.tensor), _vector(count)], axis=0)
    return [
        _batch_first(raw.ScatterNd(indices=_int32(indices.tensor), updates=_batch_last(updates, ranks[0]), shape=full))
    ]


def _segment_sum(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    data, segments, number = arguments
    rank = operation.inputs[0].shape.rank
    if segments.is_batched or number.is_batched or rank is None or operation.inputs[1].shape.rank is None:
        return None
    moved = _batch_last(data, rank)
    return [
        _batch_first(
            raw.UnsortedSegmentSum(data=moved, segment_ids=segments.tensor, num_segments=_int32(number.tensor))
        )
    ]


def _batch_last(value: Value, rank: int) -> Any:
    return raw.Transpose(x=value.tensor, perm=[*range(1, rank + 1), 0])


def _batch_first(tensor: Any) -> Any:
    rank = tensor.shape.rank
    return raw.Transpose(x=tensor, perm=[rank - 1, *range(rank - 1)])


def _along_axis(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """Cumulative sums and products: the axis is one further to the right."""
    axis = None if arguments[1].is_batched else static_value(arguments[1].tensor)
    if axis is None:
        return None
    place = int(axis.reshape(()))
    return call(operation, [arguments[0].tensor, convert_to_tensor(place + 1 if place >= 0 else place, dtype="int32")])


def _reduction(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """The axes of an element are one further to the right in the batch."""
    tensor, axes = arguments
    known = None if axes.is_batched else static_value(axes.tensor)
    if known is None:
        return None
    shifted = [int(a) + 1 if a >= 0 else int(a) for a in known.reshape(-1)]
    return call(operation, [tensor.tensor, convert_to_tensor(shifted, dtype="int32")])


def _matmul(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any]:
    attrs = operation.attrs
    a = _swapped(arguments[0].tensor, attrs["transpose_a"])
    return [raw.BatchMatMulV2(x=a, y=_swapped(arguments[1].tensor, attrs["transpose_b"]))]


def _swapped(tensor: Any, is_transposed: bool) -> Any:
    """A stack of matrices with the last two axes exchanged."""
    if not is_transposed:
        return tensor
    return raw.Transpose(x=tensor, perm=[0, 2, 1] if tensor.shape.rank == 3 else [1, 0])


def _pack(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any]:
    axis = operation.attrs["axis"]
    return [raw.Pack(values=[spread(a, count) for a in arguments], axis=axis + 1 if axis >= 0 else axis)]


def _concat(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    axis = None if arguments[-1].is_batched else static_value(arguments[-1].tensor)
    if axis is None:
        return None
    values = [spread(a, count) for a in arguments[:-1]]
    return [raw.ConcatV2(values=values, axis=int(axis) + 1 if axis >= 0 else int(axis))]


def _expand(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    axis = None if arguments[1].is_batched else static_value(arguments[1].tensor)
    if axis is None:
        return None
    place = int(axis.reshape(()))
    return [raw.ExpandDims(input=arguments[0].tensor, dim=place + 1 if place >= 0 else place)]


def _transpose(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    order = None if arguments[1].is_batched else static_value(arguments[1].tensor)
    if order is None:
        return None
    return [raw.Transpose(x=arguments[0].tensor, perm=[0, *[int(i) + 1 for i in order]])]


def _gather(operation: Any, arguments: Sequence[Value], count: Any) -> list[Any] | None:
    """Rows of a table or at indices that differ from element to element, but not both."""
    table, indices, axis = arguments
    place = None if axis.is_batched or operation.attrs["batch_dims"] else static_value(axis.tensor)
    if place is None:
        return None
    if not indices.is_batched:
        shifted = int(place) + 1 if place >= 0 else int(place)
        return [raw.GatherV2(params=table.tensor, indices=indices.tensor, axis=shifted)]
    if table.is_batched or place != 0:
        return None
    return [raw.GatherV2(params=table.tensor, indices=indices.tensor, axis=0)]


_RULES: dict[str, Rule] = {
    "Reshape": _reshape,
    "BroadcastTo": _broadcast_to,
    "Tile": _tile,
    "Slice": _slice,
    **dict.fromkeys(("StridedSlice", "StridedSliceGrad"), _strided_slice),
    "ScatterNd": _scatter_nd,
    "UnsortedSegmentSum": _segment_sum,
    **dict.fromkeys(("Cumsum", "Cumprod"), _along_axis),
    "AddN": _all_alike,
    "BatchMatMulV2": _broadcasting,
    **dict.fromkeys(("Sum", "Mean", "Max", "Min", "Prod", "All", "Any"), _reduction),
    "MatMul": _matmul,
    "Pack": _pack,
    "ConcatV2": _concat,
    "ExpandDims": _expand,
    "Transpose": _transpose,
    "GatherV2": _gather,
    **dict.fromkeys(("Cast", "Softmax", "LogSoftmax"), _one_to_one),
    **dict.fromkeys(("Equal", "NotEqual", "SelectV2"), _broadcasting),
}
"""Ops whose axes move when the batch comes first. Ops that work element by element need no entry."""
