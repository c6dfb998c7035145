"""Initializers of version 1: objects that make the first value of a variable, in a dtype that they know themselves.

An initializer of version 1 has a dtype of its own, draws anew at each call, and may be told which part of a partitioned
variable it makes. The values are those of the random functions of the same name under the same seed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.compat_v1.array.constants import constant_v1
from millrace._src.compat_v1.variables.sizes import known_sizes
from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.dtypes import DType, as_dtype, float32
from millrace._src.core.shapes import as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.static_values import get_static_value
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones, zeros
from millrace._src.ops.array.one_hot import eye
from millrace._src.ops.array.transposing import matrix_transpose
from millrace._src.ops.random.stateful import normal, truncated_normal, uniform
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_HOME = "python.ops.init_ops"
_CUT_NORMAL_DEVIATION = 0.87962566103423978
"""The standard deviation of a standard normal distribution that is cut off at -2 and 2."""


def _floating(dtype: DTypeLike) -> DType:
    """Returns a dtype that has fractions.

    Raises: ValueError: for another dtype.
    """
    result: DType = as_dtype(dtype)
    if not result.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {result}.")
    return result


@tensorflow_home(_HOME)
class Initializer:
    """The common part of initializers: configurations, and the dtype."""

    _arguments: tuple[str, ...] = ()
    """The arguments of the constructor besides the dtype, which are attributes too."""

    dtype: DType

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: object = None) -> Tensor:
        """Makes the value of a variable of this shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal initializer."""
        return {**{name: getattr(self, name) for name in self._arguments}, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """Makes an initializer of the result of `get_config`."""
        return cls(**config)

    def _dtype(self, dtype: DTypeLike) -> DType:
        """Returns the dtype of a call: its own, or that of the initializer."""
        return self.dtype if dtype is None else as_dtype(dtype)


@export(v1=["initializers.zeros", "zeros_initializer"])
@tensorflow_home(_HOME)
class Zeros(Initializer):
    """Makes zeros.

    >>> tf.compat.v1.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)

    Args: dtype: The dtype of calls that state none.
    """

    def __init__(self, dtype: object = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Makes zeros of this shape and dtype; of strings, empty ones."""
        value: Tensor = zeros(shape, self._dtype(dtype))
        return value


@export(v1=["initializers.ones", "ones_initializer"])
@tensorflow_home(_HOME)
class Ones(Initializer):
    """Makes ones.

    >>> tf.compat.v1.ones_initializer()([2], dtype=tf.int32).numpy()
    array([1, 1], dtype=int32)

    Args: dtype: The dtype of calls that state none.
    """

    def __init__(self, dtype: object = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Makes ones of this shape and dtype."""
        value: Tensor = ones(shape, self._dtype(dtype))
        return value


@export(v1=["initializers.constant", "constant_initializer"])
@tensorflow_home(_HOME)
class Constant(Initializer):
    """Makes a constant.

    >>> tf.compat.v1.constant_initializer([1, 2, 3, 4])([2, 2]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      value: A number, or a list or array whose elements fill the shape. In a graph the last element fills those
        that are missing.
      dtype: The dtype of calls that state none.
      verify_shape: Whether the value must have the shape already.

    Raises: TypeError: if the value is neither.
    """

    _arguments = ("value",)

    def __init__(self, value: Any = 0, dtype: object = float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, list "
                "or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: object = None, verify_shape: bool | None = None
    ) -> Tensor:
        """Makes the constant of this shape and dtype.

        Raises: TypeError: if the value does not fit the dtype, or the shape where it must.
        """
        verify = self._verify_shape if verify_shape is None else verify_shape
        value: Tensor = constant_v1(self.value, dtype=self._dtype(dtype), shape=shape, verify_shape=verify)
        return value


@export(v1=["initializers.random_uniform", "random_uniform_initializer"])
@tensorflow_home(_HOME)
class RandomUniform(Initializer):
    """Draws from a uniform distribution.

    Args:
      minval: The lower bound, included.
      maxval: The upper bound, excluded; default 1 for dtypes with fractions.
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none.
    """

    _arguments = ("minval", "maxval", "seed")

    def __init__(
        self, minval: object = 0.0, maxval: object = None, seed: int | None = None, dtype: object = float32
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Draws a value of this shape and dtype."""
        return uniform(shape, self.minval, self.maxval, self._dtype(dtype), seed=self.seed)


@export(v1=["initializers.random_normal", "random_normal_initializer"])
@tensorflow_home(_HOME)
class RandomNormal(Initializer):
    """Draws from a normal distribution.

    Args:
      mean: The mean.
      stddev: The standard deviation.
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another dtype.
    """

    _arguments = ("mean", "stddev", "seed")

    def __init__(self, mean: object = 0.0, stddev: object = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Draws a value of this shape and dtype."""
        return normal(shape, self.mean, self.stddev, self._dtype(dtype), seed=self.seed)


@export(v1=["initializers.truncated_normal", "truncated_normal_initializer"])
@tensorflow_home(_HOME)
class TruncatedNormal(Initializer):
    """Draws from a normal distribution that is cut off at two standard deviations from the mean.

    Args:
      mean: The mean.
      stddev: The standard deviation, before the ends are cut off.
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another dtype.
    """

    _arguments = ("mean", "stddev", "seed")

    def __init__(self, mean: object = 0.0, stddev: object = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Draws a value of this shape and dtype."""
        return truncated_normal(shape, self.mean, self.stddev, self._dtype(dtype), seed=self.seed)


@export(v1=["initializers.uniform_unit_scaling", "uniform_unit_scaling_initializer"])
@tensorflow_home(_HOME)
class UniformUnitScaling(Initializer):
    """Draws from a uniform distribution such that a linear layer keeps the variance of its input.

    The bounds are `+-factor * sqrt(3 / n)` for n inputs of a unit: the product of all dimensions but the last.

    Args:
      factor: What the bounds are multiplied by.
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another dtype.
    """

    _arguments = ("factor", "seed")

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.factor, self.seed = factor, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Draws a value of this shape and dtype; the bounds are those of the whole where only a part is made."""
        whole = _whole(shape, partition_info)
        inputs = max(math.prod(float(size) for size in whole[:-1]), 1.0)
        bound = math.sqrt(3 / inputs) * self.factor
        return uniform(shape, -bound, bound, self._dtype(dtype), seed=self.seed)


@export(v1=["initializers.variance_scaling", "variance_scaling_initializer"])
@tensorflow_home(_HOME)
class VarianceScaling(Initializer):
    """Draws from a distribution whose variance is `scale / n`, for n inputs, outputs, or the mean of both, of a unit.

    >>> tf.compat.v1.variance_scaling_initializer(scale=2.0)([3, 2]).shape
    TensorShape([3, 2])

    Args:
      scale: What the variance is multiplied by; positive.
      mode: "fan_in" for n inputs, "fan_out" for outputs, "fan_avg" for the mean.
      distribution: "uniform"; "truncated_normal" or "normal", cut off at two standard deviations;
        "untruncated_normal".
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another scale, mode, distribution or dtype.
    """

    _arguments: tuple[str, ...] = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in {"normal", "uniform", "truncated_normal", "untruncated_normal"}:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Draws a value of this shape and dtype; the variance is that of the whole where only a part is made."""
        dtype = self._dtype(dtype)
        variance = self.scale / max(1.0, self._fan(_whole(shape, partition_info)))
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * variance)
            return uniform(shape, -bound, bound, dtype, seed=self.seed)
        deviation = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0.0, deviation, dtype, seed=self.seed)
        return truncated_normal(shape, 0.0, deviation / _CUT_NORMAL_DEVIATION, dtype, seed=self.seed)

    def _fan(self, shape: list[int]) -> float:
        """Returns the number that divides the variance."""
        fan_in, fan_out = fans(shape)
        return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]


@export(v1=["initializers.orthogonal", "orthogonal_initializer"])
@tensorflow_home(_HOME)
class Orthogonal(Initializer):
    """Draws an orthogonal matrix; of more dimensions, a matrix of all but the last by the last, reshaped.

    >>> q = tf.compat.v1.orthogonal_initializer(seed=1)([3, 3])
    >>> np.allclose(tf.matmul(q, q, transpose_a=True), np.eye(3), atol=1e-5)
    True

    Args:
      gain: What the matrix is multiplied by.
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another dtype.
    """

    _arguments = ("gain", "seed")

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.gain, self.seed = gain, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Tensor:
        """Draws a value of this shape and dtype.

        Raises: ValueError: for fewer than two dimensions.
        """
        sizes = _sizes(shape)
        if len(sizes) < 2:
            raise ValueError(f"{_TWO_DIMENSIONS} Received shape={shape}")
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        drawn = normal((max(rows, columns), min(rows, columns)), dtype=self._dtype(dtype), seed=self.seed)
        q, r = raw.Qr(input=drawn, full_matrices=False)
        q = q * raw.Sign(x=raw.DiagPart(input=r))
        if rows < columns:
            q = matrix_transpose(q)
        value: Tensor = self.gain * raw.Reshape(tensor=q, shape=sizes)
        return value


@export(v1=["initializers.identity"])
@tensorflow_home(_HOME)
class Identity(Initializer):
    """Makes an identity matrix, of two dimensions only.

    >>> tf.compat.v1.initializers.identity(gain=2.0)([2, 2]).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)

    Args:
      gain: What the matrix is multiplied by.
      dtype: The dtype of calls that state none; one with fractions.

    Raises: ValueError: for another dtype.
    """

    _arguments = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain = gain
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Makes the matrix of this shape and dtype, or the part of it that is wanted.

        Raises: ValueError: for another number of dimensions.
        """
        whole = _whole(shape, partition_info)
        if len(whole) != 2:
            raise ValueError(f"{_TWO_DIMENSIONS} Received shape={shape}")
        matrix = eye(whole[0], whole[1], dtype=self._dtype(dtype))
        if partition_info is not None:
            matrix = raw.Slice(input=matrix, begin=partition_info.var_offset, size=_sizes(shape))
        value: Tensor = self.gain * matrix
        return value


@export(v1=["initializers.glorot_uniform", "glorot_uniform_initializer"])
@tensorflow_home(_HOME)
class GlorotUniform(VarianceScaling):
    """Draws from a uniform distribution of the variance `2 / (inputs + outputs)` of a unit: `get_variable`'s default.

    Args:
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.
    """

    _arguments = ("seed",)

    def __init__(self, seed: int | None = None, dtype: object = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


@export(v1=["initializers.glorot_normal", "glorot_normal_initializer"])
@tensorflow_home(_HOME)
class GlorotNormal(VarianceScaling):
    """Draws from a normal distribution of the variance `2 / (inputs + outputs)` of a unit, cut off at two deviations.

    Args:
      seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
      dtype: The dtype of calls that state none; one with fractions.
    """

    _arguments = ("seed",)

    def __init__(self, seed: int | None = None, dtype: object = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


@export(v1=["initializers.lecun_normal"])
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that draws from a cut-off normal distribution of the variance `1 / inputs` of a unit.

    Args: seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


@export(v1=["initializers.lecun_uniform"])
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that draws from a uniform distribution of the variance `1 / inputs` of a unit.

    Args: seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


@export(v1=["initializers.he_normal"])
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that draws from a cut-off normal distribution of the variance `2 / inputs` of a unit.

    Args: seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


@export(v1=["initializers.he_uniform"])
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer that draws from a uniform distribution of the variance `2 / inputs` of a unit.

    Args: seed: The seed of the operation; see `tf.compat.v1.set_random_seed`.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


_TWO_DIMENSIONS = "The tensor to initialize, specified by argument `shape` must be at least two-dimensional."


def _sizes(shape: ShapeLike) -> list[int]:
    """Returns a shape, which may be a tensor of a known value, as integers."""
    return known_sizes(as_shape(get_static_value(shape) if isinstance(shape, Tensor) else shape))


def _whole(shape: Any, partition_info: Any) -> list[int]:
    """Returns the shape of the variable of which a part of this shape is made."""
    return _sizes(shape) if partition_info is None else list(partition_info.full_shape)


def fans(shape: list[int]) -> tuple[float, float]:
    """Returns the numbers of inputs and outputs of a unit, for weights whose last two dimensions are channels."""
    if not shape:
        return 1.0, 1.0
    if len(shape) == 1:
        return float(shape[0]), float(shape[0])
    field = math.prod(shape[:-2])
    return float(shape[-2] * field), float(shape[-1] * field)
