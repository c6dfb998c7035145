"""Vectorisation: every op that is carried out on the whole batch gives what a loop over the elements gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_def import Effects, all_op_names, get_op
from millrace._src.ops.math.broadcasting import broadcast_shape
from millrace._src.ops.shape_rules import same_shape
from tests.contracts.sample import Sample, all_samples


def _is_direct(name: str) -> bool:
    """Whether the batch goes through the op as it is: one or two operands and one result, element by element."""
    op = get_op(name)
    if op.host_only or {"func", "list[func]"} & set(op.attr_kinds.values()) or op.effects({}) is not Effects.NONE:
        return False
    count = len(op.signature.inputs)
    single = len(op.signature.outputs) == 1 and not any(
        a.is_list for a in (*op.signature.inputs, *op.signature.outputs)
    )
    return single and (
        (op.shape_rule is same_shape and count == 1) or (op.shape_rule is broadcast_shape and count == 2)
    )


DIRECT = {name for name in all_op_names() if _is_direct(name)}
SAMPLES = [s for s in all_samples() if s.op in DIRECT and not s.random]


def test_many_ops_are_direct() -> None:
    assert len(DIRECT) > 80


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_batch_gives_what_a_loop_gives(sample: Sample) -> None:
    names = get_op(sample.op).signature.input_names
    operands = [tf.convert_to_tensor(x) for x in sample.inputs]

    def one(row: Any) -> Any:
        return getattr(tf.raw_ops, sample.op)(**dict(zip(names, row, strict=True)), **sample.attrs)

    rows = [tf.stack([x, x]) for x in operands]
    expected = one(operands)
    found = tf.vectorized_map(one, rows, warn=False)
    assert found.dtype is expected.dtype
    for row in found:
        np.testing.assert_array_equal(row.numpy(), expected.numpy())


def test_operands_of_different_rank_are_aligned_behind_the_batch() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = tf.vectorized_map(lambda e: e[0] * tf.ones([2, 2]) + e, x)
    assert found.numpy().tolist() == tf.map_fn(lambda e: e[0] * tf.ones([2, 2]) + e, x, tf.float32).numpy().tolist()
