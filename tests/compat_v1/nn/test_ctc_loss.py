"""`tf.compat.v1.nn.ctc_loss`: the loss of today with the last label as the blank, and its own names and switches."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

ctc_loss = tf.compat.v1.nn.ctc_loss
LABELS = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([0, 0], tf.int32), [1, 2])
LOGITS = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(4, 1, 3)


def test_the_last_label_is_the_blank() -> None:
    expected = tf.nn.ctc_loss(LABELS, LOGITS, None, [4], blank_index=-1)
    np.testing.assert_allclose(ctc_loss(LABELS, LOGITS, [4]), expected, rtol=1e-6)


def test_scores_have_two_names_and_two_orders() -> None:
    loss = ctc_loss(LABELS, LOGITS, [4])
    np.testing.assert_array_equal(ctc_loss(LABELS, logits=LOGITS, sequence_length=[4]), loss)
    np.testing.assert_array_equal(ctc_loss(LABELS, LOGITS.transpose(1, 0, 2), [4], time_major=False), loss)
    with pytest.raises(ValueError, match="'inputs'"):
        ctc_loss(LABELS, LOGITS, [4], logits=LOGITS)


def test_labels_that_do_not_fit_raise_or_cost_nothing() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        ctc_loss(LABELS, LOGITS, [1])
    assert ctc_loss(LABELS, LOGITS, [1], ignore_longer_outputs_than_inputs=True).numpy().tolist() == [0.0]


def test_equal_labels_are_one_if_they_are_merged_first_and_need_no_blank_if_paths_are_not_merged() -> None:
    merged_labels = tf.SparseTensor([[0, 0]], tf.constant([0], tf.int32), [1, 1])
    collapsed = ctc_loss(LABELS, LOGITS, [4], preprocess_collapse_repeated=True)
    np.testing.assert_allclose(collapsed, ctc_loss(merged_labels, LOGITS, [4]), rtol=1e-6)
    assert np.isfinite(ctc_loss(LABELS, LOGITS, [2], ctc_merge_repeated=False)).all()


def test_dense_labels_are_refused() -> None:
    with pytest.raises(TypeError, match="Expected argument `labels` to be a SparseTensor"):
        ctc_loss([[0, 0]], LOGITS, [4])
