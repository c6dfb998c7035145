"""`tf.train.load_checkpoint`, `load_variable`, `list_variables`, `NewCheckpointReader`."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.ops.array.answers import check_refusal


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    with BundleWriter(f"{tmp_path}/x") as writer:
        writer.add("m", np.arange(50, dtype=np.float32).reshape(10, 5))
        writer.add("s", np.array([b"a", b"b"], object))
        writer.add("i", np.arange(3, dtype=np.int32))
        writer.add_slice("v", (4, 2), TensorSlice.parse("0,1:-"), np.zeros((1, 2)))
        writer.add_slice("v", (4, 2), TensorSlice.parse("1,3:-"), np.ones((3, 2)))
    return f"{tmp_path}/x"


def test_a_reader_says_what_there_is(prefix: str) -> None:
    reader = tf.train.load_checkpoint(prefix)
    assert reader.get_variable_to_shape_map() == {"i": [3], "m": [10, 5], "s": [2], "v": [4, 2]}
    assert reader.get_variable_to_dtype_map() == {"i": tf.int32, "m": tf.float32, "s": tf.string, "v": tf.float64}
    assert [reader.has_tensor(name) for name in ("m", b"m", "q", "")] == [True, True, False, False]
    assert reader.debug_string() == (
        b"\0v\0\1\1\2\x80\x81\x80\x7f (DT_DOUBLE) [1,2]\n\0v\0\1\1\2\x81\x83\x80\x7f (DT_DOUBLE) [3,2]\n"
        b"i (DT_INT32) [3]\nm (DT_FLOAT) [10,5]\ns (DT_STRING) [2]\n"
    )


def test_a_reader_reads(prefix: str) -> None:
    reader = tf.train.load_checkpoint(prefix.encode())
    assert reader.get_tensor("s").tolist() == [b"a", b"b"]
    assert reader.get_tensor(b"i").tolist() == [0, 1, 2]
    assert reader.get_tensor("v").sum() == 6
    assert tf.train.load_variable(Path(prefix), "i:0").tolist() == [0, 1, 2]
    check_refusal(lambda: reader.get_tensor("q"), tf.errors.NotFoundError, "Key q not found in checkpoint")
    check_refusal(lambda: reader.get_tensor(3), TypeError, "Expected binary or unicode string, got 3")  # type: ignore[arg-type]  # refused
    check_refusal(lambda: tf.train.load_variable(prefix, "q"), tf.errors.NotFoundError, "Key q not found in checkpoint")


def test_scalars_are_scalars(tmp_path: Path) -> None:
    with BundleWriter(f"{tmp_path}/x") as writer:
        writer.add("n", np.array(8))
        writer.add("s", np.array(b"text", object))
    reader = tf.train.load_checkpoint(f"{tmp_path}/x")
    assert (type(reader.get_tensor("n")), reader.get_tensor("n")) == (np.int64, 8)
    assert (type(reader.get_tensor("s")), reader.get_tensor("s")) == (bytes, b"text")


def test_variables_are_listed_in_order(prefix: str) -> None:
    assert tf.train.list_variables(prefix) == [("i", [3]), ("m", [10, 5]), ("s", [2]), ("v", [4, 2])]
    assert tf.compat.v1.train.list_variables(prefix) == tf.train.list_variables(prefix)


def test_names_and_shapes_need_no_data_files(prefix: str) -> None:
    os.remove(f"{prefix}.data-00000-of-00001")
    reader = tf.compat.v1.train.NewCheckpointReader(prefix)
    assert reader.get_variable_to_shape_map()["m"] == [10, 5]
    check_refusal(
        lambda: reader.get_tensor("m"), tf.errors.NotFoundError, f"{prefix}.data-00000-of-00001; No such file"
    )


def test_a_folder_stands_for_its_newest_checkpoint(tmp_path: Path) -> None:
    words = f"Couldn't find 'checkpoint' file or checkpoints in given directory {tmp_path}"
    check_refusal(lambda: tf.train.load_checkpoint(str(tmp_path)), ValueError, words)
    step = tf.Variable(1)
    checkpoint = tf.train.Checkpoint(step=step)
    for value in (1, 2):
        step.assign(value)
        checkpoint.save(f"{tmp_path}/c")
    assert tf.train.load_variable(tmp_path, "step/.ATTRIBUTES/VARIABLE_VALUE") == 2


def test_checkpoints_of_a_single_file(tmp_path: Path) -> None:
    for shard, array in enumerate((np.arange(3), np.arange(4))):
        writer = SingleFileWriter(f"{tmp_path}/x-0000{shard}-of-00002")
        writer.add(f"k{shard}", array)
        writer.finish()
    pattern = f"{tmp_path}/x-?????-of-00002"
    assert tf.train.list_variables(pattern) == [("k0", [3]), ("k1", [4])]
    reader = tf.compat.v1.train.NewCheckpointReader(pattern)
    assert reader.get_tensor("k1").tolist() == [0, 1, 2, 3]
    assert reader.debug_string() == b"k0 (DT_INT64) [3]\nk1 (DT_INT64) [4]\n"


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    words = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {tmp_path}/no"
    for opened in (tf.train.load_checkpoint, tf.train.list_variables, tf.compat.v1.train.NewCheckpointReader):
        check_refusal(lambda opened=opened: opened(f"{tmp_path}/no"), tf.errors.NotFoundError, words)
        check_refusal(lambda opened=opened: opened(3), TypeError, "Expected binary or unicode string, got 3")
    words = f"Unable to open table file {tmp_path}: {tmp_path}; Is a directory"
    check_refusal(lambda: tf.compat.v1.train.NewCheckpointReader(str(tmp_path)), tf.errors.DataLossError, words)
