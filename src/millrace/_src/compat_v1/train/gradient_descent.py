"""Optimizers that step along the gradient, with or without momentum.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops import raw
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

Number = float | Callable[[], Any] | Any
"""A number of an optimizer: a value, a tensor, or a function without arguments."""


@export(v1=["train.GradientDescentOptimizer"])
@tensorflow_home("python.training.gradient_descent")
class GradientDescentOptimizer(Optimizer):
    """Steps along the gradient: `variable -= learning_rate * gradient`.

    >>> x = tf.Variable(2.0)
    >>> tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: x * x)
    >>> x.numpy()
    np.float32(1.0)

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation.
    """

    def __init__(self, learning_rate: Number, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._numbers = {"learning_rate": learning_rate}

    def _resource_apply_dense(self, grad: TensorLike, handle: Any) -> Any:
        return raw.ResourceApplyGradientDescent(
            var=handle.handle,
            alpha=self._number("learning_rate", handle),
            delta=grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        step = -grad * self._number("learning_rate", handle)
        return raw.ResourceScatterAdd(resource=handle.handle, indices=indices, updates=step)

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)


@export(v1=["train.ProximalGradientDescentOptimizer"])
@tensorflow_home("python.training.proximal_gradient_descent")
class ProximalGradientDescentOptimizer(Optimizer):
    """Steps along the gradient, then pulls values towards zero: FOBOS, by Duchi and Singer.

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      l1_regularization_strength: How strongly absolute values are made smaller.
      l2_regularization_strength: How strongly squares are made smaller.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation.
    """

    def __init__(
        self,
        learning_rate: Number,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._numbers = {
            "learning_rate": learning_rate,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
        }

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "alpha": self._number("learning_rate", variable),
            "l1": self._number("l1_regularization_strength", variable),
            "l2": self._number("l2_regularization_strength", variable),
            "use_locking": self._use_locking,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyProximalGradientDescent(delta=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyProximalGradientDescent(grad=grad, indices=indices, **self._arguments(handle))


@export(v1=["train.MomentumOptimizer"])
@tensorflow_home("python.training.momentum")
class MomentumOptimizer(Optimizer):
    """Steps along a sum of gradients that forgets: `sum = momentum * sum + gradient`.

    >>> x = tf.Variable(2.0)
    >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.25, momentum=0.5)
    >>> optimizer.minimize(lambda: x * x)
    >>> optimizer.get_slot_names(), optimizer.get_slot(x, "momentum").numpy()
    (['momentum'], np.float32(4.0))

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      momentum: How much of the sum stays at each step; as `learning_rate`.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.
      use_nesterov: Whether the step is that of Nesterov: the gradient counts once more.
    """

    def __init__(
        self,
        learning_rate: Number,
        momentum: Number,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._numbers = {"learning_rate": learning_rate, "momentum": momentum}
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "accum": self.get_slot(variable, "momentum").handle,
            "lr": self._number("learning_rate", variable),
            "momentum": self._number("momentum", variable),
            "use_locking": self._use_locking,
            "use_nesterov": self._use_nesterov,
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        return raw.ResourceApplyMomentum(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        return raw.ResourceSparseApplyMomentum(grad=grad, indices=indices, **self._arguments(handle))
