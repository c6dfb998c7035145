"""Nets of many kinds: convolutions, recurrent nets, attention, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import Run, scenario
from tests.keras.scenarios.models import fitted, images, sequences, table, weights, words


@scenario(jit_as_graph=True)
def convolutions_batch_norm_and_dropout(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.Conv2D(4, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D()]
    stack += [layers.Dropout(0.3), layers.Flatten(), layers.Dense(3, "softmax")]
    model = run.keras.Sequential([run.keras.Input((8, 8, 1)), *stack])
    run.compile(model, "sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    x, y = images()
    return fitted(model, x, y, batch_size=4), model.evaluate(x, y, verbose=0), weights(model)


@scenario()
def separable_depthwise_and_transposed_convolutions(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.SeparableConv2D(4, 3, activation="relu"), layers.DepthwiseConv2D(2, padding="same")]
    stack += [layers.Conv2DTranspose(1, 3, strides=1), layers.AveragePooling2D(2)]
    model = run.keras.Sequential([run.keras.Input((8, 8, 2)), *stack])
    run.compile(model, run.keras.optimizers.SGD(0.1), "mse")
    x, _ = images(channels=2)
    return fitted(model, x, x[:, ::2, ::2, :1], batch_size=4), weights(model)


@scenario(slow=("jit",))
def a_residual_net_with_upsampling(run: Run) -> Any:
    layers = run.keras.layers
    x = inputs = run.keras.Input((8, 8, 1))
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Add()([x, layers.Conv2D(4, 1)(layers.LayerNormalization()(x))])
    x = layers.UpSampling2D()(x)
    x = layers.Concatenate()([x, layers.ZeroPadding2D(1)(layers.Cropping2D(1)(inputs))])
    model = run.keras.Model(inputs, layers.Conv2D(1, 3, padding="same")(x))
    run.compile(model, run.keras.optimizers.SGD(0.1), "mae")
    return fitted(model, *(images()[0],) * 2, batch_size=4), weights(model)


@scenario(slow=("jit",))
def convolutions_of_sequences(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.Conv1D(4, 3, padding="causal", dilation_rate=2), layers.GroupNormalization(2)]
    model = run.keras.Sequential([run.keras.Input((6, 3)), *stack, layers.GlobalMaxPooling1D(), layers.Dense(1)])
    run.compile(model, "sgd", "mse")
    return fitted(model, *sequences()), weights(model)


def _recurrent(run: Run, *stack: Any) -> Any:
    model = run.keras.Sequential([run.keras.Input((6, 3)), *stack, run.keras.layers.Dense(1)])
    run.compile(model, run.keras.optimizers.SGD(0.05), "mse")
    return fitted(model, *sequences()), weights(model)


@scenario()
def an_lstm(run: Run) -> Any:
    return _recurrent(run, run.keras.layers.LSTM(5))


@scenario(jit_as_graph=True, slow=("jit",))
def an_lstm_with_dropout_over_another(run: Run) -> Any:
    layers = run.keras.layers
    return _recurrent(run, layers.LSTM(4, return_sequences=True, dropout=0.2), layers.LSTM(3, recurrent_dropout=0.2))


@scenario(slow=("jit",))
def a_gru_both_ways(run: Run) -> Any:
    return _recurrent(run, run.keras.layers.Bidirectional(run.keras.layers.GRU(4)))


@scenario(slow=("jit",))
def simple_cells_stacked_and_unrolled(run: Run) -> Any:
    layers = run.keras.layers
    cells = [layers.SimpleRNNCell(4), layers.GRUCell(3)]
    steps = layers.RNN(cells, return_sequences=True, unroll=True)
    return _recurrent(run, steps, layers.TimeDistributed(layers.Dense(2)), layers.Flatten())


@scenario()
def a_recurrent_net_that_keeps_its_state(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.LSTM(3, stateful=True), layers.Dense(1)]
    model = run.keras.Sequential([run.keras.Input(batch_shape=(4, 6, 3)), *stack])
    run.compile(model, "sgd", "mse")
    x, y = sequences()
    found = fitted(model, x, y, batch_size=4), model.predict(x, batch_size=4, verbose=0)
    model.layers[0].reset_state()
    return found, model.predict(x, batch_size=4, verbose=0)


@scenario()
def words_that_are_masked(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3, return_sequences=True), layers.GRU(3)]
    model = run.keras.Sequential([run.keras.Input((6,), dtype="int32"), *stack, layers.Dense(1, "sigmoid")])
    run.compile(model, run.keras.optimizers.SGD(0.5), "binary_crossentropy")
    return fitted(model, *words()), weights(model)


@scenario()
def an_embedding_with_sparse_gradients(run: Run) -> Any:
    layers = run.keras.layers
    stack = [layers.Embedding(10, 4), layers.GlobalAveragePooling1D(), layers.Dense(1)]
    found = []
    for optimizer in ("sgd", run.keras.optimizers.Adam(0.01, epsilon=1e-3), run.keras.optimizers.Adagrad(0.1)):
        model = run.keras.models.clone_model(run.keras.Sequential([run.keras.Input((6,), dtype="int32"), *stack]))
        run.compile(model, optimizer, "mse")
        found.append([fitted(model, *words(), epochs=1), weights(model)])
    return found


@scenario(jit_as_graph=True)
def a_transformer_that_looks_back(run: Run) -> Any:
    layers = run.keras.layers
    inputs = run.keras.Input((6,), dtype="int32")
    x = layers.Embedding(10, 8)(inputs)
    attended = layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + attended)
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, "gelu")(x)))
    model = run.keras.Model(inputs, layers.Dense(10)(x))
    loss = run.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    run.compile(model, run.keras.optimizers.SGD(0.3), loss)
    x, _ = words()
    return fitted(model, x, np.roll(x, -1, axis=1)), model.predict(x[:1], verbose=0)[0, :, :2]


@scenario(slow=("jit",))
def grouped_and_additive_attention_with_masks(run: Run) -> Any:
    layers = run.keras.layers
    a, b = run.keras.Input((6, 3)), run.keras.Input((6,), dtype="bool")
    x = layers.GroupQueryAttention(4, 4, 2)(a, a, attention_mask=run.keras.ops.expand_dims(b, 1))
    x = layers.AdditiveAttention()([x, x]) + layers.Attention(use_scale=True)([x, x])
    model = run.keras.Model([a, b], layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    run.compile(model, "sgd", "mse")
    x, y = sequences()
    return fitted(model, [x, np.arange(6) <= np.arange(12)[:, None]], y)


@scenario()
def two_twins_and_a_third_output(run: Run) -> Any:
    layers = run.keras.layers
    shared = run.keras.Sequential([layers.Dense(4, "tanh"), layers.UnitNormalization()])
    a, b = run.keras.Input((4,)), run.keras.Input((4,))
    near = layers.Dot(1)([shared(a), shared(b)])
    model = run.keras.Model([a, b], [near, layers.Dense(1)(shared(a)), layers.Subtract()([shared(a), shared(b)])])
    run.compile(model, "sgd", ["mse", "mae", None], loss_weights=[1.0, 0.5, None])
    x, _ = table()
    wanted = [np.ones((20, 1)), x[:, :1], np.zeros((20, 4))]
    return fitted(model, [x, x[::-1]], wanted), weights(model)


@scenario(jit_as_graph=True)
def normalizations_and_regularizers(run: Run) -> Any:
    layers, regularizers = run.keras.layers, run.keras.regularizers
    first = layers.Dense(6, kernel_regularizer=regularizers.L1L2(0.01, 0.02), activity_regularizer="l2")
    second = layers.Dense(4, kernel_constraint=run.keras.constraints.MaxNorm(0.5), bias_constraint="non_neg")
    spectral = layers.SpectralNormalization(layers.Dense(4, kernel_regularizer=regularizers.OrthogonalRegularizer(0.1)))
    stack = [first, layers.BatchNormalization(momentum=0.5), layers.PReLU(), second]
    stack += [layers.RMSNormalization(), spectral, layers.GaussianNoise(0.1), layers.Dense(3, "softmax")]
    model = run.keras.Sequential([run.keras.Input((4,)), *stack])
    run.compile(model, "sgd", "sparse_categorical_crossentropy")
    return fitted(model, *table()), weights(model)
