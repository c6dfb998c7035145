"""A function's tree is found with the positions of its file; where there is none, an error says so."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from millrace._src.autograph.transform.source import NoSourceError, function_node, has_control_flow


def _module(folder: Path, text: str, name: str = "users_module") -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- definitions -----------------------------------------------------------------------------------------------------

DEFINITIONS = '''
import functools


def same(function):
    return function


def with_arguments(*args, **kwargs):
    return same


def plain(x):
    return x + 1


@same
@with_arguments(
    1,
    key=[2, 3],
)
def decorated(x):  # a comment
    """A docstring."""
    return x * 2


class Outer:
    class Inner:
        @staticmethod
        def deep(x):
            if x:
                return """
less indented
"""
            return x

    @property
    def value(self):
        return 1

    async def coroutine(self):
        return 2


def factory():
    def made(x):

        return x

# a comment to the left
        # and one behind
    return made


def one_line(x): return x


if True:
	def tabs(x):
		return (x,
1)


def twice(x):
    return 1


def twice(x):
    return 2


def ünïcode(größe): return "é" + größe
'''


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return _module(tmp_path_factory.mktemp("definitions"), DEFINITIONS)


FUNCTIONS = {
    "plain": lambda m: m.plain,
    "decorated": lambda m: m.decorated,
    "deep": lambda m: m.Outer.Inner.deep,
    "value": lambda m: m.Outer.value.fget,
    "made": lambda m: m.factory(),
    "factory": lambda m: m.factory,
    "one_line": lambda m: m.one_line,
    "tabs": lambda m: m.tabs,
    "ünïcode": lambda m: m.ünïcode,
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_definition_has_the_positions_of_its_file(definitions: ModuleType, name: str) -> None:
    node = function_node(FUNCTIONS[name](definitions))
    (expected,) = [
        other for other in ast.walk(ast.parse(DEFINITIONS)) if isinstance(other, ast.FunctionDef) and other.name == name
    ]
    assert ast.dump(node, include_attributes=True) == ast.dump(expected, include_attributes=True)


def test_of_two_definitions_of_a_name_the_right_one_is_found(definitions: ModuleType) -> None:
    assert ast.unparse(function_node(definitions.twice).body).strip() == "return 2"


def test_a_coroutine_has_no_definition_to_convert(definitions: ModuleType) -> None:
    with pytest.raises(NoSourceError, match="does not define coroutine"):
        function_node(definitions.Outer.coroutine)


def test_a_definition_below_an_unbalanced_looking_line_is_found(tmp_path: Path) -> None:
    module = _module(
        tmp_path,
        """
        def f(x):
            y = ("(", '''
        def f(x):
            ''')
            return y, x
        """,
    )
    assert function_node(module.f).end_lineno == 6


# --- lambdas ---------------------------------------------------------------------------------------------------------

LAMBDAS = """
pair = [lambda x: x + 1, lambda x: x + 2]
nested = lambda x: lambda y: x + y
spanning = (
    lambda x, *args: (
        x
        + 1
    )
)
def with_default(x, f=lambda v: v * 3, *, g=lambda v: v * 4):
    return f(x) + g(x)
constant = lambda: 5
starred = lambda *, k: k, lambda k: k
conditional = lambda x: x if x else -x
folded = lambda: 1 if True else 2
called = (lambda x: x * 6)(1), lambda x: x * 7
é = "ö", lambda x: "ü" + x
class Holder:
    method = lambda self: self
    private = lambda self, __x: __x
    other = staticmethod(lambda self, x=1: self)
"""
LAMBDA_TEXTS = {
    "first of a pair": (lambda m: m.pair[0], "lambda x: x + 1"),
    "second of a pair": (lambda m: m.pair[1], "lambda x: x + 2"),
    "outer": (lambda m: m.nested, "lambda x: lambda y: x + y"),
    "inner": (lambda m: m.nested(1), "lambda y: x + y"),
    "spanning": (lambda m: m.spanning, "lambda x, *args: (\n        x\n        + 1\n    )"),
    "default": (lambda m: m.with_default.__defaults__[0], "lambda v: v * 3"),
    "keyword-only default": (lambda m: m.with_default.__kwdefaults__["g"], "lambda v: v * 4"),
    "constant": (lambda m: m.constant, "lambda: 5"),
    "starred": (lambda m: m.starred[0], "lambda *, k: k"),
    "behind starred": (lambda m: m.starred[1], "lambda k: k"),
    "conditional": (lambda m: m.conditional, "lambda x: x if x else -x"),
    "folded": (lambda m: m.folded, "lambda: 1 if True else 2"),
    "behind a called one": (lambda m: m.called[1], "lambda x: x * 7"),
    "behind wide characters": (lambda m: m.é[1], 'lambda x: "ü" + x'),
    "in a class": (lambda m: m.Holder.method, "lambda self: self"),
    "with a private parameter": (lambda m: m.Holder.private, "lambda self, __x: __x"),
    "in a call in a class": (lambda m: m.Holder.other, "lambda self, x=1: self"),
}


@pytest.fixture(scope="module")
def lambdas(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return _module(tmp_path_factory.mktemp("lambdas"), LAMBDAS)


@pytest.mark.parametrize("name", list(LAMBDA_TEXTS))
def test_a_lambda_is_found_by_the_location_of_its_code(lambdas: ModuleType, name: str) -> None:
    get, text = LAMBDA_TEXTS[name]
    assert ast.get_source_segment(LAMBDAS, function_node(get(lambdas))) == text


# --- no source -------------------------------------------------------------------------------------------------------


def test_a_function_of_exec_has_no_source() -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def f(x):\n    return x\ng = lambda x: x", "<made up>", "exec"), namespace)
    for name in "fg":
        with pytest.raises(NoSourceError, match="the source of <made up> cannot be read"):
            function_node(namespace[name])


def test_a_function_whose_source_only_linecache_knows_is_found() -> None:
    text = "def f(x):\n    return x\n"
    linecache.cache["<a cell>"] = (len(text), None, text.splitlines(True), "<a cell>")
    namespace: dict[str, Any] = {}
    exec(compile(text, "<a cell>", "exec"), namespace)
    assert function_node(namespace["f"]).lineno == 1


def test_a_file_that_is_gone_gives_an_error(tmp_path: Path) -> None:
    module = _module(tmp_path, "def f(x):\n    return x\n", "gone")
    (tmp_path / "gone.py").unlink()
    with pytest.raises(NoSourceError, match=r"the source of .*gone\.py cannot be read"):
        function_node(module.f)


@pytest.mark.parametrize(
    "later",
    [
        "x = 1\ndef f(x):\n    return x\n",
        "def g(x):\n    return x\n",
        "def f(x, y):\n    return x\n",
        "def f(x, /):\n    return x\n",
        "def f(*x):\n    return x\n",
        "def f(x): return x\n",
        "def f(x):\n\n    return x\n",
        "",
    ],
    ids=["moved", "renamed", "other parameters", "positional-only", "starred", "shorter", "longer", "empty"],
)
def test_a_file_that_has_changed_since_gives_an_error(tmp_path: Path, later: str) -> None:
    module = _module(tmp_path, "def f(x):\n    return x\n", "stale")
    (tmp_path / "stale.py").write_text(later, encoding="utf-8")
    with pytest.raises(NoSourceError, match=r"stale\.py"):
        function_node(module.f)


def test_a_module_that_was_edited_and_loaded_again_is_read_again(tmp_path: Path) -> None:
    first = _module(tmp_path, "def f(x):\n    return x\n", "edited")
    assert function_node(first.f).lineno == 1
    second = _module(tmp_path, "\n\n\ndef f(x):\n    return x + 1  # longer\n", "edited")
    assert function_node(second.f).lineno == 4


def test_a_file_that_is_no_python_any_more_gives_an_error_with_its_name(tmp_path: Path) -> None:
    module = _module(tmp_path, "def f(x):\n    return x\n\n\ng = lambda x: x\n", "broken")
    (tmp_path / "broken.py").write_text("def f(x):\n    return ][\n\n\ng = lambda x: x +\n", encoding="utf-8")
    for function in (module.f, module.g):
        with pytest.raises(NoSourceError, match=r"broken\.py.*not Python"):
            function_node(function)


def test_code_without_positions_gives_an_error(lambdas: ModuleType) -> None:
    code = lambdas.constant.__code__.replace(co_linetable=b"")
    function = type(lambdas.constant)(code, vars(lambdas))
    with pytest.raises(NoSourceError, match="no positions"):
        function_node(function)


@pytest.mark.parametrize("mode", ["-c", "stdin"])
def test_a_program_without_a_file_runs_its_functions_as_they_are_and_says_so(mode: str) -> None:
    program = textwrap.dedent(
        """
        import millrace as tf

        @tf.function
        def f(x):
            if isinstance(x, int):
                return tf.constant(-1)
            return x + 1

        print(f(tf.constant(1)).numpy())
        """
    )
    command = [sys.executable, "-c", program] if mode == "-c" else [sys.executable, "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "2"
    if mode == "-c" and sys.version_info >= (3, 13):  # which keeps the text of such programs
        assert not done.stderr
        return
    assert done.stderr.count("AutoGraph could not transform <function f at") == 1
    assert "Cause: the source of <str" in done.stderr or "Cause: the source of <stdin>" in done.stderr


# --- what is worth converting ----------------------------------------------------------------------------------------


def test_control_flow_is_seen_in_code() -> None:
    def branch(x: Any) -> Any:
        return 1 if x else 2

    def loop(x: Any) -> Any:
        for item in x:
            return item
        return None

    def forever() -> Any:
        while True:
            pass

    def straight(x: Any) -> Any:
        with x:
            return [x + 1]

    seen = [has_control_flow(function.__code__) for function in (branch, loop, straight)]
    assert seen == [True, True, False]
    assert not has_control_flow(forever.__code__)
