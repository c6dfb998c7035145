"""`tf.compat.v1.cond`."""

from __future__ import annotations

import pytest

import millrace as tf

cond = tf.compat.v1.cond


def test_old_names_of_functions() -> None:
    assert cond(tf.constant(False), fn1=lambda: 1, fn2=lambda: 2) == 2
    with pytest.raises(TypeError, match="'true_fn' and 'fn1' may not be set simultaneously"):
        cond(tf.constant(True), lambda: 1, lambda: 2, fn1=lambda: 3)


def test_a_list_of_one_loses_its_list_in_eager_mode_alone() -> None:
    assert cond(tf.constant(True), lambda: [1], lambda: [2]) == 1
    assert cond(tf.constant(True), lambda: [1], lambda: [2], strict=True) == [1]
    staged = tf.function(lambda p: cond(p, lambda: [tf.constant(1)], lambda: [tf.constant(2)]))
    assert len(staged(tf.constant(True))) == 1
