"""How eager ops are run: settings that are kept."""

from __future__ import annotations

import pytest

import millrace as tf

experimental = tf.config.experimental


def test_policies_are_kept_and_unknown_ones_refused() -> None:
    try:
        experimental.set_device_policy("warn")
        assert experimental.get_device_policy() == "warn"
        with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'bad'"):
            experimental.set_device_policy("bad")
    finally:
        experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"


def test_synchronous_execution_is_kept() -> None:
    try:
        experimental.set_synchronous_execution(False)
        assert experimental.get_synchronous_execution() is False
    finally:
        experimental.set_synchronous_execution(None)
    assert experimental.get_synchronous_execution() is True


def test_the_mlir_bridge_changes_nothing() -> None:
    assert experimental.enable_mlir_bridge() is experimental.disable_mlir_bridge() is None
