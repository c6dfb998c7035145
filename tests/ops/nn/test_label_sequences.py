"""Sequences of labels without repetitions."""

from __future__ import annotations

import pytest

from tests.ops.nn.recorded import MODES, Answer, check

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 0, 0, 0]], [5, 2])",
        [
            ("int32", (2, 3), [1, 2, 1, 3, 0, 0]),
            ("int32", (2,), [3, 1]),
        ],
    ),
    (
        "tf.nn.collapse_repeated([[1, 1, 1]], [0])",
        [
            ("int32", (1, 0), []),
            ("int32", (1,), [0]),
        ],
    ),
    (
        "tf.nn.collapse_repeated(tf.constant([[1, 2, 2]], tf.int64), [3])",
        [
            ("int64", (1, 2), [1, 2]),
            ("int32", (1,), [2]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)
