"""Ragged tensors are not built yet: the class answers, making one is refused."""

from __future__ import annotations

import pytest

import millrace as tf


def test_no_value_is_a_ragged_tensor() -> None:
    assert not isinstance(tf.constant([[0.0], [1.0]]), tf.RaggedTensor)


def test_ragged_tensors_are_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"tf\.RaggedTensor\.from_row_splits is not built yet in Millrace"):
        tf.RaggedTensor.from_row_splits([1, 2], [0, 1, 2])
    with pytest.raises(NotImplementedError, match=r"tf\.RaggedTensor\.from_tensor is not built yet in Millrace"):
        tf.RaggedTensor.from_tensor([[1, 2]])
    with pytest.raises(ValueError, match="RaggedTensor constructor is private"):
        tf.RaggedTensor([1], None)
