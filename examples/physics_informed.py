"""Solves a differential equation with a small network, without any data.

The equation is u'' = -pi^2 sin(pi x) on [0, 1] with u(0) = u(1) = 0; its solution is sin(pi x). The network's output is
multiplied by x (1 - x), so the boundary values hold by themselves, and what is left to learn is the equation: its
residual at 40 points. The residual contains the second derivative of the network by x, and the training needs that
one's derivative by the weights: the Jacobian of all residuals, for the steps of Levenberg and Marquardt (1963).

    $ python -m millrace run examples/physics_informed.py
"""

import math

import numpy as np
import tensorflow as tf

HIDDEN = 12
POINTS = 40
STEPS = 25


def initial_weights():
    random = np.random.RandomState(3)
    shapes = [(1, HIDDEN), (HIDDEN,), (HIDDEN, 1)]
    return tf.concat([tf.reshape(tf.constant(random.normal(scale=1.5, size=shape)), [-1]) for shape in shapes], 0)


def solution(weights, x):
    """The network at points `x` of shape [n, 1]."""
    a, b, c = tf.split(weights, [HIDDEN, HIDDEN, HIDDEN])
    return x * (1.0 - x) * tf.tanh(x @ a[None, :] + b) @ c[:, None]


def residuals(weights, x):
    """How far u'' is from what the equation says, at each point."""
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            u = solution(weights, x)
        du = first.gradient(u, x)
    d2u = second.gradient(du, x)
    return tf.squeeze(d2u + math.pi**2 * tf.sin(math.pi * x), 1)


@tf.function
def step(weights, damping, x):
    """One step: the weights it leads to, and the mean squares of the residuals before and after it."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        r = residuals(weights, x)
    j = tape.jacobian(r, weights)
    normal = tf.matmul(j, j, transpose_a=True) + damping * tf.eye(3 * HIDDEN, dtype=tf.float64)
    change = tf.linalg.cholesky_solve(tf.linalg.cholesky(normal), tf.matmul(j, r[:, None], transpose_a=True))
    moved = weights - change[:, 0]
    return moved, tf.reduce_mean(r**2), tf.reduce_mean(residuals(moved, x) ** 2)


def train():
    """The weights and the mean square of the residuals after each step."""
    x = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), 1.0, POINTS), [-1, 1])
    weights, damping, losses = initial_weights(), tf.constant(1.0, tf.float64), []
    for _ in range(STEPS):
        moved, before, after = step(weights, damping, x)
        if after < before:
            weights, damping = moved, damping / 4.0
        else:
            damping = damping * 8.0
        losses.append(float(tf.minimum(before, after)))
    return weights, losses


def main():
    weights, losses = train()
    for number in range(0, STEPS, 4):
        print(f"step {number + 1:2}: mean square of the residuals {losses[number]:.2e}")
    x = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), 1.0, 201), [-1, 1])
    error = tf.reduce_max(tf.abs(solution(weights, x) - tf.sin(math.pi * x)))
    print(f"largest error against sin(pi x): {float(error):.1e}")


if __name__ == "__main__":
    main()
