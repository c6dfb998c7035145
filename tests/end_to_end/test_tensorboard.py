"""TensorBoard itself shows what was written: it is started, and asked by HTTP as its pages ask it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="needs the package tensorboard")

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hp

logs = sys.argv[1]
rate = hp.HParam("rate", hp.RealInterval(0.01, 0.5))
kind = hp.HParam("kind", hp.Discrete(["adam", "sgd"]))
with tf.summary.create_file_writer(logs).as_default():
    hp.hparams_config(hparams=[rate, kind], metrics=[hp.Metric("loss", display_name="Loss")])
for number, name in enumerate(("adam", "sgd")):
    with tf.summary.create_file_writer(f"{logs}/run-{number}").as_default():
        hp.hparams({rate: 0.1, kind: name})
        for step in range(20):
            tf.summary.scalar("loss", 1.0 / (step + number + 1), step=step, description="the *loss*")

class DemoModule(tf.Module):
    def __init__(self):
        super().__init__(name="demo_module")
        with self.name_scope:
            self.x = tf.Variable(0.0)

    @tf.function
    def add_print(self, a):
        with self.name_scope:
            self.x.assign_add(a)
            return tf.sin(self.x)

with tf.summary.create_file_writer(f"{logs}/media").as_default(step=3):
    tf.summary.histogram("h", tf.linspace(0.0, 1.0, 100), buckets=10)
    tf.summary.image("i", np.zeros([2, 4, 5, 3], np.uint8), max_outputs=2)
    tf.summary.audio("a", np.zeros([1, 100, 1], np.float32), 8000)
    tf.summary.text("t", "the **rate**")
    tf.summary.trace_on(profiler=True, profiler_outdir=f"{logs}/media")
    DemoModule().add_print(tf.constant(1.0))
    tf.summary.trace_export("module")

from tensorboard.plugins.mesh import summary_v2 as mesh_summary
from tensorboard.plugins.pr_curve import summary as pr_summary
from tensorboard.plugins.scalar import summary_v2 as scalar_summary

labels, predictions = np.array([True, False, True]), np.array([0.9, 0.2, 0.6], np.float32)
with tf.summary.create_file_writer(f"{logs}/plugins").as_default(step=1):
    scalar_summary.scalar("its own scalar", 2.0)
    mesh_summary.mesh("mesh", vertices=np.zeros([1, 3, 3], np.float32))
    tf.summary.experimental.write_raw_pb(pr_summary.pb("curve", labels, predictions).SerializeToString())
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    with tf.compat.v1.summary.FileWriter(f"{logs}/plugins") as writer:
        curve = pr_summary.op("curve_of_a_session", labels=labels, predictions=predictions)
        writer.add_summary(session.run(curve), 1)
        writer.add_summary(pr_summary.pb("curve of a message", labels, predictions), 1)
"""

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Writes logs, starts TensorBoard on them, and gives a function that asks it."""
    folder = tmp_path_factory.mktemp("tensorboard")
    (folder / "program.py").write_text(PROGRAM)
    logs = folder / "logs"
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", "millrace", "run", str(folder / "program.py"), str(logs)]
    subprocess.run(command, check=True, timeout=120, env=environment)
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logs), "--port", "0", "--host", "127.0.0.1"]
    with open(folder / "server.log", "w+") as log:
        server = subprocess.Popen([*command, "--load_fast", "false"], stdout=log, stderr=log, env=environment)
        try:
            address = _address(folder / "server.log", server)
            _wait_for_runs(address)
            yield lambda path, message=None: _answer(f"{address}data/{path}", message)
        finally:
            server.kill()
            server.wait()


def _address(log: Path, server: Any) -> str:
    """Returns the address that the server says it has."""
    for _ in range(600):
        found = re.search(r"at (http://\S+)", log.read_text())
        if found is not None:
            return found[1]
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    pytest.fail(f"no address: {log.read_text()}")


def _wait_for_runs(address: str) -> None:
    for _ in range(300):
        if len(_answer(f"{address}data/runs", None)) == 5 and "media" in _answer(
            f"{address}data/plugin/text/tags", None
        ):
            return
        time.sleep(0.1)
    pytest.fail("TensorBoard found no runs")


def _answer(address: str, message: Any) -> Any:
    data = None if message is None else json.dumps(message).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        content = reply.read()
    return json.loads(content) if reply.headers.get_content_type() == "application/json" else content


def test_scalars_have_their_steps_values_and_descriptions(ask: Ask) -> None:
    tags = ask("plugin/scalars/tags")
    assert tags["run-0"]["loss"]["description"] == "<p>the <em>loss</em></p>"
    points = ask("plugin/scalars/scalars?run=run-1&tag=loss")
    assert [point[1] for point in points] == list(range(20))
    assert points[0][2] == pytest.approx(0.5)


def test_histograms_have_their_buckets(ask: Ask) -> None:
    ((_, step, buckets),) = ask("plugin/histograms/histograms?run=media&tag=h")
    assert (step, len(buckets), sum(bucket[2] for bucket in buckets)) == (3, 10, 100)


def test_images_are_shown(ask: Ask) -> None:
    found = ask("plugin/images/images?run=media&tag=i&sample=1")
    assert [image["step"] for image in found] == [3]
    assert ask(f"plugin/images/individualImage?{found[0]['query']}").startswith(b"\x89PNG")


def test_sounds_are_played(ask: Ask) -> None:
    (sound,) = ask("plugin/audio/audio?run=media&tag=a&sample=0")
    assert ask(f"plugin/audio/individualAudio?{sound['query']}").startswith(b"RIFF")


def test_texts_are_markdown(ask: Ask) -> None:
    (text,) = ask("plugin/text/text?run=media&tag=t")
    assert text["text"] == "<p>the <strong>rate</strong></p>"


def test_the_graph_has_the_scope_of_the_module(ask: Ask) -> None:
    info = ask("plugin/graphs/info")["media"]["tags"]["module"]
    assert info["op_graph"]
    graph = ask(f"plugin/graphs/graph?run=media&tag={quote('module')}&conceptual=false").decode()
    assert 'name: "demo_module/Sin"' in graph


def test_the_functions_of_tensorboards_plugins_write_by_millrace(ask: Ask) -> None:
    assert "its own scalar" in ask("plugin/scalars/tags")["plugins"]
    curves = ask("plugin/pr_curves/tags")["plugins"]
    assert {name.partition("/")[0] for name in curves} == {"curve", "curve of a message", "curve_of_a_session"}
    assert ask("plugin/mesh/tags")["plugins"]


def test_hyperparameters_are_a_table(ask: Ask) -> None:
    experiment = ask("plugin/hparams/experiment", {"experimentName": ""})
    assert {info["name"] for info in experiment["hparamInfos"]} == {"rate", "kind"}
    wanted = {
        "experimentName": "",
        "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"],
        "colParams": [],
        "startIndex": 0,
        "sliceSize": 10,
    }
    groups = ask("plugin/hparams/session_groups", wanted)["sessionGroups"]
    found = {group["hparams"]["kind"]: group["metricValues"][0]["value"] for group in groups}
    assert found == {"adam": pytest.approx(1 / 20), "sgd": pytest.approx(1 / 21)}
