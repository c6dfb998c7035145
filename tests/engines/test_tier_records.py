"""Records of trials in a private folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from millrace._src.engines import record_folder, tier_records
from millrace._src.engines.record_folder import RecordFolder
from millrace._src.engines.tier_records import TierRecord, TierRecords, describe_arguments

RECORD = TierRecord("xla", {"numpy": 2.0, "xla": 0.5})
DAY = 24 * 3600.0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(record_folder.VARIABLE, str(folder))
    return folder


def files(cache: Path) -> list[Path]:
    return sorted((cache / "records").iterdir())


def test_a_record_is_found_by_graph_and_arguments(cache: Path) -> None:
    TierRecords(RecordFolder()).write("a", "x", RECORD)
    records = TierRecords(RecordFolder())
    assert records.read("a", "x") == RECORD
    assert records.read("b", "x") is None and records.read("a", "y") is None


def test_arguments_are_their_shapes_and_dtypes() -> None:
    assert describe_arguments([np.zeros((2, 3), np.float32), np.int64(1)]) == "(2, 3) float32 () int64"


@pytest.mark.parametrize("change", ["processor_features", "usable_cores", "_versions"])
def test_a_record_of_another_machine_is_not_found(cache: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    records = TierRecords(RecordFolder())
    records.write("a", "x", RECORD)
    monkeypatch.setattr(tier_records, change, lambda: "other")
    assert records.read("a", "x") is None


def test_an_old_record_and_one_of_the_future_are_not_believed(cache: Path) -> None:
    now = [0.0]
    records = TierRecords(RecordFolder(), lambda: now[0])
    records.write("a", "x", RECORD)
    found = []
    for now[0] in (DAY, 29 * DAY, 31 * DAY, -DAY):
        found.append(records.read("a", "x") is not None)
    assert found == [True, True, False, False]


@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"{}", b'{"winner": 1, "seconds": [], "time": 0}', b"\xff\x00"]
)
def test_a_damaged_record_is_as_none(cache: Path, content: bytes) -> None:
    records = TierRecords(RecordFolder())
    records.write("a", "x", RECORD)
    (file,) = files(cache)
    file.write_bytes(content)
    assert records.read("a", "x") is None


@pytest.mark.skipif(os.name != "posix", reason="asks for the bits of a folder")
def test_a_file_that_others_may_write_is_not_read_and_an_open_folder_not_used(cache: Path) -> None:
    records = TierRecords(RecordFolder())
    records.write("a", "x", RECORD)
    (file,) = files(cache)
    file.chmod(0o666)
    assert records.read("a", "x") is None
    file.chmod(0o600)
    assert records.read("a", "x") == RECORD


def test_a_record_fits_where_calls_take_about_as_long_as_they_did() -> None:
    assert [RECORD.fits(seconds, "numpy") for seconds in (0.9, 1.1, 3.9, 4.1)] == [False, True, True, False]
    assert not RECORD.fits(1.0, "clusters")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_instead_of_a_record_is_not_waited_for(cache: Path) -> None:
    records = TierRecords(RecordFolder())
    records.write("a", "x", RECORD)
    (file,) = files(cache)
    file.unlink()
    os.mkfifo(file)
    assert records.read("a", "x") is None


def test_there_are_no_records_where_caches_are_off(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(record_folder.VARIABLE, "0")
    records = TierRecords(RecordFolder())
    records.write("a", "x", RECORD)
    assert records.read("a", "x") is None and not (cache / "records").exists()


def test_the_folder_keeps_the_newest_files(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_folder, "_MAX_FILES", 3)
    monkeypatch.setattr(record_folder, "_CLEAN_EVERY", 1)
    monkeypatch.setattr(record_folder.RecordFolder, "_is_due", lambda self: True)
    folder = RecordFolder()
    for number in range(6):
        folder.write(f"{number}.json", b"{}")
        os.utime(cache / "records" / f"{number}.json", (number, number))
    assert [file.name for file in files(cache)][-2:] == ["4.json", "5.json"] and len(files(cache)) <= 4
