"""What checkpoints know of Keras's variables and of the state that Keras does not make trackable."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.interop.keras_tracking import register_keras_state
from millrace._src.trackable.deferred_storage import deferred_storage
from millrace._src.trackable.parts import parts_of


@pytest.fixture
def keras(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Keras, which changes the environment as it is imported."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    pytest.importorskip("keras")
    return tf.keras


def parts(value: Any) -> Any:
    """Returns the parts of a value by name."""
    take_apart: Any = parts_of[type(value)]
    return take_apart(value)


def names(found: Iterable[str]) -> list[str]:
    return [name for name in found if not name.startswith("_") and name != "call_signature_parameters"]


def test_a_variable_has_no_storage_within_the_trace_that_makes_it(keras: Any) -> None:
    with keras.StatelessScope():
        variable = keras.Variable("zeros", shape=[2])
        storage = deferred_storage(variable)
        assert storage is not None
        storage.set_initial_value(variable, tf.constant([1.0, 2.0]))
        assert variable.value.numpy().tolist() == [1.0, 2.0]
    assert deferred_storage(variable) is None
    assert variable.numpy().tolist() == [1.0, 2.0]


def test_lists_dicts_metrics_and_generators_of_seeds_are_parts_of_a_layer(keras: Any) -> None:
    layer = keras.layers.Layer()
    layer.stages, layer.heads = [keras.layers.Dense(1), 5], {"a": keras.layers.Dense(1), 2: keras.layers.Dense(1)}
    layer.mean, layer.seeds, layer.child = keras.metrics.Mean(), keras.random.SeedGenerator(1), keras.layers.Dense(1)
    assert names(parts(layer)) == ["stages", "heads", "mean", "seeds"]
    assert [list(parts(value)) for value in (layer.stages, layer.heads)] == [["0"], ["a", "2"]]
    assert {"total", "count"} <= set(parts(layer.mean))


def test_a_sequential_model_leads_to_its_layers_only_until_it_is_built(keras: Any) -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    assert names(parts(model)) == ["layer_0"]
    model.build([None, 2])
    assert names(parts(model)) == []


def test_optimizers_and_variables_have_no_parts(keras: Any) -> None:
    assert parts_of[type(keras.optimizers.Adam())] is None
    assert parts_of[type(keras.Variable(1.0))] is None


def test_registering_twice_changes_nothing(keras: Any) -> None:
    register_keras_state()
    register_keras_state()
    assert parts_of[keras.layers.Dense] is not None


def test_the_state_of_a_metric_goes_on(keras: Any, tmp_path: Path) -> None:
    saved, fresh = (keras.layers.Layer() for _ in range(2))
    saved.mean, fresh.mean = keras.metrics.Mean(), keras.metrics.Mean()
    saved.mean.update_state([1.0, 2.0])
    path = tf.train.Checkpoint(layer=saved).write(str(tmp_path / "c"))
    tf.train.Checkpoint(layer=fresh).read(path)
    fresh.mean.update_state([6.0])
    assert float(fresh.mean.result()) == 3.0
