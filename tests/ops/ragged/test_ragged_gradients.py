"""Derivatives through ragged tensors: each program goes from flat values over a ragged function to flat values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.array.answers import sample_array as x

_SPLITS = np.int64([0, 2, 2, 5])


def _rows(values: Any) -> Any:
    return tf.RaggedTensor.from_row_splits(values, _SPLITS)


def _deep(values: Any) -> Any:
    return tf.RaggedTensor.from_nested_row_splits(values, [np.int64([0, 2, 3]), np.int64([0, 2, 3, 5])])


def _matrices(values: Any) -> Any:
    """Two matrices of one row and of two rows."""
    return tf.RaggedTensor.from_nested_row_splits(values, [np.int64([0, 1, 3]), np.int64([0, 1, 3, 5])])


def _flat(value: Any) -> Any:
    return value.flat_values if isinstance(value, tf.RaggedTensor) else value


def _program(op: str, function: Callable[..., Any], *inputs: Any, rtol: float | None = None) -> GradientProgram:
    def of_known_ranks(*values: Any) -> Any:
        pairs = zip(values, inputs, strict=True)
        return _flat(function(*[tf.ensure_shape(value, [None] * array.ndim) for value, array in pairs]))

    # XLA: the sizes of ragged results are values, which XLA cannot take
    return GradientProgram(op, of_known_ranks, inputs, xla=False, rtol=rtol)


GRADIENT_PROGRAMS = [
    _program("RaggedGather", lambda v, w: tf.concat([_rows(v), _rows(w)], 1), x([5]), x([5]) + 1),
    _program("ConcatV2", lambda v, w: tf.concat([_rows(v), _rows(w)], 0), x([5]), x([5]) + 1),
    _program("RaggedGather", lambda v, w: tf.stack([_rows(v), _rows(w)], 1), x([5]), x([5]) + 1),
    _program("RaggedGather", lambda v: tf.gather(_deep(v), [[1], [0]]), x([5])),
    _program("GatherV2", lambda v: tf.gather(_rows(v), [[1], [0], [2]], batch_dims=1), x([5])),
    _program("GatherV2", lambda v: tf.gather(v, tf.ragged.constant([[1, 1], [0]])), x([3, 2])),
    _program("GatherNd", lambda v: tf.gather_nd(_rows(v), [[0, 1, 1], [2, 2, 0]]), x([5, 2])),
    _program("GatherV2", lambda v: tf.reverse(_deep(v), [1, 2]), x([5])),
    _program("RaggedGather", lambda v: tf.tile(_rows(v), [2, 3]), x([5])),
    _program("RaggedGather", lambda v: tf.ragged.boolean_mask(_deep(v), [True, False]), x([5])),
    _program("GatherV2", lambda v: tf.ragged.boolean_mask(_rows(v), _rows(v) > 0.0), x([5]) + 0.1),
    _program("SelectV2", lambda v, w: tf.where(_rows(v) > 0.0, _rows(v), w), x([5]) + 0.1, x([3, 1])),
    _program("AddV2", lambda v, w: _deep(v) * w, x([5]), x([2, 1, 1])),
    _program("Mul", lambda v, w: _rows(v) * _rows(w), x([5]), x([5]) + 1),
    _program("UnsortedSegmentSum", lambda v: tf.reduce_sum(_deep(v), axis=2), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.reduce_sum(_deep(v), axis=1), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.reduce_mean(_deep(v), axis=[0, 2]), x([5])),
    _program("UnsortedSegmentProd", lambda v: tf.reduce_prod(_rows(v), axis=0), x([5]) + 0.1),
    _program("UnsortedSegmentMax", lambda v: tf.reduce_max(_deep(v), axis=2), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.math.reduce_variance(_deep(v), axis=2), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.reduce_logsumexp(_deep(v), axis=2), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.nn.softmax(_deep(v)), x([5])),
    _program("Cumsum", lambda v: tf.cumsum(_rows(v), axis=1, exclusive=True), x([5])),
    _program("UnsortedSegmentSum", lambda v: tf.math.unsorted_segment_mean(_rows(v), [1, 0, 1], 2), x([5])),
    _program("BatchMatMulV2", lambda v, w: tf.matmul(_matrices(v), _matrices(w), transpose_a=True), x([5]), x([5]) + 1),
    _program("BroadcastTo", lambda v: tf.broadcast_to(v, tf.shape(_rows(tf.zeros([5])))), x([3, 1])),
]


@pytest.mark.parametrize("program", GRADIENT_PROGRAMS, ids=str)
def test_the_gradient_reaches_all_flat_values(program: GradientProgram) -> None:
    inputs = [tf.constant(array) for array in program.inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = program.function(*inputs)
    gradients = tape.gradient(result, inputs)
    assert [tf.convert_to_tensor(g).shape for g in gradients] == [i.shape for i in inputs]


def test_a_value_that_occurs_twice_gets_both_gradients() -> None:
    values = tf.range(5.0)
    with tf.GradientTape() as tape:
        tape.watch(values)
        total = tf.reduce_sum(tf.concat([_rows(values), _rows(values)], 1) * 2.0)
    assert tape.gradient(total, values).numpy().tolist() == [4.0] * 5
