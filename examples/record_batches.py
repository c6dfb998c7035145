"""Reads a Parquet file as record batches of Apache Arrow, and trains on it without touching a single row in Python.

A record batch has its columns as arrays, and so has a block of a pipeline: `from_generator` yields each batch as one
element, and `rebatch` cuts and joins the columns. The same function serves any engine that gives record batches (Ray
Data's `iter_batches(batch_format="pyarrow")`, a Flight stream, `pyarrow.dataset`). It needs `pip install pyarrow`.

    $ python -m millrace run examples/record_batches.py
"""

import pathlib
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf

ROWS = 1_000_000
BATCH = 1024
SLOPE = np.array([2.0, -1.0])


def write_table(path):
    """Writes rows of two features and a target, which is a weighted sum of the features and noise."""
    rng = np.random.RandomState(3)
    features = rng.normal(size=[ROWS, 2])
    target = features @ SLOPE + rng.normal(scale=0.1, size=ROWS)
    table = pa.table({"a": features[:, 0], "b": features[:, 1], "y": target})
    pq.write_table(table, path, row_group_size=50_000)


def record_batches(path, size=65_536):
    """Makes a dataset with a dictionary of columns for each record batch."""
    columns = pq.read_schema(path).names
    signature = {name: tf.TensorSpec([None], tf.float64) for name in columns}

    def batches():
        for batch in pq.ParquetFile(path).iter_batches(size):
            yield {name: batch.column(name).to_numpy() for name in columns}  # views of Arrow's memory, no copies

    return tf.data.Dataset.from_generator(batches, output_signature=signature)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.parquet"
        write_table(path)
        weights = tf.Variable(tf.zeros([2], tf.float64))

        @tf.function
        def train(a, b, y):
            x = tf.stack([a, b], axis=1)
            error = tf.linalg.matvec(x, weights) - y
            weights.assign_sub(0.1 * tf.linalg.matvec(x, error, transpose_a=True) / tf.cast(tf.size(y), tf.float64))

        start = time.perf_counter()
        steps = 0
        for batch in record_batches(path).rebatch(BATCH):
            train(batch["a"], batch["b"], batch["y"])
            steps += 1
        seconds = time.perf_counter() - start
        a, b = weights.numpy()
        print(f"{steps} steps, weights {a:.2f} {b:.2f}")
        print(f"{seconds:.2f} s, {1e6 * seconds / ROWS:.2f} us a row")


if __name__ == "__main__":
    main()
