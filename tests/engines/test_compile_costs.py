"""What compiling costs is learned, and kept between processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from millrace._src.engines import record_folder
from millrace._src.engines.compile_costs import CompileCosts
from millrace._src.engines.record_folder import RecordFolder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordFolder:
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv(record_folder.VARIABLE, str(tmp_path / "cache"))
    return RecordFolder()


def test_the_guess_counts_until_something_was_compiled() -> None:
    costs = CompileCosts(0.5, 0.01)
    assert costs.estimate(100) == pytest.approx(1.5)


def test_the_time_per_node_moves_to_what_was_measured() -> None:
    costs = CompileCosts(0.5, 0.001)
    for _ in range(20):
        costs.note(1000, 10.5)
    assert costs.node_seconds == pytest.approx(0.01, rel=0.05)
    assert costs.estimate(1000) == pytest.approx(10.5, rel=0.05)


def test_a_machine_that_falls_quiet_is_learned_anew() -> None:
    costs = CompileCosts(0.0, 0.001)
    for _ in range(100):
        costs.note(1000, 10.0)
    for _ in range(100):
        costs.note(1000, 1.0)
    assert costs.node_seconds == pytest.approx(0.001, rel=0.1)


def test_a_compilation_shorter_than_the_constant_is_no_negative_cost() -> None:
    costs = CompileCosts(1.0, 0.001)
    costs.note(10_000, 0.1)
    assert 0.0 <= costs.node_seconds < 0.001


def test_another_process_knows_what_was_learned(folder: RecordFolder) -> None:
    CompileCosts(0.0, 0.001, folder).note(10_000, 100.0)
    assert CompileCosts(0.0, 0.001, RecordFolder()).estimate(1000) == pytest.approx(10.0, rel=0.03)


def test_a_machine_that_slept_while_it_compiled_compiles_again() -> None:
    costs = CompileCosts(0.0, 0.001)
    costs.note(50, 3600.0)
    assert costs.node_seconds <= 10 * 0.001


def test_a_file_with_absurd_numbers_counts_within_bounds(folder: RecordFolder) -> None:
    folder.write("costs.json", b'{"nodes": 20000, "seconds": 1e300}')
    assert CompileCosts(0.0, 0.001, folder).estimate(100) <= 10 * 0.1


_DAMAGED = [
    *(b"", b"[]", b"null", b'{"nodes": "x"}', b'{"nodes": -1, "seconds": 1}', b"\xff"),
    b'{"nodes": 1' + b"0" * 400 + b"}",
    b"[" * 100_000,
]


@pytest.mark.parametrize("content", _DAMAGED, ids=range(len(_DAMAGED)))
def test_a_damaged_file_is_as_none(folder: RecordFolder, content: bytes) -> None:
    folder.write("costs.json", content)
    assert CompileCosts(0.5, 0.01, folder).estimate(100) == pytest.approx(1.5)
