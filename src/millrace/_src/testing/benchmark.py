"""`tf.test.Benchmark`: measurements that report in TensorFlow's format.

A subclass has methods named `benchmark...`; `tf.test.main()` runs those that `--benchmark_filter` names. A report is a
`BenchmarkEntry`: printed, or written to a file of its own where the environment variable `TEST_REPORT_FILE_PREFIX`
says where, which is how machines collect reports.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from google.protobuf import text_format

from millrace._src.proto import rewriter_config_pb2, test_log_pb2
from millrace._src.proto.config_pb2 import ConfigProto
from millrace._src.testing.evaluation import evaluate
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_REPORT_FILE = "TEST_REPORT_FILE_PREFIX"


@export("test.Benchmark")
class Benchmark:
    """Base of classes that measure.

    >>> class SumBenchmark(tf.test.Benchmark):
    ...     def benchmark_sum(self):
    ...         self.report_benchmark(iters=3, wall_time=0.5, name="sum")
    >>> SumBenchmark().benchmark_sum()
    entry {
      name: "SumBenchmark.sum"
      iters: 3
      wall_time: 0.5
    }
    <BLANKLINE>
    """

    _known: ClassVar[list[type[Benchmark]]] = []

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        Benchmark._known.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Returns whether the class is only a base of others."""
        return cls is Benchmark

    def evaluate(self, tensors: object) -> Any:
        """Returns a structure with the values of the tensors of another one."""
        return evaluate(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Reports what was measured.

        Args:
          iters: How often it ran.
          cpu_time: Seconds of processor time, all runs together.
          wall_time: Seconds, all runs together.
          throughput: Megabytes a second.
          extras: More by name: numbers, or what is shown as text.
          name: What was measured; the method that calls this if None.
          metrics: Dictionaries with `name`, `value` and maybe `min_value` and `max_value`.

        Raises: TypeError: if `extras` is not a dictionary, or `metrics` not a list of dictionaries with those keys.
        """
        entry = test_log_pb2.BenchmarkEntry(name=self._full_name(name))
        for field, value in (("iters", iters), ("cpu_time", cpu_time), ("wall_time", wall_time)):
            if value is not None:
                setattr(entry, field, value)
        if throughput is not None:
            entry.throughput = throughput
        _add_extras(entry, extras)
        _add_metrics(entry, metrics)
        numbers = [-1 if value is None else value for value in (iters, wall_time, cpu_time, throughput)]
        get_logger().info(
            "Benchmark [%s] iters: %d, wall_time: %g, cpu_time: %g,throughput: %g, extras: %s, metrics: %s",
            entry.name,
            *numbers,
            extras,
            metrics,
        )
        _report(entry)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Measures how long a session takes to run an operation, and reports the median.

        Args:
          sess: A session, or anything else with `run(fetches, feed_dict=...)`.
          op_or_tensor: What to run.
          feed_dict: What to feed.
          burn_iters: How many runs are not measured, at the start.
          min_iters: How many runs are measured.
          store_trace: Whether to keep a trace of one run; that needs a profiler, which is not built yet.
          store_memory_usage: Whether to report the memory of allocators; NumPy and XLA have none that tell.
          name: As for `report_benchmark`.
          extras: As for `report_benchmark`.
          mbs: The megabytes that a run handles, for the throughput.

        Returns: What was reported: `iters`, `wall_time`, `throughput`, `extras`, `name`.
        Raises: NotImplementedError: if a trace is asked for.
        """
        if store_trace:
            raise NotImplementedError("run_op_benchmark(store_trace=True) needs tf.profiler, which is not built yet.")
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(time.perf_counter() - start)
        median = statistics.median(seconds)
        spread = {"wall_time_mean": statistics.fmean(seconds), "wall_time_stdev": statistics.pstdev(seconds)}
        report = {
            "iters": min_iters,
            "wall_time": median,
            "throughput": mbs / median if median else 0.0,
            "extras": {**(extras or {}), **spread},
        }
        self.report_benchmark(name=name, **report)  # type: ignore[arg-type]  # the values have the types of the keys
        return {**report, "name": name}

    def _full_name(self, name: str | None) -> str:
        """Returns the class and what was measured: the outermost method of this object that is running."""
        frame = sys._getframe(1)
        called = frame.f_code.co_name
        while frame is not None and frame.f_locals.get("self") is self:
            called, frame = frame.f_code.co_name, frame.f_back  # type: ignore[assignment]  # the first frame has none
        return f"{type(self).__name__}.{name or called}"


def _add_extras(entry: Any, extras: Any) -> None:
    if extras is None:
        return
    if not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in extras.items():
        if isinstance(value, (int, float)):
            entry.extras[key].double_value = value
        else:
            entry.extras[key].string_value = str(value)


def _add_metrics(entry: Any, metrics: Any) -> None:
    if metrics is None:
        return
    if not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics:
        for key in ("name", "value"):
            if key not in metric:
                raise TypeError(f"metric must has a '{key}' field")
        added = entry.metrics.add(name=metric["name"], value=metric["value"])
        for key in ("min_value", "max_value"):
            if metric.get(key) is not None:
                getattr(added, key).value = metric[key]
                getattr(added, key).SetInParent()


def _report(entry: Any) -> None:
    """Prints an entry, or writes it to a file of its own.

    Raises: OSError: if there is a file of that name already.
    """
    entries = test_log_pb2.BenchmarkEntries(entry=[entry])
    prefix = os.environ.get(_REPORT_FILE)
    if prefix is None:
        sys.stdout.write(f"{text_format.MessageToString(entries)}\n")
        return
    path = Path(prefix + entry.name.replace("/", "__"))
    with path.open("xb") as file:
        file.write(entries.SerializeToString())


@export("test.benchmark_config")
def benchmark_config() -> Any:
    """Returns the configuration for the sessions of benchmarks: nodes run in the order that dependencies allow.

    >>> tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization
    2
    """
    config = ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = rewriter_config_pb2.RewriterConfig.OFF
    return config


def run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks whose name, `Class.method`, a regular expression is found in; "all" runs all."""
    for owner, method in _benchmarks():
        if pattern == "all" or re.search(pattern, f"{owner.__name__}.{method}"):
            getattr(owner(), method)()


def _benchmarks() -> Iterator[tuple[type[Benchmark], str]]:
    for owner in Benchmark._known:
        yield from ((owner, name) for name in sorted(dir(owner)) if name.startswith("benchmark"))
