"""Files in memory: names that begin with `ram://`."""

from __future__ import annotations

from collections.abc import Iterator
from io import UnsupportedOperation

import pytest

import millrace as tf
from millrace._src.ops.io.ram_files import RamFileSystem

g = tf.io.gfile


@pytest.fixture
def files() -> Iterator[RamFileSystem]:
    yield RamFileSystem()


def test_empty_parts_of_a_name_do_not_count(files: RamFileSystem) -> None:
    assert files.path_of("ram:///a//b/") == "a/b"
    assert files.path_of("ram://") == ""


def test_a_file_brings_the_folders_above(files: RamFileSystem) -> None:
    files.open("a/b/c", "w").close()
    assert files.list_directory("") == ["a"] and files.list_directory("a") == ["b"]
    assert files.status("a/b").is_directory


def test_a_file_stands_in_no_file(files: RamFileSystem) -> None:
    files.open("a", "w").close()
    for use in (
        lambda: files.open("a/b", "w"),
        lambda: files.make_directory("a/b"),
        lambda: files.make_directories("a"),
    ):
        with pytest.raises(NotADirectoryError):
            use()
    with pytest.raises(IsADirectoryError):
        files.open("", "w")


def test_a_folder_does_not_go_into_itself(files: RamFileSystem) -> None:
    files.make_directories("a/b")
    with pytest.raises(OSError):
        files.rename("a", "a/b/c")
    files.open("f", "w").close()
    with pytest.raises(NotADirectoryError):
        files.rename("a", "f")


def test_a_file_is_read_or_written_as_it_was_opened(files: RamFileSystem) -> None:
    with files.open("a", "w") as file, pytest.raises(UnsupportedOperation):
        file.read(1)
    with files.open("a", "r") as file, pytest.raises(UnsupportedOperation):
        file.write(b"x")


def test_a_claimed_file_is_not_abandoned(files: RamFileSystem) -> None:
    file = files.open("a", "x")
    assert files.claim(file) and not files.remove_abandoned("a")
    file.close()
    assert files.remove_abandoned("a") and not files.remove_abandoned("a")


def test_a_file_that_was_removed_before_it_was_claimed_says_so(files: RamFileSystem) -> None:
    file = files.open("a", "x")
    files.remove("a")
    assert not files.claim(file)


def test_readers_see_what_is_written_meanwhile(files: RamFileSystem) -> None:
    with files.open("a", "w") as file, files.open("a", "r") as reader:
        assert reader.read(1) == b""
        file.write(b"text")
        assert reader.read(9) == b"text"


def test_tensors_files_and_datasets_are_kept_in_memory() -> None:
    """TensorFlow answers the same to all of this."""
    tf.io.write_file("ram://tensors/deep/a.txt", "one\ntwo\n")
    assert tf.io.read_file("ram://tensors/deep/a.txt").numpy() == b"one\ntwo\n"
    assert tf.io.matching_files("ram://tensors/*/?.txt").numpy().tolist() == [b"ram://tensors/deep/a.txt"]
    assert list(tf.data.TextLineDataset("ram://tensors/deep/a.txt").as_numpy_iterator()) == [b"one", b"two"]
    assert list(g.walk("ram://tensors")) == [("ram://tensors", ["deep"], []), ("ram://tensors/deep", [], ["a.txt"])]
    g.rename("ram://tensors/deep/a.txt", "ram://tensors/b.txt")
    g.copy("ram://tensors/b.txt", "ram://tensors/c.txt")
    assert g.listdir("ram://tensors") == ["deep", "b.txt", "c.txt"]
    with g.GFile("ram://tensors/c.txt", "a+") as file:
        file.write("three")
        file.flush()
        assert file.read() == "one\ntwo\nthree" and file.size() == 13
    g.rmtree("ram://tensors")
    assert not g.exists("ram://tensors")


def test_files_do_not_move_between_file_systems(tmp_path: object) -> None:
    tf.io.write_file("ram://mine", "text")
    with pytest.raises(tf.errors.UnimplementedError, match=f"^Renaming ram://mine to {tmp_path}/x not implemented"):
        g.rename("ram://mine", f"{tmp_path}/x")
    g.copy("ram://mine", f"{tmp_path}/x")
    assert g.GFile(f"{tmp_path}/x").read() == "text"
    g.remove("ram://mine")
