"""Trains a recurrent net through a dynamic loop: it adds up the marked numbers of a sequence.

Each step of a sequence brings a number and a mark, 0 or 1. After every step the net says what the marked numbers have
come to so far: it has to carry the sum along, and to pass over the others. The sequences of a batch have one length,
which differs from batch to batch, so the loop over the steps is one of the graph: a plain `for` over `tf.range`, which
writes its results to a `TensorArray`. The graph is traced once and differentiated once, for all lengths.

    $ python -m millrace run examples/rnn.py
"""

import time

import numpy as np
import tensorflow as tf

SEED = 3
UNITS = 24
BATCH = 32
STEPS = 1000
MIN_LENGTH, MAX_LENGTH = 4, 12
LEARNING_RATE = 0.003
HELD_OUT = 500


class RunningSum(tf.Module):
    """state = tanh(x w + state u + b), result = state v + c."""

    def __init__(self, name=None):
        super().__init__(name=name)
        rng = np.random.RandomState(SEED)
        self.w = tf.Variable(0.4 * rng.randn(2, UNITS), dtype=tf.float32)
        self.u = tf.Variable(0.9 * np.linalg.qr(rng.randn(UNITS, UNITS))[0], dtype=tf.float32)
        self.b = tf.Variable(tf.zeros([UNITS]))
        self.v = tf.Variable(0.2 * rng.randn(UNITS, 1), dtype=tf.float32)
        self.c = tf.Variable(tf.zeros([1]))

    def __call__(self, x):
        """From [steps, batch, 2] to the result after each step, [steps, batch]."""
        steps = tf.shape(x)[0]
        state = tf.zeros([tf.shape(x)[1], UNITS])
        results = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            state = tf.tanh(tf.matmul(x[t], self.w) + tf.matmul(state, self.u) + self.b)
            results = results.write(t, tf.matmul(state, self.v) + self.c)
        return tf.squeeze(results.stack(), axis=2)


class Trainer(tf.Module):
    """A net and the Adam optimizer (Kingma and Ba, 2015)."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self.net = RunningSum()
        self.m = [tf.Variable(tf.zeros_like(v), trainable=False) for v in self.net.trainable_variables]
        self.v = [tf.Variable(tf.zeros_like(v), trainable=False) for v in self.net.trainable_variables]
        self.step = tf.Variable(0.0, trainable=False)

    @tf.function(
        input_signature=[tf.TensorSpec([None, None, 2], tf.float32), tf.TensorSpec([None, None], tf.float32)]
    )
    def train_step(self, x, wanted):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.net(x) - wanted))
        variables = self.net.trainable_variables
        step = self.step.assign_add(1.0)
        rate = LEARNING_RATE * tf.sqrt(1.0 - tf.pow(0.999, step)) / (1.0 - tf.pow(0.9, step))
        for gradient, variable, m, v in zip(tape.gradient(loss, variables), variables, self.m, self.v):
            m.assign_add(0.1 * (gradient - m))
            v.assign_add(0.001 * (tf.square(gradient) - v))
            variable.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))
        return loss


def sequences(rng, steps, count):
    """Numbers with marks, [steps, count, 2], and the running sums of the marked ones, [steps, count]."""
    numbers = rng.uniform(-1.0, 1.0, [steps, count])
    marks = rng.randint(0, 2, [steps, count])
    x = np.stack([numbers, marks], axis=2).astype(np.float32)
    return tf.constant(x), tf.constant(np.cumsum(numbers * marks, axis=0).astype(np.float32))


def explained(net, x, wanted):
    """The share of the variance of the running sums that the net explains."""
    rest = tf.reduce_mean(tf.square(net(x) - wanted))
    return 1.0 - float(rest) / float(tf.math.reduce_variance(wanted))


def train():
    """Trains a net; returns it, the loss of every step, and the seconds it took."""
    trainer = Trainer()
    rng = np.random.RandomState(SEED)
    losses = []
    start = time.perf_counter()
    for _ in range(STEPS):
        steps = rng.randint(MIN_LENGTH, MAX_LENGTH + 1)
        losses.append(float(trainer.train_step(*sequences(rng, steps, BATCH))))
    return trainer.net, losses, time.perf_counter() - start


def main():
    net, losses, seconds = train()
    print("    steps    loss")
    for first in range(0, STEPS, 100):
        print(f"{first + 1:4}-{first + 100:4}  {np.mean(losses[first : first + 100]):.4f}")
    rng = np.random.RandomState(SEED + 1)
    for steps in (MIN_LENGTH, MAX_LENGTH):
        share = explained(tf.function(net.__call__), *sequences(rng, steps, HELD_OUT))
        print(f"{steps:2} steps, {HELD_OUT} new sequences: {100 * share:.1f} % of the variance explained")
    print(f"{STEPS} training steps in {seconds:.1f} s")


if __name__ == "__main__":
    main()
