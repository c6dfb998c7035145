"""Datasets over files of comma-separated values.

Records are read and parsed many at a time, a column after the other. Where a block has a mistake, its records are
parsed one by one, so that the error belongs to its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.nodes import DATASET, UNKNOWN, DatasetNode, PassContext
from millrace._src.ops.io.byte_source import WINDOW_BITS
from millrace._src.ops.io.table_columns import read_columns
from millrace._src.ops.io.table_reader import TableRecordReader
from millrace._src.ops.io.table_records import Table, default_of, field_count, read_record
from millrace._src.ops.type_sets import TypeSet

FIELD_TYPES = TypeSet((d.float32, d.float64, d.int32, d.int64, d.string))
"""The dtypes of columns."""


@dataclass(eq=False, repr=False)
class TableFilesNode(DatasetNode):
    """The records of files, one file after the other.

    Attributes:
      files: the names of the files.
      table: what is known of the columns.
      excluded: the columns that are not read; None if `table` says which are.
      reading: the keyword arguments of `TableRecordReader`.
    """

    files: Sequence[bytes]
    table: Table
    excluded: Sequence[int] | None
    reading: dict[str, Any]

    def cardinality(self) -> int:
        """Returns that the number is not known."""
        return UNKNOWN

    def cursor(self, context: PassContext) -> Cursor:
        """Starts at the first file."""
        return TableFilesCursor(self)


class TableFilesCursor(Cursor):
    """Reads and parses blocks of records.

    A file that cannot be read raises its error once; the pass goes on with the next file. A record with a mistake
    raises its error, and the pass goes on with the next record.
    """

    __slots__ = ("_index", "_node", "_reader", "_waiting")

    def __init__(self, node: TableFilesNode) -> None:
        self._node = node
        self._index = 0
        self._reader: TableRecordReader | None = None
        self._waiting: list[bytes] = []  # records behind one that may have a mistake

    def next_block(self, limit: int) -> Block | None:
        """Returns the next records of a file."""
        records = self._next_records(limit)
        if not records:
            return None
        block = self._block(records)
        return self._parse_one_by_one(records) if block is None else block

    def _next_records(self, limit: int) -> list[bytes]:
        """Returns at least one and at most `limit` records; none at the end of the last file."""
        if self._waiting:
            records, self._waiting = self._waiting[:limit], self._waiting[limit:]
            return records
        while self._index < len(self._node.files):
            try:
                if self._reader is None:
                    self._reader = self._open()
                records = self._reader.read_block(limit)
            except Exception:
                self._next_file()
                raise
            if records:
                return records
            self._next_file()
        return []

    def _block(self, records: list[bytes]) -> Block | None:
        """Returns records as a block; None if one of them may have a mistake."""
        node = self._node
        table = node.table if node.excluded is None else _without(node.excluded, node.table, records[0])
        columns = None if table is None else read_columns(records, table)
        return None if columns is None else Block(columns, len(records))

    def _parse_one_by_one(self, records: list[bytes]) -> Block:
        """Returns the records before the first mistake.

        Raises: tf.errors.InvalidArgumentError: if the first record has a mistake.
        """
        rows = []
        for index, record in enumerate(records):
            try:
                rows.append(self._row(record))
            except Exception:
                if rows:
                    self._waiting = records[index:] + self._waiting
                    break
                self._waiting = records[1:] + self._waiting
                raise
        return Block.of_rows(rows)

    def _row(self, record: bytes) -> list[Array]:
        """Parses one record."""
        node = self._node
        if node.table.use_quotes and _is_open(record, node.table.delimiter):
            raise invalid("Reached end of file without closing quoted field in record")
        if node.excluded is None:
            return read_record(record, node.table)
        table = _without(node.excluded, node.table, record)
        if table is None:
            raise invalid(f"Expect {len(node.table.dtypes)} fields but have more in record")
        return read_record(record, table)

    def _open(self, position: tuple[int, int] = (0, 0)) -> TableRecordReader:
        node = self._node
        table = node.table
        return TableRecordReader(
            node.files[self._index],
            delimiter=table.delimiter,
            use_quotes=table.use_quotes,
            position=position,
            **node.reading,
        )

    def _next_file(self) -> None:
        self.close()
        self._index += 1

    def save(self) -> State:
        """Returns the number of the file, the position in it if the file is open, and the records that wait."""
        position = None if self._reader is None else self._reader.position
        return self._index, position, self._waiting

    def restore(self, state: State) -> None:
        """Opens the file at the position."""
        self._index, position, waiting = state
        self._waiting = list(waiting)
        if position is not None:
            start, passed = position
            self._reader = self._open((start, passed))

    def close(self) -> None:
        """Closes the file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None


def _is_open(record: bytes, delimiter: bytes) -> bool:
    """Returns whether a record ends within a quoted field."""
    return b'"' in record and record.count(b'"') % 2 == 1 and (record[:1] == b'"' or delimiter + b'"' in record)


def _without(excluded: Sequence[int], table: Table, record: bytes) -> Table | None:
    """Returns the table with the columns that are read of a record like `record`; None if these are too many."""
    whole = Table(table.dtypes, table.defaults, table.delimiter, table.use_quotes, table.na_value, None)
    count = field_count(record, whole)
    columns = [column for column in range(count) if column not in excluded]
    if len(columns) > len(table.dtypes):
        return None
    missing = len(table.dtypes) - len(columns)
    columns += range(count, count + missing)  # columns that the record does not have
    return Table(table.dtypes, table.defaults, table.delimiter, table.use_quotes, table.na_value, columns)


# --- ops ---------------------------------------------------------------------------------------------------------

_TABLE: dict[str, Any] = {
    **DATASET,
    "output_types": TypeList(FIELD_TYPES, minimum=1),
    "capabilities": Capability.READS_FILES,
    "file_inputs": ("filenames",),
}


@op(
    "CSVDatasetV2",
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
    "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types, exclude_cols: int64"
    " -> handle: variant",
    **_TABLE,
)
def csv_dataset_v2(
    xp: Xp,
    filenames: Array,
    compression_type: Array,
    buffer_size: Array,
    header: Array,
    field_delim: Array,
    use_quote_delim: Array,
    na_value: Array,
    select_cols: Array,
    record_defaults: list[Array],
    exclude_cols: Array,
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the records of files of comma-separated values."""
    if filenames.ndim > 1:
        raise invalid("`filenames` must be a scalar or a vector.")
    compression = compression_type[()].decode()
    if compression and compression not in WINDOW_BITS:
        raise invalid(f"Unsupported compression_type: {compression}.")
    delimiter: bytes = field_delim[()]
    if len(delimiter) != 1:
        raise invalid("field_delim should be only 1 char")
    if select_cols.size and exclude_cols.size:
        raise invalid("Either select_cols or exclude_cols should be empty")
    selected, excluded = _columns("select_cols", select_cols), _columns("exclude_cols", exclude_cols)
    if selected and len(selected) != len(output_types):
        raise invalid("select_cols should match output size")
    defaults = [default_of(index, array) for index, array in enumerate(record_defaults)]
    table = Table(output_types, defaults, delimiter, bool(use_quote_delim), na_value[()], selected or None)
    reading = {"has_header": bool(header), "compression_type": compression, "buffer_size": int(buffer_size)}
    files = filenames.reshape(-1).tolist()
    return TableFilesNode(tuple(output_types), tuple(output_shapes), files, table, excluded or None, reading)


def _columns(name: str, numbers: Array) -> list[int]:
    """Returns the numbers of columns.

    Raises: tf.errors.InvalidArgumentError: if these are not increasing numbers.
    """
    columns: list[int] = numbers.reshape(-1).tolist()
    if any(column < 0 for column in columns):
        raise invalid(f"{name} should be non-negative indices")
    if columns != sorted(set(columns)):
        raise invalid(f"{name} should be strictly increasing indices")
    return columns


_OLDER_INPUTS = (
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
    "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types -> handle: variant"
)


@op("CSVDataset", _OLDER_INPUTS, **_TABLE)
def csv_dataset(
    xp: Xp,
    filenames: Array,
    compression_type: Array,
    buffer_size: Array,
    header: Array,
    field_delim: Array,
    use_quote_delim: Array,
    na_value: Array,
    select_cols: Array,
    record_defaults: list[Array],
    *,
    output_types: list[DType],
    output_shapes: list[TensorShape],
) -> Any:
    """Makes a dataset of the records of files of comma-separated values; the op before columns could be excluded."""
    return csv_dataset_v2.op_def.kernel(
        xp,
        filenames,
        compression_type,
        buffer_size,
        header,
        field_delim,
        use_quote_delim,
        na_value,
        select_cols,
        record_defaults,
        np.empty(0, np.int64),
        output_types=output_types,
        output_shapes=output_shapes,
    )


experimental_csv_dataset = op("ExperimentalCSVDataset", _OLDER_INPUTS, **_TABLE)(csv_dataset.op_def.kernel)
