"""Strings put together: `join` of several tensors, `reduce_join` along axes, `unsorted_segment_join` by groups.

Every op sorts the elements into lists, one list for each element of the result, and joins each list with the separator.
"""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, string
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.shape_rules import UNKNOWN, reduction_shape
from millrace._src.ops.strings.text_bytes import attr_bytes, string_array
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"


def _join_shape(c: ShapeContext) -> TensorShape:
    shape = TensorShape.of(())
    for input_shape in c.shapes("inputs"):
        if input_shape.rank is None:
            shape = UNKNOWN if shape.rank == 0 else shape
        elif input_shape.rank:
            shape = input_shape if not shape.rank else merge(shape, input_shape)
    return UNKNOWN if shape.rank == 0 and any(s.rank is None for s in c.shapes("inputs")) else shape


@op("StringJoin", "inputs: N * string -> output: string", shape=_join_shape, host_only=True, not_differentiable=_TEXT)
def string_join(xp: Xp, inputs: list[Array], *, separator: str = "") -> Array:
    """Joins strings element by element; scalars go with every element."""
    shapes = [array.shape for array in inputs if array.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            raise errors.InvalidArgumentError(
                None, None, f"Input shapes do not match: {shape_brackets(shapes[0])} vs. {shape_brackets(shape)}"
            )
    shape = shapes[0] if shapes else ()
    between = attr_bytes(separator)
    size = int(np.prod(shape, dtype=np.int64))
    columns = [a.reshape(-1).tolist() if a.ndim else itertools.repeat(a.item(), size) for a in inputs]
    return string_array(map(between.join, zip(*columns, strict=True)) if columns else [b""], shape)


@export("strings.join", v1=["strings.join", "string_join"])
def join(inputs: TensorLike, separator: str = "", name: str | None = None) -> Any:
    """Joins strings of several tensors element by element.

    >>> tf.strings.join([["a", "b"], "c"], separator="-").numpy()
    array([b'a-c', b'b-c'], dtype=object)

    Args:
      inputs: a list of string Tensors of one shape; a scalar goes with every element.
      separator: text between the parts.
      name: name of the operation in a graph.

    Returns: A string Tensor.
    Raises: tf.errors.InvalidArgumentError: if shapes differ.
    """
    if isinstance(inputs, (Tensor, np.ndarray)) and inputs.ndim:
        vector: Any = inputs
        inputs = [vector[index] for index in range(len(vector))]
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    return string_join(list(inputs), separator=separator, name=name)


# --- along axes ------------------------------------------------------------------------------------------------------


@op(
    "ReduceJoin",
    "inputs: string, reduction_indices: int32 -> output: string",
    shape=reduction_shape("reduction_indices"),
    host_only=True,
    not_differentiable=_TEXT,
)
def reduce_join_op(
    xp: Xp, inputs: Array, reduction_indices: Array, *, keep_dims: bool = False, separator: str = ""
) -> Array:
    """Joins strings along axes; of several, the first given varies fastest."""
    axes = _normalize(reduction_indices.reshape(-1).tolist(), inputs.ndim)
    kept_axes = [axis for axis in range(inputs.ndim) if axis not in axes]
    shape = tuple(inputs.shape[axis] for axis in kept_axes)
    count = int(np.prod([inputs.shape[axis] for axis in axes], dtype=np.int64))
    rows = np.transpose(inputs, kept_axes + axes[::-1]).reshape(int(np.prod(shape, dtype=np.int64)), count)
    if keep_dims:
        shape = tuple(1 if axis in axes else size for axis, size in enumerate(inputs.shape))
    between = attr_bytes(separator)
    return string_array(map(between.join, rows.tolist()), shape)


def _normalize(axes: list[int], rank: int) -> list[int]:
    found_axes: list[int] = []
    for axis in axes:
        if not -rank <= axis < rank:
            raise errors.OutOfRangeError(
                None, None, f"Invalid reduction dimension {axis} for input with {rank} dimension(s)"
            )
        if axis % rank in found_axes:
            raise errors.InvalidArgumentError(None, None, f"Duplicate reduction dimension {axis}")
        found_axes.append(axis % rank)
    return found_axes


@export("strings.reduce_join", v1=[])
def reduce_join(
    inputs: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins all strings along axes into one.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator=" ").numpy()
    array([b'a b', b'c d'], dtype=object)

    Args:
      inputs: a string Tensor.
      axis: the axes, first the axis that varies fastest; None joins everything in the order of the elements.
      keepdims: whether joined axes stay with size 1.
      separator: text between the strings.
      name: name of the operation in a graph.

    Returns: A string Tensor.
    Raises:
      tf.errors.OutOfRangeError: if an axis does not exist.
      tf.errors.InvalidArgumentError: if an axis is given twice.
    """
    with name_scope(None, "ReduceJoin"):
        inputs = convert_to_tensor(inputs, dtype=string)
        axes = _all_axes(inputs) if axis is None else axis
        return reduce_join_op(inputs, axes, keep_dims=keepdims, separator=separator, name=name)


def _all_axes(inputs: Any) -> Any:
    if inputs.shape.rank is not None:
        return convert_to_tensor(np.arange(inputs.shape.rank - 1, -1, -1, dtype=np.int32))
    return range_(rank_of(inputs) - 1, -1, -1)


# --- by groups -------------------------------------------------------------------------------------------------------


def _segment_join_shape(c: ShapeContext) -> TensorShape:
    inputs, ids = c.shape("inputs"), c.shape("segment_ids")
    if inputs.rank is None or ids.rank is None:
        return UNKNOWN
    count = c.value("num_segments")
    dims = inputs.as_list()[ids.rank :]
    return TensorShape([None if count is None else int(count), *dims])


@op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string",
    Tindices=INDEX,
    Tnumsegments=INDEX.with_default(int32),
    shape=_segment_join_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def unsorted_segment_join_op(
    xp: Xp, inputs: Array, segment_ids: Array, num_segments: Array, *, separator: str = ""
) -> Array:
    """Joins the strings of each segment, in order."""
    _check_segments(inputs, segment_ids, num_segments)
    count, ids = int(num_segments), segment_ids.reshape(-1)
    row_shape = inputs.shape[segment_ids.ndim :]
    rows = inputs.reshape(ids.size, int(np.prod(row_shape, dtype=np.int64)))
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids, kind="stable")
        rows, ids = rows[order], ids[order]
    ends = [0, *np.cumsum(np.bincount(ids, minlength=count)).tolist()]
    columns = [_join_runs(texts, ends, attr_bytes(separator)) for texts in rows.T.tolist()]
    joined_texts = columns[0] if len(columns) == 1 else itertools.chain.from_iterable(zip(*columns, strict=True))
    return string_array(joined_texts, (count, *row_shape))


def _join_runs(texts: list[bytes], ends: list[int], between: bytes) -> list[bytes]:
    """Joins runs of texts; as in TensorFlow, no separator follows the empty texts that a run begins with."""
    # one run at a time: a hundred thousand lists at once keep Python's garbage collector busy
    runs = (texts[start:stop] for start, stop in itertools.pairwise(ends))
    return [between.join(itertools.dropwhile(operator.not_, run) if run and not run[0] else run) for run in runs]


def _check_segments(inputs: Array, ids: Array, count: Array) -> None:
    def fail(text: str, kind: Any = errors.InvalidArgumentError) -> None:
        raise kind(None, None, text)

    if count.ndim:
        fail("Number of segments must be a scalar")
    if count < 0:
        fail(f"Number of segments must be non-negative but got {int(count)}")
    if not ids.ndim:
        fail("Segment_id cannot have rank 0")
    if ids.ndim > inputs.ndim:
        fail(f"Invalid segment_id rank {ids.ndim} for input with {inputs.ndim} dimension(s)", errors.OutOfRangeError)
    for axis, size in enumerate(ids.shape):
        if size != inputs.shape[axis]:
            fail(f"Segment dimension is {size} while input dimension is {inputs.shape[axis]} in rank {axis}")
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        fail("segment_ids are not allowed to exceed num_segments or to have negative values.")


@export("strings.unsorted_segment_join")
def unsorted_segment_join(
    inputs: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, separator: str = "", name: str | None = None
) -> Any:
    """Joins the strings that have the same segment id, in order.

    >>> tf.strings.unsorted_segment_join(["this", "is", "a", "test"], [0, 1, 0, 1], 2, separator=":").numpy()
    array([b'this:a', b'is:test'], dtype=object)

    Args:
      inputs: a string Tensor.
      segment_ids: an integer Tensor whose shape is a prefix of the shape of `inputs`.
      num_segments: how many segments there are, an integer scalar.
      separator: text between the strings.
      name: name of the operation in a graph.

    Returns: A string Tensor of shape `[num_segments, ...]`; a segment without strings is empty.
    Raises: tf.errors.InvalidArgumentError: if an id is negative or too large, or shapes do not fit.
    """
    return unsorted_segment_join_op(inputs, segment_ids, num_segments, separator=separator, name=name)
