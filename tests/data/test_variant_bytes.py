"""Variants as bytes: those that TensorFlow wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.variant_bytes import variant_from_bytes, variant_to_bytes
from millrace._src.ops.ragged.variant import RaggedVariant
from millrace._src.ops.sparse.serialized import HeldTensor

ROWS = (
    b"\n\x13RaggedTensorVariant\x1a\r\x08\t\x12\x04\x12\x02\x08\x03R\x03\x00\x02\x03"
    b"\x1a\r\x08\x03\x12\x04\x12\x02\x08\x03:\x03\x01\x02\x03"
)
PART = b"\n\x12tensorflow::Tensor\x1a\x0b\x08\x03\x12\x04\x12\x02\x08\x01:\x01\x05"
ROW = b"\n\x13RaggedTensorVariant\x1a\x0b\x08\x03\x12\x04\x12\x02\x08\x01:\x01\x05"


@pytest.mark.parametrize(
    ("variant", "written"),
    [
        (RaggedVariant([np.int64([0, 2, 3])], np.int32([1, 2, 3]), tf.int64, tf.int32), ROWS),
        (RaggedVariant([], np.int32([5]), tf.int64, tf.int32), ROW),
        (HeldTensor(np.int32([5]), tf.int32), PART),
    ],
    ids=["ragged", "row", "part"],
)
def test_variants_have_the_bytes_of_tensorflow_when_written_and_read(variant: Any, written: bytes) -> None:
    assert variant_to_bytes(variant) == written
    assert repr(variant_from_bytes(written)) == repr(variant)


def test_other_variants_are_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="A variant that holds 3 cannot be written"):
        variant_to_bytes(3)
    with pytest.raises(tf.errors.UnimplementedError, match="a variant of type 'foo'"):
        variant_from_bytes(b"\n\x03foo")
