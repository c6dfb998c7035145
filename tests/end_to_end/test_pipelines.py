"""Input pipelines as users write them, from files, texts, generators and arrays to numbers that are known.

Each program takes the module, so that the same text runs under TensorFlow; the results here are those of TensorFlow
2.21.0, which follow from the data where no random numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace

# --- programs ----------------------------------------------------------------------------------------------------


def labelled_image_folder(tf: Any, folder: Path) -> Any:
    """Reads pictures whose class is the name of their folder, resizes them, and makes batches."""
    for label, shade in (("cats", 50), ("dogs", 200)):
        for number in range(3):
            picture = np.full((6 + number, 8, 3), shade + number, np.uint8)
            tf.io.gfile.makedirs(str(folder / label))
            tf.io.write_file(str(folder / label / f"{number}.png"), tf.io.encode_png(picture))
    classes = tf.constant(sorted(tf.io.gfile.listdir(str(folder))))

    def load(path: Any) -> Any:
        label = tf.argmax(tf.strings.split(path, "/")[-2] == classes)
        picture = tf.io.decode_png(tf.io.read_file(path), channels=3)
        return tf.image.resize(picture, [4, 4]) / 255.0, label

    files = tf.data.Dataset.list_files(str(folder / "*" / "*.png"), shuffle=False)
    dataset = files.map(load, num_parallel_calls=tf.data.AUTOTUNE).cache().batch(4).prefetch(tf.data.AUTOTUNE)
    seen = []
    for _ in range(2):
        for pictures, labels in dataset:
            assert pictures.shape[1:] == (4, 4, 3)
            seen.append((labels.numpy().tolist(), np.rint(pictures.numpy()[:, 0, 0, 0] * 255).astype(int).tolist()))
    return seen


def records_in_shards(tf: Any, folder: Path) -> Any:
    """Writes examples to several files, reads the files in turns, and parses whole batches."""
    for shard in range(3):
        with tf.io.TFRecordWriter(str(folder / f"{shard}.tfrecord")) as writer:
            for number in range(shard * 4, shard * 4 + 4):
                feature = {
                    "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                    "halves": tf.train.Feature(float_list=tf.train.FloatList(value=[number / 2] * 2)),
                    "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % number])),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())
    features = {
        "number": tf.io.FixedLenFeature([], tf.int64),
        "halves": tf.io.FixedLenFeature([2], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    files = tf.data.Dataset.from_tensor_slices([str(folder / f"{shard}.tfrecord") for shard in range(3)])
    dataset = files.interleave(tf.data.TFRecordDataset, cycle_length=3, num_parallel_calls=3)
    dataset = dataset.batch(5).map(lambda serialized: tf.io.parse_example(serialized, features))
    return [
        (batch["number"].numpy().tolist(), float(tf.reduce_sum(batch["halves"])), batch["name"][0].numpy())
        for batch in dataset
    ]


def padded_sentences(tf: Any, folder: Path) -> Any:
    """Turns lines of text into rows of word numbers of equal length."""
    (folder / "text").write_text("The cat sat.\n\nThe cat saw the other cat!\nA dog\n")
    words = tf.constant(["the", "cat", "sat", "saw"])

    def numbers(line: Any) -> Any:
        tokens = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(line), "[^a-z ]", ""))
        found = tf.cast(tokens[:, None] == words[None], tf.int32)
        return tf.reduce_sum(found * tf.range(1, 5), axis=1)

    lines = tf.data.TextLineDataset(str(folder / "text")).filter(lambda line: tf.strings.length(line) > 0)
    batches = lines.map(numbers).padded_batch(2, padding_values=-1)
    return [batch.numpy().tolist() for batch in batches]


def buckets_of_generated_rows(tf: Any, folder: Path) -> Any:
    """Puts rows of a generator into batches of similar length."""

    def generate() -> Iterator[Any]:
        for length in (1, 7, 2, 8, 3, 9, 1):
            yield {"row": np.arange(length), "length": length}

    signature = {"row": tf.TensorSpec([None], tf.int64), "length": tf.TensorSpec([], tf.int32)}
    dataset = tf.data.Dataset.from_generator(generate, output_signature=signature)
    dataset = dataset.bucket_by_sequence_length(lambda element: element["length"], [5], [2, 3])
    return [(batch["length"].numpy().tolist(), list(batch["row"].shape)) for batch in dataset]


def windows_of_a_series(tf: Any, folder: Path) -> Any:
    """Makes inputs and targets of a time series."""
    series = tf.data.Dataset.range(10).map(lambda x: tf.cast(x, tf.float32) ** 2)
    windows = series.window(4, shift=2, drop_remainder=True).flat_map(lambda window: window.batch(4))
    pairs = windows.map(lambda window: (window[:-1], window[-1])).batch(2)
    return [(x.numpy().tolist(), y.numpy().tolist()) for x, y in pairs]


def table_with_header(tf: Any, folder: Path) -> Any:
    """Reads comma-separated values, leaves out bad rows, and sums up a column by group."""
    (folder / "table.csv").write_text("city,year,sales\noslo,2020,1.5\nrome,2021,oops\nrome,2020,2.5\noslo,2021,4\n")
    lines = tf.data.TextLineDataset(str(folder / "table.csv")).skip(1)
    rows = lines.map(lambda line: tf.io.decode_csv(line, ["", 0, 0.0])).ignore_errors()
    cities = tf.constant(["oslo", "rome"])

    def add(sums: Any, city: Any, year: Any, sales: Any) -> Any:
        return sums + tf.where(cities == city, sales, 0.0)

    sums = rows.reduce(tf.zeros(2), lambda sums, row: add(sums, *row))
    recent = rows.filter(lambda city, year, sales: year > 2020).map(lambda city, year, sales: city)
    return sums.numpy().tolist(), list(recent.as_numpy_iterator())


def training_and_validation(tf: Any, folder: Path) -> Any:
    """Splits a shuffled dataset for good, fits a line to one part, and measures the other."""
    tf.random.set_seed(5)
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, 3 * x - 1)).shuffle(40, seed=2, reshuffle_each_iteration=False)
    validation, training = data.take(10), data.skip(10).shuffle(30).batch(10)
    slope, offset = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((slope * x + offset - y) ** 2)
        for variable, gradient in zip((slope, offset), tape.gradient(loss, [slope, offset]), strict=True):
            variable.assign_sub(0.3 * gradient)
        return loss

    for _ in range(40):
        for batch in training:
            step(*batch)
    seen = {float(a) for a, _ in validation} | {float(a) for batch, _ in training for a in batch}
    error = validation.reduce(0.0, lambda worst, pair: tf.maximum(worst, abs(slope * pair[0] + offset - pair[1])))
    return round(float(slope), 3), round(float(offset), 3), float(error) < 1e-3, len(seen)


def module_with_data(tf: Any, folder: Path) -> Any:
    """Goes through a dataset that is part of a module, in a function that AutoGraph converts."""

    class Counter(tf.Module):  # type: ignore[misc]  # the module is an argument
        def __init__(self) -> None:
            super().__init__()
            self.data = tf.data.Dataset.range(12).shuffle(12).batch(5)
            self.total = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def epoch(self) -> Any:
            largest = tf.constant(0, tf.int64)
            for batch in self.data:
                if tf.size(batch) < 5:
                    continue
                self.total.assign_add(tf.cast(tf.size(batch), tf.int64))
                largest = tf.maximum(largest, tf.reduce_max(batch))
            return largest

    counter = Counter()
    largest = [int(counter.epoch()) for _ in range(3)]
    return all(9 <= number <= 11 for number in largest), int(counter.total)


def classes_in_balance(tf: Any, folder: Path) -> Any:
    """Makes a rare class as frequent as a common one."""
    labels = tf.constant([0] * 9 + [1])
    data = tf.data.Dataset.from_tensor_slices((tf.range(10), labels))
    common = data.filter(lambda _, label: label == 0)
    rare = data.filter(lambda _, label: label == 1).repeat()
    choices = tf.data.Dataset.range(2).repeat(9)
    balanced = tf.data.Dataset.choose_from_datasets([common, rare], choices)
    return [int(number) for number, _ in balanced], float(balanced.reduce(0.0, lambda s, e: s + float_of(tf, e[1])))


def float_of(tf: Any, number: Any) -> Any:
    return tf.cast(number, tf.float32)


def folds_and_workers(tf: Any, folder: Path) -> Any:
    """Leaves every fifth element out for validation, and splits the others among workers."""
    data = tf.data.Dataset.range(20)
    fold = data.enumerate().filter(lambda index, _: index % 5 == 2).map(lambda _, x: x)
    others = data.enumerate().filter(lambda index, _: index % 5 != 2).map(lambda _, x: x)
    workers = [list(others.shard(3, worker).as_numpy_iterator()) for worker in range(3)]
    return list(fold.as_numpy_iterator()), [[int(x) for x in worker] for worker in workers]


def interrupted_training(tf: Any, folder: Path) -> Any:
    """Goes on in the middle of an epoch with the elements that were not seen."""
    tf.random.set_seed(1)

    def make() -> Any:
        return iter(tf.data.Dataset.range(20).shuffle(20, seed=3).batch(4))

    iterator = make()
    first = [next(iterator).numpy().tolist() for _ in range(2)]
    state = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    rest = [batch.numpy().tolist() for batch in iterator]
    again = make()
    tf.raw_ops.DeserializeIterator(resource_handle=again._iterator_resource, serialized=state)
    assert [batch.numpy().tolist() for batch in again] == rest
    return sorted(number for batch in first + rest for number in batch)


# --- results -----------------------------------------------------------------------------------------------------

RESULTS = {
    labelled_image_folder: [([0, 0, 0, 1], [50, 51, 52, 200]), ([1, 1], [201, 202])] * 2,
    records_in_shards: [
        ([0, 4, 8, 1, 5], 18.0, b"n0"),
        ([9, 2, 6, 10, 3], 30.0, b"n9"),
        ([7, 11], 18.0, b"n7"),
    ],
    padded_sentences: [[[1, 2, 3, -1, -1, -1], [1, 2, 4, 1, 0, 2]], [[0, 0]]],
    buckets_of_generated_rows: [([1, 2], [2, 2]), ([7, 8, 9], [3, 9]), ([3, 1], [2, 3])],
    windows_of_a_series: [
        ([[0, 1, 4], [4, 9, 16]], [9, 25]),
        ([[16, 25, 36], [36, 49, 64]], [49, 81]),
    ],
    table_with_header: ([5.5, 2.5], [b"oslo"]),
    training_and_validation: (3.0, -1.0, True, 40),
    module_with_data: (True, 30),
    classes_in_balance: ([0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7, 9, 8, 9], 9.0),
    folds_and_workers: (
        [2, 7, 12, 17],
        [[0, 4, 8, 11, 15, 19], [1, 5, 9, 13, 16], [3, 6, 10, 14, 18]],
    ),
    interrupted_training: list(range(20)),
}


@pytest.mark.parametrize("program", RESULTS, ids=lambda program: program.__name__)
def test_a_program_gives_what_tensorflow_gives(program: Any, tmp_path: Path) -> None:
    assert program(millrace, tmp_path) == RESULTS[program]
