"""String functions of ragged tensors: join and format."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

_TEXT = tf.ragged.constant([["a b", "c"], [], ["d"]])
_NUMBERS = tf.ragged.constant([[1, 2], [], [3]])


@pytest.mark.parametrize("call", ["eager", "function"])
def test_ragged_strings_are_joined_element_by_element(call: str) -> None:
    def join(text: Any) -> Any:
        return [tf.strings.join([text, text]), tf.strings.join(["<", text, ">"], separator="-")]

    doubled, framed = (join if call == "eager" else tf.function(join, autograph=False))(_TEXT)
    assert doubled.to_list() == [[b"a ba b", b"cc"], [], [b"dd"]]
    assert framed.to_list() == [[b"<-a b->", b"<-c->"], [], [b"<-d->"]]


def test_ragged_strings_of_other_shapes_are_not_joined() -> None:
    with pytest.raises(ValueError, match="flat_values must all have the same outer-dimension size"):
        tf.strings.join([_TEXT, tf.ragged.constant([["a"]])])


@pytest.mark.parametrize("call", ["eager", "function"])
def test_ragged_tensors_in_templates(call: str) -> None:
    def formatted(text: Any) -> Any:
        return [
            tf.strings.format("<{}>", text),
            tf.strings.format("{} and {}", (_NUMBERS, tf.constant([1, 2]))),
            tf.strings.format("%%", [_NUMBERS, text], placeholder="%", summarize=1),
        ]

    texts = (formatted if call == "eager" else tf.function(formatted, autograph=False))(_TEXT)
    assert texts[0].numpy() == b"<[['a b', 'c'], [], ['d']]>"
    assert texts[1].numpy() == b"[[1, 2], [], [3]] and [1 2]"
    assert texts[2].numpy() == b"[[1, 2], ..., [3]][['a b', 'c'], ..., ['d']]"


def test_templates_have_a_field_for_each_tensor() -> None:
    with pytest.raises(ValueError, match="num placeholders in template and num inputs must match: 2 vs 1"):
        tf.strings.format("{} {}", _NUMBERS)
