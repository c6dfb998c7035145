"""Checking all numbers: what is left behind, and the frames in messages; the rest is compared with TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.watching import is_watched
from millrace._src.graph.graph import Graph

PLAIN = Graph.add_operation


@pytest.fixture(autouse=True)
def mode_is_off_afterwards() -> Iterator[None]:
    yield
    tf.debugging.disable_check_numerics()


def text_of(call: Any) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    return str(caught.value)


def test_nothing_is_left_when_the_mode_is_off() -> None:
    tf.debugging.enable_check_numerics()
    assert is_watched()
    assert Graph.add_operation is not PLAIN
    tf.debugging.disable_check_numerics()
    assert not is_watched()
    assert Graph.add_operation is PLAIN


def test_the_inputs_of_an_eager_op_are_shown() -> None:
    tf.debugging.enable_check_numerics()
    text = text_of(lambda: tf.math.log(tf.constant([0.0])))
    assert "Input tensor: tf.Tensor([0.], shape=(1,), dtype=float32)" in text
    assert "# of -Inf elements: 1" in text


def test_the_users_line_of_a_node_is_shown() -> None:
    tf.debugging.enable_check_numerics()
    text = text_of(lambda: tf.function(lambda x: tf.math.log(x))(tf.constant([0.0])))
    assert "test_numerics_mode.py (L" in text
    assert " -> |   text = text_of(lambda: tf.function(lambda x: tf.math.log(x))(tf.constant([0.0])))" in text
    assert 'Graph name: "<lambda>"' in text


def test_frames_and_paths_are_limited() -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=1, path_length_limit=7)
    text = text_of(lambda: tf.function(lambda x: tf.math.log(x))(tf.constant([0.0])))
    assert "    + ... (Omitted " in text
    assert "    + ...mode.py (L" in text
    assert text.count(" -> |") == 1


def test_checks_have_names_of_their_own_in_scopes() -> None:
    tf.debugging.enable_check_numerics()

    @tf.function
    def f(x: Any) -> Any:
        with tf.name_scope("outer"):
            return tf.math.log(x)

    names = [o.name for o in f.get_concrete_function(tf.TensorSpec([1])).graph.get_operations()]
    assert "outer/Log/CheckNumericsV2" in names


def test_a_function_that_is_loaded_or_traced_later_is_not_checked() -> None:
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert tf.function(lambda x: tf.math.log(x))(tf.constant([0.0])).numpy() == [-float("inf")]
