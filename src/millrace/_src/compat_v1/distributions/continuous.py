"""Distributions over the real line: normal, uniform, Laplace, Student's t.

Tests: tests/oracle/programs/v1_distributions.py, tests/compat_v1/distributions/test_distributions.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.compat_v1.debugging.assertions import assert_less
from millrace._src.compat_v1.distributions import parameters as p
from millrace._src.compat_v1.distributions.distribution import FULLY_REPARAMETERIZED, Distribution, derive_seed
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.random.stateful import gamma, normal, uniform
from millrace._src.util.export import export


class _LocationScale(Distribution):
    """A distribution with a location and a scale."""

    def _set(self, loc: Any, scale: object, arguments: dict[str, Any]) -> None:
        self._loc, self._scale = loc, p.positive(scale, arguments["validate_args"])
        super().__init__(
            loc.dtype,
            FULLY_REPARAMETERIZED,
            arguments["validate_args"],
            arguments["allow_nan_stats"],
            arguments,
            name=arguments["name"],
        )

    @property
    def loc(self) -> Any:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The width."""
        return self._scale

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"loc": sample_shape, "scale": sample_shape}

    def _batch_shape(self) -> Any:
        return p.static_shape(self._loc, self._scale)

    def _batch_shape_tensor(self) -> Any:
        return p.dynamic_shape(self._loc, self._scale)

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    def _mode(self) -> Any:
        return self._mean()


@export(v1=["distributions.Normal"])
class Normal(_LocationScale):
    """The normal distribution.

    >>> tf.compat.v1.distributions.Normal(0.0, 1.0).cdf([0.0, 1.0]).numpy()
    array([0.5      , 0.8413447], dtype=float32)

    Args:
      loc: The means.
      scale: The standard deviations.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        loc: object,
        scale: object,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        arguments = {
            "loc": loc,
            "scale": scale,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        loc, scale = p.common(loc, scale)
        self._set(loc, scale, arguments)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        drawn = normal(p.rows(n, self._loc, self._scale), 0.0, 1.0, self.dtype, seed)
        return drawn * self._scale + self._loc

    def _log_prob(self, x: TensorLike) -> Any:
        return -0.5 * raw.Square(x=self._z(x)) - (0.5 * p.LOG_2_PI + raw.Log(x=self._scale))

    def _cdf(self, x: TensorLike) -> Any:
        return 0.5 * raw.Erfc(x=-self._z(x) / p.SQRT_2)

    def _log_cdf(self, x: TensorLike) -> Any:
        return _log_normal_cdf(self._z(x))

    def _log_survival_function(self, x: TensorLike) -> Any:
        return _log_normal_cdf(-self._z(x))

    def _quantile(self, value: TensorLike) -> Any:
        return raw.Ndtri(x=value) * self._scale + self._loc

    def _entropy(self) -> Any:
        return (0.5 + 0.5 * p.LOG_2_PI + raw.Log(x=self._scale)) * ones_like(self._loc)

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)


def _log_normal_cdf(z: Any) -> Any:
    """Returns the logarithm of the normal distribution function, by its asymptotic series far below 0."""
    far = -10.0 if z.dtype.size <= 4 else -20.0
    near = raw.Maximum(x=z, y=far)
    lower = raw.Log(x=0.5 * raw.Erfc(x=-near / p.SQRT_2))
    upper = raw.Log1p(x=-0.5 * raw.Erfc(x=near / p.SQRT_2))
    low = raw.Minimum(x=z, y=far)
    square = raw.Square(x=low)
    series = 1.0 - 1.0 / square + 3.0 / raw.Square(x=square) - 15.0 / (square * raw.Square(x=square))
    tail = -0.5 * square - raw.Log(x=-low) - 0.5 * p.LOG_2_PI + raw.Log(x=series)
    return where(z < far, tail, where(z > 0.0, upper, lower))


@export(v1=["distributions.Laplace"])
class Laplace(_LocationScale):
    """The Laplace distribution: exponential to both sides.

    >>> tf.compat.v1.distributions.Laplace(0.0, 1.0).prob([0.0]).numpy()
    array([0.5], dtype=float32)

    Args:
      loc: The locations of the peaks.
      scale: The means of the distances from the peaks.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        loc: object,
        scale: object,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        arguments = {
            "loc": loc,
            "scale": scale,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        loc, scale = p.common(loc, scale)
        self._set(loc, scale, arguments)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        least = np.nextafter(self.dtype.np_dtype.type(-1.0), self.dtype.np_dtype.type(0.0))
        drawn = uniform(p.rows(n, self._loc, self._scale), least, 1.0, self.dtype, seed)
        return self._loc - self._scale * raw.Sign(x=drawn) * raw.Log1p(x=-raw.Abs(x=drawn))

    def _log_prob(self, x: TensorLike) -> Any:
        return -raw.Abs(x=self._z(x)) - p.LOG_2 - raw.Log(x=self._scale)

    def _log_cdf(self, x: TensorLike) -> Any:
        return _log_laplace_cdf(self._z(x))

    def _log_survival_function(self, x: TensorLike) -> Any:
        return _log_laplace_cdf(-self._z(x))

    def _cdf(self, x: TensorLike) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * raw.Sign(x=z) * (1.0 - raw.Exp(x=-raw.Abs(x=z)))

    def _entropy(self) -> Any:
        return p.LOG_2 + 1.0 + raw.Log(x=self._scale) + zeros_like(self._loc)

    def _stddev(self) -> Any:
        return p.SQRT_2 * self._scale * ones_like(self._loc)


def _log_laplace_cdf(z: Any) -> Any:
    lower = z - p.LOG_2
    upper = raw.Log1p(x=-0.5 * raw.Exp(x=-raw.Abs(x=z)))
    return where(z < 0.0, lower, upper)


@export(v1=["distributions.StudentT"])
class StudentT(_LocationScale):
    """Student's t distribution.

    >>> tf.compat.v1.distributions.StudentT(3.0, 0.0, 1.0).variance().numpy()
    np.float32(3.0)

    Args:
      df: The degrees of freedom.
      loc: The locations.
      scale: The widths.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        df: object,
        loc: object,
        scale: object,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        arguments = {
            "df": df,
            "loc": loc,
            "scale": scale,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        degrees, loc, scale = p.common(df, loc, scale)
        self._df = p.positive(degrees, validate_args)
        self._set(loc, scale, arguments)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"df": sample_shape, **super()._param_shapes(sample_shape)}

    def _batch_shape(self) -> Any:
        return p.static_shape(self._df, self._loc, self._scale)

    def _batch_shape_tensor(self) -> Any:
        return p.dynamic_shape(self._df, self._loc, self._scale)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        drawn = normal(p.rows(n, self._df, self._loc, self._scale), 0.0, 1.0, self.dtype, seed)
        degrees = self._df * raw.BroadcastTo(input=ones_like(self._df), shape=self.batch_shape_tensor())
        second = derive_seed(seed, salt="student_t")
        squares = gamma(raw.Pack(values=[n]), 0.5 * degrees, 0.5, self.dtype, second)
        return drawn * raw.Rsqrt(x=squares / degrees) * self._scale + self._loc

    def _log_prob(self, x: TensorLike) -> Any:
        kernel = -0.5 * (self._df + 1.0) * raw.Log1p(x=raw.Square(x=self._z(x)) / self._df)
        norm = (
            raw.Log(x=raw.Abs(x=self._scale))
            + 0.5 * raw.Log(x=self._df)
            + 0.5 * math.log(math.pi)
            + raw.Lgamma(x=0.5 * self._df)
            - raw.Lgamma(x=0.5 * (self._df + 1.0))
        )
        return kernel - norm

    def _cdf(self, x: object) -> Any:
        z = (x - self._loc) / raw.Abs(x=self._scale)
        degrees = self._df + zeros_like(z)
        part = degrees / (raw.Square(x=z) + degrees)
        half = 0.5 * raw.Betainc(a=0.5 * degrees, b=0.5 * ones_like(part), x=part)
        return where(z < 0.0, half, 1.0 - half)

    def _entropy(self) -> Any:
        half, more = 0.5 * self._df, 0.5 * (self._df + 1.0)
        spread = more * (raw.Digamma(x=more) - raw.Digamma(x=half))
        norm = 0.5 * raw.Log(x=self._df) + p.log_beta(half, 0.5 * ones_like(half))
        everywhere = raw.BroadcastTo(input=ones_like(self._scale), shape=self.batch_shape_tensor())
        return raw.Log(x=raw.Abs(x=self._scale)) * everywhere + norm + spread

    def _mean(self) -> Any:
        mean = self._loc * raw.BroadcastTo(input=ones_like(self._loc), shape=self.batch_shape_tensor())
        message = "mean not defined for components of self.df <= 1"
        is_defined = self._df > ones_like(self._df)
        return p.nan_unless(is_defined, mean, self.allow_nan_stats, 1.0, self._df, message)

    def _variance(self) -> Any:
        is_finite = self._df > 2.0
        degrees = where(is_finite, self._df - 2.0, ones_like(self._df))
        finite = raw.Square(x=self._scale) * self._df / degrees
        infinite = p.full_of(shape_of(finite), math.inf, self.dtype)
        variance = where(is_finite, finite, infinite)
        message = "variance not defined for components of self.df <= 1"
        return p.nan_unless(self._df > 1.0, variance, self.allow_nan_stats, 1.0, self._df, message)

    def _mode(self) -> Any:
        return raw.Identity(input=self._loc)


@export(v1=["distributions.Uniform"])
class Uniform(Distribution):
    """The uniform distribution between two numbers.

    >>> tf.compat.v1.distributions.Uniform(0.0, 4.0).prob([1.0, 5.0]).numpy()
    array([0.25, 0.  ], dtype=float32)

    Args:
      low: The lower bounds, included.
      high: The upper bounds, excluded.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        low: object = 0.0,
        high: object = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        arguments = {
            "low": low,
            "high": high,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        self._low, self._high = p.common(low, high)
        if validate_args:
            message = "uniform not defined when low >= high."
            self._low = p.after(self._low, assert_less(self._low, self._high, message=message))
        super().__init__(self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)

    @property
    def low(self) -> Any:
        """The lower bounds."""
        return self._low

    @property
    def high(self) -> Any:
        """The upper bounds."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """Returns the differences of the bounds."""
        return raw.Sub(x=self._high, y=self._low, name=name)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"low": sample_shape, "high": sample_shape}

    def _batch_shape(self) -> Any:
        return p.static_shape(self._low, self._high)

    def _batch_shape_tensor(self) -> Any:
        return p.dynamic_shape(self._low, self._high)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        drawn = uniform(p.rows(n, self._low, self._high), 0, None, self.dtype, seed)
        return self._low + self.range() * drawn

    def _prob(self, x: TensorLike) -> Any:
        wide = x * ones_like(self._low) * ones_like(self._high)
        is_outside = raw.LogicalOr(x=wide < self._low, y=wide >= self._high)
        inside = ones_like(wide) / self.range()
        return where(raw.IsNan(x=wide), wide, where(is_outside, zeros_like(wide), inside))

    def _cdf(self, x: TensorLike) -> Any:
        wide = x * ones_like(self._low) * ones_like(self._high)
        part = (wide - self._low) / self.range()
        return where(wide < self._low, zeros_like(wide), where(wide >= self._high, ones_like(wide), part))

    def _entropy(self) -> Any:
        return raw.Log(x=self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return raw.Square(x=self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
