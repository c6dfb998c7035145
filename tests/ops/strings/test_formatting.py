"""tf.strings.format and StringFormat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

SAMPLES = [
    Sample("StringFormat", inputs=([np.arange(3), np.array(1.5)],), attrs={"template": "%s and %s"}),
    Sample("StringFormat", inputs=([np.array([b"a"], dtype=object)],), attrs={"template": "{}", "placeholder": "{}"}),
]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("{} and {}", (1, [2.5, 3.0])), "1 and [2.5 3]"),
        (("{}", tf.range(10)), "[0 1 2 ... 7 8 9]"),
        (("{}", tf.range(10), "{}", -1), "[0 1 2 3 4 5 6 7 8 9]"),
        (("{}", tf.constant([["a", "b"]])), '[["a" "b"]]'),
        (("plain", ()), "plain"),
        (("%s", (1,), "%s"), "1"),
        (("{}", tf.ones([2, 3])), "[[1 1 1]\n [1 1 1]]"),
    ],
)
def test_format_puts_tensors_into_a_template(arguments: Any, expected: str) -> None:
    assert tf.strings.format(*arguments).numpy().decode() == expected


def test_format_counts_its_placeholders() -> None:
    words = "The template expects 1 tensors, but the inputs only has 2. Please ensure the number of placeholders"
    check_refusal(lambda: tf.strings.format("{}", (1, 2)), ValueError, words)
    words = "num placeholders in template and num inputs must match: 1 vs. 2"
    refused = tf.errors.InvalidArgumentError
    check_refusal(lambda: tf.raw_ops.StringFormat(inputs=[1, 2], template="%s"), refused, words)
    with pytest.raises(TypeError, match=r"object of type 'int' has no len\(\)"):
        tf.strings.format("{}", 1)


def test_format_in_a_function_sees_the_values_of_each_call() -> None:
    f = tf.function(lambda x: tf.strings.format("<{}>", x), autograph=False)
    assert f(tf.constant([1, 2])).numpy() == b"<[1 2]>"
    assert f(tf.constant([3, 4])).numpy() == b"<[3 4]>"
    assert f(tf.Variable(5)).numpy() == b"<5>"
