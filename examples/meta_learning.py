"""Learns weights from which one step of gradient descent fits a new task: MAML (Finn, Abbeel and Levine, 2017).

A task is a straight line y = s x + t with its own s and t, seen at five points. The model is a network of one hidden
layer; five points tell it little, unless it starts from weights that know what lines are like. So its loss is the one
*after* a step of gradient descent on the five points, at other points of the same line, and the gradient of that loss
goes through the gradient of the step: a second derivative.

    $ python -m millrace run examples/meta_learning.py
"""

import numpy as np
import tensorflow as tf

HIDDEN = 20
TASKS = 16
SHOTS = 5
STEPS = 300
INNER_RATE = 0.1
OUTER_RATE = 0.01


def initial_weights():
    random = np.random.RandomState(0)
    shapes = [(1, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]
    return [tf.Variable(tf.constant(random.normal(scale=0.5, size=shape), tf.float32)) for shape in shapes]


def predict(weights, x):
    a, b, c, d = weights
    return tf.matmul(tf.tanh(tf.matmul(x, a) + b), c) + d


def loss_of(weights, x, y):
    return tf.reduce_mean((predict(weights, x) - y) ** 2)


def adapted(weights, x, y):
    """The weights after one step of gradient descent on a task's few points."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = loss_of(weights, x, y)
    return [w - INNER_RATE * g for w, g in zip(weights, tape.gradient(loss, weights))]


def loss_after_a_step(weights, task):
    seen_x, seen_y, new_x, new_y = task
    return loss_of(adapted(weights, seen_x, seen_y), new_x, new_y)


def tasks(random, count):
    """Tasks as arrays of shape [count, SHOTS, 1]: the points to learn from and those to be judged by."""
    slope, offset = random.uniform(-2.0, 2.0, (2, count, 1, 1))
    seen, new = random.uniform(-1.0, 1.0, (2, count, SHOTS, 1))
    parts = (seen, slope * seen + offset, new, slope * new + offset)
    return [tf.constant(part, tf.float32) for part in parts]


@tf.function
def mean_loss(weights, batch):
    values = [tf.convert_to_tensor(w) for w in weights]
    losses = tf.map_fn(lambda task: loss_after_a_step(values, task), batch, fn_output_signature=tf.float32)
    return tf.reduce_mean(losses)


@tf.function
def train_step(weights, moments, batch):
    """One step of gradient descent with momentum on the loss after a step."""
    with tf.GradientTape() as tape:
        loss = mean_loss(weights, batch)
    for w, m, g in zip(weights, moments, tape.gradient(loss, weights)):
        m.assign(0.9 * m + g)
        w.assign_sub(OUTER_RATE * m)
    return loss


def main():
    weights = initial_weights()
    moments = [tf.Variable(tf.zeros_like(w)) for w in weights]
    random = np.random.RandomState(1)
    unseen = tasks(np.random.RandomState(2), 100)
    before = float(mean_loss(weights, unseen))
    for _ in range(STEPS):
        train_step(weights, moments, tasks(random, TASKS))
    after = float(mean_loss(weights, unseen))
    print(f"loss on 100 unseen lines, one step after five points: {before:.3f} before, {after:.3f} after meta-learning")


if __name__ == "__main__":
    main()
