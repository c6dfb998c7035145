"""Values that cannot be constants of a graph; the answers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

UNEVEN = "setting an array element with a sequence. The requested array has an inhomogeneous shape"


@pytest.mark.parametrize(
    ("value", "dtype", "error", "words"),
    [
        ([[1, "a"]], tf.float32, TypeError, "Expected float32, but got a of type 'str'."),
        ([1, 2.5], tf.int32, TypeError, "Expected int32, but got 2.5 of type 'float'."),
        ([1, None], tf.int32, TypeError, "Expected int32, but got None of type 'NoneType'."),
        (1j, tf.float32, TypeError, "Expected float32, but got 1j of type 'complex'."),
        (["a", 1], tf.string, TypeError, "Expected string, but got 1 of type 'int'."),
        ([True, 1], tf.bool, TypeError, "Expected bool, but got 1 of type 'int'."),
        ([[1, 2], [3]], tf.int32, ValueError, UNEVEN),
        ([[1, 2], [3]], tf.string, TypeError, "Expected string, but got 1 of type 'int'."),
        ([1, [2]], None, ValueError, UNEVEN),
        (None, None, ValueError, "None values not supported."),
        (["a", 1], None, TypeError, "Failed to convert elements of ['a', 1] to Tensor. Consider casting elements"),
        ({"a": 1}, None, TypeError, "Failed to convert elements of {'a': 1} to Tensor. Consider casting elements"),
    ],
)
def test_a_graph_says_what_does_not_fit(value: Any, dtype: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error) as caught:
        tf.constant(value, dtype)
    assert str(caught.value).startswith(words)


def test_eager_mode_keeps_its_own_words() -> None:
    with pytest.raises(ValueError, match="Can't convert Python sequence with mixed types to Tensor"):
        tf.constant([[1, "a"]], tf.float32)
