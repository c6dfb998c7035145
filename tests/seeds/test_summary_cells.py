"""The frames of the programs in the seed documents that show graphs in TensorBoard: a function's, and a module's."""

from __future__ import annotations

import datetime
import importlib.util
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.interop.process import output_of


@tf.function
def strjoin(x: Any, y: Any) -> Any:
    z = tf.strings.join([x, y], separator=" ")
    tf.print(z)
    return z


class DemoModule(tf.Module):
    def __init__(self, init_value: Any = 0.0, name: str = "demo_module") -> None:
        super().__init__(name=name)
        with self.name_scope:
            self.x = tf.Variable(init_value, dtype=tf.float32, trainable=True)

    @tf.function(input_signature=[tf.TensorSpec(shape=[], dtype=tf.float32)])
    def add_print(self, a: Any) -> Any:
        with self.name_scope:
            self.x.assign_add(a)
            tf.print(self.x)
            return self.x


def _nodes(logdir: str) -> list[str]:
    (path,) = Path(logdir).glob("*tfevents*")
    value = list(tf.compat.v1.train.summary_iterator(str(path)))[1].summary.value[0]
    message = tf.compat.v1.RunMetadata.FromString(value.tensor.string_val[0])
    return [node.name for graph in message.function_graphs for node in graph.pre_optimization_graph.node]


def test_the_graph_of_a_function_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stamp = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:S")
    logdir = str(Path("./data/autograph/" + stamp))
    writer = tf.summary.create_file_writer(logdir)
    tf.summary.trace_on(graph=True, profiler=True)
    strjoin(x="hello", y="world")
    with writer.as_default():
        with pytest.raises(TypeError):  # the document has the name of the argument wrong
            tf.summary.trace_export(name="autograph", step=0, profile_outdir=logdir)  # type: ignore[call-arg]
        tf.summary.trace_export(name="autograph", step=0, profiler_outdir=logdir)
    assert "StringJoin" in _nodes(logdir)


def test_the_graph_of_a_module_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stamp = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:S")
    logdir = f"./data/demomodule/{stamp}"
    writer = tf.summary.create_file_writer(logdir)
    tf.summary.trace_on(graph=True, profiler=True)
    demo = DemoModule(init_value=tf.constant(0.0))
    demo.add_print(tf.constant(5.0))
    with writer.as_default():
        tf.summary.trace_export(name="demomodule", step=0, profiler_outdir=logdir)
    assert "demo_module/AssignAddVariableOp" in _nodes(logdir)


@pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="needs the package tensorboard")
def test_the_notebook_extension_of_tensorboard_is_there() -> None:
    code = "\n".join(
        [
            "import tensorboard",
            "from tensorboard import notebook",
            "class Shell:",
            "    def register_magic_function(self, function, magic_kind, magic_name):",
            "        print(magic_kind, magic_name)",
            "tensorboard.load_ipython_extension(Shell())",
        ]
    )
    assert output_of(code) == "line tensorboard"
