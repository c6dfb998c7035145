"""Records of comma-separated files: cut at any piece size, positions."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millrace._src.ops.io.table_reader import TableRecordReader

_FIELDS = st.text(alphabet='a",\n\r ', max_size=6)


def _records(path: Path, size: int) -> list[bytes]:
    reader = TableRecordReader(bytes(path), buffer_size=size)
    records: list[bytes] = []
    while block := reader.read_block(3):
        records += block
    reader.close()
    return records


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(_FIELDS, min_size=2, max_size=3), min_size=1, max_size=6),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    size=st.integers(1, 20),
)
def test_what_python_writes_is_cut_into_its_rows(
    tmp_path: Path, rows: list[list[str]], quoting: int, size: int
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting)
    expected = []
    for row in rows:
        before = text.tell()
        writer.writerow(row)
        expected.append(text.getvalue()[before:].removesuffix("\r\n").encode())
    path = tmp_path / "a.csv"
    path.write_bytes(text.getvalue().encode())
    assert _records(path, size) == expected


@pytest.mark.parametrize("text", [b"1\n2\r\n3\r4", b'1\n"2\n"\r\n"3"\r4'])
def test_a_reader_goes_on_at_every_position(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    whole = _records(path, 4)
    for passed in range(5):
        reader = TableRecordReader(bytes(path), buffer_size=4)
        for _ in range(passed):
            reader.read_block(1)
        again = TableRecordReader(bytes(path), buffer_size=4, position=reader.position)
        rest = [record for _ in range(5) for record in again.read_block(1)]
        assert rest == whole[passed:]
