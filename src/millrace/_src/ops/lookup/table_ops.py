"""The ops on lookup tables: finding, inserting, removing, and all keys at once.

A table's kernels run on the host only: tables hold strings, and grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import TableHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops.batching import BatchedRows, BatchedValue
from millrace._src.ops.lookup.tables import check_signature, table_of
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import ANY
from millrace._src.util.text import shape_brackets

_READS: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.READS,
    "not_differentiable": "what a table holds is not computed from tensors",
}
_WRITES: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "shape": no_outputs,
    "not_differentiable": "it changes a table",
    "not_batched": "rows would change one table in no particular order",
}
_WHOLE: dict[str, Any] = {**_READS, "not_batched": "a table is the same for all rows"}


def _found_shape(c: ShapeContext) -> TensorShape:
    table, keys = c.inputs[0].handle_type, c.shape("keys")
    if not isinstance(table, TableHandle) or keys.rank is None or table.key_shape.rank is None:
        return UNKNOWN
    return keys[: keys.rank - table.key_shape.rank].concatenate(table.value_shape)


def _find_batched(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Finds the keys of all rows at once, where the default value is one value."""
    table, keys, default = arguments
    known = operation.inputs[0].handle_type
    is_one = isinstance(known, TableHandle) and operation.inputs[2].shape.rank == known.value_shape.rank
    if table.is_batched or default.is_batched or not is_one:
        return None
    return call(operation, [table.tensor, rows.spread(keys), default.tensor])


@op(
    "LookupTableFindV2",
    "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout",
    Tin=ANY,
    Tout=ANY,
    shape=_found_shape,
    batching=_find_batched,
    exact_on_rows=True,
    **_READS,
)
def find(xp: Xp, table_handle: Array, keys: Array, default_value: Array) -> Array:
    """Returns the value of each key, the default value for keys that are not in the table."""
    table = table_of(table_handle)
    check_signature(table, keys, default_value, has_result=True)
    return table.find(keys, default_value)


@op("LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->", Tin=ANY, Tout=ANY, **_WRITES)
def insert(xp: Xp, table_handle: Array, keys: Array, values: Array) -> None:
    """Gives keys new values."""
    table = table_of(table_handle)
    check_signature(table, keys, values)
    table.check_values(keys, values)
    table.insert(keys, values)


@op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", Tin=ANY, **_WRITES)
def remove(xp: Xp, table_handle: Array, keys: Array) -> None:
    """Takes keys out of a table; keys that are not there are passed over."""
    table = table_of(table_handle)
    check_signature(table, keys, None)
    table.remove(keys)


@op("LookupTableSizeV2", "table_handle: resource -> size: int64", shape=scalar, **_WHOLE)
def size(xp: Xp, table_handle: Array) -> Array:
    """Returns the number of keys."""
    return np.array(table_of(table_handle).size)


def _exported_shapes(c: ShapeContext) -> list[TensorShape]:
    return [UNKNOWN, UNKNOWN]


@op(
    "LookupTableExportV2",
    "table_handle: resource -> keys: Tkeys, values: Tvalues",
    Tkeys=ANY,
    Tvalues=ANY,
    shape=_exported_shapes,
    **_WHOLE,
)
def export(xp: Xp, table_handle: Array, *, Tkeys: DType, Tvalues: DType) -> tuple[Array, Array]:
    """Returns all keys and their values."""
    table = table_of(table_handle)
    if (Tkeys, Tvalues) != (table.key_dtype, table.value_dtype):
        raise invalid(
            f"The table maps {table.key_dtype.name} to {table.value_dtype.name}, but is to be exported as a map from "
            f"{Tkeys.name} to {Tvalues.name}."
        )
    return table.export()


@op("LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->", Tin=ANY, Tout=ANY, **_WRITES)
def replace(xp: Xp, table_handle: Array, keys: Array, values: Array) -> None:
    """Makes given keys and values the only ones of a table."""
    table = table_of(table_handle)
    check_signature(table, keys, values)
    table.check_imported(keys, values)
    table.replace(keys, values)


@op("InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval ->", Tkey=ANY, Tval=ANY, **_WRITES)
def initialize(xp: Xp, table_handle: Array, keys: Array, values: Array) -> None:
    """Fills a table that is filled once."""
    table = table_of(table_handle)
    check_signature(table, keys, values)
    if keys.ndim != 1:
        raise invalid(f"Keys must be a vector, but received shape{shape_brackets(keys.shape)}")
    if values.ndim != 1:
        raise invalid(f"Values must be a vector, but received shape{shape_brackets(values.shape)}")
    if len(keys) != len(values):
        raise invalid(f"Keys and values must have the same size {len(keys)} vs {len(values)}")
    table.initialize(keys, values)
