"""Samples of math ops for the contract tests: arrays of several dtypes and shapes, drawn from an op's domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tests.contracts.sample import Sample

DTYPES: dict[str, Any] = {
    "bfloat16": ml_dtypes.bfloat16,
    **{name: np.dtype(name) for name in "float16 float32 float64 complex64 complex128 bool".split()},
    **{name: np.dtype(name) for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()},
}
FLOATS = ("bfloat16", "float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SHAPES = ((2, 3), (), (0, 2), (4,), (1, 2, 2))


def numbers(dtype: str, shape: tuple[int, ...], low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """Random numbers of a dtype between two bounds; the same for the same arguments."""
    rng = np.random.default_rng((seed, len(shape), *shape))
    kind = DTYPES[dtype]
    if dtype == "bool":
        return np.array(rng.integers(0, 2, shape), bool)
    if "int" in dtype:
        least = max(int(low), 0) if dtype.startswith("u") else int(low)
        return np.array(rng.integers(least, max(int(high), least + 1), shape), kind)
    values = rng.uniform(low, high, shape)
    if dtype in COMPLEX:
        values = values + 1j * rng.uniform(0.1, 0.9, shape)
    return np.array(values, kind)


def unary(
    op: str, dtypes: Sequence[str], low: float = -2.0, high: float = 2.0, *, grad: bool = True, **options: Any
) -> list[Sample]:
    """A sample of a function of one tensor for each dtype, of changing shape; gradients of the 64-bit ones."""
    samples = []
    for i, dtype in enumerate(dtypes):
        checked = grad and dtype in ("float64", "complex128")
        shape = (2, 3) if checked else SHAPES[i % len(SHAPES)]
        samples.append(Sample(op, (numbers(dtype, shape, low, high),), grad=checked, **options))
    return samples


PAIRS = (((2, 3), (3,)), ((), (2, 2)), ((0, 2), (1, 2)), ((4,), (4,)), ((2, 1, 2), (3, 1)))


def binary(
    op: str,
    dtypes: Sequence[str],
    low: float = -2.0,
    high: float = 2.0,
    *,
    second: tuple[float, float] | None = None,
    grad: bool = True,
    **options: Any,
) -> list[Sample]:
    """A sample of a function of two tensors that broadcast for each dtype; gradients of the 64-bit ones."""
    other = second or (low, high)
    samples = []
    for i, dtype in enumerate(dtypes):
        checked = grad and dtype in ("float64", "complex128")
        first_shape, second_shape = PAIRS[0] if checked else PAIRS[i % len(PAIRS)]
        inputs = (numbers(dtype, first_shape, low, high), numbers(dtype, second_shape, *other, seed=1))
        samples.append(Sample(op, inputs, grad=checked, **options))
    return samples


def both_broadcast(
    op: str, low: float = -2.0, high: float = 2.0, *, second: tuple[float, float] | None = None
) -> Sample:
    """A sample for the gradient of a function of two tensors of which both are repeated, one of them along two axes."""
    first = numbers("float64", (2, 1, 2), low, high)
    return Sample(op, (first, numbers("float64", (3, 1), *(second or (low, high)), seed=1)), grad=True)


def at_zero(op: str, *dtypes: str) -> list[Sample]:
    """Samples for the gradient of a function that is smooth at 0, there."""
    values = np.array([0.0, -0.0, 0.25])
    return [Sample(op, (values.astype(dtype),), grad=True) for dtype in dtypes]
