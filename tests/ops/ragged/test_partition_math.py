"""The forms of a partition, eagerly and in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.ragged.partition_math import (
    is_eager,
    rowids_of_splits,
    size_of,
    splits_of_lengths,
    splits_of_rowids,
)


@given(st.lists(st.integers(0, 5), max_size=6), st.sampled_from([tf.int32, tf.int64]))
def test_graphs_compute_what_numpy_computes(lengths: list[int], dtype: Any) -> None:
    expected_splits = np.cumsum([0, *lengths]).tolist()
    expected_rowids = np.repeat(np.arange(len(lengths)), lengths).tolist()

    def forms(lengths: Any) -> Any:
        splits = splits_of_lengths(lengths)
        rowids = rowids_of_splits(splits)
        return splits, rowids, splits_of_rowids(rowids, size_of(lengths, dtype))

    signature = [tf.TensorSpec([None], dtype)]
    for call in (forms, tf.function(forms, input_signature=signature, autograph=False)):
        splits, rowids, again = call(tf.constant(lengths, dtype))
        assert splits.numpy().tolist() == again.numpy().tolist() == expected_splits
        assert rowids.numpy().tolist() == expected_rowids
        assert {splits.dtype, rowids.dtype, again.dtype} == {dtype}


def test_symbolic_tensors_are_not_eager() -> None:
    x = tf.constant([1])
    assert is_eager(x, x)
    with tf.Graph().as_default():
        assert not is_eager(x)
        assert not is_eager(tf.constant([1]))
