"""Sums of many tensors of one shape: AddN and its accumulating form.

Unlike `+`, the ops here do not broadcast, take any number of operands, and add all of them in one pass.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, variant
from millrace._src.core.handle_types import common_handle
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.batching_rules import alike
from millrace._src.ops.math import matrix_batches
from millrace._src.ops.math.broadcasting import shape_text
from millrace._src.ops.math.element_types import NUMBER
from millrace._src.util.export import export

_NOT_A_LIST = "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."


def add_n_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape that all inputs and the output have in common."""
    shapes = c.shapes("inputs")
    shape = shapes[0]
    for i, other in enumerate(shapes[1:], 1):
        if not shape.is_compatible_with(other):
            raise ValueError(_mismatch(shape, other, i))
        shape = shape.merge_with(other)
    return shape


def _mismatch(first: TensorShape, other: TensorShape, position: int) -> str:
    if first.rank != other.rank:
        ranks = f"{first.rank} and {other.rank}"
        return f"Shapes must be equal rank, but are {ranks}\n\tFrom merging shape 0 with other shapes."
    axis, m, n = next(
        (i, m, n)
        for i, (m, n) in enumerate(zip(first.as_list(), other.as_list(), strict=True))
        if m != n and None not in (m, n)
    )
    return (
        f"Dimension {axis} in both shapes must be equal, but are {m} and {n}. Shapes are {shape_text(first)} and "
        f"{shape_text(other)}.\n\tFrom merging shape 0 with other shapes."
    )


@op(
    "AddN",
    "inputs: N * T -> sum: T",
    T=NUMBER | TypeSet([variant]),
    shape=add_n_shape,
    handles=common_handle,
    commutative=True,
    is_sum=True,
    elementwise=Elementwise.ALIKE,
    batching=alike,
    exact_on_rows=True,
    flops=flops.sum_of_inputs,
    formula=lambda *inputs: functools.reduce(operator.add, inputs),
)
def sum_of_list(xp: Xp, inputs: list[Array]) -> Array:
    """Computes the sum of a list of tensors; the op behind `tf.add_n`.

    >>> tf.raw_ops.AddN(inputs=[[1, 2], [3, 4]]).numpy()
    array([4, 6], dtype=int32)
    """
    first = inputs[0]
    for i, other in enumerate(inputs[1:], 1):
        if other.shape != first.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {shape_text(first.shape)} != input {i}: {shape_text(other.shape)}",
            )
    return functools.reduce(xp.add, inputs)


@sum_of_list.gradient(accepts_slices=True)
def add_n_gradient(dsum: Tensor, N: int) -> tuple[list[Tensor]]:
    return ([dsum] * N,)


@op(
    "AccumulateNV2",
    "inputs: N * T -> sum: T",
    T=NUMBER,
    shape=add_n_shape,
    commutative=True,
    batching=matrix_batches.accumulate,
)
def accumulate_n_v2(xp: Xp, inputs: list[Array], *, shape: TensorShape) -> Array:
    """Computes the sum of a list of tensors of static shape `shape`.

    >>> tf.raw_ops.AccumulateNV2(inputs=[[1, 2], [3, 4]], shape=[2]).numpy()
    array([4, 6], dtype=int32)
    """
    return sum_of_list.op_def.kernel(xp, inputs)


@accumulate_n_v2.gradient(accepts_slices=True)
def accumulate_n_v2_gradient(dsum: Tensor, N: int) -> tuple[list[Tensor]]:
    return ([dsum] * N,)


@export("math.add_n", "add_n")
def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """Adds tensors of one shape and dtype element-wise; nothing broadcasts.

    >>> a, b = tf.constant([[3, 5], [4, 8]]), tf.constant([[1, 6], [2, 9]])
    >>> tf.math.add_n([a, b, a]).numpy()
    array([[ 7, 16],
           [10, 25]], dtype=int32)

    Args:
      inputs: An iterable of `Tensor`s (or of values that convert, or `IndexedSlices`).
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of the inputs. A single input is returned unchanged.
    Raises: ValueError: if `inputs` is empty or holds None.
    """
    tensors = [_dense(x) for x in _as_list(inputs)]
    if len(tensors) == 1:
        return raw.Identity(input=tensors[0], name=name) if name else tensors[0]
    return sum_of_list(tensors, name=name)


def _as_list(inputs: Any) -> list[Any]:
    items = list(iter(inputs))
    if not items or any(item is None for item in items):
        raise ValueError(_NOT_A_LIST)
    return items


def _dense(item: Any) -> Tensor:
    return item if isinstance(item, Tensor) else convert_to_tensor(item)


@export("math.accumulate_n", v1=["accumulate_n", "math.accumulate_n"])
def accumulate_n(
    inputs: TensorLike,
    shape: ShapeLike | None = None,
    tensor_dtype: object = None,
    name: str | None = None,
) -> Tensor:
    """Adds tensors of one shape and dtype element-wise, as `tf.math.add_n` does, after static checks.

    >>> tf.math.accumulate_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Args:
      inputs: A list of `Tensor`s of one shape and dtype.
      shape: The expected shape of the elements (optional).
      tensor_dtype: The expected dtype of the elements (optional).
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of the inputs.
    Raises:
      ValueError: if the list is empty or its shapes do not agree.
      TypeError: if the dtype is not the expected one.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    tensors: Sequence[Tensor] = [_dense(x) for x in inputs]
    if not all(t.dtype is tensors[0].dtype for t in tensors):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    static_shape = TensorShape(None) if shape is None else as_shape(shape)
    for tensor in tensors:
        static_shape = static_shape.merge_with(tensor.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)}, but `input` is of type {tensors[0].dtype}. "
            "These must be equal. "
        )
    if len(tensors) == 1:
        return tensors[0] if name is None else raw.Identity(input=tensors[0], name=name)
    return add_n(list(tensors), name=name)
