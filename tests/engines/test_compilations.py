"""The count of executables that engines have compiled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from millrace._src.engines.compilations import compilation_count, note_compilation


def test_every_note_counts_also_of_threads() -> None:
    before = compilation_count()
    with ThreadPoolExecutor(4) as pool:
        for _ in range(100):
            pool.submit(note_compilation)
    assert compilation_count() - before == 100
