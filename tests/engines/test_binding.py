"""Tests of how kernels are bound."""

from __future__ import annotations

import pytest

from millrace._src.core.dtypes import float32
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_registry import get_op
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.numpy.namespace import xp


def bound(name: str, attrs: dict, convert_function=None):
    return bind_kernel(get_op(name), attrs, engine="numpy", xp=xp, convert_function=convert_function)


def test_missing_attributes_take_their_defaults() -> None:
    multiply = bound("MatMul", {"transpose_b": True})
    assert multiply(xp.asarray([[1.0, 2.0]]), xp.asarray([[3.0, 4.0]])).tolist() == [[11.0]]


def test_a_flat_row_of_arrays_is_sorted_into_the_lists_of_the_signature() -> None:
    joined = bound("ConcatV2", {"N": 2, "T": float32, "Tidx": None})
    assert joined(xp.asarray([1.0]), xp.asarray([2.0]), xp.asarray(0)).tolist() == [1.0, 2.0]
    assert bound("AddN", {"N": 3, "T": float32})(*map(xp.asarray, ([1.0], [2.0], [4.0]))).tolist() == [7.0]


@pytest.mark.parametrize("name", ["If", "StatelessIf"])
def test_functions_among_the_attributes_become_callables(name: str) -> None:
    attrs = {"Tin": (float32,), "Tout": (float32,), "then_branch": 1.0, "else_branch": -1.0, "output_shapes": ()}
    choose = bound(name, attrs, lambda sign: lambda x: [x * sign])
    assert choose(xp.asarray(True), xp.asarray(2.0)) == [2.0]
    assert choose(xp.asarray(False), xp.asarray(2.0)) == [-2.0]


def test_checks_run_before_the_kernel_unless_arrays_have_no_values_yet() -> None:
    attrs = {"T": float32}
    table, rows = xp.asarray([1.0, 2.0]), xp.asarray([0, 2])
    gather, axis = get_op("GatherV2"), xp.asarray(0)
    with pytest.raises(InvalidArgumentError, match=r"indices\[1\] = 2 is not in \[0, 2\)"):
        bound("GatherV2", attrs)(table, rows, axis)
    unchecked = bind_kernel(gather, attrs, engine="numpy", xp=xp, convert_function=None, with_checks=False)
    assert unchecked(table, rows, axis).tolist() == [1.0, 2.0]


def test_checks_get_the_attributes_that_they_name() -> None:
    lengths, rows = xp.asarray([1, 3]), xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(InvalidArgumentError, match=r"seq_lens\(1\) > input.dims\(1\)"):
        bound("ReverseSequence", {"seq_dim": 1, "batch_dim": 0})(rows, lengths)
