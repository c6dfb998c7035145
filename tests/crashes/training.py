"""Variables that belong together: what the tests of crashes save and restore."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf


class Training:
    """A step and some weights, which are a function of the step."""

    def __init__(self) -> None:
        self.step = tf.Variable(0, dtype=tf.int64)
        self.weights = [tf.Variable(np.zeros(3, np.float32)), tf.Variable(["no text"])]
        self.checkpoint = tf.train.Checkpoint(step=self.step, weights=self.weights)

    def go_to(self, step: int) -> None:
        """Gives the weights the values of a step."""
        self.step.assign(step)
        self.weights[0].assign(_numbers(step))
        self.weights[1].assign([f"step {step}"])

    def checked_step(self) -> int:
        """Returns the step, of which the weights must be."""
        step = int(self.step)
        np.testing.assert_array_equal(self.weights[0].numpy(), _numbers(step))
        assert self.weights[1].numpy().tolist() == [f"step {step}".encode()]
        return step


def _numbers(step: int) -> Any:
    return np.array([step, 1 / (step + 1), np.nan], np.float32)


def found_step(path: str | None) -> int | None:
    """Restores a checkpoint into new objects, and returns its step; None for no path."""
    if path is None:
        return None
    training = Training()
    training.checkpoint.restore(path).expect_partial()
    return training.checked_step()


def check_state_file(folder: str) -> None:
    """Checks that the state file names no checkpoint that is missing."""
    state = tf.train.get_checkpoint_state(folder)
    for path in [] if state is None else state.all_model_checkpoint_paths:
        assert tf.compat.v1.train.checkpoint_exists(path), f"the state file names {path}, which is missing"
