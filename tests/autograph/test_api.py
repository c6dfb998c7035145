"""`tf.autograph`: looking at converted code, converting by hand, leaving alone, loop options, logging."""

from __future__ import annotations

import ast
import functools
import inspect
import logging
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.autograph.operators import calls
from millrace._src.autograph.transform.surroundings import code_of_definition
from tests.autograph import corpus

ROOT = Path(__file__).resolve().parents[2]
Feature = tf.autograph.experimental.Feature


def absolute(x, *, by=1):
    """The absolute value."""
    if x > 0:
        return x * by
    return -x


class Box:
    def method(self, x):
        if x > 0:
            return x
        return -x


# --- to_code ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", corpus.themes())
def test_the_code_of_every_function_of_the_corpus_is_python(theme: str) -> None:
    functions = [case.function for case in corpus.cases(theme).values()]
    for function in filter(lambda f: isinstance(f, types.FunctionType), functions):
        text = tf.autograph.to_code(function)
        (definition,) = ast.parse(text).body
        assert isinstance(definition, ast.FunctionDef) and definition.name == f"tf__{function.__name__}"
        code_of_definition(definition, function.__code__)


def test_code_can_be_read() -> None:
    assert tf.autograph.to_code(absolute).startswith('def tf__absolute(x, *, by=1):\n    """The absolute value."""\n')
    text = tf.autograph.to_code(absolute)
    assert "def if_body():" in text and "def else_body():" in text
    assert "ag__.if_stmt(x > 0, if_body, else_body, get_state, set_state," in text


def test_the_code_of_a_nested_function_is_converted_too() -> None:
    def outer(x: Any) -> Any:
        n = 0

        def inner(y: Any) -> Any:
            nonlocal n
            if y > 0:
                n += 1
            return y

        return inner(x) + n

    text = tf.autograph.to_code(outer)
    assert "ag__.if_stmt(y > 0" in text and "try:" not in text and text.count("nonlocal n\n") >= 1
    compile(text, "<to_code>", "exec")


def test_the_code_of_a_lambda_has_a_name() -> None:
    assert tf.autograph.to_code(lambda x: x if x > 0 else -x).startswith("def tf__lambda_(x):\n")


def test_a_method_has_code_with_its_instance_as_a_parameter() -> None:
    text = tf.autograph.to_code(Box().method)
    assert text.startswith("def tf__method(self, x):\n")
    assert tf.autograph.to_code(Box.method) == text


@pytest.mark.parametrize(
    "entity", [Box, Box(), len, 3, tf.function(absolute), functools.partial(absolute)], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("convert", [tf.autograph.to_code, tf.autograph.to_graph])
def test_what_has_no_code_is_refused_with_the_cure(convert: Any, entity: Any) -> None:
    with pytest.raises(Exception, match=r"converting .*: ValueError: Cannot apply autograph to a function") as caught:
        convert(entity)
    assert type(caught.value).__name__ == "ConversionError"
    assert str(caught.value).endswith("If this is a @tf.function, try passing f.python_function instead.")


def test_what_has_no_source_is_refused_with_the_cure() -> None:
    namespace: dict[str, Any] = {}
    exec("def nosource(x):\n    return x", namespace)
    with pytest.raises(Exception, match="InaccessibleSourceCodeError: Unable to locate the source code") as caught:
        tf.autograph.to_code(namespace["nosource"])
    assert "@tf.autograph.experimental.do_not_convert" in str(caught.value)


def test_generators_and_coroutines_are_refused() -> None:
    def generator(x: Any) -> Any:
        yield x

    async def coroutine(x: Any) -> Any:
        return x

    with pytest.raises(Exception, match="generators are not supported"):
        tf.autograph.to_code(generator)
    with pytest.raises(Exception, match="coroutines are not supported"):
        tf.autograph.to_graph(coroutine)


# --- to_graph --------------------------------------------------------------------------------------------------------


def test_a_converted_function_looks_like_the_one_it_was() -> None:
    converted = tf.autograph.to_graph(absolute)
    assert converted.__name__ == "tf__absolute"
    assert converted.__module__ == __name__
    assert converted.__doc__ == "The absolute value."
    assert converted.__kwdefaults__ == {"by": 1}
    assert inspect.signature(converted) == inspect.signature(absolute)
    assert tf.autograph.to_graph(absolute) is not converted


def test_a_converted_function_runs_in_python_eagerly_and_in_a_graph() -> None:
    converted = tf.autograph.to_graph(absolute)
    assert converted(-3) == 3
    assert converted(tf.constant(4), by=2).numpy() == 8
    assert tf.function(converted, autograph=False)(tf.constant(-5)).numpy() == 5


def test_a_converted_method_takes_its_instance() -> None:
    converted = tf.autograph.to_graph(Box().method)
    assert tf.function(lambda x: converted(Box(), x), autograph=False)(tf.constant(-5)).numpy() == 5


def test_a_converted_function_is_not_converted_again() -> None:
    converted = tf.autograph.to_graph(absolute)
    assert calls.callee(converted) is converted


# --- Feature ---------------------------------------------------------------------------------------------------------


def test_features_are_those_of_tensorflow() -> None:
    names = "ALL AUTO_CONTROL_DEPS ASSERT_STATEMENTS BUILTIN_FUNCTIONS EQUALITY_OPERATORS LISTS NAME_SCOPES".split()
    assert [feature.name for feature in Feature.all()] == names
    assert all(feature.value == feature.name for feature in Feature)
    assert Feature.all_but(Feature.LISTS) == tuple(Feature[n] for n in names if n not in ("ALL", "LISTS"))
    assert Feature.all_but([Feature.LISTS, Feature.NAME_SCOPES]) == tuple(Feature[name] for name in names[1:5])
    assert repr(Feature.LISTS) == "<Feature.LISTS: 'LISTS'>"


@pytest.mark.parametrize("options", [Feature.LISTS, [Feature.ALL], Feature.all(), None])
def test_features_are_accepted_where_tensorflow_takes_them(options: Any) -> None:
    assert tf.function(absolute, experimental_autograph_options=options)(tf.constant(-1)).numpy() == 1
    assert tf.autograph.to_graph(absolute, experimental_optional_features=options)(-1) == 1
    assert tf.autograph.to_code(absolute, True, options) == tf.autograph.to_code(absolute)


# --- do_not_convert --------------------------------------------------------------------------------------------------


def test_do_not_convert_is_a_decorator_with_and_without_parentheses() -> None:
    decorator = tf.autograph.experimental.do_not_convert
    assert decorator() is decorator and decorator(None) is decorator
    for wrapped in (decorator(absolute), decorator()(absolute), decorator(func=absolute)):
        assert wrapped is not absolute
        assert (wrapped.__name__, wrapped.__wrapped__) == ("absolute", absolute)
        assert inspect.signature(wrapped) == inspect.signature(absolute)
        assert wrapped(-2) == 2
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(wrapped)(tf.constant(1))


def test_do_not_convert_works_on_methods() -> None:
    class Excluding:
        @tf.autograph.experimental.do_not_convert
        def method(self, x: Any) -> Any:
            return x if isinstance(x, tf.Tensor) else None

    assert tf.function(Excluding().method)(tf.constant(1)).numpy() == 1
    bound = tf.autograph.experimental.do_not_convert(Box().method)
    assert bound(-3) == 3
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: bound(x))(tf.constant(1))


# --- set_loop_options ------------------------------------------------------------------------------------------------


def test_loop_options_reach_the_loop_of_the_graph() -> None:
    @tf.function
    def counted(x):
        i = 0
        while x > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2, parallel_iterations=3)
            x -= 1
            i += 1
        return i

    assert counted(tf.constant(10)).numpy() == 2
    operations = counted.get_concrete_function(tf.constant(10)).graph.get_operations()
    (loop,) = [op for op in operations if "While" in op.type]
    assert loop.get_attr("parallel_iterations") == 3


def test_shape_invariants_name_the_variables_of_the_loop() -> None:
    @tf.function
    def grown(n):
        x = tf.constant([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [i]], 0)
        return x

    assert grown(tf.constant(3)).numpy().tolist() == [1, 0, 1, 2]


def test_loop_options_are_nothing_outside_of_the_graph() -> None:
    assert tf.autograph.experimental.set_loop_options(maximum_iterations=1) is None
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        tf.autograph.experimental.set_loop_options(foo=1)

    def counted(n: int) -> int:
        for i in range(n):  # noqa: B007  (the loop counts)
            tf.autograph.experimental.set_loop_options(maximum_iterations=1)
        return i

    assert tf.function(counted)(3).numpy() == 2


# --- what is said ----------------------------------------------------------------------------------------------------


def test_trace_prints_while_the_function_is_traced(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def traced(x: Any) -> Any:
        tf.autograph.trace("hi", x, 1)
        return x

    traced(tf.constant(1))
    traced(tf.constant(2))
    assert capsys.readouterr().out == 'hi Tensor("x:0", shape=(), dtype=int32) 1\n'


def _another(x):
    if x > 0:
        return x
    return -x


def test_verbosity_logs_what_is_converted(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls.verbosity, "level", calls.verbosity.level, raising=False)
    monkeypatch.setattr(calls.verbosity, "prints", False, raising=False)
    tf.autograph.set_verbosity(1, alsologtostdout=True)
    with caplog.at_level(logging.INFO, "tensorflow"):
        tf.function(_another)(tf.constant(1))
    assert [r.getMessage() for r in caplog.records if "Converted call" in r.getMessage()] == [
        f"Converted call: {_another}"
    ]
    assert capsys.readouterr().out == f"Converted call: {_another}\n"


@pytest.mark.parametrize(("value", "expected"), [("3", "3"), ("", "0"), ("loud", "0"), ("-1", "-1")])
def test_the_environment_gives_the_first_verbosity(value: str, expected: str) -> None:
    program = "import millrace as tf; tf.autograph.trace(); from millrace._src.autograph.operators import calls\n"
    environment = {**os.environ, "AUTOGRAPH_VERBOSITY": value, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", program + "print(calls.verbosity.level)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout.split() == [expected], done.stderr
