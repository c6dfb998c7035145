"""Distributions over positive numbers and over proportions: gamma, exponential, beta, Dirichlet.

Tests: tests/oracle/programs/v1_distributions.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.compat_v1.distributions import parameters as p
from millrace._src.compat_v1.distributions.distribution import FULLY_REPARAMETERIZED, Distribution, derive_seed
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.reshaping import expand_dims
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_all, reduce_sum
from millrace._src.ops.math.special import lbeta
from millrace._src.ops.random.stateful import gamma, uniform
from millrace._src.util.export import export


@export(v1=["distributions.Gamma"])
class Gamma(Distribution):
    """The gamma distribution.

    >>> tf.compat.v1.distributions.Gamma(2.0, 4.0).mean().numpy()
    np.float32(0.5)

    Args:
      concentration: The shape parameters.
      rate: The inverse scales.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        arguments = {
            "concentration": concentration,
            "rate": rate,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        concentration, rate = p.common(concentration, rate)
        self._set(concentration, rate, arguments)

    def _set(self, concentration: TensorLike, rate: TensorLike, arguments: dict[str, Any]) -> None:
        is_checked = arguments["validate_args"]
        self._concentration, self._rate = p.positive(concentration, is_checked), p.positive(rate, is_checked)
        super().__init__(
            self._rate.dtype,
            FULLY_REPARAMETERIZED,
            is_checked,
            arguments["allow_nan_stats"],
            arguments,
            name=arguments["name"],
        )

    @property
    def concentration(self) -> Any:
        """The shape parameters."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The inverse scales."""
        return self._rate

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"concentration": sample_shape, "rate": sample_shape}

    def _batch_shape(self) -> Any:
        return p.static_shape(self._concentration, self._rate)

    def _batch_shape_tensor(self) -> Any:
        return p.dynamic_shape(self._concentration, self._rate)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        return gamma(raw.Pack(values=[n]), self._concentration, self._rate, self.dtype, seed)

    def _log_prob(self, x: TensorLike) -> Any:
        norm = raw.Lgamma(x=self._concentration) - self._concentration * raw.Log(x=self._rate)
        return raw.Xlogy(x=self._concentration - 1.0, y=x) - self._rate * x - norm

    def _cdf(self, x: TensorLike) -> Any:
        wide = x * ones_like(self._rate) * ones_like(self._concentration)
        return raw.Igamma(a=self._concentration * ones_like(wide), x=self._rate * wide)

    def _entropy(self) -> Any:
        c = self._concentration
        return c - raw.Log(x=self._rate) + raw.Lgamma(x=c) + (1.0 - c) * raw.Digamma(x=c)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / raw.Square(x=self._rate)

    def _stddev(self) -> Any:
        return raw.Sqrt(x=self._concentration) / self._rate

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / self._rate
        message = "mode not defined when any concentration <= 1"
        return p.nan_unless(self._concentration > 1.0, mode, self.allow_nan_stats, 1.0, self._concentration, message)


@export(v1=["distributions.Exponential"])
class Exponential(Gamma):
    """The exponential distribution.

    >>> tf.compat.v1.distributions.Exponential(2.0).mean().numpy()
    np.float32(0.5)

    Args:
      rate: The inverse scales.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        arguments = {"rate": rate, "validate_args": validate_args, "allow_nan_stats": allow_nan_stats, "name": name}
        (rate,) = p.common(rate)
        self._set(convert_to_tensor(1.0, dtype=rate.dtype), rate, arguments)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"rate": sample_shape}

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        return -raw.Log(x=uniform(p.rows(n, self._rate), tiny, 1.0, self.dtype, seed)) / self._rate


@export(v1=["distributions.Beta"])
class Beta(Distribution):
    """The beta distribution.

    >>> tf.compat.v1.distributions.Beta(1.0, 3.0).mean().numpy()
    np.float32(0.25)

    Args:
      concentration1: How strongly samples tend to 1.
      concentration0: How strongly samples tend to 0.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        concentration1: object = None,
        concentration0: object = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        arguments = {
            "concentration1": concentration1,
            "concentration0": concentration0,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        found = p.common(concentration1, concentration0)
        self._a, self._b = (p.positive(value, validate_args) for value in found)
        super().__init__(self._a.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)

    @property
    def concentration1(self) -> Any:
        """How strongly samples tend to 1."""
        return self._a

    @property
    def concentration0(self) -> Any:
        """How strongly samples tend to 0."""
        return self._b

    @property
    def total_concentration(self) -> Any:
        """The sum of both concentrations."""
        return self._a + self._b

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"concentration1": sample_shape, "concentration0": sample_shape}

    def _batch_shape(self) -> Any:
        return p.static_shape(self._a, self._b)

    def _batch_shape_tensor(self) -> Any:
        return p.dynamic_shape(self._a, self._b)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        wide = raw.BroadcastTo(input=ones_like(self.total_concentration), shape=self.batch_shape_tensor())
        shape = raw.Pack(values=[n])
        first = gamma(shape, self._a * wide, None, self.dtype, seed)
        second = gamma(shape, self._b * wide, None, self.dtype, derive_seed(seed, salt="beta"))
        return first / (first + second)

    def _log_prob(self, x: Any) -> Any:
        kernel = raw.Xlogy(x=self._a - 1.0, y=x) + (self._b - 1.0) * raw.Log1p(x=-x)
        return kernel - p.log_beta(self._a, self._b)

    def _cdf(self, x: TensorLike) -> Any:
        wide = x * ones_like(self.total_concentration)
        return raw.Betainc(a=self._a * ones_like(wide), b=self._b * ones_like(wide), x=wide)

    def _entropy(self) -> Any:
        a, b, total = self._a, self._b, self.total_concentration
        kernels = (a - 1.0) * raw.Digamma(x=a) + (b - 1.0) * raw.Digamma(x=b)
        return p.log_beta(a, b) - kernels + (total - 2.0) * raw.Digamma(x=total)

    def _mean(self) -> Any:
        return self._a / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        mode = (self._a - 1.0) / (self.total_concentration - 2.0)
        is_defined = raw.LogicalAnd(x=self._a > 1.0, y=self._b > 1.0)
        least = raw.Minimum(x=self._a, y=self._b)
        message = "Mode undefined for concentration1 <= 1 or concentration0 <= 1."
        return p.nan_unless(is_defined, mode, self.allow_nan_stats, 1.0, least, message)


@export(v1=["distributions.Dirichlet"])
class Dirichlet(Distribution):
    """The Dirichlet distribution over proportions of several parts.

    >>> tf.compat.v1.distributions.Dirichlet([1.0, 2.0, 1.0]).mean().numpy()
    array([0.25, 0.5 , 0.25], dtype=float32)

    Args:
      concentration: How strongly samples tend to each part, `[..., parts]`.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self, concentration: object, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Dirichlet"
    ) -> None:
        arguments = {
            "concentration": concentration,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        (found,) = p.common(concentration)
        self._concentration = p.positive(found, validate_args)
        super().__init__(found.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)

    @property
    def concentration(self) -> Any:
        """How strongly samples tend to each part."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sum of the concentrations of all parts."""
        return reduce_sum(self._concentration, -1)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"concentration": sample_shape}

    def _batch_shape(self) -> Any:
        return self._concentration.shape[:-1]

    def _event_shape(self) -> Any:
        return self._concentration.shape[-1:]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._concentration)[:-1]

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._concentration)[-1:]

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        drawn = gamma(raw.Pack(values=[n]), self._concentration, None, self.dtype, seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: TensorLike) -> Any:
        return reduce_sum(raw.Xlogy(x=self._concentration - 1.0, y=x), -1) - lbeta(self._concentration)

    def _entropy(self) -> Any:
        parts = cast(shape_of(self._concentration)[-1], self.dtype)
        total = self.total_concentration
        kernel = reduce_sum((self._concentration - 1.0) * raw.Digamma(x=self._concentration), -1)
        return lbeta(self._concentration) + (total - parts) * raw.Digamma(x=total) - kernel

    def _mean(self) -> Any:
        return self._concentration / expand_dims(self.total_concentration, -1)

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + expand_dims(self.total_concentration, -1))

    def _covariance(self) -> Any:
        mean, total = self._mean(), self.total_concentration
        products = raw.BatchMatMulV2(x=expand_dims(mean, -1), y=expand_dims(mean, -2))
        return raw.MatrixSetDiag(
            input=-products / (1.0 + expand_dims(expand_dims(total, -1), -1)), diagonal=self._variance()
        )

    def _mode(self) -> Any:
        parts = cast(shape_of(self._concentration)[-1], self.dtype)
        mode = (self._concentration - 1.0) / (expand_dims(self.total_concentration, -1) - parts)
        if self.allow_nan_stats:
            is_defined = reduce_all(self._concentration > 1.0, -1, keepdims=True)
            return where(is_defined, mode, zeros_like(mode) + math.nan)
        message = "Mode undefined when any concentration <= 1"
        return p.nan_unless(None, mode, False, 1.0, self._concentration, message)
