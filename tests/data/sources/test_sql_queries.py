"""`tf.data.experimental.SqlDataset`: values as SQLite converts them, errors, positions."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, outcomes

SqlDataset = tf.data.experimental.SqlDataset
ROWS = [(1, 1.5, "a", b"x\0y", None), (-300, 2, "b", b"", 7), (2**40, 3.7, "é", None, None)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("create table t(i integer, f real, s text, b blob, n integer)")
        database.executemany("insert into t values(?, ?, ?, ?, ?)", ROWS)
    database.close()
    return str(tmp_path / "a.db")


@pytest.mark.parametrize(
    ("column", "dtype", "expected"),
    [
        ("i", tf.int64, [1, -300, 2**40]),
        ("i", tf.int32, [1, -300, 0]),
        ("i", tf.int8, [1, -44, 0]),
        ("i", tf.uint8, [1, 212, 0]),
        ("i", tf.uint16, [1, 65236, 0]),
        ("i", tf.bool, [True, True, True]),
        ("i", tf.string, [b"1", b"-300", b"1099511627776"]),
        ("i", tf.float64, [1.0, -300.0, 2.0**40]),
        ("f", tf.float64, [1.5, 2.0, 3.7]),
        ("f", tf.int32, [1, 2, 3]),
        ("f", tf.string, [b"1.5", b"2.0", b"3.7"]),
        ("s", tf.string, [b"a", b"b", "é".encode()]),
        ("s", tf.int32, [0, 0, 0]),
        ("b", tf.string, [b"x\0y", b"", b""]),
        ("n", tf.int32, [0, 7, 0]),
        ("n", tf.string, [b"", b"7", b""]),
        ("n", tf.bool, [False, True, False]),
        ("'3x'", tf.int16, [3, 3, 3]),
    ],
)
def test_values_are_converted_as_by_sqlite(path: str, column: str, dtype: Any, expected: list[Any]) -> None:
    assert elements(SqlDataset("sqlite", path, f"select {column} from t", (dtype,))) == [(v,) for v in expected]


def test_blocks_of_all_lengths_are_the_rows(path: str) -> None:
    query = "with recursive n(k) as (select 0 union all select k + 1 from n where k < 99) select k, k * 2 from n"
    dataset = SqlDataset("sqlite", path, query, (tf.int64, tf.int64))
    assert drained(dataset, [1, 40, 3]) == [[k, 2 * k] for k in range(100)]


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (
            "select nope from t",
            tf.errors.UnknownError,
            "Prepare() failed: [1] no such column: nope",
        ),
        ("selec", tf.errors.UnknownError, 'Prepare() failed: [1] near "selec": syntax error: selec'),
        ("select i, f from t", tf.errors.InvalidArgumentError, "The number of columns in query (2) must match"),
        ("", tf.errors.InvalidArgumentError, "The number of columns in query (0) must match"),
        ("select 1; select 2", tf.errors.UnknownError, "Prepare() failed: [1] You can only execute one statement"),
    ],
)
def test_a_query_that_cannot_be_is_an_error_when_a_row_is_asked_for(
    path: str, query: str, error: type[Exception], message: str
) -> None:
    dataset = SqlDataset("sqlite", path, query, (tf.int64,))
    with pytest.raises(error) as raised:
        next(iter(dataset))
    assert raised.value.message.startswith(message)
    assert outcomes(dataset) == [error.__name__]


@pytest.mark.parametrize(("query", "length"), [("select i from t", 3), ("select i, f from t", 0)])
def test_the_database_is_closed_when_a_pass_ends_or_fails(
    path: str, query: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted_connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connections.append(connect(*args, **kwargs))
        return connections[-1]

    monkeypatch.setattr(sqlite3, "connect", noted_connect)
    iterator = iter(SqlDataset("sqlite", path, query, (tf.int64,)))
    for _ in range(length):
        next(iterator)
    with pytest.raises((StopIteration, tf.errors.InvalidArgumentError)):
        next(iterator)
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        connections[0].execute("select 1")


def test_a_query_cannot_change_the_database(path: str) -> None:
    for query in ("insert into t values(9, 1, 1, 1, 1)", "create table u(i)", "drop table t"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="attempt to write a readonly database"):
            next(iter(SqlDataset("sqlite", path, query, (tf.int64,))))
    assert len(elements(SqlDataset("sqlite", path, "select i from t", (tf.int64,)))) == 3


def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("no database at all, but long enough to be read")
    with pytest.raises(tf.errors.InvalidArgumentError, match="file is not a database"):
        next(iter(SqlDataset("sqlite", str(tmp_path / "a"), "select i from t", (tf.int64,))))


def test_a_pass_is_restored_at_every_position(path: str) -> None:
    check_restores_everywhere(lambda: SqlDataset("sqlite", path, "select i from t", (tf.int64,)).repeat(2))


def test_rows_in_a_function_are_those_of_eager_mode(path: str) -> None:
    check_same_in_function(lambda: SqlDataset("sqlite", path, "select i, s from t", (tf.int64, tf.string)), 3)


def test_the_older_op_makes_the_same_dataset(path: str) -> None:
    inputs = {"driver_name": "sqlite", "data_source_name": path, "query": "select i from t"}
    handle = tf.raw_ops.ExperimentalSqlDataset(**inputs, output_types=[tf.int64], output_shapes=[[]])
    dataset = tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))
    assert elements(dataset) == [1, -300, 2**40]


@pytest.mark.parametrize(
    ("driver", "dtype", "message"),
    [
        ("mysql", tf.int64, "The database type, mysql, is not supported by SqlDataset."),
        (["sqlite"], tf.int64, "driver_name must be a scalar"),
        ("sqlite", tf.float32, "Each element of `output_types_` must be one of: DT_STRING"),
    ],
)
def test_another_database_and_another_dtype_are_refused(path: str, driver: Any, dtype: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        SqlDataset(driver, path, "select i from t", (dtype,))
    assert error.value.message.startswith(message)
