"""Expressions on the command line make arrays, and can do nothing else."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.input_expressions import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1.5e3", -1500.0),
        ("1_000", 1000),
        ("'a' 'b'", "ab"),
        ("b'x'", b"x"),
        ("True", True),
        ("None", None),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("(1, [2.5])", (1, [2.5])),
        ("[{'id': [26], 'weights': [0.5, 0.5]}]", [{"id": [26], "weights": [0.5, 0.5]}]),
        ("1 + 2 * 3", 7),
        ("1+2j", 1 + 2j),
    ],
)
def test_literals_are_what_they_are(text: str, value: Any) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "array"),
    [
        ("np.ones((1, 2))", np.ones((1, 2))),
        ("numpy.zeros([2], dtype=np.int32)", np.zeros([2], np.int32)),
        ("np.zeros(2, 'float16')", np.zeros(2, np.float16)),
        ("np.arange(6).reshape(2, 3)", np.arange(6).reshape(2, 3)),
        ("np.arange(6).reshape((2, 3)).astype(np.float32)", np.arange(6, dtype=np.float32).reshape(2, 3)),
        ("np.array([[1, 2]]) * 2 - 0.5", np.array([[1.5, 3.5]])),
        ("-np.eye(2) / 4", -np.eye(2) / 4),
        ("(np.arange(4) % 2).astype(bool)", np.array([False, True, False, True])),
        ("np.full([2], np.nan)", np.full([2], np.nan)),
        ("np.linspace(0, 1, num=3)", np.linspace(0, 1, 3)),
        ("np.ones(2).astype(np.bfloat16)", np.ones(2, ml_dtypes.bfloat16)),
    ],
)
def test_arrays_are_made_with_numpys_words(text: str, array: Any) -> None:
    value = evaluate(text)
    assert (value.dtype, value.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(value, array)


def test_random_arrays_are_made() -> None:
    assert evaluate("np.random.rand(2, 3)").shape == (2, 3)
    assert evaluate("np.random.randint(0, 5, size=[4])").max() < 5


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getpid()",
        "open('/etc/passwd')",
        "np.load('a.npy')",
        "np.fromfile('a')",
        "np.ones(2).tofile('a')",
        "np.ones(2).dump('a')",
        "np.ones.__class__",
        "np.array.__globals__",
        "np.ones(2).__class__.__base__",
        "np.lib.npyio",
        "''.join(['a'])",
        "().__class__",
        "[x for x in [1]]",
        "lambda: 1",
        "(lambda: 1)()",
        "{1, 2}",
        "...",
        "f'{1}'",
        "'a' * 1000000000",
        "[0] * 10",
        "10 ** 10 ** 10",
        "1 if True else 2",
        "1 < 2",
        "not 1",
        "~1",
        "x",
        "(x := 1)",
        "np.ones(*[2])",
        "np.ones(**{'shape': 2})",
        "[*[1]]",
        "{**{}}",
        "np",
        "os.system('true')",
        "np.ones(2)[0]",
    ],
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(CommandError, match="is refused because of"):
        evaluate(text)


@pytest.mark.parametrize("text", ["", "1 +", "np.ones((1,2)", "x = 1", "import os", "1=2", "\0", "(" * 10_000])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="is not a valid python literal"):
        evaluate(text)


@pytest.mark.parametrize(
    "text",
    [
        "np.ones('a')",
        "1 / 0",
        "np.reshape(3, [2])",
        "np.zeros([10000000000000000])",
        "np.pi()",
        "np.ones(2).astype('nonsense')",
    ],
)
def test_what_has_no_value_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="has no value: "):
        evaluate(text)
