"""Serialized Examples read into tensors: 20,000 of 0.8 kB, in batches, and one by one before they are batched.

An Example has 180 floats, a label, four numbers and a short text. The rows with a dataset measure the whole pipeline.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("parse_batches", "20,000 Examples, batch(128).map(parse_example)", "ms", reach=190),
    Row("parse_singles", "20,000 Examples, map(parse_single_example).batch(128)", "ms", reach=740),
    Row("parse_batch_graph", "one batch of 128 Examples, in a function", "us"),
    Row("parse_single_eager", "one Example, eager", "us"),
)
COUNT, BATCH, FLOATS = 20_000, 128, 180


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _example(image: Any, numbers: Any, index: int) -> bytes:
    features = {
        "image": _block(2, _block(1, struct.pack(f"<{FLOATS}f", *image))),
        "label": _block(3, _block(1, _varint(index % 10))),
        "numbers": _block(3, _block(1, b"".join(_varint(int(n)) for n in numbers))),
        "name": _block(1, _block(1, f"n{index}".encode())),
    }
    entries = [_block(1, _block(1, key.encode()) + _block(2, value)) for key, value in features.items()]
    return _block(1, b"".join(entries))


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    rng = np.random.RandomState(0)
    images, numbers = rng.rand(COUNT, FLOATS), rng.randint(0, 1_000_000, (COUNT, 4))
    serialized = [_example(images[i], numbers[i], i) for i in range(COUNT)]
    features = {
        "image": tf.io.FixedLenFeature([FLOATS], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "numbers": tf.io.FixedLenFeature([4], tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    source = tf.data.Dataset.from_tensor_slices(serialized)
    batches = source.batch(BATCH).map(lambda batch: tf.io.parse_example(batch, features))
    singles = source.map(lambda one: tf.io.parse_single_example(one, features)).batch(BATCH)
    parse = tf.function(lambda batch: tf.io.parse_example(batch, features))
    batch, single = tf.constant(serialized[:BATCH]), tf.constant(serialized[0])

    def drained(dataset: Any) -> Callable[[], Any]:
        def run() -> Any:
            last = None
            for element in dataset:
                last = element
            return last

        return run

    return {
        "parse_batches": drained(batches),
        "parse_singles": drained(singles),
        "parse_batch_graph": lambda: parse(batch),
        "parse_single_eager": lambda: tf.io.parse_single_example(single, features),
    }
