"""The text of ragged tensors as a string tensor."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.display import display_text

_LONG = tf.ragged.constant([list(range(20)), [1]])


@pytest.mark.parametrize(
    ("ragged", "expected"),
    [
        (tf.ragged.constant([[1, 2], [], [3]]), "[[1, 2], [], [3]]"),
        (tf.ragged.constant([[1.5, 2.0], [], [3.25]]), "[[1.500000, 2.000000], [], [3.250000]]"),
        (tf.ragged.constant([[True], [False, True]]), "[[true], [false, true]]"),
        (tf.ragged.constant([["a'b", 'q"'], ["\n\\"]]), "[['a\\'b', 'q\"'], ['\n\\\\']]"),
        (tf.ragged.constant([[[1], [2, 3]], []]), "[[[1], [2, 3]], []]"),
        (tf.ragged.constant([[[1, 2], [3, 4]], []], inner_shape=(2,)), "[[[1, 2], [3, 4]], []]"),
        (tf.ragged.constant([[[1, 2]]], inner_shape=(2,), row_splits_dtype=tf.int32), "[[[1, 2]]]"),
        (tf.ragged.constant([], ragged_rank=1), "[]"),
        (tf.ragged.constant([[], [[]]]), "[[], [[]]]"),
    ],
)
def test_text_is_that_of_nested_lists(ragged: Any, expected: str) -> None:
    assert display_text(ragged).numpy().decode() == expected
    assert tf.function(display_text, autograph=False)(ragged).numpy().decode() == expected


@pytest.mark.parametrize(
    ("summarize", "expected"),
    [
        (3, "[[0, 1, 2, ..., 17, 18, 19], [1]]"),
        (1, "[[0, ..., 19], [1]]"),
        (10, f"[{list(range(20))}, [1]]"),
        (-1, f"[{list(range(20))}, [1]]"),
    ],
)
def test_the_middle_of_a_long_row_is_left_out(summarize: int, expected: str) -> None:
    assert display_text(_LONG, summarize).numpy().decode() == expected


def test_many_rows_are_summarized_too() -> None:
    rows = tf.ragged.constant([[i] * (i % 3) for i in range(20)])
    assert display_text(rows, 2).numpy() == b"[[], [1], ..., [], [19]]"


@pytest.mark.parametrize("summarize", [0, -2])
def test_a_summary_of_nothing_is_refused(summarize: int) -> None:
    with pytest.raises(ValueError, match=f"Expected summarize to be -1 or a positive int, got {summarize}"):
        display_text(_LONG, summarize)
