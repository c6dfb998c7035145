"""The compact form hands blocks to operators as functions, with exactly the variables that they share."""

# ruff: noqa: F841  (variables that no code reads are what is tested)

from __future__ import annotations

import ast
from typing import Any

import millrace as tf
from millrace._src.autograph.transform.function_conversion import Conversion
from millrace._src.autograph.transform.source import function_node


def _calls(function: Any, operator: str) -> list[ast.Call]:
    """The calls of an operator in the compact form of a function."""
    tree = Conversion(function_node(function), function.__code__, lambda _: None).compact()
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == f"ag__.{operator}"]
    return sorted(found, key=lambda call: call.lineno)


def _names(node: ast.expr) -> tuple[str, ...]:
    names: tuple[str, ...] = ast.literal_eval(node)
    return names


def _branches(x):
    y = unused = 0
    if x > 0:
        y = 1
        local = 2
        unused = local
    return y


def _loops(n, table):
    total, last, constant = 0, 0, 5
    while n > 0:
        step = n * constant
        total += step
        last = step
        table["k"] = total
        n -= 1
    return total


def test_a_branch_shares_what_it_assigns_and_somebody_reads() -> None:
    (call,) = _calls(_branches, "if_stmt")
    assert _names(call.args[6]) == ("y",)


def test_a_loop_carries_what_it_changes_and_what_the_next_iteration_reads() -> None:
    (call,) = _calls(_loops, "while_stmt")
    assert _names(call.args[4]) == ("n", "table", "total", "last", "step", "table['k']")
    (options,) = _calls(_loops, "loop_options")
    (temporary,) = [keyword.value for keyword in options.keywords if keyword.arg == "ag_temporary"]
    assert _names(temporary) == ("last", "step")


def test_loop_options_are_those_of_the_first_statement() -> None:
    def function(n, x):
        while n > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, shape_invariants=[(x, None)])
            n -= 1
        return n

    (call,) = _calls(function, "loop_options")
    options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    assert options["maximum_iterations"] == "3"
    assert options["shape_invariants"] == "[('x', None)]"


def test_deleted_variables_have_no_value_afterwards() -> None:
    def function(x):
        y = x
        if x > 0:
            del y
        return x

    text = tf.autograph.to_code(function)
    assert "y = ag__.Undefined('y')" in text and "del y" not in text


def test_nested_functions_are_compact_and_have_their_own_state() -> None:
    def function(x):
        def inner(y):
            if y > 0:
                z = 1
            else:
                z = 2
            return z

        if x > 0:
            x = inner(x)
        return x

    first, second = _calls(function, "if_stmt")
    assert (_names(first.args[6]), _names(second.args[6])) == (("z",), ("x",))
