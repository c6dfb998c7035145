"""Every declared overload has the parameters of its public function; the generated tables name what exists."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

import millrace as tf
from millrace._src.core import overloads
from millrace._src.core.op_homes import ELEMENTWISE_OVERLOAD_HOMES, OVERLOAD_HOMES
from millrace._src.util.export import elementwise_functions, find_exported

ALL = [(cls, name) for cls, homes in OVERLOAD_HOMES.items() for name in homes]
HANDLERS = [(cls, kind) for cls, homes in ELEMENTWISE_OVERLOAD_HOMES.items() for kind in homes]


def _public(name: str) -> Any:
    thing: Any = tf
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def _declared(class_name: str, name: str) -> Any:
    importlib.import_module(OVERLOAD_HOMES[class_name][name])
    (found,) = [f for (key, cls), f in overloads._declared.items() if key == name and cls.__name__ == class_name]
    return found


@pytest.mark.parametrize(("class_name", "name"), ALL)
def test_overload_has_the_parameters_of_its_function(class_name: str, name: str) -> None:
    function = _public(name)
    assert find_exported(name) is function, "overloads go by the first public name of a function and its other names"
    expected, actual = inspect.signature(function).parameters, inspect.signature(_declared(class_name, name)).parameters
    assert [p.name for p in actual.values()] == [p.name for p in expected.values()]
    assert [p.default for p in actual.values()] == [p.default for p in expected.values()]


@pytest.mark.parametrize(("class_name", "kind"), HANDLERS)
def test_handler_takes_the_function_and_its_operands(class_name: str, kind: str) -> None:
    importlib.import_module(ELEMENTWISE_OVERLOAD_HOMES[class_name][kind])
    (found,) = [f for (key, cls), f in overloads._handlers.items() if key == kind and cls.__name__ == class_name]
    assert len(inspect.signature(found).parameters) == 1 + overloads.operand_count(kind)


def test_marked_functions_take_their_operands_first() -> None:
    _ = tf.abs, tf.add, tf.debugging.assert_equal
    for kind in ("unary", "binary", "binary_assert"):
        functions = elementwise_functions(kind)
        assert functions
        for function in functions:
            assert len(inspect.signature(function).parameters) >= overloads.operand_count(kind)
