"""Tables as TensorFlow writes them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.table_writer import TableWriter, shared_prefix_size
from millrace._src.proto.tensor_bundle_pb2 import BundleEntryProto
from millrace._src.proto.types_pb2 import DT_FLOAT
from millrace._src.util.crc32c import masked_crc32c


def _written(entries: list[tuple[bytes, bytes]]) -> bytes:
    pieces: list[bytes] = []
    table = TableWriter(pieces.append)
    for key, value in entries:
        table.add(key, value)
    table.finish()
    return b"".join(pieces)


_RECORDED = bytes.fromhex(
    "00000608011a02080100010f780801120412020803280c355f337556000000000100000000a71f1b48000000000100000000"
    "c0f2a1b0000102790024000000000100000000081210172908360e0000000000000000000000000000000000000000000000"
    "0000000000000000000000000057fb808b247547db"
)
"""The index of a checkpoint with one tensor, `x`, written by TensorFlow."""


def test_a_table_is_the_one_of_tensorflow(tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    path.write_bytes(_RECORDED)
    entries = list(TableFileReader(RangedFile(str(path))).items())
    assert [key for key, _ in entries] == [b"", b"x"]
    assert _written(entries) == _RECORDED


def test_an_empty_table_has_a_footer() -> None:
    assert len(_written([])) == 2 * (8 + 5) + 48


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_shared_prefixes(key: bytes, other: bytes) -> None:
    size = shared_prefix_size(key, other)
    assert key[:size] == other[:size]
    assert size in (len(key), len(other)) or key[size] != other[size]


def test_blocks_end_at_a_quarter_of_a_megabyte() -> None:
    entries = [(b"key%06d" % number, bytes(1000)) for number in range(600)]
    written = _written(entries)
    assert 3 * 600 + 600_000 < len(written) < 620_000


def test_the_same_bytes_are_written_for_twenty_thousand_tensors() -> None:
    """Each tensor is a scalar of float32 that counts; the checksum is that of the index which TensorFlow wrote."""
    entries = [(b"", bytes.fromhex("08011a020801"))]
    for number in range(20_000):
        entry = BundleEntryProto(dtype=DT_FLOAT, offset=4 * number, size=4)
        entry.shape.SetInParent()
        entry.crc32c = masked_crc32c(np.float32(number).tobytes())
        entries.append((b"layer_%06d/kernel/.ATTRIBUTES/VARIABLE_VALUE" % number, entry.SerializeToString()))
    assert hashlib.sha256(_written(entries)).hexdigest() == (
        "5eeb19f69fb693bb9280e29da26e046a459a8be074c8f6f3fe3ff0381dec1b15"
    )
