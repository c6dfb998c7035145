"""Requests: keys in order, keys that one description needs, and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.feature_requests import default_tensors, request_of

_KINDS = (tf.io.VarLenFeature, tf.io.SparseFeature, tf.io.FixedLenFeature, tf.io.RaggedFeature)


def test_keys_are_in_order_and_of_all_parts() -> None:
    ragged = tf.io.RaggedFeature
    features = {
        "z": tf.io.VarLenFeature(tf.string),
        "m": tf.io.SparseFeature(["j", "i"], "v", tf.float32, [3, 4]),
        "r": ragged(tf.float32, "w", [ragged.RowSplits("s"), ragged.UniformRowLength(2)], tf.int64),
        "d": tf.io.FixedLenFeature([], tf.int64),
    }
    request = request_of(features, _KINDS)
    assert request.sparse == {"i": tf.int64, "j": tf.int64, "v": tf.float32, "z": tf.string}
    assert request.ragged == {"w": (tf.float32, tf.int64), "s": (tf.int64, tf.int64)}
    assert list(request.dense) == ["d"]
    assert request_of(None, _KINDS).sparse == {}


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ({"a": 3}, "Unsupported int 3 for key 'a'"),
        ({"a": tf.io.FixedLenSequenceFeature([], tf.int64)}, "Unsupported FixedLenSequenceFeature"),
        (
            {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.SparseFeature("i", "a", tf.float32, 3)},
            "Conflicting type <dtype: 'int64'> vs <dtype: 'float32'> for feature a.",
        ),
        (
            {"a": tf.io.RaggedFeature(tf.int64), "b": tf.io.RaggedFeature(tf.int64, "a", row_splits_dtype=tf.int64)},
            "Conflicting row_splits_dtype <dtype: 'int32'> vs <dtype: 'int64'> for feature a.",
        ),
        (
            {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.RaggedFeature(tf.int64, "a")},
            "Dense and ragged keys must not intersect",
        ),
    ],
)
def test_descriptions_that_do_not_go_together_are_refused(features: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match="^" + words.replace("(", r"\(")):
        request_of(features, _KINDS)


def test_defaults_take_the_shape_of_the_feature() -> None:
    features = {
        "a": tf.io.FixedLenFeature([2, 1], tf.int64, [1, 2]),
        "b": tf.io.FixedLenFeature([2], tf.string),
        "c": tf.io.FixedLenFeature([], tf.float32, tf.constant(2.0)),
    }
    defaults = default_tensors(request_of(features, _KINDS).dense)
    assert [t.numpy().tolist() for t in defaults] == [[[1], [2]], [], 2.0]
    assert [t.dtype for t in defaults] == [tf.int64, tf.string, tf.float32]
