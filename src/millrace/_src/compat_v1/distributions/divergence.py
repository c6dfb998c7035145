"""Kullback-Leibler divergences: a registry by classes, and the divergences between distributions of one class.

Tests: tests/oracle/programs/v1_distributions.py
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.distributions import parameters as p
from millrace._src.compat_v1.distributions.continuous import Normal
from millrace._src.compat_v1.distributions.discrete import Bernoulli, Categorical
from millrace._src.compat_v1.distributions.positive import Beta, Dirichlet, Gamma
from millrace._src.core.context import name_scope
from millrace._src.ops import raw
from millrace._src.ops.array.reshaping import expand_dims
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.math.reduce import reduce_any, reduce_sum
from millrace._src.ops.math.special import lbeta
from millrace._src.ops.nn.softmax import log_softmax
from millrace._src.util.export import export

_divergences: dict[tuple[type, type], Callable[..., Any]] = {}


def _find_registered(first: type, second: type) -> Callable[..., Any] | None:
    """Returns the divergence of the nearest base classes."""
    pairs = [(i + j, (a, b)) for i, a in enumerate(inspect.getmro(first)) for j, b in enumerate(inspect.getmro(second))]
    known = [(distance, pair) for distance, pair in pairs if pair in _divergences]
    return _divergences[min(known, key=lambda entry: entry[0])[1]] if known else None


@export(v1=["distributions.RegisterKL"])
class RegisterKL:
    """Registers a function that computes the divergence between distributions of two classes.

    >>> class Mine(tf.compat.v1.distributions.Normal):
    ...     pass
    >>> @tf.compat.v1.distributions.RegisterKL(Mine, Mine)
    ... def divergence(a, b, name=None):
    ...     return tf.constant(7.0)
    >>> tf.compat.v1.distributions.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).numpy()
    np.float32(7.0)

    Args:
      dist_cls_a: The class of the first distribution.
      dist_cls_b: The class of the second distribution.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a function of two distributions and a name.

        Raises:
          TypeError: if it is not callable.
          ValueError: if there is one for these classes.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            first, second = (cls.__name__ for cls in self._key)
            raise ValueError(f"KL({first} || {second}) has already been registered to: {_divergences[self._key]}")
        _divergences[self._key] = kl_fn
        return kl_fn


@export(v1=["distributions.kl_divergence"])
def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Computes the mean of `a.log_prob(x) - b.log_prob(x)` over samples `x` of `a`.

    >>> d = tf.compat.v1.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)).numpy()
    np.float32(0.5)

    Args:
      distribution_a: The distribution `a`.
      distribution_b: The distribution `b`.
      allow_nan_stats: Whether NaN is a result rather than an error.
      name: A name for the operations.

    Raises: NotImplementedError: if nothing is registered for the classes of both.
    """
    compute = _find_registered(type(distribution_a), type(distribution_b))
    if compute is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        divergence = compute(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        is_number = raw.LogicalNot(x=reduce_any(raw.IsNan(x=divergence)))
        names = f"{distribution_a.name} and {distribution_b.name}"
        message = f"KL calculation between {names} returned NaN values (and was called with allow_nan_stats=False)."
        return p.after(divergence, assert_that(is_number, [message, divergence]))


@RegisterKL(Normal, Normal)
def _normal(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal"):
        ratio = raw.Square(x=a.scale) / raw.Square(x=b.scale)
        distance = raw.Square(x=a.loc - b.loc) / (2.0 * raw.Square(x=b.scale))
        return distance + 0.5 * (ratio - 1.0 - raw.Log(x=ratio))


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_bernoulli_bernoulli"):
        losses = raw.Softplus(features=-b.logits) - raw.Softplus(features=-a.logits)
        gains = raw.Softplus(features=b.logits) - raw.Softplus(features=a.logits)
        return raw.Sigmoid(x=a.logits) * losses + raw.Sigmoid(x=-a.logits) * gains


@RegisterKL(Categorical, Categorical)
def _categorical(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical"):
        return reduce_sum(a.probs * (log_softmax(a.logits) - log_softmax(b.logits)), -1)


@RegisterKL(Beta, Beta)
def _beta(a: Any, b: Any, name: str | None = None) -> Any:
    def delta(field: str) -> Any:
        first, second = getattr(a, field), getattr(b, field)
        return (first - second) * raw.Digamma(x=first)

    with name_scope(name, "kl_beta_beta"):
        norms = p.log_beta(b.concentration1, b.concentration0) - p.log_beta(a.concentration1, a.concentration0)
        return norms + delta("concentration1") + delta("concentration0") - delta("total_concentration")


@RegisterKL(Gamma, Gamma)
def _gamma(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_gamma_gamma"):
        shapes = (a.concentration - b.concentration) * raw.Digamma(x=a.concentration)
        norms = raw.Lgamma(x=b.concentration) - raw.Lgamma(x=a.concentration)
        rates = b.concentration * (raw.Log(x=a.rate) - raw.Log(x=b.rate))
        return shapes + norms + rates + a.concentration * (b.rate / a.rate - 1.0)


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlet(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_dirichlet_dirichlet"):
        digamma = raw.Digamma(x=a.concentration) - raw.Digamma(x=expand_dims(a.total_concentration, -1))
        distance = reduce_sum(digamma * (a.concentration - b.concentration), -1)
        return distance - lbeta(a.concentration) + lbeta(b.concentration)
