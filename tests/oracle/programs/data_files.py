"""Datasets of files: lines, records, CSV, SQL, globs, caches, snapshots, save and load. Each program writes its own."""

from __future__ import annotations

import contextlib
import gzip
import sqlite3
import tempfile
import zlib
from pathlib import Path

from tests.oracle.programs._data_helpers import about, each, elements, numbers, order, outcome

_LINES = b"first\nsecond\r\n\nlast"


@contextlib.contextmanager
def _folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _written(path, content):
    path.write_bytes(content)
    return str(path)


def _with_files(call):
    """Makes a program of a function of `tf` and an empty folder."""

    def program(tf, np):
        with _folder() as folder:
            return outcome(lambda: call(tf, folder), hide=str(folder))

    return program


def _records(tf, folder, values=(b"one", b"", b"three" * 50), name="records", compression=None):
    path = str(folder / name)
    with tf.io.TFRecordWriter(path, compression) as writer:
        for value in values:
            writer.write(value)
    return path


def _failing(make, folder, words=12):
    return outcome(make, words, hide=str(folder))


def _csv(tf, folder, text, defaults, **arguments):
    return order(tf.data.experimental.CsvDataset(_written(folder / "table.csv", text), defaults, **arguments))


def _make_csv(tf, folder, text, **arguments):
    path = _written(folder / "table.csv", text)
    dataset = tf.data.experimental.make_csv_dataset(path, **{"batch_size": 2, "num_epochs": 1, "shuffle": False, **arguments})
    return [dataset.element_spec, order(dataset)]


def _database(folder):
    path = str(folder / "base.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table people (name text, age integer, height real)")
        connection.executemany("insert into people values (?, ?, ?)", [("Ann", 30, 1.5), ("Bob", 41, 1.75), ("", -1, 0.0)])
    return path


def _names(folder, paths):
    return [path.decode().replace(str(folder), "FOLDER") for path in paths]


def _several(folder):
    return [_written(folder / f"{name}.txt", f"{name}1\n{name}2\n".encode()) for name in "cab"]


_FILES = {
    "lines": lambda tf, f: (lambda d: [about(d), elements(d)])(tf.data.TextLineDataset(_written(f / "a", _LINES))),
    "lines_of_several": lambda tf, f: order(tf.data.TextLineDataset(_several(f))),
    "lines_of_a_dataset_of_names": lambda tf, f: order(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(_several(f)))),
    "lines_of_a_matrix_of_names": lambda tf, f: order(tf.data.TextLineDataset([[name] for name in _several(f)])),
    "lines_in_parallel": lambda tf, f: order(tf.data.TextLineDataset(_several(f), num_parallel_reads=2)),
    "lines_in_parallel_about": lambda tf, f: about(tf.data.TextLineDataset(_several(f), num_parallel_reads=3)),
    "lines_of_an_empty_file": lambda tf, f: order(tf.data.TextLineDataset(_written(f / "a", b""))),
    "lines_of_one_newline": lambda tf, f: [order(tf.data.TextLineDataset(_written(f / "a", text))) for text in (b"\n", b"\n\n", b"x\n", b"\r\n", b"a\rb")],
    "lines_of_bytes": lambda tf, f: order(tf.data.TextLineDataset(_written(f / "a", b"\xff\x00\n\xc3\xa9"))),
    "lines_of_a_small_buffer": lambda tf, f: order(tf.data.TextLineDataset(_written(f / "a", b"x" * 50 + b"\nyy\n"), buffer_size=3)),
    "lines_gzip": lambda tf, f: order(tf.data.TextLineDataset(_written(f / "a", gzip.compress(_LINES)), compression_type="GZIP")),
    "lines_zlib": lambda tf, f: order(tf.data.TextLineDataset(_written(f / "a", zlib.compress(_LINES)), compression_type="ZLIB")),
    "lines_of_a_missing_file": lambda tf, f: each(iter(tf.data.TextLineDataset([_written(f / "a", b"x"), str(f / "none"), str(f / "a")])), 2, words=0),
    "lines_of_a_missing_file_message": lambda tf, f: _failing(lambda: order(tf.data.TextLineDataset(str(f / "none"))), f),
    "lines_of_a_folder": lambda tf, f: outcome(lambda: order(tf.data.TextLineDataset(str(f))), 0),
    "lines_of_numbers": lambda tf, f: tf.data.TextLineDataset(3),
    "lines_of_bad_compression": lambda tf, f: outcome(lambda: order(tf.data.TextLineDataset(_written(f / "a", _LINES), compression_type="RAR")), 5),
    "lines_that_are_not_gzip": lambda tf, f: outcome(lambda: order(tf.data.TextLineDataset(_written(f / "a", _LINES), compression_type="GZIP")), 0),
    "lines_without_parallel_reads": lambda tf, f: tf.data.TextLineDataset(_written(f / "a", _LINES), num_parallel_reads=0),
    "records": lambda tf, f: (lambda d: [about(d), elements(d)])(tf.data.TFRecordDataset(_records(tf, f))),
    "records_of_several": lambda tf, f: order(tf.data.TFRecordDataset([_records(tf, f, [b"a", b"b"], "1"), _records(tf, f, [b"c"], "2")])),
    "records_in_parallel": lambda tf, f: (lambda d: [about(d), order(d)])(tf.data.TFRecordDataset([_records(tf, f, [b"a", b"b"], "1"), _records(tf, f, [b"c", b"d"], "2")], num_parallel_reads=2)),
    "records_of_no_file": lambda tf, f: [about(tf.data.TFRecordDataset([])), order(tf.data.TFRecordDataset([]))],
    "records_of_an_empty_file": lambda tf, f: order(tf.data.TFRecordDataset(_written(f / "a", b""))),
    "records_gzip": lambda tf, f: order(tf.data.TFRecordDataset(_records(tf, f, compression="GZIP"), "GZIP")),
    "records_zlib": lambda tf, f: order(tf.data.TFRecordDataset(_records(tf, f, compression="ZLIB"), compression_type="ZLIB")),
    "records_of_a_small_buffer": lambda tf, f: order(tf.data.TFRecordDataset(_records(tf, f), buffer_size=10)),
    "records_bytes": lambda tf, f: Path(_records(tf, f, [b"one"])).read_bytes(),
    "records_that_are_none": lambda tf, f: _failing(lambda: order(tf.data.TFRecordDataset(_written(f / "a", b"hello world, this is no record"))), f),
    "records_cut_short": lambda tf, f: [_failing(lambda: order(tf.data.TFRecordDataset(_written(f / "b", Path(_records(tf, f, [b"one", b"two"])).read_bytes()[:size]))), f, 4) for size in (3, 10, 14, 18, 19, 22, 36)],
    "records_with_a_wrong_byte": lambda tf, f: [_failing(lambda: order(tf.data.TFRecordDataset(_written(f / "b", _spoilt(Path(_records(tf, f, [b"one", b"two"])).read_bytes(), place)))), f, 4) for place in (0, 9, 12, 16, 19, 32)],
    "records_good_before_bad": lambda tf, f: each(iter(tf.data.TFRecordDataset(_written(f / "b", Path(_records(tf, f, [b"one", b"two"])).read_bytes()[:-2]))), 3, words=0),
    "records_bad_ones_ignored": lambda tf, f: order(tf.data.TFRecordDataset(_written(f / "b", Path(_records(tf, f, [b"one", b"two"])).read_bytes()[:-2])).ignore_errors(), 5),
    "records_missing": lambda tf, f: _failing(lambda: order(tf.data.TFRecordDataset(str(f / "none"))), f),
    "records_of_numbers": lambda tf, f: tf.data.TFRecordDataset(3),
    "fixed_length": lambda tf, f: (lambda d: [about(d), elements(d)])(tf.data.FixedLengthRecordDataset(_written(f / "a", b"Hxxyyzz"), 2, header_bytes=1)),
    "fixed_length_footer": lambda tf, f: order(tf.data.FixedLengthRecordDataset([_written(f / "a", b"Hxxyyff"), _written(f / "b", b"Hzzff")], 2, 1, 2)),
    "fixed_length_gzip": lambda tf, f: order(tf.data.FixedLengthRecordDataset(_written(f / "a", gzip.compress(b"xxyyzzff")), 2, footer_bytes=2, compression_type="GZIP")),
    "fixed_length_in_parallel": lambda tf, f: order(tf.data.FixedLengthRecordDataset([_written(f / "a", b"xxyy"), _written(f / "b", b"zzww")], 2, num_parallel_reads=2)),
    "fixed_length_of_another_size": lambda tf, f: _failing(lambda: order(tf.data.FixedLengthRecordDataset(_written(f / "a", b"xxyyz"), 2)), f, 20),
    "fixed_length_of_zero": lambda tf, f: outcome(lambda: order(tf.data.FixedLengthRecordDataset(_written(f / "a", b"xx"), 0)), 5),
    "list_files": lambda tf, f: (_several(f), _names(f, order(tf.data.Dataset.list_files(str(f / "*.txt"), shuffle=False))))[1],
    "list_files_about": lambda tf, f: (_several(f), [about(tf.data.Dataset.list_files(str(f / "*"), shuffle=False)), about(tf.data.Dataset.list_files(str(f / "*"), seed=3))])[1],
    "list_files_shuffled": lambda tf, f: ([_written(f / str(i), b"") for i in range(6)], tf.random.set_seed(11), (lambda d: [_names(f, order(d)), _names(f, order(d))])(tf.data.Dataset.list_files(str(f / "*"), seed=5)))[2],
    "list_files_of_patterns": lambda tf, f: (_several(f), _names(f, order(tf.data.Dataset.list_files([str(f / "[ab].txt"), str(f / "c*")], shuffle=False))))[1],
    "list_files_twice": lambda tf, f: (_several(f), _names(f, order(tf.data.Dataset.list_files([str(f / "a*"), str(f / "a.txt")], shuffle=False))))[1],
    "list_files_of_none": lambda tf, f: outcome(lambda: tf.data.Dataset.list_files(str(f / "*.none")), 2),
    "csv": lambda tf, f: _csv(tf, f, b"1,2.5,x\n-3,1e2,\"a,b\"\n", [tf.int32, tf.float32, tf.string]),
    "csv_about": lambda tf, f: about(tf.data.experimental.CsvDataset(_written(f / "t", b""), [tf.int32, tf.constant([1.0]), ["x"]])),
    "csv_defaults": lambda tf, f: _csv(tf, f, b"1,,\n,2,y\n", [[7], [0.5], ["none"]]),
    "csv_header": lambda tf, f: _csv(tf, f, b"a,b\n1,2\n", [tf.int32, tf.int64], header=True),
    "csv_columns": lambda tf, f: _csv(tf, f, b"1,2,3\n4,5,6\n", [tf.int32, tf.int32], select_cols=[0, 2]),
    "csv_excluded_columns": lambda tf, f: _csv(tf, f, b"1,2,3\n4,5,6\n", [tf.int32], exclude_cols=[0, 2]),
    "csv_delimiter": lambda tf, f: _csv(tf, f, b"1\t'x'\n", [tf.int32, tf.string], field_delim="\t"),
    "csv_quotes": lambda tf, f: _csv(tf, f, b"\"say \"\"hi\"\"\",\"line\nbreak\"\n", [tf.string, tf.string]),
    "csv_without_quotes": lambda tf, f: _csv(tf, f, b"\"a,b\"\n", [tf.string, tf.string], use_quote_delim=False),
    "csv_missing_value_text": lambda tf, f: _csv(tf, f, b"NA,1\n2,NA\n", [[5], [6]], na_value="NA"),
    "csv_gzip": lambda tf, f: _csv(tf, f, gzip.compress(b"1\n2\n"), [tf.int32], compression_type="GZIP"),
    "csv_required_field_missing": lambda tf, f: outcome(lambda: _csv(tf, f, b"1,\n", [tf.int32, tf.int32]), 9),
    "csv_too_many_fields": lambda tf, f: outcome(lambda: _csv(tf, f, b"1,2,3\n", [tf.int32, tf.int32]), 9),
    "csv_not_a_number": lambda tf, f: outcome(lambda: _csv(tf, f, b"x\n", [tf.int32]), 9),
    "csv_open_quote": lambda tf, f: outcome(lambda: _csv(tf, f, b"\"abc\n", [tf.string]), 9),
    "csv_selected_and_excluded": lambda tf, f: outcome(lambda: _csv(tf, f, b"1,2\n", [tf.int32], select_cols=[0], exclude_cols=[1]), 9),
    "make_csv": lambda tf, f: _make_csv(tf, f, b"a,b,label\n1,x,0\n2,y,1\n3,z,0\n", label_name="label"),
    "make_csv_without_label": lambda tf, f: _make_csv(tf, f, b"a,b\n1,2.5\n2,3.5\n"),
    "make_csv_chosen_columns": lambda tf, f: _make_csv(tf, f, b"a,b,c\n1,2,3\n4,5,6\n", select_columns=["a", "c"]),
    "make_csv_names": lambda tf, f: _make_csv(tf, f, b"1,2\n3,4\n", header=False, column_names=["x", "y"]),
    "make_csv_defaults": lambda tf, f: _make_csv(tf, f, b"a,b\n1,\n,2\n", column_defaults=[[9], [8.0]]),
    "make_csv_rows": lambda tf, f: _make_csv(tf, f, b"a\n1\n2\n3\n", batch_size=2, num_epochs=2),
    "sql": lambda tf, f: order(tf.data.experimental.SqlDataset("sqlite", _database(f), "select name, age, height from people order by age", (tf.string, tf.int32, tf.float64))),
    "sql_about": lambda tf, f: about(tf.data.experimental.SqlDataset("sqlite", _database(f), "select age from people", (tf.int64,))),
    "sql_types": lambda tf, f: elements(tf.data.experimental.SqlDataset("sqlite", _database(f), "select age, age, age = 30 from people where age > 0", (tf.int16, tf.string, tf.bool))),
    "sql_of_a_bad_query": lambda tf, f: outcome(lambda: order(tf.data.experimental.SqlDataset("sqlite", _database(f), "select nothing", (tf.int32,))), 0),
    "sql_of_too_many_columns": lambda tf, f: outcome(lambda: order(tf.data.experimental.SqlDataset("sqlite", _database(f), "select name, age from people", (tf.string,))), 6),
    "cache_in_a_file": lambda tf, f: (lambda d: [about(d), order(d), sorted(p.name for p in f.iterdir()), order(d)])(numbers(tf, 3).cache(str(f / "cache"))),
    "cache_read_by_another_dataset": lambda tf, f: [order(numbers(tf, 3).cache(str(f / "cache"))), order(numbers(tf, 9).cache(str(f / "cache")))],
    "cache_in_a_missing_folder": lambda tf, f: outcome(lambda: order(numbers(tf, 3).cache(str(f / "no" / "cache"))), 0),
    "save_and_load": lambda tf, f: [numbers(tf, 3).save(str(f / "d")), (lambda d: [about(d), order(d)])(tf.data.Dataset.load(str(f / "d")))],
    "save_and_load_structures": lambda tf, f: [tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": (["x", "y"],)}).save(str(f / "d")), [sorted(e.items()) for e in elements(tf.data.Dataset.load(str(f / "d")))]][1],
    "save_compressed": lambda tf, f: [numbers(tf, 3).save(str(f / "d"), compression="GZIP"), order(tf.data.Dataset.load(str(f / "d"), compression="GZIP"))][1],
    "save_in_shards": lambda tf, f: [numbers(tf, 6).save(str(f / "d"), shard_func=lambda x: x % 2), sorted(order(tf.data.Dataset.load(str(f / "d"))))][1],
    "load_with_a_reader": lambda tf, f: [numbers(tf, 3).save(str(f / "d")), order(tf.data.Dataset.load(str(f / "d"), reader_func=lambda ds: ds.flat_map(lambda d: d.map(lambda x: x * 10))))][1],
    "load_with_a_spec": lambda tf, f: [numbers(tf, 3).save(str(f / "d")), order(tf.data.Dataset.load(str(f / "d"), tf.TensorSpec([], tf.int64)))][1],
    "load_experimental": lambda tf, f: [tf.data.experimental.save(numbers(tf, 3), str(f / "d")), order(tf.data.experimental.load(str(f / "d")))][1],
    "load_of_nothing": lambda tf, f: _failing(lambda: tf.data.Dataset.load(str(f / "none")), f, 6),
    "save_nothing": lambda tf, f: [numbers(tf, 0).save(str(f / "d")), order(tf.data.Dataset.load(str(f / "d")))][1],
    "snapshot": lambda tf, f: (lambda d: [about(d), sorted(order(d)), sorted(order(d))])(numbers(tf, 5).snapshot(str(f / "s"))),
    "snapshot_of_a_random_map": lambda tf, f: (lambda d: sorted(order(d)) == sorted(order(d)))(numbers(tf, 5).map(lambda x: tf.random.uniform([])).snapshot(str(f / "s"))),
    "snapshot_uncompressed": lambda tf, f: (lambda d: [sorted(order(d)) for _ in range(2)])(numbers(tf, 5).snapshot(str(f / "s"), compression=None)),
    "record_writer_dataset": lambda tf, f: [tf.data.experimental.TFRecordWriter(str(f / "w")).write(tf.data.Dataset.from_tensor_slices(["a", "bc"])), order(tf.data.TFRecordDataset(str(f / "w")))][1],
    "record_writer_of_numbers": lambda tf, f: outcome(lambda: tf.data.experimental.TFRecordWriter(str(f / "w")).write(numbers(tf)), 6),
    "read_file_in_map": lambda tf, f: order(tf.data.Dataset.from_tensor_slices(_several(f)).map(tf.io.read_file)),
    "interleaved_files": lambda tf, f: order(tf.data.Dataset.from_tensor_slices(_several(f)).interleave(tf.data.TextLineDataset, cycle_length=2)),
    "batched_features": lambda tf, f: order(tf.data.experimental.make_batched_features_dataset(_records(tf, f, [_example(tf, i) for i in range(3)]), 2, {"n": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False)),
    "batched_features_with_label": lambda tf, f: order(tf.data.experimental.make_batched_features_dataset(_records(tf, f, [_example(tf, i) for i in range(3)]), 3, {"n": tf.io.FixedLenFeature([], tf.int64), "s": tf.io.FixedLenFeature([], tf.string)}, label_key="n", num_epochs=1, shuffle=False)),
}


def _example(tf, number):
    features = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])), "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * number]))}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def _spoilt(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


globals().update({f"prog_{name}": _with_files(call) for name, call in _FILES.items()})
