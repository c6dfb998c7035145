"""The file system of this machine."""

from __future__ import annotations

import errno
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from pathlib import Path

import numpy as np
import pytest

from millrace._src.ops.io.local_files import LOCAL
from tests.interop.process import python


def test_file_urls_are_local() -> None:
    assert LOCAL.path_of("file:///a/b") == LOCAL.path_of("file://localhost/a/b") == "/a/b"
    assert LOCAL.path_of("a:b") == "a:b"


@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_the_content_of_a_file_is_read(size: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)) * (size // 256) + b"\r\n\x1a")
    assert LOCAL.content(str(tmp_path / "file")) == (tmp_path / "file").read_bytes()


def test_an_empty_file_has_no_content(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert LOCAL.content(str(tmp_path / "file")) == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_says_nothing_of_its_size_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[b"x" * 300_000])
    writer.start()
    assert LOCAL.content(str(tmp_path / "pipe")) == b"x" * 300_000
    writer.join()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as failure:
        LOCAL.content(str(tmp_path))
    assert failure.value.errno in (errno.EISDIR, errno.EACCES)


def test_a_link_is_a_name_that_is_taken_also_if_it_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    path = str(tmp_path / "link")
    assert LOCAL.is_taken(path) and not LOCAL.exists(path)


def test_a_mapped_file_keeps_its_bytes_when_another_file_replaces_it(tmp_path: Path) -> None:
    path, other_path = str(tmp_path / "a"), str(tmp_path / "b")
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").write_bytes(b"newer")
    view = LOCAL.map(path)
    LOCAL.rename(other_path, path)
    assert view is not None and bytes(view) == b"old"


def test_an_empty_file_is_not_mapped(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert LOCAL.map(str(tmp_path / "a")) is None


def test_a_file_that_a_living_process_claimed_is_not_abandoned(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    with LOCAL.open(path, "x") as file:
        assert LOCAL.claim(file)
        assert not LOCAL.remove_abandoned(path)
        assert os.path.exists(path)


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX")
def test_a_file_that_a_dead_process_claimed_is_abandoned(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    program = (
        "import os, sys; from millrace._src.ops.io.local_files import LOCAL;"
        "file = LOCAL.open(sys.argv[1], 'x'); LOCAL.claim(file); os.kill(os.getpid(), 9)"
    )
    assert python("-c", program, path).returncode == -9
    assert os.path.exists(path)
    assert LOCAL.remove_abandoned(path)
    assert not os.path.exists(path)


@pytest.mark.skipif(os.name != "posix", reason="open files are removed on POSIX")
def test_a_file_that_was_removed_before_it_was_claimed_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    with LOCAL.open(path, "x") as file:
        assert LOCAL.remove_abandoned(path)
        assert not LOCAL.claim(file)


def test_what_is_written_can_be_brought_to_the_disk(tmp_path: Path) -> None:
    with LOCAL.open(str(tmp_path / "a"), "x") as file:
        file.write(b"x")
        LOCAL.sync(file)
    LOCAL.sync_directory(str(tmp_path))
    with pytest.raises(OSError):
        LOCAL.sync_directory(str(tmp_path / "nothing"))


@pytest.mark.skipif(sys.platform != "linux", reason="space is set aside on Linux only")
def test_space_is_set_aside_or_known_to_be_missing(tmp_path: Path) -> None:
    with LOCAL.open(str(tmp_path / "file"), "w") as file:
        file.write(b"ab")
        LOCAL.reserve(file, 1 << 20)
        assert (tmp_path / "file").stat().st_size in (2, 2 + (1 << 20))  # 2 where the file system cannot
        with pytest.raises(OSError, match=r"space left|too large|quota"):
            LOCAL.reserve(file, 1 << 62)
    reader, writer = os.pipe()
    with FileIO(writer, "w") as pipe, FileIO(reader):
        with pytest.raises(OSError, match="seek"):  # a pipe has no positions
            LOCAL.reserve(pipe, 100)


def test_several_threads_read_one_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(np.arange(100_000, dtype=np.uint32).tobytes())
    assert LOCAL.reads_at_once == hasattr(os, "preadv")

    def read(index: int) -> int:
        memory = np.zeros(4, np.uint8)
        assert LOCAL.read_at(file, 4 * index, memory) == 4
        return int(memory.view(np.uint32)[0])

    with LOCAL.open(str(tmp_path / "file"), "r") as file, ThreadPoolExecutor(4 if LOCAL.reads_at_once else 1) as pool:
        assert list(pool.map(read, range(0, 100_000, 7))) == list(range(0, 100_000, 7))
