"""Broadcasting, forwards and backwards."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.math.broadcasting import shape_text, static_reduced_axes


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((2, 3), (3,), ((), (0,))),
        ((None, 3), (3,), ((), (0,))),
        ((None, 3), (1, 3), ((), (0,))),
        ((None,), (None,), None),
        ((None,), (4,), None),
        (None, (4,), None),
        ((2, 1), (1, 3), ((1,), (0,))),
        ((), (2, 2), ((0, 1), ())),
        ((1,), (1,), ((), ())),
        ((1, 3), (3,), ((), (0,))),
        ((3,), (1, None), None),
    ],
)
def test_axes_to_sum_over_follow_from_static_shapes(first: Any, second: Any, expected: Any) -> None:
    assert static_reduced_axes(first, second) == expected


def test_shapes_are_written_as_the_runtime_writes_them() -> None:
    assert shape_text(tf.TensorShape([2, None])) == "[2,?]"
    assert shape_text(tf.TensorShape(None)) == "<unknown>"
    assert shape_text(()) == "[]"
