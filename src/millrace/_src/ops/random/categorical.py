"""Class indices drawn with probabilities given by logits, as TensorFlow draws them.

A row's unnormalized cumulative probabilities are searched for a float64 uniform times their total. Rows follow each
other in the stream, each sample taking two words.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.distributions import uniform
from millrace._src.ops.random.philox import Stream

_FEW_CLASSES = 24
"""Up to so many classes, comparing with the end of each class is faster than bisection."""
_MANY_SAMPLES = 256
"""From so many samples of a row on, a search of its own for each row is faster."""


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
    rows, samples = draws.shape
    if cumulative.shape[1] <= _FEW_CLASSES:
        return _count_classes(cumulative, draws)
    if rows == 1 or rows and samples >= _MANY_SAMPLES:
        return np.stack([np.searchsorted(c, d, side="right") for c, d in zip(cumulative, draws, strict=True)])
    return _bisect_classes(cumulative, draws)


def _count_classes(cumulative: Array, draws: Array) -> Array:
    """Counts for each draw the classes that end at or before the draw, class by class."""
    counts = np.zeros(draws.shape, np.int64)
    for column in range(cumulative.shape[1]):
        np.add(counts, cumulative[:, column, None] <= draws, out=counts)
    return counts


def _bisect_classes(cumulative: Array, draws: Array) -> Array:
    """Bisects for all draws of all rows at once: `found` classes of a row are known to end at or before the draw."""
    rows, classes = cumulative.shape
    ends, first = cumulative.reshape(-1), np.arange(0, rows * classes, classes)[:, None]
    found = np.zeros(draws.shape, np.int64)
    step = 1 << (classes.bit_length() - 1)
    while step:
        further = found + step
        last = np.minimum(further, classes) - 1
        np.copyto(found, further, where=(further <= classes) & (ends.take(first + last) <= draws))
        step >>= 1
    return found


@_classes_of.kernel_for("xla")
def _classes_below(xp: CompilingXp, cumulative: Array, draws: Array) -> Array:
    # Shape (rows, samples, classes) is never stored: XLA fuses the comparison into the sum.
    return xp.sum(xp.astype(cumulative[:, None, :] <= draws[:, :, None], np.int64), axis=2)


def _cumulative(xp: Xp, logits: Array) -> Array:
    """Computes unnormalized cumulative probabilities, float64."""
    exact = xp.astype(logits, np.float64)
    finite = xp.isfinite(exact)
    lowest = float(np.finfo(np.float32).min)
    top = xp.max(xp.where(finite, exact, lowest), axis=1, keepdims=True)
    return xp.cumsum(xp.where(finite, xp.exp(exact - top), 0.0), axis=1)
