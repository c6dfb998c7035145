"""Where the library is looked for, and what happens where there is none."""

from __future__ import annotations

import ctypes
import ctypes.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from millrace._src.util.onednn import library
from millrace._src.util.onednn.library import Library, OnednnError, candidates, load


@pytest.fixture
def unloaded() -> Iterator[None]:
    load.cache_clear()
    yield
    load.cache_clear()


def test_a_named_file_is_the_only_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(library.VARIABLE, "/folder/libdnnl.so.3")
    assert candidates() == ["/folder/libdnnl.so.3"]


def test_an_empty_name_means_nowhere(monkeypatch: pytest.MonkeyPatch, unloaded: None) -> None:
    monkeypatch.setenv(library.VARIABLE, "")
    assert candidates() == []
    assert load() is None


def test_the_folder_of_the_environment_comes_before_the_loader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    file = tmp_path / "lib" / "libdnnl.so.3"
    file.parent.mkdir()
    file.touch()
    found = candidates()
    assert str(file) in found
    assert found[-1] == "libdnnl.so.3"
    assert found.index(str(file)) < len(found) - 1


def test_other_systems_have_no_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert candidates() == []


def test_a_file_that_is_no_library_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unloaded: None
) -> None:
    (tmp_path / "libdnnl.so.3").write_bytes(b"no library")
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "libdnnl.so.3"))
    assert load() is None


def test_another_library_is_refused() -> None:
    name = ctypes.util.find_library("m")
    if name is None:
        pytest.skip("there is no library of another kind")
    with pytest.raises(OSError, match="is not oneDNN"):
        Library(name)


def test_a_refusal_of_the_library_names_the_function() -> None:
    if (loaded := load()) is None:
        pytest.skip("oneDNN is not installed")
    with pytest.raises(OnednnError, match="dnnl_memory_desc_create_with_tag: status 2"):
        loaded.make("dnnl_memory_desc_create_with_tag", "dnnl_memory_desc_destroy", -1, library.dims([1]), 3, 1)


def test_a_thread_gets_its_number_of_threads_back() -> None:
    if (loaded := load()) is None or not loaded.has_threads:
        pytest.skip("oneDNN is not installed, or has no threads")
    count, choose = loaded.quick("omp_get_max_threads"), loaded.quick("omp_set_num_threads")
    before = count()
    try:
        choose(3)
        with loaded.one_thread():
            assert count() == 1
        assert count() == 3
    finally:
        choose(before)


def test_importing_and_small_work_do_not_load_the_library() -> None:
    program = """
import millrace as tf
tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, "SAME")
tf.ones([32, 32]) @ tf.ones([32, 32])
from millrace._src.util.onednn.library import load
assert load.cache_info().misses == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True)
