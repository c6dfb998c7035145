"""Flags of the command line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest

import millrace as tf

absl_flags = pytest.importorskip("absl.flags")
flags = tf.compat.v1.flags


@pytest.fixture
def _a_flag(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(logging, "warning", lambda *_: None)
    flags.DEFINE_integer(flag_name="test_flags_number", default_value=3, docstring="A number.")
    yield
    delattr(flags.FLAGS, "test_flags_number")


@pytest.mark.usefixtures("_a_flag")
def test_a_flag_that_is_asked_for_reads_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    absl_flags.FLAGS.unparse_flags()
    monkeypatch.setattr(sys, "argv", ["program", "--test_flags_number=7"])
    assert flags.FLAGS.test_flags_number == 7
    flags.FLAGS.test_flags_number = 8
    assert absl_flags.FLAGS.test_flags_number == 8
    assert "test_flags_number" in flags.FLAGS and "test_flags_number" in dir(flags.FLAGS)


def test_most_names_are_absls_own() -> None:
    assert flags.FlagValues is absl_flags.FlagValues and flags.DEFINE_enum is absl_flags.DEFINE_enum
    assert tf.compat.v1.app.flags is flags


def test_a_program_gets_the_arguments_that_are_no_flags() -> None:
    with pytest.raises(SystemExit) as stop:
        tf.compat.v1.app.run(lambda arguments: len(arguments), ["program", "a", "--unheard_of"])
    assert stop.value.code == 3
