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


MOVED = {
    *("AddN", "BatchMatMulV2", "BroadcastTo", "ConcatV2", "Cumprod", "Cumsum", "ExpandDims", "GatherV2", "MatMul"),
    *("Max", "Mean", "Min", "Pack", "Prod", "Reshape", "ScatterNd", "Slice", "StridedSlice", "StridedSliceGrad", "Sum"),
    *("Tile", "Transpose", "UnsortedSegmentSum", "ReluGrad", "SigmoidGrad", "TanhGrad", "SeluGrad", "SoftplusGrad"),
}
MOVED_SAMPLES = [s for s in all_samples() if s.op in MOVED and not s.random]


def _is_floating(x: Any) -> bool:
    return not isinstance(x, (list, tuple)) and tf.convert_to_tensor(x).dtype in (tf.float32, tf.float64)


@pytest.mark.parametrize("sample", [s for s in MOVED_SAMPLES if any(map(_is_floating, s.inputs))], ids=str)
def test_ops_whose_axes_move_give_what_a_loop_gives_for_rows_that_differ(sample: Sample) -> None:
    """The floating operands differ from row to row, the sizes and places do not."""
    names = get_op(sample.op).signature.input_names
    places = [i for i, x in enumerate(sample.inputs) if _is_floating(x)]

    def one(row: Any) -> Any:
        inputs = list(sample.inputs)
        for place, value in zip(places, row, strict=True):
            inputs[place] = value
        return getattr(tf.raw_ops, sample.op)(**dict(zip(names, inputs, strict=True)), **sample.attrs)

    first = [tf.convert_to_tensor(sample.inputs[i]) for i in places]
    second = [x * 2.0 + 1.0 for x in first]
    found = tf.vectorized_map(one, [tf.stack(pair) for pair in zip(first, second, strict=True)], warn=False)
    for row, expected in zip(found, (one(first), one(second)), strict=True):
        np.testing.assert_allclose(row.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda e: e[::-1] * e[1:2],
        lambda e: tf.slice(e, [1], [2]),
        lambda e: tf.tile(e, [2]),
        lambda e: tf.broadcast_to(e, [2, 3]),
        lambda e: tf.add_n([e, e * 2.0, tf.ones([3])]),
        lambda e: tf.cumsum(e, reverse=True),
        lambda e: tf.gather(e, [2, 0]),
        lambda e: tf.scatter_nd([[1], [1], [0]], e, [4]),
        lambda e: tf.math.unsorted_segment_sum(e, [1, 1, 0], 2),
        lambda e: tf.stack([e[None], e[None]]) @ tf.ones([3, 2]),
        lambda e: tf.function(lambda x: tf.sin(x) * x, autograph=False)(e),
    ],
)
def test_these_need_no_loop(function: Any) -> None:
    rows = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    found = tf.vectorized_map(function, rows, fallback_to_while_loop=False)
    for row, expected in zip(found, map(function, rows), strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_the_jacobian_of_a_network_needs_no_loop(caplog: pytest.LogCaptureFixture) -> None:
    def gradients(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.nn.softmax(tf.tanh(row[None] @ tf.ones([3, 4]))[:, 1:] + tf.reduce_sum(row))
        return tape.gradient(y, row)

    rows = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    found = tf.vectorized_map(gradients, rows, fallback_to_while_loop=False)
    np.testing.assert_allclose(found, tf.stack([gradients(r) for r in rows]), rtol=1e-5, atol=1e-7)
