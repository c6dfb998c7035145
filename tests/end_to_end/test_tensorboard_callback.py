"""Keras's TensorBoard callback, unmodified: curves, histograms, weights as pictures, graphs, embeddings, a profile."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import millrace as tf

if importlib.util.find_spec("keras") is None:  # to import it here would make Millrace `tensorflow` in this process
    pytest.skip("needs Keras: pip install 'millrace[keras]'", allow_module_level=True)

PROGRAM = """
import sys
import numpy as np
import keras

logs = sys.argv[1]
layers = keras.layers
inputs = [layers.Input((6, 6, 1)), layers.Conv2D(2, 3, name="conv"), layers.Flatten(), layers.Dense(3, name="out")]
model = keras.Sequential(inputs)
model.compile("adam", "mse", metrics=["mae"])
random = np.random.RandomState(0)
callback = keras.callbacks.TensorBoard(
    f"{logs}/images", histogram_freq=1, write_images=True, update_freq="batch", profile_batch=(2, 3)
)
model.fit(
    random.rand(64, 6, 6, 1), random.rand(64, 3), 16, epochs=2, validation_split=0.25, callbacks=[callback], verbose=0
)
words = keras.Sequential([layers.Input((3,)), layers.Embedding(5, 4, name="words")])
words.compile("adam", "mse")
callback = keras.callbacks.TensorBoard(
    f"{logs}/words", embeddings_freq=1, embeddings_metadata={"words": "words.tsv"}, write_steps_per_second=True
)
words.fit(np.zeros((8, 3), int), np.zeros((8, 3, 4)), callbacks=[callback], verbose=0)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("callback")
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "millrace", "run", str(folder / "program.py"), str(folder / "logs")]
    subprocess.run(command, check=True, timeout=200)
    return folder / "logs"


def _values(folder: Path) -> dict[str, list[Any]]:
    """The values of each tag."""
    found: dict[str, list[Any]] = {}
    for path in folder.glob("*tfevents*"):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append(value)
    return found


def test_curves_of_batches_and_epochs_are_written(logs: Path) -> None:
    train, validation = _values(logs / "images/train"), _values(logs / "images/validation")
    assert len(train["epoch_loss"]) == len(validation["epoch_mae"]) == 2
    assert len(train["batch_loss"]) == 6


def test_weights_are_histograms_and_pictures(logs: Path) -> None:
    values = _values(logs / "images/train")
    kinds = {tag: found[0].metadata.plugin_data.plugin_name for tag, found in values.items()}
    assert kinds["sequential/conv/kernel/histogram"] == "histograms"
    assert kinds["sequential/out/kernel/image"] == "images"


def test_the_model_and_its_training_step_are_graphs(logs: Path) -> None:
    values = _values(logs / "images/train")
    kinds = {value.metadata.plugin_data.plugin_name for found in values.values() for value in found}
    assert {"graph_keras_model", "graph_run_metadata_graph"} <= kinds
    (trace,) = [found[0] for tag, found in values.items() if tag.startswith("batch_") and tag[6:].isdigit()]
    message = tf.compat.v1.RunMetadata.FromString(trace.tensor.string_val[0])
    assert any(len(graph.pre_optimization_graph.node) > 10 for graph in message.function_graphs)


def test_the_profile_is_where_the_plugin_looks(logs: Path) -> None:
    assert list((logs / "images").rglob("plugins/profile/*/*.xplane.pb"))


def test_embeddings_are_saved_for_the_projector(logs: Path) -> None:
    assert "words.tsv" in (logs / "words/projector_config.pbtxt").read_text()
