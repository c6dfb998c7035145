"""`tf.data.experimental.TFRecordWriter`: a dataset of strings becomes a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset
Writer = tf.data.experimental.TFRecordWriter


@pytest.mark.parametrize("compression", [None, "", "GZIP", "ZLIB"])
def test_each_element_is_a_record(tmp_path: Path, compression: str | None) -> None:
    path = str(tmp_path / "a")
    Writer(path, compression).write(Dataset.range(3000).map(tf.strings.as_string))
    records = elements(tf.data.TFRecordDataset(path, compression_type=compression))
    assert records == [b"%d" % n for n in range(3000)]


def test_a_graph_writes_when_it_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "a")

    @tf.function
    def write(word: Any) -> None:
        Writer(path).write(Dataset.from_tensors(word))

    write(tf.constant("one"))
    write(tf.constant("two"))
    assert elements(tf.data.TFRecordDataset(path)) == [b"two"]


def test_the_older_op_writes_the_same(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    handle = Dataset.from_tensors("one")._variant_tensor
    tf.raw_ops.ExperimentalDatasetToTFRecord(input_dataset=handle, filename=path, compression_type="")
    assert elements(tf.data.TFRecordDataset(path)) == [b"one"]


def test_an_error_of_the_dataset_is_raised(tmp_path: Path) -> None:
    words = Dataset.from_tensor_slices(["1", "x"]).map(lambda word: tf.strings.as_string(tf.strings.to_number(word)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="StringToNumberOp"):
        Writer(str(tmp_path / "a")).write(words)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        Writer(str(tmp_path / "none" / "a")).write(Dataset.from_tensors("a"))


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (3, "Expected a `tf.data.Dataset` object but got <class 'int'>"),
        (Dataset.range(3), r"elements with shapes \(\) and types <dtype: 'int64'>"),
        (Dataset.from_tensors(["a"]), r"elements with shapes \(1,\) and types <dtype: 'string'>"),
        (Dataset.from_tensors(("a", "b")), "produces scalar `tf.string` elements"),
    ],
)
def test_what_is_no_dataset_of_strings_is_refused(tmp_path: Path, dataset: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Writer(str(tmp_path / "a")).write(dataset)
