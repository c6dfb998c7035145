"""Running iterators: how many elements they take at once."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.data import iteration
from tests.data.pipelines import rest, started


@pytest.mark.parametrize(("seconds", "most", "least"), [(0.0, 1024, 512), (0.02, 2, 1)])
def test_blocks_grow_until_the_consumer_has_to_wait(
    seconds: float, most: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += seconds
        return now[0]

    monkeypatch.setattr(iteration, "perf_counter", clock)
    running = started(tf.data.Dataset.range(5000))
    counts = []
    while running.next_row() is not None:
        counts.append(running.count)
        running.place = running.count
    assert least <= max(counts) <= most
    assert rest(running) == []
