"""Keras: a recurrent net forecasts how much power a town will draw in the next hours.

The series is made: a day and a week, a slow trend, and weather that lasts. A forecast is worth something when it beats
the plain one, that tomorrow at this hour will be as today. Windows of the series come from
`keras.utils.timeseries_dataset_from_array`; a layer learns the scale of the data from the data: `Normalization.adapt`.

    $ python -m millrace run examples/keras_time_series.py [epochs]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
from keras import layers

SEED = 5
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 6
BATCH = 64
HOURS, TRAIN = 24 * 7 * 30, 24 * 7 * 24
PAST, AHEAD = 48, 6


def series():
    """Power in megawatts, hour by hour: [hours, 1]."""
    rng = np.random.RandomState(SEED)
    hour = np.arange(HOURS)
    day, week = np.sin(2 * np.pi * (hour % 24 - 8) / 24), np.where(hour // 24 % 7 < 5, 1.0, 0.6)
    weather = np.zeros(HOURS)
    for now in range(1, HOURS):
        weather[now] = 0.97 * weather[now - 1] + rng.normal(0.0, 1.5)
    return (60 + 15 * day * week + 10 * week + 0.001 * hour + weather)[:, None].astype("float32")


def windows(power, shuffle=False):
    """Batches of the PAST hours, and the power AHEAD hours after the last of them."""
    return keras.utils.timeseries_dataset_from_array(
        power[: -PAST - AHEAD + 1], power[PAST + AHEAD - 1 :], PAST, batch_size=BATCH, shuffle=shuffle, seed=SEED
    )


def make_model(power):
    """A convolution that shortens the past, a GRU, and the forecast as a change of the last value."""
    scale, unscale = layers.Normalization(axis=None), layers.Normalization(axis=None, invert=True)
    scale.adapt(power)
    unscale.adapt(power)
    past = keras.Input((PAST, 1))
    scaled = scale(past)
    x = layers.Conv1D(16, 6, strides=3, activation="relu")(scaled)
    change = layers.Dense(1)(layers.GRU(24)(x))
    return keras.Model(past, unscale(scaled[:, -1] + change))


def plain_error(power):
    """How far off it is to forecast what was drawn a day before that hour."""
    return np.mean(np.abs(power[PAST + AHEAD - 1 :] - power[PAST + AHEAD - 1 - 24 : -24]))


def main():
    keras.utils.set_random_seed(SEED)
    power = series()
    past, future = power[:TRAIN], power[TRAIN:]
    model = make_model(past)
    model.compile(keras.optimizers.Adam(3e-3), loss="huber", metrics=["mae"])
    model.fit(windows(past, shuffle=True), epochs=EPOCHS, shuffle=False, verbose=2)  # the windows are shuffled already
    _, error = model.evaluate(windows(future), verbose=0)
    print(f"off by {error:.2f} MW on average, the forecast of the day before by {plain_error(future):.2f} MW")


if __name__ == "__main__":
    main()
