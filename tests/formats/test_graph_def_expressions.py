"""TensorProto and import_graph_def answer as TensorFlow answered (recorded by `record_formats.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf
from tests.formats.expressions import ALL, answer

RECORDED = Path(__file__).parent / "recorded"


def _recorded(name: str) -> list[tuple[str, str]]:
    lines = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(expression, text.strip()) for expression, text in zip(lines[::2], lines[1::2], strict=True)]


def _without_location(text: str) -> str:
    """TensorFlow's text up to where it prints its own declaration of the op, whose allowed types may differ."""
    return text.partition("; Op<")[0].partition(" from Op<")[0]


@pytest.mark.parametrize("name", ["encode", "decode", "import"])
def test_recording_is_of_the_present_expressions(name: str) -> None:
    assert [expression for expression, _ in _recorded(name)] == ALL[name]


@pytest.mark.parametrize(("expression", "expected"), _recorded("encode"))
def test_tensor_proto_has_tensorflows_bytes(expression: str, expected: str) -> None:
    assert answer(tf, expression) == expected


@pytest.mark.parametrize(("expression", "expected"), _recorded("decode"))
def test_ndarray_has_tensorflows_values(expression: str, expected: str) -> None:
    assert answer(tf, expression) == expected


@pytest.mark.parametrize(("expression", "expected"), _recorded("import"))
def test_import_gives_tensorflows_nodes_and_errors(expression: str, expected: str) -> None:
    assert _without_location(answer(tf, expression)) == _without_location(expected)
