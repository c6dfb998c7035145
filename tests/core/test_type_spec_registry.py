from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.type_spec_registry import get_name, is_registered, lookup, register


def spec_class() -> type[tf.TypeSpec]:
    return type("FooSpec", (tf.TypeSpec,), {})


def test_a_registered_class_is_found_by_its_name_and_the_name_by_the_class() -> None:
    cls = register("registry_test.Found")(spec_class())
    assert lookup("registry_test.Found") is cls and get_name(cls) == "registry_test.Found" and is_registered(cls)


def test_names_and_classes_are_registered_once() -> None:
    cls = register("registry_test.Once")(spec_class())
    with pytest.raises(ValueError, match=r"Name registry_test\.Once has already been registered for class .*FooSpec\."):
        register("registry_test.Once")(spec_class())
    with pytest.raises(
        ValueError, match=r"Class .*FooSpec has already been registered with name registry_test\.Once\."
    ):
        register("registry_test.Twice")(cls)


@pytest.mark.parametrize("name", ["nodot", "a.b c", ".a", "a.", ""])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"Registered name must have the form '\{project_name\}\.\{type_name\}'"):
        register(name)


def test_what_is_no_name_or_no_class_of_specs_is_refused() -> None:
    other: Any = 5
    for call in (register, lookup):
        with pytest.raises(TypeError, match="Expected `name` to be a string; got 5"):
            call(other)
    for given in (int, other):
        with pytest.raises(TypeError, match="Expected `cls` to be a TypeSpec; got"):
            register("registry_test.Other")(given)
        with pytest.raises(TypeError, match="Expected `cls` to be a TypeSpec; got"):
            get_name(given)


def test_an_unknown_name_and_an_unregistered_class_are_errors() -> None:
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'foo'"):
        lookup("foo")
    with pytest.raises(ValueError, match=r"TypeSpec .*FooSpec has not been registered\."):
        get_name(spec_class())
