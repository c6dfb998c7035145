"""Datasets over files: records in order, several files at a time, damaged and missing files, states."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, elements


def written(path: Path, records: list[bytes], compression: str = "") -> str:
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def texts(tmp_path: Path) -> list[str]:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\r\n\nthree")
    (tmp_path / "b.txt").write_bytes(b"four\n")
    return [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]


def listed(dataset: Any) -> list[bytes]:
    return list(dataset.as_numpy_iterator())


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_come_file_after_file(tmp_path: Path, compression: str) -> None:
    files = [written(tmp_path / name, [name.encode(), b"", b"x" * 99], compression) for name in "ab"]
    dataset = tf.data.TFRecordDataset(files, compression)
    assert listed(dataset) == [b"a", b"", b"x" * 99, b"b", b"", b"x" * 99]
    assert repr(dataset) == "<TFRecordDatasetV2 element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
    assert isinstance(dataset, tf.data.Dataset)


def test_lines_lose_their_ends(tmp_path: Path) -> None:
    assert listed(tf.data.TextLineDataset(texts(tmp_path))) == [b"one", b"two", b"", b"three", b"four"]


def test_files_take_turns_when_they_are_read_at_a_time(tmp_path: Path) -> None:
    dataset = tf.data.TextLineDataset(texts(tmp_path), num_parallel_reads=2)
    assert listed(dataset) == [b"one", b"four", b"two", b"", b"three"]
    assert sorted(listed(tf.data.TextLineDataset(texts(tmp_path), num_parallel_reads=tf.data.AUTOTUNE))) == sorted(
        [b"one", b"two", b"", b"three", b"four"]
    )


def test_names_may_come_from_a_dataset_or_in_any_shape(tmp_path: Path) -> None:
    files = texts(tmp_path)
    expected = listed(tf.data.TextLineDataset(files))
    assert listed(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(files))) == expected
    assert listed(tf.data.TextLineDataset([[files[0]], [files[1]]])) == expected


def test_compressed_lines(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    assert listed(tf.data.TextLineDataset(str(tmp_path / "a.gz"), compression_type="GZIP")) == [b"one", b"two"]


def test_records_of_a_fixed_length(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"HEADabcdefTAIL")
    path = str(tmp_path / "a.bin")
    assert listed(tf.data.FixedLengthRecordDataset(path, 3, 4, 4)) == [b"abc", b"def"]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="has body length 14 bytes, which is not an exact multiple"
    ):
        listed(tf.data.FixedLengthRecordDataset(path, 4))


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([1, 2], r"must contain `tf.string` elements. Got `tf.int32` elements"),
        (tf.data.Dataset.range(3), r"Got a dataset of `tf.int64` elements"),
        (tf.data.Dataset.from_tensors(["a"]), r"of shape \[\] \(i.e. scalars\). Got a dataset of element shape"),
    ],
)
def test_names_that_are_no_strings_are_refused(names: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        tf.data.TextLineDataset(names)


def test_a_missing_file_is_an_error_when_its_turn_comes(tmp_path: Path) -> None:
    iterator = iter(tf.data.TextLineDataset([*texts(tmp_path), str(tmp_path / "zz")]))
    assert [next(iterator).numpy() for _ in range(5)][-1] == b"four"
    with pytest.raises(tf.errors.NotFoundError, match="zz; No such file or directory"):
        next(iterator)


def test_a_damaged_record_comes_after_the_good_ones_and_the_next_file_after_it(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "a", [b"first", b"second", b"third"]))
    data = bytearray(path.read_bytes())
    data[-6] ^= 1  # in the data of the third record
    path.write_bytes(bytes(data))
    iterator = iter(tf.data.TFRecordDataset([str(path), written(tmp_path / "b", [b"fourth"])]))
    assert [next(iterator).numpy(), next(iterator).numpy()] == [b"first", b"second"]
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at"):
        next(iterator)
    assert next(iterator).numpy() == b"fourth"


def test_a_pass_over_files_goes_on_from_every_position(tmp_path: Path) -> None:
    files = [written(tmp_path / name, [f"{name}{i}".encode() for i in range(5)]) for name in "abc"]
    check_restores_everywhere(lambda: tf.data.TFRecordDataset(files))


def test_each_file_may_begin_at_an_offset(tmp_path: Path) -> None:
    path = written(tmp_path / "a", [b"one", b"two"])
    handle = tf.raw_ops.TFRecordDatasetV2(
        filenames=[path], compression_type="", buffer_size=0, byte_offsets=tf.constant([19], tf.int64)
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.string))) == [b"two"]


def test_the_files_that_match_patterns(tmp_path: Path) -> None:
    files = [f.encode() for f in texts(tmp_path)]
    pattern = str(tmp_path / "*.txt")
    assert listed(tf.data.Dataset.list_files(pattern, shuffle=False)) == files
    assert sorted(listed(tf.data.Dataset.list_files([pattern]))) == files
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"No files matched pattern: .*zzz"):
        tf.data.Dataset.list_files(str(tmp_path / "*.zzz"))


def test_files_are_read_in_a_function(tmp_path: Path) -> None:
    @tf.function
    def lines(names: tf.Tensor) -> tf.Tensor:
        return next(iter(tf.data.TextLineDataset(names).batch(5)))

    assert lines(tf.constant(texts(tmp_path))).numpy().tolist() == [b"one", b"two", b"", b"three", b"four"]


def test_files_may_be_given_as_paths(tmp_path: Path) -> None:
    first, second = map(Path, texts(tmp_path))
    assert listed(tf.data.TextLineDataset(second)) == [b"four"]
    assert len(listed(tf.data.TextLineDataset([first, str(second)]))) == 5
