"""Variables without a value: reading one fails as in Python, a function that ends without a value returns None."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.autograph.operators.undefined_variables import Undefined, container, is_defined, ld, ldu, ret


def test_a_variable_without_a_value_cannot_be_read() -> None:
    with pytest.raises(UnboundLocalError, match=r"^'y' is used before assignment$"):
        ld(Undefined("y"))
    assert ld(3) == 3


def test_only_a_missing_value_is_undefined() -> None:
    assert not is_defined(Undefined("y"))
    assert all(is_defined(value) for value in (None, 0, "", tf.constant(0)))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda: object().missing, "x.missing"),  # type: ignore[attr-defined]
        (lambda: {}["k"], "x['k']"),
        (lambda: "a"[len("a")], "x[0]"),
        (lambda: ld(Undefined("x")), "x.y"),
        (lambda: container(tf.constant([1]))[0], "x[0]"),
    ],
)
def test_a_missing_attribute_or_item_has_no_value(read: Any, text: str) -> None:
    value = ldu(read, text)
    assert isinstance(value, Undefined) and value.name == text


def test_other_errors_of_a_read_are_the_users() -> None:
    with pytest.raises(ZeroDivisionError):
        ldu(lambda: 1 / 0, "x.y")


def test_a_function_that_came_to_its_end_returns_none() -> None:
    assert ret(False, Undefined("retval_")) is None
    assert ret(True, 3) == 3


READS = [
    "return y",
    "y += 1\n    return y",
    "return [y]",
    "return (lambda: y)()",
    "def g():\n        return (lambda: y)()\n    return g()",
]


@pytest.mark.parametrize("read", READS)
def test_reading_what_only_one_branch_assigned_names_the_variable(read: str, tmp_path: Any) -> None:
    path = tmp_path / "reads.py"
    path.write_text(f"def f(x, n):\n    for i in range(n):\n        y = x\n    if x > 0:\n        x = 1\n    {read}\n")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    with pytest.raises((UnboundLocalError, NameError), match="'y'") as caught:
        tf.function(namespace["f"])(tf.constant(1), 0)
    assert "ag__" not in str(caught.value)
    assert tf.function(namespace["f"])(tf.constant(1), 1) is not None
