"""The samples of convolutions, pools and matrix products give the same whichever library computes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest

from millrace._src.ops.nn import avg_pool_ops, correlation, depthwise_correlation, max_pool_ops, pool_kernels
from millrace._src.util import blas_threads, product_kernels
from millrace._src.util.autotuning import Autotuner
from tests.contracts.calls import call
from tests.contracts.sample import Sample, all_samples

WORDS = ("Conv2D", "Conv3D", "DepthwiseConv", "MaxPool", "AvgPool", "MatMul")
SAMPLES = [sample for sample in all_samples() if sample.op.removeprefix("Batch").startswith(WORDS)]
_KINDS = ("FORWARD", "INPUT_GRADIENT", "FILTER_GRADIENT")
CHOICES: dict[Autotuner, str] = {
    **{getattr(module, kind): "numpy" for module in (correlation, depthwise_correlation) for kind in _KINDS},
    max_pool_ops.LARGEST: "numpy",
    max_pool_ops.LARGEST_GRADIENT: "numpy",
    avg_pool_ops.MEANS: "numpy",
    avg_pool_ops.MEANS_GRADIENT: "numpy",
    product_kernels.PRODUCTS: "blas",
}
"""The choices, and the kernel of each that needs no library of its own."""


@contextmanager
def everything_chosen(by_library: bool) -> Iterator[None]:
    """Lets every call be a choice, however small, and go to the library or not."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlation, "_SMALL", -1)
        patch.setattr(pool_kernels, "_SMALL", -1)
        patch.setattr(blas_threads, "SINGLE", -1)
        patch.setattr(blas_threads, "_WORTH_CHOOSING", 0)
        for choice, plain in CHOICES.items():
            stack.enter_context(choice.pin("onednn" if by_library else plain))
        yield


def results(sample: Sample, by_library: bool) -> list[Any]:
    with everything_chosen(by_library):
        return [t.numpy() for t in call(sample)[3]]


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_both_libraries_give_the_same(sample: Sample) -> None:
    for one, other in zip(results(sample, True), results(sample, False), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind not in "fcV":
            np.testing.assert_array_equal(one, other)
            continue
        kind = np.complex128 if one.dtype.kind == "c" else np.float64
        scale = max(float(np.abs(other.astype(kind)).max(initial=0)), 1.0)
        error = 1e-2 if one.dtype.itemsize <= 2 else 1e-5
        np.testing.assert_allclose(one.astype(kind) / scale, other.astype(kind) / scale, atol=error, rtol=0)


def test_the_samples_reach_every_choice() -> None:
    reached: set[Autotuner] = set()
    with everything_chosen(False):
        for sample in SAMPLES:
            call(sample)
            reached |= {choice for choice in CHOICES if choice._works}
    assert reached == set(CHOICES)
