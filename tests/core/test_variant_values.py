"""Zeros of arrays of objects: texts and variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.variant_values import zeros_of


def test_zeros_of_texts_are_empty_texts() -> None:
    zeros = zeros_of(np.array([[b"a", b""], [b"c", b"d"]], object))
    assert zeros.tolist() == [[b"", b""], [b"", b""]]
    assert zeros_of(np.float32([1, 2])).tolist() == [0, 0]


@pytest.mark.parametrize("texts", [["a", "b"], [["a"], ["b"]]])
def test_the_zero_of_a_variant_of_texts_holds_texts(texts: Any) -> None:
    encoded = tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[[0, 2]], rt_dense_values=texts, batched_input=False)
    zero = tf.raw_ops.ZerosLike(x=encoded)
    decoded = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=zero, input_ragged_rank=1, output_ragged_rank=1, Tvalues=tf.string, Tsplits=tf.int64
    )
    assert decoded.output_dense_values.numpy().tolist() == np.full_like(np.array(texts, object), b"").tolist()


def test_the_zero_of_an_optional_of_texts_holds_texts() -> None:
    optional = tf.experimental.Optional.from_value(tf.constant(["a", "b"]))
    zero = tf.raw_ops.ZerosLike(x=optional._variant_tensor)
    (value,) = tf.raw_ops.OptionalGetValue(optional=zero, output_types=[tf.string], output_shapes=[[2]])
    assert value.numpy().tolist() == [b"", b""]


def test_what_has_no_zero_is_refused() -> None:
    dataset = tf.data.Dataset.range(3)
    with pytest.raises(tf.errors.InternalError, match="No unary variant unary_op function found for op ZEROS_LIKE"):
        tf.raw_ops.ZerosLike(x=dataset._variant_tensor)
