"""`tf.io.gfile`: asking about files, and changing them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_e = tf.errors
g = tf.io.gfile


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "d/e").mkdir(parents=True)
    for name in ("a.txt", "b.txt", ".hid", "d/x.txt", "d/e/y.txt", "[q].txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return str(tmp_path)


def _scheme(call: Any) -> None:
    check_refusal(call, _e.UnimplementedError, "File system scheme 'nope' not implemented (file: 'nope://b/x')")


def test_exists_and_isdir(folder: str) -> None:
    for name in (f"{folder}/d", f"{folder}/d/", f"file://{folder}/d", Path(folder, "d"), os.fsencode(f"{folder}/d")):
        assert g.exists(name)
        assert g.isdir(name)
    assert g.exists("a.txt") and not g.isdir("a.txt")
    for name in ("no", "no/x", "", "a.txt/z"):
        assert not g.exists(name)
        assert not g.isdir(name)
    _scheme(lambda: g.exists("nope://b/x"))
    assert not g.isdir("nope://b/x")
    for function in (g.exists, g.isdir, g.stat, g.listdir, g.remove, g.mkdir):
        check_refusal(lambda f=function: f(3), TypeError, "Expected binary or unicode string, got 3")


def test_stat(folder: str) -> None:
    file, directory = g.stat("a.txt"), g.stat(f"file://{folder}/d")
    assert (file.length, file.is_directory, directory.is_directory) == (5, False, True)
    assert file.mtime_nsec == os.stat("a.txt").st_mtime_ns
    assert repr(file).startswith("FileStatistics(length=5, mtime_nsec=")
    check_refusal(lambda: g.stat("no"), _e.NotFoundError, "no; No such file or directory")
    check_refusal(lambda: g.stat("a.txt/z"), _e.FailedPreconditionError, "a.txt/z; Not a directory")
    _scheme(lambda: g.stat("nope://b/x"))


def test_listdir(folder: str) -> None:
    assert sorted(g.listdir("d")) == ["e", "x.txt"]
    for name in ("no", "a.txt", "", "nope://b/x"):
        check_refusal(lambda n=name: g.listdir(n), _e.NotFoundError, f"Could not find directory {name}")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", ["./.hid", "./[q].txt", "./a.txt", "./b.txt", "./d"]),
        ("?.txt", ["./a.txt", "./b.txt"]),
        ("[!a].txt", ["./b.txt"]),
        ("[^a].txt", ["./b.txt"]),
        ("d/**", ["d/e", "d/x.txt"]),
        ("**/*.txt", ["./d/x.txt"]),
        ("*/*/*.txt", ["./d/e/y.txt"]),
        ("*/x.txt", ["./d/x.txt"]),
        ("\\[q\\].txt", ["./[q].txt"]),
        ("[[]q].txt", ["./[q].txt"]),
        ("{a,b}.txt", []),
        (".*", ["./.hid"]),
        ("d", ["d"]),
        ("d/", ["d/"]),
        ("./*.txt", ["./[q].txt", "./a.txt", "./b.txt"]),
        (["b*", "a*", "b*"], ["./a.txt", "./b.txt", "./b.txt"]),
        ("no*", []),
        ("[a", []),
        ("a\\", []),
        ([], []),
        (Path("a.txt"), ["a.txt"]),
    ],
)
def test_glob(folder: str, pattern: Any, names: list[str]) -> None:
    assert sorted(g.glob(pattern)) == names


def test_glob_keeps_the_beginning_of_a_pattern(folder: str) -> None:
    assert sorted(g.glob(f"{folder}/?.txt")) == [f"{folder}/a.txt", f"{folder}/b.txt"]
    assert sorted(g.glob(f"file://{folder}/?.txt")) == [f"file://{folder}/a.txt", f"file://{folder}/b.txt"]
    _scheme(lambda: g.glob("nope://b/x"))
    check_refusal(lambda: g.glob("nope://x/*"), _e.UnimplementedError, "File system scheme 'nope' not implemented")


def test_walk(folder: str) -> None:
    steps = [(top, directories, sorted(files)) for top, directories, files in g.walk(folder)]
    assert steps == [
        (folder, ["d"], [".hid", "[q].txt", "a.txt", "b.txt"]),
        (f"{folder}/d", ["e"], ["x.txt"]),
        (f"{folder}/d/e", [], ["y.txt"]),
    ]
    assert [top for top, _, _ in g.walk(folder, topdown=False)] == [f"{folder}/d/e", f"{folder}/d", folder]
    assert [top for top, _, _ in g.walk(f"file://{folder}/d")] == [f"file://{folder}/d", f"file://{folder}/d/e"]


def test_walk_skips_what_the_caller_takes_away(folder: str) -> None:
    seen = []
    for top, directories, _ in g.walk(folder):
        seen.append(top)
        directories.clear()
    assert seen == [folder]


def test_walk_reports_directories_that_cannot_be_listed() -> None:
    failures: list[Any] = []
    assert list(g.walk("no")) == []
    assert list(g.walk("no", onerror=failures.append)) == []
    assert [type(error) for error in failures] == [_e.NotFoundError]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("a", "b"), "a/b"),
        (("a", "/b"), "/b"),
        (("/a/", "b/"), "/a/b/"),
        (("a", "", "b"), "a/b"),
        (("nope://x", "y"), "nope://x/y"),
        (("nope://x/", "/y"), "/y"),
        (("file:///a", "b"), "file:///a/b"),
        ((b"a", b"b"), b"a/b"),
        ((Path("a"), "b"), "a/b"),
        (("a",), "a"),
    ],
)
def test_join(parts: Any, name: Any) -> None:
    assert g.join(*parts) == name


def test_schemes() -> None:
    assert g.get_registered_schemes()[:3] == ["ram", "file", ""]


def test_copy(folder: str) -> None:
    g.copy("a.txt", "a2")
    assert Path("a2").read_text() == "a.txt"
    for target in ("a2", "d"):
        check_refusal(lambda t=target: g.copy("b.txt", t), _e.AlreadyExistsError, "file already exists")
    g.copy("b.txt", "a2", overwrite=True)
    assert Path("a2").read_text() == "b.txt"
    check_refusal(lambda: g.copy("no", "q"), _e.NotFoundError, "no; No such file or directory")
    assert not g.exists("q")
    check_refusal(lambda: g.copy("d", "q"), _e.FailedPreconditionError, "d; Is a directory")
    check_refusal(lambda: g.copy("a.txt", "d", True), _e.FailedPreconditionError, "d; Is a directory")
    check_refusal(lambda: g.copy("a.txt", "n/q"), _e.NotFoundError, "n/q; No such file or directory")


def test_a_file_copied_onto_itself_stays(folder: str) -> None:
    g.copy("a.txt", f"{folder}/a.txt", overwrite=True)
    assert Path("a.txt").read_text() == "a.txt"


def test_rename(folder: str) -> None:
    g.rename("a.txt", "a3")
    assert not g.exists("a.txt") and Path("a3").read_text() == "a.txt"
    check_refusal(lambda: g.rename("a3", "b.txt"), _e.AlreadyExistsError, "file already exists")
    g.rename("a3", "b.txt", True)
    assert Path("b.txt").read_text() == "a.txt"
    g.rename("d", "dd")
    assert g.exists("dd/e/y.txt")
    check_refusal(lambda: g.rename("no", "z"), _e.NotFoundError, "no; No such file or directory")
    check_refusal(lambda: g.rename("b.txt", "dd", True), _e.FailedPreconditionError, "b.txt; Is a directory")
    g.mkdir("d3")
    check_refusal(lambda: g.rename("d3", "dd", True), _e.FailedPreconditionError, "d3; Directory not empty")


def test_remove(folder: str) -> None:
    g.remove("a.txt")
    assert not g.exists("a.txt")
    check_refusal(lambda: g.remove("a.txt"), _e.NotFoundError, "a.txt; No such file or directory")
    check_refusal(lambda: g.remove("d"), _e.FailedPreconditionError, "d; Is a directory")
    check_refusal(lambda: g.remove("b.txt/z"), _e.FailedPreconditionError, "b.txt/z; Not a directory")


def test_rmtree(folder: str) -> None:
    os.symlink("d", "link")
    check_refusal(lambda: g.rmtree("link"), _e.FailedPreconditionError, "link; Not a directory")
    assert g.exists("d/x.txt")
    g.rmtree("d")
    g.rmtree("a.txt")
    assert not g.exists("d") and not g.exists("a.txt")
    check_refusal(lambda: g.rmtree("no"), _e.NotFoundError, "no not found")
    _scheme(lambda: g.rmtree("nope://b/x"))


def test_mkdir_and_makedirs(folder: str) -> None:
    for function in (g.mkdir, g.makedirs):
        function("d")
        function("")
        _scheme(lambda f=function: f("nope://b/x"))
    g.mkdir("a.txt")  # as TensorFlow: the name is taken, and nothing happens
    g.mkdir("new")
    g.makedirs(f"file://{folder}/n1/n2/n3/")
    assert g.isdir("new") and g.isdir("n1/n2/n3")
    check_refusal(lambda: g.mkdir("n/m"), _e.NotFoundError, "n/m; No such file or directory")
    check_refusal(lambda: g.mkdir("a.txt/z"), _e.FailedPreconditionError, "a.txt/z; Not a directory")
    for name in ("a.txt", "a.txt/q", "a.txt/q/r"):
        check_refusal(lambda n=name: g.makedirs(n), _e.FailedPreconditionError, "a.txt is not a directory")
