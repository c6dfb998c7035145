"""Distributions over truth values, classes and counts.

Tests: tests/oracle/programs/v1_distributions.py, tests/compat_v1/distributions/test_distributions.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.distributions import parameters as p
from millrace._src.compat_v1.distributions.distribution import NOT_REPARAMETERIZED, Distribution, derive_seed
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.one_hot import one_hot
from millrace._src.ops.array.reshaping import expand_dims, reshape
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.splitting import unstack
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.math.arg_reductions import argmax
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.math.special import lbeta
from millrace._src.ops.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from millrace._src.ops.nn.losses import sigmoid_cross_entropy_with_logits
from millrace._src.ops.nn.softmax import log_softmax
from millrace._src.ops.random.stateful import categorical, gamma, uniform
from millrace._src.util.export import export


class _WithLogits(Distribution):
    """A distribution whose parameters are probabilities, or their logits."""

    _logits: Any
    _probs: Any

    @property
    def logits(self) -> Any:
        """The logits of the probabilities."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self._probs


class _OfLogits(_WithLogits):
    """A distribution that has no other parameters."""

    def __init__(
        self,
        logits: object,
        probs: object,
        dtype: object,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        of_classes: bool = False,
    ) -> None:
        arguments = {
            "logits": logits,
            "probs": probs,
            "dtype": dtype,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        self._logits, self._probs = p.logits_and_probabilities(logits, probs, of_classes=of_classes)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)


@export(v1=["distributions.Bernoulli"])
class Bernoulli(_OfLogits):
    """The Bernoulli distribution of zeros and ones.

    >>> tf.compat.v1.distributions.Bernoulli(probs=[0.25]).prob([1]).numpy()
    array([0.25], dtype=float32)

    Args:
      logits: The logits of the probabilities of 1.
      probs: The probabilities of 1, instead of `logits`.
      dtype: The dtype of samples.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        logits: object = None,
        probs: object = None,
        dtype: object = d.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        super().__init__(logits, probs, dtype, validate_args, allow_nan_stats, name)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"logits": sample_shape}

    def _batch_shape(self) -> Any:
        return self._logits.shape

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._logits)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        drawn = uniform(p.rows(n, self._probs), 0, None, self._probs.dtype, seed)
        return cast(drawn < self._probs, self.dtype)

    def _log_prob(self, event: object) -> Any:
        event = cast(event, self._logits.dtype)
        logits = self._logits * ones_like(event)
        return -sigmoid_cross_entropy_with_logits(labels=event * ones_like(self._logits), logits=logits)

    def _entropy(self) -> Any:
        return -self._logits * (raw.Sigmoid(x=self._logits) - 1.0) + raw.Softplus(features=-self._logits)

    def _mean(self) -> Any:
        return raw.Identity(input=self._probs)

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)

    def _mode(self) -> Any:
        return cast(self._probs > 0.5, self.dtype)


@export(v1=["distributions.Categorical"])
class Categorical(_OfLogits):
    """The distribution over classes.

    >>> tf.compat.v1.distributions.Categorical(probs=[0.25, 0.75]).mode().numpy()
    np.int32(1)

    Args:
      logits: Unnormalized logarithms of the probabilities, `[..., classes]`.
      probs: The probabilities, instead of `logits`.
      dtype: The dtype of samples.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        logits: object = None,
        probs: object = None,
        dtype: object = d.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        super().__init__(logits, probs, dtype, validate_args, allow_nan_stats, name, of_classes=True)

    @property
    def event_size(self) -> Any:
        """The number of classes."""
        size = self._logits.shape.as_list()[-1]
        return convert_to_tensor(size) if size is not None else shape_of(self._logits)[-1]

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"logits": sample_shape}

    def _batch_shape(self) -> Any:
        return self._logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._logits)[:-1]

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        rows = reshape(self._logits, raw.Pack(values=[-1, self.event_size]))
        dtype = d.int64 if self.dtype.size > 4 else d.int32
        drawn = transpose(categorical(rows, n, dtype, seed))
        shape = raw.ConcatV2(values=[raw.Pack(values=[n]), self.batch_shape_tensor()], axis=0)
        return cast(reshape(drawn, shape), self.dtype)

    def _broadcast(self, k: Any, parameter: Any) -> tuple[Any, Any]:
        """Returns classes and a parameter in their common batch."""
        shape = p.dynamic_shape(k, parameter[..., 0])
        whole = raw.ConcatV2(values=[shape, shape_of(parameter)[-1:]], axis=0)
        return raw.BroadcastTo(input=k, shape=shape), raw.BroadcastTo(input=parameter, shape=whole)

    def _log_prob(self, k: TensorLike) -> Any:
        k, logits = self._broadcast(cast(k, d.int32), self._logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: TensorLike) -> Any:
        """Returns the probability of the classes before `k`."""
        k, probs = self._broadcast(cast(k, d.int32), self._probs)
        positions = raw.Range(start=0, limit=shape_of(probs)[-1], delta=1)
        return reduce_sum(probs * cast(positions < expand_dims(k, -1), probs.dtype), -1)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self._logits) * self._probs, -1)

    def _mode(self) -> Any:
        return cast(argmax(self._logits, axis=-1), self.dtype)


def _log_combinations(n: Any, counts: Any) -> Any:
    """Returns the logarithm of the number of orders in which to draw counts."""
    return raw.Lgamma(x=n + 1.0) - reduce_sum(raw.Lgamma(x=counts + 1.0), -1)


class _Counts(Distribution):
    """A distribution over the counts of classes in a number of draws."""

    _total: Any

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total

    def _proportions(self) -> Any:
        """Returns the mean share of each class."""
        raise NotImplementedError

    def _mean(self) -> Any:
        return expand_dims(self._total, -1) * self._proportions()

    def _spread(self) -> Any:
        """Returns by how much variances are larger than those of draws of equal chances, each multiplied by draws."""
        return self._total

    def _variance(self) -> Any:
        share = self._proportions()
        return expand_dims(self._spread(), -1) * share * (1.0 - share)

    def _covariance(self) -> Any:
        share = self._proportions()
        products = raw.BatchMatMulV2(x=expand_dims(share, -1), y=expand_dims(share, -2))
        scale = expand_dims(expand_dims(self._spread(), -1), -1)
        return raw.MatrixSetDiag(input=-scale * products, diagonal=self._variance())

    def _batch_shape(self) -> Any:
        return self._proportions().shape[:-1] if self._total.shape.rank == 0 else self._mean().shape[:-1]

    def _event_shape(self) -> Any:
        return self._proportions().shape[-1:]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._mean())[:-1]

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._mean())[-1:]


def _rows_of(parameter: Any, total: Any) -> list[tuple[Any, Any]]:
    """Returns the parameter and the number of draws of each distribution of a batch of known size."""
    wide = parameter * ones_like(expand_dims(total, -1))
    counts = total + zeros_like(wide[..., 0])
    flat = reshape(wide, raw.Pack(values=[-1, shape_of(wide)[-1]]))
    size = flat.shape.as_list()[0]
    if size is None:
        raise NotImplementedError("sample is not implemented for a batch of unknown size")
    return list(zip(unstack(flat, num=size), unstack(reshape(counts, [-1]), num=size)))


@export(v1=["distributions.Multinomial"])
class Multinomial(_Counts, _WithLogits):
    """The distribution of the counts of classes in a number of draws.

    >>> tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75]).mean().numpy()
    array([1., 3.], dtype=float32)

    Args:
      total_count: The number of draws.
      logits: Unnormalized logarithms of the probabilities, `[..., classes]`.
      probs: The probabilities, instead of `logits`.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        total_count: object,
        logits: object = None,
        probs: object = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        arguments = {
            "total_count": total_count,
            "logits": logits,
            "probs": probs,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        self._logits, self._probs = p.logits_and_probabilities(logits, probs, of_classes=True)
        self._total = p.positive(convert_to_tensor(total_count, dtype=self._probs.dtype), validate_args)
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"logits": sample_shape}

    def _proportions(self) -> Any:
        return self._probs

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        found = [
            self._row(logits, cast(total, d.int32), n, seed) for logits, total in _rows_of(self._logits, self._total)
        ]
        samples = stack(found, axis=1)
        shape = raw.ConcatV2(
            values=[raw.Pack(values=[n]), self.batch_shape_tensor(), self.event_shape_tensor()], axis=0
        )
        return reshape(samples, shape)

    def _row(self, logits: Any, total: Any, n: Any, seed: int | None) -> Any:
        """Returns `n` samples of one distribution."""
        drawn = categorical(expand_dims(logits, 0), n * total, None, seed)
        hits = one_hot(reshape(drawn, raw.Pack(values=[n, -1])), shape_of(logits)[0], dtype=self.dtype)
        return reduce_sum(hits, -2)

    def _log_prob(self, counts: TensorLike) -> Any:
        weighted = counts * log_softmax(self._logits)
        return reduce_sum(weighted, -1) + _log_combinations(self._total, counts)


@export(v1=["distributions.DirichletMultinomial"])
class DirichletMultinomial(_Counts):
    """The distribution of the counts of classes in a number of draws, with probabilities from a Dirichlet distribution.

    >>> tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean().numpy()
    array([1., 3.], dtype=float32)

    Args:
      total_count: The number of draws.
      concentration: How strongly probabilities tend to each class, `[..., classes]`.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether a statistic that is not defined is NaN.
      name: The scope of the operations.
    """

    def __init__(
        self,
        total_count: object,
        concentration: object,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        arguments = {
            "total_count": total_count,
            "concentration": concentration,
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
            "name": name,
        }
        (found,) = p.common(concentration)
        self._concentration = p.positive(found, validate_args)
        self._total = p.positive(convert_to_tensor(total_count, dtype=found.dtype), validate_args)
        super().__init__(found.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, name=name)

    @property
    def concentration(self) -> Any:
        """How strongly probabilities tend to each class."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sum of the concentrations of all classes."""
        return reduce_sum(self._concentration, -1)

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"concentration": sample_shape}

    def _batch_shape(self) -> Any:
        return self._concentration.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._concentration)[:-1]

    def _proportions(self) -> Any:
        return self._concentration / expand_dims(self.total_concentration, -1)

    def _spread(self) -> Any:
        return self._total * (self._total + self.total_concentration) / (1.0 + self.total_concentration)

    def _sample_n(self, n: TensorLike, seed: int | None) -> Any:
        classes = shape_of(self._concentration)[-1]
        drawn = gamma(raw.Pack(values=[n]), self._concentration, None, self.dtype, seed)
        logits = reshape(raw.Log(x=drawn), raw.Pack(values=[-1, classes]))
        second = derive_seed(seed, salt="dirichlet_multinomial")
        picked = categorical(logits, cast(self._total, d.int32), None, second)
        counts = reduce_sum(one_hot(picked, classes, dtype=self.dtype), -2)
        return reshape(counts, shape_of(drawn))

    def _log_prob(self, counts: TensorLike) -> Any:
        both = lbeta(self._concentration + counts) - lbeta(self._concentration)
        return both + _log_combinations(self._total, counts)
