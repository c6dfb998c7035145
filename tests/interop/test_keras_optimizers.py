"""Slots of Keras's optimizers, restored into optimizers of the same kind, of another kind, and of fewer variables."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "adadelta": ("Adadelta", {}),
    "adafactor": ("Adafactor", {}),
    "adagrad": ("Adagrad", {}),
    "adam": ("Adam", {}),
    "adamw": ("AdamW", {}),
    "ftrl": ("Ftrl", {}),
    "lion": ("Lion", {}),
    "muon": ("Muon", {}),
    "momentum": ("SGD", {"momentum": 0.9}),
    "nadam": ("Nadam", {}),
    "rmsprop": ("RMSprop", {}),
    "scaled": ("LossScaleOptimizer", {"inner_optimizer": "Adam"}),
    "sgd": ("SGD", {}),
}

RELATED = {("adam", "adamw"), ("adamw", "adam"), ("momentum", "sgd")}
"""Pairs of which the second takes what slots it has of the first."""

NO_SLOTS = {"sgd"}


@pytest.fixture
def keras(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Keras, which changes the environment as it is imported."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    pytest.importorskip("keras")
    return tf.keras


def optimizer(keras: Any, kind: str) -> Any:
    name, options = KINDS[kind]
    if "inner_optimizer" in options:
        options = {"inner_optimizer": keras.optimizers.get(options["inner_optimizer"])}
    return getattr(keras.optimizers, name)(**options)


def weights(keras: Any) -> list[Any]:
    shapes = {"kernel": [2, 2], "bias": [2]}
    return [keras.Variable(np.ones(shape, np.float32), name=name) for name, shape in shapes.items()]


def step(made: Any, variables: list[Any]) -> None:
    made.apply([tf.fill(v.shape, 0.25 * (i + 1)) for i, v in enumerate(variables)], variables)


def values(of: list[Any]) -> list[Any]:
    return [np.asarray(v) for v in of]


def saved(keras: Any, kind: str, path: Path) -> tuple[str, list[Any]]:
    """Saves an optimizer after two steps; returns the path and the weights after the third."""
    made, variables = optimizer(keras, kind), weights(keras)
    step(made, variables), step(made, variables)
    prefix = tf.train.Checkpoint(optimizer=made, weights=variables).save(path / kind)
    step(made, variables)
    return prefix, values(variables)


_all_saved: dict[str, tuple[str, list[Any]]] = {}


@pytest.fixture
def all_saved(keras: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, list[Any]]]:
    """What `saved` returns for each kind; saved once, by the first test that asks."""
    if not _all_saved:
        folder = tmp_path_factory.mktemp("optimizers")
        _all_saved.update({kind: saved(keras, kind, folder) for kind in KINDS})
    return _all_saved


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_optimizer_takes_only_slots_of_its_kind(keras: Any, kind: str, built: bool, all_saved: Any) -> None:
    for origin, (prefix, third) in all_saved.items():
        made, variables = optimizer(keras, kind), weights(keras)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if built:
                made.build(variables)
            tf.train.Checkpoint(optimizer=made, weights=variables).restore(prefix)
            if not built:
                made.build(variables)
        messages = [str(w.message) for w in caught]
        if origin == kind:
            step(made, variables)
            assert all(map(np.array_equal, values(variables), third)) and not messages
        elif (origin, kind) not in RELATED and origin not in NO_SLOTS:
            fresh = optimizer(keras, kind)
            fresh.build(weights(keras))
            slots = [v for v in made.variables if v.path.split("/")[-1] not in ("iteration", "learning_rate")]
            expected = [v for v in fresh.variables if v.path.split("/")[-1] not in ("iteration", "learning_rate")]
            assert all(map(np.array_equal, values(slots), values(expected))), origin
            assert len(messages) == 1 and "They were not restored" in messages[0], (origin, messages)
        step(made, variables)
        assert all(np.isfinite(v).all() for v in values(variables)), origin


def test_slots_of_variables_that_are_trained_no_more_are_left_and_the_others_keep_their_values(
    keras: Any, tmp_path: Path
) -> None:
    made, variables = optimizer(keras, "adam"), weights(keras)
    step(made, variables)
    prefix = tf.train.Checkpoint(optimizer=made, weights=variables).save(tmp_path / "c")
    fewer, ours = optimizer(keras, "adam"), weights(keras)
    checkpoint = tf.train.Checkpoint(optimizer=fewer, weights=ours)
    checkpoint.restore(prefix)
    fewer.build(ours[1:])  # the kernel is frozen
    assert np.array_equal(np.asarray(fewer._momentums[0]), np.asarray(made._momentums[1]))
    assert np.asarray(made._momentums[1]).any()


@pytest.mark.parametrize("built", [False, True])
def test_slots_in_a_list_that_is_appended_to_are_restored_in_their_order(
    keras: Any, built: bool, tmp_path: Path
) -> None:
    """As in the example of Keras's `BaseOptimizer`; Keras tracks the list while it is empty."""

    class Summing(keras.optimizers.Optimizer):  # type: ignore[misc]
        def build(self, variables: Any) -> None:
            super().build(variables)
            self.sums: list[Any] = []
            for variable in variables:
                self.sums.append(self.add_variable_from_reference(variable, name="sum"))

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            self.sums[self._get_variable_index(variable)].assign_add(gradient)

    made, variables = Summing(0.5), weights(keras)
    step(made, variables)
    prefix = tf.train.Checkpoint(optimizer=made, weights=variables).save(tmp_path / "c")
    again, ours = Summing(0.5), weights(keras)
    if built:
        again.build(ours)
    tf.train.Checkpoint(optimizer=again, weights=ours).restore(prefix)
    if not built:
        again.build(ours)
    assert all(map(np.array_equal, values(again.sums), values(made.sums))) and np.asarray(made.sums[1]).any()
    fewer, ours = Summing(0.5), weights(keras)
    tf.train.Checkpoint(optimizer=fewer, weights=ours).restore(prefix)
    with pytest.warns(UserWarning, match="1 slots of the optimizer 'summing.*' of class Summing begin anew"):
        fewer.build(ours[1:])  # of one slot of two nothing is known but the order
    assert not np.asarray(fewer.sums[0]).any()


def test_a_learning_rate_that_a_wrapper_of_optimizers_never_uses_stays_with_the_wrapper(
    keras: Any, tmp_path: Path
) -> None:
    prefix, _ = saved(keras, "scaled", tmp_path)
    made, variables = optimizer(keras, "ftrl"), weights(keras)
    rate = float(made.learning_rate)
    tf.train.Checkpoint(optimizer=made, weights=variables).restore(prefix).expect_partial()
    with pytest.warns(UserWarning, match=r"Restored from the saved optimizer: _iterations\."):
        made.build(variables)
    assert float(made.learning_rate) == rate > 0


def test_a_renamed_model_is_named_where_its_values_come_late(keras: Any, tmp_path: Path) -> None:
    def model() -> Any:
        made = keras.Sequential([keras.layers.Dense(2)])
        made.compile("adam", "mse")
        return made

    first = model()
    first.build((None, 3)), first.optimizer.build(first.trainable_variables)
    prefix = tf.train.Checkpoint(model=first, optimizer=first.optimizer).save(tmp_path / "c")
    second = model()
    status = tf.train.Checkpoint(net=second, optimizer=second.optimizer).restore(prefix)
    second.build((None, 3))
    with pytest.warns(UserWarning, match="children of the root by other names: it has 'model', the program has 'net'"):
        second.optimizer.build(second.trainable_variables)
    assert np.array_equal(second.get_weights()[0], first.get_weights()[0])
    status.expect_partial()


def test_the_report_says_which_slots_are_of_another_optimizer(keras: Any, tmp_path: Path) -> None:
    prefix, _ = saved(keras, "adam", tmp_path)
    made, variables = optimizer(keras, "momentum"), weights(keras)
    made.build(variables)
    with pytest.warns(UserWarning, match=r"holds the slots of 'adam': 4 values of _momentums, _velocities\."):
        status = tf.train.Checkpoint(optimizer=made, weights=variables).restore(prefix)
    with pytest.raises(AssertionError, match="a slot of 'adam', not of SGD") as caught:
        status.assert_consumed()
    assert "Nothing was restored" not in str(caught.value)
