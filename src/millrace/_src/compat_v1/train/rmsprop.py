"""Optimizers that divide each step by a root of an average of squared gradients: RMSProp and Adadelta.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.train.gradient_descent import Number
from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.compat_v1.variables.initializers import Ones
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops import raw
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.RMSPropOptimizer"])
@tensorflow_home("python.training.rmsprop")
class RMSPropOptimizer(Optimizer):
    """Divides each step by the root of an average of squared gradients: RMSProp, by Hinton and Tieleman.

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      decay: How much of the average stays at each step; as `learning_rate`.
      momentum: How much of the last step is made again; as `learning_rate`.
      epsilon: What is added to the average; as `learning_rate`.
      use_locking: Accepted for compatibility: updates are atomic.
      centered: Whether the square of an average of gradients is subtracted from the average of squares.
      name: The name of the operation and of slots.
    """

    def __init__(
        self,
        learning_rate: Number,
        decay: Number = 0.9,
        momentum: Number = 0.0,
        epsilon: Number = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._numbers = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum, "epsilon": epsilon}
        self._centered = centered

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            if variable.shape.is_fully_defined():
                self._get_or_make_slot_with_initializer(
                    variable,
                    Ones(variable.dtype.base_dtype),
                    variable.shape,
                    variable.dtype.base_dtype,
                    "rms",
                    self._name,
                )
            else:
                self._get_or_make_slot(variable, raw.OnesLike(x=variable.initial_value), "rms", self._name)
            if self._centered:
                self._zeros_slot(variable, "mg", self._name)
            self._zeros_slot(variable, "momentum", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        centered = {"mg": self.get_slot(variable, "mg").handle} if self._centered else {}
        return {
            "var": variable.handle,
            **centered,
            "ms": self.get_slot(variable, "rms").handle,
            "mom": self.get_slot(variable, "momentum").handle,
            "lr": self._number("learning_rate", variable),
            "rho": self._number("decay", variable),
            "momentum": self._number("momentum", variable),
            "epsilon": self._number("epsilon", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        update = raw.ResourceApplyCenteredRMSProp if self._centered else raw.ResourceApplyRMSProp
        return update(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        update = raw.ResourceSparseApplyCenteredRMSProp if self._centered else raw.ResourceSparseApplyRMSProp
        return update(grad=grad, indices=indices, **self._arguments(handle))


@export(v1=["train.AdadeltaOptimizer"])
@tensorflow_home("python.training.adadelta")
class AdadeltaOptimizer(Optimizer):
    """Steps in the ratio of past steps to past gradients: Adadelta, by Zeiler (arXiv:1212.5701).

    Args:
      learning_rate: A value, a tensor, or a function without arguments; 1.0 is the paper's.
      rho: How much of the averages stays at each step; as `learning_rate`.
      epsilon: What is added to the averages; as `learning_rate`.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        rho: Number = 0.95,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._numbers = {"lr": learning_rate, "rho": rho, "epsilon": epsilon}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "accum", self._name)
            self._zeros_slot(variable, "accum_update", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "accum": self.get_slot(variable, "accum").handle,
            "accum_update": self.get_slot(variable, "accum_update").handle,
            "lr": self._number("lr", variable),
            "rho": self._number("rho", variable),
            "epsilon": self._number("epsilon", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyAdadelta(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyAdadelta(grad=grad, indices=indices, **self._arguments(handle))
