from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.core.op_capabilities import Capability
from millrace._src.saved_model.load_options import how_to_allow


def test_nothing_is_allowed_by_default() -> None:
    options = tf.saved_model.LoadOptions()
    assert options.allowed_capabilities is Capability.NOTHING
    assert not options.allow_partial_checkpoint and not options.experimental_skip_checkpoint
    assert options.experimental_variable_policy is tf.saved_model.experimental.VariablePolicy.NONE
    assert options.experimental_io_device is None and not options.experimental_load_function_aliases


def test_each_option_allows_its_capabilities() -> None:
    options = tf.saved_model.LoadOptions(allow_file_reads=True, allow_python=True)
    assert options.allowed_capabilities == Capability.READS_FILES | Capability.RUNS_PYTHON
    assert tf.saved_model.LoadOptions(allow_file_writes=True).allowed_capabilities is Capability.WRITES_FILES


def test_the_options_of_tensorflow_come_by_position() -> None:
    options = tf.saved_model.LoadOptions(True, "/job:localhost", True, "save_variable_devices", True)
    assert options.allow_partial_checkpoint and options.experimental_io_device == "/job:localhost"
    assert options.experimental_variable_policy.saves_devices and options.experimental_load_function_aliases
    with pytest.raises(TypeError):
        tf.saved_model.LoadOptions(False, None, False, None, False, True)  # type: ignore[misc]  # refused


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="invalid VariablePolicy value"):
        tf.saved_model.LoadOptions(experimental_variable_policy="x")


def test_the_words_name_all_options_that_are_missing() -> None:
    text = how_to_allow(Capability.READS_FILES | Capability.WRITES_FILES)
    assert text.endswith("LoadOptions(allow_file_reads=True, allow_file_writes=True).")
