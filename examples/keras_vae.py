"""Keras: a variational autoencoder (Kingma and Welling, 2014) learns to draw digits.

The encoder says of a digit where in a space of few numbers it lies, and how surely; the decoder draws a digit from a
point. The loss has two parts: how likely the pixels are, and how far the points are from a normal distribution. So
points of chance become digits too. The second part is added by the layer that draws the points: `add_loss`.

    $ python -m millrace run examples/keras_vae.py [epochs]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
from keras import layers, ops
from sklearn.datasets import load_digits

SEED = 3
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
BATCH = 64
NUMBERS = 8
TRAIN = 1500
SHADES = " .:-=+*#%@"


class Point(layers.Layer):
    """Draws a point near the mean, and adds what it costs that points are not normally distributed."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.seeds = keras.random.SeedGenerator(SEED)

    def call(self, parts):
        mean, log_variance = parts
        divergence = 0.5 * ops.sum(ops.square(mean) + ops.exp(log_variance) - 1.0 - log_variance, axis=-1)
        self.add_loss(ops.mean(divergence))
        noise = keras.random.normal(ops.shape(mean), seed=self.seeds)
        return mean + ops.exp(0.5 * log_variance) * noise


def make_encoder():
    """From pixels to a point."""
    images = keras.Input((64,))
    x = layers.Dense(128, activation="relu")(images)
    mean, log_variance = layers.Dense(NUMBERS)(x), layers.Dense(NUMBERS)(x)
    return keras.Model(images, Point()([mean, log_variance]), name="encoder")


def make_decoder():
    """From a point to pixels, before they are squeezed between 0 and 1."""
    return keras.Sequential(
        [keras.Input((NUMBERS,)), layers.Dense(128, activation="relu"), layers.Dense(64)], name="decoder"
    )


def unlikelihood(images, scores):
    """The negative logarithm of the likelihood of the pixels of an image, added up over the pixels."""
    return ops.sum(ops.softplus(scores) - images * scores, axis=-1)


def show(images):
    """Prints images beside one another."""
    for rows in zip(*(ops.convert_to_numpy(images).reshape(-1, 8, 8))):
        print("  ".join("".join(2 * SHADES[int(9.99 * pixel)] for pixel in row) for row in rows))


def main():
    keras.utils.set_random_seed(SEED)
    images = load_digits().data.astype("float32") / 16.0
    encoder, decoder = make_encoder(), make_decoder()
    model = keras.Sequential([encoder, decoder])
    model.compile(keras.optimizers.Adam(2e-3), loss=unlikelihood)
    model.fit(images[:TRAIN], images[:TRAIN], batch_size=BATCH, epochs=EPOCHS, verbose=2)
    loss = model.evaluate(images[TRAIN:], images[TRAIN:], verbose=0)
    print("digits drawn from points of chance:")
    show(ops.sigmoid(decoder(keras.random.normal((6, NUMBERS), seed=SEED))))
    print(f"{loss:.2f} nats for a new digit, {64 * 0.6931:.2f} for one of which nothing is known")


if __name__ == "__main__":
    main()
