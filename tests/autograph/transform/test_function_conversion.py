"""Converted code is the user's: its locations, its names, its scopes, and what a debugger sees of it."""

# ruff: noqa: UP008  (functions as users write them)

from __future__ import annotations

import ast
import gc
import inspect
import io
import linecache
import pdb
import sys
import traceback
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.autograph.api import for_tracing
from millrace._src.autograph.operators import calls
from millrace._src.autograph.transform.function_conversion import Conversion
from millrace._src.autograph.transform.source import function_node
from tests.autograph import corpus, modes

CASES = {n: c for n, c in corpus.cases().items() if isinstance(c.function, types.FunctionType)}


def _all_codes(function: Any) -> Iterator[types.CodeType]:
    """All code that conversion makes of a function, every continuation included."""
    conversion = Conversion(function_node(function), function.__code__, lambda _: None)
    for number in range(len(conversion.sites)):
        conversion.continuation(number)
    pending: list[Any] = list(conversion.codes)
    while pending:
        code = pending.pop()
        yield code
        pending += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


# --- locations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", corpus.themes())
def test_every_instruction_has_the_location_of_an_expression_of_the_user(theme: str) -> None:
    for name, case in corpus.cases(theme).items():
        if name not in CASES:
            continue
        node = function_node(case.function)
        parts = [part for part in ast.walk(node) if hasattr(part, "lineno")]
        starts = {(part.lineno, part.col_offset) for part in parts} | {(part.end_lineno, 0) for part in parts}
        lines = {line for part in parts for line in (part.lineno, part.end_lineno)}
        for code in _all_codes(case.function):
            assert code.co_filename == case.function.__code__.co_filename
            for line, _, column, _ in code.co_positions():
                assert line is None or line in lines, f"{name}: line {line} of {code.co_name}"
                assert column is None or (line, column) in starts or column == 0, f"{name}: {line}:{column}"


def _statement_lines(function: Any, run: Callable[..., Any], arguments: list[Any]) -> set[int]:
    """The statements of a function that run, by their first lines; as a coverage tool sees it."""
    node = function_node(function)
    spans = sorted((s.lineno, s.end_lineno or 0) for s in ast.walk(node) if isinstance(s, (ast.stmt, ast.pattern)))
    seen: set[int] = set()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != function.__code__.co_filename:
            return None
        if event == "line":
            seen.add(max((first for first, last in spans if first <= frame.f_lineno <= last), default=frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run(*arguments)
    finally:
        sys.settrace(before)
    return seen


TRACED = [n for n, c in CASES.items() if not c.autograph and "statements::match_on_a" not in n]


@pytest.mark.parametrize("theme", corpus.themes())
def test_a_coverage_tool_sees_the_lines_of_the_function_as_it_was(theme: str) -> None:
    for name in TRACED:
        if not name.startswith(f"{theme}::"):
            continue
        case = CASES[name]
        converted = for_tracing(case.function)
        assert converted is not case.function
        for given in case.args:
            plain = _statement_lines(case.function, case.function, modes.arguments(case, given, "plain", tf))
            own = _statement_lines(case.function, converted, modes.arguments(case, given, "plain", tf))
            assert own == plain, name


def _fails_in_a_loop(x):
    """A docstring
    of two lines.
    """
    y = x * 2
    if y > 0:
        for i in tf.range(3):
            y = y + (
                i
                + "a"
            )  # fmt: skip
    return y


def test_a_traceback_shows_the_lines_on_the_mode_and_ends_at_the_faulty_one() -> None:
    with pytest.raises(TypeError) as caught:
        tf.function(_fails_in_a_loop)(tf.constant(1))
    start = _fails_in_a_loop.__code__.co_firstlineno
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.name == "_fails_in_a_loop"]
    assert [(f.lineno or 0) - start for f in frames] == [0, 5, 6, 8]
    assert all(f.line == linecache.getline(__file__, f.lineno or 0).strip() for f in frames)
    assert {f.filename for f in frames} == {_fails_in_a_loop.__code__.co_filename}


def test_the_source_of_converted_code_is_the_users() -> None:
    assert inspect.getsource(for_tracing(_fails_in_a_loop)) == inspect.getsource(_fails_in_a_loop)


def _stopped_in(x, y):
    while x > 0:
        z = x + y
        y = z * 2
        x -= 1
    return y


def _run_eagerly(function: Any, *args: Any) -> Any:
    tf.config.run_functions_eagerly(True)
    try:
        return tf.function(function)(*args)
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("mode", ["Python values", "eager tensors", "run eagerly", "traced"])
def test_a_breakpoint_in_a_loop_stops_at_the_users_line_and_shows_the_variables(mode: str) -> None:
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("continue\np 'z is', z\ncontinue\np 'z is', z\ncontinue\n"), stdout=out)
    line = _stopped_in.__code__.co_firstlineno + 3
    debugger.set_break(__file__, line)
    before = sys.gettrace()
    run = {
        "Python values": lambda: for_tracing(_stopped_in)(2, 4),
        "eager tensors": lambda: for_tracing(_stopped_in)(tf.constant(2), tf.constant(4)),
        "run eagerly": lambda: _run_eagerly(_stopped_in, tf.constant(2), tf.constant(4)),
        "traced": lambda: tf.function(_stopped_in)(tf.constant(2), tf.constant(4)),
    }[mode]
    try:
        debugger.runcall(run)
    finally:
        sys.settrace(before)
        debugger.clear_all_breaks()
    text = out.getvalue()
    assert f"({line})_stopped_in()" in text and "-> y = z * 2" in text
    shown = [part for part in text.splitlines() if "'z is'" in part]
    live = [f"('z is', <tf.Tensor: shape=(), dtype=int32, numpy={z}>)" for z in (6, 13)]
    expected = {
        "Python values": ["('z is', 6)", "('z is', 13)"],
        "traced": ["('z is', <tf.Tensor 'while/add:0' shape=() dtype=int32>)"],
    }
    assert [part.removeprefix("(Pdb) ") for part in shown] == expected.get(mode, live)


# --- names and scopes ------------------------------------------------------------------------------------------------


class _Base:
    def scaled(self, x):
        return x + 1

    @classmethod
    def made(cls, x):
        return cls.__name__, x


class _Private(_Base):
    __factor = 5

    def scaled(self, x):
        if x > 0:
            return super().scaled(x) + self.__factor
        return super(_Private, self).scaled(x)

    @classmethod
    def made(cls, x):
        if x:
            return super().made(x)
        return __class__  # type: ignore[name-defined]

    def private_names(self, __x, *, __k=3):
        __y = __x + __k
        if __y > 2:
            __y += self.__factor

        def inner(__z):
            return __z + __y

        return inner(__x)

    def nested(self):
        def inner(x):
            if x > 0:
                return x + self.__factor, __class__  # type: ignore[name-defined]
            return x, None

        return inner

    def names_its_own_class(self, x):
        if x > 0:
            return _Private.__factor + x
        return _Private


@pytest.mark.parametrize("x", [3, -3])
def test_super_and_private_names_in_methods_mean_what_they_meant(x: int) -> None:
    thing = _Private()
    assert tf.function(thing.scaled)(tf.constant(x)).numpy() == thing.scaled(x)
    assert for_tracing(thing.scaled)(x) == thing.scaled(x)
    assert for_tracing(thing.private_names)(x) == thing.private_names(x)
    assert for_tracing(thing.private_names)(x, _Private__k=9) == thing.private_names(x, _Private__k=9)
    assert for_tracing(thing.nested())(x) == thing.nested()(x)
    assert for_tracing(thing.names_its_own_class)(x) == thing.names_its_own_class(x)


def test_private_variables_are_passed_to_the_graph() -> None:
    thing = _Private()
    converted = for_tracing(thing.private_names)
    traced = tf.function(lambda x: converted(x))
    assert [int(traced(tf.constant(x))) for x in (1, -3)] == [thing.private_names(x) for x in (1, -3)]


def test_super_in_a_class_method_has_the_class() -> None:
    assert for_tracing(_Private.made)(1) == ("_Private", 1)
    assert for_tracing(_Private.made)(0) is _Private


def test_cells_are_shared_with_other_closures() -> None:
    n = 0

    def count(x: Any) -> int:
        nonlocal n
        if x > 0:
            n += 1
        return n

    converted = for_tracing(count)
    assert (converted(1), n, count(1), converted(-1), n) == (1, 1, 2, 2, 2)
    n = 7
    assert converted(1) == 8


_RATE = 1


def _reads_a_global(x):
    if x > 0:
        return _RATE
    return later_defined(x)  # type: ignore[name-defined]  # noqa: F821


def test_globals_are_read_when_the_code_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    converted = for_tracing(_reads_a_global)
    monkeypatch.setitem(globals(), "_RATE", 3)
    monkeypatch.setitem(globals(), "later_defined", lambda x: -x)
    assert (converted(1), converted(-5)) == (3, 5)


def _factorial(n):
    return 1 if n <= 1 else n * _factorial(n - 1)


def test_a_function_may_call_itself() -> None:
    assert for_tracing(_factorial)(5) == 120


def _all_kinds(a, b=2, /, c=3, *args, d, e=5, **kw) -> UndefinedName:  # type: ignore[name-defined]  # noqa: F821
    """Docs."""
    local: AlsoUndefined = a  # type: ignore[name-defined]  # noqa: F821
    return (local, b, c, args, d, e, kw) if a > 0 else None


def test_parameters_defaults_and_the_docstring_stay() -> None:
    converted = for_tracing(_all_kinds)
    assert converted(1, d=4, z=1) == (1, 2, 3, (), 4, 5, {"z": 1})
    assert converted(1, 2, 3, 4, d=1) == _all_kinds(1, 2, 3, 4, d=1)
    assert converted.__doc__ == converted.__code__.co_consts[0] == "Docs."
    assert (converted.__name__, converted.__qualname__) == ("_all_kinds", "_all_kinds")
    assert converted.__defaults__ is _all_kinds.__defaults__
    with pytest.raises(TypeError, match=r"_all_kinds\(\) missing 1 required keyword-only argument: 'd'"):
        converted(1)
    with pytest.raises(TypeError, match="_all_kinds"):
        converted(a=1, d=1)


def _deletes(x):
    y = x
    if x > 0:
        del y
    try:
        return y
    except UnboundLocalError as error:
        return str(error)


def _formats(x):
    if x > 0:
        return f"{x!r:>{5}} {x=} {'a' if x else 'b'}"
    return f"{x:{x + 5}}"


@pytest.mark.parametrize("function", [_deletes, _formats])
@pytest.mark.parametrize("x", [3, -3])
def test_statements_do_what_they_did(function: Callable[[int], Any], x: int) -> None:
    assert for_tracing(function)(x) == function(x)


def _takes_generated_names(x, retval_=1, do_return=2, get_state=1, if_body=2, ag_g=3, ag_t=4, ag_e=5, ag_s=6):
    ag_t_1 = x
    ag_body = loop_body = break_ = itr = 0
    ag__ = ag_f__ = 1
    while ag_g > 0:
        ag_g -= 1
        itr += ag__
        if itr > 100:
            break
    if x > 0:
        ag_g += 1
        return x + do_return + ag_t + ag_g + ag_t_1 + itr + ag_f__
    return ag_e + get_state + if_body + ag_body + loop_body + break_ + ag_s + retval_


@pytest.mark.parametrize("x", [3, -3])
def test_names_that_conversion_would_add_are_the_users(x: int) -> None:
    expected = _takes_generated_names(x)
    assert for_tracing(_takes_generated_names)(x) == expected
    traced = tf.function(_takes_generated_names)
    assert traced(tf.constant(x), ag_g=tf.constant(3)).numpy() == expected


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_functions_of_one_definition_share_a_conversion() -> None:
    def made(k: int) -> Any:
        def inner(x: int) -> int:
            return x + k if x > 0 else k

        return inner

    first, second = for_tracing(made(1)), for_tracing(made(2))
    assert first.__code__ is second.__code__
    assert (first(1), second(1)) == (2, 3)


def test_dropped_functions_take_their_conversions_along() -> None:
    text = "def f(x):\n    if x > 0:\n        x = x + 1\n    return (lambda: x)()\n"
    linecache.cache["<dropped>"] = (len(text), None, text.splitlines(True), "<dropped>")
    namespace: dict[str, Any] = {}
    exec(compile(text, "<dropped>", "exec"), namespace)
    function = namespace.pop("f")
    converted = for_tracing(function)
    assert (converted(1), tf.function(function)(tf.constant(1)).numpy()) == (2, 2)
    conversion = calls.conversions.conversion_of(function)
    known = [weakref.ref(thing) for thing in (function, function.__code__, converted, converted.__code__, conversion)]
    assert all(reference() is not None for reference in known)
    del function, converted, conversion
    gc.collect()
    assert [reference() for reference in known] == [None] * len(known)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_functions_with_type_parameters_are_converted(tmp_path: Any) -> None:
    source = """
def f[T: int](x: T, n: int = 2) -> T:
    type V = list[T]
    def g[U](y: U) -> U:
        if y > 1:
            return y + 1
        return y
    class Box[W]:
        def __init__(self, w: W):
            self.w = w
    box = Box[int](x)
    if x > 0:
        x = g(x) + n
    assert V.__name__ == "V"
    return x + box.w

class C[T]:
    def m[U](self, x: U):
        while x < 10:
            x = x * 2
        assert (T.__name__, U.__name__) == ("T", "U")
        return x
"""
    path = tmp_path / "generic.py"
    path.write_text(source)
    module: dict[str, Any] = {"__name__": "generic"}
    exec(compile(source, str(path), "exec"), module)
    f, m = module["f"], module["C"]().m
    assert tf.function(f)(tf.constant(3)).numpy() == f(3) == tf.autograph.to_graph(f)(3) == 9
    assert tf.autograph.to_graph(f).__type_params__ == f.__type_params__
    assert tf.function(m)(tf.constant(3)).numpy() == m(3) == 12
