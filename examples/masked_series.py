"""A type of one's own that TensorFlow's functions understand: measurements, some of which are missing.

`MaskedSeries` is an extension type: functions, loops, tapes and datasets take it as they take tensors. Three handlers
teach it all element-wise functions of one argument, all of two, and `tf.reduce_mean`. After that the code of a
regression, written for tensors, fits a trend through the measurements that are there.

    $ python -m millrace run examples/masked_series.py
"""

import typing

import tensorflow as tf


class MaskedSeries(tf.experimental.BatchableExtensionType):
    """Values, and whether each of them is known."""

    values: tf.Tensor
    known: tf.Tensor

    def __add__(self, other):
        return tf.add(self, other)

    def __sub__(self, other):
        return tf.subtract(self, other)

    def __mul__(self, other):
        return tf.multiply(self, other)


Operand = typing.Union[MaskedSeries, tf.Tensor, float]  # noqa: UP007 (what dispatch takes)


@tf.experimental.dispatch_for_unary_elementwise_apis(MaskedSeries)
def of_one(function, x):
    return MaskedSeries(function(x.values), x.known)


@tf.experimental.dispatch_for_binary_elementwise_apis(Operand, Operand)
def of_two(function, x, y):
    parts = [v if isinstance(v, MaskedSeries) else MaskedSeries(v, True) for v in (x, y)]
    return MaskedSeries(function(parts[0].values, parts[1].values), parts[0].known & parts[1].known)


@tf.experimental.dispatch_for_api(tf.reduce_mean, {"input_tensor": MaskedSeries})
def mean_of_known(input_tensor, axis=None, keepdims=False):
    counted = tf.cast(input_tensor.known, input_tensor.values.dtype)
    total = tf.reduce_sum(tf.where(input_tensor.known, input_tensor.values, 0.0), axis, keepdims)
    return total / tf.reduce_sum(counted, axis, keepdims)


def fit(times, series, steps=400):
    """Fits `slope * times + start` by gradient descent; the same code takes a tensor or a masked series."""
    slope, start = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(series):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(series - (slope * times + start)))
        for variable, gradient in zip([slope, start], tape.gradient(loss, [slope, start]), strict=True):
            variable.assign_sub(0.5 * gradient)
        return loss

    for _ in range(steps):
        loss = step(series)
    return float(slope), float(start), float(loss)


def main():
    times = tf.linspace(0.0, 1.0, 50)
    noise = tf.random.stateless_normal([50], seed=[1, 2], stddev=0.05)
    known = tf.random.stateless_uniform([50], seed=[3, 4]) < 0.6
    values = tf.where(known, 2.0 * times - 1.0 + noise, 99.0)
    print("missing values taken for measurements: slope {:.2f}, start {:.2f}, loss {:.1f}".format(*fit(times, values)))
    print(
        "missing values masked:                 slope {:.2f}, start {:.2f}, loss {:.4f}".format(
            *fit(times, MaskedSeries(values, known))
        )
    )
    weeks = tf.data.Dataset.from_tensor_slices(MaskedSeries(values, known)).batch(7)
    means = [float(tf.reduce_mean(week)) for week in weeks]
    print("means of weeks:", " ".join(f"{mean:.2f}" for mean in means))


if __name__ == "__main__":
    main()
