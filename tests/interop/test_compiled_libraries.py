"""Libraries that were compiled for TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf


@pytest.mark.parametrize("load", [tf.load_op_library, tf.compat.v1.load_file_system_library])
def test_a_missing_library_is_said_to_be_missing(load: object) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"^/no\.so: cannot open shared object file: No such file"):
        load("/no.so")  # type: ignore[operator]  # one of the functions above


def test_a_library_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    (tmp_path / "ops.so").write_bytes(b"\x7fELF")
    for load in (tf.load_op_library, tf.load_library, tf.compat.v1.load_file_system_library):
        with pytest.raises(tf.errors.UnimplementedError, match=r"compiled for TensorFlow .* tf\.numpy_function"):
            load(tmp_path / "ops.so")
    with pytest.raises(tf.errors.UnimplementedError):
        tf.load_library(str(tmp_path))


def test_a_folder_without_libraries_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert tf.load_library(str(tmp_path)) is None
    with pytest.raises(FileNotFoundError, match="The file or folder to load kernel libraries from does not exist"):
        tf.load_library(str(tmp_path / "no"))
