"""Optimizers, losses and metrics, one number after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import EAGER, Run, scenario
from tests.keras.scenarios.models import classifier, fitted, regressor, table, targets, weights

_ADAPTIVE = ("Adam", "Adamax", "AdamW", "Nadam", "RMSprop", "Adagrad", "Adadelta", "Lion", "Ftrl", "Adafactor", "Lamb")


@scenario(*EAGER)
def steps_of_every_optimizer(run: Run) -> Any:
    optimizers = run.keras.optimizers
    kinds = [getattr(optimizers, name)(0.05) for name in _ADAPTIVE]
    kinds += [optimizers.SGD(0.1), optimizers.SGD(0.1, momentum=0.9, nesterov=True), optimizers.Muon(0.01)]
    kinds += [optimizers.RMSprop(0.1, momentum=0.5, centered=True), optimizers.Adam(0.1, amsgrad=True)]
    return [_descent(run, optimizer) for optimizer in kinds]


def _descent(run: Run, optimizer: Any) -> Any:
    """Where four steps down a quadratic bowl lead, for a matrix and a vector."""
    matrix = run.keras.Variable(np.linspace(0.5, 2.0, 6, dtype="float32").reshape(2, 3), name="matrix")
    vector = run.keras.Variable(np.array([1.0, -2.0], "float32"), name="vector")
    for _ in range(4):
        with run.tf.GradientTape() as tape:
            loss = run.keras.ops.sum(matrix**2) + run.keras.ops.sum((vector - 0.5) ** 2)
        found = [matrix, vector]
        optimizer.apply(tape.gradient(loss, [v.value for v in found]), found)
    return [np.asarray(v) for v in found]


@scenario()
def training_with_adam_and_weight_decay(run: Run) -> Any:
    optimizer = run.keras.optimizers.AdamW(0.01, weight_decay=0.1, epsilon=1e-3)
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    model = classifier(run, optimizer=optimizer)
    return fitted(model, *table()), weights(model)


@scenario()
def training_with_rmsprop(run: Run) -> Any:
    model = regressor(run, optimizer=run.keras.optimizers.RMSprop(0.01, momentum=0.3, epsilon=1e-3))
    return fitted(model, *targets()), weights(model)


@scenario(*EAGER)
def every_loss_of_numbers(run: Run) -> Any:
    rng = np.random.RandomState(0)
    y, found = rng.rand(4, 3).astype("float32") + 0.1, rng.rand(4, 3).astype("float32") + 0.1
    names = ("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError")
    names += ("CosineSimilarity", "Huber", "LogCosh", "Poisson", "KLDivergence", "Hinge", "SquaredHinge")
    names += ("Tversky", "Dice")
    sample_weights = np.array([0.0, 1.0, 2.0, 0.5], "float32")
    losses = [getattr(run.keras.losses, name) for name in names]
    totals = [[kind()(y, found), kind(reduction="sum")(y, found)] for kind in losses]
    return totals, [kind()(y, found, sample_weight=sample_weights) for kind in losses[:-2]]


@scenario(*EAGER)
def every_loss_of_classes(run: Run) -> Any:
    rng = np.random.RandomState(0)
    scores, labels = rng.randn(5, 4).astype("float32"), rng.randint(0, 4, 5)
    one_hot = np.eye(4, dtype="float32")[labels]
    losses = run.keras.losses
    return [
        losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=2)(labels, scores),
        losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)(one_hot, scores),
        losses.BinaryCrossentropy(from_logits=True)(one_hot, scores),
        losses.BinaryFocalCrossentropy(from_logits=True, apply_class_balancing=True)(one_hot, scores),
        losses.CategoricalFocalCrossentropy(from_logits=True)(one_hot, scores),
        losses.CategoricalHinge(reduction=None)(one_hot, scores),
        losses.CategoricalGeneralizedCrossEntropy(0.4)(labels, run.keras.ops.softmax(scores)),
    ]


@scenario()
def many_metrics_at_once(run: Run) -> Any:
    metrics, layers = run.keras.metrics, run.keras.layers
    kinds = [metrics.AUC(num_thresholds=20), metrics.Precision(), metrics.Recall(), metrics.F1Score(threshold=0.5)]
    kinds += [metrics.BinaryAccuracy(), metrics.TruePositives(), metrics.SensitivityAtSpecificity(0.5)]
    kinds += [metrics.MeanSquaredError(), metrics.R2Score(), metrics.BinaryIoU(), metrics.CosineSimilarity()]
    model = run.keras.Sequential([run.keras.Input((4,)), layers.Dense(8, "tanh"), layers.Dense(1, "sigmoid")])
    run.compile(model, run.keras.optimizers.SGD(0.5), "binary_crossentropy", metrics=kinds)
    x, y = table(classes=2)
    return fitted(model, x, y[:, None].astype("float32"))


@scenario(*EAGER)
def metrics_that_are_updated_by_hand(run: Run) -> Any:
    metrics = run.keras.metrics
    kinds = [metrics.MeanIoU(3), metrics.SparseTopKCategoricalAccuracy(2), metrics.SparseCategoricalCrossentropy()]
    scores = run.keras.ops.softmax(np.random.RandomState(0).randn(9, 3).astype("float32"))
    labels = np.arange(9) % 3
    for metric, found in zip(kinds, (np.asarray(scores).argmax(1), scores, scores)):
        metric.update_state(labels, found)
        metric.update_state(labels[:4], found[:4], sample_weight=np.array([0.0, 1.0, 2.0, 3.0]))
    return [metric.result() for metric in kinds]
