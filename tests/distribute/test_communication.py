"""Tests for hints about communication."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

experimental = tf.distribute.experimental


def test_implementations_go_by_name() -> None:
    options = experimental.CommunicationOptions(implementation="nccl")
    assert options.implementation is experimental.CollectiveCommunication.NCCL


def test_hints_are_options() -> None:
    hints = experimental.CollectiveHints(50, 1.0)
    assert isinstance(hints, experimental.CommunicationOptions)
    assert (hints.bytes_per_pack, hints.timeout_seconds) == (50, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bytes_per_pack": -1}, "Argument `bytes_per_pack` must be >=0, Received -1"),
        ({"implementation": "x"}, "'X' is not a valid CommunicationImplementation"),
        ({"implementation": 3}, "Argument `implementation` must be instance of"),
    ],
)
def test_wrong_options_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        experimental.CommunicationOptions(**arguments)
