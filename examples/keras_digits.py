"""Keras: a convolutional net learns to read digits, 8 x 8 pixels, from scikit-learn.

Batch normalization and dropout behave otherwise in training than after it; `fit` and `evaluate` see to that. A data set
this small has few steps, so the averages that normalize after training have to forget faster than Keras's default:
`momentum=0.9`. Training stops when the loss on digits kept aside falls no more, and the best weights are kept.

    $ python -m millrace run examples/keras_digits.py [epochs]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
from keras import layers
from sklearn.datasets import load_digits

SEED = 1
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
BATCH = 64
TRAIN, VALIDATION = 1200, 200  # the other 397 are for the test


def digits():
    """Images [count, 8, 8, 1] from 0 to 1, and which digit each is."""
    images, labels = load_digits(return_X_y=True)
    return images.reshape(-1, 8, 8, 1).astype("float32") / 16.0, labels.astype("int32")


def make_model():
    """Two blocks of convolution, normalization and pooling, and a layer that chooses."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.Activation("relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.Activation("relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.2),
            layers.Dense(10, activation="softmax"),
        ]
    )


def main():
    keras.utils.set_random_seed(SEED)
    images, labels = digits()
    train, validation, test = slice(TRAIN), slice(TRAIN, TRAIN + VALIDATION), slice(TRAIN + VALIDATION, None)
    model = make_model()
    model.compile(keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        images[train],
        labels[train],
        batch_size=BATCH,
        epochs=EPOCHS,
        validation_data=(images[validation], labels[validation]),
        callbacks=[keras.callbacks.EarlyStopping(patience=5, restore_best_weights=True)],
        verbose=2,
    )
    _, accuracy = model.evaluate(images[test], labels[test], verbose=0)
    print(f"{100 * accuracy:.1f} % of {len(labels[test])} new digits are right")


if __name__ == "__main__":
    main()
