"""Files beside the program."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf

loader = tf.compat.v1.resource_loader


def test_paths_begin_at_the_file_that_calls() -> None:
    here = Path(__file__).parent
    assert Path(loader.get_data_files_path()) == here
    assert Path(loader.get_path_to_datafile("a/b.txt")) == here / "a" / "b.txt"


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"abc")
    assert loader.load_resource(str(tmp_path / "data")) == b"abc"
    with pytest.raises(FileNotFoundError):
        loader.load_resource("no/such/file")
    assert Path(loader.get_root_dir_with_all_resources()).name == "millrace"
