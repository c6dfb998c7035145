"""Class indices drawn with probabilities given by logits, as TensorFlow draws them.

A row's unnormalized cumulative probabilities are searched for a float64 uniform times their total. Rows follow each
other in the stream, each sample taking two words.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, XlaXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.distributions import uniform
from millrace._src.ops.random.philox import Stream


def categorical_samples(xp: Xp, stream: Stream, logits: Array, samples: int) -> Array:
    """Draws `samples` class indices for each row of `logits`: int64 of shape (rows, samples).

    Classes whose logit is not finite are never drawn.
    """
    rows = logits.shape[0]
    cumulative = _cumulative(xp, logits)
    draws = uniform(xp, stream, (rows, samples), np.dtype(np.float64)) * cumulative[:, -1:]
    return _classes_of(xp, cumulative, draws)


@kernel_part
def _classes_of(xp: Xp, cumulative: Array, draws: Array) -> Array:
    """Returns the class that each draw falls into."""
    classes = [np.searchsorted(c, d, side="right") for c, d in zip(cumulative, draws, strict=True)]
    return np.array(classes, np.int64).reshape(draws.shape)


@_classes_of.kernel_for("xla")
def _classes_below(xp: XlaXp, cumulative: Array, draws: Array) -> Array:
    # Shape (rows, samples, classes) is never stored: XLA fuses the comparison into the sum.
    return xp.sum(xp.astype(cumulative[:, None, :] <= draws[:, :, None], np.int64), axis=2)


def _cumulative(xp: Xp, logits: Array) -> Array:
    """Computes unnormalized cumulative probabilities, float64."""
    exact = xp.astype(logits, np.float64)
    finite = xp.isfinite(exact)
    lowest = float(np.finfo(np.float32).min)
    top = xp.max(xp.where(finite, exact, lowest), axis=1, keepdims=True)
    return xp.cumsum(xp.where(finite, xp.exp(exact - top), 0.0), axis=1)
