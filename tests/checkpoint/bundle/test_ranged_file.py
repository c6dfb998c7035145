"""Files of which parts are read."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.util.crc32c import crc32c
from tests.ops.array.answers import check_refusal

_CONTENT = os.urandom(3_000_001)


@pytest.fixture
def file(tmp_path: Path) -> RangedFile:
    (tmp_path / "f").write_bytes(_CONTENT)
    return RangedFile(str(tmp_path / "f"))


@pytest.mark.parametrize(("start", "stop"), [(0, 3_000_001), (5, 5), (17, 2_500_000), (3_000_000, 3_000_001)])
def test_parts_are_read_and_summed_up(file: RangedFile, start: int, stop: int) -> None:
    memory = np.zeros(stop - start, np.uint8)
    assert file.read(start, stop - start) == _CONTENT[start:stop]
    assert file.read_into(start, memory) == 0
    assert memory.tobytes() == _CONTENT[start:stop]
    memory[:] = 0
    assert file.read_into(start, memory, crc32c(b"before")) == crc32c(b"before" + _CONTENT[start:stop])
    assert memory.tobytes() == _CONTENT[start:stop]
    assert file.checksum(start, stop - start, 0) == crc32c(_CONTENT[start:stop])


@pytest.mark.parametrize(("offset", "size"), [(3_000_000, 2), (-1, 1), (1 << 60, 1), (0, 1 << 60), (0, -1)])
def test_parts_outside_are_refused(file: RangedFile, offset: int, size: int) -> None:
    check_refusal(lambda: file.read(offset, size), tf.errors.DataLossError, "Read less bytes than requested")
    check_refusal(lambda: file.checksum(offset, size, 0), tf.errors.DataLossError, "Read less bytes than requested")


def test_a_file_that_has_become_shorter_is_refused(file: RangedFile) -> None:
    os.truncate(file.name, 10)
    for read in (lambda: file.read(0, 20), lambda: file.read_into(5, np.zeros(20, np.uint8), 0)):
        check_refusal(read, tf.errors.DataLossError, "Read less bytes than requested")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    check_refusal(lambda: RangedFile(f"{tmp_path}/no"), tf.errors.NotFoundError, f"{tmp_path}/no; No such file")
