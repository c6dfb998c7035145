"""`tf.compat.v1.gfile`: older names, the same functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf

v1 = tf.compat.v1.gfile


def test_a_life_of_files_under_the_old_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    v1.MkDir(dirname="a")
    v1.MakeDirs(dirname="b/c")
    with v1.Open("a/x", "w") as file:
        file.write("text")
    v1.Copy(oldpath="a/x", newpath="a/y")
    v1.Rename(oldname="a/y", newname="a/z", overwrite=True)
    assert v1.Exists(filename="a/z") and v1.IsDirectory(dirname="a") and v1.Stat(filename="a/x").length == 4
    assert sorted(v1.ListDirectory(dirname="a")) == ["x", "z"]
    assert v1.Glob(filename="a/x*") == ["a/x"]
    assert [top for top, _, _ in v1.Walk("b", in_order=False)] == ["b/c", "b"]
    v1.Remove(filename="a/x")
    v1.DeleteRecursively(dirname="b")
    assert v1.ListDirectory(".") == ["a"]
    with pytest.raises(tf.errors.AlreadyExistsError):
        v1.Copy("a/z", "a/z")


def test_gfiles_have_three_names(tmp_path: Path) -> None:
    assert v1.Open is v1.GFile is tf.io.gfile.GFile
    (tmp_path / "x").write_text("text")
    assert v1.FastGFile(tmp_path / "x").read() == "text"
