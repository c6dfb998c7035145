"""`tf.compat.v1.train.AdamOptimizer`: steps of a size that follows from averages of gradients and of their squares.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.train.gradient_descent import Number
from millrace._src.compat_v1.train.optimizer import Optimizer, cast_to, owning_graph
from millrace._src.compat_v1.train.slots import colocate
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.grouping import group
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.AdamOptimizer"])
@tensorflow_home("python.training.adam")
class AdamOptimizer(Optimizer):
    """Steps by averages of gradients and of their squares: Adam, by Kingma and Ba (arXiv:1412.6980).

    With t steps made, `rate = learning_rate * sqrt(1 - beta2 ** t) / (1 - beta1 ** t)`; the averages m and v follow the
    gradient and its square, and `variable -= rate * m / (sqrt(v) + epsilon)`.

    >>> x = tf.Variable(2.0)
    >>> optimizer = tf.compat.v1.train.AdamOptimizer(0.5)
    >>> optimizer.minimize(lambda: x * x)
    >>> [variable.name for variable in optimizer.variables()]
    ['Variable/Adam:0', 'Variable/Adam_1:0', 'beta1_power:0', 'beta2_power:0']

    Rows of a sparse gradient are added up; the averages of other rows move all the same.

    Args:
      learning_rate: A value, a tensor, or a function without arguments.
      beta1: How much of the average of gradients stays at each step; as `learning_rate`.
      beta2: How much of the average of squares stays at each step; as `learning_rate`.
      epsilon: What is added to the square root; as `learning_rate`.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.
      use_own_namescope_for_non_slot_vars: Whether the powers of `beta1` and `beta2` are called after the optimizer.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        beta1: Number = 0.9,
        beta2: Number = 0.999,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._numbers = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        """Returns the variables of the powers of `beta1` and `beta2`."""
        return (
            self._get_non_slot_variable("beta1_power", owning_graph()),
            self._get_non_slot_variable("beta2_power", owning_graph()),
        )

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda variable: str(variable.name))
        for number in ("beta1", "beta2"):
            value = self._call_if_callable(self._numbers[number])
            self._create_non_slot_variable(value, f"{number}_power", first)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _resource_apply_dense(self, grad: TensorLike, handle: Any) -> Any:
        power1, power2 = self._get_beta_accumulators()
        return raw.ResourceApplyAdam(
            var=handle.handle,
            m=self.get_slot(handle, "m").handle,
            v=self.get_slot(handle, "v").handle,
            beta1_power=cast_to(power1, handle.dtype),
            beta2_power=cast_to(power2, handle.dtype),
            lr=self._number("learning_rate", handle),
            beta1=self._number("beta1", handle),
            beta2=self._number("beta2", handle),
            epsilon=self._number("epsilon", handle),
            grad=grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        power1, power2 = (cast_to(power, handle.dtype) for power in self._get_beta_accumulators())
        beta1, beta2 = self._number("beta1", handle), self._number("beta2", handle)
        rate = self._number("learning_rate", handle) * raw.Sqrt(x=1 - power2) / (1 - power1)
        mean, mean_op = _average(self.get_slot(handle, "m"), grad * (1 - beta1), beta1, indices)
        square, square_op = _average(self.get_slot(handle, "v"), (grad * grad) * (1 - beta2), beta2, indices)
        step = rate * mean / (raw.Sqrt(x=square) + self._number("epsilon", handle))
        update = handle.assign_sub(step, use_locking=self._use_locking, read_value=False)
        return group(*[operation for operation in (update, mean_op, square_op) if operation is not None])

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        powers = self._get_beta_accumulators()
        with control_dependencies([operation for operation in update_ops if operation is not None]):
            with colocate(powers[0]):
                moved = [
                    power.assign(power * self._tensors[number], use_locking=self._use_locking)
                    for power, number in zip(powers, ("beta1", "beta2"), strict=True)
                ]
        return super()._finish([*update_ops, *moved], name_scope)


def _average(slot: Any, addition: Any, decay: Any, indices: Any) -> tuple[Any, Any]:
    """Moves an average by rows of a sparse gradient; returns the value, and in a graph the operation that reads it."""
    faded = slot.assign(slot * decay, read_value=False)
    with control_dependencies([] if faded is None else [faded]):
        added = raw.ResourceScatterAdd(resource=slot.handle, indices=indices, updates=addition)
    with control_dependencies([] if added is None else [added]):
        value = slot.read_value()
    return value, value.op if state.graph is not None else None
