"""Initializers: objects that make the first value of a variable when its shape and dtype are known.

An initializer that draws is given its seed once. With a seed the initializer is a pure function, so that two variables
of one shape start equal. Without a seed the initializer continues the streams that `tf.random.set_seed` starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.dtypes import DType, as_dtype, float32
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.filling import ones, zeros
from millrace._src.ops.random.stateful import normal, uniform
from millrace._src.ops.random.stateless import stateless_normal, stateless_uniform
from millrace._src.util.export import export

_PARTITION = ["partition_shape", "partition_offset"]


class Initializer:
    """The common part of initializers: configurations, and the arguments for a part of a partitioned variable."""

    _takes_partitions = True

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Tensor:
        """Makes the value of a variable of this shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """Makes an initializer of the result of `get_config`."""
        config.pop("dtype", None)
        return cls(**config)

    def _shape(self, shape: ShapeLike, kwargs: dict[str, Any]) -> Any:
        """Returns the shape to fill, which is that of the part if only a part is wanted."""
        for name in kwargs:
            if name not in _PARTITION:
                raise TypeError(f"Keyword argument should be one of {_PARTITION}. Received: {name}")
            if not self._takes_partitions:
                raise ValueError(f"{type(self).__name__} initializer doesn't support partition-related arguments")
        return kwargs.get("partition_shape", shape)


def _numeric_or_bool(dtype: DTypeLike) -> DType:
    result: DType = as_dtype(dtype)
    if not result.is_numpy_compatible or result.name == "string":
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {result!s}.")
    return result


@export("zeros_initializer", v1=[])
class Zeros(Initializer):
    """Makes zeros.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Makes zeros of this shape and dtype."""
        value: Tensor = zeros(self._shape(shape, kwargs), _numeric_or_bool(dtype))
        return value


@export("ones_initializer", v1=[])
class Ones(Initializer):
    """Makes ones.

    >>> tf.ones_initializer()([2], dtype=tf.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Makes ones of this shape and dtype."""
        value: Tensor = ones(self._shape(shape, kwargs), _numeric_or_bool(dtype))
        return value


@export("constant_initializer", v1=[])
class Constant(Initializer):
    """Makes a given value.

    >>> tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)

    Args:
        value: A number, a list or an array. One value fills any shape; several values must be as many as the elements.
        support_partition: Whether the parts of a partitioned variable may be made.
    """

    def __init__(self, value: object = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of "
                "values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = self._takes_partitions = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """Makes the value in this shape, in its own dtype if `dtype` is None."""
        value: Tensor = constant(self.value, None if dtype is None else as_dtype(dtype), self._shape(shape, kwargs))
        return value

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal initializer."""
        return {"value": self.value}


@export("random_uniform_initializer", v1=[])
class RandomUniform(Initializer):
    """Draws from a uniform distribution.

    >>> tf.random_uniform_initializer(seed=3)([2]).numpy()
    array([-0.03040872,  0.04393453], dtype=float32)

    Args:
        minval: Lower bound, included.
        maxval: Upper bound, excluded.
        seed: An integer, or None to continue the global streams.
    """

    def __init__(self, minval: object = -0.05, maxval: object = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Draws uniform numbers of this shape and floating or integer dtype."""
        dtype = as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype!s}.")
        shape = self._shape(shape, kwargs)
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, dtype)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal initializer."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


@export("random_normal_initializer", v1=[])
class RandomNormal(Initializer):
    """Draws from a normal distribution.

    >>> tf.random_normal_initializer(seed=3)([2]).numpy()
    array([-0.03357924,  0.08380252], dtype=float32)

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: An integer, or None to continue the global streams.
    """

    def __init__(self, mean: object = 0.0, stddev: object = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Draws normal numbers of this shape and floating dtype."""
        dtype = as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype!s}.")
        shape = self._shape(shape, kwargs)
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, dtype)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of which `from_config` makes an equal initializer."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
