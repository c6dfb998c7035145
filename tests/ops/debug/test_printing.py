"""tf.print: text, streams, and program order."""

from __future__ import annotations

import collections
import contextlib
import io
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_Point = collections.namedtuple("_Point", "x y")


class _Object:
    def __repr__(self) -> str:
        return "OB{}"


def _printed(*values: Any, **options: Any) -> str:
    stream = io.StringIO()
    with contextlib.redirect_stderr(stream):
        tf.print(*values, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (b"abc", "b'abc'"),
        (1, "1"),
        (True, "True"),
        (None, "None"),
        (1e-7, "1e-07"),
        (1 + 2j, "(1+2j)"),
        (["a"], "['a']"),
        ((1,), "(1,)"),
        ({}, "{}"),
        (range(3), "[0, 1, 2]"),
        ({1, 2}, "{1, 2}"),
        ([None, 1.5], "[None, 1.5]"),
        (np.int32(3), "np.int32(3)"),
        (np.array([1.5, 2]), "array([1.5, 2. ])"),
        ([b"abc"], "[b'abc']"),
        (_Object(), "OB{}"),
        ([_Object()], "[OB{}]"),
        (slice(1, 2), "slice(1, 2, None)"),
        ("{}", "{}"),
        (["{}"], "['{}']"),
        ({"b": 1, "a": "x"}, "{'a': 'x', 'b': 1}"),
        ("two\nlines", "two\nlines"),
        (["a\nb"], "['a\\nb']"),
    ],
)
def test_python_values_print_as_python_prints_them(value: Any, expected: str) -> None:
    assert _printed(value) == expected + "\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: tf.constant(2.5), "2.5"),
        (lambda: tf.range(10), "[0 1 2 ... 7 8 9]"),
        (lambda: tf.constant("s"), "s"),
        (lambda: tf.constant(["a", "b"]), '["a" "b"]'),
        (lambda: [tf.constant("a")], '["a"]'),
        (lambda: tf.constant([True, False]), "[1 0]"),
        (lambda: tf.constant([[1, 2], [3, 4]]), "[[1 2]\n [3 4]]"),
        (lambda: _Point("p", tf.constant([1, 2])), "_Point(x='p', y=[1 2])"),
        (lambda: {"z": tf.constant(1), "a": [tf.constant(2), None]}, "{'a': [2, None], 'z': 1}"),
        (
            lambda: collections.OrderedDict([("b", tf.constant(1)), ("a", tf.constant(2))]),
            repr(collections.OrderedDict([("b", 1), ("a", 2)])),  # which is another from Python 3.12 on
        ),
        (lambda: [tf.constant(1), "{}", "{}9"], "[1, '{}', '{}9']"),
        (lambda: tf.Variable([1, 2]), "[1 2]"),
        (lambda: [tf.Variable("s")], '["s"]'),
        (lambda: tf.zeros([0, 3]), "[]"),
        (lambda: tf.TensorShape([None, 2]), "TensorShape([None, 2])"),
    ],
)
def test_tensors_print_as_the_runtime_prints_them(value: Any, expected: str) -> None:
    assert _printed(value()) == expected + "\n"


def test_long_structures_are_broken_into_lines() -> None:
    assert _printed([tf.constant(i) for i in range(60)]) == "[" + ",\n ".join(map(str, range(60))) + "]\n"
    assert _printed(["x" * 50, "y" * 50]) == f"['{'x' * 50}',\n '{'y' * 50}']\n"


def test_options() -> None:
    one = tf.constant([1, 2])
    assert _printed("a", 1, one, 2.5) == "a 1 [1 2] 2.5\n"
    assert _printed(1, 2, sep=", ", end="!") == "1, 2!"
    assert _printed() == "\n"
    assert _printed(tf.range(6), summarize=1) == "[0 ... 5]\n"
    assert _printed(tf.range(8), summarize=-1) == "[0 1 2 3 4 5 6 7]\n"
    assert _printed(tf.range(8), summarize=None) == "[0 1 2 ... 5 6 7]\n"


def test_bytes_reach_the_stream_untouched(capfdbinary: Any) -> None:
    tf.print(b"x", tf.constant(b"\xff"), output_stream=sys.stdout)
    tf.print(tf.constant(b"\xfe\n"), end="")
    out, err = capfdbinary.readouterr()
    assert (out, err) == (b"b'x' \"\xff\"\n", b"\xfe\n")


def test_prints_come_in_order_with_pythons_own(capfd: Any) -> None:
    print("one")
    tf.print("two", output_stream=sys.stdout)
    print("three")
    assert capfd.readouterr().out == "one\ntwo\nthree\n"


def test_files_are_appended_to(tmp_path: Path) -> None:
    target = tmp_path / "log.txt"
    tf.print("one", 1, output_stream=f"file://{target}")
    tf.print("two", output_stream=f"file://{target}")
    assert target.read_text() == "one 1\ntwo\n"
    missing = f"file://{tmp_path}/no/such/file"
    check_refusal(
        lambda: tf.print("x", output_stream=missing),
        tf.errors.NotFoundError,
        f"{missing[7:]}; No such file or directory",
    )


def test_the_log_is_a_stream(caplog: Any) -> None:
    caplog.set_level(logging.INFO, logger="tensorflow")
    logger = tf.get_logger()
    logger.addHandler(caplog.handler)
    try:
        tf.print("careful", tf.constant(1), output_stream=tf.compat.v1.logging.warning)
        tf.print("fyi", output_stream=tf.compat.v1.logging.info)
    finally:
        logger.removeHandler(caplog.handler)
    records = {(r.levelname, r.getMessage()) for r in caplog.records}
    assert records == {("WARNING", "careful 1"), ("INFO", "fyi")}


@pytest.mark.parametrize("stream", [5, "nonsense", "stdout", io.StringIO(), print])
def test_other_streams_are_refused(stream: Any) -> None:
    words = "Unsupported output stream, logging level, or file."
    check_refusal(lambda: tf.print("x", output_stream=stream), ValueError, words)


def test_wrong_options_are_refused() -> None:
    check_refusal(lambda: tf.print("x", bad=1), ValueError, "Unrecognized keyword arguments for tf.print: {'bad': 1}")
    check_refusal(lambda: tf.print("x", end=1), TypeError, "Expected string for argument 'end' not 1.")
    check_refusal(lambda: tf.print("x", summarize="3"), TypeError, "Expected int for argument 'summarize' not '3'.")
    refused = tf.errors.InvalidArgumentError
    raw = tf.raw_ops.PrintV2
    check_refusal(lambda: raw(input=["x"]), refused, "Input is expected to be scalar, but got [1]")
    words = "Unknown output stream: bad, Valid streams are: stdout stderr log(info) log(warning) log(error)"
    check_refusal(lambda: raw(input="x", output_stream="bad"), refused, words)


def test_every_call_of_a_function_prints_in_program_order(capfd: Any) -> None:
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(x):
        tf.print("before", v, {"x": x})
        v.assign_add(x)
        tf.print("after", v)

    f(tf.constant(1))
    f(tf.constant(10))
    assert capfd.readouterr().err == "before 0 {'x': 1}\nafter 1\nbefore 1 {'x': 10}\nafter 11\n"


def test_the_nodes_of_print() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1, name="x")
        operation = tf.print("l {} m", x, name="pp")
        tf.print(tf.constant("s", name="s"))
        tf.print({"k": x})
    found = [(o.name, o.type) for o in graph.get_operations() if o.type != "Const"]
    assert found == [
        ("pp_format", "StringFormat"),
        ("pp", "PrintV2"),
        ("PrintV2", "PrintV2"),
        ("StringFormat", "StringFormat"),
        ("PrintV2_1", "PrintV2"),
    ]
    assert operation.name == "pp"
    template = graph.get_operation_by_name("pp_format")
    assert template.get_attr("template") == b"l {} m {}9"
    assert template.get_attr("placeholder") == b"{}9"
    assert tf.print() is None


def test_ragged_tensors_print_as_nested_lists(capfd: Any) -> None:
    ragged = tf.ragged.constant([["a", "b"], [], ["c"]])
    text = "[['a', 'b'], [], ['c']] {'x': [[0, 1, ..., 7, 8], [1]]}\n"
    assert _printed(ragged, {"x": tf.ragged.constant([list(range(9)), [1]])}, summarize=2) == text

    @tf.function(autograph=False)
    def show(x: Any) -> None:
        tf.print(x)

    show(ragged)
    assert capfd.readouterr().err == "[['a', 'b'], [], ['c']]\n"


def test_sparse_tensors_print_their_parts() -> None:
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1, 2], [3, 3])
    text = "'SparseTensor(indices=[[0 1]\n [2 0]], values=[1 2], shape=[3 3])'"
    assert _printed(sparse) == text + "\n"
    assert _printed([sparse]) == f"[{text}]\n"
