"""What programs share that must run in a process of their own: settings that only a fresh process takes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from tests.oracle.support import normalise

_HEAD = """
import sys
import {module} as tf

config = tf.config
experimental = config.experimental
WORDS = {words}


def say(call):
    "Prints what a call returns, or the beginning of its error."
    try:
        print(repr(call()))
    except Exception as error:
        print(type(error).__name__, " ".join(str(error).split()[:WORDS]))


def on(name, make=lambda: tf.constant(1.0) + 1.0):
    "Returns the device of what is made in the scope of a device."
    with tf.device(name):
        return make().device
"""


def alone(tf: Any, program: str, words: int = 12) -> list[str]:
    """Returns the lines that a program prints in a process of its own."""
    head = _HEAD.format(module=tf.__spec__.name, words=words)  # `__name__` is the alias once Keras was imported
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-c", head + program], capture_output=True, text=True, env=environment, timeout=120
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return normalise(done.stdout).splitlines()
