"""Tests for the plain values about input."""

from __future__ import annotations

import pytest

import millrace as tf


def test_fetching_to_the_device_is_the_default() -> None:
    assert tf.distribute.InputOptions().experimental_fetch_to_device is True
    assert tf.distribute.InputOptions(False).experimental_fetch_to_device is False


def test_part_of_a_batch_must_be_whole() -> None:
    context = tf.distribute.InputContext(num_replicas_in_sync=4)
    assert context.get_per_replica_batch_size(8) == 2
    with pytest.raises(ValueError, match="`global_batch_size` 9 is not divisible by `num_replicas_in_sync` 4"):
        context.get_per_replica_batch_size(9)


def test_texts_of_contexts() -> None:
    assert str(tf.distribute.InputContext(2, 1)) == "tf.distribute.InputContext(input pipeline id 1, total: 2)"
    text = "tf.distribute.ValueContext(replica id 1,  total replicas in sync: 2)"
    assert str(tf.distribute.experimental.ValueContext(1, 2)) == text


def test_run_options_are_a_tuple() -> None:
    assert tuple(tf.distribute.RunOptions()) == (True, False, None)
