"""The ops that make lookup tables.

A table belongs to the code that holds its handle. A table with a shared name is the same one for all who name it, as
long as somebody holds it.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import (
    DType,
    as_dtype,
    float32,
    float64,
    int32,
    int64,
    resource,
    runtime_name,
    string,
    variant,
)
from millrace._src.core.dtypes import bool as boolean
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import TableHandle
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.kept_objects import keep_by_node
from millrace._src.ops.lookup.dense_table import Buckets, DenseTable
from millrace._src.ops.lookup.tables import LookupTable, MutableTable, MutableTableOfTensors, StaticTable
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.type_sets import ANY
from millrace._src.util.text import shape_brackets

_REALS = (int32, float32, float64)
_WIDE = (int32, int64, float32, float64)
_STATIC_TYPES = {int32: (*_REALS, string), int64: (*_WIDE, string), string: (*_WIDE, boolean, string)}
_TENSOR_TYPES = {int32: _REALS, int64: (*_WIDE, string), string: (*_WIDE, boolean)}
_MUTABLE_TYPES = {**_TENSOR_TYPES, int64: (*_WIDE, string, variant)}
_DENSE_TYPES = {int32: _REALS, int64: (*_WIDE, boolean, variant), string: (*_WIDE, boolean, resource)}
"""The dtypes of values that each kind of table takes, by the dtype of the keys."""

_shared_tables: weakref.WeakValueDictionary[tuple[str, str], LookupTable] = weakref.WeakValueDictionary()
"""The tables with a shared name, by container and name."""
_shared_lock = threading.Lock()


def check_types(op_name: str, pairs: dict[DType, tuple[DType, ...]], key_dtype: DType, value_dtype: DType) -> None:
    """Refuses a pair of dtypes that no table has.

    Args:
      op_name: the op that makes the table.
      pairs: the dtypes of values, by that of keys.
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.

    Raises: NotFoundError: for another pair, in TensorFlow's words.
    """
    if value_dtype in pairs.get(key_dtype, ()):
        return
    known = "".join(
        f"\n  device='CPU'; key_dtype in [{_enum_name(key)}]; value_dtype in [{_enum_name(value)}]"
        for key, values in pairs.items()
        for value in values
    )
    raise errors.NotFoundError(
        None,
        None,
        f"Could not find device for node: {{{{node {op_name}}}}} = {op_name}[key_dtype={_enum_name(key_dtype)}, "
        f"value_dtype={_enum_name(value_dtype)}]\nAll kernels registered for op {op_name}:{known}",
    )


def _enum_name(dtype: DType) -> str:
    return f"DT_{runtime_name(dtype).upper()}"


def _find_or_share(container: str, shared_name: str, make: Callable[[], LookupTable]) -> LookupTable:
    """Returns the table of a shared name, which is made if no handle refers to it; without a name, a new table.

    Raises: InvalidArgumentError: if the table of that name has other dtypes.
    """
    made = make()
    if not shared_name:
        return made
    with _shared_lock:
        present = _shared_tables.get((container, shared_name))
        if present is None or present.is_destroyed:
            present = _shared_tables[container, shared_name] = made
    if (present.key_dtype, present.value_dtype) != (made.key_dtype, made.value_dtype):
        asked, there = (
            [runtime_name(dtype) for dtype in (table.key_dtype, table.value_dtype)] for table in (made, present)
        )
        raise invalid(f"Conflicting key/value dtypes {'->'.join(asked)} with {'-'.join(there)} for table {shared_name}")
    return present


def _declared_table(c: ShapeContext) -> TableHandle:
    return TableHandle(c.attr("key_dtype"), c.attr("value_dtype"), SCALAR, c.attrs.get("value_shape", SCALAR))


def _declared_dense_table(c: ShapeContext) -> TableHandle:
    key = c.shape("empty_key")
    return TableHandle(c.attr("key_dtype"), c.attr("value_dtype"), key, c.attr("value_shape"))


_MAKES: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "handles": _declared_table,
    "not_differentiable": "a table is not a number",
    "not_batched": "it has no operands that could differ",
}
_ANONYMOUS: dict[str, Any] = {**_MAKES, "effects": Effects.RANDOM, "cacheable": False}
_NAMED: dict[str, Any] = {**_ANONYMOUS, "makes_shared_object": True}


def _known_shape(shape: TensorShape) -> tuple[int, ...]:
    """Returns the shape of values as a tuple.

    Raises: InvalidArgumentError: if a dimension is unknown.
    """
    if not shape.is_fully_defined():
        raise invalid(f"Shape {shape_brackets(shape)} is not fully defined")
    return tuple(dim for dim in shape.as_list() if dim is not None)


# --- tables that are filled once ---------------------------------------------------------------------------------


@keep_by_node
@op("HashTableV2", "-> table_handle: resource", **_NAMED)
def hash_table(
    xp: Xp,
    *,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    key_dtype: DType,
    value_dtype: DType,
) -> Any:
    """Makes a table that is filled once."""
    return _find_or_share(container, shared_name, lambda: _static("HashTableV2", key_dtype, value_dtype))


@op("AnonymousHashTable", "-> table_handle: resource", **_ANONYMOUS)
def anonymous_hash_table(xp: Xp, *, key_dtype: DType, value_dtype: DType) -> Any:
    """Makes a table that is filled once, and that belongs to the code that holds the handle."""
    return _static("AnonymousHashTable", key_dtype, value_dtype)


def _static(op_name: str, key_dtype: DType, value_dtype: DType) -> StaticTable:
    check_types(op_name, _STATIC_TYPES, key_dtype, value_dtype)
    return StaticTable(key_dtype, value_dtype)


# --- tables that change ------------------------------------------------------------------------------------------


@keep_by_node
@op("MutableHashTableV2", "-> table_handle: resource", **_NAMED)
def mutable_hash_table(
    xp: Xp,
    *,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    key_dtype: DType,
    value_dtype: DType,
) -> Any:
    """Makes a table that changes at any time."""
    return _find_or_share(container, shared_name, lambda: _mutable("MutableHashTableV2", key_dtype, value_dtype))


@op("AnonymousMutableHashTable", "-> table_handle: resource", **_ANONYMOUS)
def anonymous_mutable_hash_table(xp: Xp, *, key_dtype: DType, value_dtype: DType) -> Any:
    """Makes a table that changes at any time, and that belongs to the code that holds the handle."""
    return _mutable("AnonymousMutableHashTable", key_dtype, value_dtype)


def _mutable(op_name: str, key_dtype: DType, value_dtype: DType) -> MutableTable:
    check_types(op_name, _MUTABLE_TYPES, key_dtype, value_dtype)
    return MutableTable(key_dtype, value_dtype)


@keep_by_node
@op("MutableHashTableOfTensorsV2", "-> table_handle: resource", **_NAMED)
def mutable_hash_table_of_tensors(
    xp: Xp,
    *,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: TensorShape = SCALAR,
) -> Any:
    """Makes a table of vectors that changes at any time."""
    make = functools.partial(_of_tensors, "MutableHashTableOfTensorsV2", key_dtype, value_dtype, value_shape)
    return _find_or_share(container, shared_name, make)


@op("AnonymousMutableHashTableOfTensors", "-> table_handle: resource", **_ANONYMOUS)
def anonymous_mutable_hash_table_of_tensors(
    xp: Xp, *, key_dtype: DType, value_dtype: DType, value_shape: TensorShape = SCALAR
) -> Any:
    """Makes a table of vectors that changes at any time, and that belongs to the code that holds the handle."""
    return _of_tensors("AnonymousMutableHashTableOfTensors", key_dtype, value_dtype, value_shape)


def _of_tensors(op_name: str, key_dtype: DType, value_dtype: DType, shape: TensorShape) -> MutableTableOfTensors:
    check_types(op_name, _TENSOR_TYPES, key_dtype, value_dtype)
    return MutableTableOfTensors(key_dtype, value_dtype, _known_shape(shape))


# --- tables whose export has an entry for every bucket -------------------------------------------------------------

_DENSE = "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource"
_DENSE_TRAITS: dict[str, Any] = {"key_dtype": ANY, "handles": _declared_dense_table}
_LOAD = 0.800000011920929
"""0.8 as a float32, in which graphs write attributes."""


@keep_by_node
@op("MutableDenseHashTableV2", _DENSE, **{**_NAMED, **_DENSE_TRAITS})
def mutable_dense_hash_table(
    xp: Xp,
    empty_key: Array,
    deleted_key: Array,
    *,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    value_dtype: DType,
    value_shape: TensorShape = SCALAR,
    initial_num_buckets: int = 131072,
    max_load_factor: float = _LOAD,
) -> Any:
    """Makes a table that changes at any time, with keys that represent no entry and for a removed one."""
    buckets = Buckets(initial_num_buckets, max_load_factor)
    make = functools.partial(
        _dense, "MutableDenseHashTableV2", empty_key, deleted_key, value_dtype, value_shape, buckets
    )
    return _find_or_share(container, shared_name, make)


@op("AnonymousMutableDenseHashTable", _DENSE, **{**_ANONYMOUS, **_DENSE_TRAITS})
def anonymous_mutable_dense_hash_table(
    xp: Xp,
    empty_key: Array,
    deleted_key: Array,
    *,
    value_dtype: DType,
    value_shape: TensorShape = SCALAR,
    initial_num_buckets: int = 131072,
    max_load_factor: float = _LOAD,
) -> Any:
    """Makes a table like `MutableDenseHashTableV2` that belongs to the code that holds the handle."""
    buckets = Buckets(initial_num_buckets, max_load_factor)
    return _dense("AnonymousMutableDenseHashTable", empty_key, deleted_key, value_dtype, value_shape, buckets)


def _dense(
    op_name: str,
    empty_key: Array,
    deleted_key: Array,
    value_dtype: DType,
    value_shape: TensorShape,
    buckets: Buckets,
) -> DenseTable:
    key_dtype = as_dtype(empty_key.dtype)
    check_types(op_name, _DENSE_TYPES, key_dtype, value_dtype)
    return DenseTable(key_dtype, value_dtype, _known_shape(value_shape), empty_key, deleted_key, buckets)
