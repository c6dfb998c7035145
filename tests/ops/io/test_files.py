"""`tf.io.read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_HERE = os.fsencode(__file__)


def _text(value: Any) -> Any:
    return np.array(value, dtype=object)


SAMPLES = [
    Sample("ReadFile", inputs=(_text(_HERE),)),
    Sample("MatchingFiles", inputs=(_text(_HERE[:-3] + b"*"),)),
    Sample("MatchingFiles", inputs=(_text([_HERE, _HERE + b"x*"]),)),
    Sample("MatchingFiles", inputs=(np.zeros(0, object),)),
]

_e = tf.errors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d").mkdir()
    for name in ("c.txt", "b.txt", "a.txt", "d/z", "d/y", ".h"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_files_are_read_and_written(folder: Path) -> None:
    assert tf.io.read_file(f"{folder}/a.txt").numpy() == b"a.txt"
    assert tf.io.read_file(f"file://{folder}/a.txt").numpy() == b"a.txt"
    assert tf.io.write_file(f"{folder}/a.txt", b"\xff\0") is None
    assert tf.io.read_file(f"{folder}/a.txt").numpy() == b"\xff\0"
    tf.io.write_file(f"{folder}/new/newer/file", "é")
    assert (folder / "new/newer/file").read_text() == "é"


def test_files_that_cannot_be_read(folder: Path) -> None:
    read = tf.io.read_file
    check_refusal(lambda: read(f"{folder}/no"), _e.NotFoundError, f"{folder}/no; No such file or directory")
    check_refusal(lambda: read(str(folder)), _e.FailedPreconditionError, f"{folder}; Is a directory")
    check_refusal(
        lambda: read("nope://a"), _e.UnimplementedError, "File system scheme 'nope' not implemented (file: 'nope:/"
    )
    check_refusal(lambda: read(""), _e.NotFoundError, "; No such file or directory")
    words = "Input filename tensor must be scalar, but had shape: [1]"
    check_refusal(lambda: read([f"{folder}/a.txt"]), _e.InvalidArgumentError, words)
    check_refusal(lambda: read("a\0b"), _e.InvalidArgumentError, "'a\\x00b'; the name of a file holds no zero byte")


def test_files_that_cannot_be_written(folder: Path) -> None:
    write = tf.io.write_file
    check_refusal(lambda: write(str(folder), "x"), _e.FailedPreconditionError, f"{folder}; Is a directory")
    below = f"{folder}/a.txt/q"
    check_refusal(lambda: write(below, "x"), _e.FailedPreconditionError, f"{below}; Not a directory")
    check_refusal(lambda: write("", "x"), _e.NotFoundError, "; No such file or directory")
    words = "Contents tensor must be scalar, but had shape: [1]"
    check_refusal(lambda: write(f"{folder}/w", ["x"]), _e.InvalidArgumentError, words)
    words = "Input filename tensor must be scalar, but had shape: [1]"
    check_refusal(lambda: write([f"{folder}/w"], "x"), _e.InvalidArgumentError, words)


def test_matching_files_are_sorted(folder: Path) -> None:
    def match(*patterns: str) -> list[str]:
        found = tf.io.matching_files([f"{folder}/{pattern}" for pattern in patterns]).numpy()
        return [os.fsdecode(name).removeprefix(f"{folder}/") for name in found]

    assert match("*.txt") == ["a.txt", "b.txt", "c.txt"]
    assert match("*.txt", "d/*", "a*") == ["a.txt", "a.txt", "b.txt", "c.txt", "d/y", "d/z"]
    assert match("*") == [".h", "a.txt", "b.txt", "c.txt", "d"]
    assert match("q*") == match("no/x/*") == match("a.txt/*") == []
    empty = tf.io.matching_files(tf.zeros([0], tf.string))
    assert (empty.shape, empty.dtype) == ((0,), tf.string)


def test_patterns_are_refused(folder: Path) -> None:
    words = "Input patterns tensor must be scalar or vector, but had shape: [1,1]"
    check_refusal(lambda: tf.io.matching_files([["*"]]), _e.InvalidArgumentError, words)
    words = "File system scheme 'nope' not implemented (file: 'nope://x/*')"
    check_refusal(lambda: tf.io.matching_files("nope://x/*"), _e.UnimplementedError, words)


def test_a_graph_reads_what_is_there_when_it_runs(folder: Path) -> None:
    @tf.function
    def read() -> Any:
        return tf.io.read_file(f"{folder}/a.txt"), tf.io.matching_files(f"{folder}/n*")

    contents, names = read()
    assert (contents.numpy(), names.numpy().tolist()) == (b"a.txt", [])
    (folder / "a.txt").write_text("later")
    (folder / "new").write_text("")
    contents, names = read()
    assert (contents.numpy(), names.numpy().tolist()) == (b"later", [os.fsencode(folder / "new")])


def test_a_graph_writes_before_it_reads(folder: Path) -> None:
    @tf.function
    def write_and_read(text: Any) -> Any:
        tf.io.write_file(f"{folder}/w", text)
        return tf.io.read_file(f"{folder}/w")

    for text in (b"one", b"two"):
        assert write_and_read(text).numpy() == text


def test_shapes_are_refused_in_graphs() -> None:
    vector, matrix = tf.TensorSpec([3], tf.string), tf.TensorSpec([3, 1], tf.string)
    for function, spec, words in (
        (tf.io.read_file, vector, "Shape must be rank 0 but is rank 1"),
        (lambda x: tf.io.write_file(x, "a"), vector, "Shape must be rank 0 but is rank 1"),
        (lambda x: tf.io.write_file("a", x), vector, "Shape must be rank 0 but is rank 1"),
        (tf.io.matching_files, matrix, "Shape must be at most rank 1 but is rank 2"),
    ):
        with pytest.raises(ValueError, match=words):
            tf.function(lambda x, f=function: f(x)).get_concrete_function(spec)
    (found,) = tf.function(lambda x: tf.io.matching_files(x)).get_concrete_function(vector).outputs
    assert found.shape.as_list() == [None]
