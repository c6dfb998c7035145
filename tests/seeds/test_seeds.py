"""Runs the code of the seed documents, where they are present, and compares with what the documents print.

The documents were written for several releases; where TensorFlow 2.21 prints otherwise, or where a document shows no
output at all, `EXPECTATIONS` says what 2.21 gives. Output is compared without white space, for documents wrap lines.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import linecache
import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.seeds.documents import FOLDER, Cell, cells, document, runnable

needs_documents = pytest.mark.skipif(not FOLDER.is_dir(), reason="the seed documents are not here")

_TENSOR = "tf.Tensor({}, shape=(), dtype={})"
_SIX_ELEVEN = (_TENSOR.format(6, "int32"), _TENSOR.format(11, "int32"))


class Expect(NamedTuple):
    """What a cell prints when the document does not say it, or says it for another release."""

    output: str | None = None  # the whole text
    contains: tuple[str, ...] = ()  # parts of it, in order
    check: Callable[[str], bool] = lambda text: True
    raises: str = ""  # name of the exception class that ends the cell


def _two_equal_halves(text: str) -> bool:
    lines = text.strip().splitlines()
    half = len(lines) // 2
    return half > 0 and lines[:half] == lines[half:]


def _two_different_halves(text: str) -> bool:
    return not _two_equal_halves(text)


# (document, words that occur in one cell only) -> what TensorFlow 2.21 prints
EXPECTATIONS: dict[tuple[str, str], Expect] = {
    # The document expects TensorFlow to refuse the loop; it is run, and the document's own check complains.
    ("004", "buggy_while_py_true_tf_break"): Expect(contains=("uses tf.while_loop.",), raises="Exception"),
    ("000", "a_function_that_uses_a_graph(x1"): Expect("array([[12.]], dtype=float32)"),
    ("000", "outer_function(tf.constant"): Expect("array([[12.]], dtype=float32)"),
    ("000", 'print("Tracing!")'): Expect(
        f"Tracing! {_SIX_ELEVEN[0]} {_SIX_ELEVEN[1]} Tracing! {_SIX_ELEVEN[0]} Tracing! {_SIX_ELEVEN[1]}"
    ),
    ("000", "不要太在意输出"): Expect(contains=("def tf__my_function(x):", "ag__.if_stmt(", "return ag__.ret(")),
    ("001", 'a = tf.constant("hello")'): Expect(
        "tracing 0 1 2 <tf.Tensor: shape=(), dtype=string, numpy=b'helloworld'>"
    ),
    ("001", 'a = tf.constant("good")'): Expect("0 1 2 <tf.Tensor: shape=(), dtype=string, numpy=b'goodmorning'>"),
    ("001", "a = tf.constant(1),"): Expect("tracing 0 1 2 <tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("001", 'my_add("hello", "world")'): Expect(
        "tracing 0 1 2 tracing 0 1 2 <tf.Tensor: shape=(), dtype=string, numpy=b'goodmoning'>"
    ),
    ("001", "a = np.random.randn"): Expect(check=_two_equal_halves),
    ("001", "a = tf.random.normal"): Expect(check=_two_different_halves),
    ("001", "def outer_var"): Expect("2 <tf.Tensor: shape=(), dtype=float32, numpy=2.0>"),
    ("001", "def inner_var"): Expect(raises="ValueError"),
    ("001", "add_print(tf.constant(3))"): Expect("4", raises="TypeError"),
    ("001", "demo.submodules"): Expect("()"),
    ("001", "demo2 = tf.saved_model.load"): Expect("11 <tf.Tensor: shape=(), dtype=float32, numpy=11.0>"),
    ("001", "my_module2 = tf.saved_model.load"): Expect(
        "1 (<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>,) 6 "
        "<tf.Tensor: shape=(), dtype=float32, numpy=6.0>"
    ),
    ("002", "tf.__version__"): Expect(),
    ("002", "print(tf.autograph.to_code(simple_relu))"): Expect(
        contains=(  # without a scope around the body, and without flags that no loop needs
            "def tf__simple_relu(x):",
            "return (do_return, retval_)",
            "nonlocal do_return, retval_",
            "def if_body():",
            "retval_ = x",
            "def else_body():",
            "retval_ = 0",
            "return ag__.ret(do_return, retval_)",
        )
    ),
    ("002", "tf_simple_relu.get_concrete_function(tf.constant(1)).graph.as_graph_def()"): Expect(
        contains=(  # as TensorFlow 2.21, without the flag that both branches set
            'name: "x" op: "Placeholder"',
            'name: "Greater/y" op: "Const"',
            'name: "Greater" op: "Greater" input: "x" input: "Greater/y"',
            'name: "cond" op: "StatelessIf" input: "Greater" input: "x"',
            'key: "then_branch"',
            'name: "Identity" op: "Identity"',
            "library {",
        )
    ),
    ("002", "pretty_printed_concrete_signatures"): Expect(
        contains=(
            "Input Parameters:",
            "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)",
            "Output Type:",
            "x (POSITIONAL_OR_KEYWORD): List[Literal[1], Literal[-1]]",
            "TensorSpec(shape=(2,), dtype=tf.float32, name=None)",
            "Captures:",
        )
    ),
    ("002", "y_true = tf.random.uniform"): Expect(contains=("tf.Tensor([", "shape=(5,), dtype=int32)")),
    ("002", "get_MSE(y_true, y_pred)\n\n"): Expect(contains=("<tf.Tensor: shape=(), dtype=int32, numpy=",)),
    ("002", "unused_return_eager"): Expect(
        contains=("InvalidArgumentError: ", "indices[0] = 1 is not in [0, 1)", "[Op:GatherV2]")
    ),
    ("002", 'print("Eager execution:"'): Expect(contains=("Eager execution:",)),
    ("002", 'print("Graph execution:"'): Expect(contains=("Graph execution:",)),
    ("004", "double_strings = "): Expect(
        contains=(
            "Obtaining concrete trace",
            'Tracing with Tensor("a:0", dtype=string)',
            "tf.Tensor(b'aa', shape=(), dtype=string)",
            "tf.Tensor(b'bb', shape=(), dtype=string)",
            "Caught expected exception",
            "cannot compute __inference_double_",
            "as input #0(zero-based) was expected to be a string tensor but is a int32 tensor",
        )
    ),
    ("004", "buggy_loop_var_uninitialized"): Expect(raises="Exception"),  # it gets a first value: no error to catch
    ("004", "next_collatz"): Expect(
        contains=(
            'Tracing with Tensor("x:0", shape=(None,), dtype=int32)',
            "tf.Tensor([4 1], shape=(2,), dtype=int32)",
            "Got unexpected exception <class 'TypeError'>: Binding inputs to tf.function failed due to `Can not cast",
        )
    ),
    ("004", "'Python side effect'"): Expect("Python side effect " * 3),
    ("004", "buggy_consume_next"): Expect("Value of external_var: 0 " * 3),
    ("004", "v = tf.Variable(1.0)\n  v.assign_add"): Expect(
        contains=(
            "Caught expected exception <class 'ValueError'>:",
            "tf.function only supports singleton tf.Variables created on the first call.",
        )
    ),
}

# TensorFlow's function quiz: a tensor of each kind, a NumPy scalar, then Python numbers (answers in document 003).
_QUIZ = """
import numpy as np

@tf.function
def f(x):
    print("The function is running in Python")
    tf.print(x)

for argument in (tf.constant(1), tf.constant(2), np.array(2, dtype=np.int32), tf.constant(0.1), tf.constant(0.2)):
    f(argument)
for argument in (1, 2, 1, 0.1, 0.2, 0.1):
    f(argument)
"""
_QUIZ_2 = """
a = tf.Variable(0.0)

@tf.function
def g():
    a.assign(a + 1.0)
    return a

print(g())
print(g())
print(g())
"""


@contextlib.contextmanager
def _everything_printed() -> Iterator[io.BufferedRandom]:
    """Collects standard output and error in one file, in the order of writing, from Python and below."""
    saved_streams = sys.stdout, sys.stderr
    for stream in saved_streams:
        stream.flush()
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        both = io.TextIOWrapper(os.fdopen(os.dup(1), "wb", buffering=0), encoding="utf-8", write_through=True)
        sys.stdout = sys.stderr = both
        try:
            yield file
        finally:
            sys.stdout, sys.stderr = saved_streams
            both.close()
            for descriptor, copy in zip((1, 2), saved, strict=True):
                os.dup2(copy, descriptor)
                os.close(copy)


_numbers = itertools.count()


def run_cell(code: str, namespace: dict[str, Any]) -> tuple[str, BaseException | None]:
    """Runs a cell as a notebook would, showing the value of a last expression; returns its text and its exception."""
    code = code.replace("import tensorflow as tf", "pass")
    name = f"<cell {next(_numbers)}>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    error: BaseException | None = None
    with _everything_printed() as file:
        try:
            exec(compile(tree, name, "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
                if value is not None:
                    print(repr(value))
        except Exception as caught:
            error = caught
        file.seek(0)
        text = file.read().decode("utf-8", "backslashreplace")
    return text, error


def problems(tf: Any, number: str) -> list[str]:
    """Runs the cells of a document that can run and describes those that do not behave as expected."""
    namespace: dict[str, Any] = {"tf": tf, "__name__": "seed"}
    found = []
    for cell, reason in runnable(cells(document(number))):
        if reason is None:
            text, error = run_cell(cell.code, namespace)
            complaint = _complaint(number, cell, text, error)
            if complaint:
                found.append(f"{cell.code.strip()}\n--> {complaint}")
    return found


def _complaint(number: str, cell: Cell, text: str, error: BaseException | None) -> str:
    expect = _expectation(number, cell)
    if (type(error).__name__ if error else "") != expect.raises:
        return f"expected {expect.raises or 'no exception'}, got {type(error).__name__}: {error}; printed {text!r}"
    if expect.output is not None and _dense(expect.output) != _dense(text):
        return f"expected {expect.output!r}, printed {text!r}"
    position = 0
    for part in expect.contains:
        position = _dense(text).find(_dense(part), position)
        if position < 0:
            return f"expected {part!r} (in this order) in {text!r}"
    return "" if expect.check(text) else f"printed {text!r}"


def _expectation(number: str, cell: Cell) -> Expect:
    for (where, words), expect in EXPECTATIONS.items():
        shows_random_result = words.endswith("\n\n") and cell.code.startswith(words)
        if where == number and (shows_random_result or (not words.endswith("\n\n") and words in cell.code)):
            return expect
    return Expect(output=cell.output) if cell.output.strip() else Expect()


def _dense(text: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"\bid=\d+, ", "", text))


@pytest.fixture
def millrace() -> Iterator[Any]:
    """The package, with its log silent: the documents do not show warnings."""
    import millrace

    logger = millrace.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield millrace
    logger.setLevel(level)


@needs_documents
@pytest.mark.parametrize("number", ["000", "001", "002", "004"])
def test_cells_of_a_document_print_what_it_shows(
    number: str, millrace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where documents write files
    found = problems(millrace, number)
    assert not found, "\n\n".join(found)


@needs_documents
@pytest.mark.parametrize(("number", "least"), [("000", 10), ("001", 22), ("002", 28), ("004", 27)])
def test_enough_cells_are_run(number: str, least: int) -> None:
    assert sum(reason is None for _, reason in runnable(cells(document(number)))) >= least


@needs_documents
@pytest.mark.parametrize(("code", "first_words"), [(_QUIZ, "The function is running"), (_QUIZ_2, "tf.Tensor(1.0")])
def test_quizzes_give_the_printed_answers(code: str, first_words: str, millrace: Any) -> None:
    answers = re.findall(r"::\n\n((?:    .*\n|\n)+)", document("003"))
    (answer,) = [text for text in answers if text.strip().startswith(first_words)]
    printed, error = run_cell(code, {"tf": millrace})
    assert error is None
    assert _dense(printed) == _dense(answer)


def test_expectations_meet_one_cell_each() -> None:
    if not FOLDER.is_dir():
        pytest.skip("the seed documents are not here")
    for number, words in EXPECTATIONS:
        matching = [cell for cell in cells(document(number)) if words in cell.code]
        assert matching, words
