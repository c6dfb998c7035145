"""Tests for how the values of several devices are combined, of which there is one."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

D: Any = tf.distribute
CROSS_DEVICE_OPS = (
    D.CrossDeviceOps(),
    D.HierarchicalCopyAllReduce(),
    D.NcclAllReduce(num_packs=0),
    D.ReductionToOneDevice(reduce_to_device="/cpu:0", accumulation_fn=tf.add_n),
)


@pytest.mark.parametrize("ops", CROSS_DEVICE_OPS, ids=lambda ops: type(ops).__name__)
def test_one_value_is_the_result(ops: Any) -> None:
    value = tf.constant(2.0)
    assert ops.reduce(D.ReduceOp.MEAN, value, destinations="/cpu:0") is value
    assert ops.reduce("SUM", value, "/cpu:0", D.experimental.CommunicationOptions()) is value
    assert ops.batch_reduce("SUM", [(value, "/cpu:0"), (value, value)]) == [value, value]
    assert ops.broadcast(value, "/cpu:0") is value
    assert isinstance(ops, D.CrossDeviceOps)


def test_a_reduction_that_there_is_not_is_refused() -> None:
    for reduce in (D.NcclAllReduce().reduce, D.NcclAllReduce().batch_reduce):
        with pytest.raises(ValueError, match="MAX"):
            reduce("MAX", [], "/cpu:0") if reduce.__name__ == "reduce" else reduce("MAX", [])


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (D.HierarchicalCopyAllReduce, "HierarchicalCopy requires num_packs >= 0, but -1 is specified"),
        (D.NcclAllReduce, "NCCL all-reduce requires num_packs >= 0, but -1 is specified"),
    ],
)
def test_a_negative_number_of_packs_is_refused(kind: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(-1)


def test_a_subclass_combines_in_a_way_of_its_own() -> None:
    class Doubling(D.CrossDeviceOps):  # type: ignore[misc]  # the public namespace has no types
        def reduce_implementation(self, reduce_op: Any, value: Any, destinations: Any, options: Any) -> Any:
            return value * 2

    assert Doubling().reduce("SUM", tf.constant(2.0), "/cpu:0").numpy() == 4.0
