"""Checkpoints of either form are opened by one name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import millrace as tf
from millrace._src.checkpoint.bundle.bundle_opening import is_single_file, open_checkpoint
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.ops.array.answers import check_refusal


def test_either_form_is_opened(tmp_path: Path) -> None:
    name = f"{tmp_path}/x"
    words = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {name}"
    check_refusal(lambda: open_checkpoint(name), tf.errors.NotFoundError, words)
    writer = SingleFileWriter(name)
    writer.add("a", np.arange(2))
    writer.finish()
    with open_checkpoint(name) as stored:
        assert stored.read("a").tolist() == [0, 1]
    with BundleWriter(name) as bundle:
        bundle.add("a", np.arange(3))
    with open_checkpoint(name) as stored:
        assert stored.read("a").tolist() == [0, 1, 2]


def test_a_single_file_is_known_by_its_last_bytes(tmp_path: Path) -> None:
    writer = SingleFileWriter(f"{tmp_path}/x")
    writer.add("a", np.arange(2))
    writer.finish()
    (tmp_path / "short").write_bytes(b"text")
    (tmp_path / "other").write_bytes(b"text" * 20)
    assert is_single_file(f"{tmp_path}/x")
    assert not any(is_single_file(f"{tmp_path}/{name}") for name in ("short", "other", "not_there", ""))
