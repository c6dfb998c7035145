"""A definition compiled elsewhere means what it meant there."""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
import types
from typing import Any

import pytest

import millrace as tf
from millrace._src.autograph.api import for_tracing
from millrace._src.autograph.transform.source import function_node
from millrace._src.autograph.transform.surroundings import Surroundings, code_of_definition


def _same_names(function: types.FunctionType) -> bool:
    code = function.__code__
    again = code_of_definition(function_node(function), code)
    fields = ("co_freevars", "co_cellvars", "co_varnames", "co_names", "co_flags")
    return all(getattr(again, field) == getattr(code, field) for field in fields)


def _functions_of_one_scope() -> dict[str, Any]:
    count, total = 0, 0

    def rebinds(x: int) -> int:
        nonlocal count
        count += x
        return count

    def declares_without_use(x: int) -> int:
        nonlocal total
        return x

    def rebinds_further_in(x: int) -> Any:
        def inner() -> None:
            class Body:
                nonlocal total
                total = x

        return inner

    def reads_in_a_comprehension(x: int) -> Any:
        return [count + i for i in range(x)], (total for _ in range(x)), lambda: (count, total)

    async def rebinds_asynchronously(x: int) -> None:
        nonlocal count
        count = x

    def rebinds_in_an_asynchronous_function(x: int) -> Any:
        async def inner() -> None:
            nonlocal count
            count = x

        return inner

    def with_annotations(x: Any = count, *, y: Any = total) -> Any:
        nonlocal count
        count = x
        return y

    class Owner:
        __private = 1

        def reads_private_names(self, __argument: int) -> Any:
            nonlocal count
            count = self.__private + __argument
            return super().__repr__(), __class__  # type: ignore[name-defined]  # the cell

        def makes(self) -> Any:
            __kept = 0

            def rebinds_a_private_name() -> int:
                nonlocal __kept
                __kept += 1
                return __kept

            return rebinds_a_private_name

    class __Underscored:
        def rebinds_in_an_underscored_class(self, __x: int) -> int:
            nonlocal total
            total = __x
            return total

    class ___:
        def in_a_class_of_underscores(self, __x: int) -> int:
            return __x

    methods = {"private": Owner.reads_private_names, "made": Owner().makes()}
    methods |= {"_Owner": __Underscored.rebinds_in_an_underscored_class, "___": ___.in_a_class_of_underscores}
    del rebinds_asynchronously, Owner, __Underscored, ___
    found = {name: value for name, value in locals().items() if isinstance(value, types.FunctionType)}
    return {**found, **methods}


FUNCTIONS = _functions_of_one_scope()


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_names_and_cells_are_those_of_the_original(name: str) -> None:
    assert _same_names(FUNCTIONS[name])


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_every_function_of_a_scope_is_converted(name: str) -> None:
    assert for_tracing(FUNCTIONS[name]) is not FUNCTIONS[name]


def test_a_name_of_the_class_is_not_shadowed_by_the_class_around() -> None:
    class _Owner:
        def method(self, x: Any) -> Any:
            return Owner, _Owner, __Owner, x  # type: ignore[name-defined]  # noqa: F821  # only compiled

    code = code_of_definition(function_node(_Owner.method), _Owner.method.__code__)
    assert code.co_freevars == ("_Owner",)
    assert set(code.co_names) == {"Owner", "_Owner__Owner"}


def test_variables_around_have_the_names_of_the_source() -> None:
    code = FUNCTIONS["made"].__code__
    assert code.co_freevars == ("_Owner__kept",)
    assert Surroundings(code).variables() == {"__kept"}


def test_the_lines_are_kept() -> None:
    function = FUNCTIONS["rebinds"]
    again = code_of_definition(function_node(function), function.__code__)
    assert list(again.co_positions())[1:] == list(function.__code__.co_positions())[1:]
    assert again.co_filename == function.__code__.co_filename


def test_settings_from_the_future_are_kept() -> None:
    code = FUNCTIONS["rebinds"].__code__
    assert code.co_flags & __future__.annotations.compiler_flag
    assert code_of_definition(function_node(FUNCTIONS["rebinds"]), code).co_flags == code.co_flags


def test_an_assignment_is_seen_outside_and_an_outer_one_inside() -> None:
    count = 0

    @tf.function
    def traced(x: Any) -> Any:
        nonlocal count
        count += 1
        if x > 0:
            return x + count
        return x

    assert traced(tf.constant(1)).numpy() == 2
    assert count == 1
    count = 10
    assert traced(tf.constant(1.0)).numpy() == 12.0
    assert count == 11


def test_a_callback_that_counts_how_often_it_is_traced_is_converted() -> None:
    traces = 0

    def callback(x: Any) -> Any:
        nonlocal traces
        traces += 1
        while x < 10:
            x = x * 2
        return x

    @tf.function
    def outer(x: Any) -> Any:
        return callback(x) + callback(x + 1)

    assert outer(tf.constant(3)).numpy() == 12 + 16
    assert outer(tf.constant(4)).numpy() == 16 + 10
    assert traces == 2


def test_a_decorated_function_that_rebinds_is_converted() -> None:
    calls = 0

    def counted(function: Any) -> Any:
        def wrapper(*args: Any) -> Any:
            nonlocal calls
            calls += 1
            return function(*args)

        return wrapper

    @tf.function
    @counted
    @counted
    def positive(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    assert [positive(tf.constant(x)).numpy() for x in (3, -4)] == [3, 4]
    assert calls == 2


def test_a_leaked_tensor_of_a_graph_is_refused_where_it_is_used() -> None:
    seen = tf.constant(0)

    @tf.function
    def keeps(x: Any) -> Any:
        nonlocal seen
        if x > 0:
            seen = x
        return x

    keeps(tf.constant(3))
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: seen + 1)()


@pytest.mark.parametrize("depth", [1, 5, 19])
def test_a_variable_is_found_through_many_levels(depth: int) -> None:
    lines = ["def level0():", " value = 0"]
    for level in range(1, depth + 1):
        lines += [" " * level + f"def level{level}(x=0):"]
    pad = " " * (depth + 1)
    lines += [
        *[pad + line for line in ("nonlocal value", "value += 1", "if x > 0:", " return x + value", "return x")],
    ]
    lines += [" " * level + f"return level{level}" for level in range(depth, 0, -1)]
    text, name = "\n".join(lines) + "\n", f"<{depth} levels of functions>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(ast.parse(text), name, "exec"), namespace)
    function = namespace["level0"]
    for _ in range(depth):
        function = function()
    assert tf.function(function)(tf.constant(4)).numpy() == 5


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_type_parameters_around_are_cells_too(tmp_path: Any) -> None:
    source = """
class Generic[T]:
    def method[U](self):
        count = 0
        def inner[V](x: V) -> U:
            nonlocal count
            count += 1
            if x > 0:
                return x + count
            assert (T.__name__, U.__name__, V.__name__) == ("T", "U", "V")
            return x
        return inner
"""
    path = tmp_path / "generic_nonlocal.py"
    path.write_text(source)
    module: dict[str, Any] = {"__name__": "generic_nonlocal"}
    exec(compile(source, str(path), "exec"), module)
    inner = module["Generic"]().method()
    assert [tf.function(inner)(tf.constant(x)).numpy() for x in (3, -3)] == [4, -3]
