"""What it costs that a `tf.Module` knows its attributes: setting them, and finding the variables below a module."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("set_number", "setting a number as attribute of a tf.Module", "us"),
    Row("set_variable", "setting a tf.Variable as attribute", "us"),
    Row("set_list", "setting a list of two variables as attribute", "us"),
    Row("module_variables", "variables of 11 modules", "us"),
)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    module, variable, other = tf.Module(), tf.Variable(1.0), tf.Variable(2.0)
    numbers, variables = itertools.count(), itertools.cycle([variable, other])
    root = tf.Module()
    root.children = [tf.Module() for _ in range(10)]
    for child in root.children:
        child.kernel, child.bias = tf.Variable(1.0), tf.Variable(0.0)

    def set_number() -> None:
        module.number = next(numbers)

    def set_variable() -> None:
        module.variable = next(variables)

    def set_list() -> None:
        module.both = [variable, other]

    return {
        "set_number": set_number,
        "set_variable": set_variable,
        "set_list": set_list,
        "module_variables": lambda: root.variables,
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    module, numbers = torch.nn.Module(), itertools.count()
    variables = itertools.cycle([torch.nn.Parameter(torch.tensor(1.0)) for _ in range(2)])
    root = torch.nn.Module()
    root.children_list = torch.nn.ModuleList([torch.nn.Linear(1, 1) for _ in range(10)])

    def set_number() -> None:
        module.number = next(numbers)

    def set_variable() -> None:
        module.variable = next(variables)

    return {
        "set_number": set_number,
        "set_variable": set_variable,
        "module_variables": lambda: list(root.parameters()),
    }
