"""The StepStats of a call."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.watching import is_watched
from millrace._src.explain.step_stats import record_call


@tf.function(jit_compile=False)
def step(x: Any) -> Any:
    y = tf.matmul(x, x, name="mm")
    return tf.reduce_sum(y, name="loss")


def test_each_node_is_told_with_its_times_and_results() -> None:
    x = tf.ones([2, 2])
    result, stats = record_call(lambda: step(x), clock=lambda: 1_000_000_000_000)
    assert result.numpy() == 8.0
    (device,) = stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    first, last = device.node_stats
    assert (first.node_name, first.timeline_label) == ("mm", "mm = MatMul()")
    assert (last.node_name, last.timeline_label) == ("loss", "loss = Sum(mm)")
    description = first.output[0].tensor_description
    assert ([d.size for d in description.shape.dim], description.dtype) == ([2, 2], tf.float32.as_datatype_enum)
    assert description.allocation_description.requested_bytes == 16
    assert first.memory[0].total_bytes == 16
    assert first.all_end_rel_nanos > 0
    assert first.all_start_nanos <= last.all_start_nanos
    assert 1_000_000_000_000 <= first.all_start_nanos < 1_000_000_000_000 + 3600 * 10**9


def test_an_error_ends_the_recording() -> None:
    with pytest.raises(ZeroDivisionError):
        record_call(lambda: 1 / 0)
    assert not is_watched()


def test_a_call_that_runs_no_graph_has_no_nodes() -> None:
    _, stats = record_call(lambda: None)
    assert [list(d.node_stats) for d in stats.dev_stats] == [[]]
