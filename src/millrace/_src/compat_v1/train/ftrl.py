"""`tf.compat.v1.train.FtrlOptimizer`: follow the regularized leader, for large sparse models.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.train.gradient_descent import Number
from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_SMALLEST_RATE = 1e-36
"""What a learning rate counts for, at least, where `beta` is divided by the rate."""


@export(v1=["train.FtrlOptimizer"])
@tensorflow_home("python.training.ftrl")
class FtrlOptimizer(Optimizer):
    """Computes each value from sums of gradients and of their squares: FTRL-Proximal, by McMahan and others (2013).

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      learning_rate_power: How the rate falls with the sum of squares; zero for a rate that stays, else negative.
      initial_accumulator_value: What the sums of squares begin with; not negative.
      l1_regularization_strength: How strongly absolute values are made smaller.
      l2_regularization_strength: How strongly squares are made smaller.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.
      accum_name: The name of the sums of squares; default that of the optimizer.
      linear_name: The name of the sums of gradients; default that of the optimizer.
      l2_shrinkage_regularization_strength: How strongly squares are made smaller where a gradient is not zero.
      beta: The `beta` of the paper; default 0.

    Raises: ValueError: for a number on the wrong side of zero.
    """

    def __init__(
        self,
        learning_rate: Number,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        not_negative = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for argument, value in not_negative.items():
            if value < 0.0:
                raise ValueError(f"{argument} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        self._learning_rate = learning_rate
        self._power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name, self._linear_name = accum_name or name, linear_name or name

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            self._get_or_make_slot_with_initializer(
                variable, self._first_squares, variable.shape, variable.dtype.base_dtype, "accum", self._accum_name
            )
            self._zeros_slot(variable, "linear", self._linear_name)

    def _first_squares(self, shape: ShapeLike, dtype: DTypeLike) -> Any:
        return ones(shape, dtype) * self._initial_accumulator_value

    def _prepare(self) -> None:
        learning_rate = self._call_if_callable(self._learning_rate)
        tensors = {
            "learning_rate": convert_to_tensor(learning_rate, name="learning_rate"),
            "l1": convert_to_tensor(self._l1, name="l1_regularization_strength"),
        }
        rate = (
            learning_rate if isinstance(learning_rate, Tensor) else convert_to_tensor(learning_rate, name="Maximum/x")
        )
        smallest = convert_to_tensor(_SMALLEST_RATE, dtype=rate.dtype, name="Maximum/y")
        rate = raw.Maximum(x=rate, y=smallest)
        tensors["l2"] = self._l2 + self._beta / (2.0 * rate)
        tensors["beta"] = convert_to_tensor(self._beta, name="beta")
        tensors["shrinkage"] = convert_to_tensor(self._shrinkage, name="l2_shrinkage_regularization_strength")
        tensors["power"] = convert_to_tensor(self._power, name="learning_rate_power")
        self._tensors = tensors

    def _arguments(self, variable: Any) -> dict[str, Any]:
        shrinkage = {"l2_shrinkage": self._number("shrinkage", variable)} if self._shrinkage > 0.0 else {}
        return {
            "var": variable.handle,
            "accum": self.get_slot(variable, "accum").handle,
            "linear": self.get_slot(variable, "linear").handle,
            "lr": self._number("learning_rate", variable),
            "l1": self._number("l1", variable),
            "l2": self._number("l2", variable),
            **shrinkage,
            "lr_power": self._number("power", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        update = raw.ResourceApplyFtrlV2 if self._shrinkage > 0.0 else raw.ResourceApplyFtrl
        return update(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        update = raw.ResourceSparseApplyFtrlV2 if self._shrinkage > 0.0 else raw.ResourceSparseApplyFtrl
        return update(grad=grad, indices=indices, **self._arguments(handle))
