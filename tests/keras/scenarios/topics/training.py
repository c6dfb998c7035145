"""`fit`, `evaluate`, `predict` and the methods on batches, in their forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import Run, scenario
from tests.keras.scenarios.models import classifier, fitted, regressor, table, targets, weights


@scenario("eager", "graph", "jit", "auto")
def fit_arrays(run: Run) -> Any:
    model = classifier(run)
    return fitted(model, *table()), weights(model)


@scenario()
def fit_with_part_of_the_rows_for_validation(run: Run) -> Any:
    return fitted(classifier(run), *table(30), validation_split=0.3)


@scenario(slow=("jit",))
def fit_with_validation_data_every_second_epoch(run: Run) -> Any:
    x, y = table(30)
    held_out = (x[20:], y[20:], np.linspace(0, 1, 10))
    return fitted(classifier(run), x[:20], y[:20], epochs=4, validation_data=held_out, validation_freq=2)


@scenario("graph", "jit")
def several_steps_per_execution(run: Run) -> Any:
    model = classifier(run, steps_per_execution=3)  # five batches, the last of four rows
    x, y = table(36)
    return fitted(model, x, y), model.evaluate(x, y, 8, verbose=0), model.predict(x, 8, verbose=0)[::9]


@scenario("graph")
def steps_that_are_written_out_one_after_another(run: Run) -> Any:
    model = classifier(run, steps_per_execution=4)
    model.unrolled_steps_per_execution = 2
    return fitted(model, *table(32))


@scenario()
def class_weights(run: Run) -> Any:
    return fitted(classifier(run), *table(), class_weight={0: 1.0, 1: 3.0, 2: 0.5})


@scenario()
def sample_weights_and_weighted_metrics(run: Run) -> Any:
    model = classifier(run, weighted_metrics=["accuracy", "sparse_categorical_crossentropy"])
    return fitted(model, *table(), sample_weight=np.linspace(0.0, 2.0, 20))


@scenario()
def later_epochs_alone(run: Run) -> Any:
    model = classifier(run)
    first = fitted(model, *table(), epochs=2)
    return first, fitted(model, *table(), initial_epoch=2, epochs=4, steps_per_epoch=1)


@scenario()
def single_batches(run: Run) -> Any:
    model = classifier(run)
    x, y = table()
    found = [model.train_on_batch(x[:8], y[:8]), model.train_on_batch(x[8:], y[8:], return_dict=True)]
    found.append(model.train_on_batch(x, y, sample_weight=np.linspace(0, 1, 20), return_dict=True))
    found.append(model.train_on_batch(x, y, class_weight={0: 1.0, 1: 2.0, 2: 0.0}))
    model.reset_metrics()
    return found, model.test_on_batch(x, y, return_dict=True), model.predict_on_batch(x[:3])


@scenario()
def evaluation_and_prediction_with_a_last_batch_that_is_short(run: Run) -> Any:
    model = classifier(run)
    x, y = table(21)
    scores = model.evaluate(x, y, batch_size=8, verbose=0, return_dict=True, sample_weight=np.linspace(0, 1, 21))
    return scores, model.predict(x, batch_size=8, verbose=0)[::4], model.evaluate(x, y, steps=1, verbose=0)


@scenario()
def gradients_that_are_accumulated(run: Run) -> Any:
    model = classifier(run, optimizer=run.keras.optimizers.SGD(0.1, momentum=0.9, gradient_accumulation_steps=3))
    return fitted(model, *table(40)), weights(model)


@scenario()
def moving_average_of_the_weights(run: Run) -> Any:
    optimizer = run.keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=2)
    model = classifier(run, optimizer=optimizer)
    return fitted(model, *table()), weights(model)


@scenario(slow=("jit",))
def gradients_that_are_clipped(run: Run) -> Any:
    sgd = run.keras.optimizers.SGD
    kinds = [sgd(1.0, clipnorm=0.01), sgd(1.0, clipvalue=0.003), sgd(1.0, global_clipnorm=0.02)]
    return [fitted(classifier(run, optimizer=optimizer), *table(), epochs=1) for optimizer in kinds]


@scenario(slow=("jit",))
def schedules_of_the_learning_rate(run: Run) -> Any:
    schedules = run.keras.optimizers.schedules
    kinds = [
        schedules.ExponentialDecay(0.5, 2, 0.5, staircase=True),
        schedules.CosineDecay(0.1, 4, warmup_target=0.4, warmup_steps=2),
        schedules.PiecewiseConstantDecay([1, 3], [0.5, 0.1, 0.01]),
    ]
    sgd = run.keras.optimizers.SGD
    return [fitted(regressor(run, optimizer=sgd(schedule)), *targets()) for schedule in kinds]


@scenario()
def compiling_anew_and_freezing_a_layer(run: Run) -> Any:
    model = classifier(run)
    first = fitted(model, *table(), epochs=1)
    model.layers[0].trainable = False
    run.compile(model, "sgd", "sparse_categorical_crossentropy")
    return first, fitted(model, *table(), epochs=1), weights(model)


@scenario(slow=("jit",))
def a_batch_size_that_changes(run: Run) -> Any:
    model = classifier(run)
    return [fitted(model, *table(24), batch_size=size, epochs=1) for size in (8, 5, 24)]


@scenario()
def adam_over_many_steps(run: Run) -> Any:
    model = classifier(run, optimizer=run.keras.optimizers.Adam(0.01, epsilon=1e-3))
    return fitted(model, *table(), epochs=8)["loss"]
