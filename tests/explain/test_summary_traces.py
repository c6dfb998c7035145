"""`tf.summary.trace_on`: which functions are drawn, profiles, what earlier releases of TensorFlow took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf


@pytest.fixture(autouse=True)
def no_trace_is_left() -> Iterator[None]:
    yield
    tf.summary.trace_off()


def _export(folder: Path, **options: Any) -> Any:
    """Ends the trace; returns the value that was written, and its message."""
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default(step=0):
        tf.summary.trace_export("trace", **options)
    writer.close()
    path = next(path for path in folder.iterdir() if "tfevents" in path.name)
    value = list(tf.compat.v1.train.summary_iterator(str(path)))[1].summary.value[0]
    return value, tf.compat.v1.RunMetadata.FromString(value.tensor.string_val[0])


def _names(message: Any) -> list[list[str]]:
    return [[node.name for node in graph.pre_optimization_graph.node] for graph in message.function_graphs]


@tf.function
def double(x: Any) -> Any:
    with tf.name_scope("scope"):
        return x * 2.0


def test_functions_that_are_called_are_drawn_each_once(tmp_path: Path) -> None:
    double(tf.constant(1.0))
    tf.summary.trace_on()
    for _ in range(3):
        double(tf.constant(1.0))
        double(tf.constant([1.0]))
    value, message = _export(tmp_path)
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    assert _names(message) == [["x", "scope/mul/y", "scope/mul", "Identity", "identity_RetVal"]] * 2


def test_calls_under_tapes_of_traces_and_of_other_threads_are_seen(tmp_path: Path) -> None:
    import threading

    concrete = double.get_concrete_function(tf.TensorSpec([2]))
    tf.summary.trace_on()
    concrete(tf.constant([1.0, 2.0]))
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = double(x * 1.0)
    tape.gradient(y, x)
    thread = threading.Thread(target=lambda: double(tf.zeros([3])))
    thread.start()
    thread.join()
    _, message = _export(tmp_path)
    assert len(message.function_graphs) == 3


def test_modules_name_their_operations(tmp_path: Path) -> None:
    class DemoModule(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="demo_module")
            with self.name_scope:
                self.x = tf.Variable(0.0)

        @tf.function
        def add_print(self, a: Any) -> Any:
            with self.name_scope:
                self.x.assign_add(a)
                return self.x + 1.0

    module = DemoModule()
    tf.summary.trace_on()
    module.add_print(tf.constant(5.0))
    _, message = _export(tmp_path)
    assert any(name.startswith("demo_module/") for name in _names(message)[0])


def test_inner_functions_are_in_the_library(tmp_path: Path) -> None:
    @tf.function
    def outer(x: Any) -> Any:
        return double(x) + 1.0

    tf.summary.trace_on()
    outer(tf.constant(1.0))
    _, message = _export(tmp_path)
    assert len(message.function_graphs[0].pre_optimization_graph.library.function) == 1


@pytest.mark.parametrize("where", ["start", "end"])
def test_the_folder_of_a_profile_is_named_at_either_end(where: str, tmp_path: Path) -> None:
    options = {"profiler_outdir": str(tmp_path / "profile")}
    tf.summary.trace_on(graph=True, profiler=True, **(options if where == "start" else {}))
    double(tf.constant(1.0))
    value, _ = _export(tmp_path, **(options if where == "end" else {}))
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata"
    assert list((tmp_path / "profile").rglob("*.xplane.pb"))


def test_a_profile_without_a_folder_is_refused_and_over(tmp_path: Path) -> None:
    tf.summary.trace_on(profiler=True)
    with pytest.raises(tf.errors.UnavailableError, match="Cannot export profiling results"):
        tf.summary.trace_export("x", step=0)
    tf.profiler.experimental.start(str(tmp_path))
    tf.profiler.experimental.stop(save=False)


def test_an_ended_trace_leaves_calls_as_they_were() -> None:
    from millrace._src.core.context import state

    tf.summary.trace_on()
    assert state.needs_slow_path
    tf.summary.trace_off()
    assert not state.needs_slow_path


def test_a_trace_and_functions_that_run_eagerly_do_not_disturb_each_other() -> None:
    from millrace._src.core.context import state

    tf.config.run_functions_eagerly(True)
    tf.summary.trace_on()
    tf.summary.trace_off()
    assert state.needs_slow_path
    tf.config.run_functions_eagerly(False)
    assert not state.needs_slow_path
