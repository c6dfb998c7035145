"""Checkpoints of objects: many small variables, and the few of a small model saved again and again."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("objects_write", "Checkpoint.write, 10,000 small variables", "ms", reach=0.0, beyond="tensorflow"),
    Row("objects_read", "Checkpoint.read, 10,000 small variables", "ms", reach=0.0, beyond="tensorflow"),
    Row("objects_consumed", "assert_consumed, 10,000 variables", "ms", reach=0.0, beyond="tensorflow"),
    Row("objects_write_three", "Checkpoint.write, 3 variables", "ms", reach=0.0, beyond="tensorflow"),
    Row("objects_restore_three", "Checkpoint.restore, 3 variables", "ms", reach=0.0, beyond="tensorflow"),
)
COUNT = 10_000


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    folder = tempfile.mkdtemp()
    model = tf.Module()
    model.variables_ = [tf.Variable([float(number)]) for number in range(COUNT)]
    many = tf.train.Checkpoint(model=model)
    path = many.write(f"{folder}/many")
    status = many.read(path)
    few = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0]), c=tf.Variable(3))
    saved = few.save(f"{folder}/few")
    numbers = itertools.count()
    return {
        "objects_write": lambda: many.write(f"{folder}/many{next(numbers)}"),
        "objects_read": lambda: many.read(path),
        "objects_consumed": status.assert_consumed,
        "objects_write_three": lambda: few.write(f"{folder}/few{next(numbers)}"),
        "objects_restore_three": lambda: few.restore(saved),
    }
