"""How public functions read strides, paddings and batch dimensions."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.nn.arguments import (
    for_all_dimensions,
    is_channels_first,
    merge_batch_dimensions,
    padding_attributes,
)


@pytest.mark.parametrize(
    ("value", "axis", "expected"),
    [
        (None, 3, [1, 1, 1, 1]),
        (2, 3, [1, 2, 2, 1]),
        ([2], 1, [1, 1, 2, 2]),
        ([2, 3], 3, [1, 2, 3, 1]),
        ((1, 2, 3, 1), 3, [1, 2, 3, 1]),
    ],
)
def test_one_number_a_dimension(value: Any, axis: int, expected: list[int]) -> None:
    assert for_all_dimensions(value, 2, axis, "strides") == expected


def test_a_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="strides should be of length 1, 2 or 4"):
        for_all_dimensions([1, 2, 3], 2, 3, "strides")


def test_explicit_paddings_are_flattened() -> None:
    assert padding_attributes("SAME") == ("SAME", [])
    assert padding_attributes([[0, 0], [1, 2], [3, 4], [0, 0]]) == ("EXPLICIT", [0, 0, 1, 2, 3, 4, 0, 0])


@pytest.mark.parametrize("padding", ["EXPLICIT", [[0, 0]], [1, 2, 3, 4], [[0], [0], [0], [0]]])
def test_bad_paddings_are_refused(padding: Any) -> None:
    with pytest.raises(ValueError, match="padding"):
        padding_attributes(padding)


def test_formats_with_channels_first_start_with_nc() -> None:
    assert is_channels_first("NCHW")
    assert not is_channels_first("NHWC")
    assert not is_channels_first(None)


def test_batch_dimensions_are_merged_and_split_again() -> None:
    @tf.function(input_signature=[tf.TensorSpec([2, None, 4, 3])])
    def f(x: Any) -> Any:
        y = merge_batch_dimensions(x, lambda t: t[:, :2], 2, None)
        assert y.shape.as_list() == [2, None, 2, 3]
        return y

    x = tf.reshape(tf.range(2.0 * 5 * 4 * 3), [2, 5, 4, 3])
    assert (f(x).numpy() == x.numpy()[:, :, :2]).all()
