"""Input pipelines: shuffling, mapping, filtering, generators, text, records; what a step of a loop over them costs."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("shuffle", "60,000 images 28x28, shuffle(10,000).batch(32), one epoch", "ms", reach=154),
    Row("map", "100,000 numbers, map(x * 2 + 1).batch(128)", "ms", reach=38),
    Row("cond", "20,000 numbers, a map with tf.cond and strings", "ms", reach=750),
    Row("filter", "100,000 numbers, filter(x % 3 == 0).batch(128)", "ms", reach=152),
    Row("iterate", "100,000 scalars, one after the other", "ms", reach=610),
    Row("generator", "20,000 dictionaries of a Python generator, batch(32)", "ms", reach=720),
    Row("words", "20,000 texts split into words, padded_batch(64)", "ms", reach=1360),
    Row("steps", "1,875 steps of a tf.function over batches", "ms", reach=250),
    Row("loop", "the same loop inside a tf.function", "ms"),
    Row("jpegs", "300 JPEGs 256x256: read, decode, resize 224, batch(32), parallel", "ms", reach=370),
    Row("overlap", "50 elements that wait for 4 ms, beside a consumer of 4 ms, without prefetch", "ms"),
    Row("write", "1,000,000 records of 100 bytes, written", "ms", reach=559),
    Row("read", "1,000,000 records of 100 bytes, read, batch(1000)", "ms", reach=779),
)
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog")


def _images() -> tuple[Any, Any]:
    import numpy as np

    rng = np.random.RandomState(0)
    return rng.rand(60_000, 28, 28).astype(np.float32), np.arange(60_000)


def _elements() -> Iterator[dict[str, Any]]:
    import numpy as np

    image = np.zeros((28, 28), np.float32)
    for number in range(20_000):
        yield {"image": image, "label": number}


def _texts() -> list[str]:
    import numpy as np

    rng = np.random.RandomState(0)
    return [" ".join(WORDS[i] for i in rng.randint(0, 8, rng.randint(3, 30))) for _ in range(20_000)]


def _jpegs(tf: Any) -> list[str]:
    """Writes 300 photographs of a kind and returns their names."""
    import numpy as np

    rng = np.random.RandomState(0)
    folder = tempfile.mkdtemp()
    names = [os.path.join(folder, f"{number:03}.jpg") for number in range(300)]
    for name in names:
        coarse = np.kron(rng.randint(0, 256, (16, 16, 3)), np.ones((16, 16, 1)))
        picture = np.clip(coarse + rng.normal(0, 8, coarse.shape), 0, 255).astype(np.uint8)
        tf.io.write_file(name, tf.io.encode_jpeg(picture))
    return names


def _drained(dataset: Any) -> Callable[[], Any]:
    def run() -> Any:
        last = None
        for last in dataset:  # noqa: B007  the loop itself is measured
            pass
        return last

    return run


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    data, autotune = tf.data.Dataset, tf.data.AUTOTUNE
    images, labels = _images()
    signature = {"image": tf.TensorSpec([28, 28], tf.float32), "label": tf.TensorSpec([], tf.int64)}
    batches = data.from_tensor_slices((images[:, 0, :8], labels)).batch(32)
    path = os.path.join(tempfile.mkdtemp(), "records")
    records = [os.urandom(100) for _ in range(1000)]

    def odd_or_even(x: Any) -> Any:
        text = tf.strings.as_string(x)
        return tf.cond(x % 2 == 0, lambda: tf.strings.join([text, "even"]), lambda: text)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        return tf.reduce_sum(x)

    def steps() -> Any:
        total = None
        for x, y in batches:
            total = step(x, y)
        return total

    @tf.function
    def loop() -> Any:
        total = 0.0
        for x, _ in batches:
            total += tf.reduce_sum(x)
        return total

    def load(name: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(name), channels=3), [224, 224])

    def wait(number: Any) -> Any:
        time.sleep(0.004)
        return number

    waiting = data.range(50).map(lambda x: tf.numpy_function(wait, [x], tf.int64))

    def overlap() -> None:
        for _ in waiting:
            time.sleep(0.004)

    def write() -> None:
        with tf.io.TFRecordWriter(path) as writer:
            for number in range(1_000_000):
                writer.write(records[number % 1000])

    write()
    return {
        "shuffle": _drained(data.from_tensor_slices((images, labels)).shuffle(10_000).batch(32)),
        "map": _drained(data.range(100_000).map(lambda x: x * 2 + 1).batch(128)),
        "cond": _drained(data.range(20_000).map(odd_or_even)),
        "filter": _drained(data.range(100_000).filter(lambda x: x % 3 == 0).batch(128)),
        "iterate": _drained(data.range(100_000)),
        "generator": _drained(data.from_generator(_elements, output_signature=signature).batch(32)),
        "words": _drained(data.from_tensor_slices(_texts()).map(tf.strings.split).padded_batch(64)),
        "steps": steps,
        "loop": loop,
        "jpegs": _drained(data.from_tensor_slices(_jpegs(tf)).map(load, autotune).batch(32).prefetch(autotune)),
        "overlap": overlap,
        "write": write,
        "read": _drained(tf.data.TFRecordDataset(path).batch(1000)),
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    from torch.utils.data import DataLoader, IterableDataset, TensorDataset

    images, labels = map(torch.from_numpy, _images())

    class Elements(IterableDataset):  # type: ignore[misc]  # torch has no types here
        def __iter__(self) -> Iterator[dict[str, Any]]:
            return _elements()

    return {
        "shuffle": _drained(DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)),
        "iterate": _drained(DataLoader(range(100_000), batch_size=None)),
        "generator": _drained(DataLoader(Elements(), batch_size=32)),
    }
