"""Data and small models that several scenarios use."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import Run


def table(rows: int = 20, columns: int = 4, classes: int = 3) -> tuple[Any, Any]:
    """Rows of numbers, and for each row a class that follows from them."""
    rng = np.random.RandomState(1)
    x = rng.rand(rows, columns).astype("float32")
    return x, (x @ rng.randn(columns, classes)).argmax(axis=1).astype("int32")


def targets(rows: int = 20, columns: int = 4) -> tuple[Any, Any]:
    """Rows of numbers, and for each row one number that follows from them."""
    x, _ = table(rows, columns)
    return x, np.sin(x.sum(axis=1, keepdims=True)).astype("float32")


def sequences(rows: int = 12, steps: int = 6, features: int = 3) -> tuple[Any, Any]:
    """Sequences, and the sum of each."""
    x = np.random.RandomState(2).randn(rows, steps, features).astype("float32")
    return x, x.sum(axis=(1, 2), keepdims=False)[:, None]


def words(rows: int = 12, steps: int = 6, vocabulary: int = 10) -> tuple[Any, Any]:
    """Sequences of numbers of words that end in zeros, and whether a sequence holds the word 3."""
    rng = np.random.RandomState(3)
    x = rng.randint(1, vocabulary, (rows, steps))
    lengths = rng.randint(2, steps + 1, rows)
    x[np.arange(steps) >= lengths[:, None]] = 0
    return x.astype("int32"), (x == 3).any(axis=1).astype("float32")[:, None]


def images(rows: int = 8, size: int = 8, channels: int = 1, classes: int = 3) -> tuple[Any, Any]:
    """Images and classes."""
    rng = np.random.RandomState(4)
    return rng.rand(rows, size, size, channels).astype("float32"), rng.randint(0, classes, rows).astype("int32")


def classifier(run: Run, columns: int = 4, classes: int = 3, **compiling: Any) -> Any:
    """A compiled net of two dense layers that chooses a class."""
    layers = run.keras.layers
    stack = [layers.Dense(8, "tanh"), layers.Dense(classes, "softmax")]
    model = run.keras.Sequential([run.keras.Input((columns,)), *stack])
    compiling = {"optimizer": run.keras.optimizers.SGD(0.1), "metrics": ["accuracy"]} | compiling
    return run.compile(model, loss="sparse_categorical_crossentropy", **compiling)


def regressor(run: Run, columns: int = 4, **compiling: Any) -> Any:
    """A compiled net of two dense layers that says a number."""
    layers = run.keras.layers
    model = run.keras.Sequential([run.keras.Input((columns,)), layers.Dense(8, "tanh"), layers.Dense(1)])
    return run.compile(model, **({"optimizer": run.keras.optimizers.SGD(0.1), "loss": "mse"} | compiling))


def fitted(model: Any, x: Any, y: Any, **arguments: Any) -> dict[str, list[float]]:
    """The losses and metrics of two epochs in batches of 8, rows in order."""
    arguments = {"batch_size": 8, "epochs": 2, "shuffle": False, "verbose": 0} | arguments
    return model.fit(x, y, **arguments).history  # type: ignore[no-any-return]  # Keras is untyped


def weights(model: Any) -> list[float]:
    """A number for each weight of a model, by which a change anywhere shows."""
    return [float(np.cos(np.arange(w.size) + w.reshape(-1).astype("float64")).sum()) for w in model.get_weights()]
