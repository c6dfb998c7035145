"""Trains a classifier on pictures in files, read by `tf.data`: PNG files first, then a TFRecord file.

The pictures are the 1,797 scans of handwritten digits, 8 x 8 pixels each, that come with scikit-learn; 360 of them are
held out. They are written to a temporary folder, as one PNG file each and as records of one file. A pipeline goes from
each kind of file to shuffled batches, and one epoch of training is a `for` loop over it in a `tf.function`.

    $ python -m millrace run examples/digit_files.py
"""

import pathlib
import tempfile
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

SEED = 7
HIDDEN = 64
EPOCHS = 12
BATCH = 32
LEARNING_RATE = 0.5
HELD_OUT = 360
FEATURES = {"pixels": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}


# --- writing ---------------------------------------------------------------------------------------------------------


def write_files(folder):
    """Writes the pictures of each part, "train" and "test": PART/LABEL/NUMBER.png, and records of PART.tfrecord."""
    digits = load_digits()
    order = np.random.RandomState(SEED).permutation(len(digits.target))
    pictures = (digits.images[order] * 15).astype(np.uint8)[..., np.newaxis]
    labels = digits.target[order]
    split = len(order) - HELD_OUT
    for part, chosen in (("train", slice(split)), ("test", slice(split, None))):
        write_pngs(folder / part, pictures[chosen], labels[chosen])
        write_records(folder / f"{part}.tfrecord", pictures[chosen], labels[chosen])


def write_pngs(folder, pictures, labels):
    for label in range(10):
        (folder / str(label)).mkdir(parents=True)
    for number, (picture, label) in enumerate(zip(pictures, labels)):
        tf.io.write_file(str(folder / str(label) / f"{number:04}.png"), tf.io.encode_png(picture))


def write_records(path, pictures, labels):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for picture, label in zip(pictures, labels):
            pixels = tf.train.Feature(bytes_list=tf.train.BytesList(value=[picture.tobytes()]))
            number = tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)]))
            example = tf.train.Example(features=tf.train.Features(feature={"pixels": pixels, "label": number}))
            writer.write(example.SerializeToString())


# --- reading ---------------------------------------------------------------------------------------------------------


def read_png(path):
    picture = tf.io.decode_png(tf.io.read_file(path), channels=1)
    label = tf.strings.to_number(tf.strings.split(path, "/")[-2], tf.int64)
    return tf.reshape(picture, [64]), label


def scaled(pixels, labels):
    return tf.cast(pixels, tf.float32) / 255.0, labels


def png_batches(folder, part, shuffle):
    """Batches of pictures that are read file by file, once: after the first epoch they are in memory."""
    files = tf.data.Dataset.list_files(str(folder / part / "*" / "*.png"), shuffle=False)
    pictures = files.map(read_png, num_parallel_calls=tf.data.AUTOTUNE).cache()
    if shuffle:
        pictures = pictures.shuffle(2000, seed=SEED)
    return pictures.batch(BATCH).map(scaled).prefetch(tf.data.AUTOTUNE)


def parse(records):
    features = tf.io.parse_example(records, FEATURES)
    return scaled(tf.io.decode_raw(features["pixels"], tf.uint8), features["label"])


def record_batches(folder, part, shuffle):
    """Batches of records, each batch parsed at once."""
    records = tf.data.TFRecordDataset(str(folder / f"{part}.tfrecord"))
    if shuffle:
        records = records.shuffle(2000, seed=SEED)
    return records.batch(BATCH).map(parse).prefetch(tf.data.AUTOTUNE)


# --- training --------------------------------------------------------------------------------------------------------


class Classifier(tf.Module):
    """64 pixels -> 64 hidden units -> 10 scores."""

    def __init__(self, name=None):
        super().__init__(name=name)
        rng = np.random.RandomState(SEED)
        self.w = tf.Variable(rng.normal(0, 0.18, [64, HIDDEN]), dtype=tf.float32)
        self.b = tf.Variable(tf.zeros([HIDDEN]))
        self.v = tf.Variable(rng.normal(0, 0.18, [HIDDEN, 10]), dtype=tf.float32)
        self.c = tf.Variable(tf.zeros([10]))

    def __call__(self, pictures):
        return tf.nn.relu(pictures @ self.w + self.b) @ self.v + self.c

    @tf.function
    def train_epoch(self, batches):
        """One step of gradient descent for each batch; returns the mean loss."""
        total = 0.0
        count = 0.0
        for pictures, labels in batches:
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=self(pictures))
                loss = tf.reduce_mean(losses)
            variables = self.trainable_variables
            for variable, gradient in zip(variables, tape.gradient(loss, variables)):
                variable.assign_sub(LEARNING_RATE * gradient)
            total += loss
            count += 1.0
        return total / count

    @tf.function
    def accuracy(self, batches):
        right, count = 0, 0
        for pictures, labels in batches:
            hits = tf.cast(tf.argmax(self(pictures), axis=1) == labels, tf.int32)
            right += tf.reduce_sum(hits)
            count += tf.size(hits)
        return right / count


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder)
        for title, batches in (("PNG files", png_batches), ("TFRecord file", record_batches)):
            training, held_out = batches(folder, "train", True), batches(folder, "test", False)
            model = Classifier()
            start = time.perf_counter()
            losses = [float(model.train_epoch(training)) for _ in range(EPOCHS)]
            seconds = time.perf_counter() - start
            accuracy = float(model.accuracy(held_out))
            curve = " ".join(f"{loss:.3f}" for loss in losses[::3])
            print(f"{title:13}  losses {curve}  {100 * accuracy:.1f} % of the held-out digits right  {seconds:.2f} s")


if __name__ == "__main__":
    main()
