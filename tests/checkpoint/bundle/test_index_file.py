"""Entries and headers of an index; what is wrong with them is tested with the reader."""

from __future__ import annotations

from pathlib import Path

import millrace as tf
from millrace._src.checkpoint.bundle.index_file import key_bytes, key_text, parse_entry, shard_count_of
from tests.checkpoint.bundle.indexes import checkpoint, entry, header
from tests.ops.array.answers import check_refusal


def test_an_entry_says_what_a_tensor_is() -> None:
    found_entry = parse_entry(b"v", entry((8,), slices=("0,4", "4,4")))
    assert (found_entry.dtype, found_entry.shape, found_entry.element_count) == (tf.float32, (8,), 8)
    assert found_entry.slice_keys() == [b"\0v\0\1\1\1\x80\x84", b"\0v\0\1\1\1\x84\x84"]


def test_keys_are_any_text_or_bytes() -> None:
    for key in ("a", "é", "a\0b"):
        assert key_text(key_bytes(key)) == key
    assert key_bytes(key_text(b"\xff")) == b"\xff"
    assert key_bytes(b"\xff") == b"\xff"


def test_the_number_of_data_files(tmp_path: Path) -> None:
    prefix = checkpoint(tmp_path, {}, header_bytes=header(12))
    assert shard_count_of(f"{prefix}.index") == 12
    check_refusal(lambda: shard_count_of(f"{tmp_path}/no"), tf.errors.NotFoundError, f"{tmp_path}/no; No such file")
