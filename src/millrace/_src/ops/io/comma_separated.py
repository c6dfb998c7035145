"""Tables as text: `tf.io.decode_csv`.

Most tables have no mistakes: their columns are read as a whole (`table_columns`). The rules for one record, and what is
said about a mistake, are in `table_records`, which reads the tables that are left.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import with_rank_at_most
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.io.table_columns import read_columns
from millrace._src.ops.io.table_records import Table, default_of, read_records
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.ops.type_sets import TypeList, TypeSet
from millrace._src.util.export import export

_FIELD_TYPES = TypeSet((d.float32, d.float64, d.int32, d.int64, d.string))


def _csv_shape(c: ShapeContext) -> list[TensorShape]:
    for shape in c.shapes("record_defaults"):
        with_rank_at_most(shape, 1)
        if shape.rank == 1 and shape[0] is not None and shape[0] > 1:
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [c.shape("records")] * len(c.attr("OUT_TYPE"))


@op(
    "DecodeCSV",
    "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
    OUT_TYPE=TypeList(_FIELD_TYPES, minimum=1),
    shape=_csv_shape,
    host_only=True,
    batching=leading("records"),
    exact_on_rows=True,
    not_differentiable="text has no gradient",
)
def decode_csv_op(
    xp: Xp,
    records: Array,
    record_defaults: Sequence[Array],
    *,
    OUT_TYPE: Sequence[DType],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] = (),
) -> list[Array]:
    """Reads the fields of records of comma-separated values, a tensor for each column."""
    _check_types(OUT_TYPE)
    delimiter = attr_bytes(field_delim)
    if len(delimiter) != 1:
        raise invalid("field_delim should be only 1 char")
    defaults = [default_of(index, array) for index, array in enumerate(record_defaults)]
    columns = list(select_cols) or None
    table = Table(OUT_TYPE, defaults, delimiter, use_quote_delim, attr_bytes(na_value), columns)
    texts = records.reshape(-1).tolist()
    arrays = read_columns(texts, table) if texts else None
    if arrays is None:
        arrays = read_records(texts, table)
    return [array.reshape(records.shape) for array in arrays]


def _check_types(dtypes: Sequence[DType]) -> None:
    if not dtypes:
        raise invalid("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    for dtype in dtypes:
        if dtype not in _FIELD_TYPES:
            names = ", ".join(map(runtime_name, _FIELD_TYPES))
            raise invalid(
                f"Value for attr 'OUT_TYPE' of {runtime_name(dtype)} is not in the list of allowed values: {names}"
            )


def _check_columns(select_cols: Sequence[int] | None, record_defaults: Sequence[Any]) -> None:
    if select_cols is None:
        return
    if any(first >= second for first, second in itertools.pairwise(select_cols)):
        raise ValueError("select_cols is not strictly increasing.")
    if len(select_cols) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    if select_cols[0] < 0:
        raise ValueError("select_cols contains negative values.")


@export("io.decode_csv", v1=[])
def decode_csv(
    records: TensorLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> Any:
    """Reads records of comma-separated values.

    >>> ages, names = tf.io.decode_csv(["31,Ann", ",Bob"], [[0], tf.constant([], tf.string)])
    >>> ages.numpy(), names.numpy()
    (array([31,  0], dtype=int32), array([b'Ann', b'Bob'], dtype=object))

    Args:
      records: a string Tensor, a record in each element. Fields may stand in double quotes, where a doubled quote is
        one quote.
      record_defaults: for each column that is read a Tensor whose dtype is the column's (float32, float64, int32,
        int64 or string): the value of an empty field, or an empty vector if no field may be empty.
      field_delim: the character between fields.
      use_quote_delim: whether double quotes have a meaning.
      na_value: another text that means an empty field.
      select_cols: the indices of the columns to read, increasing; None for all.
      name: name of the operation in a graph.

    Returns: A list of Tensors of the shape of `records`, one for each column.
    Raises: tf.errors.InvalidArgumentError: if a record has a mistake; ValueError: if `select_cols` does not fit.
    """
    _check_columns(select_cols, record_defaults)
    return decode_csv_op(
        records,
        list(record_defaults),
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=list(select_cols or ()),
        name=name,
    )
