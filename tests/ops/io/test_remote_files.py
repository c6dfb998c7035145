"""File systems of other schemes, through `fsspec`."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.remote_files import FsspecFileSystem, remote_schemes

g = tf.io.gfile


def test_without_fsspec_a_scheme_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        g.exists("s3://bucket/x")
    assert str(caught.value).startswith("File system scheme 's3' not implemented (file: 's3://bucket/x'). ")
    assert str(caught.value).endswith("Install it with: pip install 'millrace[remote]'")
    assert remote_schemes() == []
    assert g.get_registered_schemes() == ["ram", "file", ""]


class _Elsewhere:
    """What tests need of `fsspec.AbstractFileSystem`: a file system that can do little."""

    def invalidate_cache(self) -> None:
        pass

    def info(self, path: str) -> dict[str, Any]:
        return {"type": "file", "size": None}

    def modified(self, path: str) -> Any:
        raise NotImplementedError

    def open(self, path: str, mode: str) -> Any:
        raise ValueError(f"no mode {mode!r} here")


def test_what_a_file_system_cannot_do_is_an_error_of_the_system() -> None:
    files = FsspecFileSystem(_Elsewhere())
    status = files.status("x")
    assert (status.length, status.mtime_nsec, status.is_directory) == (0, 0, False)
    with pytest.raises(OSError, match="no mode 'ab' here"):
        files.open("x", "a")


class TestWithFsspec:
    """What `fsspec` brings."""

    @pytest.fixture(autouse=True)
    def _fsspec(self) -> Any:
        return pytest.importorskip("fsspec")

    def test_its_schemes_are_registered(self) -> None:
        assert {"s3", "gs", "memory"} <= set(g.get_registered_schemes())

    def test_an_unknown_scheme_is_refused(self) -> None:
        with pytest.raises(tf.errors.UnimplementedError) as caught:
            g.exists("nope://x")
        assert str(caught.value) == "File system scheme 'nope' not implemented (file: 'nope://x')"

    def test_a_package_that_a_scheme_needs_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "s3fs", None)
        with pytest.raises(tf.errors.UnimplementedError, match=r"^File system scheme 's3' not implemented .*s3fs"):
            g.exists("s3://x")

    def test_the_folder_above_has_the_scheme(self) -> None:
        files, path = file_system_of("memory://a/b/c")
        assert files.directory_of(path) == "memory://a/b"
        assert files.directory_of("memory://a") == ""

    def test_one_file_system_is_equal_to_itself(self) -> None:
        files, _ = file_system_of("memory://a")
        same_files, _ = file_system_of("memory://b")
        other_files, _ = file_system_of("local://b")
        assert files == same_files and hash(files) == hash(same_files) and files != other_files

    def test_all_of_gfile_works(self) -> None:
        top = "memory://all"
        tf.io.write_file(f"{top}/deep/a.txt", "one\ntwo\n")
        assert tf.io.read_file(f"{top}/deep/a.txt").numpy() == b"one\ntwo\n"
        assert tf.io.matching_files(f"{top}/*/?.txt").numpy().tolist() == [f"{top}/deep/a.txt".encode()]
        g.copy(f"{top}/deep/a.txt", f"{top}/b.txt")
        g.rename(f"{top}/b.txt", f"{top}/c.txt")
        with pytest.raises(tf.errors.AlreadyExistsError):
            g.copy(f"{top}/deep/a.txt", f"{top}/c.txt")
        with g.GFile(f"{top}/c.txt", "a") as file:
            file.write("three")
        with g.GFile(f"{top}/c.txt") as file:
            assert file.readlines() == ["one\n", "two\n", "three"] and file.size() == 13
        assert sorted(g.listdir(top)) == ["c.txt", "deep"]
        assert [files for _, _, files in g.walk(top)] == [["c.txt"], ["a.txt"]]
        assert g.stat(f"{top}/c.txt").length == 13 and g.isdir(f"{top}/deep")
        for missing in (g.stat, g.remove, g.rmtree, lambda name: g.GFile(name).read()):
            with pytest.raises(tf.errors.NotFoundError):
                missing(f"{top}/no")
        g.remove(f"{top}/c.txt")
        g.makedirs(f"{top}/x/y")
        g.mkdir(f"{top}/x/z")
        assert sorted(g.listdir(f"{top}/x")) == ["y", "z"]
        g.rmtree(top)
        assert not g.exists(top)

    @pytest.mark.parametrize("compression", ["", "GZIP"])
    def test_records_are_written_and_read(self, compression: str) -> None:
        path = f"memory://records/{compression}"
        with tf.io.TFRecordWriter(path, compression) as writer:
            for number in range(5):
                writer.write(str(number))
        expected = [b"0", b"1", b"2", b"3", b"4"]
        assert list(tf.data.TFRecordDataset([path, path], compression).as_numpy_iterator()) == expected * 2
        g.remove(path)

    def test_datasets_are_saved_loaded_and_cached(self) -> None:
        dataset = tf.data.Dataset.range(5)
        dataset.save("memory://saved")
        assert list(tf.data.Dataset.load("memory://saved").as_numpy_iterator()) == [0, 1, 2, 3, 4]
        cached = dataset.cache("memory://cached")
        assert list(cached.as_numpy_iterator()) == list(cached.as_numpy_iterator()) == [0, 1, 2, 3, 4]
        tf.io.write_file("memory://fixed", b"0123456789")
        assert list(tf.data.FixedLengthRecordDataset("memory://fixed", 5).as_numpy_iterator()) == [b"01234", b"56789"]
