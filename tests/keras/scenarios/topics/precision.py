"""Numbers of other widths: mixed precision, loss scaling, float64, quantization, low-rank adaptation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import EAGER, HALF, Run, scenario
from tests.keras.scenarios.models import classifier, fitted, images, table, words


def _mixed(run: Run, policy: str) -> Any:
    run.keras.config.set_dtype_policy(policy)
    layers = run.keras.layers
    stack = [layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(), layers.Flatten()]
    model = run.keras.Sequential([run.keras.Input((8, 8, 1)), *stack, layers.Dense(3, "softmax", dtype="float32")])
    run.compile(model, run.keras.optimizers.SGD(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return fitted(model, *images(), batch_size=4)


@scenario(tolerance=HALF)
def mixed_bfloat16(run: Run) -> Any:
    return _mixed(run, "mixed_bfloat16")


@scenario(tolerance=HALF)
def mixed_float16_whose_loss_is_scaled(run: Run) -> Any:
    return _mixed(run, "mixed_float16")


@scenario()
def a_loss_scale_that_is_too_large_at_first(run: Run) -> Any:
    optimizers = run.keras.optimizers
    optimizer = optimizers.LossScaleOptimizer(optimizers.SGD(0.1), initial_scale=1e38, dynamic_growth_steps=2)
    model = classifier(run, optimizer=optimizer)
    found = fitted(model, *table())
    return found, np.log2(optimizer.dynamic_scale.numpy()), optimizer.step_counter.numpy()


@scenario(tolerance=1e-6)  # Keras keeps the mean of the losses in float32
def float64(run: Run) -> Any:
    run.keras.config.set_dtype_policy("float64")
    x, y = table()
    return fitted(classifier(run), x.astype("float64"), y, epochs=4)


@scenario(tolerance=HALF)
def bfloat16_throughout(run: Run) -> Any:
    run.keras.config.set_dtype_policy("bfloat16")
    x, y = table()
    model = classifier(run, optimizer=run.keras.optimizers.SGD(0.02))
    return fitted(model, x, y, epochs=1), model.predict(x[:2], verbose=0)


@scenario()
def low_rank_adaptation(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.Embedding(10, 6), layers.Flatten(), layers.Dense(4, "tanh"), layers.Dense(1)]
    model = run.keras.Sequential([run.keras.Input((6,), dtype="int32"), *stack])
    x, y = words()
    before = model(x[:2])
    model.layers[0].enable_lora(2)
    model.layers[2].enable_lora(3, lora_alpha=6)
    run.compile(model, run.keras.optimizers.SGD(0.1), "mse")
    return before, len(model.trainable_variables), fitted(model, x, y), model.predict(x[:2], verbose=0)


def _quantized(run: Run, mode: str) -> Any:
    layers = run.keras.layers
    stack = [layers.Dense(8, "relu"), layers.EinsumDense("ab,bc->ac", 6), layers.Dense(3)]
    model = run.keras.Sequential([run.keras.Input((8,)), *stack])
    x, _ = table(12, 8)
    before = model(x[:2])
    model.quantize(mode)
    return model, x, before


@scenario("eager", "graph", "jit", tolerance=1e-4)
def predictions_in_int8(run: Run) -> Any:
    model, x, before = _quantized(run, "int8")
    run.compile(model)
    return before, model.predict(x[:4], verbose=0), [str(v.dtype) == "int8" for v in model.variables]


@scenario("eager", "graph", tolerance=1e-4, slow=("eager",))
def predictions_in_int4(run: Run) -> Any:
    model, x, before = _quantized(run, "int4")
    run.compile(model)
    return before, model.predict(x[:4], verbose=0)


@scenario("graph", "jit", tolerance=1e-3)  # eagerly, Keras 3.15 does not train so on TensorFlow
def training_in_float8(run: Run) -> Any:
    model, x, before = _quantized(run, "float8")
    run.compile(model, run.keras.optimizers.SGD(0.1), "mse")
    return before, fitted(model, x, np.tanh(x[:, :3])), model.predict(x[:2], verbose=0)


@scenario(*EAGER)
def numbers_of_keras_random(run: Run) -> Any:
    random = run.keras.random
    draws = [random.normal((3,), seed=1), random.uniform((3,), -1, 1, seed=2), random.truncated_normal((3,), seed=3)]
    draws += [random.gamma((2,), 0.7, seed=4), random.beta((2,), 2.0, 3.0, seed=5)]
    draws += [random.binomial((3,), 9, 0.4, seed=6)]
    draws += [random.randint((4,), 0, 100, seed=7), random.categorical(np.zeros((2, 5), "float32"), 3, seed=8)]
    draws += [random.shuffle(np.arange(6), seed=9), random.dropout(np.ones(6, "float32"), 0.5, seed=10)]
    generator = random.SeedGenerator(11)
    draws += [random.normal((2,), seed=generator), random.normal((2,), seed=generator)]
    initializers = run.keras.initializers
    kinds = ("GlorotUniform", "HeNormal", "LecunUniform", "Orthogonal", "RandomNormal", "TruncatedNormal")
    return draws, [getattr(initializers, kind)(seed=12)((2, 3)) for kind in kinds]
