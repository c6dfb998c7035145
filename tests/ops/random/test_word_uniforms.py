"""Numbers of lanes on NumPy, in place and not, are those of the words one by one."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random.philox import Lanes, Run, lanes, stream_from_seeds, words
from millrace._src.ops.random.word_uniforms import integers_of_lanes, reduce_to_range, uniforms_of_lanes

_COUNT = 300


def _lanes() -> Lanes:
    return Lanes(*(lane.copy() for lane in lanes(xp, Run(stream_from_seeds(5, 6), _COUNT))))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("writes", [False, True])
def test_uniforms_have_the_lower_bits_of_their_words(name: str, writes: bool) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)
    integers = words(xp, _lanes()).astype(object)
    if name == "float64":
        expected = ((integers[:, 0::2] % 2**20) * 2**32 + integers[:, 1::2]) / 2**52
    else:
        bits = {"float16": 10, "bfloat16": 7, "float32": 23}[name]
        expected = integers % 2**bits / 2**bits
    out = np.empty(expected.shape, dtype) if writes else None
    uniforms = uniforms_of_lanes(xp, _lanes(), dtype, out)
    assert out is None or uniforms.base is out or uniforms is out or np.shares_memory(uniforms, out)
    assert uniforms.dtype == dtype
    assert (uniforms.astype(np.float64) == expected.astype(np.float64)).all()


@pytest.mark.parametrize("name", ["int32", "uint64"])
def test_integers_of_64_bits_have_their_lower_word_first(name: str) -> None:
    expected = words(xp, _lanes()).astype(object)
    if name == "uint64":
        expected = expected[:, 0::2] + expected[:, 1::2] * 2**32
    assert (integers_of_lanes(xp, _lanes(), np.dtype(name)) == expected).all()


@pytest.mark.parametrize("span", [1, 2, 3, 7, 1000, 2**31, 2**32 - 1])
def test_the_range_is_that_of_the_remainder(span: int) -> None:
    numbers = words(xp, _lanes())
    expected = (numbers.astype(object) % span + 2**31) % 2**32
    reduced = reduce_to_range(xp, numbers.copy(), np.array([2**31], np.uint32), np.array([span], np.uint32))
    assert (reduced == expected).all()
