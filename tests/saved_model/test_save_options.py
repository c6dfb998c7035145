"""Options of `tf.saved_model.save`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

SaveOptions = tf.saved_model.SaveOptions
VariablePolicy = tf.saved_model.experimental.VariablePolicy


def test_options_have_the_defaults_of_tensorflow() -> None:
    options = SaveOptions()
    assert {name: getattr(options, name) for name in SaveOptions.__slots__} == {
        "namespace_whitelist": None,
        "save_debug_info": False,
        "function_aliases": {},
        "experimental_debug_stripper": False,
        "experimental_io_device": None,
        "experimental_variable_policy": VariablePolicy.NONE,
        "experimental_custom_gradients": True,
        "experimental_image_format": False,
        "experimental_skip_saver": False,
        "experimental_sharding_callback": None,
        "extra_tags": None,
    }


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (None, VariablePolicy.NONE),
        ("save_variable_devices", VariablePolicy.SAVE_VARIABLE_DEVICES),
        ("EXPAND_distributed_variables", VariablePolicy.EXPAND_DISTRIBUTED_VARIABLES),
        (VariablePolicy.NONE, VariablePolicy.NONE),
    ],
)
def test_a_policy_is_given_as_it_is_or_by_its_value(given: Any, policy: Any) -> None:
    assert SaveOptions(experimental_variable_policy=given).experimental_variable_policy is policy


@pytest.mark.parametrize("given", ["none", "x", 3])
def test_another_policy_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=f"Received invalid VariablePolicy value: {given}"):
        SaveOptions(experimental_variable_policy=given)


def test_policies_say_whether_devices_are_kept() -> None:
    assert [policy.saves_devices for policy in VariablePolicy] == [False, True, True]


@pytest.mark.parametrize("given", [3, ("a",), "a"])
def test_namespaces_are_a_list(given: Any) -> None:
    with pytest.raises(TypeError, match="`namespace_whitelist` must be a list of strings"):
        SaveOptions(namespace_whitelist=given)


def test_namespaces_are_texts() -> None:
    assert SaveOptions(namespace_whitelist=["Foo"]).namespace_whitelist == ["Foo"]
    with pytest.raises(ValueError, match=r"Whitelisted namespace must be a string\. Got: 3"):
        SaveOptions(namespace_whitelist=["Foo", 3])
