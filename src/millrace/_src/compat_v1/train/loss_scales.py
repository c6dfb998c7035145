"""Loss scales: a loss in 16-bit floats is multiplied, so that small gradients do not vanish, and gradients divided.

A fixed scale stays. A dynamic one doubles after many steps whose gradients are finite, and halves after one whose
gradients are not; such a step is left out.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.compat_v1.variables.variable import VariableV1
from millrace._src.control_flow.cond import cond
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, int64
from millrace._src.core.indexed_slices import IndexedSlices, gradient_values
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.grouping import group, no_op
from millrace._src.trackable.auto import AutoTrackable
from millrace._src.util import nest
from millrace._src.util.export import export


@export(v1=["mixed_precision.LossScale", "mixed_precision.experimental.LossScale", "train.experimental.LossScale"])
class LossScale(AutoTrackable, abc.ABC):
    """Base of loss scales: the number by which losses are multiplied, and how the number changes."""

    @abc.abstractmethod
    def __call__(self) -> Any:
        """Returns the scale now, a scalar float32 tensor."""

    @abc.abstractmethod
    def update(self, grads: TensorLike) -> tuple[Any, Any]:
        """Changes the scale after a step.

        Args: grads: The gradients, divided by the scale already.
        Returns: The operation that changes the scale, and whether the step is to be made.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal scale."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Makes a scale of the result of `get_config`."""
        return cls(**config)

    @property
    def own_variables(self) -> list[Any]:
        """The variables that hold the scale."""
        return []


@export(
    v1=[
        "mixed_precision.FixedLossScale",
        "mixed_precision.experimental.FixedLossScale",
        "train.experimental.FixedLossScale",
    ]
)
class FixedLossScale(LossScale):
    """A loss scale that stays.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(128.0)().numpy()
    np.float32(128.0)

    Args: loss_scale_value: The scale; at least 1.
    Raises: ValueError: if it is not a number, or smaller.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._value = float(loss_scale_value)

    def __call__(self) -> Any:
        """Returns the scale, a scalar float32 tensor."""
        return convert_to_tensor(self._value, dtype=float32)

    def update(self, grads: TensorLike) -> tuple[Any, bool]:
        """Changes nothing: every step is to be made.

        Args: grads: The gradients.
        """
        del grads
        return no_op(), True

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal scale."""
        return {"loss_scale_value": self._value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"


@export(
    v1=[
        "mixed_precision.DynamicLossScale",
        "mixed_precision.experimental.DynamicLossScale",
        "train.experimental.DynamicLossScale",
    ]
)
class DynamicLossScale(LossScale):
    """A loss scale that grows while gradients are finite, and shrinks when they are not.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(initial_loss_scale=8.0, increment_period=2)
    >>> _, is_finite = scale.update([tf.constant(float("nan"))])
    >>> bool(is_finite), scale().numpy()
    (False, np.float32(4.0))

    Args:
      initial_loss_scale: The scale at the beginning.
      increment_period: After how many steps with finite gradients the scale grows.
      multiplier: By how much the scale grows and shrinks.
    """

    def __init__(
        self, initial_loss_scale: float = 2**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = VariableV1(
            self._initial_loss_scale, name="current_loss_scale", dtype=float32, trainable=False, use_resource=True
        )
        self._num_good_steps = VariableV1(0, name="good_steps", dtype=int64, trainable=False, use_resource=True)

    @property
    def initial_loss_scale(self) -> float:
        """The scale at the beginning."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps with finite gradients the scale grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """By how much the scale grows and shrinks."""
        return self._multiplier

    @property
    def own_variables(self) -> list[Any]:
        """The variables that hold the scale and the number of steps."""
        return [self._current_loss_scale, self._num_good_steps]

    def __call__(self) -> Any:
        """Returns the scale now, a scalar float32 tensor."""
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: TensorLike) -> tuple[Any, Any]:
        """Counts a step, and changes the scale where it is time.

        Args: grads: The gradients, divided by the scale already; None among them count for nothing.
        Returns: The operation (None in eager mode), and whether all gradients are finite: a scalar bool tensor.
        """
        is_finite = _all_finite(nest.flatten(grads))
        changed = cond(is_finite, self._count_good_step, self._shrink)
        return (changed.op if state.graph is not None else None), is_finite

    def _count_good_step(self) -> Any:
        is_time = self._num_good_steps + 1 >= self._increment_period
        return cond(is_time, self._grow, lambda: _finish(self._num_good_steps.assign_add(1, read_value=False)))

    def _grow(self) -> Any:
        larger = self._current_loss_scale * self._multiplier
        kept = raw.SelectV2(condition=raw.IsFinite(x=larger), t=larger, e=self._current_loss_scale.read_value())
        return self._set(kept)

    def _shrink(self) -> Any:
        return self._set(raw.Maximum(x=self._current_loss_scale / self._multiplier, y=1.0))

    def _set(self, scale: TensorLike) -> Any:
        return _finish(
            self._current_loss_scale.assign(scale, read_value=False), self._num_good_steps.assign(0, read_value=False)
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal scale."""
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }

    def __repr__(self) -> str:
        now = ""
        if state.graph is None:
            scale, count = self._current_loss_scale.numpy(), self._num_good_steps.numpy()
            now = f"current_loss_scale={scale}, num_good_steps={count}, "
        return (
            f"DynamicLossScale({now}initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )


def _finish(*operations: object) -> Any:
    """Returns a tensor that is there once operations have run: what a branch must return."""
    if state.graph is None:
        return constant(True)
    with state.graph.control_dependencies([operation for operation in operations if operation is not None]):
        return raw.Identity(input=constant(True))


def _all_finite(gradients: Iterable[Any]) -> Any:
    """Returns whether all elements of all gradients are finite, as a scalar bool tensor."""
    parts = [
        raw.All(input=raw.IsFinite(x=_dense(gradient)), axis=list(range(_dense(gradient).shape.rank or 0)))
        for gradient in gradients
        if gradient is not None
    ]
    return raw.All(input=raw.Pack(values=parts), axis=[0]) if parts else constant(True)


def _dense(gradient: object) -> Any:
    return gradient_values(gradient)


@export(v1=["mixed_precision.MixedPrecisionLossScaleOptimizer", "train.experimental.MixedPrecisionLossScaleOptimizer"])
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer that multiplies the loss by a scale and divides the gradients by the scale.

    A step whose gradients are not finite is left out.

    Args:
      opt: The optimizer that makes the steps.
      loss_scale: The scale: a `LossScale`, a number, or "dynamic".

    Raises: ValueError: if `opt` is not an optimizer.
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        self._loss_scale = _loss_scale(loss_scale)
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    def compute_gradients(
        self,
        loss: object,
        var_list: object = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: object = None,
    ) -> list[tuple[Any, Any]]:
        """Returns the gradients of a loss, which is multiplied by the scale before.

        Args: loss: As all arguments, see `tf.compat.v1.train.Optimizer.compute_gradients`.
        """
        pairs = self._optimizer.compute_gradients(
            self._scale(loss), var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        factor = 1.0 / self._loss_scale()
        return [(_multiply(gradient, factor), variable) for gradient, variable in pairs]

    def _scale(self, loss: object) -> Any:
        if callable(loss):
            return lambda: _multiply(loss(), self._loss_scale())
        return _multiply(loss, self._loss_scale())

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: object = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Makes a step if all gradients are finite, and changes the scale.

        Args: grads_and_vars: As all arguments, see `tf.compat.v1.train.Optimizer.apply_gradients`.
        Returns: The operation; None in eager mode.
        """
        pairs = list(grads_and_vars)
        update, is_finite = self._loss_scale.update([gradient for gradient, _ in pairs])
        if is_finite is True:
            return self._optimizer.apply_gradients(pairs, global_step, name)
        self._optimizer._create_slots([variable for gradient, variable in pairs if gradient is not None])

        def step() -> Any:
            return _finish(self._optimizer.apply_gradients(pairs, global_step, name))

        made = cond(is_finite, step, lambda: constant(False))
        if state.graph is None:
            return None
        return group(made, *[update] if update is not None else [], name=name or self._optimizer.get_name())

    def variables(self) -> list[Any]:
        """Returns the variables of the scale and of the optimizer."""
        return [*self._loss_scale.own_variables, *self._optimizer.variables()]

    def get_slot_names(self) -> list[str]:
        """Returns the names of the optimizer's slots."""
        return self._optimizer.get_slot_names()

    def get_slot(self, var: TensorLike, name: str) -> Any:
        """Returns a slot of the optimizer.

        Args:
          var: The variable.
          name: The name of the slot.
        """
        return self._optimizer.get_slot(var, name)


def _loss_scale(scale: Any) -> LossScale:
    if isinstance(scale, LossScale):
        return scale
    return DynamicLossScale() if scale == "dynamic" else FixedLossScale(scale)


def _multiply(value: Any, factor: Any) -> Any:
    """Returns a loss or gradient, multiplied in its own dtype."""
    if value is None:
        return None
    if isinstance(value, IndexedSlices):
        return IndexedSlices(_multiply(value.values, factor), value.indices, value.dense_shape)
    tensor = convert_to_tensor(value)
    return tensor * (factor if tensor.dtype is factor.dtype else raw.Cast(x=factor, DstT=tensor.dtype))


@export(
    v1=[
        "mixed_precision.enable_mixed_precision_graph_rewrite",
        "train.experimental.enable_mixed_precision_graph_rewrite",
    ]
)
def enable_mixed_precision_graph_rewrite(opt: Optimizer, loss_scale: TensorLike = "dynamic") -> Optimizer:
    """Returns an optimizer with a loss scale.

    TensorFlow also computes parts of later graphs in 16-bit floats on GPUs that are fast at those. Here graphs compute
    in the dtypes that they state.

    Args:
      opt: The optimizer.
      loss_scale: As in `tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer`.

    Raises: ValueError: if the optimizer has a loss scale already.
    """
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(
            '"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with one."
        )
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


@export(
    v1=[
        "mixed_precision.disable_mixed_precision_graph_rewrite",
        "train.experimental.disable_mixed_precision_graph_rewrite",
    ]
)
def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing: graphs always compute in the dtypes that they state.

    >>> tf.compat.v1.train.experimental.disable_mixed_precision_graph_rewrite()
    """
