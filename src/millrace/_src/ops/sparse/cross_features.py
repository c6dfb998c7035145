"""Crosses of features: in each row, every combination of one value of each feature.

A feature is rows of values with a first position and a length, whatever form its tensor has. The combinations of a row
are numbered; the digits of the number, in a system whose bases are the lengths, are the values combined. So the values
of all combinations of all rows are one gather a feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.array.farmhash import combine_fingerprints, fingerprints64
from millrace._src.ops.ragged.row_positions import splits_of

LARGEST_HASH = 2**63 - 1
"""The modulus of hashes where no number of buckets is given."""


@dataclass(frozen=True, slots=True)
class CrossedFeature:
    """The values of a feature, and where each row begins and how many values a row has."""

    values: Array
    starts: Array
    lengths: Array

    @property
    def is_text(self) -> bool:
        """Whether the values are byte strings, or else integers."""
        return bool(self.values.dtype.kind == "O")

    def fingerprints(self) -> Array:
        """Returns the fingerprints of the values: integers represent themselves."""
        if not self.is_text:
            return self.values.astype(np.uint64)
        return fingerprints64(self.values.tolist())

    def texts(self) -> Array:
        """Returns the values as byte strings."""
        if self.is_text or not self.values.size:
            return self.values.astype(object)
        low, high = int(self.values.min()), int(self.values.max())
        if high - low < len(self.values):  # numbers repeat: each is written once
            return _write(range(low, high + 1))[self.values - low]
        return _write(self.values.tolist())


def _write(numbers: Sequence[int]) -> Array:
    """Writes integers as byte strings."""
    texts = np.empty(len(numbers), object)
    texts[:] = [b"%d" % number for number in numbers]
    return texts


def dense_feature(values: Array) -> CrossedFeature:
    """Makes a feature of the rows of a matrix."""
    rows, columns = values.shape
    return CrossedFeature(values.reshape(-1), np.arange(rows) * columns, np.full(rows, columns))


def sparse_feature(indices: Array, values: Array, row_count: int) -> CrossedFeature:
    """Makes a feature of the rows of a sparse matrix; values of rows that do not exist are left out."""
    rows = indices[:, 0]
    is_inside = (rows >= 0) & (rows < row_count)
    if not is_inside.all():
        rows, values = rows[is_inside], values[: len(rows)][is_inside]
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
    lengths = np.bincount(rows, minlength=row_count)
    return CrossedFeature(values, splits_of(lengths)[:-1], lengths)


def combinations(features: Sequence[CrossedFeature]) -> tuple[Array, list[Array]]:
    """Returns the row splits of the combinations and, for each feature, the position of each combination's value."""
    counts = np.prod([feature.lengths for feature in features], axis=0, dtype=np.int64)
    splits = splits_of(counts)
    rows = np.repeat(np.arange(counts.size), counts)
    number = np.arange(splits[-1]) - splits[:-1][rows]
    positions = []
    for feature in reversed(features):
        number, digit = np.divmod(number, feature.lengths[rows])
        positions.append(feature.starts[rows] + digit)
    return splits, positions[::-1]


def join_texts(features: Sequence[CrossedFeature], positions: Sequence[Array], separator: bytes) -> Array:
    """Joins the texts of each combination."""
    columns = [feature.texts()[numbers].tolist() for feature, numbers in zip(features, positions, strict=True)]
    texts = np.empty(len(columns[0]), object)
    texts[:] = list(map(separator.join, zip(*columns, strict=True)))
    return texts


def combine_hashes(hashes: Sequence[Array], positions: Sequence[Array], start: Array | None) -> Array:
    """Combines the hashes of each combination, beginning with `start`, or with the hashes of the first feature."""
    combined = start
    for hashes_of_feature, numbers in zip(hashes, positions, strict=True):
        column = hashes_of_feature[numbers]
        combined = column if combined is None else combine_fingerprints(combined, column)
    return combined


def buckets_of(hashes: Array, num_buckets: int) -> Array:
    """Maps hashes to `num_buckets` buckets; to all numbers of int64 but the largest if that is not positive."""
    return (hashes % np.uint64(num_buckets if num_buckets > 0 else LARGEST_HASH)).astype(np.int64)
