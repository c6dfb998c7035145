"""The toy engine on samples of every op: it computes what NumPy computes, or refuses the op by name."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.passes.pipeline import optimize
from tests.contracts.calls import call, call_with
from tests.contracts.engines.lists_engine import ListsEngine
from tests.contracts.sample import Sample, all_samples


def _is_small(sample: Sample) -> bool:
    size = sum(np.size(x) for x in sample.inputs if not isinstance(x, list))
    return not sample.random and size <= 200 and not get_op(sample.op).traits.host_only


SAMPLES = [
    sample
    for _, samples in itertools.groupby(filter(_is_small, all_samples()), lambda sample: sample.op)
    for sample in itertools.islice(samples, 2)
]


@functools.cache
def results(index: int) -> Any:
    """Returns what the engine computes for a sample and what it should; the refusal if it computes nothing."""
    sample = SAMPLES[index]
    _, inputs, attrs, outputs = call(sample)
    specs = [tf.TensorSpec(t.shape, t.dtype) for t in inputs]
    function = tf.function(lambda *tensors: call_with(sample, list(tensors), attrs), autograph=False)
    graph = optimize(function.get_concrete_function(*specs).graph)
    try:
        with np.errstate(all="ignore"):
            return ListsEngine().compile(graph).run(*[t._eager_array for t in inputs]), [t.numpy() for t in outputs]
    except tf.errors.UnimplementedError as refusal:
        return refusal


@pytest.mark.parametrize("index", range(len(SAMPLES)), ids=[str(sample) for sample in SAMPLES])
def test_an_op_gives_what_numpy_gives_or_is_refused_by_name(index: int) -> None:
    found = results(index)
    if isinstance(found, tf.errors.UnimplementedError):
        assert re.search(r"The engine 'lists' cannot run \w+ \{\{node \S+\}\}", found.message)
        return
    for result, expected in zip(*found, strict=True):
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        tolerance = 2e-2 if result.dtype.itemsize == 2 else 1e-4
        if result.dtype.kind in "fcV":
            result, expected = result.astype(np.complex128), expected.astype(np.complex128)
            np.testing.assert_allclose(result, expected, rtol=tolerance, atol=1e-5)
        else:
            np.testing.assert_array_equal(result, expected)


def test_it_runs_a_good_part_of_the_ops() -> None:
    done = {SAMPLES[index].op for index in range(len(SAMPLES)) if isinstance(results(index), tuple)}
    assert {"AddV2", "MatMul", "Sum", "GatherV2", "ConcatV2", "Softmax"} <= done
    assert len(done) > 180
