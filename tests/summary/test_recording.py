"""Conditions, steps and scopes; TensorFlow's answers are in the oracle's programs."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.summary.recording import eager_bool, scope_name, tag_of


def test_answers_of_eager_calls_are_shared() -> None:
    assert eager_bool(True) is eager_bool(True)
    assert tf.summary.should_record_summaries() is eager_bool(False)


@pytest.mark.parametrize(("name", "expected"), [("a b", "ab"), ("é", ""), ("a/b-c_d.e", "a/b-c_d.e"), ("a>b", "ab")])
def test_names_of_scopes_have_no_odd_characters(name: str, expected: str) -> None:
    assert scope_name(name) == expected


def test_tags_stand_below_the_scope() -> None:
    with tf.name_scope("out"):
        assert tag_of("x y") == "out/x y"
    assert tag_of("x") == "x"


def test_a_condition_ends_with_its_scope() -> None:
    from millrace._src.summary.recording import recording

    with pytest.raises(KeyError), tf.summary.record_if(False):
        raise KeyError("x")
    assert recording.condition is True
