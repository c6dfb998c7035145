"""Benchmarks report in TensorFlow's format, to standard output or to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import test_log_pb2
from millrace._src.testing.benchmark import Benchmark, run_benchmarks


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Benchmark, "_known", [])


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path) + "/")

    def read() -> dict[str, Any]:
        found = {}
        for path in sorted(tmp_path.iterdir()):
            (found[path.name],) = test_log_pb2.BenchmarkEntries.FromString(path.read_bytes()).entry
        return found

    return read


def test_a_report_is_named_by_the_method_that_makes_it(capsys: pytest.CaptureFixture[str]) -> None:
    class Some(tf.test.Benchmark):
        def benchmark_it(self) -> None:
            self.measure()

        def measure(self) -> None:
            self.report_benchmark(iters=2)

    Some().benchmark_it()
    assert capsys.readouterr().out == 'entry {\n  name: "Some.benchmark_it"\n  iters: 2\n}\n\n'


def test_everything_that_is_reported_is_in_the_entry(reports: Any) -> None:
    class Some(tf.test.Benchmark):
        pass

    extras = {"a": 1, "b": "x", "c": [2.5]}
    metrics = [{"name": "m", "value": 1.0, "min_value": 0, "max_value": 2}, {"name": "n", "value": 3.0}]
    Some().report_benchmark(3, 1.0, 0.25, 4.0, extras, "group/one", metrics)
    (entry,) = reports().values()
    assert list(reports()) == ["Some.group__one"] and entry.name == "Some.group/one"
    assert (entry.iters, entry.cpu_time, entry.wall_time, entry.throughput) == (3, 1.0, 0.25, 4.0)
    assert entry.extras["a"].double_value == 1.0 and entry.extras["c"].string_value == "[2.5]"
    assert entry.metrics[0].HasField("min_value") and entry.metrics[0].max_value.value == 2.0
    assert not entry.metrics[1].HasField("min_value")
    with pytest.raises(FileExistsError):
        Some().report_benchmark(name="group/one")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"extras": 3}, "extras must be a dict"),
        ({"metrics": 3}, "metrics must be a list"),
        ({"metrics": [{"value": 1}]}, "metric must has a 'name' field"),
        ({"metrics": [{"name": "x"}]}, "metric must has a 'value' field"),
    ],
)
def test_reports_of_another_form_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.test.Benchmark().report_benchmark(**given)


def test_an_operation_is_measured_in_a_session(reports: Any) -> None:
    class Session:
        runs = 0

        def run(self, fetches: Any, feed_dict: Any = None) -> None:
            self.runs += 1
            assert (fetches, feed_dict) == ("op", {"x": 1})

    session = Session()
    found = tf.test.Benchmark().run_op_benchmark(
        session, "op", {"x": 1}, burn_iters=3, min_iters=4, name="n", extras={"k": 5}, mbs=2.0
    )
    assert session.runs == 7 and found["iters"] == 4 and found["name"] == "n"
    assert found["throughput"] == pytest.approx(2.0 / found["wall_time"])
    assert set(found["extras"]) == {"k", "wall_time_mean", "wall_time_stdev"}
    (entry,) = reports().values()
    assert entry.wall_time == found["wall_time"] and entry.extras["k"].double_value == 5
    with pytest.raises(NotImplementedError, match="profiler"):
        tf.test.Benchmark().run_op_benchmark(session, "op", store_trace=True)


def test_benchmarks_are_run_by_their_names() -> None:
    ran = []

    class First(tf.test.Benchmark):
        def benchmark_one(self) -> None:
            ran.append("First.one")

        def benchmarkTwo(self) -> None:
            ran.append("First.two")

        def other(self) -> None:
            ran.append("never")

    class Second(First):
        def benchmark_three(self) -> None:
            ran.append("Second.three")

    run_benchmarks("First.benchmark_o")
    assert ran == ["First.one"]
    ran.clear()
    run_benchmarks("three$|Second.*One")
    assert ran == ["Second.three"]
    ran.clear()
    run_benchmarks("all")
    assert sorted(ran) == ["First.one", "First.one", "First.two", "First.two", "Second.three"]
    assert tf.test.Benchmark.is_abstract() and not First.is_abstract()


def test_values_are_evaluated_in_a_benchmark() -> None:
    assert tf.test.Benchmark().evaluate([tf.constant(2)]) == [2]
    assert tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization == 2
