"""Profiles of graphs: what a run adds, where the text goes, advice and logs; counts are compared with TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.explain.step_stats import record_call

profiler = tf.compat.v1.profiler
Builder = profiler.ProfileOptionBuilder


@pytest.fixture
def traced() -> tuple[Any, Any]:
    """Returns a graph and what a run of it took."""

    @tf.function(jit_compile=False)
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.matmul(x, x, name="product"), name="total")

    x = tf.ones([20, 20])
    _, stats = record_call(lambda: f(x))
    meta = tf.compat.v1.RunMetadata()
    meta.step_stats.ParseFromString(stats.SerializeToString())
    return f.get_concrete_function(x).graph, meta


def test_a_run_adds_times_and_memory(traced: tuple[Any, Any]) -> None:
    graph, meta = traced
    options = Builder(Builder.time_and_memory(min_micros=0, min_bytes=1)).with_empty_output().build()
    found = profiler.profile(graph, meta, cmd="scope", options=options)
    product = next(child for child in found.children if child.name == "product")
    assert product.exec_micros >= 1
    assert product.requested_bytes == 1600
    assert found.total_exec_micros >= product.exec_micros


def test_the_text_goes_to_the_screen_or_a_file(
    traced: tuple[Any, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, _ = traced
    profiler.profile(graph, cmd="op", options=Builder.float_operation())
    assert "MatMul" in capsys.readouterr().out
    options = Builder(Builder.float_operation()).with_file_output(str(tmp_path / "out.txt")).build()
    profiler.profile(graph, cmd="scope", options=options)
    assert "product (16000/16000 float_ops)" in (tmp_path / "out.txt").read_text()
    assert capsys.readouterr().out == ""


def test_a_timeline_needs_a_run(traced: tuple[Any, Any], tmp_path: Path) -> None:
    graph, meta = traced
    options = Builder(Builder.float_operation()).with_timeline_output(str(tmp_path / "line.json")).build()
    profiler.profile(graph, meta, options=options)
    assert json.loads((tmp_path / "line.json").read_text())["traceEvents"]
    with pytest.raises(tf.errors.UnimplementedError, match="without run_meta"):
        profiler.profile(graph, options=options)


@pytest.mark.parametrize("cmd", ["op", "code", "scope"])
def test_nodes_are_grouped(cmd: str, traced: tuple[Any, Any]) -> None:
    graph, _ = traced
    options = Builder(Builder.float_operation()).with_empty_output().build()
    found = profiler.profile(graph, cmd=cmd, options=options)
    assert found.total_float_ops == 2 * 20 * 20 * 20 + 399
    if cmd == "code":
        assert found.children[0].name.startswith("test_profiler.py:")


def test_what_is_not_supported_is_refused(traced: tuple[Any, Any]) -> None:
    graph, _ = traced
    with pytest.raises(tf.errors.UnimplementedError, match="cmd='graph' is not supported"):
        profiler.profile(graph, cmd="graph", options=Builder.float_operation())
    with pytest.raises(tf.errors.UnimplementedError, match="pprof"):
        profiler.profile(graph, options=Builder(Builder.float_operation()).with_pprof_output("x").build())
    with pytest.raises(tf.errors.UnimplementedError, match="own format"):
        profiler.Profiler(graph).serialize_to_string()


def test_steps_are_averaged_or_chosen(traced: tuple[Any, Any]) -> None:
    graph, meta = traced
    one = profiler.Profiler(graph)
    one.add_step(1, meta)
    one.add_step(2, meta)
    options = Builder(Builder.time_and_memory(min_micros=0, min_bytes=1)).with_empty_output().build()
    both = one.profile_operations(options).total_requested_bytes
    single = one.profile_operations({**options, "step": 2}).total_requested_bytes
    assert both == single == 1604
    assert one.profile_operations({**options, "step": 9}).total_requested_bytes == 0


def test_advice_names_what_takes_most_time(traced: tuple[Any, Any], capsys: pytest.CaptureFixture[str]) -> None:
    graph, meta = traced
    reports = profiler.advise(graph, meta).checkers["ExpensiveOperationChecker"].reports
    assert reports[0].startswith("top 1 operation type: ")
    assert "ExpensiveOperationChecker:" in capsys.readouterr().out


def test_a_log_has_types_counts_and_lines(traced: tuple[Any, Any], tmp_path: Path) -> None:
    graph, _ = traced
    more = profiler.OpLogProto()
    more.log_entries.add(name="total", float_ops=5, types=["mine"])
    profiler.write_op_log(graph, str(tmp_path), more)
    log = profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in log.log_entries}
    assert entries["product"].float_ops == 16000
    assert (entries["total"].float_ops, "mine" in entries["total"].types) == (5, True)
    assert log.id_to_string[entries["product"].code_def.traces[0].file_id] == __file__
    with pytest.raises(tf.errors.NotFoundError):
        profiler.write_op_log(graph, str(tmp_path / "nothing"))
