"""Recurrent networks over cells that a program brings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.compat_v1.nn.recurrent_cells import batch_size_of, dtype_of_state, require_cell

v1 = tf.compat.v1


class Sums:
    """Adds up what the cell has seen."""

    state_size = output_size = 1

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return tf.zeros([batch_size, 1], dtype)

    def __call__(self, x: Any, state: Any) -> Any:
        return state + x, state + x


X = np.arange(1, 7, dtype=np.float32).reshape(2, 3, 1)


@pytest.mark.parametrize("lengths", [None, [1, 3], [0, 2]])
def test_the_loop_and_the_written_steps_agree(lengths: Any) -> None:
    outputs, state = v1.nn.dynamic_rnn(Sums(), tf.constant(X), lengths, dtype=tf.float32)
    steps, last = v1.nn.static_rnn(Sums(), list(X.transpose(1, 0, 2)), dtype=tf.float32, sequence_length=lengths)
    assert np.array_equal(outputs, np.stack(steps, 1)) and np.array_equal(state, last)
    sums = np.cumsum(X, axis=1)
    for row, length in enumerate([3, 3] if lengths is None else lengths):
        assert np.array_equal(outputs[row, :length], sums[row, :length])
        assert not np.any(outputs[row, length:])


def test_a_cell_says_what_it_lacks() -> None:
    require_cell("cell", Sums())
    with pytest.raises(TypeError, match=r"is not an RNNCell: 'state_size' property is missing, is not callable"):
        require_cell("cell", type("Half", (), {"output_size": 1, "zero_state": None})())


def test_states_of_several_dtypes_need_a_dtype() -> None:
    state = (tf.zeros([1]), tf.zeros([1], tf.int32))
    assert dtype_of_state("float64", state) is tf.float64
    with pytest.raises(ValueError, match="different inferred dtypes"):
        dtype_of_state(None, state)


def test_the_batch_is_a_number_where_it_is_known() -> None:
    assert batch_size_of(tf.zeros([4, 2]), 0) == 4
