"""Learning rates that fall with the steps of a training.

In a graph each function returns a tensor, which follows the global step from run to run. In eager mode each returns a
function without arguments that computes the rate now: optimizers take such functions.

All are formulas of the step `s` and the number of steps `n`; the docstrings state the formulas.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.control_flow.case import case
from millrace._src.control_flow.cond import cond
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32, int64
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.math.casting import cast
from millrace._src.ops.random.stateful import normal
from millrace._src.util.export import export


def _now_or_later(compute: Callable[..., Any]) -> Any:
    """Returns a rate: in a graph the tensor, in eager mode the function that computes the tensor."""
    return functools.partial(compute) if context.executing_eagerly() else compute()


class _Formula:
    """The numbers of a formula: the rate at the beginning, and others in its dtype.

    Args:
      learning_rate: The rate at the beginning, which decides the dtype.
      global_step: The step.
    """

    def __init__(self, learning_rate: Any, global_step: Any) -> None:
        self.rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        self._step = global_step

    def number(self, value: Any) -> Any:
        """Returns a number in the dtype of the rate."""
        return cast(value, self.rate.dtype)

    @property
    def step(self) -> Any:
        """The step in the dtype of the rate."""
        return cast(self._step, self.rate.dtype)


@export(v1=["train.exponential_decay"])
def exponential_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns `learning_rate * decay_rate ** (s / n)`.

    >>> rate = tf.compat.v1.train.exponential_decay(0.5, tf.Variable(20), decay_steps=10, decay_rate=0.5)
    >>> rate().numpy()
    np.float32(0.125)

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable.
      decay_steps: The number of steps n.
      decay_rate: What the rate is multiplied by in n steps.
      staircase: Whether the rate falls every n steps only.
      name: The name of the operations; default "ExponentialDecay".

    Returns: A scalar tensor in a graph; a function that computes the tensor in eager mode.
    """

    def compute() -> Any:
        with context.name_scope(name, "ExponentialDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            count, factor = formula.number(decay_steps), formula.number(decay_rate)
            share = _share(formula, count, staircase)
            return raw.Mul(x=formula.rate, y=raw.Pow(x=factor, y=share), name=scope)

    return _now_or_later(compute)


def _share(formula: _Formula, count: object, staircase: bool) -> Any:
    share = formula.step / count
    return raw.Floor(x=share) if staircase else share


@export(v1=["train.natural_exp_decay"])
def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns `learning_rate * exp(-decay_rate * s / n)`.

    Args: learning_rate: As all arguments, see `tf.compat.v1.train.exponential_decay`.
    Returns: As `tf.compat.v1.train.exponential_decay`.
    """
    factor = raw.Exp(x=raw.Neg(x=decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


@export(v1=["train.inverse_time_decay"])
def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns `learning_rate / (1 + decay_rate * s / n)`.

    Args: learning_rate: As all arguments, see `tf.compat.v1.train.exponential_decay`.
    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "InverseTimeDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            count, factor = formula.number(decay_steps), formula.number(decay_rate)
            share = _share(formula, count, staircase)
            one = cast(constant(1), formula.rate.dtype)
            divisor = raw.AddV2(x=one, y=raw.Mul(x=factor, y=share), name="Add")
            return raw.RealDiv(x=formula.rate, y=divisor, name=scope)

    return _now_or_later(compute)


@export(v1=["train.polynomial_decay"])
def polynomial_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Returns `(learning_rate - end_learning_rate) * (1 - s / n) ** power + end_learning_rate`.

    >>> rate = tf.compat.v1.train.polynomial_decay(1.0, tf.Variable(5), decay_steps=10, end_learning_rate=0.5)
    >>> rate().numpy()
    np.float32(0.75)

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable.
      decay_steps: The number of steps n.
      end_learning_rate: The rate at the end.
      power: The power.
      cycle: Whether the rate goes up again after n steps, and then falls for as many steps more; else the rate stays.
      name: The name of the operations; default "PolynomialDecay".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "PolynomialDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            end, exponent, step = formula.number(end_learning_rate), formula.number(power), formula.step
            count = formula.number(decay_steps)
            if cycle:
                rounds = raw.SelectV2(condition=raw.Equal(x=step, y=0.0), t=1.0, e=raw.Ceil(x=step / decay_steps))
                count = raw.Mul(x=count, y=rounds)
            else:
                step = raw.Minimum(x=step, y=count)
            share = step / count
            scaled = raw.Mul(x=formula.rate - end, y=raw.Pow(x=1 - share, y=exponent))
            return raw.AddV2(x=scaled, y=end, name=scope)

    return _now_or_later(compute)


@export(v1=["train.cosine_decay"])
def cosine_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Returns `learning_rate * ((1 - alpha) * 0.5 * (1 + cos(pi * s / n)) + alpha)`, with s at most n.

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable.
      decay_steps: The number of steps n.
      alpha: The rate at the end, as a share of that at the beginning.
      name: The name of the operations; default "CosineDecay".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "CosineDecay"):
            formula = _Formula(learning_rate, global_step)
            count = formula.number(decay_steps)
            share = raw.Minimum(x=formula.step, y=count) / count
            wave = 0.5 * (1.0 + raw.Cos(x=constant(math.pi, dtype=formula.rate.dtype) * share))
            return raw.Mul(x=formula.rate, y=(1 - alpha) * wave + alpha)

    return _now_or_later(compute)


@export(v1=["train.cosine_decay_restarts"])
def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: object,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Any:
    """Returns a rate that falls as `tf.compat.v1.train.cosine_decay`, and begins again when it is at the end.

    The method is SGDR, by Loshchilov and Hutter (arXiv:1608.03983).

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable.
      first_decay_steps: The number of steps of the first fall.
      t_mul: What the number of steps is multiplied by from fall to fall.
      m_mul: What the rate is multiplied by from fall to fall.
      alpha: The rate at the end, as a share of that at the beginning.
      name: The name of the operations; default "SGDRDecay".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "SGDRDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            first, least = formula.number(first_decay_steps), formula.number(alpha)
            longer, lower = formula.number(t_mul), formula.number(m_mul)
            done = formula.step / first
            restarts, share = cond(
                raw.Equal(x=longer, y=1.0), lambda: _equal_falls(done), lambda: _longer_falls(done, longer)
            )
            height = lower**restarts
            wave = 0.5 * height * (1.0 + raw.Cos(x=constant(math.pi, dtype=formula.rate.dtype) * share))
            return raw.Mul(x=formula.rate, y=(1 - least) * wave + least, name=scope)

    return _now_or_later(compute)


def _equal_falls(done: object) -> tuple[Any, Any]:
    """Returns the number of restarts, and the share of the present fall that is done, if all are equally long."""
    restarts = raw.Floor(x=done)
    return restarts, done - restarts


def _longer_falls(done: Any, longer: Any) -> tuple[Any, Any]:
    """Returns the number of restarts, and the share of the present fall that is done, if each is longer by a factor."""
    restarts = raw.Floor(x=raw.Log(x=1.0 - done * (1.0 - longer)) / raw.Log(x=longer))
    before = (1.0 - longer**restarts) / (1.0 - longer)
    return restarts, (done - before) / longer**restarts


@export(v1=["train.linear_cosine_decay"])
def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Any:
    """Returns `learning_rate * ((alpha + (n - s) / n) * 0.5 * (1 + cos(2 * pi * num_periods * s / n)) + beta)`.

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable; at most n counts.
      decay_steps: The number of steps n.
      num_periods: The number of waves.
      alpha: See the formula.
      beta: See the formula.
      name: The name of the operations; default "LinearCosineDecay".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "LinearCosineDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            count, periods = formula.number(decay_steps), formula.number(num_periods)
            shift, least = formula.number(alpha), formula.number(beta)
            step = raw.Minimum(x=formula.step, y=count)
            line = (count - step) / count
            wave = _wave(step / count, periods)
            return raw.Mul(x=formula.rate, y=(shift + line) * wave + least, name=scope)

    return _now_or_later(compute)


def _wave(share: Any, periods: Any) -> Any:
    """Returns how high a number of waves stands after a share of the steps: between 0 and 1."""
    return 0.5 * (1.0 + raw.Cos(x=constant(math.pi, dtype=share.dtype) * (2.0 * periods * share)))


@export(v1=["train.noisy_linear_cosine_decay"])
def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: object,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Any:
    """Returns the rate of `tf.compat.v1.train.linear_cosine_decay` with noise of falling variance in the linear part.

    Args:
      learning_rate: The rate at the beginning: a number or tensor.
      global_step: The step: a number, tensor or variable; at most n counts.
      decay_steps: The number of steps n.
      initial_variance: The variance of the noise at the beginning.
      variance_decay: The variance is divided by `(1 + s) ** variance_decay`.
      num_periods: The number of waves.
      alpha: As in `tf.compat.v1.train.linear_cosine_decay`.
      beta: As in `tf.compat.v1.train.linear_cosine_decay`.
      name: The name of the operations; default "NoisyLinearCosineDecay".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        with context.name_scope(name, "NoisyLinearCosineDecay") as scope:
            formula = _Formula(learning_rate, global_step)
            count = formula.number(decay_steps)
            variance, fall = formula.number(initial_variance), formula.number(variance_decay)
            periods, shift, least = formula.number(num_periods), formula.number(alpha), formula.number(beta)
            step = raw.Minimum(x=formula.step, y=count)
            line = (count - step) / count
            deviation = raw.Sqrt(x=variance / raw.Pow(x=1.0 + step, y=fall))
            line = line + normal(line.shape, stddev=deviation, dtype=line.dtype)
            wave = _wave(step / count, periods)
            return raw.Mul(x=formula.rate, y=(shift + line) * wave + least, name=scope)

    return _now_or_later(compute)


@export(v1=["train.piecewise_constant", "train.piecewise_constant_decay"])
def piecewise_constant(x: TensorLike, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Any:
    """Returns one of several values: the first up to the first boundary, the second up to the second, and so on.

    >>> rate = tf.compat.v1.train.piecewise_constant(tf.Variable(5), boundaries=[3, 6], values=[1.0, 0.5, 0.1])
    >>> rate().numpy()
    np.float32(0.5)

    Args:
      x: The step: a number, tensor or variable.
      boundaries: Numbers of the step's dtype, rising; integers also where the step is of a wider integer dtype.
      values: One value more than boundaries, all of one dtype.
      name: The name of the operations; default "PiecewiseConstant".

    Returns: As `tf.compat.v1.train.exponential_decay`.
    Raises: ValueError: if numbers or dtypes do not fit.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute() -> Any:
        limits = [convert_to_tensor(boundary) for boundary in boundaries]
        choices = [convert_to_tensor(value) for value in values]
        step = convert_to_tensor(x)
        limits = [_comparable(limit, step.dtype) for limit in limits]
        for choice in choices[1:]:
            if choice.dtype is not choices[0].dtype:
                raise ValueError(
                    f"Values must have elements all with the same dtype ({choices[0].dtype} vs {choice.dtype})."
                )
        with context.name_scope(name, "PiecewiseConstant"):
            if not limits:
                return choices[0]
            pairs = [(step <= limits[0], lambda: choices[0]), (step > limits[-1], lambda: choices[-1])]
            for lower, upper, value in zip(limits[:-1], limits[1:], choices[1:-1], strict=True):
                is_between = raw.LogicalAnd(x=step > lower, y=step <= upper, name="and")
                pairs.append((is_between, functools.partial(_same, value)))
            return case(pairs, default=lambda: choices[0], exclusive=True)

    return _now_or_later(compute)


def _same(value: object) -> Any:
    return value


def _comparable(limit: Any, dtype: DType) -> Any:
    """Returns a boundary in the dtype of the step.

    Raises: ValueError: if the boundary could not be compared otherwise.
    """
    if limit.dtype is dtype:
        return limit
    if limit.dtype is int32 and dtype is int64:
        return raw.Cast(x=limit, DstT=dtype)
    raise ValueError(f"Boundaries ({limit.dtype}) must have the same dtype as x ({dtype}).")
