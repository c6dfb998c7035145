"""Sparse tensors are not built yet: the class answers, making one is refused."""

from __future__ import annotations

import pytest

import millrace as tf


def test_no_value_is_a_sparse_tensor() -> None:
    assert not isinstance(tf.constant([0.0, 1.0]), tf.SparseTensor)
    assert tf.sparse.SparseTensor is tf.SparseTensor


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.SparseTensor([[0]], [1.0], [2]),
        lambda: tf.SparseTensor.from_value(None),
        lambda: tf.sparse.add(1.0, 2.0),
        lambda: tf.sparse.maximum(1.0, 2.0),
        lambda: tf.sparse.minimum(1.0, 2.0),
    ],
)
def test_sparse_tensors_are_refused(make) -> None:
    with pytest.raises(NotImplementedError, match="is not built yet in Millrace: sparse tensors are missing"):
        make()
