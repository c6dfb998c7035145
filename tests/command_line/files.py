"""Writes small files of each kind that `inspect` reads, with real TensorFlow.

python -m tests.command_line.files          (from the project's root, with tensorflow-cpu==2.21.0 installed)
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).resolve().parents[1] / "formats" / "recorded" / "inspected.zip"


def write_checkpoints(tf: Any, folder: Path) -> None:
    """Two checkpoints of one object: between them a matrix, a counter and texts change."""
    layer = tf.Module()
    layer.kernel = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]))
    layer.bias = tf.Variable([1.0, float("nan"), float("inf")])
    layer.half = tf.Variable(tf.constant([1.5, 2.5], tf.bfloat16))
    layer.eighth = tf.Variable(tf.cast([1.0, 2.0], tf.dtypes.experimental.float8_e5m2))
    layer.count = tf.Variable(7, dtype=tf.int64)
    layer.texts = tf.Variable(["a", "bc"])
    layer.flags = tf.Variable([True, False, True])
    layer.complex = tf.Variable([1 + 2j])
    layer.empty = tf.Variable(tf.zeros([0, 3]))
    checkpoint = tf.train.Checkpoint(layer=layer, step=tf.Variable(1))
    checkpoint.save(str(folder / "model"))
    layer.kernel.assign_add([[0.0, 0.25, 0.0], [0.0, -2.0, 0.0]])
    layer.count.assign(9)
    layer.texts.assign(["a", "cd"])
    checkpoint.save(str(folder / "model"))


def write_events(tf: Any, folder: Path) -> None:
    def about(plugin: str) -> Any:
        metadata = tf.compat.v1.SummaryMetadata()
        metadata.plugin_data.plugin_name = plugin
        return metadata

    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        for step in range(3):
            tf.summary.write("loss", tf.constant(1 / (step + 1)), step=10 * step, metadata=about("scalars"))
        tf.summary.write("weights", tf.ones([3, 3]), step=1, metadata=about("histograms"))
        tf.summary.write("note", tf.constant(["hello"]), step=2, metadata=about("text"))
    writer.close()


def write_old_events(tf: Any, folder: Path) -> None:
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        writer = v1.summary.FileWriter(str(folder))
        writer.add_summary(v1.Summary(value=[v1.Summary.Value(tag="accuracy", simple_value=0.5)]), 3)
        writer.add_summary(session.run(v1.summary.histogram("spread", tf.constant([1.0, 2.0]))), 4)
        writer.add_summary(session.run(v1.summary.image("picture", tf.zeros([1, 2, 3, 3]))), 5)
        writer.close()


def write_records(tf: Any, folder: Path) -> None:
    train = tf.train

    def ints(values: Any) -> Any:
        return train.Feature(int64_list=train.Int64List(value=values))

    def floats(values: Any) -> Any:
        return train.Feature(float_list=train.FloatList(value=values))

    def example(index: int) -> bytes:
        features = {"id": ints([index]), "weights": floats([0.5] * index)}
        if index % 2:
            features["name"] = train.Feature(bytes_list=train.BytesList(value=[b"number %d" % index]))
        return train.Example(features=train.Features(feature=features)).SerializeToString()

    steps = {"steps": train.FeatureList(feature=[floats([0.5]), floats([1.0, 2.0])])}
    sequence = train.SequenceExample(
        context=train.Features(feature={"id": ints([1])}), feature_lists=train.FeatureLists(feature_list=steps)
    )
    files = {
        "plain": ("", [example(index) for index in range(5)]),
        "gzip": ("GZIP", [example(index) for index in range(5)]),
        "zlib": ("ZLIB", [example(index) for index in range(5)]),
        "sequence": ("", [sequence.SerializeToString()]),
        "bytes": ("", [b"raw bytes" * index for index in range(3)]),
        "empty": ("", []),
    }
    for name, (compression, records) in files.items():
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecord"), compression) as writer:
            for record in records:
                writer.write(record)


def main() -> None:
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(RECORDED, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind in (write_checkpoints, write_events, write_old_events, write_records):
            path = Path(folder) / kind.__name__.removeprefix("write_")
            path.mkdir()
            kind(tf, path)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                archive.writestr(path.relative_to(folder).as_posix(), path.read_bytes())


if __name__ == "__main__":
    main()
