"""TensorFlow 1's conditional accumulators: gradients of several workers, added up until enough have come.

Eagerly and in functions an accumulator of dense gradients is a resource; in other graphs it is a reference, as
TensorFlow's nodes are. One of sparse gradients exists in graphs only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64, resource
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["ConditionalAccumulatorBase"])
@tensorflow_home("python.ops.data_flow_ops")
class ConditionalAccumulatorBase:
    """The base class of accumulators.

    Args:
      dtype: The dtype of the gradients.
      shape: The static shape of the gradients; None for any.
      accumulator_ref: The tensor that refers to the accumulator.
    """

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Any) -> None:
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(None) if shape is None else as_shape(shape)
        self._accumulator_ref = accumulator_ref

    @property
    def accumulator_ref(self) -> Any:
        """The tensor that refers to the accumulator."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the accumulator's node; empty eagerly."""
        return "" if executing_eagerly() else self._accumulator_ref.op.name.rpartition("/")[2]

    @property
    def dtype(self) -> DType:
        """The dtype of the gradients."""
        return self._dtype

    def _op(self, kind: str) -> Any:
        is_resource = self._accumulator_ref.dtype is resource
        return getattr(raw, f"Resource{kind}" if is_resource else kind)

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """Counts the gradients that have come since the last was taken.

        Args: name: A name for the operation (optional).

        Returns: An int32 scalar.
        """
        chosen = f"{self.name}_NumAccumulated" if name is None and self.name else name
        return self._op("AccumulatorNumAccumulated")(handle=self._accumulator_ref, name=chosen)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Any:
        """Sets the step below which gradients are stale.

        Args:
          new_global_step: An integer scalar.
          name: A name for the operation (optional).

        Returns: The operation, in a graph.
        """
        step = cast(new_global_step, int64)
        return self._op("AccumulatorSetGlobalStep")(handle=self._accumulator_ref, new_global_step=step, name=name)


@export(v1=["ConditionalAccumulator"])
@tensorflow_home("python.ops.data_flow_ops")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients.

    >>> accumulator = tf.compat.v1.ConditionalAccumulator(tf.float32, shape=[2])
    >>> accumulator.apply_grad([1.0, 2.0])
    >>> accumulator.apply_grad([3.0, 6.0])
    >>> accumulator.take_grad(num_required=2).numpy()
    array([2., 4.], dtype=float32)

    Args:
      dtype: The dtype of the gradients.
      shape: The static shape of the gradients; None for any.
      shared_name: The name under which other accumulators of the process are this one (optional).
      name: A name for the operation.
      reduction_type: "MEAN" or "SUM": what is taken out.

    Raises: InvalidArgumentError: if the reduction is another.
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        facts = {"shape": shape, "shared_name": shared_name or "", "reduction_type": reduction_type}
        super().__init__(dtype, shape, raw.ResourceConditionalAccumulator(dtype=dtype, name=name, **facts))

    def apply_grad(self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None) -> Any:
        """Adds a gradient, unless the gradient is stale.

        Args:
          grad: The gradient, a tensor of the accumulator's dtype and shape.
          local_step: The step at which the worker read the parameters.
          name: A name for the operation (optional).

        Returns: The operation, in a graph.
        Raises: ValueError: if the shape is another.
        """
        gradient = convert_to_tensor(grad, dtype=self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        facts = {"local_step": cast(local_step, int64), "gradient": gradient, "name": name}
        return self._op("AccumulatorApplyGradient")(handle=self._accumulator_ref, **facts)

    def take_grad(self, num_required: object, name: str | None = None) -> Any:
        """Waits until enough gradients have come; returns their mean or sum, and begins the next step.

        Args:
          num_required: How many gradients must have come.
          name: A name for the operation (optional).

        Returns: A tensor of the accumulator's dtype and shape.
        Raises: tf.errors.InvalidArgumentError: if `num_required` is not positive.
        """
        take = self._op("AccumulatorTakeGradient")
        out = take(handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name)
        out.set_shape(self._shape)
        return out


@export(v1=["SparseConditionalAccumulator", "sparse.SparseConditionalAccumulator"])
@tensorflow_home("python.ops.data_flow_ops")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that have few rows; for graphs.

    >>> tf.compat.v1.SparseConditionalAccumulator(tf.float32)
    Traceback (most recent call last):
    ...
    RuntimeError: sparse_conditional_accumulator op does not support eager execution. Arg 'handle' is a ref.

    Args:
      dtype: The dtype of the gradients.
      shape: The static shape of the gradients; None for any.
      shared_name: The name under which other accumulators of the process are this one (optional).
      name: A name for the operation.
      reduction_type: "MEAN" or "SUM": what is taken out; a row's mean is over the gradients that have the row.

    Raises: RuntimeError: in eager mode.
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        shared = shared_name or ""
        make = raw.SparseConditionalAccumulator
        made = make(dtype=dtype, shape=shape, shared_name=shared, name=name, reduction_type=reduction_type)
        super().__init__(dtype, shape, made)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> Any:
        """Adds a gradient given as `tf.IndexedSlices`, unless the gradient is stale.

        Args:
          grad: The gradient.
          local_step: The step at which the worker read the parameters.
          name: A name for the operation (optional).

        Returns: The operation.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Any:
        """Adds a gradient, unless the gradient is stale.

        Args:
          grad_indices: The numbers of the rows that the gradient has.
          grad_values: These rows.
          grad_shape: The dense shape of the gradient (optional).
          local_step: The step at which the worker read the parameters.
          name: A name for the operation (optional).

        Returns: The operation.
        """
        shape = np.zeros(0, np.int64) if grad_shape is None else grad_shape
        return raw.SparseAccumulatorApplyGradient(
            handle=self._accumulator_ref,
            local_step=cast(local_step, int64),
            gradient_indices=cast(grad_indices, int64),
            gradient_values=convert_to_tensor(grad_values, dtype=self._dtype),
            gradient_shape=cast(shape, int64),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: object, name: str | None = None) -> Any:
        """Waits until enough gradients have come; returns their mean or sum, and begins the next step.

        Args:
          num_required: How many gradients must have come.
          name: A name for the operation (optional).

        Returns: A named tuple of `indices`, `values` and `shape`.
        """
        facts = {"num_required": num_required, "dtype": self._dtype, "name": name}
        return raw.SparseAccumulatorTakeGradient(handle=self._accumulator_ref, **facts)

    def take_indexed_slices_grad(self, num_required: object, name: str | None = None) -> IndexedSlices:
        """Does the same as `take_grad`, and returns `tf.IndexedSlices`.

        Args:
          num_required: How many gradients must have come.
          name: A name for the operation (optional).

        Returns: The mean or sum as `tf.IndexedSlices`.
        """
        taken = self.take_grad(num_required, name)
        return IndexedSlices(taken.values, taken.indices, taken.shape)
