"""A stream of 32-bit words under two seeds, from which shuffles draw.

Tests: tests/data/test_pass_seeds.py, tests/data/transforms/test_shuffle.py
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.context import eager_engine
from millrace._src.ops.random.philox import blocks, stream_from_seeds

_WORDS_AT_ONCE = 1024


class Words:
    """The stream of 32-bit words under two seeds.

    Args:
      seed: the key of Philox.
      seed2: the upper half of Philox's counter.

    Attributes:
      position: how many words were taken; may be set, to go on from there.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        self._stream = stream_from_seeds(seed, seed2)
        self.position = 0
        self._first = 0  # the position of the first word in `_words`
        self._words: Array = np.empty(0, np.uint32)

    def take(self, count: int) -> Array:
        """Returns the next words as a vector of uint32."""
        start, stop = self.position, self.position + count
        if start < self._first or stop > self._first + len(self._words):
            self._first = start // 4 * 4
            needed = -(-(max(count, _WORDS_AT_ONCE) + start - self._first) // 4)
            xp = eager_engine().xp
            self._words = blocks(xp, self._stream.skip(xp, self._first // 4), needed).reshape(-1)
        self.position = stop
        return self._words[start - self._first : stop - self._first]
