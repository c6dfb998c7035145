"""Generators of images of 28x28: a DCGAN with two tapes in a `tf.function`, and a VAE that runs eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

NOISE = 100


def _generator(width: int) -> Any:
    layers = keras.layers
    stack = [keras.Input((NOISE,)), layers.Dense(7 * 7 * 2 * width, use_bias=False)]
    stack += [layers.BatchNormalization(), layers.LeakyReLU(), layers.Reshape((7, 7, 2 * width))]
    for filters, stride in ((width, 1), (width // 2, 2)):
        stack.append(layers.Conv2DTranspose(filters, 5, strides=stride, padding="same", use_bias=False))
        stack += [layers.BatchNormalization(), layers.LeakyReLU()]
    last = layers.Conv2DTranspose(1, 5, strides=2, padding="same", use_bias=False, activation="tanh")
    return keras.Sequential([*stack, last])


def _discriminator(width: int) -> Any:
    layers = keras.layers
    stack = [keras.Input((28, 28, 1))]
    for filters in (width // 2, width):
        stack += [layers.Conv2D(filters, 5, strides=2, padding="same"), layers.LeakyReLU(), layers.Dropout(0.3)]
    return keras.Sequential([*stack, layers.Flatten(), layers.Dense(1)])


def dcgan(batch: int = 64, width: int = 64) -> Callable[[], Any]:
    images = tf.constant(np.random.default_rng(0).uniform(-1, 1, (batch, 28, 28, 1)).astype("float32"))
    generator, discriminator = _generator(width), _discriminator(width)
    entropy = keras.losses.BinaryCrossentropy(from_logits=True)
    generator_optimizer, discriminator_optimizer = keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4)

    @tf.function
    def step(images: Any) -> Any:
        noise = tf.random.normal([batch, NOISE])
        with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
            generated = generator(noise, training=True)
            real, fake = discriminator(images, training=True), discriminator(generated, training=True)
            generator_loss = entropy(tf.ones_like(fake), fake)
            discriminator_loss = entropy(tf.ones_like(real), real) + entropy(tf.zeros_like(fake), fake)
        gradients = generator_tape.gradient(generator_loss, generator.trainable_variables)
        generator_optimizer.apply_gradients(zip(gradients, generator.trainable_variables))
        gradients = discriminator_tape.gradient(discriminator_loss, discriminator.trainable_variables)
        discriminator_optimizer.apply_gradients(zip(gradients, discriminator.trainable_variables))
        return generator_loss, discriminator_loss

    return lambda: step(images)


def vae_eager(batch: int = 64, hidden: int = 256, latent: int = 16) -> Callable[[], Any]:
    images = tf.constant(np.random.default_rng(0).random((batch, 784), np.float32))
    layers = keras.layers
    encoder = keras.Sequential([keras.Input((784,)), layers.Dense(hidden, "relu"), layers.Dense(2 * latent)])
    decoder = keras.Sequential([keras.Input((latent,)), layers.Dense(hidden, "relu"), layers.Dense(784)])
    optimizer = keras.optimizers.Adam(1e-3)
    variables = encoder.trainable_variables + decoder.trainable_variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(encoder(images), 2, axis=1)
            code = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=decoder(code))
            divergence = -0.5 * tf.reduce_sum(1 + log_variance - mean**2 - tf.exp(log_variance), axis=1)
            loss = tf.reduce_mean(tf.reduce_sum(entropy, axis=1) + divergence)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step
