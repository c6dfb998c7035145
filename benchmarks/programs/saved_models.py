"""A SavedModel of a ResNet-like graph, 5,000 nodes and 1,000 variables: saved, loaded, called for the first time."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("saved_model_save", "saving a SavedModel of 5,000 nodes", "ms"),
    Row("saved_model_load", "loading a SavedModel of 5,000 nodes", "ms"),
    Row("saved_model_first_call", "loading it, and the first call", "ms"),
)
_BLOCKS = 208
_CHANNELS = 4


def _network(tf: Any) -> Any:
    """Returns a network of residual blocks, each of 24 nodes and 5 variables."""
    shape = [3, 3, _CHANNELS, _CHANNELS]

    class Block(tf.Module):  # type: ignore[misc,name-defined]  # of the framework that is measured
        def __init__(self) -> None:
            super().__init__()
            self.kernel = tf.Variable(tf.random.stateless_normal(shape, [1, 2]) * 0.05)
            self.scale, self.variance = tf.Variable(tf.ones([_CHANNELS])), tf.Variable(tf.ones([_CHANNELS]))
            self.offset, self.mean = tf.Variable(tf.zeros([_CHANNELS])), tf.Variable(tf.zeros([_CHANNELS]))

        def __call__(self, x: Any) -> Any:
            y = tf.nn.conv2d(x, self.kernel, 1, "SAME")
            factor = tf.math.rsqrt(self.variance + 1e-3) * self.scale
            y = tf.nn.relu(y * factor + (self.offset - self.mean * factor))
            return tf.nn.relu(x + y) * 0.5

    class Network(tf.Module):  # type: ignore[misc,name-defined]  # as above
        def __init__(self) -> None:
            super().__init__()
            self.blocks = [Block() for _ in range(_BLOCKS)]

        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, _CHANNELS], name="x")])
        def __call__(self, x: Any) -> Any:
            for block in self.blocks:
                x = block(x)
            return {"y": tf.reduce_mean(x, [1, 2])}

    return Network()


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    network, numbers = _network(tf), itertools.count()
    saved, x = os.path.join(folder, "saved"), tf.ones([1, 8, 8, _CHANNELS])
    tf.get_logger().setLevel("ERROR")
    tf.saved_model.save(network, saved, signatures=network.__call__)

    def save() -> None:
        path = os.path.join(folder, str(next(numbers)))
        tf.saved_model.save(network, path, signatures=network.__call__)
        shutil.rmtree(path)

    return {
        "saved_model_save": save,
        "saved_model_load": lambda: tf.saved_model.load(saved),
        "saved_model_first_call": lambda: tf.saved_model.load(saved)(x),
    }
