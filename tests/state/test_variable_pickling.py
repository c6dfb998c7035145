"""Variables through `pickle`, which TensorFlow refuses: value, dtype, static shape and traits come back."""

from __future__ import annotations

import pickle

import numpy as np

import millrace as tf


def test_a_variable_survives_pickle() -> None:
    v = tf.Variable([1.0, 2.0], name="w", trainable=False, shape=[None])
    w = pickle.loads(pickle.dumps(v))
    assert np.asarray(w).tolist() == [1.0, 2.0]
    assert (w.name, w.trainable, w.shape.as_list(), w.dtype) == ("w:0", False, [None], tf.float32)
    w.assign([3.0])
    assert np.asarray(v).tolist() == [1.0, 2.0]


def test_a_variable_of_strings_or_bfloat16_survives_pickle() -> None:
    for initial in (tf.constant(["a", b"\xff"]), tf.constant([1.5], tf.bfloat16)):
        v = pickle.loads(pickle.dumps(tf.Variable(initial)))
        assert v.dtype is initial.dtype
        assert bool(tf.reduce_all(v == initial))
