"""The class that all distributions derive from.

A distribution has parameters, which are tensors that broadcast together to the *batch*: one distribution for each
element. A sample is an *event* for each of them. A subclass says what it can: `_log_prob` or `_prob`, `_sample_n`,
`_mean` and so on; what follows from it is here, and a method without a formula raises `NotImplementedError`.

Tests: tests/oracle/programs/v1_distributions.py, tests/compat_v1/distributions/test_distributions.py
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.reduce import reduce_prod
from millrace._src.util.export import export, export_constant


@export(v1=["distributions.ReparameterizationType"])
class ReparameterizationType:
    """Says whether samples of a distribution are differentiable functions of the distribution's parameters."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
export_constant(__name__, "FULLY_REPARAMETERIZED", v1=["distributions.FULLY_REPARAMETERIZED"])
export_constant(__name__, "NOT_REPARAMETERIZED", v1=["distributions.NOT_REPARAMETERIZED"])


def derive_seed(seed: int | None, salt: str) -> int | None:
    """Returns the seed of a second draw that belongs to the draw with a given seed."""
    if seed is None:
        return None
    text = (str(seed) + salt).encode()
    return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF  # as many bits as a seed has


@export(v1=["distributions.Distribution"])
class Distribution:
    """A distribution, or a batch of distributions.

    Args:
      dtype: The dtype of samples.
      reparameterization_type: Whether samples are differentiable functions of the parameters.
      validate_args: Whether arguments are checked when the graph runs.
      allow_nan_stats: Whether a statistic that is not defined is NaN rather than an error.
      parameters: The arguments that the distribution was made with.
      graph_parents: Ignored.
      name: The scope of the distribution's operations.
    """

    def __init__(
        self,
        dtype: object,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Mapping[str, Any] | None = None,
        graph_parents: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._dtype = d.as_dtype(dtype) if dtype is not None else None
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = dict(parameters or {})
        self._name = None if state.graph is None else name or f"{type(self).__name__}/"

    # --- what a distribution is --------------------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """The scope of the distribution's operations; None in eager mode."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the distribution was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether samples are differentiable functions of the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether a statistic that is not defined is NaN rather than an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether arguments are checked when the graph runs."""
        return self._validate_args

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of a batch of distributions."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one sample."""
        return TensorShape(self._event_shape())

    def copy(self, **override_parameters_kwargs: object) -> Distribution:
        """Makes a distribution of the same class with some other arguments."""
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape: ShapeLike, name: str = "DistributionParamShapes") -> dict[str, Any]:
        """Returns the shapes of parameters for samples of a shape, by name, as tensors."""
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """Returns the shapes of parameters for samples of a shape, by name.

        Raises: ValueError: if `sample_shape` is not known.
        """
        shape = TensorShape(sample_shape)
        if not shape.is_fully_defined():
            raise ValueError("TensorShape sample_shape must be fully defined")
        return {name: TensorShape(list(sizes)) for name, sizes in cls._param_shapes(shape.as_list()).items()}

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of a batch of distributions as a tensor."""
        if self.batch_shape.is_fully_defined():
            return convert_to_tensor(self.batch_shape.as_list(), dtype=d.int32, name=name)
        return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Returns the shape of one sample as a tensor."""
        if self.event_shape.is_fully_defined():
            return convert_to_tensor(self.event_shape.as_list(), dtype=d.int32, name=name)
        return self._event_shape_tensor()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Returns whether one sample is a scalar."""
        return constant(self.event_shape.rank == 0, name=name)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Returns whether there is one distribution, rather than a batch."""
        return constant(self.batch_shape.rank == 0, name=name)

    def _batch_shape(self) -> Any:
        return None

    def _event_shape(self) -> Any:
        return []

    def _batch_shape_tensor(self) -> Any:
        raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")

    def _event_shape_tensor(self) -> Any:
        return constant([], dtype=d.int32)

    # --- samples -----------------------------------------------------------------------------------------------------

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Draws samples.

        Args:
          sample_shape: The shape of the samples of each distribution.
          seed: The seed of the operations that draw.
          name: A name for the operations.

        Returns: A tensor of shape `sample_shape + batch_shape + event_shape`.
        """
        with name_scope(name):
            sizes = reshape(convert_to_tensor(sample_shape, dtype=d.int32, name="sample_shape"), [-1])
            samples = self._sample_n(reduce_prod(sizes), seed)
            rest = shape_of(samples)[1:]
            return reshape(samples, raw.ConcatV2(values=[sizes, rest], axis=0))

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        raise self._refusal("sample")

    # --- probabilities and statistics --------------------------------------------------------------------------------

    def _refusal(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{method} is not implemented: {type(self).__name__}")

    def _says(self, method: str) -> bool:
        """Returns whether a subclass implements a method."""
        return getattr(type(self), method) is not getattr(Distribution, method)

    def _value(self, value: TensorLike) -> Any:
        return convert_to_tensor(value, name="value", dtype_hint=self.dtype)

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Any:
        """Returns the logarithm of the probability, or of its density, of values."""
        with name_scope(name):
            if self._says("_log_prob"):
                return self._log_prob(self._value(value))
            if self._says("_prob"):
                return raw.Log(x=self._prob(self._value(value)))
            raise self._refusal("log_prob")

    def prob(self, value: TensorLike, name: str = "prob") -> Any:
        """Returns the probability, or its density, of values."""
        with name_scope(name):
            if self._says("_prob"):
                return self._prob(self._value(value))
            if self._says("_log_prob"):
                return raw.Exp(x=self._log_prob(self._value(value)))
            raise self._refusal("prob")

    def cdf(self, value: TensorLike, name: str = "cdf") -> Any:
        """Returns the probability that a sample is not above a value."""
        with name_scope(name):
            return self._find_cdf(value, "cdf")

    def _find_cdf(self, value: TensorLike, method: str) -> Any:
        if self._says("_cdf"):
            return self._cdf(self._value(value))
        if self._says("_log_cdf"):
            return raw.Exp(x=self._log_cdf(self._value(value)))
        raise self._refusal(method)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Any:
        """Returns the logarithm of the probability that a sample is not above a value."""
        with name_scope(name):
            if self._says("_log_cdf"):
                return self._log_cdf(self._value(value))
            return raw.Log(x=self._find_cdf(value, "log_cdf"))

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Any:
        """Returns the probability that a sample is above a value."""
        with name_scope(name):
            return 1.0 - self._find_cdf(value, "survival_function")

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Any:
        """Returns the logarithm of the probability that a sample is above a value."""
        with name_scope(name):
            if self._says("_log_survival_function"):
                return self._log_survival_function(self._value(value))
            return raw.Log1p(x=-self._find_cdf(value, "log_survival_function"))

    def quantile(self, value: TensorLike, name: str = "quantile") -> Any:
        """Returns the value below which samples are with a given probability."""
        with name_scope(name):
            return self._quantile(self._value(value))

    def entropy(self, name: str = "entropy") -> Any:
        """Returns the entropy, by the natural logarithm."""
        with name_scope(name):
            return self._entropy()

    def mean(self, name: str = "mean") -> Any:
        """Returns the mean."""
        with name_scope(name):
            return self._mean()

    def mode(self, name: str = "mode") -> Any:
        """Returns the most probable value."""
        with name_scope(name):
            return self._mode()

    def variance(self, name: str = "variance") -> Any:
        """Returns the variance of each element of a sample."""
        with name_scope(name):
            if self._says("_variance"):
                return self._variance()
            if self._says("_stddev"):
                return raw.Square(x=self._stddev())
            raise self._refusal("variance")

    def stddev(self, name: str = "stddev") -> Any:
        """Returns the root of the variance."""
        with name_scope(name):
            if self._says("_stddev"):
                return self._stddev()
            if self._says("_variance"):
                return raw.Sqrt(x=self._variance())
            raise self._refusal("stddev")

    def covariance(self, name: str = "covariance") -> Any:
        """Returns the covariances of the elements of a sample."""
        with name_scope(name):
            return self._covariance()

    def cross_entropy(self, other: TensorLike, name: str = "cross_entropy") -> Any:
        """Returns the mean of `-other.log_prob(x)` over samples `x` of this distribution."""
        with name_scope(name):
            return self.kl_divergence(other) + self._entropy()

    def kl_divergence(self, other: object, name: str = "kl_divergence") -> Any:
        """Returns the Kullback-Leibler divergence of another distribution from this one."""
        from millrace._src.compat_v1.distributions.divergence import kl_divergence  # which names this class

        return kl_divergence(self, other, allow_nan_stats=self._allow_nan_stats, name=name)

    def _log_prob(self, value: TensorLike) -> Any:
        raise self._refusal("log_prob")

    def _prob(self, value: TensorLike) -> Any:
        raise self._refusal("prob")

    def _log_cdf(self, value: TensorLike) -> Any:
        raise self._refusal("log_cdf")

    def _cdf(self, value: TensorLike) -> Any:
        raise self._refusal("cdf")

    def _log_survival_function(self, value: TensorLike) -> Any:
        raise self._refusal("log_survival_function")

    def _quantile(self, value: TensorLike) -> Any:
        raise self._refusal("quantile")

    def _entropy(self) -> Any:
        raise self._refusal("entropy")

    def _mean(self) -> Any:
        raise self._refusal("mean")

    def _mode(self) -> Any:
        raise self._refusal("mode")

    def _variance(self) -> Any:
        raise self._refusal("variance")

    def _stddev(self) -> Any:
        raise self._refusal("stddev")

    def _covariance(self) -> Any:
        raise self._refusal("covariance")

    # --- text --------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}", batch_shape={_shape_text(self.batch_shape)}, '
            f"event_shape={_shape_text(self.event_shape)}, dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={_shape_text(self.batch_shape)} "
            f"event_shape={_shape_text(self.event_shape)} dtype={self.dtype.name}>"
        )


def _shape_text(shape: TensorShape) -> str:
    return str(shape).replace("None", "?")
