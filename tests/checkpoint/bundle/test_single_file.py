"""Keys and values of TensorFlow's first form of checkpoints."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.checkpoint.bundle.single_file import decode_slice, encode_slice
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from tests.ops.array.answers import check_refusal


def test_a_slice_is_the_one_of_tensorflow() -> None:
    key, value = encode_slice(b"x", TensorSlice.whole(1), np.array([0, 1], np.float32), tf.float32)
    assert key == b"\0x\0\1\1\1\x80\x7f"
    assert value.hex() == "12130a017812020a001a0a2a08000000000000803f"
    assert decode_slice(value, tf.float32, (2,)).tolist() == [0, 1]


def test_values_that_do_not_fit_are_refused() -> None:
    _, value = encode_slice(b"x", TensorSlice.whole(1), np.array([0, 1], np.float32), tf.float32)
    for shape in ((3,), (), (1 << 60,)):
        check_refusal(
            lambda shape=shape: decode_slice(value, tf.float32, shape), tf.errors.DataLossError, "TensorProto: 2"
        )
    check_refusal(
        lambda: decode_slice(value, tf.variant, (2,)), tf.errors.DataLossError, "Element type not supported in"
    )
    check_refusal(
        lambda: decode_slice(b"\xff", tf.float32, (2,)), tf.errors.DataLossError, "a value that is not a message"
    )
