"""What a run is asked for besides values: times of its operations, its graph, an end to waiting."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        tf.reduce_sum(tf.matmul(x, x, transpose_b=True, name="product"), name="total")
    config = v1.ConfigProto()  # XLA has names of its own for what it runs
    config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.OFF
    with v1.Session(graph=graph, config=config) as sess:
        yield sess


def test_a_traced_run_tells_the_times_of_its_operations(session: Any) -> None:
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    for _ in range(2):
        assert session.run("total:0", {"x:0": [[1.0] * 4] * 2}, options, metadata) == 16.0
        nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
        assert {"product", "total"} <= {node.node_name for node in nodes}
        assert all(node.all_start_micros > 0 for node in nodes)
    session.run("total:0", {"x:0": [[1.0] * 4]}, run_metadata=metadata)
    assert not metadata.step_stats.dev_stats


def test_a_run_tells_the_graph_that_ran(session: Any) -> None:
    metadata = v1.RunMetadata()
    session.run("product:0", {"x:0": [[1.0] * 4]}, v1.RunOptions(output_partition_graphs=True), metadata)
    names = [node.name for node in metadata.partition_graphs[0].node]
    assert "product" in names and "total" not in names


def test_what_are_no_options_is_refused(session: Any) -> None:
    with pytest.raises(TypeError, match=r"must be a tf\.RunOptions"):
        session.run("total:0", {"x:0": [[1.0] * 4]}, options=3)
    with pytest.raises(TypeError, match=r"must be a tf\.RunMetadata"):
        session.run("total:0", {"x:0": [[1.0] * 4]}, run_metadata=3)


def test_xla_can_be_kept_away() -> None:
    config = v1.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.OFF
    with tf.Graph().as_default() as graph:
        c = tf.constant(1.0) + 2.0
    with v1.Session(graph=graph, config=config) as sess:
        assert sess.run(c) == 3.0
        (step,) = sess._steps.values()
        assert step.function.tiers()["session_step"].reason == "the NumPy tier is the only one"
