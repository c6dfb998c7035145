"""Keras models whose activations are functions of `tf` are saved and loaded, also where overloads are in force."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [pytest.mark.xla, pytest.mark.skipif(find_spec("keras") is None, reason="needs Keras")]

PROGRAM = """
import sys
import millrace
import keras
import numpy as np
import tensorflow as tf

if sys.argv[1] == "overloaded":
    assert tf.nn.relu(tf.ragged.constant([[-1.0], [2.0]])).to_list() == [[0.0], [2.0]]
functions = [
    tf.nn.relu, tf.tanh, tf.nn.selu, tf.nn.elu, tf.nn.softplus, tf.nn.gelu, tf.nn.leaky_relu, tf.sigmoid, tf.nn.relu6,
    tf.nn.softsign, tf.math.log_sigmoid,
]
x = np.linspace(-2.0, 2.0, 8, dtype="float32").reshape(2, 4)
for function in functions:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation=function)])
    model.save("model.keras")
    loaded = keras.models.load_model("model.keras")
    np.testing.assert_allclose(model(x), loaded(x))
    assert keras.activations.serialize(function) == function.__name__
print(len(functions), "loaded")
"""


@pytest.mark.parametrize("mode", ["plain", "overloaded"])
def test_models_with_functions_as_activations_are_loaded(mode: str, tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "src"
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(source), KERAS_BACKEND="tensorflow"),
    )
    assert result.stdout.strip() == "11 loaded", result.stderr
