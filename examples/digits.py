"""Trains a two-layer classifier on scanned digits, once eagerly and once as a graph.

The data are the 1,797 scans of handwritten digits, 8 x 8 pixels each, that come with scikit-learn; 360 of them are
held out. Both runs start from the same weights and see the same batches, so they print the same loss curve.

    $ python -m millrace run examples/digits.py
"""

import sys
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

SEED = 7
HIDDEN = 128
EPOCHS = 20
BATCH = 60
LEARNING_RATE = 0.002
HELD_OUT = 360


class Dense(tf.Module):
    """One layer: a matrix product, a bias, and optionally a ReLU."""

    def __init__(self, inputs, outputs, seed, relu=False, name=None):
        super().__init__(name=name)
        scale = (2.0 / inputs) ** 0.5
        self.w = tf.Variable(scale * tf.random.stateless_normal([inputs, outputs], seed=[SEED, seed]), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")
        self.relu = relu

    def __call__(self, x):
        y = tf.matmul(x, self.w) + self.b
        return tf.nn.relu(y) if self.relu else y


class Classifier(tf.Module):
    """64 pixels -> 128 hidden units -> 10 scores."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self.hidden = Dense(64, HIDDEN, seed=1, relu=True)
        self.scores = Dense(HIDDEN, 10, seed=2)

    def __call__(self, x):
        return self.scores(self.hidden(x))


class Adam(tf.Module):
    """The Adam optimizer (Kingma and Ba, 2015)."""

    def __init__(self, variables, learning_rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name=None):
        super().__init__(name=name)
        self.rate, self.beta_1, self.beta_2, self.epsilon = learning_rate, beta_1, beta_2, epsilon
        self.step = tf.Variable(0.0, trainable=False)
        self.m = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.v = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply_gradients(self, gradients, variables):
        step = self.step.assign_add(1.0)
        rate = self.rate * tf.sqrt(1.0 - tf.pow(self.beta_2, step)) / (1.0 - tf.pow(self.beta_1, step))
        for gradient, variable, m, v in zip(gradients, variables, self.m, self.v):
            m.assign_add((1.0 - self.beta_1) * (gradient - m))
            v.assign_add((1.0 - self.beta_2) * (tf.square(gradient) - v))
            variable.assign_sub(rate * m / (tf.sqrt(v) + self.epsilon))


class Trainer(tf.Module):
    """A model, its optimizer, and one step of training."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self.model = Classifier()
        self.optimizer = Adam(self.model.trainable_variables, LEARNING_RATE)

    def train_step(self, images, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=self.model(images))
            loss = tf.reduce_mean(losses)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(tape.gradient(loss, variables), variables)
        return loss

    def accuracy(self, images, labels):
        predicted = tf.argmax(self.model(images), axis=1, output_type=tf.int32)
        return tf.reduce_mean(tf.cast(predicted == labels, tf.float32))


def load_data():
    """Training and held-out images (pixels in [0, 1]) and labels."""
    digits = load_digits()
    order = np.random.RandomState(SEED).permutation(len(digits.target))
    images = tf.constant(digits.data[order] / 16.0, tf.float32)
    labels = tf.constant(digits.target[order], tf.int32)
    split = len(order) - HELD_OUT
    return (images[:split], labels[:split]), (images[split:], labels[split:])


def show_progress(title, epoch, loss):
    if sys.stdout.isatty():
        bar = "#" * epoch + "." * (EPOCHS - epoch)
        print(f"\r{title:5} [{bar}] epoch {epoch:2}/{EPOCHS}  loss {loss:.4f}", end="", flush=True)
        if epoch == EPOCHS:
            print("\r" + " " * (45 + EPOCHS) + "\r", end="")


def train(title, graph, training, held_out):
    """Trains a new model; returns the mean loss of each epoch, the held-out accuracy and the seconds it took."""
    trainer = Trainer()
    step = tf.function(trainer.train_step) if graph else trainer.train_step
    images, labels = training
    shuffler = np.random.RandomState(SEED)
    curve = []
    start = time.perf_counter()
    for epoch in range(1, EPOCHS + 1):
        order = tf.constant(shuffler.permutation(len(labels)), tf.int32)
        losses = []
        for first in range(0, len(labels), BATCH):
            batch = order[first : first + BATCH]
            losses.append(step(tf.gather(images, batch), tf.gather(labels, batch)))
        curve.append(float(tf.reduce_mean(tf.stack(losses))))
        show_progress(title, epoch, curve[-1])
    seconds = time.perf_counter() - start
    return curve, float(trainer.accuracy(*held_out)), seconds


def main():
    training, held_out = load_data()
    print(f"{len(training[1])} digits to learn from, {len(held_out[1])} held out")
    runs = {}
    for title, graph in (("eager", False), ("graph", True)):
        runs[title] = train(title, graph, training, held_out)
    print("\nepoch   eager    graph")
    for epoch, losses in enumerate(zip(runs["eager"][0], runs["graph"][0]), start=1):
        print(f"{epoch:5}  {losses[0]:.4f}   {losses[1]:.4f}")
    print()
    for title, (_, accuracy, seconds) in runs.items():
        print(f"{title}: {seconds:.2f} s, {100 * accuracy:.1f} % of the held-out digits right")


if __name__ == "__main__":
    main()
