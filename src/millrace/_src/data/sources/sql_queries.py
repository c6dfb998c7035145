"""Datasets over the rows that a query of an SQLite database gives.

Values are converted as SQLite converts them: a text that is asked for as a number gives the number it begins with, or
0; a missing value (NULL) is 0 or an empty text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.nodes import DATASET, UNKNOWN, DatasetNode, PassContext

_INTEGERS = (d.int8, d.int16, d.int32, d.int64, d.uint8, d.uint16)
_DTYPES = (d.string, *_INTEGERS, d.bool_, d.float64)
_NAMES = "DT_STRING, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE"
_PASSED_AT_ONCE = 1024


@dataclass(eq=False, repr=False)
class SqlNode(DatasetNode):
    """The rows that a query gives.

    Attributes:
      path: the name of the database's file.
      query: the query.
    """

    path: str
    query: str

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    @property
    def reads_ahead(self) -> bool:
        """False: somebody may change the database."""
        return False

    def cursor(self, context: PassContext) -> Cursor:
        """Starts before the first row."""
        return SqlCursor(self)


class SqlCursor(Cursor):
    """Takes rows from SQLite; the database is opened when the first row is asked for.

    An error of the database ends the pass.
    """

    __slots__ = ("_connection", "_has_ended", "_node", "_passed", "_rows")

    def __init__(self, node: SqlNode) -> None:
        self._node = node
        self._connection: sqlite3.Connection | None = None
        self._rows: sqlite3.Cursor | None = None
        self._passed = 0
        self._has_ended = False

    def next_block(self, limit: int) -> Block | None:
        """Returns the next rows."""
        rows = self._fetch(limit)
        if not rows:
            return None
        connection = self._connection
        assert connection is not None
        columns = zip(self._node.dtypes, zip(*rows, strict=True), strict=True)
        return Block([_column(connection, dtype, values) for dtype, values in columns], len(rows))

    def _fetch(self, limit: int) -> list[Any]:
        """Returns the next rows, at most `limit`; none at the end."""
        if self._has_ended:
            return []
        try:
            if self._rows is None:
                self._rows = self._begin()
            rows = self._rows.fetchmany(limit)
        except sqlite3.Error as error:
            self._end()
            raise _error_of(error, self._node.query) from error
        except Exception:
            self._end()
            raise
        if not rows:
            self._end()
        self._passed += len(rows)
        return rows

    def _end(self) -> None:
        """Ends the pass and closes the database: an error may keep this cursor alive for long."""
        self._has_ended = True
        self.close()

    def _begin(self) -> sqlite3.Cursor:
        """Opens the database and runs the query, which may not change the database.

        Raises: tf.errors.InvalidArgumentError: if the query gives another number of columns.
        """
        node = self._node
        connection = self._connection = sqlite3.connect(node.path, check_same_thread=False)
        connection.text_factory = bytes
        connection.execute("pragma query_only = on")
        rows = connection.execute(node.query)
        count = len(rows.description or ())
        if count != len(node.dtypes):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"The number of columns in query ({count}) must match the number of elements in output_types "
                f"({len(node.dtypes)}).",
            )
        return rows

    def save(self) -> State:
        """Returns how many rows were taken, and whether these are all."""
        return self._passed, self._has_ended

    def restore(self, state: State) -> None:
        """Runs the query again, and passes over the rows that were taken."""
        passed, has_ended = state
        while self._passed < passed and self._fetch(min(passed - self._passed, _PASSED_AT_ONCE)):
            pass
        self._has_ended = has_ended

    def close(self) -> None:
        """Closes the database."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._rows = None


def _error_of(error: sqlite3.Error, query: str) -> Exception:
    """Returns an error of SQLite in TensorFlow's words."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # what the module refuses by itself has no code
    kind = errors.UnknownError if code == sqlite3.SQLITE_ERROR else errors.InvalidArgumentError
    return kind(None, None, f"Prepare() failed: [{code}] {error}: {query}")


# --- columns -----------------------------------------------------------------------------------------------------


def _column(connection: sqlite3.Connection, dtype: DType, values: Sequence[Any]) -> Array:
    """Returns the values of a column as an array."""
    if dtype is d.string:
        column = np.empty(len(values), object)
        column[:] = _convert(connection, values, bytes, "text", b"")
        return column
    if dtype is d.float64:
        return np.array(_convert(connection, values, float, "real", 0.0), np.float64)
    integers = np.array(_convert(connection, values, int, "integer", 0), np.int64)
    return integers != 0 if dtype is d.bool_ else integers.astype(dtype.np_dtype)


def _convert(
    connection: sqlite3.Connection, values: Sequence[Any], kind: type, name: str, missing: object
) -> Sequence[Any]:
    """Returns values of one Python type, converted by SQLite where they are of another.

    Args:
      connection: the database.
      values: values as the module `sqlite3` gives them.
      kind: the type.
      name: the name of the type in SQL.
      missing: the value for NULL.
    """
    if all(type(value) is kind for value in values):
        return values
    query = f"select cast(? as {name})"

    def convert(value: object) -> Any:
        if type(value) is kind:
            return value
        return missing if value is None else connection.execute(query, (value,)).fetchone()[0]

    return [convert(value) for value in values]


# --- ops ---------------------------------------------------------------------------------------------------------


def _scalar(name: str, array: Array) -> str:
    """Returns a scalar argument as text."""
    if array.ndim:
        raise errors.InvalidArgumentError(None, None, f"{name} must be a scalar")
    text: bytes = array[()]
    return text.decode()


_FILES = Capability.READS_FILES | Capability.WRITES_FILES
"""A query may change the database, and attach others."""


@op(
    "SqlDataset",
    "driver_name: string, data_source_name: string, query: string -> handle: variant",
    capabilities=_FILES,
    **DATASET,
)
def sql_dataset(
    xp: Xp,
    driver_name: Array,
    data_source_name: Array,
    query: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the rows that a query gives."""
    if any(dtype not in _DTYPES for dtype in output_types):
        raise errors.InvalidArgumentError(None, None, f"Each element of `output_types_` must be one of: {_NAMES} ")
    if any(not shape.is_compatible_with([]) for shape in output_shapes):
        raise errors.InvalidArgumentError(None, None, "Each element of `output_shapes_` must be a scalar.")
    driver = _scalar("driver_name", driver_name)
    if driver != "sqlite":
        raise errors.InvalidArgumentError(
            None,
            None,
            f"The database type, {driver}, is not supported by SqlDataset. The set of supported databases is: "
            "{'sqlite'}.",
        )
    path, text = _scalar("data_source_name", data_source_name), _scalar("query", query)
    return SqlNode(tuple(output_types), tuple(output_shapes), path, text)


@op(
    "ExperimentalSqlDataset",
    "driver_name: string, data_source_name: string, query: string -> handle: variant",
    capabilities=_FILES,
    **DATASET,
)
def experimental_sql_dataset(
    xp: Xp,
    driver_name: Array,
    data_source_name: Array,
    query: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the rows that a query gives; the older op."""
    return sql_dataset.op_def.kernel(
        xp, driver_name, data_source_name, query, output_types=output_types, output_shapes=output_shapes
    )
