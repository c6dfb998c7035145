"""A check behind each floating point tensor of a graph."""

from __future__ import annotations

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_the_check_names_the_tensor_that_is_no_number() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        tf.math.log(x, name="logarithm")
        check = v1.add_check_numerics_ops()
        session.run(check, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="logarithm:0"):
            session.run(check, {x: -1.0})


def test_eager_mode_has_no_graph_to_check() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.add_check_numerics_ops()
