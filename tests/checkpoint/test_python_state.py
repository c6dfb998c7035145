"""`tf.train.experimental.PythonState`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf


class State(tf.train.experimental.PythonState):
    def __init__(self, value: Any) -> None:
        self.value = value

    def serialize(self) -> Any:
        return self.value

    def deserialize(self, string_value: bytes) -> None:
        self.value = string_value


@pytest.mark.parametrize(("value", "saved"), [("abc", b"abc"), (b"\xff\x00", b"\xff\x00"), ("é", "é".encode())])
def test_text_and_bytes_come_back_as_bytes(tmp_path: Path, value: Any, saved: bytes) -> None:
    path = tf.train.Checkpoint(state=State(value)).write(str(tmp_path / "c"))
    fresh = State("")
    tf.train.Checkpoint(state=fresh).read(path).assert_consumed()
    assert fresh.value == saved
    assert np.asarray(tf.train.load_variable(path, "state/.ATTRIBUTES/py_state"), object).item() == saved


@pytest.mark.parametrize("value", [3, None])
def test_other_values_are_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.train.Checkpoint(state=State(value)).write(str(tmp_path / "c"))


def test_a_class_must_say_how() -> None:
    with pytest.raises(TypeError, match="abstract"):
        tf.train.experimental.PythonState()


def test_in_a_function_the_state_is_that_of_the_call(tmp_path: Path) -> None:
    state = State("one")
    checkpoint = tf.train.Checkpoint(state=state)
    write = tf.function(lambda: checkpoint.write(str(tmp_path / "c")))
    for value in (b"one", b"two\x00"):
        state.value = value
        write()
        fresh = State("")
        tf.train.Checkpoint(state=fresh).read(str(tmp_path / "c"))
        assert fresh.value == value
