"""Programs as the guides of `tf.data` teach them, with the values that TensorFlow 2.21 gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

Dataset = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Sets the global seed, on which shuffles with seeds of their own depend too."""
    tf.random.set_seed(7)


def rows(dataset: Any) -> list[Any]:
    """Returns the elements as lists and numbers."""
    return [element.tolist() for element in dataset.as_numpy_iterator()]


# --- time series -------------------------------------------------------------------------------------------------


def windows(dataset: Any, size: int, shift: int, stride: int) -> Any:
    parts = dataset.window(size, shift=shift, stride=stride)
    return parts.flat_map(lambda part: part.batch(size, drop_remainder=True))


def test_windows_of_a_time_series_become_features_and_labels() -> None:
    numbers = Dataset.range(100_000)
    found = windows(numbers, 4, shift=5, stride=3).map(lambda batch: (batch[:-1], batch[1:]))
    assert [(x.tolist(), y.tolist()) for x, y in found.take(2).as_numpy_iterator()] == [
        ([0, 3, 6], [3, 6, 9]),
        ([5, 8, 11], [8, 11, 14]),
    ]


def test_features_are_zipped_with_the_start_of_the_next_batch() -> None:
    numbers = Dataset.range(35)
    labels = numbers.batch(10).skip(1).map(lambda batch: batch[:3])
    pairs = Dataset.zip((numbers.batch(10, drop_remainder=True), labels))
    assert [y.tolist() for _, y in pairs.as_numpy_iterator()] == [[10, 11, 12], [20, 21, 22], [30, 31, 32]]


def test_windows_of_named_columns_are_zipped_again() -> None:
    table = Dataset.from_tensor_slices(({"a": tf.range(7)}, tf.range(7) * 10)).window(3, drop_remainder=True)

    def batches(features: dict[str, Any], labels: Any) -> Any:
        return Dataset.zip(({name: part.batch(3) for name, part in features.items()}, labels.batch(3)))

    assert [(x["a"].tolist(), y.tolist()) for x, y in table.flat_map(batches).as_numpy_iterator()] == [
        ([0, 1, 2], [0, 10, 20]),
        ([3, 4, 5], [30, 40, 50]),
    ]


# --- rare classes ------------------------------------------------------------------------------------------------


def test_rare_classes_are_drawn_more_often() -> None:
    labels = (np.random.RandomState(0).rand(1000) < 0.1).astype(np.int64)
    payments = Dataset.from_tensor_slices((np.arange(1000, dtype=np.float32), labels))
    batches = payments.shuffle(200, seed=1, reshuffle_each_iteration=False).batch(32).repeat()

    def add(counts: dict[str, Any], batch: tuple[Any, Any]) -> dict[str, Any]:
        is_rare = tf.cast(batch[1] == 1, tf.int32)
        return {"usual": counts["usual"] + tf.reduce_sum(1 - is_rare), "rare": counts["rare"] + tf.reduce_sum(is_rare)}

    counts = batches.take(10).reduce({"usual": 0, "rare": 0}, add)
    assert (int(counts["usual"]), int(counts["rare"])) == (286, 34)

    single = batches.unbatch()
    classes = [single.filter(lambda _, label, wanted=wanted: label == wanted).repeat() for wanted in (0, 1)]
    drawn = Dataset.sample_from_datasets(classes, [0.5, 0.5], seed=4).map(lambda _, label: label)
    assert rows(drawn.batch(10).take(3)) == [
        [0, 0, 1, 0, 1, 0, 1, 1, 0, 1],
        [1, 0, 1, 1, 1, 1, 0, 0, 0, 1],
        [0, 1, 1, 1, 1, 0, 1, 1, 1, 1],
    ]

    resampled = single.rejection_resample(
        lambda _, label: label, target_dist=[0.5, 0.5], initial_dist=[286 / 320, 34 / 320], seed=3
    ).map(lambda label, _: label)
    found = rows(resampled.batch(10).take(3))
    assert found == [
        [1, 0, 0, 1, 0, 1, 1, 1, 0, 1],
        [0, 0, 0, 1, 0, 0, 0, 1, 1, 1],
        [1, 1, 1, 0, 0, 1, 1, 0, 1, 1],
    ]


# --- files -------------------------------------------------------------------------------------------------------


def test_a_folder_of_images_becomes_batches(tmp_path: Path) -> None:
    for number, name in enumerate(("daisy", "roses", "tulips")):
        (tmp_path / name).mkdir()
        for index in range(4):
            image = tf.fill([20 + index, 30, 3], tf.cast(60 * number + index, tf.uint8))
            tf.io.write_file(str(tmp_path / name / f"{index}.png"), tf.io.encode_png(image))
    names = np.array(sorted(folder.name for folder in tmp_path.iterdir()))

    def read(path: Any) -> tuple[Any, Any]:
        label = tf.argmax(tf.strings.split(path, "/")[-2] == names)
        return tf.image.resize(tf.io.decode_png(tf.io.read_file(path), channels=3), [16, 16]), label

    def turn(image: Any, label: Any) -> tuple[Any, Any]:
        [turned] = tf.py_function(lambda array: np.rot90(array.numpy()), [image], [tf.float32])
        return tf.ensure_shape(turned, [16, 16, 3]), label

    files = Dataset.list_files(str(tmp_path / "*" / "*"), shuffle=False)
    images = files.skip(2).map(read, num_parallel_calls=AUTOTUNE).map(turn).cache().shuffle(100, seed=1)
    batches = images.batch(4).prefetch(AUTOTUNE)
    assert batches.element_spec[0].shape.as_list() == [None, 16, 16, 3]
    assert len(batches) == 3
    found = [(image.numpy()[:, 0, 0, 0].tolist(), label.numpy().tolist()) for image, label in batches]
    assert found == [
        ([63.0, 61.0, 3.0, 121.0], [1, 1, 0, 2]),
        ([122.0, 123.0, 120.0, 2.0], [2, 2, 2, 0]),
        ([62.0, 60.0], [1, 1]),
    ]


def feature(value: Any) -> Any:
    """Returns a number or text as `tf.train.Feature`."""
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    if isinstance(value, float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def example(number: int, name: bytes, weight: float) -> bytes:
    """Returns an Example of a record, as bytes."""
    values = {"number": number, "name": name, "weight": weight}
    features = tf.train.Features(feature={key: feature(value) for key, value in values.items()})
    data: bytes = tf.train.Example(features=features).SerializeToString(deterministic=True)
    return data


def test_records_are_written_by_a_pipeline_and_read_from_shards_in_turn(tmp_path: Path) -> None:
    def as_example(number: Any, name: Any, weight: Any) -> Any:
        def written(number: Any, name: Any, weight: Any) -> bytes:
            return example(int(number), name.numpy(), float(weight))

        return tf.reshape(tf.py_function(written, (number, name, weight), tf.string), ())

    table = Dataset.from_tensor_slices((np.arange(8), np.array([b"cat", b"dog"] * 4), np.linspace(0, 1, 8)))
    options = tf.io.TFRecordOptions(compression_type="GZIP")
    for shard in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"{shard}.tfrecord"), options) as writer:
            for record in table.shard(2, shard).map(as_example).as_numpy_iterator():
                writer.write(record)

    description = {
        "number": tf.io.FixedLenFeature([], tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string, default_value=""),
        "weight": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
        "missing": tf.io.FixedLenFeature([2], tf.int64, default_value=[-1, -2]),
    }
    files = Dataset.list_files(str(tmp_path / "*.tfrecord"), shuffle=False)
    records = files.interleave(
        lambda file: tf.data.TFRecordDataset(file, compression_type="GZIP"),
        cycle_length=2,
        block_length=2,
        num_parallel_calls=AUTOTUNE,
        deterministic=True,
    )
    parsed = list(records.map(lambda text: tf.io.parse_single_example(text, description)).as_numpy_iterator())
    assert [int(element["number"]) for element in parsed] == [0, 2, 1, 3, 4, 6, 5, 7]
    assert [element["name"] for element in parsed] == [b"cat", b"cat", b"dog", b"dog"] * 2
    assert parsed[-1]["weight"] == 1.0
    assert parsed[0]["missing"].tolist() == [-1, -2]


def test_sequences_of_records_are_padded_and_put_into_buckets(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "sequences")) as writer:
        for length in (3, 0, 4, 1, 2):
            tokens = tf.train.FeatureList(feature=[feature(token + 1) for token in range(length)])
            sequence = tf.train.SequenceExample(
                context=tf.train.Features(feature={"length": feature(length)}),
                feature_lists=tf.train.FeatureLists(feature_list={"tokens": tokens}),
            )
            writer.write(sequence.SerializeToString())

    def parse(text: Any) -> tuple[Any, Any]:
        context, lists = tf.io.parse_single_sequence_example(
            text,
            {"length": tf.io.FixedLenFeature([], tf.int64)},
            {"tokens": tf.io.FixedLenSequenceFeature([], tf.int64)},
        )
        return lists["tokens"], context["length"]

    sequences = tf.data.TFRecordDataset(str(tmp_path / "sequences")).map(parse)
    padded = sequences.padded_batch(3, padding_values=(tf.constant(-1, tf.int64), None))
    assert rows(padded.map(lambda tokens, _: tokens)) == [
        [[1, 2, 3, -1], [-1, -1, -1, -1], [1, 2, 3, 4]],
        [[1, -1], [1, 2]],
    ]
    buckets = sequences.bucket_by_sequence_length(lambda _, length: tf.cast(length, tf.int32), [2, 4], [2, 2, 2])
    assert rows(buckets.map(lambda _, lengths: lengths)) == [[0, 1], [3, 2], [4]]


def test_a_table_in_text_becomes_batches_of_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "titanic.csv")
    lines = [f"{number % 2},{'male' if number % 3 else 'female'},{number / 2}" for number in range(9)]
    Path(path).write_text("\n".join(["survived,sex,age", *lines]) + "\n")

    table = tf.data.experimental.make_csv_dataset(path, 4, label_name="survived", num_epochs=1, shuffle=False)
    assert [(x["sex"][0].numpy(), y.numpy().tolist()) for x, y in table] == [
        (b"female", [0, 1, 0, 1]),
        (b"male", [0, 1, 0, 1]),
        (b"male", [0]),
    ]

    def parse(line: Any) -> tuple[dict[str, Any], Any]:
        columns = dict(zip(("survived", "sex", "age"), tf.io.decode_csv(line, [[0], [""], [0.0]]), strict=True))
        return columns, columns.pop("survived")

    text = tf.data.TextLineDataset(path).skip(1).filter(lambda line: tf.strings.substr(line, 0, 1) != "0")
    ages = text.map(parse, num_parallel_calls=2).shuffle(9, seed=8).repeat(2).batch(3).map(lambda x, _: x["age"])
    found = rows(ages)
    assert found == [[2.5, 1.5, 0.5], [3.5, 2.5, 0.5], [1.5, 3.5]]


# --- texts -------------------------------------------------------------------------------------------------------


def test_lines_of_several_texts_are_labelled_tokenized_and_padded(tmp_path: Path) -> None:
    texts = {"cowper": "Achilles sing, O Goddess!\nHis wrath", "derby": "Of Peleus' son", "butler": "Sing, O goddess"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    paths = [str(tmp_path / name) for name in texts]
    lines = Dataset.from_tensor_slices(paths).interleave(tf.data.TextLineDataset, cycle_length=3)
    assert list(lines.as_numpy_iterator())[-1] == b"His wrath"

    labelled = tf.data.TextLineDataset(paths[0]).map(lambda line: (line, 0))
    for label, path in enumerate(paths[1:], 1):
        labelled = labelled.concatenate(tf.data.TextLineDataset(path).map(lambda line, label=label: (line, label)))

    def tokens(line: Any, label: Any) -> tuple[Any, Any]:
        words = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(line), "[^a-z ]", ""))
        return tf.strings.to_hash_bucket_fast(words, 100), label

    batches = labelled.shuffle(10, seed=1, reshuffle_each_iteration=False).map(tokens).padded_batch(2)
    assert [(words.numpy().tolist(), label.numpy().tolist()) for words, label in batches] == [
        ([[17, 68, 43, 97], [83, 37, 0, 0]], [0, 0]),
        ([[68, 43, 97], [61, 17, 1]], [2, 1]),
    ]


# --- generators and speed ----------------------------------------------------------------------------------------


class ArtificialDataset(Dataset):
    """Makes a dataset: the guide's own form."""

    def __new__(cls, count: int = 3) -> Any:
        def numbers(count: int) -> Iterator[tuple[int]]:
            for number in range(count):
                yield (number,)

        return Dataset.from_generator(numbers, args=(count,), output_signature=tf.TensorSpec([1], tf.int64))


def test_every_step_of_the_performance_guide_gives_the_same_elements() -> None:
    calls: list[int] = []

    def slow(element: Any) -> Any:
        tf.py_function(lambda: calls.append(1), [], ())
        return element

    plain = [[0], [1], [2]]
    assert rows(ArtificialDataset()) == rows(ArtificialDataset().prefetch(AUTOTUNE)) == plain
    two = Dataset.range(2)
    for parallel in (None, AUTOTUNE):
        read = two.interleave(lambda _: ArtificialDataset(), num_parallel_calls=parallel)
        assert sorted(rows(read)) == [[0], [0], [1], [1], [2], [2]]  # AUTOTUNE takes as many in turn as there are cores
        assert rows(ArtificialDataset().map(slow, num_parallel_calls=parallel)) == plain
    calls.clear()
    cached = ArtificialDataset().map(slow).cache()
    assert [rows(cached) for _ in range(5)] == [plain] * 5
    assert len(calls) == 3
    increased = Dataset.range(1000).batch(256).map(lambda batch: batch + 1)
    assert int(increased.reduce(np.int64(0), lambda total, batch: total + tf.reduce_sum(batch))) == 500_500


# --- augmentation and training -----------------------------------------------------------------------------------


def test_images_are_augmented_by_seeds_that_a_counter_gives() -> None:
    images = tf.cast(tf.random.stateless_uniform([8, 40, 50, 3], [3, 1], 0, 255, tf.int32), tf.uint8)
    counter = tf.data.experimental.Counter()

    def augment(element: tuple[Any, Any], seed: Any) -> tuple[Any, Any]:
        image, label = element
        image = tf.image.resize(tf.cast(image, tf.float32), [32, 32]) / 255.0
        image = tf.image.resize_with_crop_or_pad(image, 38, 38)
        next_seed = tf.random.split(seed, num=1)[0, :]
        image = tf.image.stateless_random_crop(image, size=[32, 32, 3], seed=seed)
        image = tf.image.stateless_random_brightness(image, max_delta=0.5, seed=next_seed)
        return tf.clip_by_value(image, 0, 1), label

    pairs = Dataset.zip((Dataset.from_tensor_slices((images, tf.range(8))), (counter, counter)))
    batches = pairs.shuffle(1000, seed=2).map(augment, num_parallel_calls=AUTOTUNE).batch(4).prefetch(AUTOTUNE)
    found = list(batches.as_numpy_iterator())
    assert [label.tolist() for _, label in found] == [[2, 3, 4, 6], [5, 7, 1, 0]]
    brightness = [image.mean((1, 2, 3)) for image, _ in found]
    assert np.allclose(brightness, [[0.645, 0.335, 0.623, 0.563], [0.602, 0.098, 0.746, 0.416]], atol=5e-4)


def test_a_model_learns_from_shuffled_batches_in_a_graph() -> None:
    x = tf.linspace(-2.0, 2.0, 201)
    y = x**2 + 2 * x - 5 + tf.random.stateless_normal([201], seed=[1, 2])
    weights = [tf.Variable(0.5 * tf.random.stateless_normal(shape, [1, 1])) for shape in ([1, 16], [16, 1])]
    offset = tf.Variable(tf.zeros([16]))
    variables = [*weights, offset]

    def model(x: Any) -> Any:
        return tf.squeeze(tf.nn.relu(x[:, tf.newaxis] @ weights[0] + offset) @ weights[1], 1)

    @tf.function
    def train(batches: Any) -> tuple[Any, Any]:
        total, count = tf.constant(0.0), tf.constant(0)
        for features, labels in batches:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(features) - labels) ** 2)
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
                variable.assign_sub(0.02 * gradient)
            total += loss
            count += 1
        return total / tf.cast(count, tf.float32), count

    batches = Dataset.from_tensor_slices((x, y)).shuffle(201, seed=4).batch(32)
    losses = [train(batches) for _ in range(6)]
    assert [int(count) for _, count in losses] == [7] * 6
    assert np.allclose(
        [float(loss) for loss, _ in losses], [20.1642, 5.97457, 3.65971, 2.32348, 1.89142, 1.78566], rtol=1e-3
    )
