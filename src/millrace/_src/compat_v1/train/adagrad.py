"""Optimizers that divide each step by the root of the sum of all squared gradients: the family of Adagrad.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.train.gradient_descent import Number
from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.compat_v1.train.slots import colocate
from millrace._src.compat_v1.variables.initializers import Constant
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.AdagradOptimizer"])
@tensorflow_home("python.training.adagrad")
class AdagradOptimizer(Optimizer):
    """Divides each step by the root of the sum of squared gradients: Adagrad, by Duchi, Hazan and Singer (2011).

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      initial_accumulator_value: What the sums begin with; positive.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.

    Raises: ValueError: if the sums would not begin positive.
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._numbers = {"learning_rate": learning_rate}
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            dtype = variable.dtype.base_dtype
            initializer = Constant(self._initial_accumulator_value, dtype=dtype)
            shape = variable.shape
            if not shape.is_fully_defined():
                initial_value = raw.ZerosLike(x=variable.initial_value) + self._initial_accumulator_value
                self._get_or_make_slot(variable, initial_value, "accumulator", self._name)
                continue
            self._get_or_make_slot_with_initializer(variable, initializer, shape, dtype, "accumulator", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "accum": self.get_slot(variable, "accumulator").handle,
            "lr": self._number("learning_rate", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyAdagrad(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyAdagrad(grad=grad, indices=indices, **self._arguments(handle))


@export(v1=["train.ProximalAdagradOptimizer"])
@tensorflow_home("python.training.proximal_adagrad")
class ProximalAdagradOptimizer(Optimizer):
    """Steps as Adagrad, then pulls values towards zero.

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      initial_accumulator_value: What the sums of squared gradients begin with; positive.
      l1_regularization_strength: How strongly absolute values are made smaller.
      l2_regularization_strength: How strongly squares are made smaller.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.

    Raises: ValueError: if the sums would not begin positive.
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._numbers = {
            "learning_rate": learning_rate,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
        }
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            value = fill(variable, self._initial_accumulator_value)
            self._get_or_make_slot(variable, value, "accumulator", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "accum": self.get_slot(variable, "accumulator").handle,
            "lr": self._number("learning_rate", variable),
            "l1": self._number("l1_regularization_strength", variable),
            "l2": self._number("l2_regularization_strength", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyProximalAdagrad(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyProximalAdagrad(grad=grad, indices=indices, **self._arguments(handle))


@export(v1=["train.AdagradDAOptimizer"])
@tensorflow_home("python.training.adagrad_da")
class AdagradDAOptimizer(Optimizer):
    """Computes each value from sums of gradients and of their squares: Adagrad by dual averaging, for sparse models.

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      global_step: The variable that counts the steps.
      initial_gradient_squared_accumulator_value: What the sums of squared gradients begin with; positive.
      l1_regularization_strength: How strongly absolute values are made smaller.
      l2_regularization_strength: How strongly squares are made smaller.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.

    Raises: ValueError: if the sums would not begin positive.
    """

    def __init__(
        self,
        learning_rate: Number,
        global_step: object,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._numbers = {"learning_rate": learning_rate}
        self._initial_square = initial_gradient_squared_accumulator_value
        self._strengths = l1_regularization_strength, l2_regularization_strength
        self._global_step = global_step
        self._step: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            zeros, squares = fill(variable, 0.0), fill(variable, self._initial_square)
            self._get_or_make_slot(variable, zeros, "gradient_accumulator", self._name)
            self._get_or_make_slot(variable, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        self._step = raw.Identity(input=convert_to_tensor(self._global_step)) + 1

    def _arguments(self, variable: Any) -> dict[str, Any]:
        l1, l2 = (constant(strength, dtype=variable.dtype.base_dtype) for strength in self._strengths)
        step = self._step if self._step.dtype is int64 else raw.Cast(x=self._step, DstT=int64)
        return {
            "var": variable.handle,
            "gradient_accumulator": self.get_slot(variable, "gradient_accumulator").handle,
            "gradient_squared_accumulator": self.get_slot(variable, "gradient_squared_accumulator").handle,
            "lr": self._number("learning_rate", variable),
            "l1": l1,
            "l2": l2,
            "global_step": step,
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyAdagradDA(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyAdagradDA(grad=grad, indices=indices, **self._arguments(handle))


def fill(variable: Any, value: float) -> Any:
    """Returns a tensor of the shape and dtype of a variable, all of whose elements are one value."""
    with colocate(variable):
        return constant(value, dtype=variable.dtype.base_dtype, shape=variable.shape)
