"""Training loops of one's own: deep Q-learning, word2vec, and a net that is trained by a differential equation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

STATE, ACTIONS, CAPACITY, DISCOUNT = 4, 2, 2000, 0.99


def _q_net() -> Any:
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((STATE,)), layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(ACTIONS)]
    )


class _Replay:
    """A ring of transitions in NumPy: states, actions, rewards, next states."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.count = rng, 0
        states, actions = np.zeros((CAPACITY, STATE), np.float32), np.zeros(CAPACITY, np.int32)
        self.columns = (states, actions, np.zeros(CAPACITY, np.float32), np.zeros((CAPACITY, STATE), np.float32))

    def add(self, *transition: Any) -> None:
        for column, value in zip(self.columns, transition):
            column[self.count % CAPACITY] = value
        self.count += 1

    def sample(self, batch: int) -> list[Any]:
        chosen = self.rng.integers(0, min(self.count, CAPACITY), batch)
        return [tf.constant(column[chosen]) for column in self.columns]


def _pole(state: Any, action: int) -> tuple[Any, float]:
    """Returns the next state of a pole on a cart that is pushed left or right, and the reward."""
    position, speed, angle, turn = state
    push = 10.0 if action else -10.0
    pull = (push + 0.05 * turn**2 * math.sin(angle)) / 1.1
    turning = (9.8 * math.sin(angle) - math.cos(angle) * pull) / (0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1))
    moved = (position + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * turning)
    if abs(moved[0]) > 2.4 or abs(moved[2]) > 0.2:
        return np.zeros(STATE, np.float32), 0.0
    return np.array(moved, np.float32), 1.0


def dqn(batch: int = 64) -> Callable[[], Any]:
    """A step is one action, and one training step."""
    net, target, optimizer = _q_net(), _q_net(), keras.optimizers.Adam(1e-3)
    target.set_weights(net.get_weights())
    rng = np.random.default_rng(0)
    replay, state = _Replay(rng), np.zeros(STATE, np.float32)

    @tf.function
    def train(states: Any, actions: Any, rewards: Any, next_states: Any) -> Any:
        wanted = rewards + DISCOUNT * tf.reduce_max(target(next_states), axis=1)
        with tf.GradientTape() as tape:
            values = tf.reduce_sum(net(states) * tf.one_hot(actions, ACTIONS), axis=1)
            loss = tf.reduce_mean(keras.losses.huber(wanted[:, None], values[:, None]))
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    def step() -> Any:
        nonlocal state
        action = int(tf.argmax(net(state[None]), axis=1)[0])
        if rng.random() < 0.1:
            action = int(rng.integers(ACTIONS))
        following, reward = _pole(state, action)
        replay.add(state, action, reward, following)
        state = following
        if replay.count % 100 == 0:
            target.set_weights(net.get_weights())
        return train(*replay.sample(batch))

    return step


def word2vec(words: int = 10_000, width: int = 128, batch: int = 256, sampled: int = 64) -> Callable[[], Any]:
    """A step trains on pairs of a word and a word near it, by a sampled softmax."""
    rng = np.random.default_rng(0)
    corpus = np.minimum(rng.zipf(1.3, 100_000), words) - 1
    embeddings = tf.Variable(rng.uniform(-1, 1, (words, width)).astype("float32"))
    weights = tf.Variable((rng.normal(size=(words, width)) / math.sqrt(width)).astype("float32"))
    biases, optimizer = tf.Variable(tf.zeros([words])), keras.optimizers.SGD(0.1)
    variables = [embeddings, weights, biases]

    @tf.function
    def train(inputs: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            embedded = tf.nn.embedding_lookup(embeddings, inputs)
            losses = tf.nn.sampled_softmax_loss(weights, biases, labels[:, None], embedded, sampled, words)
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    def step() -> Any:
        centers = rng.integers(2, len(corpus) - 2, batch)
        near = centers + rng.choice([-2, -1, 1, 2], batch)
        return train(tf.constant(corpus[centers]), tf.constant(corpus[near]))

    return step


def pinn(points: int = 2000, width: int = 32, depth: int = 4) -> Callable[[], Any]:
    """A step fits a net u(t, x) to Burgers' equation u_t + u u_x = u_xx / (100 pi), and to values at the border."""
    rng = np.random.default_rng(0)
    t, x = (tf.constant(rng.uniform(low, 1, (points, 1)).astype("float32")) for low in (0, -1))
    start = rng.uniform(-1, 1, (points // 10, 1)).astype("float32")
    border = tf.constant(np.concatenate([np.zeros_like(start), start], axis=1))
    values = tf.constant(-np.sin(np.pi * start))
    hidden = [keras.layers.Dense(width, "tanh") for _ in range(depth)]
    net, optimizer = keras.Sequential([keras.Input((2,)), *hidden, keras.layers.Dense(1)]), keras.optimizers.Adam(1e-3)

    def residual(t: Any, x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([t, x])
                u = net(tf.concat([t, x], axis=1))
            u_x = inner.gradient(u, x)
            u_t = inner.gradient(u, t)
        return u_t + u * u_x - outer.gradient(u_x, x) / (100 * math.pi)

    @tf.function
    def train(t: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(residual(t, x) ** 2) + tf.reduce_mean((net(border) - values) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    return lambda: train(t, x)
