"""Given class frequencies, and drawing from them in constant time by Walker's alias method.

A table has a slot for each class. One random number picks a slot; another decides between the slot's own class and one
other class, its alias. Source: Walker, "An efficient method for generating discrete random variables with general
distributions", ACM TOMS 3 (1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid


class AliasTable:
    """The slots of a distribution with the given weights, built as TensorFlow builds them.

    >>> from millrace._src.ops.random.unigrams import AliasTable
    >>> import numpy as np
    >>> AliasTable([0.0, 3.0, 1.0]).pick(np.array([0, 1, 2]), np.array([0.5, 0.5, 0.9], np.float32))
    array([1, 1, 1])
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = np.array(weights, np.float32)
        # TensorFlow adds the weights up in float32, one after the other.
        self._total = np.add.accumulate(self._weights)[-1] if len(self._weights) else np.float32(0)
        self._shares, self._aliases = self._pair_up(self._weights.astype(np.float64))

    @staticmethod
    def _pair_up(weights: Array) -> tuple[Array, Array]:
        size = len(weights)
        shares = weights * size / weights.sum()
        aliases = np.full(size, -1)
        low = [i for i in range(size) if shares[i] < 1]
        high = [i for i in range(size) if not shares[i] < 1]
        while low and high:
            poor, rich = low.pop(), high.pop()
            aliases[poor] = rich
            shares[rich] -= 1.0 - shares[poor]
            (low if shares[rich] < 1 else high).append(rich)
        for rest in (*low, *high):  # the shares of these slots are 1 but for rounding
            shares[rest], aliases[rest] = 1.0, rest
        return shares.astype(np.float32), aliases

    @property
    def size(self) -> int:
        """The number of slots."""
        return len(self._shares)

    def pick(self, slot: Array, uniform: Array) -> Array:
        """Picks the class for each pair of a slot and a float32 uniform number."""
        return np.where(uniform < self._shares[slot], slot, self._aliases[slot]).astype(np.int64)

    def probability(self, classes: Array) -> Array:
        """Returns the probability of each class, float32."""
        return self._weights[classes] / self._total


def read_unigrams(
    range_max: int,
    vocab_file: str,
    distortion: float,
    num_reserved_ids: int,
    shards: tuple[int, int],
    unigrams: Sequence[float],
) -> AliasTable:
    """Makes the table of `FixedUnigramCandidateSampler`: frequencies from a list, or the last column of a file.

    Raises:
        InvalidArgumentError: neither or both are given, or the number of frequencies is not `range_max`.
        NotFoundError: there is no such file.
    """
    if vocab_file and unigrams:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    if not vocab_file and not unigrams:
        raise invalid("Must provide either vocab_file or unigrams.")
    frequencies = list(unigrams) if unigrams else _from_file(vocab_file)
    number, shard = shards
    weights = [0.0] * num_reserved_ids + [float(np.float32(f) ** np.float32(distortion)) for f in frequencies]
    shard_weights = [w for i, w in enumerate(weights) if i % number == shard]
    if len(shard_weights) != range_max:
        raise invalid(f"range is {range_max} must be equal to weights size  {len(shard_weights)}")
    return AliasTable(shard_weights)


def _from_file(name: str) -> list[float]:
    try:
        lines = Path(name).read_text().splitlines()
    except OSError as error:
        raise errors.NotFoundError(None, None, f"{name}; {error.strerror}") from None
    try:
        return [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]
    except ValueError as error:
        raise invalid(f"Wrong vocabulary format in {name}: {error}") from None
