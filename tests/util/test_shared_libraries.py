"""Loading large shared libraries ahead of an import."""

from __future__ import annotations

import _ctypes
import importlib.machinery
import shutil
import sys
from pathlib import Path

import pytest

from millrace._src.util import shared_libraries
from millrace._src.util.shared_libraries import load_libraries_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python loads libraries itself there")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package with a small file, a text that is called a library, and a real library."""
    package = tmp_path / "package_with_libraries"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    shutil.copy(_ctypes.__file__, package / "libreal.so")
    (package / "libbroken.so.1").write_text("x" * 100_000)
    (package / "libsmall.so").write_text("x")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(shared_libraries, "_LARGE", min(Path(_ctypes.__file__).stat().st_size, 100_000))
    return package


@pytest.mark.skipif(not importlib.machinery.EXTENSION_SUFFIXES, reason="no extension modules")
def test_large_libraries_that_load_are_loaded_and_others_are_left_to_the_import(folder):
    assert load_libraries_of("package_with_libraries") == [folder / "libreal.so"]


def test_a_package_that_is_missing_has_no_libraries():
    assert load_libraries_of("no_such_package_anywhere") == []
