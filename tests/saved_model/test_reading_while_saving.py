"""A SavedModel that is replaced while it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf
from millrace._src.saved_model.folder import read_unchanged


def _save(folder: Path, text: str) -> None:
    tf.io.write_file(str(folder / "saved_model.pb"), text)


def test_what_did_not_change_is_read_once(tmp_path: Path) -> None:
    _save(tmp_path, "old")
    reads: list[None] = []
    assert read_unchanged(str(tmp_path), lambda: reads.append(None) or 7) == 7
    assert len(reads) == 1


def test_what_changed_is_read_again(tmp_path: Path) -> None:
    _save(tmp_path, "old")
    texts = ["new", "the newest"]

    def read() -> str:
        text = (tmp_path / "saved_model.pb").read_text()
        if texts:
            _save(tmp_path, texts.pop(0))
        return text

    assert read_unchanged(str(tmp_path), read) == "the newest"


def test_what_could_not_be_read_while_it_changed_is_read_again(tmp_path: Path) -> None:
    failures = [tf.errors.DataLossError(None, None, "a checksum is wrong"), OSError("no such file")]

    def read() -> int:
        if failures:
            _save(tmp_path, f"changed {len(failures)}")
            raise failures.pop()
        return 7

    assert read_unchanged(str(tmp_path), read) == 7


def test_what_cannot_be_read_though_it_did_not_change_is_an_error(tmp_path: Path) -> None:
    def read() -> None:
        raise tf.errors.DataLossError(None, None, "a checksum is wrong")

    with pytest.raises(tf.errors.DataLossError, match="a checksum is wrong"):
        read_unchanged(str(tmp_path), read)


def test_what_changes_each_time_is_given_up(tmp_path: Path) -> None:
    sizes: list[int] = []

    def read() -> None:
        sizes.append(1)
        _save(tmp_path, "x" * len(sizes))

    with pytest.raises(tf.errors.UnavailableError, match="the SavedModel is replaced each time that it is read"):
        read_unchanged(str(tmp_path), read)
    assert len(sizes) == 10
