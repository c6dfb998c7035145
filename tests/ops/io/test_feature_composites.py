"""Features that would be sparse or ragged tensors, which Millrace does not have yet."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.oracle.programs._messages import example, floats, ints, sequence

_PARTITIONED = tf.io.RaggedFeature(tf.float32, "v", [tf.io.RaggedFeature.RowSplits("s")])
_DATA = [example(v=floats(1), i=ints(0), s=ints(0, 1))]


@pytest.mark.parametrize(
    ("feature", "kind"),
    [
        (tf.io.VarLenFeature(tf.float32), "SparseTensor"),
        (tf.io.SparseFeature("i", "v", tf.float32, 4), "SparseTensor"),
        (tf.io.RaggedFeature(tf.float32), "RaggedTensor"),
        (_PARTITIONED, "RaggedTensor"),
    ],
    ids=["sparse", "merged", "ragged", "partitioned"],
)
def test_features_that_need_a_composite_are_refused_in_words(feature: Any, kind: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=f"The feature 'v' would be a {kind}, which Millrace"):
        tf.io.parse_example(_DATA, {"v": feature} if feature is not _PARTITIONED else {"v": _PARTITIONED})


def test_feature_lists_that_need_a_composite_are_refused_in_words() -> None:
    data = sequence({"a": ints(1)}, {"x": [ints(1)]})
    for lists, kind in (
        (tf.io.VarLenFeature(tf.int64), "SparseTensor"),
        (tf.io.RaggedFeature(tf.int64), "RaggedTensor"),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match=f"The feature 'x' would be a {kind}, which Millrace"):
            tf.io.parse_single_sequence_example(data, sequence_features={"x": lists})
