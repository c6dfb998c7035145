"""One training step of `examples/digits.py`, the program of `make demo`: forward, gradients, Adam; batch 60."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("digits_eager", "training step of the digits demo, eager", "us"),
    Row("digits_graph", "training step of the digits demo, graph", "us"),
)
PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "digits.py"


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    if "tensorflow" not in sys.modules:
        tf.install_as_tensorflow()
    spec = importlib.util.spec_from_file_location("digits", PROGRAM)
    digits: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(digits)  # type: ignore[union-attr]
    (images, labels), _ = digits.load_data()
    images, labels = images[: digits.BATCH], labels[: digits.BATCH]
    eager, graph = digits.Trainer(), digits.Trainer()
    graph_step = tf.function(graph.train_step)
    return {
        "digits_eager": lambda: eager.train_step(images, labels),
        "digits_graph": lambda: graph_step(images, labels),
    }
