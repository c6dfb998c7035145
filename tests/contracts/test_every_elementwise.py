"""What holds for every op that works element by element: a piece of the operands gives a piece of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.core.op_def import Effects, Elementwise
from millrace._src.core.op_registry import all_op_names, get_op
from millrace._src.engines.numpy import cache_blocking
from millrace._src.engines.numpy.cache_blocking import BlockProgram, BlockStep
from millrace._src.engines.numpy.engine import NumpyEngine
from tests.contracts.calls import call
from tests.contracts.sample import Sample, all_samples

ELEMENTWISE = [name for name in all_op_names() if get_op(name).elementwise is not Elementwise.NO]
SAMPLES = [s for s in all_samples() if s.op in set(ELEMENTWISE)]
COPIES = 150


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_it_only_computes_one_result(name: str) -> None:
    op = get_op(name)
    assert op.has_single_output
    assert op.effects({}) is Effects.NONE


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_blocks_give_the_bits_of_the_whole(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    op, inputs, attrs, (output,) = call(sample)
    dtypes = [t.dtype for t in (*inputs, output)]
    if not output.shape.num_elements() or any(d.np_dtype.kind == "O" or d.is_quantized for d in dtypes):
        return  # nothing to cut; strings and handles are in no chain
    kernel = NumpyEngine().bind(op, tuple(dtypes[:-1]), attrs)
    shape = tuple(output.shape)
    arrays = [repeated(t._eager_array) if tuple(t.shape) == shape else t._eager_array for t in inputs]
    with np.errstate(all="ignore"):
        wanted = kernel(*arrays)
        monkeypatch.setattr(cache_blocking, "_BLOCK_BYTES", 3 * output.dtype.size)
        results = in_blocks(op.elementwise, kernel, arrays, output.dtype.np_dtype)
    assert described(results) == described(wanted)


def repeated(array: Any) -> Any:
    """Copies of an array, one after the other along a new first axis."""
    return np.repeat(array[None], COPIES, axis=0)


def in_blocks(kind: Elementwise, kernel: Any, arrays: list[Any], dtype: Any) -> Any:
    """The result of a chain of one kernel."""
    names = [f"a{i}" for i in range(len(arrays))]
    step = BlockStep("v", "k", tuple(names), dtype, kind, isinstance(kernel, np.ufunc))
    results = BlockProgram([step], names, ["v"], {"k": kernel})(*arrays)
    assert results is not None
    return results[0]


def described(array: Any) -> Any:
    """An array in a form that is equal for equal bits, but for the bits of a NaN."""
    array = np.asarray(array)
    if array.dtype.kind in "fc":
        parts = np.stack([array.real, array.imag])
        array = np.where(np.isnan(parts), np.nan, parts)
    return array.dtype.str, array.shape, array.tobytes()
