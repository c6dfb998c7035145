"""`make_csv_dataset` and `make_batched_features_dataset`: TensorFlow's batches, in its order for given seeds."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

make_csv_dataset = tf.data.experimental.make_csv_dataset
make_batched_features_dataset = tf.data.experimental.make_batched_features_dataset
FEATURES = {"n": tf.io.FixedLenFeature([], tf.int64), "s": tf.io.FixedLenFeature([], tf.string)}


def _table(folder: Path, text: str, **arguments: Any) -> Any:
    (folder / "a.csv").write_text(text)
    common = {"batch_size": 2, "num_epochs": 1, "shuffle": False}
    return make_csv_dataset(str(folder / "a.csv"), **{**common, **arguments})


@pytest.fixture
def two_tables(tmp_path: Path) -> str:
    (tmp_path / "u1.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "u2.csv").write_text("a,b\n5,6\n7,8\n")
    return str(tmp_path / "u*.csv")


@pytest.fixture
def two_record_files(tmp_path: Path) -> str:
    def example(number: int) -> bytes:
        feature = {
            "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
            "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * number])),
        }
        text: bytes = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
        return text

    for index, numbers in enumerate(([0, 1], [2, 3, 4])):
        with tf.io.TFRecordWriter(str(tmp_path / f"{index}.rec")) as writer:
            for number in numbers:
                writer.write(example(number))
    return str(tmp_path / "*.rec")


def test_a_batch_is_a_dictionary_of_columns(tmp_path: Path) -> None:
    dataset = _table(tmp_path, "a,b,c\n1,2.5,x\n2,3,y\n3,4,z\n")
    assert elements(dataset) == [{"a": [1, 2], "b": [2.5, 3.0], "c": [b"x", b"y"]}, {"a": [3], "b": [4.0], "c": [b"z"]}]
    assert list(dataset.element_spec) == ["a", "b", "c"]


def test_a_label_stands_beside_the_other_columns(tmp_path: Path) -> None:
    assert elements(_table(tmp_path, "a,b\n1,2\n", label_name="b")) == [({"a": [1]}, [2])]
    assert elements(_table(tmp_path, "a,b,c\n1,2,3\n", label_name="a", select_columns=["c", "a"])) == [
        ({"c": [3]}, [1])
    ]


def test_names_and_defaults_may_be_given(tmp_path: Path) -> None:
    named = _table(tmp_path, "1,\n,2\n", header=False, column_names=["x", "y"], column_defaults=[[9], [8.0]])
    assert elements(named) == [{"x": [1, 9], "y": [8.0, 2.0]}]
    required = _table(tmp_path, "a,b\n1,2\n", column_defaults=[tf.int64, tf.string])
    assert elements(required) == [{"a": [1], "b": [b"2"]}]


def test_batches_of_endless_rows_are_full(tmp_path: Path) -> None:
    dataset = _table(tmp_path, "a\n1\n2\n3\n", num_epochs=None)
    assert dataset.element_spec["a"].shape == [2]
    assert elements(dataset.take(3)) == [{"a": [1, 2]}, {"a": [3, 1]}, {"a": [2, 3]}]


def test_rows_with_mistakes_may_be_left_out(tmp_path: Path) -> None:
    text = "a,b\n1,2\nx,4\n5,6\n"
    assert elements(_table(tmp_path, text, num_rows_for_inference=1, ignore_errors=True)) == [
        {"a": [1, 5], "b": [2, 6]}
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 0 in record is not a valid int32: x"):
        elements(_table(tmp_path, text, num_rows_for_inference=1))


def test_a_compressed_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    dataset = make_csv_dataset(str(tmp_path / "a.csv.gz"), 2, num_epochs=1, compression_type="GZIP")
    assert elements(dataset) == [{"a": [1], "b": [2]}]


@pytest.mark.parametrize(
    ("turns", "expected"), [(None, [[1, 7, 5], [3, 5, 7], [1, 3]]), (2, [[1, 7, 3], [5, 3, 7], [1, 5]])]
)
def test_rows_come_in_the_order_of_tensorflow(two_tables: str, turns: int | None, expected: list[list[int]]) -> None:
    tf.random.set_seed(5)
    dataset = make_csv_dataset(two_tables, 3, num_epochs=2, shuffle_seed=3, num_parallel_reads=turns)
    assert [batch["a"] for batch in elements(dataset)] == expected


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("a,a\n1,2\n", {}, "contains duplicate column names: {'a'}"),
        ("1,2\n", {"header": False}, "Expected `column_names` or `header` arguments."),
        (
            "a,b\n1,2\n",
            {"label_name": "c"},
            "`label_name` provided must be one of the columns: ['a', 'b']. Received: c.",
        ),
        ("a,b\n1,2\n", {"select_columns": ["a"], "label_name": "b"}, "must be one of the columns: ['a']. Received: b."),
        (
            "a,b\n1,2\n",
            {"select_columns": ["a"], "column_defaults": [[0], [0]]},
            "`column_defaults` has length 2, `select_columns` has length 1.",
        ),
        ("a,b\n1,2,3\n", {}, "CSV row 2 has 3 number of fields. Expected: 2."),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, text: str, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        _table(tmp_path, text, **arguments)
    assert message in str(error.value)


def test_tables_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No files match `file_pattern`"):
        make_csv_dataset(str(tmp_path / "none*"), 2)
    with pytest.raises(ValueError, match="Argument `file_pattern` should not be empty"):
        make_csv_dataset([], 2)


def test_examples_become_batches_of_features(two_record_files: str) -> None:
    dataset = make_batched_features_dataset(two_record_files, 2, FEATURES, num_epochs=1, shuffle=False)
    assert elements(dataset) == [
        {"n": [0, 1], "s": [b"", b"x"]},
        {"n": [2, 3], "s": [b"xx", b"xxx"]},
        {"n": [4], "s": [b"xxxx"]},
    ]
    full = make_batched_features_dataset(
        two_record_files, 2, FEATURES, num_epochs=1, shuffle=False, drop_final_batch=True
    )
    assert len(elements(full)) == 2


def test_a_feature_may_be_the_label(two_record_files: str) -> None:
    dataset = make_batched_features_dataset(two_record_files, 2, FEATURES, label_key="n", num_epochs=1, shuffle=False)
    assert elements(dataset)[0] == ({"s": [b"", b"x"]}, [0, 1])
    with pytest.raises(ValueError, match=r"The `label_key` provided \(q\) must be one of the `features` keys"):
        make_batched_features_dataset(two_record_files, 2, FEATURES, label_key="q")


@pytest.mark.parametrize(
    ("turns", "expected"), [(None, [3, 0, 4, 2, 1, 1, 0, 2, 4, 3]), (2, [3, 0, 4, 1, 2, 2, 0, 1, 4, 3])]
)
def test_examples_come_in_the_order_of_tensorflow(
    two_record_files: str, turns: int | None, expected: list[int]
) -> None:
    tf.random.set_seed(5)
    dataset = make_batched_features_dataset(
        two_record_files, 2, FEATURES, num_epochs=2, shuffle_seed=3, reader_num_threads=turns
    )
    assert [number for batch in elements(dataset) for number in batch["n"]] == expected


def test_a_reader_may_give_keys(two_record_files: str) -> None:
    def keyed(path: Any) -> Any:
        return tf.data.TFRecordDataset(path).map(lambda record: (path, record))

    dataset = make_batched_features_dataset(two_record_files, 9, FEATURES, keyed, num_epochs=1, shuffle=False)
    assert elements(dataset)[0]["n"] == [0, 1, 2, 3, 4]


def test_a_reader_that_makes_no_dataset_is_refused(two_record_files: str) -> None:
    with pytest.raises(TypeError, match="The `reader` argument must return a `Dataset` object"):
        make_batched_features_dataset(two_record_files, 2, FEATURES, reader=int)


def test_missing_record_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        make_batched_features_dataset(str(tmp_path / "none*"), 2, FEATURES)
