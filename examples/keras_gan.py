"""Keras: two nets compete (Goodfellow et al., 2014): one makes points, the other tells them from real ones.

Real points lie on a ring. `fit` knows nothing of two nets and two optimizers, so the model says itself what a step of
training is: `train_step`. Batches, epochs, metrics and the compiler stay Keras's.

    $ python -m millrace run examples/keras_gan.py [epochs]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import tensorflow as tf
from keras import layers

SEED = 4
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
BATCH = 128
POINTS = 2048
NOISE = 4


def ring(count):
    """Points near a circle of radius 1."""
    rng = np.random.RandomState(SEED)
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, count), rng.normal(1.0, 0.05, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype("float32")


class Rivals(keras.Model):
    """A generator and a discriminator; a step trains first the one, then the other."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        hidden = {"units": 32, "activation": "leaky_relu"}
        self.generator = keras.Sequential(
            [keras.Input((NOISE,)), layers.Dense(**hidden), layers.Dense(**hidden), layers.Dense(2)]
        )
        self.discriminator = keras.Sequential(
            [keras.Input((2,)), layers.Dense(**hidden), layers.Dense(**hidden), layers.Dense(1)]
        )
        self.seeds = keras.random.SeedGenerator(SEED)
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
        self.told_apart = keras.metrics.Mean(name="told_apart")
        self.made_well = keras.metrics.Mean(name="made_well")
        self.built = True

    def compile(self, generating, discriminating, **arguments):
        super().compile(**arguments)
        self.generating, self.discriminating = generating, discriminating

    @property
    def metrics(self):
        return [self.told_apart, self.made_well]

    def make(self, count):
        """New points."""
        return self.generator(keras.random.normal((count, NOISE), seed=self.seeds))

    def train_step(self, real):
        count = tf.shape(real)[0]
        labels = tf.concat([tf.ones((count, 1)), tf.zeros((count, 1))], axis=0)
        points = tf.concat([real, self.make(count)], axis=0)
        with tf.GradientTape() as tape:
            loss = self.loss_of(labels, self.discriminator(points))
        weights = self.discriminator.trainable_weights
        self.discriminating.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.told_apart.update_state(loss)

        with tf.GradientTape() as tape:  # the generator wants its points to be taken for real ones
            loss = self.loss_of(tf.ones((count, 1)), self.discriminator(self.make(count)))
        weights = self.generator.trainable_weights
        self.generating.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.made_well.update_state(loss)
        return {metric.name: metric.result() for metric in self.metrics}


def main():
    keras.utils.set_random_seed(SEED)
    model = Rivals()
    adam = {"beta_1": 0.5}
    model.compile(keras.optimizers.Adam(1e-3, **adam), keras.optimizers.Adam(2e-3, **adam))
    model.fit(ring(POINTS), batch_size=BATCH, epochs=EPOCHS, verbose=2)
    points = keras.ops.convert_to_numpy(model.make(1000))
    distance = np.abs(np.linalg.norm(points, axis=1) - 1.0)
    sectors = np.unique(np.floor(np.arctan2(points[:, 1], points[:, 0]) / (np.pi / 4)))
    print(f"{np.mean(distance):.3f} from the ring on average, in {len(sectors)} of 8 sectors")


if __name__ == "__main__":
    main()
