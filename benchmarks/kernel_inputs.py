"""Makes the inputs of the kernels in `benchmarks.kernel_rows`: the same numbers in every framework.

An input is made as a NumPy array and then handed to the framework. PyTorch and TensorFlow know no bfloat16 of NumPy's,
so an input of a narrow dtype is made as float32 and cast by the framework itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Typed(NamedTuple):
    """An array, and the dtype to which the framework casts the array."""

    array: Any
    dtype: str


def makers(seed: int = 0) -> dict[str, Any]:
    """Returns the functions that the expressions of inputs may call, by name; each has a stream of its own."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape, np.float32)

    def uniform(*shape: int) -> Any:
        return rng.uniform(0.01, 0.99, shape).astype(np.float32)

    def integers(*shape: int, limit: int = 1000, dtype: str = "int32") -> Any:
        return rng.integers(0, limit, shape).astype(dtype)

    def positive(count: int, size: int) -> Any:
        factors = rng.standard_normal((count, size, size)) / np.sqrt(size)
        return (factors @ factors.transpose(0, 2, 1) + np.eye(size)).astype(np.float32)

    def words(*shape: int) -> Any:
        letters = rng.integers(97, 123, (int(np.prod(shape)), 12)).astype(np.uint8)
        lengths = rng.integers(2, 12, len(letters))
        texts = [bytes(row[:length]) for row, length in zip(letters, lengths, strict=True)]
        return np.array(texts, object).reshape(shape)

    return {
        "normal": normal,
        "uniform": uniform,
        "integers": integers,
        "positive": positive,
        "words": words,
        "triangular": lambda count, size: np.tril(positive(count, size)),
        "typed": lambda dtype, *shape: Typed(rng.uniform(1, 9, shape).astype(np.float32), dtype),
        "permutation": lambda count: rng.permutation(count).astype(np.int32),
        "rising": lambda count: np.sort(normal(count)),
        "rising_ids": lambda count: np.sort(integers(count, limit=max(count // 10, 1))),
        "sentences": lambda count: np.array([b" ".join(row) for row in words(count, 8)], object),
        "numbers": lambda count, whole=False: _numbers(normal(count), whole),
        "packed": lambda count: np.array([row.tobytes() for row in normal(count, 8)], object),
        "examples": lambda count: np.array([_example(row) for row in normal(count, 8)], object),
    }


def _numbers(values: Any, whole: bool) -> Any:
    texts = [b"%d" % int(1000 * value) if whole else b"%.5f" % value for value in values]
    return np.array(texts, object)


def _example(values: Any) -> bytes:
    """Returns a `tf.train.Example` with the floats of the feature `x`, put together by hand."""

    def part(number: int, content: bytes) -> bytes:
        assert len(content) < 128
        return bytes((number << 3 | 2, len(content))) + content

    feature = part(2, part(1, values.tobytes()))
    return part(1, part(1, part(1, b"x") + part(2, feature)))
